"""Read, write and check the double-dummy tables of PBN: [OptimumResultTable], [DoubleDummyTricks] and [Ability].

The second is the form of BridgeComposer and of ACBL's hand records: twenty hexadecimal digits, five (NT S H D C)
each for N, S, E and W. The third, of Deep Finesse and of Dealmaster, names the seats: ``N:34425 E:A98B7 ...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.records.board import Board
from bridge_env.rules.calls import STRAINS
from bridge_env.rules.cards import SEATS, plain_suits

HEADER = r"Declarer;Denomination\2R;Result\2R"
_DECLARERS, _STRAINS = (0, 2, 1, 3), (4, 3, 2, 1, 0)  # the order of the digits
_COLUMNS = ("DECLARER", "DENOMINATION", "RESULT")
_STRAIN_WORDS = {name: place for place, name in enumerate(STRAINS)} | {"N": STRAINS.index("NT")}
_ABILITY = re.compile(r"([NESW])[:\s]*([0-9A-D]{5})\b")


def read_rows(rows: Sequence[str], header: str, bad: list[str]) -> NDArray[np.int8]:
    """Return the table of rows such as ``N NT 9``, int8 (4, 5), -1 where there is no row, or none but a dash.

    Args:
        header: the names of the columns; those of another table count for nothing.
        bad: what is wrong with other rows, and with two for one contract that differ, is added here.
    """
    table = np.full((4, 5), -1, np.int8)
    columns = re.sub(r"\\\d*[LR]?", "", header.upper()).split(";")
    order = [columns.index(name) for name in _COLUMNS] if sorted(columns) == sorted(_COLUMNS) else [0, 1, 2]
    for row in rows:
        words = plain_suits(row).split()
        seat, strain, tricks = (words[place] for place in order) if len(words) == 3 else ("", "", "")
        unknown = re.fullmatch("[-*?]+", tricks)
        if (
            seat not in tuple(SEATS)
            or strain not in _STRAIN_WORDS
            or not (unknown or re.fullmatch(r"1[0-3]|0?\d", tricks))
        ):
            bad.append(f"{row!r} is not a declarer, a denomination and tricks, such as 'N NT 9'")
        elif not unknown:
            place = SEATS.index(seat), _STRAIN_WORDS[strain]
            if table[place] not in (-1, int(tricks)):
                bad.append(f"two results for {seat} {strain}: {table[place]}, which counts, and {tricks}")
            else:
                table[place] = int(tricks)
    return table


def rows_of_grid(text: str) -> list[str]:
    """Return the rows of a table that is one value: the strains, then each declarer with the tricks."""
    words = re.sub(r"\\[nt]", " ", text).split()
    starts = range(5, len(words), 6)
    return [f"{words[at]} {strain} {n}" for at in starts for strain, n in zip(words[:5], words[at + 1 :], strict=False)]


def read_ability(text: str) -> NDArray[np.int8]:
    """Return the table of ``N:34425 E:A98B7 ...``, int8 (4, 5), -1 for a seat that is left out.

    Raises:
        ValueError: other text.
    """
    table = np.full((4, 5), -1, np.int8)
    if _ABILITY.sub("", text.upper()).strip(" ;,"):
        raise ValueError(f"{text!r} is not five digits for each seat, as in 'N:34425 E:A98B7'")
    for seat, digits in _ABILITY.findall(text.upper()):
        table[SEATS.index(seat), _STRAINS] = [int(digit, 16) for digit in digits]
    return table


def read_digits(text: str) -> NDArray[np.int8]:
    """Return the table of twenty digits, int8 (4, 5), -1 for ``*``, ``-``, ``e`` or ``f``.

    Raises:
        ValueError: not twenty of 0 to 9, a to f, ``*`` and ``-``.
    """
    word = "".join(text.split()).lower()
    if not re.fullmatch(r"[0-9a-f*-]{20}", word):
        raise ValueError(f"{text!r} is not twenty digits of 0 to d, as in '{'7' * 20}'")
    digits = np.array([-1 if digit in "*-ef" else int(digit, 16) for digit in word], np.int8)
    table = np.empty((4, 5), np.int8)
    table[np.ix_(_DECLARERS, _STRAINS)] = digits.reshape(4, 5)
    return table


def table_rows(table: NDArray[np.int8]) -> list[str]:
    """Return the rows of a table, those that are known."""
    return [
        f"{SEATS[seat]} {STRAINS[strain]:>2} {table[seat, strain]:>2}"
        for seat in range(4) for strain in _STRAINS if table[seat, strain] >= 0
    ]  # fmt: skip


def tables_of(boards: Sequence[Board]) -> NDArray[np.int8]:
    """Return the tables of boards, int8 (N, 4, 5), -1 where they are not known."""
    unknown = np.full((4, 5), -1, np.int8)
    return np.array([unknown if board.table is None else board.table for board in boards], np.int8).reshape(-1, 4, 5)


def check_tables(boards: Iterable[Board]) -> list[tuple[Board, str]]:
    """Solve the deals of boards that have a table; return each board whose table is wrong, and where it differs."""
    from bridge_env.double_dummy.exact import library_then_solver  # here: reading a file loads no solver

    found = []
    for board in boards:
        if board.table is None or board.unknown_seats:
            continue
        if wrong := wrong_tricks(board, library_then_solver().tricks(board.owner[None])[0]):
            found.append((board, wrong))
    return found


def wrong_tricks(board: Board, exact: NDArray[np.int8]) -> str:
    """Return where the table of a board is not the exact one, int8 (4, 5); empty if it is or there is none."""
    if board.table is None:
        return ""
    wrong = np.argwhere((board.table >= 0) & (board.table != exact))
    texts = [f"{SEATS[s]} {STRAINS[t]} {board.table[s, t]} (it is {exact[s, t]})" for s, t in wrong.tolist()]
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return f"the double-dummy table is not that of the deal: {', '.join(texts[:3])}{more}" if texts else ""
