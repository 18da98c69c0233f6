"""Deal boards: at random, from the library's judging part, or from a text in PBN, LIN or as a link."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.deals import parse_deal, random_deals
from bridge_env.records.board import Board, ReadResult
from bridge_env.records.lin import read_lin
from bridge_env.records.links import board_of_link
from bridge_env.records.pbn import read_boards
from bridge_env.rules.cards import board_dealer, board_vulnerability
from bridge_table.http.fields import RequestError
from training.evaluation.boards import library_boards

_DEAL = re.compile(r"^[NESWnesw]\s*:")
_MAX_BOARDS = 2000  # of a text
_MAX_PROBLEMS = 20


@dataclass(frozen=True)
class Deal:
    """A board before its auction."""

    owner: NDArray[np.uint8]  # (52,)
    dealer: int  # a code
    vulnerability: int  # a code
    number: int  # the board's
    source: str  # in words


def random_deal(seed: int, number: int) -> Deal:
    """Return board ``number`` of the random deals of ``seed``; dealer and vulnerability follow the number."""
    owner = random_deals(seed, number - 1, 1)[0]
    return Deal(owner, int(board_dealer(number)), int(board_vulnerability(number)), number, "a random deal")


def judging_deal(seed: int, number: int) -> Deal:
    """Return board ``number`` of the solved boards that no training sees."""
    boards = library_boards(1, seed, start=number - 1)
    dealer, vulnerability = int(boards.dealer[0]), int(boards.vulnerability[0])
    return Deal(boards.owner[0], dealer, vulnerability, number, "a judging board")


@dataclass(frozen=True)
class Stack:
    """The boards of a text."""

    name: str  # of the file, or what it is
    deals: tuple[Deal, ...]  # its boards
    problems: tuple[str, ...]  # of what could not be read, with lines


def read_stack(text: str, name: str) -> Stack:
    """Return the boards of a text: PBN, LIN, a link to Bridge Base Online's hand viewer, or one deal ``N:AK... ...``.

    Raises:
        RequestError: none can be read, or there are more than 2,000; the message has the first faulty line.
    """
    result = read_texts(text)
    deals = []
    for place, board in enumerate(result.boards, 1):
        number = board.number if board.number and board.number < 10**6 else place
        deals.append(Deal(board.owner, board.dealer, board.vulnerability, number, name))
    return Stack(name, tuple(deals), tuple(problem_texts(result)))


def read_texts(text: str) -> ReadResult:
    """Return the boards of a text, with their auctions; at least one.

    Raises:
        RequestError: none can be read, or there are more than 2,000; the message has the first faulty line.
    """
    stripped = text.strip()
    if not stripped:
        raise RequestError("The text is empty; paste a board in PBN or LIN, or drop a file.")
    try:
        result = _read(stripped, text)
    except ValueError as error:
        raise RequestError(f"{error}.") from None
    if len(result.boards) > _MAX_BOARDS:
        raise RequestError(f"The text holds {len(result.boards):,} boards; at most {_MAX_BOARDS:,} are allowed.", 413)
    if not result.boards:
        problems = problem_texts(result)
        raise RequestError(f"No board can be read: {problems[0] if problems else 'the text holds none'}.")
    return result


def problem_texts(result: ReadResult) -> list[str]:
    """Return the first problems of a text, with their lines."""
    return [f"line {p.line}: {p.reason}" for p in result.problems[:_MAX_PROBLEMS]]


def _read(stripped: str, text: str) -> ReadResult:
    if stripped.startswith(("http://", "https://")):
        return ReadResult([board_of_link(stripped)], [])
    if _DEAL.match(stripped) and "\n" not in stripped:
        return ReadResult([Board(parse_deal(stripped), 0, 0, 1)], [])
    if "md|" in stripped or "qx|" in stripped:
        return read_lin(io.StringIO(text))
    return read_boards(io.StringIO(text))
