"""Bid random deals with a system in all four seats, and look up the hands and lines behind its calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features
from agents.systems.engine.compiled import RULE_LINE
from bridge_env.bidders.view import BidView, views_before
from bridge_env.hands.deals import hand_text, random_deals
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rules.cards import board_dealer, board_vulnerability
from training.book.graph import Entry, Walker

#: Columns of hands: points, suits, and the suits that the call's variables stand for (-1: unknown).
COLUMNS = ("hcp", "C", "D", "H", "S", "M", "oM", "m", "om", "x", "y")
_BATCH = 20_000  # deals bid at a time
_ROWS = 50_000  # calls looked up at a time


@dataclass(frozen=True)
class Calls:
    """Calls of some auctions, one a row: the board, how many calls came before, the caller, the state."""

    board: NDArray[np.int64]
    number: NDArray[np.int64]
    seat: NDArray[np.int64]
    state: NDArray[np.int32]
    call: NDArray[np.int8]

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Calls:
        """Return some of the rows."""
        return Calls(self.board[rows], self.number[rows], self.seat[rows], self.state[rows], self.call[rows])

    def __len__(self) -> int:
        return len(self.board)


def calls_of(walker: Walker, history: NDArray[np.int8], dealer: NDArray[np.int16]) -> Calls:
    """Return all calls of auctions int8 (N, L), each in the state in which its own side finds the auction."""
    n = len(history)
    states = np.zeros((n, 2), np.int32)
    parts = []
    for number in range(history.shape[1]):
        rows = np.flatnonzero(history[:, number] >= 0)
        if not rows.size:
            break
        seat = (dealer[rows].astype(np.int64) + number) & 3
        call = history[rows, number]
        parts.append(Calls(rows, np.full(rows.size, number), seat, states[rows, seat & 1], call))
        for side in (0, 1):
            states[rows, side] = walker.step(states[rows, side], (seat & 1) != side, call)
    columns = zip(*((p.board, p.number, p.seat, p.state, p.call) for p in parts), strict=True)
    return Calls(*(np.concatenate(column) for column in columns))


def random_boards(seed: int, start: int, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.int16]]:
    """Return owner (N, 52), dealer and vulnerability (N,) of random deals ``start .. start + count - 1`` of a seed."""
    number = np.arange(start, start + count) + 1
    dealer, vulnerability = board_dealer(number), board_vulnerability(number)
    return random_deals(seed, start, count), dealer.astype(np.int16), vulnerability.astype(np.int16)


class BidDeals:
    """Deals ``start .. start + count - 1`` of a seed, bid to their end with the system in every seat."""

    def __init__(self, hierarchy: Hierarchy, walker: Walker, seed: int, start: int, count: int) -> None:
        self.bidder = HierarchyBidder(hierarchy)
        self.owner, self.dealer, self.vulnerability = random_boards(seed, start, count)
        self.features = deal_features(self.owner)
        auctions = bid_out((hierarchy,) * 4, self.features, self.dealer, self.vulnerability)
        self.history = auctions.history[:, : int(auctions.length.max())].copy()
        self.calls = calls_of(walker, self.history, self.dealer)

    def __len__(self) -> int:
        return len(self.owner)

    def lines(self, calls: Calls) -> NDArray[np.int64]:
        """Return the number of the line that made each of ``calls``; -1 where no line of the system did."""
        parts = [calls.take(slice(start, start + _ROWS)) for start in range(0, max(len(calls), 1), _ROWS)]
        rules = np.concatenate([self._rules(part) for part in parts])
        numbers: NDArray[np.int64] = self.bidder.own.compiled.rules[:, RULE_LINE].astype(np.int64)
        return np.where(rules >= 0, np.maximum(numbers[rules], -1), -1)  # rules of last resort are no lines

    def _rules(self, calls: Calls) -> NDArray[np.int32]:
        chosen, rules, _ = self.bidder.decide(self.view(calls))
        assert np.array_equal(chosen, calls.call), "the bidder and the auction disagree"
        return rules

    def view(self, calls: Calls) -> BidView:
        """Return the views in which ``calls`` were made."""
        history = self.history[:, : max(1, int(calls.number.max(initial=0)))]
        board = calls.board
        return views_before(
            self.owner[board], history[board], calls.number, self.dealer[board], self.vulnerability[board]
        )

    def hands(self, calls: Calls, walker: Walker, entry: Entry) -> NDArray[np.int8]:
        """Return the hands behind ``calls``, all made by ``entry``: int8 (N, len(COLUMNS))."""
        out = hand_columns(self.features[calls.board, calls.seat])
        pairs = calls.state.astype(np.int64) * 64 + calls.call
        for pair in np.unique(pairs):
            rows = np.flatnonzero(pairs == pair)
            for name, suit in walker.bindings(entry, int(pair) >> 6, int(pair) & 63):
                out[rows, COLUMNS.index(name)] = out[rows, 1 + suit]
        return out

    def hand(self, calls: Calls, row: int) -> str:
        """Return the hand behind one of ``calls`` as text, spades first."""
        return hand_text(self.owner[calls.board[row]] == calls.seat[row])


def hand_columns(features: NDArray[np.int16]) -> NDArray[np.int8]:
    """Return points and suits of hands int16 (N, NUM_FEATURES) as int8 (N, len(COLUMNS)), the rest unknown."""
    out = np.full((len(features), len(COLUMNS)), -1, np.int8)
    out[:, :5] = features[:, HCP_AND_LENGTHS]
    return out


def bid_batches(hierarchy: Hierarchy, walker: Walker, seed: int, end: int, start: int = 0) -> Iterator[BidDeals]:
    """Yield deals ``start .. end - 1`` of a seed, bid in batches."""
    for at in range(start, end, _BATCH):
        yield BidDeals(hierarchy, walker, seed, at, min(_BATCH, end - at))
