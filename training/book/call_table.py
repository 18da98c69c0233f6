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
from bridge_env.hands.features import FEATURES
from bridge_env.rng.streams import key as hashed
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, PASS
from training.book.deals import COLUMNS, hand_columns, random_boards
from training.book.situations import SUITS, situations
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


# --- calls of a network ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NetworkCalls(CallTable):
    """Every call of deals that a network bids at all four seats; calls after a late opening have auctions of their own.

    Hands have points and the cards in the suits of ``SUITS`` as well.
    """

    point: NDArray[np.uint64]  # a hash of the auction before the call
    key: NDArray[np.uint64]  # the same with the call
    situation: NDArray[np.int8]
    artificial: NDArray[np.bool_]
    answer: NDArray[np.int8]  # partner's next call, if the player between passes; else -1
    # of a bid after which the other side always passes, whether its own side came to game; else -1
    game: NDArray[np.int8]


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
    situation, suits = (each[listed] for each in situations(history, dealer))
    hands = table.hands
    hands[:, COLUMNS.index("points")] = deal_features(owner)[table.board, table.seat, FEATURES["points"]]
    for column, suit in zip(SUITS, suits.T, strict=True):
        cards = np.take_along_axis(hands, 1 + np.maximum(suit, 0)[:, None].astype(np.int64), axis=1)[:, 0]
        hands[:, COLUMNS.index(column)] = np.where(suit >= 0, cards, -1)
    point = hashed(table.before, table.late.astype(np.int64))
    columns = {**vars(table), "board": table.board + start}
    return NetworkCalls(
        **columns, point=point, key=hashed(point, table.call.astype(np.int64)), situation=situation,
        artificial=artificial_mask(history, dealer, owner)[listed], answer=_answers(history)[listed],
        game=_games(history, dealer, auctions)[listed],
    )  # fmt: skip


def _answers(history: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return partner's next call after each call of auctions int8 (N, L), if the player between passes; else -1."""
    out = np.full(history.shape, -1, np.int8)
    out[:, :-2] = np.where(history[:, 1:-1] == PASS, history[:, 2:], -1)
    return out


def _games(history: NDArray[np.int8], dealer: NDArray[np.int16], auctions: Auctions) -> NDArray[np.int8]:
    """Return whether the side of each bid came to game, if the other side always passed after it; else -1."""
    columns = np.arange(history.shape[1])
    side = (dealer[:, None] + columns) & 1
    final, _, _ = auctions.contracts()
    game = (final >= 0) & (final // 5 + 1 >= np.array([5, 5, 4, 4, 3])[np.maximum(final, 0) % 5])
    last = np.column_stack([np.where((history > PASS) & (side == s), columns, -1).max(axis=1) for s in (0, 1)])
    alone = np.take_along_axis(last, 1 - side, axis=1) < columns
    return np.where(alone & (history >= FIRST_BID), game[:, None], -1).astype(np.int8)
