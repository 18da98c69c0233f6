"""Changes in words, and the files of a run that is bounded by time."""

import re
from dataclasses import replace

import pytest
from support.command import refused
from support.learners import Here

from agents.systems.changes.edits import CompositeEdit, Insert, InsertGeneral, Replace, SwapLines
from agents.systems.changes.mutation import line_at
from agents.systems.language.paths import path_steps
from agents.systems.language.text import parse_constraint, parse_system
from training.cli.app import main
from training.evolution import run
from training.evolution.selection import describe_edit

SYSTEM = parse_system(
    """system: toy
1N    15-17 hcp, balanced
  2C    8+ hcp, 4 H or 4 S   ; Stayman !forcing
P     0-13 hcp
when 0-7 last-level
  P
"""
)
NOTRUMP, STAYMAN, PASSES = (line_at(SYSTEM, at) for at in (("lines", 0), ("lines", 0, 0), ("lines", 1)))


def changed(line, text, **more):
    return replace(line, constraint=parse_constraint(text), **more)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (
            Replace((), PASSES, (changed(PASSES, "0-12 hcp"),), "P 0-13 hcp: 0-13 -> 0-12"),
            "opening: Pass: 0-13 HCP → 0-12 HCP",
        ),
        (
            Replace(("1N",), STAYMAN, (changed(STAYMAN, "7+ hcp, 4 H or 4 S"),), ""),
            "after 1NT: 2♣: 8+ HCP; 4♥ or 4♠ → 7+ HCP; 4♥ or 4♠",
        ),
        (Replace(("1N",), STAYMAN, (), ""), "after 1NT: dropped: 2♣ 8+ HCP; 4♥ or 4♠ (Stayman, forcing)"),
        (Insert(path_steps("1N-(2C)"), PASSES, ""), "after 1NT - (2♣): new: Pass 0-13 HCP"),
        (
            InsertGeneral(parse_constraint("0-7 last-level"), PASSES, ""),
            "where the last bid is at level 0-7: new: Pass 0-13 HCP",
        ),
        (SwapLines((), NOTRUMP, PASSES, ""), "opening: Pass 0-13 HCP goes before 1NT 15-17 HCP, balanced"),
        (
            CompositeEdit((Insert((), NOTRUMP, ""), Insert(path_steps("1N"), STAYMAN, "")), ""),
            "opening: new: 1NT 15-17 HCP, balanced; with it after 1NT: new: 2♣ 8+ HCP",
        ),
    ],
)
def test_a_change_in_words(edit, words):
    assert describe_edit(edit).startswith(words)


def test_a_run_that_is_bounded_by_time_is_judged_and_can_be_repeated(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "Cluster", lambda *_: Here())
    (tmp_path / "toy.bidding").write_text("system: toy\n4S    5+ S, 8+ hcp\nP\nwhen 0-7 last-level\n  P\n")
    toy = str(tmp_path / "toy.bidding")
    words = ["--start", toy, "--control", toy, "--league", "silent", "--validators", "", "--gatekeepers", "",
             "--operators", "tuning", "--study", "400", "--boards", "300", "--confirm", "600",
             "--judge", "64"]  # fmt: skip
    command = ["evolve", "--minutes", "0.0001", "--workers", "1", "--partnerships", "1", "--name", "a"]
    assert main([*command, "--out", str(tmp_path), *words]) == 0
    folder = tmp_path / "evolve" / "a"
    report = (folder / "report.md").read_text()
    assert re.search(r"--generations [1-9]", report)  # as many as the time was for
    assert "beside each change" in report or "Nothing." in report
    assert "[What differs in the end](diff.md)" in report
    assert (folder / "diff.md").read_text().startswith("# toy to evolved")
    assert not (folder / "best.bidding").exists()  # evolved.bidding is there
    capsys.readouterr()
    assert "give --minutes or --hours, not both" in refused(capsys, "evolve", "--minutes", "1", "--hours", "1")
    assert "give --minutes or --hours, not both" in refused(capsys, "train", "league", "--minutes", "1", "--hours", "1")
    assert 'Invalid value "-1.0" for --minutes. Must be > 0.' in refused(capsys, "evolve", "--minutes", "-1")
