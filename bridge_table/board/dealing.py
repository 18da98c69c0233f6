"""Deal boards: at random, from the library's judging part, of a text in PBN, LIN or a link, or of a scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from agents.registry import system_of
from agents.systems.language.constraints import parse_constraint
from agents.systems.language.tree import Atom
from agents.systems.language.vocabulary import WORDS, difference
from bridge_env.hands.deals import random_deals
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.records.board import Board, ReadResult
from bridge_env.records.read import read_text
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.cards import SEATS, SUITS, UNKNOWN, board_dealer, board_vulnerability
from bridge_env.sampling import KnownCards, Ranges, sample_deals
from bridge_table.http.requests import RequestError, parse_calls
from training.deals import complete_deals
from training.evaluation.boards import library_boards

_MAX_PROBLEMS = 20
PARTNER = "system:two-over-one"  # a standard system: people read its calls, and it reads theirs
_TRIED = 400  # deals that fit an auction, among which one is sought whose hands look as they should
#: Scenarios of the page: the title, the hands, the auction so far.
SCENARIOS: tuple[tuple[str, str, str], ...] = (
    ("1NT opener opposite a two-suiter", "N: 15-17 hcp, balanced\nS: 7+ hcp, 5+ H, 5+ S or 5+ D or 5+ C", ""),
    ("1NT opener opposite both majors", "N: 15-17 hcp, balanced\nS: 8+ hcp, 4+ H, 4+ S", ""),
    ("1NT opener opposite a long minor", "N: 15-17 hcp, balanced\nS: 6+ C or 6+ D, 0-3 H, 0-3 S", ""),
    ("Raises of one spade", "N: 12-19 hcp, 5+ S\nS: 6+ hcp, 3+ S", ""),
    ("Two over one", "N: 12-19 hcp, 5+ S\nS: 13+ hcp, 0-2 S", ""),
    ("A strong two clubs", "N: 22+ hcp\nS: 3+ hcp", ""),
    ("Slams with a fit in spades", "N: 15-19 hcp, 5+ S\nS: 14+ hcp, 4+ S", ""),
    ("They open a weak two", "W: 6-10 hcp, 6 H, 0-3 S\nN: 12+ hcp, 0-3 H", "2H"),
    ("Negative doubles", "N: 12-17 hcp, 5+ D\nS: 7+ hcp, 4 H", "1D 1S"),
)


@dataclass(frozen=True)
class Deal:
    """A board before its auction."""

    owner: NDArray[np.uint8]  # (52,)
    dealer: int  # a code
    vulnerability: int  # a code
    number: int  # the board's
    source: str  # in words
    table: NDArray[np.int8] | None = None  # (4, 5), all double-dummy tricks, where its file has them


def random_deal(seed: int, number: int) -> Deal:
    """Return board ``number`` of the random deals of ``seed``; dealer and vulnerability follow the number."""
    owner = random_deals(seed, number - 1, 1)[0]
    return Deal(owner, int(board_dealer(number)), int(board_vulnerability(number)), number, "a random deal")


def judging_deal(seed: int, number: int) -> Deal:
    """Return board ``number`` of the solved boards that no training sees."""
    boards = library_boards(1, seed, start=number - 1)
    dealer, vulnerability = int(boards.dealer[0]), int(boards.vulnerability[0])
    return Deal(boards.owner[0], dealer, vulnerability, number, "a judging board")


def read_texts(text: str) -> ReadResult:
    """Return the boards of a text: PBN, LIN, a link to BBO's hand viewer, or one deal; raise ``RequestError`` where
    there is none.
    """
    result = read_text(text)
    if not result.boards:
        raise RequestError(f"No board can be read: {(problem_texts(result) or ['the text holds none'])[0]}.")
    return result


def problem_texts(result: ReadResult) -> list[str]:
    """Return the first problems of a text, with their lines."""
    return [f"line {p.line}: {p.reason}" for p in result.problems[:_MAX_PROBLEMS]]


@dataclass(frozen=True)
class Scenario:
    """What the ``hands`` of boards look like, a line for a seat: ``N: 15-17 hcp, balanced``; and their ``calls`` so far
    from the ``dealer`` on, which they fit by the system of ``spec``.
    """

    hands: str
    calls: tuple[int, ...] = ()
    dealer: int = 0
    spec: str = PARTNER

    def deal(self, seed: int, number: int, swap: bool = False) -> Deal:
        """Return board ``number``; with ``swap`` partners change seats. Raise ``RequestError`` where no deal fits."""
        ranges, vulnerability = hand_ranges(self.hands), int(board_vulnerability(number))
        unknown = np.full(52, UNKNOWN, np.uint8)
        if self.calls:
            board = Board(unknown, self.dealer, vulnerability, number, self.calls)
            found, fits = complete_deals(board, _TRIED if ranges else 1, seed, self.spec)
            owners = np.array([board.owner for board in found]) if fits else np.empty((0, 52), np.uint8)
            for seat, wanted in ranges.items():
                owners = owners[wanted.fits(owners == seat)] if len(owners) else owners
        else:
            sample = sample_deals(KnownCards.of(unknown), ranges, 1, streams.key("scenario", seed, number))
            owners = sample.owner[sample.violation == 0]
        if not len(owners):
            raise RequestError("No deal that fits this scenario was found; ask less of the hands or of the auction.")
        turn = 2 if swap else 0
        return Deal((owners[0] ^ turn).astype(np.uint8), self.dealer ^ turn, vulnerability, number, "a scenario")


@dataclass(frozen=True)
class Source:
    """Where boards come from: pasted ones, a scenario, solved boards that no training sees, or random deals of
    ``seed``.
    """

    seed: int
    scenario: Scenario | None = None
    pasted: tuple[Deal, ...] = ()
    judging: bool = False

    @property
    def calls(self) -> list[int]:
        """The calls with which every board begins."""
        return list(self.scenario.calls) if self.scenario else []

    def deal(self, number: int, swap: bool = False) -> Deal:
        """Return board ``number``, from 1; with ``swap`` partners change seats. Raise ``RequestError`` where no deal
        fits, or there are not so many.
        """
        if number > len(self.pasted) > 0:
            raise RequestError(f"There is no board {number}; {self.pasted[0].source} has {len(self.pasted)}.", 404)
        if self.pasted:
            return self.pasted[number - 1]
        if self.scenario:
            return self.scenario.deal(self.seed, number, swap)
        return (judging_deal if self.judging else random_deal)(self.seed, number)


def read_source(seed: int, hands: str, calls: str, spec: str = PARTNER, pasted: Sequence[Deal] = ()) -> Source:
    """Return the source of a request's fields, a scenario with ``hands`` or ``calls``; raise as ``read_scenario``."""
    scenario = read_scenario(hands, calls, spec=spec) if hands.strip() or calls.strip() else None
    if scenario and pasted:
        raise RequestError("Choose a scenario or paste boards, not both.")
    return Source(seed, scenario, tuple(pasted))


