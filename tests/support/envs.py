"""Bidders and deals for tests of the envs."""

from __future__ import annotations

import numpy as np

from bridge_env.double_dummy.boards import boards_of
from bridge_env.envs.deals import FixedDeals
from bridge_env.hands.deals import random_deals

ID = "bridge_env:bridge_env/Bidding-v0"
QUIET = {"partner": "pass", "opponents": "pass", "control": "pass"}
# Two deals of the shipped library: East makes twelve tricks at no trump, and North nine in hearts.
SLAM = "N:K96.J53.75.QJ765 AQ7.KQT.932.K943 T54.A9762.KJ6.T2 J832.84.AQT84.A8"
PART = "N:Q63.AQJ876.9.J93 AT87.532.K842.KQ K9.T4.QJ65.A8762 J542.K9.AT73.T54"


def some_deals() -> FixedDeals:
    """Eleven deals with tricks that are made up; some say their dealer and vulnerability."""
    tricks, codes = np.arange(11 * 20).reshape(11, 4, 5) % 14, np.arange(11) % 5 - 1
    return FixedDeals(boards_of(random_deals(3, 0, 11), tricks, codes, codes))


class Unsolved:
    """Deals without tricks, which are solved at once: every declarer takes eight.

    Attributes:
        requests: the size of each request.
    """

    solved = False

    def __init__(self) -> None:
        self.requests: list[int] = []

    def draw(self, key, number):
        return boards_of(random_deals(5, 0, 50)[number % 50])

    def tricks(self, owner):
        return self._found((len(owner), 4, 5))

    def tricks_for(self, owner, declarer, strain):
        return self._found((len(owner),))

    def _found(self, shape):
        found = np.full(shape, 8, np.int8)
        self.requests.append(found.size)
        return found
