"""Questions about a seat, and the answers to them, in our own terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE
from bridge_env.rules.cards import CARD_NUMBERS


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
