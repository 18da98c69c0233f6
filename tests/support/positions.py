"""Positions of auctions to ask bidders about."""

import numpy as np

from bridge_env.hands.deals import random_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE, parse_call


def calls(text: str) -> tuple[int, ...]:
    """``"1C P 2H"`` as calls."""
    return tuple(parse_call(word) for word in text.split())


def positions(count, seed):
    """Views of ``count`` random deals after random legal calls: wild auctions, all seats, no finished rows."""
    rng = np.random.default_rng(seed)
    owner = random_deals(seed, 0, count)
    auctions = Auctions(rng.integers(4, size=count), rng.integers(4, size=count))
    length = np.minimum(rng.geometric(0.08, count) - 1, 60)
    for number in range(int(length.max())):
        rows = np.flatnonzero(length > number)
        mask = auctions.take(rows).legal()
        weight = rng.random(mask.shape) * mask
        weight[:, PASS] += rng.random(len(rows)) * 0.7
        weight[:, 3:] *= np.arange(NUM_CALLS - 3, 0, -1) ** 0.02  # lower bids a little more often
        before = auctions.take(rows)
        before.step(weight.argmax(axis=1))
        rows = rows[~before.done]  # a call that would end the auction is not made
        auctions.state[rows], auctions.history[rows] = before.state[~before.done], before.history[~before.done]
    assert not auctions.done.any()
    return auctions, owner, streams.key("test", seed, np.arange(count))


def longest_auction() -> list[int]:
    """Build the longest legal auction: three passes, then every bid doubled and redoubled late; 319 calls."""
    calls = [PASS] * 3
    for bid in range(NUM_BIDS):
        calls += [FIRST_BID + bid, PASS, PASS, DOUBLE, PASS, PASS, REDOUBLE, PASS, PASS]
    return [*calls, PASS]
