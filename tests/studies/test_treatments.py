"""The study of treatments: what each changes in the text, and where it counts as having come up."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agents.systems.library.shipped import register_system, system_path, unregister_system
from studies import treatments
from studies.treatments import TREATMENTS, Treatment, differing_boards, main, play_out
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match


@pytest.fixture(scope="module")
def text():
    return system_path("two-over-one").read_text(encoding="utf-8")


@pytest.mark.parametrize("treatment", TREATMENTS, ids=lambda treatment: treatment.name)
def test_a_treatment_changes_its_lines(treatment, text):
    before, after = text.splitlines(), treatment.apply(text).splitlines()
    gone = [line for line in before if line not in after]
    assert 0 <= len(before) - len(after) <= 1
    assert len(gone) <= 1 + len(treatment.more)
    assert before != after


def test_a_text_without_the_line_is_refused(text):
    with pytest.raises(ValueError, match="no line"):
        Treatment("none", "X  99+ hcp", "").apply(text)


def test_a_change_of_nothing_never_occurs():
    same = match("system:two-over-one", "system:two-over-one", library_boards(50, 1, "judging"))
    assert not len(differing_boards(same))
    other = match("system:two-over-one", "system:acol", library_boards(50, 1, "judging"))
    differ = differing_boards(other)
    assert len(differ)
    untouched = np.setdiff1d(np.arange(50), differ)
    assert not other.imps[untouched].any()


def test_treatments_are_measured_apart(tmp_path, capsys):
    five, three = play_out(TREATMENTS[0], 5, 1000), play_out(TREATMENTS[1], 5, 1000)
    assert 0 < five.boards <= 5
    assert (five.exact, five.played) != (three.exact, three.played)
    only = ["five level", "weak twos on three"]
    main(["--boards", "2", "--tried", "400", "--out", str(tmp_path), "--only", *only])
    rows = json.loads((tmp_path / "results.json").read_text())["treatments"]
    assert [row["name"] for row in rows] == only
    assert "five level" in capsys.readouterr().out


def test_a_gain_abroad_is_that_over_the_base_on_the_same_boards(monkeypatch):
    monkeypatch.setattr(treatments, "GATEKEEPERS", ("system:acol", "system:polish"))  # quick ones
    (gain,) = treatments.abroad(TREATMENTS[:1], 600, [1, 2])
    changed = register_system("five-level-again", TREATMENTS[0].apply(system_path("two-over-one").read_text()))
    boards = library_boards(600, 2, "judging")
    ours, before = match(changed, "system:polish", boards), match("system:two-over-one", "system:polish", boards)
    unregister_system(changed)
    assert gain.each[1][1] == pytest.approx(ours.mean_imps - before.mean_imps)
    assert gain.gain[0] == pytest.approx(np.mean(gain.each))
    assert gain.gain[1] > 0
