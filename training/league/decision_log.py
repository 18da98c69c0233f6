"""Record the calls of a learner while auctions are bid, and hold the auctions of a rollout with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS


class Decisions(NamedTuple):
    """Hold N calls of a learner."""

    row: NDArray[np.int64]  # (N,), of the auctions
    length: NDArray[np.int64]  # (N,), calls before
    call: NDArray[np.int8]  # (N,)
    chances: NDArray[np.float32]  # (N, 38), of all calls
    guidance: NDArray[np.float32]  # (N, 38), what its book added to its outputs; (0, 38) without a book

    @property
    def chance(self) -> NDArray[np.float32]:
        """Return the chances of the calls that were made, float32 (N,)."""
        return self.chances[np.arange(len(self.call)), self.call]

    def take(self, rows: NDArray[np.int64]) -> Decisions:
        """Return some of the decisions."""
        arrays: list[Any] = [array[rows] if len(array) else array for array in self]
        return Decisions(*arrays)


class DecisionLog:
    """Record decisions in ``auctions``, those of ``side``, int64 (R,), or all; ``note`` is an argument of
    ``tables.play_on``.
    """

    def __init__(self, auctions: Auctions, side: NDArray[np.int64] | None = None) -> None:
        self._auctions, self._side = auctions, side
        none = np.empty((0, NUM_CALLS), np.float32)
        self._parts = [Decisions(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int8), none, none)]
        self.entropy = 0.0  # the sum over all decisions, in nats

    def note(
        self, rows: NDArray[np.int64], chances: NDArray[np.float32], calls: NDArray[np.int8],
        guidance: NDArray[np.float32] | None,
    ) -> None:  # fmt: skip
        """Record calls that are about to be made."""
        guidance = chances[:0] if guidance is None else guidance
        part = Decisions(rows, self._auctions.length[rows].astype(np.int64), calls, chances, guidance)
        if self._side is not None:
            own = np.flatnonzero(self._auctions.turn[rows] & 1 == self._side[rows])
            part = part.take(own)
        self._parts.append(part)
        self.entropy += float(-(part.chances * np.log(np.maximum(part.chances, 1e-9))).sum())

    def decisions(self) -> Decisions:
        """Return all decisions, in the order of their rounds."""
        return Decisions(*(np.concatenate(arrays) for arrays in zip(*self._parts, strict=True)))


@dataclass(frozen=True, eq=False)
class GreedyAuctions:
    """Hold R auctions of everybody's likeliest calls, with the learner's first decisions in each."""

    auctions: Auctions
    decisions: Decisions
    index: NDArray[np.int32]  # (R, L), the number of the decision behind each of the first L calls; -1 for others

    @classmethod
    def of(cls, auctions: Auctions, decisions: Decisions, longest: int) -> GreedyAuctions:
        """Return the auctions with the decisions of their first ``longest`` calls."""
        decisions = decisions.take(np.flatnonzero(decisions.length < longest))
        index = np.full((len(auctions), longest), -1, np.int32)
        index[decisions.row, decisions.length] = np.arange(len(decisions.row))
        return cls(auctions, decisions, index)


@dataclass(frozen=True, eq=False)
class SampledAuctions:
    """Hold D auctions that leave the greedy one of their board."""

    auctions: Auctions
    board: NDArray[np.int64]  # (D,)
    side: NDArray[np.int64]  # (D,), which draws its calls
    left: NDArray[np.int64]  # (D,), calls before it leaves the greedy auction
    decisions: Decisions  # of that side after it has left
    entropy: float  # the sum over these decisions, in nats
