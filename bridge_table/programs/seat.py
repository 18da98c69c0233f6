"""A seat that another program takes: ``seat:http://127.0.0.1:8085`` wherever a spec is taken.

It sends a request for each call and card and keeps nothing between them. An illegal answer, or none, is an error that
says whose fault it is. Options follow the address: ``seat:http://127.0.0.1:8085?parallel=8&timeout=20``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import ClassVar
from urllib.parse import urlsplit

import numpy as np
import urllib3
from numpy.typing import NDArray
from urllib3.exceptions import HTTPError, MaxRetryError

from agents.options import read_options
from bridge_env.bidders.errors import BidderError, BidderUnreachable
from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import BidView
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE, call_text
from bridge_env.rules.cards import SEATS, card_text
from bridge_table.http.requests import parse_card
from bridge_table.programs import ben
from bridge_table.programs.ben import Answer, Question

_BUSY = (429, 500, 502, 503, 504)
_CHOICES = {"tournament": ("imps", "mp")}
_MAX_CONNECTIONS = 64
_BACKOFF = 0.25  # seconds before the second retry; the pause doubles with each


@dataclass(frozen=True)
class SeatOptions:
    """How requests are sent to a program."""

    parallel: int = 8  # requests at a time
    timeout: float = 120.0  # seconds for an answer: as long as our own server waits for a bidder that looks ahead
    retries: int = 2  # how often to repeat a request after silence, or where the program says that it is busy or broken
    tournament: str = "imps"  # the scoring that requests name, ``imps`` or ``mp``


@dataclass(frozen=True)
class Address:
    """A program's address."""

    spec: str  # as the user wrote it
    root: str  # the URL before the endpoints, without a slash at its end
    options: SeatOptions


class SeatFault(BidderError):
    """A program at a seat gave no answer that can be used; the message says whose fault, and quotes the request."""


def parse_address(argument: str) -> Address:
    """Parse ``URL?OPTIONS``; raise ``SpecError`` where there is no address, or a faulty option."""
    spec = f"seat:{argument}"
    url, _, options = argument.strip().partition("?")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise SpecError(f"{spec!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise SpecError(f"{spec!r}: write the program's address, as in seat:http://127.0.0.1:8085")
    found = read_options(options, spec, SeatOptions(), _CHOICES, "a seat")
    if found.parallel < 1 or found.retries < 0 or not found.timeout > 0:
        raise SpecError(f"{spec!r}: parallel must be at least 1, retries at least 0, and timeout more than 0 seconds")
    return Address(spec, url.rstrip("/"), found)


@dataclass(frozen=True)
class SeatBidder:
    """A ``Bidder`` whose calls another program makes."""

    address: Address
    slow: ClassVar[bool] = True

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return _for_rows(lambda row: self._answer(view, row)[0], len(view), self.address)

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Return the program's call with the hand of the one row of ``view``, and below it its explanation."""
        call, answer, url = self._answer(view, 0, details="true")
        lines = [call_text(call)]
        chances = [(one.call, one.insta_score) for one in answer.candidates or () if one.insta_score is not None]
        if chances:
            lines.append("  considers " + ", ".join(f"{made} {100 * chance:.1f}%" for made, chance in chances))
        if answer.explanation:
            lines.append(f"  shows     {' '.join(answer.explanation.split())}")
        lines += (answer.why or "").splitlines()[1:]
        return "\n".join([*lines, f"  asked     {url}"])

    def _answer(self, view: BidView, row: int, **more: str) -> tuple[int, Answer, str]:
        return _ask(self.address, call_question(view, row), view.mask[row], False, **more)


@dataclass(frozen=True)
class SeatPlayer:
    """A ``CardPlayer`` whose cards another program plays."""

    address: Address

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return _for_rows(
            lambda row: _ask(self.address, card_question(view, row), view.mask[row], True)[0], len(view), self.address
        )


def make_seat(argument: str, *, partner: str | None = None, opponents: str | None = None) -> SeatBidder:
    """Return the bidder of ``seat:URL?OPTIONS``; the program must itself know what partner and opponents play."""
    return SeatBidder(parse_address(argument))


def make_seat_player(argument: str) -> SeatPlayer:
    """Return the card player of ``seat:URL?OPTIONS``."""
    return SeatPlayer(parse_address(argument))


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


def _for_rows(answer: Callable[[int], int], count: int, address: Address) -> NDArray[np.int8]:
    """Return the answers for all rows, several requested at a time."""
    with ThreadPoolExecutor(max(1, min(address.options.parallel, count)), "seat") as pool:
        return np.fromiter(pool.map(answer, range(count)), np.int8, count)


def _ask(
    address: Address, question: Question, legal: NDArray[np.bool_], play: bool, **more: str
) -> tuple[int, Answer, str]:
    """Return a card or a call, the answer that holds it, and the URL of its request."""
    path = ben.question_path(question, play=play, tournament=address.options.tournament, **more)
    body, url = _get(address, path), address.root + path
    try:
        answer = ben.read_answer(body)
        if answer.refusal:
            raise ValueError(f"it says: {answer.refusal}")
        choice = parse_card(answer.card) if play else ben.read_call(answer.bid, "bid")
        if not legal[choice]:
            auction = one_auction(question.calls, question.dealer, question.vulnerability).text(0) or "no call"
            played = "".join(f" {card_text(card)}" for card in question.played)
            raise ValueError(
                f"at {SEATS[question.seat]} it answered {card_text(choice) if play else call_text(choice)}, a "
                f"{'card' if play else 'call'} that is not legal after {auction}"
                f"{played and ' and the play of'}{played}"
            )
        return choice, answer, url
    except ValueError as error:
        raise SeatFault(f"{address.spec}: {error}. The fault is that program's. Asked: {url}") from None


def _get(address: Address, path: str) -> bytes:
    """Return the body of the program's answer to a GET request; raise ``BidderUnreachable`` or, where it refuses,
    ``SeatFault``.
    """
    options, url = address.options, address.root + path
    retries = urllib3.Retry(
        options.retries, status_forcelist=_BUSY, backoff_factor=_BACKOFF, backoff_max=8, raise_on_status=False
    )
    try:
        response = _pool(os.getpid()).request(
            "GET", url, timeout=urllib3.Timeout(total=options.timeout), retries=retries, redirect=False
        )
    except HTTPError as error:
        raise _unreachable(address, url, error.reason if isinstance(error, MaxRetryError) else error) from None
    if response.status == 200:
        return response.data
    problem = f"it answers {response.status}"
    with contextlib.suppress(ValueError):
        problem += f": {ben.read_answer(response.data).refusal}"
    if response.status in _BUSY:
        raise _unreachable(address, url, problem)
    raise SeatFault(f"{address.spec}: {problem.rstrip('.')}. Asked: {url}")


@cache
def _pool(process: int) -> urllib3.PoolManager:
    """Return the connections of this process: a forked one must not use those of its parent."""
    return urllib3.PoolManager(maxsize=_MAX_CONNECTIONS, headers={"User-Agent": "bridge-env"})


def _unreachable(address: Address, url: str, problem: object) -> BidderUnreachable:
    tries = address.options.retries + 1
    times = f"after {tries} tries" if tries > 1 else "at the only try"
    return BidderUnreachable(f"{address.spec}: no answer {times}: {problem}. Is the program running? Asked: {url}")
