"""Split the result of a match by the first call at which the two tables of a board differ.

Up to there both tables went alike; there the same hand had to call after the same auction, ours at one table and
theirs at the other. So the IMPs of the board are put down to that decision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bridge_env.display.text import shown_call
from bridge_env.rules.calls import PASS, as_wide, first_calls
from training.evaluation.boards import standard_error
from training.evaluation.duplicate import MatchResult
from training.evaluation.situations import KINDS, kinds_of

ALIKE = len(KINDS)
"""The class of boards that both tables bid alike."""
NAMES = (*KINDS, "both tables bid alike")
_MOST = 12  # pairs of calls in the table


@dataclass(frozen=True)
class Share:
    """The result of a kind of decision, in IMPs a board of the whole match."""

    what: str
    mean: float
    error: float
    boards: int  # on which it decided
    won: float  # what A gained on some of these boards, 0 or more
    lost: float  # what it lost on others, 0 or more
    examples: tuple[int, ...] = ()  # numbers of boards to look at


@dataclass(frozen=True, eq=False)
class Differences:
    """The boards of a match whose tables differ."""

    match: MatchResult
    board: NDArray[np.int64]  # (N,), position in the match
    kind: NDArray[np.int8]  # (N,), of ``training.evaluation.situations``
    ours: NDArray[np.int8]  # (N,), our call
    theirs: NDArray[np.int8]  # (N,), theirs
    prefix: NDArray[np.int8]  # (N, L), the calls before, padded with -1

    @property
    def classes(self) -> NDArray[np.int64]:
        """Return the class of every board of the match, an index of ``NAMES``: int64 (boards,)."""
        out = np.full(len(self.match.boards), ALIKE, np.int64)
        out[self.board] = self.kind
        return out

    def by_kind(self) -> list[Share]:
        """Return the result of each kind of first difference, the costliest first."""
        shares = [self._share(KINDS[kind], self.kind == kind) for kind in range(len(KINDS))]
        return sorted((s for s in shares if s.boards), key=lambda s: s.mean)

    def by_calls(self) -> list[Share]:
        """Return the pairs of calls that cost most, ours beside theirs in a kind of situation, with boards to see."""
        names = np.array([
            f"{KINDS[kind]}: {shown_call(int(ours))} where they {_verb(int(theirs))}"
            for kind, ours, theirs in zip(self.kind, self.ours, self.theirs, strict=True)
        ])  # fmt: skip
        shares = []
        for name in np.unique(names):
            rows = np.flatnonzero(names == name)
            worst = self.board[rows[np.argsort(self.match.imps[self.board[rows]], kind="stable")[:3]]]
            examples = tuple(self.match.boards.number[worst].tolist())
            shares.append(replace(self._share(str(name), rows), examples=examples))
        return sorted(shares, key=lambda s: s.mean)[:_MOST]

    def _share(self, what: str, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Share:
        boards = self.board[rows]
        values = np.zeros(len(self.match.boards))
        values[boards] = self.match.imps[boards]
        won, lost = (float(side[side > 0].sum()) / len(values) for side in (values, -values))
        error = standard_error(values, self.match.boards.base)
        return Share(what, float(values.mean()), error, len(boards), won, lost)


def differences(match: MatchResult) -> Differences:
    """Return the boards of a match whose tables differ, and how."""
    both = [table.history for table in match.tables]
    a, b = as_wide(both, max(h.shape[1] for h in both) + 1)  # so that an auction that ends earlier differs too
    board = np.flatnonzero((a != b).any(axis=1))
    at = (a[board] != b[board]).argmax(axis=1)
    one, other = a[board, at], b[board, at]
    ns = (match.boards.dealer[board] + at) % 2 == 0  # then ours sits there at the first table
    prefix = first_calls(a[board], at)
    return Differences(match, board, kinds_of(prefix, at), np.where(ns, one, other), np.where(ns, other, one), prefix)


def _verb(call: int) -> str:
    return "pass" if call == PASS else "double" if call == 1 else "redouble" if call == 2 else f"bid {shown_call(call)}"
