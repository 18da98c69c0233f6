"""Survey what a system, or a network, calls on many hands after an auction, and measure the hands behind a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import outputs_of
from agents.networks.book import SystemGuided
from agents.networks.network import Network
from agents.networks.sampled_meanings import NEVER_PASSED
from agents.systems.bidder import Hierarchy, HierarchyBidder, deal_features
from agents.systems.engine.auction_state import FORCED
from agents.systems.explain.player_terms import SUIT_MARKS, of_call, span
from agents.systems.explain.position import Position
from bridge_env.bidders.view import public_view
from bridge_env.hands.deals import hands, random_deals
from bridge_env.hands.features import FEATURES, LENGTH, NUM_FEATURES
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import PASS, parse_call

HANDS, NETWORK_HANDS = 24_000, 8_000
SEED = 40
_FEWEST = 5  # hands behind a call that is described
_ONE_IN = 200  # of hands that a range leaves out on either side
_MOST_HCP = 37
_STRONG, _WIDE = 18, 6  # HCP at the end, and as a range, from which on it is called open
_SUITS = "CDHS"
_ROWS = 4_096  # hands whose outputs a network computes at a time, to bound memory
NOT_USED = "not used"


@dataclass(frozen=True)
class Hands:
    """The hands that make a call at an auction."""

    features: NDArray[np.int16]  # int16 (n, NUM_FEATURES)
    share: float  # of the hands that can stand there

    def __len__(self) -> int:
        return len(self.features)

    @property
    def known(self) -> bool:
        """Return whether enough hands made the call to say what it shows."""
        return len(self.features) >= _FEWEST

    def column(self, name: str) -> NDArray[np.int16]:
        """Return a feature of all hands, int16 (n,), by name: ``hcp``, ``length:H``, ``balanced`` ..."""
        return self.features[:, FEATURES[name]]

    def length(self, suit: int) -> NDArray[np.int16]:
        """Return the cards in a suit 0..3, int16 (n,)."""
        return self.features[:, LENGTH + suit]

    def range(self, name: str) -> tuple[int, int]:
        """Return the range of a feature, without one hand in 200 on either side."""
        values = np.sort(self.column(name))
        left_out = len(values) // _ONE_IN
        return int(values[left_out]), int(values[-1 - left_out])

    def most(self, satisfied: NDArray[np.bool_], share: float = 0.95) -> bool:
        """Return whether a share of the hands satisfies a condition, bool (n,)."""
        return len(self.features) > 0 and float(np.mean(satisfied)) >= share

    def hcp(self) -> str:
        """Return ``15-17 HCP``; ``12+ HCP`` where the range is wide and reaches strong hands."""
        low, high = self.range("hcp")
        return f"{span(low, _MOST_HCP if high >= _STRONG and high - low >= _WIDE else high, _MOST_HCP)} HCP"

    def cards(self, suit: int) -> str:
        """Return the length in a suit as ``5+!h``."""
        low, high = self.range(f"length:{_SUITS[suit]}")
        return f"{span(low, high, 7)}{SUIT_MARKS[_SUITS[suit]]}"

    def suits(self) -> str:
        """Return the lengths of suits that are limited: at least three cards, or three at most."""
        limited = []
        for suit in (3, 2, 1, 0):
            low, high = self.range(f"length:{_SUITS[suit]}")
            if low >= 3 or high <= 3:
                limited.append(self.cards(suit))
        return ", ".join(limited)

    def describe(self) -> str:
        """Return ``10-15 HCP, 5+!h``."""
        if not self.known:
            return NOT_USED
        if self.most(self.column("balanced") == 1):
            return f"{self.hcp()}, balanced"
        return ", ".join(part for part in (self.hcp(), self.suits()) if part)


class CallSurvey(ABC):
    """The calls of a bidder in all four seats, North dealing at love all, on the same ``hands``, int16 (N,
    NUM_FEATURES).
    """

    def __init__(self, count: int) -> None:
        self.owner = random_deals(SEED, 0, count // 4)
        self.hands = deal_features(self.owner).reshape(-1, NUM_FEATURES)
        self._calls: dict[tuple[int, ...], NDArray[np.int8]] = {}
        self._among: dict[tuple[int, ...], NDArray[np.bool_]] = {}

    @abstractmethod
    def _choose(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        """Return the calls int8 (N,) of all hands after ``auction``."""

    def calls(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        """Return the calls int8 (N,) of all hands after ``auction``."""
        if auction not in self._calls:
            self._calls[auction] = self._choose(auction)
        return self._calls[auction]

    def among(self, auction: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return the hands, bool (N,), that would have made the earlier calls of the seat to call."""
        own = tuple(range(len(auction) % 4, len(auction), 4))
        if not own:
            return np.ones(len(self.hands), np.bool_)
        last = own[-1]
        if auction[: last + 1] not in self._among:
            before = auction[:last]
            self._among[auction[: last + 1]] = self.among(before) & (self.calls(before) == auction[last])
        return self._among[auction[: last + 1]]

    def made(self, text: str) -> Hands:
        """Return the hands behind the last call of an auction such as ``1H P 2N``, given the seat's earlier calls."""
        *before, call = parse_auction(text)
        auction = tuple(before)
        among = self.among(auction)
        rows = among & (self.calls(auction) == call)
        return Hands(self.hands[rows], float(rows.sum() / max(1, among.sum())))

    @abstractmethod
    def forced(self, text: str) -> bool:
        """Return whether the seat to call after an auction must not pass."""


