"""Judge maps on held-out boards: calls by map, whether ambiguity tells, the most ambiguous units, matches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import Atlas
from agents.maps.bidder import Consulted, MapBidder
from agents.maps.explain import neighbours, unit_of
from agents.maps.situations import PUBLISHED, SITUATIONS
from bridge_env.bidders import make
from bridge_env.calls import call_text
from bridge_env.cards import hand_text
from training.cases.judge import Share, shares
from training.maps.examples import Examples, bid_by
from training.match.boards import library_boards
from training.match.duplicate import match

HELD_OUT = 2000  # judging boards that a teacher bids
MATCH_SEED = 1
_STATED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.97)  # bounds of the bins
_ENOUGH = 30  # hands of a unit that is called ambiguous
_OF_EACH = 3  # ambiguous units told of each map


@dataclass(frozen=True)
class Bin:
    """Calls about which the maps were about as sure."""

    name: str  # between which shares
    asked: int  # calls
    stated: float  # their mean share of the unit's hands, in percent
    right: int  # of them, as recorded or taught
    differ: int  # of them, those in which the expert calls other than was recorded or taught


@dataclass(frozen=True)
class Region:
    """An ambiguous unit: its map, where, hands, mean hand, calls in words; held-out calls there, right, differing."""

    situation: str
    where: str
    hands: int
    mean: str
    calls: str
    asked: int
    right: int
    differ: int
    example: str


@dataclass(frozen=True)
class Match:
    """A duplicate match of the maps (all, or some of them) against ``b``: IMPs a board and their standard error."""

    a: str
    b: str
    mean: float
    error: float
    boards: int
    seed: int


@dataclass(frozen=True)
class Verdict:
    """All figures of a system of maps; ``expert`` is who was asked whether experts differ."""

    calls: tuple[Share, ...]
    bins: tuple[Bin, ...]
    regions: tuple[Region, ...]
    matches: tuple[Match, ...]
    expert: str
    held: int
    held_boards: int


def held_out(teacher: str, seed: int) -> Examples:
    """Return what the teacher calls against itself on judging boards."""
    return bid_by(teacher, teacher, teacher, library_boards(HELD_OUT, seed, "judging"), seed)


def judged(atlas: Atlas, held: Examples, expert: str, boards: int) -> Verdict:
    """The maps on held-out calls, and in matches of so many boards (0: none)."""
    bidder = MapBidder(atlas)
    matches = tuple(_matches(atlas, boards)) if boards else ()
    if not len(held):
        return Verdict((), (), (), matches, expert, 0, 0)
    found = bidder.consult(held.view)
    right = found.call == held.called
    other = make(expert).bid(held.view, np.zeros(len(held), np.uint64))
    differ = other != held.called
    return Verdict(
        tuple(_shares(found, held)), tuple(_bins(found, right, differ)),
        tuple(_regions(atlas, found, held, right, differ)), matches, expert, len(held),
        len(np.unique(held.board)),
    )  # fmt: skip


def _shares(found: Consulted, held: Examples) -> list[Share]:
    kinds = {"all calls": np.ones(len(held), np.bool_), "the six maps of 2007": found.situation < PUBLISHED}
    kinds |= {name: found.situation == k for k, name in enumerate(SITUATIONS)}
    return shares(kinds, found.call, held.called)


def _bins(found: Consulted, right: NDArray[np.bool_], differ: NDArray[np.bool_]) -> list[Bin]:
    edges, nobody, sure = (0.0, *_STATED, 1.0), np.isnan(found.share), found.share >= 1.0
    which = np.searchsorted(_STATED, found.share, side="right")
    kinds = {
        f"{100 * low:.0f} to {100 * high:.0f}%": (which == number) & ~sure & ~nobody
        for number, (low, high) in enumerate(pairwise(edges))
    } | {"all hands": sure, "no hand made it": nobody}
    return [
        Bin(name, int(rows.sum()), 100 * float(np.nan_to_num(found.share[rows]).mean()), int(right[rows].sum()),
            int(differ[rows].sum()))
        for name, rows in kinds.items() if rows.any()
    ]  # fmt: skip


def _regions(
    atlas: Atlas, found: Consulted, held: Examples, right: NDArray[np.bool_], differ: NDArray[np.bool_]
) -> list[Region]:
    """The units with the lowest share of each map, none beside another."""
    out: list[Region] = []
    for k, one in sorted(atlas.maps.items()):
        many = one.calls.sum(axis=1) >= _ENOUGH
        shut: set[int] = set()
        for unit in np.argsort(np.where(many, one.share, np.inf), kind="stable")[: 20 * _OF_EACH]:
            if not many[unit] or unit in shut or sum(r.situation == SITUATIONS[k] for r in out) == _OF_EACH:
                continue
            shut |= {int(unit), *neighbours(one, int(unit))}
            counts = unit_of(one, int(unit), counts=3)
            rows = np.flatnonzero((found.situation == k) & (found.unit == unit))
            calls = ", ".join(f"{call} {100 * share:.0f}%" for call, share in counts.calls)
            example = ""
            if rows.size:
                hand = hand_text(held.view.hand[rows[0]])
                said = " ".join(call_text(int(c)) for c in held.view.history[rows[0]] if c >= 0)
                example = f"{hand} after {said or 'no call'}: {call_text(int(held.called[rows[0]]))}"
            out.append(
                Region(SITUATIONS[k], counts.where, counts.hands, counts.mean, calls, len(rows), int(right[rows].sum()),
                       int(differ[rows].sum()), example)
            )  # fmt: skip
    return out


def _matches(atlas: Atlas, boards: int) -> list[Match]:
    whole = ("the maps", atlas)
    forms = [(*whole, "pass"), (*whole, "system:sayc")]
    if atlas.reader != "system:sayc":
        forms.append((*whole, atlas.reader))
    six = {k: one for k, one in atlas.maps.items() if k < PUBLISHED}
    if len(six) < len(atlas.maps):
        for fallback, words in ((atlas.reader, f"six maps, else {atlas.reader}"), ("", "six maps, else pass")):
            forms.append((words, replace(atlas, maps=six, fallback=fallback), "system:sayc"))
    played, out = library_boards(boards, MATCH_SEED), []
    for name, form, other in forms:
        result = match(MapBidder(form, other), other, played, MATCH_SEED)
        out.append(Match(name, other, result.mean_imps, result.standard_error, len(result.boards), result.seed))
    return out
