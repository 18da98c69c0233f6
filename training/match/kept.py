"""Save the auctions of a match as they are bid, so that the same command goes on where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import MAX_CALLS, Auctions, one_auction
from bridge_env.boards import Boards
from bridge_env.calls import call_text, parse_call
from bridge_env.schema import Whole
from training.running.kept import Kept, Row

_SHAPE = {"place": Whole(1), "auctions": (str, str)}


class KeptAuctions:
    """The auctions of a match in a file, by the places of its boards.

    Args:
        a, b: what the teams are called; seed: of the match.
        boards: the match's.
    """

    def __init__(self, path: Path, a: str, b: str, seed: int, boards: Boards) -> None:
        first = hashlib.sha256(boards.owner[0].tobytes() + boards.number[:1].tobytes()).hexdigest()
        self._file = Kept(path, {"auctions_of": [a, b], "seed": seed, "first_deal": first[:16]}, _SHAPE)
        self._boards = boards

    def read(self, tell: Callable[[str], object]) -> tuple[NDArray[np.int64], Auctions]:
        """Which boards of the match are in the file, and their auctions: all at the first table, then at the second.

        Args:
            tell: hears of lines that are damaged, or cannot be what happened.

        Raises:
            KeptError: the file is of another match, or is none.
        """
        rows = self._file.read(lambda rows: [self._fault(row) for row in rows], tell)
        known = {row["place"] - 1: row["auctions"] for row in rows if row["place"] <= len(self._boards)}
        at = np.array(sorted(known), np.int64)
        history = np.full((2 * len(at), MAX_CALLS), -1, np.int8)
        for row, text in enumerate(known[place][table] for table in (0, 1) for place in at.tolist()):
            calls = _calls(text)
            history[row, : len(calls)] = calls
        both = np.tile(at, 2)
        return at, Auctions.replay(history, self._boards.dealer[both], self._boards.vulnerability[both])

    def add(self, places: NDArray[np.int64], histories: list[NDArray[np.int8]]) -> None:
        """Add the boards at these places; ``histories`` are of both tables, int8 (N, L) each."""
        self._file.add(
            {"place": place + 1, "auctions": [" ".join(call_text(int(c)) for c in h[k] if c >= 0) for h in histories]}
            for k, place in enumerate(places.tolist())
        )

    def _fault(self, row: Row) -> str | None:
        place = row["place"] - 1
        if place >= len(self._boards):
            return None  # of more boards than this match has
        for text in row["auctions"]:
            try:
                over = one_auction(_calls(text), self._boards.dealer[place], self._boards.vulnerability[place]).done[0]
            except ValueError as error:
                return str(error)
            if not over:
                return f"the auction {text[:40]!r} is not over"
        return None


def _calls(text: str) -> list[int]:
    return [parse_call(word) for word in text.split()]
