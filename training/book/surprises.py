"""Find what would surprise a player of another system: frequent calls whose hands differ most from those of its own.

The same auction is looked up in both systems. The distance of two calls is measured on the hands that make them: the
sum of the differences of points and suits. Calls after an auction with a call that is listed already are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
from agents.systems.explain import player_terms
from agents.systems.language.paths import step_of
from agents.systems.language.tree import System
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rng.streams import key as hashed
from training.book.auctions import group_rows, since_opening, steps_of
from training.book.deals import BidDeals, hand_columns
from training.book.graph import AuctionGraph, Walker
from training.book.measure import Figures
from training.book.shows import shown
from training.book.survey import SystemSurvey

FEWEST = 40  # hands behind a call that is compared
_RARE = 1 / 2_000  # a call that fewer deals have surprises nobody
_HANDS = 8_000  # surveyed where the other system makes the call too seldom
_FEWEST_SURVEYED = 20
_LEAST = 0.75  # calls nearer to each other are alike
_FORCE = 2.0  # distance of a call that forces from one that does not
_UNKNOWN = 6.0  # distance from a system that does not have the call
_FORCES = ("not forcing", "forcing")
_QUANTILES = np.linspace(0.05, 0.95, 19)
_WEIGHTS = np.array([0.5, 1.0, 1.0, 1.0, 1.0])  # a point of strength counts half a card


@dataclass(frozen=True)
class CallGroup:
    """All times that one call was made after one auction."""

    before: tuple[int, ...]  # the calls from the opening on; empty to open
    call: int  # that followed
    rows: NDArray[np.int64]  # of ``CallTable``

    @property
    def auction(self) -> str:
        """Return the auction with the call as its player sees it: ``1!h - (2!c) - X``."""
        return player_terms.path((*steps_of(self.before), step_of(self.call)))


class CallTable:
    """Every call of some deals that a system bids in all four seats, one a row.

    Attributes:
        deals: the deals, and ``deals.calls`` the calls.
        key: a hash of each call with the calls before it, from the opening on.
        hands: int8 (N, len(COLUMNS)), of the caller.
    """

    def __init__(self, hierarchy: Hierarchy, walker: Walker, seed: int, count: int) -> None:
        self.deals = BidDeals(hierarchy, walker, seed, 0, count)
        calls = self.deals.calls
        self._opened, self._number, before = since_opening(self.deals.history, calls.board, calls.number)
        self.key: NDArray[np.uint64] = hashed(before, calls.call.astype(np.int64))
        self.hands = hand_columns(self.deals.features[calls.board, calls.seat])

    def groups(self, fewest: int) -> Iterator[CallGroup]:
        """Yield the calls that were made ``fewest`` times or more, the most frequent first."""
        calls = self.deals.calls
        parts = group_rows(self.key, np.arange(len(self.key)), max(fewest, 1))
        for part in sorted(parts, key=len, reverse=True):
            row = int(part[0])
            before = self._opened[calls.board[row], : self._number[row]]
            yield CallGroup(tuple(before.tolist()), int(calls.call[row]), part)


@dataclass(frozen=True)
class Surprise:
    """A call that means something else."""

    group: CallGroup
    per_deal: float  # how often a deal has it
    distance: float  # of its hands from those of the other system
    shows: str  # what it shows here
    instead: str  # what the other system's call shows; what the hands call there where it has no such call


def surprises(ours: CallTable, base: System) -> list[Surprise]:
    """Return the calls of a system that differ from those of ``base``, the most surprising first."""
    hierarchy = Hierarchy(base)
    theirs = CallTable(hierarchy, Walker(AuctionGraph(base)), ours.deals.seed, len(ours.deals))
    known = {int(theirs.key[group.rows[0]]): group for group in theirs.groups(FEWEST)}
    survey, own = SystemSurvey(hierarchy, _HANDS), SystemSurvey(ours.deals.bidder.own, _HANDS)
    found = []
    for group in ours.groups(max(FEWEST, int(_RARE * len(ours.deals)))):
        other = known.get(int(ours.key[group.rows[0]]))
        hands = theirs.hands[other.rows] if other is not None else _surveyed_hands(survey, group)
        mine = ours.hands[group.rows]
        distance = _UNKNOWN if hands is None else hand_distance(mine, hands)
        force = (own.forces(group.before, group.call), survey.forces(group.before, group.call))
        differs = hands is not None and force[0] != force[1]
        distance += _FORCE * differs
        if distance < _LEAST:
            continue
        shows = _describe(mine)
        instead = f"no such call: {_usual_call(survey, group, mine)}" if hands is None else _describe(hands)
        if differs:
            shows, instead = (f"{text}, {_FORCES[f]}" for text, f in zip((shows, instead), force, strict=True))
        if shows != instead:  # else ranges do not show the difference
            found.append(Surprise(group, len(group.rows) / len(ours.deals), distance, shows, instead))
    found.sort(key=lambda one: -one.per_deal * one.distance)
    return list(_first_differences(found))


def hand_distance(mine: NDArray[np.int8], other: NDArray[np.int8]) -> float:
    """Return the mean distance of the quantiles of hands int8 (n, 5 or more), points and cards of C D H S."""
    a, b = (np.quantile(hands[:, :5].astype(float), _QUANTILES, axis=0) for hands in (mine, other))
    return float((np.abs(a - b).mean(axis=0) * _WEIGHTS).sum())


def _surveyed_hands(survey: SystemSurvey, group: CallGroup) -> NDArray[np.int8] | None:
    """Return the hands on which the other system makes the call; None where hardly any does."""
    hands = survey.behind(group.before, group.call)
    return hand_columns(hands.features) if len(hands) >= _FEWEST_SURVEYED else None


def _usual_call(survey: SystemSurvey, group: CallGroup, mine: NDArray[np.int8]) -> str:
    """Return what the other system calls on hands of the points and suits that make the call here."""
    low, high = np.quantile(mine[:, :5], [0.1, 0.9], axis=0)
    hands = survey.hands[:, HCP_AND_LENGTHS]
    rows = ((hands >= low) & (hands <= high)).all(axis=1)
    if rows.sum() < _FEWEST_SURVEYED:
        return "rare hands"
    calls, counts = np.unique(survey.calls(group.before)[rows], return_counts=True)
    return f"mostly {player_terms.of_call(int(calls[counts.argmax()]))}"


def _describe(hands: NDArray[np.int8]) -> str:
    figures = Figures(len(hands), len(hands), len(hands), parts=[hands])
    statement = shown(figures, lambda word, top: [(0, 37 if word == "hcp" else top)])
    return "any hand" if statement is None else str(statement)


def _first_differences(found: list[Surprise]) -> Iterator[Surprise]:
    """Yield the surprises of auctions in which no earlier call is one."""
    every = {(*one.group.before, one.group.call) for one in found}
    for one in found:
        auction = (*one.group.before, one.group.call)
        if not any(auction[:k] in every for k in range(1, len(auction))):
            yield one
