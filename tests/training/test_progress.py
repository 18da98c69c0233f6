"""The progress bar of all commands."""

import pytest

from training.cli.output import Bar


def test_a_bar_shows_texts_totals_and_notes(capsys):
    with Bar(10, "it") as bar:
        bar.say("imitating 5%")
        assert "imitating 5%" in capsys.readouterr().err
    with Bar(1000, "it") as bar:
        bar.to(900)
        assert bar._bar.initial == 900  # an earlier run's results are no speed
        bar.to(901)
    assert "901/1000" in capsys.readouterr().err
    with Bar(what="learning") as bar:
        bar.share(0.5)
        bar.share(1.01)
    assert "learning: 100%" in capsys.readouterr().err


@pytest.mark.parametrize("report", [lambda bar: bar.add(3), lambda bar: bar.share(1.0), lambda bar: bar.say("now")])
def test_brief_bars_show_nothing_without_a_terminal(capsys, report):
    with Bar(brief=True) as bar:
        report(bar)
    assert not capsys.readouterr().err
