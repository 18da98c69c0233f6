"""The progress bar of all commands."""

from training.cli.progress import Bar


def test_what_is_said_before_any_progress_is_seen(capsys):
    bar = Bar(10, "it")
    bar.say("imitating 5%")
    assert "imitating 5%" in capsys.readouterr().err
    bar.close()


def test_what_an_earlier_run_left_is_no_speed(capsys):
    with Bar(1000, "it") as bar:
        bar.to(900)
        assert bar._bar.initial == 900
        bar.to(901)
    assert "901/1000" in capsys.readouterr().err


def test_shares_end_at_all_of_it(capsys):
    with Bar(what="learning") as bar:
        bar.share(0.5)
        bar.share(1.01)
    assert "learning: 100%" in capsys.readouterr().err


def test_brief_bars_say_nothing_without_a_terminal(capsys):
    with Bar(3, "board", brief=True) as bar:
        bar.add(3)
    assert not capsys.readouterr().err


def test_brief_bars_take_totals_without_a_terminal(capsys):
    with Bar(brief=True) as bar:
        bar.share(0.0)
        bar.share(0.5)
        bar.share(1.0)
    assert not capsys.readouterr().err
