"""An auction in which a person at the terminal holds a seat."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.calls import CallError, call_text, parse_call
from bridge_env.cards import SEATS, hand_text
from bridge_env.faults import legal_answer_of
from bridge_env.render import auction_table
from bridge_env.view import view_of
from training.cardplay.person import Say, answer
from training.match.boards import Boards
from training.match.match import seat_teams

_HELP = "type a call: P, X, XX, 1C ... 7N; 'hint' asks the bidder of the others; 'quit' ends"


def bid_with_person(bidder: str, boards: Boards, seed: int, seat: int, say: Say, ask: Callable[[str], str]) -> Auctions:
    """Bid the one board of ``boards``; the person holds ``seat``, the others bid as they would without it.

    Raises:
        Stopped: the person has left.
        SpecError: the spec names no bidder.
        BidderFault: the bidder failed, or made a call that is not legal.
    """
    auctions, teams = Auctions(boards.dealer, boards.vulnerability), seat_teams(bidder, bidder)
    key, number = streams.key("match", seed, boards.number), 0
    while not auctions.done[0]:
        turn = int(auctions.turn[0])
        view = view_of(auctions, boards.owner, np.array([0]))
        chosen = int(legal_answer_of(teams[turn & 1], view, streams.key(key, number))[0]) if turn != seat else -1
        if turn == seat:
            say(auction_table(auctions.history[0], int(boards.dealer[0]), int(boards.vulnerability[0])))
            say(f"  you {SEATS[seat]}  {hand_text(view.hand[0])}")
        while chosen < 0:
            word = answer(ask, f"{SEATS[seat]} calls: ")
            if word in ("?", "help"):
                say(_HELP)
            elif word.lower() == "hint":
                hint = legal_answer_of(teams[seat & 1], view, streams.key(key, number))
                say(f"{bidder} would call {call_text(int(hint[0]))}")
            else:
                chosen = _legal(word, auctions.legal()[0], say)  # whoever gave a hint may have written to the view
        auctions.step([chosen])
        number += 1
    return auctions


def _legal(word: str, mask: np.ndarray, say: Say) -> int:
    """The call that a word names; -1 where it names none, or none that is legal."""
    try:
        call = parse_call(word)
    except CallError:
        say(f"{word!r} is no call; {_HELP}")
        return -1
    if not mask[call]:
        say(f"{call_text(call)} is not legal here")
        return -1
    return call
