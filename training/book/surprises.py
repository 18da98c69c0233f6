"""Find what would surprise a player of another system: frequent calls whose hands differ most from those of its own.

The same auction is looked up in both systems. The distance of two calls is measured on the hands that make them: the
sum of the differences of points and suits. Calls after an auction with a call that is listed already are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy, bid_out, deal_features
from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.paths import step_of
from agents.systems.language.tree import System
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rng.streams import key as hashed
from training.book.call_table import CallTable, call_table, group_rows, steps_of
from training.book.deals import hand_columns, random_boards
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
class Surprise:
    """A call that means something else."""

    calls: tuple[int, ...]  # from the opening on; the last one is the call
    per_deal: float  # how often a deal has it
    distance: float  # of its hands from those of the other system
    shows: str  # what it shows here
    instead: str  # what the other system's call shows; what the hands call there where it has no such call

    @property
    def auction(self) -> str:
        """Return the auction with the call as its player sees it: ``1!h - (2!c) - X``."""
        return player_terms.path((*steps_of(self.calls[:-1]), step_of(self.calls[-1])))

    def record(self) -> dict[str, Any]:
        """Return the row of the JSON model."""
        return {
            "auction": symbols(self.auction),
            "per_thousand": 1000 * self.per_deal,
            "shows": symbols(self.shows),
            "instead": symbols(self.instead),
        }


def surprises(hierarchy: Hierarchy, base: System, seed: int, deals: int) -> list[Surprise]:
    """Return the calls of a system that differ from those of ``base``, the most surprising first.

    Args:
        deals, seed: random deals that either system bids in all four seats.
    """
    other = Hierarchy(base)
    ours, theirs = bid_table(hierarchy, seed, deals), bid_table(other, seed, deals)
    known = {(*theirs.calls_before(rows[0]), theirs.call[rows[0]]): rows for rows in _groups(theirs, FEWEST)}
    survey, own = SystemSurvey(other, _HANDS), SystemSurvey(hierarchy, _HANDS)
    found = []
    for rows in sorted(_groups(ours, max(FEWEST, int(_RARE * deals))), key=len, reverse=True):
        before, call = ours.calls_before(rows[0]), int(ours.call[rows[0]])
        same = known.get((*before, call))
        hands = theirs.hands[same] if same is not None else _surveyed_hands(survey, before, call)
        mine = ours.hands[rows]
        distance = _UNKNOWN if hands is None else hand_distance(mine, hands)
        force = own.forces(before, call), survey.forces(before, call)
        differs = hands is not None and force[0] != force[1]
        distance += _FORCE * differs
        if distance < _LEAST:
            continue
        shows = _describe(mine)
        instead = f"no such call: {_usual_call(survey, before, mine)}" if hands is None else _describe(hands)
        if differs:
            shows, instead = (f"{text}, {_FORCES[f]}" for text, f in zip((shows, instead), force, strict=True))
        if shows != instead:  # else ranges do not show the difference
            found.append(Surprise((*before, call), len(rows) / deals, distance, shows, instead))
    found.sort(key=lambda one: -one.per_deal * one.distance)
    listed = {one.calls for one in found}
    return [one for one in found if not any(one.calls[:k] in listed for k in range(1, len(one.calls)))]


def bid_table(hierarchy: Hierarchy, seed: int, deals: int) -> CallTable:
    """Return the calls of random deals that a system bids in all four seats."""
    owner, dealer, vulnerability = random_boards(seed, 0, deals)
    auctions = bid_out((hierarchy,) * 4, deal_features(owner), dealer, vulnerability)
    return call_table(auctions.history[:, : int(auctions.length.max())], dealer, owner)


def _groups(table: CallTable, fewest: int) -> list[NDArray[np.int64]]:
    """Return the rows of each call after each auction that was made ``fewest`` times or more."""
    return group_rows(hashed(table.before, table.call.astype(np.int64)), np.arange(len(table)), fewest)


def hand_distance(mine: NDArray[np.int8], other: NDArray[np.int8]) -> float:
    """Return the mean distance of the quantiles of hands int8 (n, 5 or more), points and cards of C D H S."""
    a, b = (np.quantile(hands[:, :5].astype(float), _QUANTILES, axis=0) for hands in (mine, other))
    return float((np.abs(a - b).mean(axis=0) * _WEIGHTS).sum())


def _surveyed_hands(survey: SystemSurvey, before: tuple[int, ...], call: int) -> NDArray[np.int8] | None:
    """Return the hands on which the other system makes the call; None where hardly any does."""
    hands = survey.behind(before, call)
    return hand_columns(hands.features) if len(hands) >= _FEWEST_SURVEYED else None


def _usual_call(survey: SystemSurvey, before: tuple[int, ...], mine: NDArray[np.int8]) -> str:
    """Return what the other system calls on hands of the points and suits that make the call here."""
    low, high = np.quantile(mine[:, :5], [0.1, 0.9], axis=0)
    hands = survey.hands[:, HCP_AND_LENGTHS]
    rows = ((hands >= low) & (hands <= high)).all(axis=1)
    if rows.sum() < _FEWEST_SURVEYED:
        return "rare hands"
    calls, counts = np.unique(survey.calls(before)[rows], return_counts=True)
    return f"mostly {player_terms.of_call(int(calls[counts.argmax()]))}"


def _describe(hands: NDArray[np.int8]) -> str:
    statement = shown(Figures(len(hands), parts=[hands]))
    return "any hand" if statement is None else str(statement)
