"""Split the result of a match by the first call at which the two tables of a board differ.

Up to there both tables went alike; there the same hand had to call after the same auction, ours at one table and
theirs at the other. So the IMPs of the board are put down to that decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridge_env.display.text import shown_call
from bridge_env.rules.calls import PASS, as_wide, first_calls
from training.evaluation.boards import standard_error
from training.evaluation.situations import KINDS, kinds_of
from training.runtime.pages import text_table

if TYPE_CHECKING:
    from training.evaluation.duplicate import MatchResult

_MOST = 12  # pairs of calls in the table


@dataclass(frozen=True)
class Differences:
    """Boards whose tables differ."""

    board: NDArray[np.int64]  # (N,), position in the match
    kind: NDArray[np.int8]  # (N,), of ``training.evaluation.situations``
    ours: NDArray[np.int8]  # (N,), our call
    theirs: NDArray[np.int8]  # (N,), theirs
    prefix: NDArray[np.int8]  # (N, L), the calls before, padded with -1
    imps: NDArray[np.int64]  # (N,), ours


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


def differences(match: MatchResult) -> Differences:
    """Return the boards of a match whose tables differ, and how."""
    both = [table.history for table in match.tables]
    a, b = as_wide(both, max(h.shape[1] for h in both) + 1)  # so that an auction that ends earlier differs too
    board = np.flatnonzero((a != b).any(axis=1))
    at = (a[board] != b[board]).argmax(axis=1)
    one, other = a[board, at], b[board, at]
    ns = (match.boards.dealer[board] + at) % 2 == 0  # then ours sits there at the first table
    prefix = first_calls(a[board], at)
    return Differences(
        board, kinds_of(prefix, at), np.where(ns, one, other), np.where(ns, other, one), prefix, match.imps[board]
    )


def by_kind(match: MatchResult, found: Differences) -> list[Share]:
    """Return the result of each kind of first difference, the costliest first."""
    shares = [_share(KINDS[kind], match, found, found.kind == kind) for kind in range(len(KINDS))]
    return sorted((s for s in shares if s.boards), key=lambda s: s.mean)


def by_calls(match: MatchResult, found: Differences) -> list[Share]:
    """Return the pairs of calls that cost most, ours beside theirs in a kind of situation, with boards to look at."""
    names = np.array([
        f"{KINDS[kind]}: {shown_call(int(ours))} where they {_verb(int(theirs))}"
        for kind, ours, theirs in zip(found.kind, found.ours, found.theirs, strict=True)
    ])  # fmt: skip
    shares = []
    for name in np.unique(names):
        rows = names == name
        worst = found.board[rows][np.argsort(found.imps[rows], kind="stable")][:3]
        examples = tuple(match.boards.number[worst].tolist())
        shares.append(replace(_share(str(name), match, found, rows), examples=examples))
    return sorted(shares, key=lambda s: s.mean)[:_MOST]


def _verb(call: int) -> str:
    return "pass" if call == PASS else "double" if call == 1 else "redouble" if call == 2 else f"bid {shown_call(call)}"


def _share(what: str, match: MatchResult, found: Differences, rows: NDArray[np.bool_]) -> Share:
    values = np.zeros(len(match.boards))
    values[found.board[rows]] = found.imps[rows]
    won, lost = (float(side[side > 0].sum()) / len(values) for side in (values, -values))
    return Share(what, float(values.mean()), standard_error(values, match.boards.base), int(rows.sum()), won, lost)


def table_text(opponent: str, kinds: Sequence[Share], calls: Sequence[Share]) -> str:
    """Return the result of each kind of first difference, and of the pairs of calls that cost most, as two tables."""
    heads = ["IMPs/board", "SE", "boards"]
    cells = {id(s): [s.what, f"{s.mean:+.3f}", f"{s.error:.3f}", f"{s.boards:,}"] for s in (*kinds, *calls)}
    by_call = [[*cells[id(s)], ", ".join(map(str, s.examples))] for s in calls]
    return "\n".join([
        *text_table([f"against {opponent}, by the first difference", *heads], [cells[id(s)] for s in kinds]), "",
        *text_table(["the dearest calls", *heads, "look at"], by_call),
    ])  # fmt: skip
