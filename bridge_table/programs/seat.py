"""A seat that another program takes: ``seat:http://127.0.0.1:8085`` wherever a spec is taken.

It asks over HTTP and keeps nothing between questions. A program that answers what the laws do not allow, or nothing,
ends the match with a word on whose fault it was.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import one_auction
from bridge_env.calls import call_text
from bridge_env.cards import SEATS, card_text
from bridge_env.play_view import PlayView
from bridge_env.view import BidView
from bridge_table.programs import bbo, ben
from bridge_table.programs.asking import Address, SeatFault, ask, parse_address
from bridge_table.programs.question import CallAnswer, CardAnswer, Question, call_question, card_question


@dataclass(frozen=True)
class SeatBidder:
    """A ``Bidder`` that asks a program."""

    address: Address
    slow: ClassVar[bool] = True

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        def call(row: int) -> int:
            return self._asked(view, row, key)[0].call

        return np.array(_together(call, len(view), self.address), np.int8)

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """The program's call with the hand of the one row of ``view``, and below it what it tells of it."""
        answer, url = self._asked(view, 0, key, details="true")
        lines = [call_text(answer.call)]
        if answer.candidates:
            told = ", ".join(f"{call_text(call)} {100 * score:.1f}%" for call, score in answer.candidates)
            lines.append(f"  considers {told}")
        if answer.explanation:
            lines.append(f"  shows     {' '.join(answer.explanation.split())}")
        lines += answer.why.splitlines()[1:]
        return "\n".join([*lines, f"  asked     {url}"])

    def _asked(self, view: BidView, row: int, key: NDArray[np.uint64], **more: str) -> tuple[CallAnswer, str]:
        question = _keyed(call_question(view, row), self.address, key[row])
        answer, url = _ask(self.address, question, False, more)
        assert isinstance(answer, CallAnswer)
        if not view.mask[row, answer.call]:
            raise _illegal(self.address, question, call_text(answer.call), "call", url)
        return answer, url


@dataclass(frozen=True)
class SeatPlayer:
    """A ``CardPlayer`` that asks a program."""

    address: Address

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        def card(row: int) -> int:
            question = _keyed(card_question(view, row), self.address, key[row])
            answer, url = _ask(self.address, question, True, {})
            assert isinstance(answer, CardAnswer)
            if not view.mask[row, answer.card]:
                raise _illegal(self.address, question, card_text(answer.card), "card", url)
            return answer.card

        return np.array(_together(card, len(view), self.address), np.int8)


def make_seat(argument: str, *, partner: str | None = None, opponents: str | None = None) -> SeatBidder:
    """The bidder of ``seat:URL?OPTIONS``. What partner and opponents play, its program has to know by itself."""
    return SeatBidder(parse_address(argument))


def make_seat_player(argument: str) -> SeatPlayer:
    """The card player of ``seat:URL?OPTIONS``."""
    return SeatPlayer(parse_address(argument))


def _together(answer: Callable[[int], int], count: int, address: Address) -> list[int]:
    """The answers of all rows, several asked at a time; the first fault ends it."""
    if count <= 1:
        return [answer(row) for row in range(count)]
    with ThreadPoolExecutor(min(address.options.parallel, count), "seat") as pool:
        return list(pool.map(answer, range(count)))


def _keyed(question: Question, address: Address, key: np.uint64) -> Question:
    return replace(question, key=int(key)) if address.options.key == "yes" else question


def _ask(address: Address, question: Question, play: bool, more: dict[str, str]) -> tuple[CallAnswer | CardAnswer, str]:
    """The answer, and the address at which it was asked for."""
    options = address.options
    if options.form == "bbo":
        door = address.path if address.path.endswith(".php") else address.path + bbo.ROBOT
        target = bbo.question_path(question, door)
        read_call, read_card, read_error = bbo.read_call_answer, bbo.read_card_answer, bbo.read_error
    else:
        path = ben.question_path(question, play=play, vul=options.vul, tournament=options.tournament, **more)
        target = address.path + path
        read_call, read_card, read_error = ben.read_call_answer, ben.read_card_answer, ben.read_error
    body, url = ask(address, target, read_error), address.url(target)
    try:
        return (read_card(body) if play else read_call(body)), url
    except ValueError as error:
        raise SeatFault(f"{address.spec}: {error}. The fault is that program's. Asked: {url}") from None


def _illegal(address: Address, question: Question, said: str, what: str, url: str) -> SeatFault:
    auction = one_auction(question.calls, question.dealer, question.vulnerability).text(0) or "no call"
    played = " and the play of " + " ".join(card_text(card) for card in question.played) if question.played else ""
    return SeatFault(
        f"{address.spec}: at {SEATS[question.seat]} it answered {said}, a {what} that is not legal after "
        f"{auction}{played}. The fault is that program's. Asked: {url}"
    )
