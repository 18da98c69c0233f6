"""A person at the terminal: calls and cards are asked for, until one is legal or the person leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.table import hand_to_play, present_trick, trick_leader
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.calls import CallError, call_text, parse_call
from bridge_env.cards import CARD_NUMBERS, SEATS, card_text, hand_text
from bridge_env.faults import legal_answer_of
from bridge_env.play_view import PlayView
from bridge_env.protocols import CardPlayer
from bridge_env.render import auction_table
from bridge_env.view import view_of
from training.match.boards import Boards
from training.match.match import seat_teams

Say = Callable[[str], object]
Ask = Callable[[str], str]
_CALLS = "type a call: P, X, XX, 1C ... 7N; 'hint' asks the bidder of the others; 'quit' ends"
_CARDS = "type a card, such as HQ or QH; 'hint' asks montecarlo; 'quit' ends"


class Stopped(ValueError):
    """Nobody answers at the table any more."""


class Left(Stopped):
    """The person at the table has left it."""


def _chosen(
    say: Say, ask: Ask, question: str, helped: str, hint: Callable[[], str], read: Callable[[str], int | str]
) -> int:
    """What the person chooses.

    Args:
        read: of a word, the number that it names, or what is wrong with it.

    Raises:
        Left: the person leaves.
        Stopped: nobody answers any more.
    """
    while True:
        try:
            word = ask(question).strip()
        except EOFError:
            raise Stopped("the board was left before its end") from None
        if word.lower() in ("quit", "q", "exit"):
            raise Left("the board was left before its end")
        if word in ("?", "help"):
            found: int | str = helped
        else:
            found = hint() if word.lower() == "hint" else read(word)
        if isinstance(found, int):
            return found
        say(found)


def bid_with_person(bidder: str, boards: Boards, seed: int, seat: int, say: Say, ask: Ask) -> Auctions:
    """Bid the one board of ``boards``; the person holds ``seat``, the others bid as they would without it.

    Raises:
        Stopped: the person has left.
        SpecError: the spec names no bidder.
        BidderFault: the bidder failed, or made a call that is not legal.
    """
    auctions, teams = Auctions(boards.dealer, boards.vulnerability), seat_teams(bidder, bidder)
    key, number = streams.key("match", seed, boards.number), 0

    def made() -> int:
        """What the bidder calls at the seat whose turn it is."""
        view, team = view_of(auctions, boards.owner, np.array([0])), teams[int(auctions.turn[0]) & 1]
        return int(legal_answer_of(team, view, streams.key(key, number))[0])

    def hint() -> str:
        return f"{bidder} would call {call_text(made())}"

    def read(word: str) -> int | str:
        try:
            call = parse_call(word)
        except CallError:
            return f"{word!r} is no call; {_CALLS}"
        return call if auctions.legal()[0, call] else f"{call_text(call)} is not legal here"

    while not auctions.done[0]:
        if int(auctions.turn[0]) != seat:
            auctions.step([made()])
        else:
            say(auction_table(auctions.history[0], int(boards.dealer[0]), int(boards.vulnerability[0])))
            say(f"  you {SEATS[seat]}  {hand_text(boards.owner[0] == seat)}")
            auctions.step([_chosen(say, ask, f"{SEATS[seat]} calls: ", _CALLS, hint, read)])
        number += 1
    return auctions


@dataclass(frozen=True)
class Person:
    """A ``CardPlayer`` who sits at the terminal."""

    adviser: CardPlayer
    say: Say = print
    ask: Ask = input

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        self._show(view)

        def hint() -> str:
            return f"montecarlo would play {card_text(int(self.adviser.play(view, key)[0]))}"

        def read(word: str) -> int | str:
            card = read_card(word)
            if card is None:
                return f"{word!r} is no card; {_CARDS}"
            return card if view.mask[0, card] else f"{card_text(card)} cannot be played here"

        return np.array([_chosen(self.say, self.ask, f"{SEATS[view.turn[0]]} plays: ", _CARDS, hint, read)], np.int8)

    def _show(self, view: PlayView) -> None:
        trick = [card_text(int(c)) for c in present_trick(view)[0] if c >= 0]
        led = f"{SEATS[int(trick_leader(view)[0])]} led {' '.join(trick)}" if trick else "to lead"
        turn, dummy = int(view.turn[0]), int(view.declarer[0]) ^ 2
        if view.dummy[0].any() and turn != dummy:
            self.say(f"  dummy {SEATS[dummy]}  {hand_text(view.dummy[0] & ~view.played[0])}")
        if turn != int(view.seat[0]):
            self.say(f"  you {SEATS[int(view.seat[0])]}    {hand_text(view.hand[0] & ~view.played[0])}")
        self.say(f"  {SEATS[turn]} holds  {hand_text(hand_to_play(view)[0])}   {led}")


def read_card(word: str) -> int | None:
    """The card that ``HQ``, ``qh`` or ``H10`` names; None where it names none."""
    w = word.upper().replace("10", "T")
    return CARD_NUMBERS.get(w, CARD_NUMBERS.get(w[::-1]))
