"""List every call of some auctions, one a row, with its hand and the auction before it, counted from the opening on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.meaning import auction_keys
from agents.systems.bidder import deal_features
from agents.systems.language.paths import readings
from agents.systems.language.tree import Step
from bridge_env.hands.deals import hand_text
from bridge_env.rng.streams import key as hashed
from bridge_env.rules.calls import PASS
from training.book.deals import hand_columns


@dataclass(frozen=True)
class CallTable:
    """Every call of some auctions: the first two by board, the others by call."""

    owner: NDArray[np.uint8]
    opened: NDArray[np.int8]  # (boards, L), the calls from the opening on, padded with -1
    board: NDArray[np.int64]
    seat: NDArray[np.int8]
    number: NDArray[np.int8]  # calls before it, from the opening on
    late: NDArray[np.bool_]  # opened in third or fourth seat, or about to be
    before: NDArray[np.uint64]  # a hash of the calls before it, from the opening on
    call: NDArray[np.int8]
    hands: NDArray[np.int8]  # of the caller, int8 (n, len(COLUMNS))

    def __len__(self) -> int:
        return len(self.call)

    def hand(self, row: int) -> str:
        """Return the hand behind a call as text, spades first."""
        return hand_text(self.owner[self.board[row]] == self.seat[row])

    def calls_before(self, row: int) -> tuple[int, ...]:
        """Return the calls before a call, from the opening on."""
        return tuple(self.opened[self.board[row], : self.number[row]].tolist())


def call_table(history: NDArray[np.int8], dealer: NDArray[np.int16], owner: NDArray[np.uint8]) -> CallTable:
    """Return all calls of auctions int8 (N, L), padded with -1; passes before the opening have the same auction."""
    board, at = np.nonzero(history >= PASS)
    passes = np.minimum((history == PASS).cumprod(axis=1).sum(axis=1), 4)
    column = np.arange(history.shape[1]) + passes[:, None]
    opened = np.take_along_axis(history, np.minimum(column, history.shape[1] - 1), axis=1)
    opened[column >= history.shape[1]] = -1
    number = np.maximum(at - passes[board], 0)
    before = np.where(number > 0, auction_keys(opened)[board, np.maximum(number - 1, 0)], hashed("to open"))
    seat = (dealer[board].astype(np.int64) + at) & 3
    return CallTable(
        owner, opened, board, seat.astype(np.int8), number.astype(np.int8), at - number >= 2, before,
        history[board, at], hand_columns(deal_features(owner)[board, seat]),
    )  # fmt: skip


def steps_of(before: tuple[int, ...]) -> tuple[Step, ...]:
    """Return calls from the opening on as steps of the next caller; passes of the other side are left out."""
    return readings(before, 0, len(before) & 1)[0].steps


def group_rows(keys: NDArray[np.generic], rows: NDArray[np.int64], fewest: float) -> list[NDArray[np.int64]]:
    """Return rows with the same key together, in groups of at least ``fewest``."""
    order = rows[np.argsort(keys[rows], kind="stable")]
    found = np.split(order, np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1)
    return [group for group in found if len(group) >= fewest]
