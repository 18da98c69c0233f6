"""Ask a network what it does on many hands after an auction, as ``asking`` asks a system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import deal_features
from agents.networks.bidder import outputs_of
from agents.networks.book import ByBook
from agents.networks.drawn import NEVER_PASSED
from agents.networks.network import Network
from bridge_env.auction import one_auction
from bridge_env.calls import PASS
from bridge_env.cards import hands, random_deals
from bridge_env.features import NUM_FEATURES
from bridge_env.view import unseen
from training.book.asking import SEED, Asker, parsed

HANDS = 8_000
_ROWS = 4_096  # hands asked at a time, to bound memory


class NetworkAsker(Asker):
    """Asks one network, which all four seats play; nobody is vulnerable and North deals.

    It has no rule that says what forces: a call is taken to force where partner hardly ever passes it.
    """

    def __init__(self, network: Network | ByBook, count: int = HANDS) -> None:
        owner = random_deals(SEED, 0, count // 4)
        self.network = network
        self.hands = deal_features(owner).reshape(-1, NUM_FEATURES)
        self._cards = hands(owner[:, None, :], np.arange(4)[None, :]).reshape(-1, 52)
        self._calls: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._among: dict[tuple[int, ...], NDArray[np.bool_]] = {}

    def calls(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        if auction not in self._calls:
            one = unseen(one_auction(auction, 0, 0))
            parts = []
            for start in range(0, len(self._cards), _ROWS):
                cards = self._cards[start : start + _ROWS]
                view = replace(one.take(np.zeros(len(cards), np.int64)), hand=cards)
                parts.append(np.where(view.mask, outputs_of(self.network, view), -np.inf).argmax(axis=1))
            self._calls[auction] = np.concatenate(parts).astype(np.int8)
        return self._calls[auction]

    def forced(self, text: str) -> bool:
        """After an auction, does the seat to call hardly ever pass, of the hands that can stand there?"""
        auction = parsed(text)
        among = self.among(auction)
        return bool(among.any()) and float(np.mean(self.calls(auction)[among] == PASS)) <= NEVER_PASSED
