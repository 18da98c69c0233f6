"""Encode a state for a map, as a row of integers.

``published``: the four lengths and the high-card points, as BridgeSOM had them, and what the auction adds in a few
columns. ``learned``: all that case bases see (``agents.cases.features``), to be brought down by a learned metric.
Nothing depends on the seat: seats are counted from the one that calls (0 me, 1 left, 2 partner, 3 right).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cases import features as cases
from agents.systems.engine.auction_state import STRENGTH, SUIT
from agents.systems.language.columns import TOP
from bridge_env.bidders.view import BidView
from bridge_env.hands.features import FEATURES, hand_features
from bridge_env.rules.calls import DOUBLE, FIRST_BID

LAYOUT = "maps 1, " + cases.LAYOUT  # changes whenever a column does
INPUTS = ("published", "learned")
_BID = ("level", "C", "D", "H", "S", "NT")
_HAND = [*(FEATURES[f"length:{suit}"] for suit in "CDHS"), FEATURES["hcp"]]

#: Columns of the published inputs, by name.
COLUMNS = (
    "C", "D", "H", "S", "hcp",
    "passes", "vulnerable", "they vulnerable", "doubled", "ours",
    *(f"last {part}" for part in _BID), *(f"partner {part}" for part in _BID), *(f"mine {part}" for part in _BID),
    "partner doubled",
    "partner least", "partner most", *(f"partner shows {suit}" for suit in "CDHS"),
    "mine least", *(f"shown {suit}" for suit in "CDHS"), *(f"they show {suit}" for suit in "CDHS"),
)  # fmt: skip
HAND_COLUMNS = 5
WIDTH = {"published": len(COLUMNS), "learned": cases.SIZE}

Int16Array = NDArray[np.int16]


def rows_of(view: BidView, shown: Int16Array, inputs: str) -> Int16Array:
    """Return rows int16 (N, WIDTH[inputs]).

    Args:
        shown: int16 (N, 4, QUANTITIES, 2), what each seat has shown: ``HierarchyBidder.meaning``.
        inputs: one of ``INPUTS``.
    """
    if inputs == "published":
        return _published(view, shown)
    return cases.describe(view, shown, np.full(len(view), -1, np.int8))


def hands_of(view: BidView) -> Int16Array:
    """Return lengths C D H S and high-card points, int16 (N, 5)."""
    return hand_features(view.hand)[:, _HAND]


def _published(view: BidView, shown: Int16Array) -> Int16Array:
    n, rows = len(view), np.arange(len(view))
    last = _last_calls(view)
    us = view.seat & 1
    highest = last[:, :, 0].max(axis=1, initial=-1)  # bids rise, so the last bid is the highest
    bidder = last[:, :, 0].argmax(axis=1)
    order = (view.seat.astype(np.int64)[:, None] + np.arange(4)) % 4
    ranges = np.clip(shown[rows[:, None], order], 0, TOP[:, None]).astype(np.int64)
    least = ranges[:, :, SUIT : SUIT + 4, 0]
    doubled = (view.mask[:, 2] | ((highest >= 0) & ~view.mask[:, 1] & (bidder % 2 == 1))).astype(np.int64)
    auction = np.stack(
        [np.minimum(view.length, 3), (view.vulnerability >> us) & 1, (view.vulnerability >> (1 - us)) & 1, doubled,
         (highest >= 0) & (bidder % 2 == 0)], axis=1,
    )  # fmt: skip
    return np.concatenate(
        [hands_of(view), auction, _bid(highest), _bid(last[:, 2, 0]), _bid(last[:, 0, 0]),
         last[:, 2, 1:] == DOUBLE, ranges[:, 2, STRENGTH], least[:, 2], ranges[:, 0, STRENGTH, :1], least[:, 0],
         np.maximum(least[:, 1], least[:, 3])], axis=1,
    ).astype(np.int16).reshape(n, len(COLUMNS))  # fmt: skip


def _last_calls(view: BidView) -> NDArray[np.int64]:
    """Return the last bid of each seat (0..34), and its last call: int64 (N, 4, 2); -1 for none."""
    out = np.full((len(view), 4, 2), -1, np.int64)
    for number in range(view.history.shape[1]):
        call = view.history[:, number].astype(np.int64)
        seat = (number - view.length.astype(np.int64)) % 4
        bids, there = np.flatnonzero(call >= FIRST_BID), np.flatnonzero(call >= 0)
        out[bids, seat[bids], 0] = call[bids] - FIRST_BID
        out[there, seat[there], 1] = call[there]
    return out


def _bid(bid: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the level and a mark for the strain: int64 (N, 6); zeros for -1."""
    strain = (bid % 5)[:, None] == np.arange(5)
    return np.where((bid >= 0)[:, None], np.concatenate([(bid // 5 + 1)[:, None], strain], axis=1), 0)
