"""What a process keeps is bounded by its bytes; and of equal systems it keeps one tree."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from agents.hierarchy.language.text import parse_system
from training.evolve import generations
from training.evolve.config import EvolveConfig
from training.match import duel as duels
from training.match.duel import Partnership, Stretch, duel, hierarchy
from training.match.keeping import Kept

TEXT = "system: {}\n1N 12-14 hcp, balanced\n1x 12+ hcp, 4+ x\nP\n(1x)\n  1y 7-15 hcp, 5+ y\nwhen 0-7 last-level\n  P\n"


def system(name="kept"):
    return parse_system(TEXT.format(name))


def test_what_was_asked_for_last_stays():
    kept, made = Kept(100, lambda key, value: len(value)), []

    def get(key, size):
        return kept.get(key, lambda: made.append(key) or b"x" * size)

    for key in "abc":
        get(key, 40)
    assert (len(kept), kept.bytes, made) == (2, 80, ["a", "b", "c"])
    get("b", 0)
    get("d", 40)  # c goes, which was asked for before b
    get("b", 0)
    assert made == ["a", "b", "c", "d"]
    get("large", 1000)
    assert (len(kept), kept.bytes) == (1, 1000)
    get("e", 10)
    assert (len(kept), kept.bytes) == (1, 10)


def test_a_value_that_grows_is_counted_anew():
    kept = Kept(100, lambda key, value: len(value))
    first = kept.get("first", lambda: bytearray(10))
    kept.get("second", lambda: bytearray(60))
    first.extend(bytes(60))
    assert kept.get("first", lambda: None) is first
    assert (len(kept), kept.bytes) == (1, 70)


def test_equal_systems_are_kept_once():
    """As of generations without a change, or of tasks that each unpack the same: their trees do not add up."""
    trees = []
    for start in range(6):
        us = Partnership(*(system(),) * 2)
        trees.append(weakref.ref(us.first))
        duel(us, us, Stretch(1, "training", 4 * start, 4))
    del us
    gc.collect()
    assert sum(tree() is not None for tree in trees) <= 1


def test_systems_are_bounded_by_bytes_and_by_number(monkeypatch):
    compiled = hierarchy(system("first")).compiled
    size = 2 * sum(array.nbytes for array in compiled)
    monkeypatch.setattr(duels, "MOST_OF_SYSTEMS", 4 * size)
    monkeypatch.setattr(duels, "_systems", Kept(4 * size, duels._size_of_system))
    for number in range(12):
        _ = hierarchy(system(f"large {number}")).compiled
        _ = hierarchy(system(f"large {number}"))  # its arrays are counted from the next time on
    assert 1 <= len(duels._systems) <= 4
    monkeypatch.setattr(duels, "_systems", Kept(duels.MOST_SYSTEMS * 100, lambda key, value: 100))
    for number in range(duels.MOST_SYSTEMS + 50):
        hierarchy(system(f"small {number}"))
    assert len(duels._systems) == duels.MOST_SYSTEMS


def test_duels_are_bounded_by_bytes(monkeypatch):
    us = Partnership(*(system(),) * 2)
    found = duel(us, us, Stretch(2, "training", 0, 50))
    size = found.history.nbytes + found.points.nbytes + found.imps.nbytes
    monkeypatch.setattr(duels, "MOST_OF_DUELS", 0)
    monkeypatch.setattr(duels, "_duels", Kept(3 * size, duels._size_of_duel))
    for start in range(8):
        again = duel(us, us, Stretch(2, "training", 50 * start, 50))
    assert 1 <= len(duels._duels) <= 4
    assert duel(us, us, Stretch(2, "training", 350, 50)) is again
    assert np.array_equal(duel(us, us, Stretch(2, "training", 0, 50)).imps, found.imps)


@dataclass(frozen=True)
class _NoWork:
    """Plays nothing and tells nobody."""

    say: Callable[[str], object] = str

    def standing(self, pair, stretch):
        return 0.0, 0.1

    def stretch(self, start, count):
        return None


@pytest.mark.parametrize("changes", [False, True])
def test_a_partnership_that_nothing_has_changed_stays_the_same(monkeypatch, changes):
    us, other = Partnership(*(system(),) * 2), Partnership(*(system("other"),) * 2)
    monkeypatch.setattr(generations, "propose", lambda *_: [])
    monkeypatch.setattr(generations, "improved", lambda us, *_: (other if changes else us, []))
    work = _NoWork()
    after = generations.generation(generations.State(0, [us], [], [], {}), EvolveConfig(partnerships=1), work)
    assert (after.population[0] is us) is not changes
    assert after.population[0] == (other if changes else us)
