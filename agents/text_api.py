"""Get calls of a bidder in plain text, for other software."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.errors import legal_calls
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView, view_of
from bridge_env.hands.deals import parse_hand
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, IllegalCall
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import UNKNOWN, parse_seat, parse_vulnerability, plain_suits

_KEYS = ("hand", "dealer", "vulnerability", "auction")


def call(
    bidder: Bidder | str, hand: str, dealer: str = "N", vulnerability: str = "None", auction: str | Sequence[str] = ()
) -> str:
    """Return the call of ``bidder`` with ``hand`` after ``auction``.

    Args:
        bidder: a Bidder or a spec string.
        hand: ``"AKQ2.T98.J7.A543"``, spades first.
        dealer: N, E, S or W; the seat to call follows from the length of the auction.
        vulnerability: None, NS, EW or Both.
        auction: calls so far, such as ``"1C Pass"`` or ``["1C", "Pass"]``; also P, Dbl, Rdbl, 1N.

    Returns:
        ``Pass``, ``X``, ``XX`` or a bid ``1C`` ... ``7NT``.

    Raises:
        ValueError: the hand, the auction or another argument is faulty; the message says how.
        BidderError: the bidder failed, or its call is not legal.
    """
    state = {"hand": hand, "dealer": dealer, "vulnerability": vulnerability, "auction": auction}
    return calls(bidder, [state])[0]


def calls(bidder: Bidder | str, states: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the calls of a batch of states: dicts with the keys hand, dealer, vulnerability, auction of ``call``.

    Raises:
        ValueError: a state is faulty; the message has its number.
    """
    agent = make(bidder)
    if not states:
        return []
    view, key = read_states(states)
    return [call_text(int(c)) for c in legal_calls(agent, view, key)]


def read_states(states: Sequence[Mapping[str, object]]) -> tuple[BidView, NDArray[np.uint64]]:
    """Return the views of the seats to call, and a random stream for each, which depends on its auction alone.

    Raises:
        ValueError: a state is faulty; of several, the message has its number.
    """
    hands, tables = list[NDArray[np.bool_]](), list[Auctions]()
    for i, state in enumerate(states):
        try:
            hand, table = _read_state(state)
        except ValueError as error:
            if len(states) == 1:
                raise
            raise type(error)(f"state {i}: {error}") from error
        hands.append(hand)
        tables.append(table)
    auctions = Auctions.joined(tables)
    view = view_of(auctions, np.where(np.stack(hands), auctions.turn[:, None], UNKNOWN).astype(np.uint8))
    key = streams.key("wire", auctions.dealer, auctions.vulnerability)
    for column in view.history.T:
        key = np.where(column >= 0, streams.key(key, column), key)  # padding is no part of a state
    return view, key


def _read_state(state: Mapping[str, object]) -> tuple[NDArray[np.bool_], Auctions]:
    """Return the hand, bool (52,), and the unfinished auction."""
    unknown = set(state) - set(_KEYS)
    if unknown:
        raise ValueError(f"unknown key {sorted(unknown)[0]!r}; a state has {', '.join(_KEYS)}")
    if "hand" not in state:
        raise ValueError("a state needs a hand, as in 'AKQ2.T98.J7.A543'")
    hand, dealer = parse_hand(str(state["hand"])), parse_seat(state.get("dealer", "N"))  # type: ignore[arg-type]
    table = Auctions(dealer, parse_vulnerability(state.get("vulnerability", "None")))  # type: ignore[arg-type]
    for word in _words(state):
        number = parse_call(word)
        if table.done[0]:
            raise IllegalCall(f"{call_text(number)} comes after the end of the auction {table.text(0)}")
        table.step(number)
    if table.done[0]:
        raise IllegalCall(f"the auction {table.text(0)} is over; there is no call to make")
    return hand, table


def _words(state: Mapping[str, object]) -> list[Any]:
    """Return the calls of a state's auction, of a text without commas, brackets and hyphens."""
    auction = state.get("auction", ())
    if isinstance(auction, str):
        return re.sub(r"[,()!]|(?<=\w)-(?=\w)", " ", plain_suits(auction)).split()
    if not isinstance(auction, Sequence):
        raise ValueError(f"the auction is a string or a list of calls, not {auction!r}")
    return list(auction)
