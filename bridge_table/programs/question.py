"""Questions about a seat, and the answers to them, in our own terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import HCP_AND_LENGTHS, hand_features
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE
from bridge_env.rules.cards import CARD_NUMBERS

_MAX_SAMPLES = 20  # deals, those that count the most first


@dataclass(frozen=True, eq=False)
class Question:
    """A seat that is to call or to play."""

    seat: int  # 0..3; for dummy's card it is declarer
    hand: NDArray[np.bool_]  # (52,), the thirteen cards that were dealt to it
    dealer: int  # 0..3
    vulnerability: int  # 0..3
    calls: tuple[int, ...] = ()  # the auction so far, numbers 0..37
    # (52,), the thirteen cards that were dealt to dummy; None where it is not seen
    dummy: NDArray[np.bool_] | None = None
    played: tuple[int, ...] = ()  # the cards so far, in the order of play, numbers 0..51
    key: int | None = None  # the random stream to use; None: the answering program's own choice


@dataclass(frozen=True, eq=False)
class SampledDeals:
    """Deals that a bidder or player sampled, which sees one hand."""

    seat: int  # 0..3, of that player
    owner: NDArray[np.uint8]  # (S, 52), the thirteen cards that each seat was dealt
    weight: NDArray[np.float64]  # (S,), what each counts for; they add up to 1
    fitting: float  # the share of them that fits what calls and cards were taken to show
    first: int = 0  # whose hand each sample begins with; the others follow clockwise
    played: tuple[int, ...] = ()  # cards that are left out of the samples

    def fields(self, details: bool) -> dict[str, Any]:
        """Return the fields of BEN's answers; without ``details`` the quality alone."""
        out: dict[str, Any] = {"quality": f"{self.fitting:.2f}"}
        if not details:
            return out
        hands = self.owner[None] == ((self.seat + np.arange(1, 4)) & 3)[:, None, None]  # left, partner, right
        features = np.array([self.weight @ hand_features(held)[:, HCP_AND_LENGTHS] for held in hands])
        out["hcp"] = [round(float(points), 1) for points in features[:, 0]]
        out["shape"] = [round(float(length), 1) for length in features[:, :0:-1].ravel()]  # S H D C of each
        out["samples"] = [self._text(at) for at in np.argsort(-self.weight, kind="stable")[:_MAX_SAMPLES]]
        return out

    def _text(self, at: int) -> str:
        left = self.owner[at].copy()
        left[list(self.played)] = 255
        hands = " ".join(hand_text(left == (self.first + i) & 3) for i in range(4))
        return f"{hands} - {self.weight[at]:.5f}"


@dataclass(frozen=True)
class CallAnswer:
    """A call, and what another program's answer says about it."""

    call: int  # 0..37
    candidates: tuple[tuple[int, float], ...] = ()  # calls that were considered, and how likely each was
    explanation: str = ""  # what the call shows
    why: str = ""  # how it was found, on lines of its own


def call_question(view: BidView, row: int) -> Question:
    """Return the question of one row of ``view``."""
    calls = view.history[row]
    return Question(
        int(view.seat[row]), view.hand[row], int(view.dealer[row]), int(view.vulnerability[row]),
        tuple(calls[calls >= 0].tolist()),
    )  # fmt: skip


def card_question(view: PlayView, row: int) -> Question:
    """Return the question of one row of ``view``. Where the auction is unknown, declarer bids the contract at once."""
    calls = tuple(view.history[row][view.history[row] >= 0].tolist())
    dealer, declarer = int(view.dealer[row]), int(view.declarer[row])
    if not calls:
        dealer = declarer
        doubling = (DOUBLE, REDOUBLE)[: int(view.doubling[row])]
        calls = (FIRST_BID + int(view.bid[row]), *doubling, PASS, PASS, PASS)
    length = int(view.length[row])
    return Question(
        int(view.seat[row]), view.hand[row], dealer, int(view.vulnerability[row]), calls,
        view.dummy[row] if length else None, tuple(view.cards[row, :length].tolist()),
    )  # fmt: skip


def read_card(word: str) -> int:
    """Return the number of a card, ``HQ``.

    Raises:
        ValueError: it is no card.
    """
    card = CARD_NUMBERS.get(word.upper().replace("10", "T"))
    if card is None:
        raise ValueError(f"{word!r} is no card; write the suit and the rank, as in HQ")
    return card
