"""Ask a system, or a network, what it does on many hands after an auction, and measure the hands behind a call."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder, deal_features
from agents.hierarchy.engine.context import FORCED
from agents.hierarchy.telling.position import Position
from agents.hierarchy.telling.wording import SUIT_MARKS, of_call, span
from agents.networks.bidder import outputs_of
from agents.networks.book import ByBook
from agents.networks.drawn import NEVER_PASSED
from agents.networks.network import Network
from bridge_env.auction import one_auction
from bridge_env.calls import PASS, parse_call
from bridge_env.cards import UInt8Array, hands, random_deals
from bridge_env.features import FEATURES, LENGTH, NUM_FEATURES
from bridge_env.view import public_view

HANDS, NETWORK_HANDS = 24_000, 8_000
SEED = 40
FEWEST = 5  # hands behind a call that anything is said of
_ONE_IN = 200  # of hands that a range leaves out on either side
_MOST_HCP = 37
_STRONG, _WIDE = 18, 6  # HCP at the end, and as a range, from which on it is called open
_SUITS = "CDHS"
_ROWS = 4_096  # hands that a network is asked at a time, to bound memory


@dataclass(frozen=True)
class Hands:
    """The hands that make a call at an auction."""

    features: NDArray[np.int16]  # (n, NUM_FEATURES)
    share: float  # of the hands that can stand there

    def __len__(self) -> int:
        return len(self.features)

    @property
    def known(self) -> bool:
        """Enough hands made the call to say what it shows."""
        return len(self.features) >= FEWEST

    def column(self, name: str) -> NDArray[np.int16]:
        """A feature of all hands, by name: ``hcp``, ``length:H``, ``balanced`` ..."""
        out: NDArray[np.int16] = self.features[:, FEATURES[name]]
        return out

    def length(self, suit: int) -> NDArray[np.int16]:
        """Cards of a suit 0..3."""
        out: NDArray[np.int16] = self.features[:, LENGTH + suit]
        return out

    def range(self, name: str) -> tuple[int, int]:
        """What all but one hand in 200 on either side have."""
        values = np.sort(self.column(name))
        left_out = len(values) // _ONE_IN
        return int(values[left_out]), int(values[-1 - left_out])

    def most(self, met: NDArray[np.bool_], share: float = 0.95) -> bool:
        """Does a share of the hands meet it?"""
        return len(self.features) > 0 and float(np.mean(met)) >= share

    def hcp(self) -> str:
        """``15-17 HCP``; ``12+ HCP`` where the range is wide and reaches strong hands."""
        low, high = self.range("hcp")
        return f"{span(low, _MOST_HCP if high >= _STRONG and high - low >= _WIDE else high, _MOST_HCP)} HCP"

    def cards(self, suit: int) -> str:
        """``5+!h``."""
        low, high = self.range(f"length:{_SUITS[suit]}")
        return f"{span(low, high, 7)}{SUIT_MARKS[_SUITS[suit]]}"

    def suits(self) -> str:
        """Suits of which the hands tell something: at least three cards, or three at most."""
        told = []
        for suit in (3, 2, 1, 0):
            low, high = self.range(f"length:{_SUITS[suit]}")
            if low >= 3 or high <= 3:
                told.append(self.cards(suit))
        return ", ".join(told)

    def words(self) -> str:
        """``10-15 HCP, 5+!h``."""
        if not self.known:
            return "not used"
        if self.most(self.column("balanced") == 1):
            return f"{self.hcp()}, balanced"
        return ", ".join(part for part in (self.hcp(), self.suits()) if part)


class Asker:
    """Asks one system, which all four seats play; nobody is vulnerable and North deals."""

    def __init__(self, hierarchy: Hierarchy, hands: int = HANDS) -> None:
        self.bidder = HierarchyBidder(hierarchy)
        self._deal(hands)

    def _deal(self, count: int) -> UInt8Array:
        """Take so many hands to ask about; returns the owners of their cards."""
        owner = random_deals(SEED, 0, count // 4)
        self.hands = deal_features(owner).reshape(-1, NUM_FEATURES)
        self._calls: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._among: dict[tuple[int, ...], NDArray[np.bool_]] = {}
        return owner

    def position(self, auction: tuple[int, ...]) -> Position:
        """The position of the seat to call after ``auction``."""
        return Position(self.bidder, public_view(one_auction(auction, 0, 0)))

    def calls(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        """The calls int8 (HANDS,) of all hands after ``auction``."""
        if auction not in self._calls:
            self._calls[auction] = self._asked(auction)
        return self._calls[auction]

    def _asked(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        return self.position(auction).decide(self.hands)[0]

    def among(self, auction: tuple[int, ...]) -> NDArray[np.bool_]:
        """The hands, bool (HANDS,), that would have made the earlier calls of the seat to call."""
        own = tuple(range(len(auction) % 4, len(auction), 4))
        if not own:
            return np.ones(len(self.hands), np.bool_)
        last = own[-1]
        if auction[: last + 1] not in self._among:
            before = auction[:last]
            self._among[auction[: last + 1]] = self.among(before) & (self.calls(before) == auction[last])
        return self._among[auction[: last + 1]]

    def made(self, text: str) -> Hands:
        """The hands behind the last call of an auction such as ``1H P 2N``, by seats that keep to their own calls."""
        auction = parsed(text)
        return self.behind(auction[:-1], auction[-1])

    def behind(self, auction: tuple[int, ...], call: int) -> Hands:
        """The hands behind ``call`` after ``auction``."""
        among = self.among(auction)
        rows = among & (self.calls(auction) == call)
        return Hands(self.hands[rows], float(rows.sum() / max(1, among.sum())))

    def forced(self, text: str) -> bool:
        """After an auction, must the seat to call speak?"""
        return bool(self.position(parsed(text)).context[FORCED])

    def forces(self, before: tuple[int, ...], call: int) -> bool:
        """Must partner speak after ``call``, if the next opponent passes?"""
        auction = (*before, call, PASS)
        over = len(auction) > 3 and auction[-3:] == (PASS,) * 3
        return not over and bool(self.position(auction).context[FORCED])


class NetworkAsker(Asker):
    """Asks one network, which all four seats play; nobody is vulnerable and North deals.

    It has no rule that says what forces: a call is taken to force where partner hardly ever passes it.
    """

    def __init__(self, network: Network | ByBook, count: int = NETWORK_HANDS) -> None:
        self.network = network
        self._cards = hands(self._deal(count)[:, None, :], np.arange(4)[None, :]).reshape(-1, 52)

    def _asked(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        one = public_view(one_auction(auction, 0, 0))
        parts = []
        for start in range(0, len(self._cards), _ROWS):
            cards = self._cards[start : start + _ROWS]
            view = replace(one.take(np.zeros(len(cards), np.int64)), hand=cards)
            parts.append(np.where(view.mask, outputs_of(self.network, view), -np.inf).argmax(axis=1))
        return np.concatenate(parts).astype(np.int8)

    def forced(self, text: str) -> bool:
        """After an auction, does the seat to call hardly ever pass, of the hands that can stand there?"""
        auction = parsed(text)
        among = self.among(auction)
        return bool(among.any()) and float(np.mean(self.calls(auction)[among] == PASS)) <= NEVER_PASSED


def parsed(text: str) -> tuple[int, ...]:
    """The calls of an auction as text."""
    return tuple(parse_call(word) for word in text.split())


def call_name(text: str) -> str:
    """A call as books print it: ``1NT`` of ``1N``, ``2!c`` of ``2C``."""
    return of_call(parse_call(text))
