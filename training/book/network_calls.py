"""Bid deals with a network at all four seats, and record every call with its hand, auction and partner's answer.

Auctions are counted from the opening on; openings in third and fourth seat, and the calls after them, count apart,
because partner has passed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided
from agents.networks.network import Network
from agents.networks.tables import all_by
from agents.systems.bidder import deal_features
from agents.systems.language.tree import Step
from bridge_env.hands.deals import hand_text, random_deals
from bridge_env.hands.features import FEATURES
from bridge_env.rng.streams import key as hashed
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, PASS
from bridge_env.rules.cards import board_dealer, board_vulnerability
from training.book.auctions import since_opening, steps_of
from training.book.deals import COLUMNS, hand_columns
from training.book.situations import SUITS, situations
from training.evaluation.artificial_calls import artificial_mask

_BATCH = 8_192  # deals bid at a time
_LONGEST = 40  # calls of an auction that are recorded; longer ones hardly occur


@dataclass(frozen=True)
class NetworkCalls:
    """Every call of some deals, one a row."""

    point: NDArray[np.uint64]  # a hash of what came before the call
    key: NDArray[np.uint64]  # the same with the call
    seen: NDArray[np.int8]  # its situation
    call: NDArray[np.int8]
    late: NDArray[np.bool_]
    board: NDArray[np.int32]
    seat: NDArray[np.int8]
    number: NDArray[np.int8]  # calls before it, from the opening on
    hands: NDArray[np.int8]  # of the caller, int8 (n, len(COLUMNS))
    code_word: NDArray[np.bool_]
    answer: NDArray[np.int8]  # partner's next call, if the player between passes; else -1
    # of a bid after which the other side always passes, whether its own side came to game; else -1
    game: NDArray[np.int8]
    opened: NDArray[np.int8]  # (n, L), by row of ``board``, the calls from the opening on
    owner: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.key)

    def hand(self, row: int) -> str:
        """Return the hand behind a call as text, spades first."""
        return hand_text(self.owner[self.board[row]] == self.seat[row])

    def path(self, row: int) -> tuple[Step, ...]:
        """Return the steps before a call, from the opening on, as its caller sees them."""
        return steps_of(tuple(self.opened[self.board[row], : self.number[row]].tolist()))


def calls_by(
    network: Network | SystemGuided, seed: int, deals: int, tick: Callable[[int], None] = lambda deals: None
) -> NetworkCalls:  # fmt: skip
    """Return all calls of ``deals`` random deals; ``tick`` is called with their number after every batch."""
    parts = []
    for start in range(0, deals, _BATCH):
        parts.append(_bid(network, seed, start, min(_BATCH, deals - start)))
        tick(len(parts[-1].owner))
    return NetworkCalls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(NetworkCalls)))


def _bid(network: Network | SystemGuided, seed: int, start: int, count: int) -> NetworkCalls:
    number = np.arange(start, start + count) + 1
    owner = random_deals(seed, start, count)
    dealer, vulnerability = board_dealer(number).astype(np.int16), board_vulnerability(number).astype(np.int16)
    auctions = all_by(network, owner, dealer, vulnerability)
    history = np.full((count, _LONGEST), -1, np.int8)
    width = min(_LONGEST, auctions.history.shape[1])
    history[:, :width] = auctions.history[:, :width]
    row, at = np.nonzero(history >= PASS)
    opened, after, before = since_opening(history, row, at)
    late = at - after >= 2
    point = hashed(before, late.astype(np.int64))
    call = history[row, at]
    seat = (dealer[row].astype(np.int64) + at) & 3
    seen, suits = (each[row, at] for each in situations(history, dealer))
    features = deal_features(owner)[row, seat]
    hands = hand_columns(features)
    hands[:, COLUMNS.index("points")] = features[:, FEATURES["points"]]
    for column, suit in zip(SUITS, suits.T, strict=True):
        cards = np.take_along_axis(hands, 1 + np.maximum(suit, 0)[:, None].astype(np.int64), axis=1)[:, 0]
        hands[:, COLUMNS.index(column)] = np.where(suit >= 0, cards, -1)
    return NetworkCalls(
        point, hashed(point, call.astype(np.int64)), seen, call, late,
        (row + start).astype(np.int32), seat.astype(np.int8), after.astype(np.int8), hands,
        artificial_mask(history, dealer, owner)[row, at],
        _answers(history)[row, at], _games(history, dealer, auctions)[row, at], opened, owner,
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
