"""Deal boards: at random, from the library's judging part, or from a text in PBN, LIN or as a link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.deals import random_deals
from bridge_env.records.board import ReadResult
from bridge_env.records.read import read_text
from bridge_env.rules.cards import board_dealer, board_vulnerability
from bridge_table.http.fields import RequestError
from training.evaluation.boards import library_boards

_MAX_PROBLEMS = 20


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
    """Return the boards of a text: PBN, LIN, a link to Bridge Base Online's hand viewer, or one deal ``N:AK... ...``.

    Raises:
        ValueError: none can be read; the message has the first faulty line.
    """
    result = read_text(text)
    if not result.boards:
        raise RequestError(f"No board can be read: {(problem_texts(result) or ['the text holds none'])[0]}.")
    return result


def problem_texts(result: ReadResult) -> list[str]:
    """Return the first problems of a text, with their lines."""
    return [f"line {p.line}: {p.reason}" for p in result.problems[:_MAX_PROBLEMS]]