def read_scenario(hands: str, calls: str, dealer: str = "board", spec: str = PARTNER) -> Scenario:
    """Return the scenario of a request's fields; ``dealer`` is a letter, or ``board`` for the first seat of ``hands``.
    Raise ``RequestError``, ``SystemTextError`` or ``IllegalCall`` where a field is faulty.
    """
    seats, made = list(hand_ranges(hands)), parse_calls(calls)
    if not seats and not made:
        raise RequestError("Write what a hand looks like, such as N: 15-17 hcp, balanced; or an auction so far.")
    number = SEATS.index(dealer) if dealer != "board" else seats[0] if seats else 0
    if one_auction(made, number).done[0]:
        raise RequestError("This auction is over; leave a call to make.")
    return Scenario(hands, tuple(made), number, PARTNER if system_of(spec) is None else spec)


def hand_ranges(text: str) -> dict[int, Ranges]:
    """Return the conditions on the hands by seat, in the order of ``text``; raise ``RequestError`` or
    ``SystemTextError`` where a line cannot be read.
    """
    out = {}
    for line in filter(None, map(str.strip, re.split(r"[\n;]", text))):
        seat, colon, conditions = line.partition(":")
        if not colon or seat.strip().upper() not in tuple(SEATS):
            raise RequestError(f"{line[:60]!r} names no seat; write N: 15-17 hcp, balanced.")
        clauses = parse_constraint(conditions.strip())
        out[SEATS.index(seat.strip().upper())] = Ranges(
            tuple(tuple(_column(atom) for alternative in way for atom in alternative) for way in product(*clauses))
        )
    return out


def _column(atom: Atom) -> tuple[int, int, int]:
    """Return the column of a feature of the hand, and its least and most value."""
    first, dash, second = atom.word.partition("-")
    if dash and first in tuple(SUITS) and second in tuple(SUITS):
        column, sign = difference(SUITS.index(first), SUITS.index(second))
        return (column, atom.lo, atom.hi) if sign > 0 else (column, -atom.hi, -atom.lo)
    column = WORDS.get(atom.word, NUM_FEATURES)
    if column >= NUM_FEATURES:
        raise RequestError(f"{atom.word!r} says nothing of a hand alone; write points and lengths, as in 5+ H.")
    return column, atom.lo, atom.hi
