"""All faults of a bidding system at once, and the word that was probably meant."""

import pytest

from agents.systems.language.text import SystemTextError, parse_system
from agents.systems.library.shipped import shipped_systems, system_path
from agents.systems.lint import check_system, check_text
from training.cli.app import main

FAULTY = """system: mine
1N  15-17 hpc
  2C  8+ hcp 4+ H
    2H  4+ H
  2D  5+ H
1C  12+ hcp, 3+ ♣
1D  12+ HCP, 4+ diamonds
1H  12+ hcp, 5+ H
  1C  6+ hcp
  2H  6+ hcp, 3+ H
  2H  6+ hcp, 3+ H
  2S
  3H  10+ hcp
1S  4+ x
1H  12+ hcp, 5+ H
when ours
  1C-1D
"""


def found_in(tmp_path, text, name="mine.bidding"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return check_system(path)


def test_all_faults_are_found_at_once(tmp_path):
    found = found_in(tmp_path, FAULTY)
    texts = {(finding.line, finding.fault): finding.text for finding in found}
    assert "did you mean hcp?" in texts[2, True]
    assert "is a comma missing, as in '8+ hcp, 4+ H'?" in texts[3, True]
    assert "did you mean C?" in texts[6, True]
    assert "did you mean hcp?" in texts[7, True]
    assert "no auction leads here" in texts[9, True]
    assert "this line stands in line 10 already" in texts[11, False]
    assert "line 12 takes every hand before it" in texts[13, False]
    assert "'x' in 'x' stands for no suit here" in texts[14, True]
    assert "this line stands in line 8 already" in texts[15, False]
    assert "a general rule is one call of ours" in texts[17, True]
    assert [finding.line for finding in found] == sorted({2, 3, 6, 7, 9, 11, 13, 14, 15, 17})


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("1C  12+ hcp\n(1H)\n  X\n  2S  5+ S\n", {4: "line 3 takes every hand before it"}),
        ("1C  12+ hcp\n  P\n  1S  5+ S\n  2S  6+ S\n", {3: "line 2 takes every hand", 4: "must not pass"}),
        ("P\n1C  12+ hcp\n", {2: "line 1 takes every hand before it, unless its player must not pass"}),
        ("1C  12+ hcp\n  P  0-5 hcp\n  1S  5+ S\n  P\n", {}),
    ],
)
def test_calls_without_conditions_leave_no_hand_to_the_lines_below(text, noted):
    found = {finding.line: finding.text for finding in check_text(text)}
    assert found.keys() == noted.keys()
    assert all(words in found[line] for line, words in noted.items())


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("1S  5+ S\n(1M)\n  (2x)\n    X  8+ hcp\n", {3: "between two calls of theirs stands one of ours"}),
        ("1S  5+ S\n(1M)\n  P  0-7 hcp\n    (2x)\n      X  8+ hcp\n", {}),
        ("P-P-P-P-1D  12+ hcp\n", {1: "so this line counts in every seat"}),
        ("1D  5+ D\nP  0-9 hcp\n  1S  8+ hcp, 5+ S\n    2S  3+ S\n", {3: "so this line counts in every seat"}),
        ("1C  12+ hcp\n  P  0-5 hcp\n    1S  5+ S\n    (1H)\n      1S  5+ S\n", {3: "it is over after three passes"}),
        ("(1H)-P-P-1S  5+ S\n", {1: "it is over after three passes"}),
        ("(1H)-P-X  10+ hcp\n1C-(X)-XX  10+ hcp\n1C-(1H)-P-(P)-X 12+ hcp\n", {}),
    ],
)
def test_lines_that_no_auction_comes_to_and_lines_that_count_in_others(text, noted):
    found = {
        finding.line: finding for finding in check_text(text) if "auction" in finding.text or "seat" in finding.text
    }
    assert found.keys() == noted.keys()
    assert all(words in found[line].text and not found[line].fault for line, words in noted.items())


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow, pytest.mark.weekly] * (name != "acol")) for name in shipped_systems()],
)
def test_shipped_systems_have_no_faults(name):
    assert check_system(system_path(name)) == []


def test_the_command(tmp_path, capsys):
    good, bad = tmp_path / "good ♠.bidding", tmp_path / "bad.bidding"
    good.write_text("1C  12+ hcp\n")
    bad.write_text(FAULTY, encoding="utf-8")
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().err.endswith("no faults, 0 notes\n")
    assert main(["check", str(good), str(bad)]) == 2
    output = capsys.readouterr()
    assert f"{bad}:2: '15-17 hpc'" in output.out or f"{bad}:2: 'hpc'" in output.out
    assert f"{bad}:11: note: no hand comes to this line" in output.out
    assert "7 faults, 3 notes" in output.err
    assert main(["check", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["silent", "system:silent"])
def test_a_shipped_system_by_its_name(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", name]) == 0
    assert "silent.bidding: no faults, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("none.bidding", "there is no such file, and no such system is shipped (acol, "),
        ("sayk", "did you mean sayc?"),
        ("policy:champion", "is no bidding system; give a file"),
        ("pass", "is no bidding system; give a file"),
    ],
)
def test_what_is_no_system(name, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", name]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1C  12+ HCP", "did you mean hcp?"),
        ("1C  5+ ♠", "did you mean S?"),
        ("1C  5+ ♥️", "did you mean H?"),
        ("1C  5+ hearts", "did you mean H?"),
        ("1C  balnced", "did you mean balanced?"),
        ("1C  not ballanced", "did you mean balanced?"),
        ("1M  8+ fitt:M", "did you mean fit:M?"),
        ("1C  12+ hcp balanced", "is a comma missing, as in '12+ hcp, balanced'?"),
        ("1C  H >= S 5+ H not vul", "is a comma missing, as in 'H >= S, 5+ H, not vul'?"),
    ],
)
def test_what_was_meant(text, hint):
    with pytest.raises(SystemTextError) as caught:
        parse_system(text)
    assert hint in str(caught.value)


def test_nothing_is_made_up():
    with pytest.raises(SystemTextError) as caught:
        parse_system("1C  5+ qqqqq")
    assert "did you mean" not in str(caught.value)


def test_a_text_is_checked_as_a_file_is(tmp_path):
    text = "system: odd\n1C 12+ hcp\n1Z 5 q\n1C 13+ hcp\n1C 14+ hcp\n2D 5+ Y\n"
    (tmp_path / "odd.bidding").write_text(text)
    assert check_text(text, "odd") == check_system(tmp_path / "odd.bidding")
    assert [finding.line for finding in check_text(text) if finding.fault] == [3, 6]
