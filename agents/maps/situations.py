"""Choose the map of a state: the six maps of BridgeSOM (DeLooze and Downey 2007), and two for all other calls.

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
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import FIRST_BID, PASS

SITUATIONS = (
    "openings", "responses to no trump", "responses to suits", "overcalls", "opener's rebids", "responder's rebids",
    "advances", "later calls",
)  # fmt: skip
(OPENINGS, TO_NO_TRUMP, TO_SUITS, OVERCALLS, OPENERS_REBIDS, RESPONDERS_REBIDS, ADVANCES, LATER) = range(8)
PUBLISHED = 6  # the first six are those of 2007
_NO_TRUMP = 4


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
