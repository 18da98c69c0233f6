"""Translate calls to abstract actions (their purpose), so that they carry over to other auctions.

An action is a suit's part (partner's suit, my longest, my second, theirs, no trump, or the very strain) and a height
(the cheapest, one or two levels more, game, slam); passes and doubles are actions themselves. Rules turn it into a call
of another auction: the strain that plays that part there, at that height; -1 if there is none or it is not legal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.auction_state import SUIT
from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import FIRST_BID

SUPPORT, LONGEST, SECOND, THEIRS, NOTRUMP, STRAIN = range(6)
CHEAPEST, GAME, SLAM = 0, 3, 4  # 1 and 2: that many levels above the cheapest
_NO_TRUMP = 4
_GAME_LEVEL = np.array([5, 5, 4, 4, 3])
_SHOWN = 4  # cards that make a suit partner's or theirs

Action = NDArray[np.int64]  # (N, 3): a call below the bids or -1, the part (STRAIN + strain from 5 on), the height


def action_of(view: BidView, shown: NDArray[np.int16], call: NDArray[np.int8]) -> Action:
    """Return the actions of calls in the states where they were made."""
    bid = call.astype(np.int64) - FIRST_BID
    strain, level = bid % 5, bid // 5 + 1
    parts = _parts(view, shown)
    part = STRAIN + strain
    for number in (THEIRS, SECOND, LONGEST, SUPPORT, NOTRUMP):  # the last that fits counts
        part = np.where(parts[:, number] == strain, number, part)
    over = level - _cheapest(view, strain)
    height = np.where(over <= 0, CHEAPEST, np.minimum(over, 2))
    height = np.where((level == _GAME_LEVEL[strain]) & (over > 0), GAME, height)
    height = np.where(level >= 6, SLAM + np.minimum(level - 6, 1), height)
    return np.stack([np.where(bid < 0, call, -1), part, height], axis=1)


def call_of(action: Action, view: BidView, shown: NDArray[np.int16]) -> NDArray[np.int8]:
    """Return the calls that carry out actions in other states; -1 for none."""
    rows = np.arange(len(view))
    other, part, height = action.T
    parts = _parts(view, shown)
    strain = np.where(part >= STRAIN, part - STRAIN, parts[rows, np.minimum(part, NOTRUMP)])
    held = np.maximum(strain, 0)
    cheapest = _cheapest(view, held)
    level = np.where(height < GAME, cheapest + height, np.where(height == GAME, _GAME_LEVEL[held], height + 2))
    possible = (strain >= 0) & (level >= cheapest) & (level <= 7)
    call = np.where(other >= 0, other, np.where(possible, FIRST_BID + 5 * (level - 1) + held, -1))
    legal = view.mask[rows, np.maximum(call, 0)]
    return np.where((call >= 0) & legal, call, -1).astype(np.int8)


def _cheapest(view: BidView, strain: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lowest level at which a strain can be bid; 8 if at none."""
    bids = view.mask[:, FIRST_BID:].reshape(-1, 7, 5)[np.arange(len(view)), :, strain]
    return np.where(bids.any(axis=1), bids.argmax(axis=1) + 1, 8)


def _parts(view: BidView, shown: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the strain of each part but the last, int64 (N, 5); -1 where no suit plays it."""
    rows, seat = np.arange(len(view)), view.seat.astype(np.int64)
    lengths = view.hand.reshape(-1, 4, 13).sum(axis=2)
    least = shown[:, :, SUIT : SUIT + 4, 0].astype(np.int64)
    rank = lengths * 4 + np.arange(4)  # of two as long, the higher
    order = rank.argsort(axis=1)
    partner = least[rows, seat ^ 2] * 4 + np.arange(4)
    theirs = np.maximum(least[rows, (seat + 1) % 4], least[rows, (seat + 3) % 4]) * 4 + np.arange(4)
    out = np.full((len(view), 5), _NO_TRUMP, np.int64)
    out[:, SUPPORT] = np.where(partner.max(axis=1) >= 4 * _SHOWN, partner.argmax(axis=1), -1)
    out[:, LONGEST], out[:, SECOND] = order[:, 3], np.where(lengths[rows, order[:, 2]] >= 4, order[:, 2], -1)
    out[:, THEIRS] = np.where(theirs.max(axis=1) >= 4 * _SHOWN, theirs.argmax(axis=1), -1)
    return out
