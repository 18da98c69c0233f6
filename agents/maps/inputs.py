"""Choose the map of a state, and encode it as a row of integers.

The maps are the six of BridgeSOM (DeLooze and Downey 2007), and two for all other calls:

=====================  =======================================================================================
map                    the call
=====================  =======================================================================================
openings               nobody has bid yet
responses to no trump  partner opened in no trump, and I have not called since
responses to suits     the same after an opening in a suit
overcalls              they opened, and our side has only passed, however often
opener's rebids        I opened; my second call
responder's rebids     partner opened; my second call since
advances               they opened, partner has bid or doubled, and I have only passed
later calls            all others: third calls of the opening side, further calls of an overcaller
=====================  =======================================================================================

Inputs ``published``: four lengths and high-card points, as BridgeSOM had them, and what the auction adds in a few
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
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS

SITUATIONS = (
    "openings", "responses to no trump", "responses to suits", "overcalls", "opener's rebids", "responder's rebids",
    "advances", "later calls",
)  # fmt: skip
(OPENINGS, TO_NO_TRUMP, TO_SUITS, OVERCALLS, OPENERS_REBIDS, RESPONDERS_REBIDS, ADVANCES, LATER) = range(8)
PUBLISHED = 6  # the first six are those of 2007
_NO_TRUMP = 4
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


def situation(view: BidView) -> NDArray[np.int64]:
    """Return the map of each state: an index of ``SITUATIONS``, int64 (N,)."""
    n, length = len(view), view.length.astype(np.int64)
    if not view.history.shape[1]:
        return np.full(n, OPENINGS)
    bid = view.history >= FIRST_BID
    opening = bid.argmax(axis=1)
    strain = (view.history[np.arange(n), opening].astype(np.int64) - FIRST_BID) % 5
    since = length - opening  # calls since the opening, itself counted
    acted = acts(view)
    ours = since % 2 == 0
    opener = since % 4 == 0
    out = np.full(n, LATER)
    out[ours & opener & (since == 4)] = OPENERS_REBIDS
    out[ours & ~opener & (since == 6)] = RESPONDERS_REBIDS
    out[ours & ~opener & (since == 2)] = TO_SUITS
    out[ours & ~opener & (since == 2) & (strain == _NO_TRUMP)] = TO_NO_TRUMP
    out[~ours & ~acted[:, 0] & acted[:, 2]] = ADVANCES
    out[~ours & ~acted[:, 0] & ~acted[:, 2]] = OVERCALLS
    out[~bid.any(axis=1)] = OPENINGS
    return out


def acts(view: BidView) -> NDArray[np.bool_]:
    """Return the seats that have not only passed: bool (N, 4), counted from the one that calls (0 me, 2 partner)."""
    out = np.zeros((len(view), 4), np.bool_)
    for number in range(view.history.shape[1]):
        there = np.flatnonzero(view.history[:, number] > PASS)
        out[there, (number - view.length[there].astype(np.int64)) % 4] = True
    return out
