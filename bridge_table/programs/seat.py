"""A seat that another program takes: ``seat:http://127.0.0.1:8085`` wherever a spec is taken.

It sends a request for each call and card and keeps nothing between them. An illegal answer, or none, is an error that
says whose fault it is.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.view import BidView
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, card_text
from bridge_table.programs import ben
from bridge_table.programs.client import Address, SeatFault, get, parse_address
from bridge_table.programs.question import CallAnswer, Question, call_question, card_question

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class SeatBidder:
    """A ``Bidder`` whose calls another program makes."""

    address: Address
    slow: ClassVar[bool] = True

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return _for_rows(lambda row: self._answer(view, row, key)[0].call, len(view), self.address)

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Return the program's call with the hand of the one row of ``view``, and below it its explanation."""
        answer, url = self._answer(view, 0, key, details="true")
        lines = [call_text(answer.call)]
        if answer.candidates:
            words = ", ".join(f"{call_text(call)} {100 * score:.1f}%" for call, score in answer.candidates)
            lines.append(f"  considers {words}")
        if answer.explanation:
            lines.append(f"  shows     {' '.join(answer.explanation.split())}")
        lines += answer.why.splitlines()[1:]
        return "\n".join([*lines, f"  asked     {url}"])

    def _answer(self, view: BidView, row: int, key: NDArray[np.uint64], **more: str) -> tuple[CallAnswer, str]:
        question = _with_key(call_question(view, row), self.address, key[row])
        answer, url = _ask(self.address, question, False, ben.read_call_answer, **more)
        if not view.mask[row, answer.call]:
            raise _illegal(self.address, question, call_text(answer.call), "call", url)
        return answer, url


@dataclass(frozen=True)
class SeatPlayer:
    """A ``CardPlayer`` whose cards another program plays."""

    address: Address

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        def choose(row: int) -> int:
            question = _with_key(card_question(view, row), self.address, key[row])
            card, url = _ask(self.address, question, True, ben.read_card_answer)
            if not view.mask[row, card]:
                raise _illegal(self.address, question, card_text(card), "card", url)
            return card

        return _for_rows(choose, len(view), self.address)


def make_seat(argument: str, *, partner: str | None = None, opponents: str | None = None) -> SeatBidder:
    """Return the bidder of ``seat:URL?OPTIONS``; the program must itself know what partner and opponents play."""
    return SeatBidder(parse_address(argument))


def make_seat_player(argument: str) -> SeatPlayer:
    """Return the card player of ``seat:URL?OPTIONS``."""
    return SeatPlayer(parse_address(argument))


def _for_rows(answer: Callable[[int], int], count: int, address: Address) -> NDArray[np.int8]:
    """Return the answers for all rows, several requested at a time."""
    with ThreadPoolExecutor(max(1, min(address.options.parallel, count)), "seat") as pool:
        return np.fromiter(pool.map(answer, range(count)), np.int8, count)


def _with_key(question: Question, address: Address, key: np.uint64) -> Question:
    return replace(question, key=int(key)) if address.options.key == "yes" else question


def _ask(
    address: Address, question: Question, play: bool, read: Callable[[bytes], _Answer], **more: str
) -> tuple[_Answer, str]:
    """Return the answer, and the URL of its request."""
    options = address.options
    path = ben.question_path(question, play=play, vul=options.vul, tournament=options.tournament, **more)
    body, url = get(address, path, ben.read_error), address.root + path
    try:
        return read(body), url
    except ValueError as error:
        raise SeatFault(f"{address.spec}: {error}. The fault is that program's. Asked: {url}") from None


def _illegal(address: Address, question: Question, word: str, kind: str, url: str) -> SeatFault:
    auction = one_auction(question.calls, question.dealer, question.vulnerability).text(0) or "no call"
    played = " and the play of " + " ".join(card_text(card) for card in question.played) if question.played else ""
    return SeatFault(
        f"{address.spec}: at {SEATS[question.seat]} it answered {word}, a {kind} that is not legal after "
        f"{auction}{played}. The fault is that program's. Asked: {url}"
    )
