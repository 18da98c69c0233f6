"""Examples: states with the calls that a system or a record makes in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.calls import as_wide, call_indices, first_calls
from bridge_env.protocols import Bidder
from bridge_env.view import BidView, view_of
from training.cases.fit import training_rows
from training.cases.states import read_states
from training.match.boards import Boards
from training.match.duplicate import bid_out

_BOARDS = 4096  # bid at a time


@dataclass(frozen=True)
class Examples:
    """N calls."""

    view: BidView  # what the seats knew
    called: NDArray[np.int8]  # (N,), what they called, or what the teacher would have called
    board: NDArray[np.int64]  # (N,), which board it is

    def __len__(self) -> int:
        return len(self.called)

    def take(self, rows: NDArray[Any]) -> Examples:
        return Examples(self.view.take(rows), self.called[rows], self.board[rows])


def recorded(paths: Sequence[str | Path]) -> tuple[Examples, Examples, tuple[str, ...]]:
    """The calls of PBN files: those of training deals, those of judging deals, and boards that could not be read."""
    states = read_states(paths)
    training = training_rows(states)
    both = Examples(states.view, states.called, states.board)
    return both.take(training), both.take(~training), states.problems


def bid_by(
    teacher: str, first: str | Bidder, second: str | Bidder, boards: Boards, seed: int,
    progress: Callable[[int], object] = lambda boards: None,
) -> Examples:  # fmt: skip
    """Every call of a duplicate match of two bidders, as the teacher would make it.

    Calls of seats that hold the teacher are the teacher's; the others' seats are asked as if it sat there.
    """
    one: Any = make(teacher)
    a, b = make(first, opponents=_spec(second)), make(second, opponents=_spec(first))
    parts = []
    for start in range(0, len(boards), _BOARDS):
        some = boards.take(slice(start, start + _BOARDS))
        auctions = bid_out(a, b, some, seed)
        if first == second:  # both tables are the same
            auctions = auctions.take(np.arange(len(some)))
        view, board = positions(auctions, np.tile(some.owner, (2, 1))[: len(auctions)])
        parts.append(Examples(view, one.call(view), board % len(some) + start))
        progress(len(some))
    return joined(parts)


def _spec(bidder: str | Bidder) -> str | None:
    return bidder if isinstance(bidder, str) else None


def positions(auctions: Auctions, owner: NDArray[np.uint8]) -> tuple[BidView, NDArray[np.int64]]:
    """Every state of finished auctions, and the row that it is of."""
    count = auctions.length.astype(np.int64)
    row, number = call_indices(count)
    longest = int(count.max(initial=1))
    history = first_calls(auctions.history[row, :longest], number)
    before = Auctions.replay(history, auctions.dealer[row], auctions.vulnerability[row])
    return view_of(before, owner[row]), row


def joined(parts: Sequence[Examples]) -> Examples:
    """Several sets as one; boards keep their numbers."""
    history = as_wide([part.view.history for part in parts])
    rest = [np.concatenate([getattr(part.view, name) for part in parts])
            for name in ("hand", "length", "dealer", "vulnerability", "seat", "mask")]  # fmt: skip
    view = BidView(rest[0], np.concatenate(history), *rest[1:])
    return Examples(view, np.concatenate([p.called for p in parts]), np.concatenate([p.board for p in parts]))


def drawn(count: int, most: int, key: int) -> NDArray[np.int64]:
    """``most`` of the numbers 0 .. count - 1 by chance, ascending; all of them if there are no more."""
    order = np.argsort(streams.key("maps", "sample", key, np.arange(count)), kind="stable")
    return np.sort(order[:most])