class SystemSurvey(CallSurvey):
    """The calls of a system."""

    def __init__(self, hierarchy: Hierarchy, count: int = HANDS) -> None:
        super().__init__(count)
        self.bidder = HierarchyBidder(hierarchy)

    def _position(self, auction: tuple[int, ...]) -> Position:
        return Position(self.bidder, public_view(one_auction(auction, 0, 0)))

    def _choose(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        return self._position(auction).decide(self.hands)[0]

    def forced(self, text: str) -> bool:
        return bool(self._position(parse_auction(text)).context[FORCED])


class NetworkSurvey(CallSurvey):
    """The calls of a network. It has no rule of forcing: a seat is forced where its hands hardly ever pass."""

    def __init__(self, network: Network | SystemGuided, count: int = NETWORK_HANDS) -> None:
        super().__init__(count)
        self.network = network
        self._cards = hands(self.owner[:, None, :], np.arange(4)[None, :]).reshape(-1, 52)

    def _choose(self, auction: tuple[int, ...]) -> NDArray[np.int8]:
        one = public_view(one_auction(auction, 0, 0))
        parts = []
        for start in range(0, len(self._cards), _ROWS):
            cards = self._cards[start : start + _ROWS]
            view = replace(one.take(np.zeros(len(cards), np.int64)), hand=cards)
            parts.append(np.where(view.mask, outputs_of(self.network, view), -np.inf).argmax(axis=1))
        return np.concatenate(parts).astype(np.int8)

    def forced(self, text: str) -> bool:
        auction = parse_auction(text)
        among = self.among(auction)
        return bool(among.any()) and float(np.mean(self.calls(auction)[among] == PASS)) <= NEVER_PASSED


CardRow = tuple[str, str, Callable[[CallSurvey, str], str]]
"""A row of a convention card: its label, an auction, and the function that describes it; an empty text has no row."""


def if_used(describe: Callable[[Hands, str], str], otherwise: str = "") -> Callable[[CallSurvey, str], str]:
    """Return a description of an auction's last call by its hands; ``otherwise`` where hardly any hand makes it."""

    def describe_auction(survey: CallSurvey, auction: str) -> str:
        hands = survey.made(auction)
        return describe(hands, auction.rsplit(maxsplit=1)[-1]) if hands.known else otherwise

    return describe_auction


def suit_of(text: str) -> int:
    """Return the suit 0..3 of the last call of an auction; -1 where it is no bid in a suit."""
    return _SUITS.find(text[-1])


def parse_auction(text: str) -> tuple[int, ...]:
    """Return the calls of an auction written as ``1H P 2N``."""
    return tuple(parse_call(word) for word in text.split())


def call_name(text: str) -> str:
    """Return a call as books print it: ``1NT`` of ``1N``, ``2!c`` of ``2C``."""
    return of_call(parse_call(text))
