"""Evolution of partnerships, as pure functions: proposals, evaluation, the choice of what to keep.

A partnership is a pair of systems, one a player. In a generation every partnership of the population makes
several proposals: one partner moves a threshold (an inclination of its own), takes a sub-hierarchy from its
partner, or takes one from a player of another partnership. A proposal is kept only if the pair does better
with it against the control pair: first on the generation's boards, then, where it led there, on fresh ones.

Nothing here knows of Ray: ``training.selfplay`` hands out the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy, bid_out, deal_features
from agents.hierarchy.mutation import Chance, subtree_from, threshold_move, with_constraint
from agents.hierarchy.tree import System
from bridge_env.scoring import imps, score
from training.boards import Boards, library_boards


@dataclass(frozen=True)
class Partnership:
    """Two systems that play together: the first sits N or E, the second S or W."""

    first: System
    second: System

    def player(self, which: int) -> System:
        return self.second if which else self.first

    def with_player(self, which: int, system: System) -> Partnership:
        return Partnership(self.first, system) if which else Partnership(system, self.second)


@dataclass(frozen=True)
class Proposal:
    """A changed partnership, and what the change was."""

    partnership: Partnership
    what: str


@dataclass(frozen=True)
class Verdict:
    """IMPs a board by which one partnership did better than another on the same boards."""

    gain: float
    error: float

    def better_by(self, errors: float) -> bool:
        """Is the gain positive and above so many standard errors?"""
        return self.gain > 0 and self.gain > errors * self.error


def propose(population: Sequence[Partnership], index: int, chance: Chance, usage: Mapping[int, int]) -> Proposal:
    """A change to partnership ``index``: an inclination, a swap between partners, or one between partnerships."""
    pair, which, kind = population[index], chance.below(2), chance.below(4)
    system, who = pair.player(which), ("first player", "second player")[which]
    taken = None
    if kind == 0:
        taken, source = subtree_from(system, pair.player(1 - which), chance), "partner"
    elif kind == 1 and len(population) > 1:
        other = (index + 1 + chance.below(len(population) - 1)) % len(population)
        taken, source = subtree_from(system, population[other].player(chance.below(2)), chance), f"partnership {other}"
    if taken is not None:
        return Proposal(pair.with_player(which, taken[0]), f"{who} {taken[1]} from {source}")
    return _inclination(pair, which, chance, usage)


def _inclination(pair: Partnership, which: int, chance: Chance, usage: Mapping[int, int]) -> Proposal:
    """One or two thresholds moved, by one player alone or by both at once."""
    both, said = chance.below(2), []
    for _ in range(1 + chance.below(2)):
        move = threshold_move(pair.player(which), chance, usage)
        if move is None:
            break
        address, constraint, step = move
        said.append(step)
        for player in (which, 1 - which) if both else (which,):
            pair = pair.with_player(player, with_constraint(pair.player(player), address, constraint))
    who = "both players" if both else ("first player", "second player")[which]
    return Proposal(pair, f"{who} {'; '.join(said) or 'find nothing to move'}")


# --- evaluation --------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _hierarchy(system: System) -> Hierarchy:
    return Hierarchy(system)


@lru_cache(maxsize=4)
def _boards(seed: int, split: str, start: int, count: int) -> tuple[Boards, NDArray[np.int16]]:
    boards = library_boards(count, seed, split, start=start)
    return boards, deal_features(boards.owner)


def imps_against(
    pair: Partnership, control: Partnership, seed: int, split: str, start: int, count: int
) -> NDArray[np.int8]:
    """IMPs a board of ``pair`` against ``control`` in duplicate: int8 (count,).

    A pure function of its arguments: boards ``start .. start + count - 1`` of (seed, split).
    """
    boards, features = _boards(seed, split, start, count)
    n, s, e, w = (_hierarchy(x) for x in (pair.first, pair.second, control.first, control.second))
    points = []
    for seats in ((n, e, s, w), (e, n, w, s)):
        contracts = bid_out(seats, features, boards.dealer, boards.vulnerability).contracts()
        tricks = boards.tricks_for(contracts.declarer, contracts.bid % 5)
        points.append(score(contracts.bid, contracts.doubling, contracts.declarer, boards.vulnerability, tricks))
    result: NDArray[np.int8] = imps(points[0].astype(np.int64) - points[1]).astype(np.int8)
    return result


def compare(candidate: NDArray[np.int8], incumbent: NDArray[np.int8]) -> Verdict:
    """The candidate's gain over the incumbent, board by board."""
    difference = candidate.astype(np.int64) - incumbent
    n = len(difference)
    if n < 2:
        return Verdict(float(difference.sum()), float("inf"))
    return Verdict(int(difference.sum()) / n, float(difference.std(ddof=1)) / n**0.5)
