"""Save the boards of a match as they are played, and check on reading that they are possible."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import CARD_NUMBERS
from bridge_env.play import Plays
from bridge_env.schema import Whole
from training.cardplay.result import TABLES, PlayedBoard, board_row
from training.match.match import MatchResult
from training.running.kept import Kept, Row

_SHAPE = {"board": Whole(1), "cards": (str, str), "tricks": (Whole(0, 13), Whole(0, 13)), "fault": str}


class KeptBoards:
    """The boards of a match in a file.

    Args:
        header: what the boards depend on.
        bidding: the match. Its boards are replayed as they are read; of others the file keeps what it has.
    """

    def __init__(self, path: Path, header: dict[str, Any], bidding: MatchResult) -> None:
        self._file, self._bidding = Kept(path, header, _SHAPE), bidding

    def read(self, tell: Callable[[str], object]) -> dict[int, PlayedBoard]:
        """The boards that are in the file, by number; of one that is there twice, the later.

        Args:
            tell: hears of lines that are damaged, or cannot be what happened.

        Raises:
            KeptError: the file is of another match, or is none.
        """
        rows = self._file.read(self._check, tell)
        return {row["board"]: _board(row) for row in rows}

    def add(self, boards: dict[int, PlayedBoard]) -> None:
        self._file.add(board_row(number, board) for number, board in boards.items())

    def _check(self, rows: list[Row]) -> list[str | None]:
        faults = [self._words_fault(row) for row in rows]
        place = {int(number): i for i, number in enumerate(self._bidding.boards.number)}
        known = [k for k, row in enumerate(rows) if faults[k] is None and row["board"] in place and not row["fault"]]
        at = np.array([place[rows[k]["board"]] for k in known], np.int64)
        for table in (0, 1):
            told = self._replay([rows[k] for k in known], at, table)
            for k, why in zip(known, told, strict=True):
                faults[k] = faults[k] or (why and f"board {rows[k]['board']}, {TABLES[table]}: {why}")
        return faults

    def _words_fault(self, row: Row) -> str | None:
        words = [word for text in row["cards"] for word in text.split()]
        return next((f"{word[:20]!r} is no card" for word in words if word not in CARD_NUMBERS), None)

    def _replay(self, rows: list[Row], at: NDArray[np.int64], table: int) -> list[str | None]:
        """Return what is wrong with the play of some rows, boards ``at`` of the match, at one of its tables."""
        contracts = self._bidding.tables[table].contracts
        told = [_numbers(row["cards"][table]) for row in rows]
        faults: list[str | None] = [None] * len(rows)
        played = []
        for k, (i, cards) in enumerate(zip(at, told, strict=True)):
            wanted = 52 if contracts.declarer[i] >= 0 else 0
            if len(cards) != wanted:
                faults[k] = f"it has {len(cards)} cards, not {wanted}"
            elif wanted:
                played.append(k)
            elif rows[k]["tricks"][table]:
                faults[k] = f"it was passed out, with {rows[k]['tricks'][table]} tricks"
        if not played:
            return faults
        some = at[played]
        plays, wrong = Plays.replay_legal(
            self._bidding.boards.owner[some], contracts.declarer[some], contracts.bid[some] % 5,
            np.array([told[k] for k in played], np.int8),
        )  # fmt: skip
        for j, k in enumerate(played):
            tricks = rows[k]["tricks"][table]
            if wrong[j] >= 0:
                faults[k] = plays.fault_text(j, told[k][int(wrong[j])]).replace(f" at table {j}", "")
            elif tricks != plays.won[j]:
                faults[k] = f"the cards give {plays.won[j]} tricks, the line says {tricks}"
        return faults


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(CARD_NUMBERS[word] for word in text.split())


def _board(row: Row) -> PlayedBoard:
    first, second = row["tricks"]
    return PlayedBoard((_numbers(row["cards"][0]), _numbers(row["cards"][1])), (first, second), row["fault"])
