"""List every call of some auctions, one a row, with its hand and the auction before it, counted from the opening on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided
from agents.networks.meaning import auction_keys
from agents.networks.network import Network
from agents.networks.tables import all_by
from agents.systems.bidder import deal_features
from agents.systems.language.paths import readings
from agents.systems.language.tree import Step
from bridge_env.hands.deals import hand_text
from bridge_env.rng.streams import key as hashed
from bridge_env.rules.calls import PASS
from training.book.deals import hand_columns, random_boards
from training.evaluation.artificial_calls import artificial_mask

_BATCH = 8_192  # deals that a network bids at a time
_LONGEST = 40  # calls of a network's auction that are listed; longer ones hardly occur


@dataclass(frozen=True)
class CallTable:
    """Every call of some auctions: the first two by board, the others by call."""

    owner: NDArray[np.uint8]
    opened: NDArray[np.int8]  # (boards, L), the calls from the opening on, padded with -1
    board: NDArray[np.int64]
    seat: NDArray[np.int8]
    number: NDArray[np.int8]  # calls before it, from the opening on
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
        owner, opened, board, seat.astype(np.int8), number.astype(np.int8), before,
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


# --- calls of a network ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NetworkCalls(CallTable):
    """Every call of deals that a network bids in all four seats."""

    key: NDArray[np.uint64]  # a hash of the auction with the call
    artificial: NDArray[np.bool_]
    answer: NDArray[np.int8]  # partner's next call, if the player between passes; else -1


def calls_by(
    network: Network | SystemGuided, seed: int, deals: int, tick: Callable[[int], None] = lambda deals: None
) -> NetworkCalls:
    """Return all calls of ``deals`` random deals; ``tick`` is called with their number after every batch."""
    parts = []
    for start in range(0, deals, _BATCH):
        parts.append(_bid(network, seed, start, min(_BATCH, deals - start)))
        tick(len(parts[-1].owner))
    return NetworkCalls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(NetworkCalls)))


def _bid(network: Network | SystemGuided, seed: int, start: int, count: int) -> NetworkCalls:
    owner, dealer, vulnerability = random_boards(seed, start, count)
    auctions = all_by(network, owner, dealer, vulnerability)
    history = np.full((count, _LONGEST), -1, np.int8)
    width = min(_LONGEST, auctions.history.shape[1])
    history[:, :width] = auctions.history[:, :width]
    table = call_table(history, dealer, owner)
    listed = history >= PASS
    return NetworkCalls(
        **{**vars(table), "board": table.board + start},
        key=hashed(table.before, table.call.astype(np.int64)),
        artificial=artificial_mask(history, dealer, owner)[listed],
        answer=_answers(history)[listed],
    )


def _answers(history: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return partner's next call after each call of auctions int8 (N, L), if the player between passes; else -1."""
    out = np.full(history.shape, -1, np.int8)
    out[:, :-2] = np.where(history[:, 1:-1] == PASS, history[:, 2:], -1)
    return out
