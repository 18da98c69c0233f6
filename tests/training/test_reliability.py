"""The study of what goes wrong: it counts what it should, and a small share of every row passes."""

from __future__ import annotations

import json
import time

import pytest
from gymnasium.error import Error as GymnasiumError

from tests.reliability import __main__ as command
from tests.reliability import envs, processes, stores, study, tally
from tests.reliability.report import markdown
from tests.reliability.study import Settings

QUICK = (
    "damaged", "misused", "mean ill", "great size", "nobody sees", "without an end", "change while", "edited",
    "that write", "misbehave", "programs that say",
)  # fmt: skip


def fails(error):
    def trial():
        raise error

    return trial


def test_every_kind_of_end_is_counted():
    cases = [
        ("a", lambda: True), ("b", lambda: False), ("c", fails(KeyError("x"))), ("d", fails(SystemExit(3))),
        ("e", lambda: tally.refuses(fails(ValueError("no")), ValueError)),
        ("f", lambda: tally.refuses(fails(ValueError("no")), ValueError, names="file")),
        ("g", lambda: tally.refuses(fails(ValueError(" ")), ValueError)),
        ("h", lambda: tally.refuses(fails(OSError("no")), ValueError)),
    ]  # fmt: skip
    row = tally.tally("things", "nothing", cases)
    assert (row.taken, row.refused, row.failed, row.tried) == (1, 2, 5, 8)
    assert [told[0] for told in row.failures] == ["c", "d", "f", "g", "h"]
    assert "KeyError: 'x' (test_reliability.py, line" in row.failures[0]
    assert "does not name 'file'" in row.failures[2]


def test_who_takes_too_long_fails(monkeypatch):
    monkeypatch.setattr(tally, "LONGEST", 0.05)

    def busy():
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
        return True

    assert tally.tally("x", "y", [("busy", busy)]).failed == 1


def test_an_env_whose_copy_goes_apart_is_found(monkeypatch):
    import random

    monkeypatch.setattr(envs, "_one", lambda *_: ([random.random()], None))
    assert tally.tally("x", "y", envs.copied(1, 1)).failed == 1


def test_code_in_a_file_would_be_noticed(tmp_path, monkeypatch):
    import numpy as np

    def careless(path):
        with np.load(path, allow_pickle=True) as archive:
            list(archive.values())
        raise stores.FileError("too late")

    monkeypatch.setattr(stores, "READERS", {"careless": careless})
    row = tally.tally("x", "y", stores.archives(tmp_path, 1, 3))
    assert any("code of the file was run" in told for told in row.failures)


def test_a_wrong_result_after_a_kill_would_be_noticed(tmp_path, monkeypatch):
    results = iter([1, 2])
    monkeypatch.setattr(processes, "start", lambda words, folder, **_: None)
    monkeypatch.setattr(processes, "finish", lambda process: (0, ""))
    command_ = processes.Command("x", ("x",), lambda folder: next(results))
    assert processes._whole(command_, tmp_path / "whole") == 1
    with pytest.raises(tally.Wrong, match="something else than without a kill"):
        processes._killed(command_, tmp_path / "killed", [], lambda: 1, {"seconds": 0.0})


def test_a_share_of_every_quick_row_passes(tmp_path, capsys):
    """A slice of every parser's damages, in every run of the tests."""
    assert command.main(["--cases", "60", "--kills", "0", "--seed", "5", "--only", *QUICK, "--out", str(tmp_path)]) == 0
    assert str(tmp_path) not in (tmp_path / "README.md").read_text()  # a page tells of no folder of this machine
    assert "\n0 of " in capsys.readouterr().out
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    assert len(rows) >= 20
    assert all(row["taken"] + row["refused"] or row["left_out"] for row in rows)
    page = (tmp_path / "README.md").read_text()
    assert page.count("\n| ") == len(rows) + 2
    assert "python -m tests.reliability --cases 60" in page


@pytest.mark.slow
def test_a_larger_share_of_every_row_passes():
    rows = study.rows(Settings(seed=6, cases=400, kills=0))
    assert [row.failures for row in rows if row.failed] == []


@pytest.mark.slow
@pytest.mark.long
def test_kills_and_full_disks():
    rows = study.rows(Settings(seed=7, cases=1, kills=1, only=("match", "full", "two writers")))
    assert [row.failures for row in rows if row.failed] == []
    assert all(row.tried for row in rows)


def test_the_page_tells_failures_and_what_was_left_out():
    rows = [
        tally.tally("things", "nothing", [("case 3", fails(GymnasiumError("odd")))]),
        tally.left_out("doors", "an answer", "no server here"),
    ]
    page = markdown(rows, Settings(), "python -m x", 3.0)
    assert "**1 of 1 cases failed.**" in page
    assert "- things: case 3: gymnasium.error.Error: odd" in page
    assert "left out: no server here" in page
