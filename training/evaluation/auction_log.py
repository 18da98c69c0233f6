"""Save the auctions of a match as they are bid, so that the same command resumes where it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy.boards import Boards
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text, histories_of, parse_call
from training.evaluation.boards import first_deal_hash
from training.runtime.result_log import ResultLog, ResultLogError


@dataclass(frozen=True)
class _Row:
    """The auctions of a board at both tables; ``place`` counts the match's boards from 1."""

    place: int
    auctions: tuple[str, str]


class AuctionLog:
    """The auctions of a match in a file, by the places of its boards.

    Args:
        a, b: names of the teams.
        seed: of the match.
        boards: of the match.
    """

    def __init__(self, path: Path, a: str, b: str, seed: int, boards: Boards) -> None:
        header = {"auctions_of": [a, b], "seed": seed, "first_deal": first_deal_hash(boards)}
        self._log, self._boards = ResultLog(path, header, _Row), boards

    def read(self) -> tuple[NDArray[np.int64], Auctions]:
        """Return the boards in the file, int64 (N,) by position, and their 2N auctions, all at the first table first.

        Raises:
            ResultLogError: the file is of another match, or damaged.
        """
        rows = {row.place - 1: row.auctions for row in self._log.read() if row.place <= len(self._boards)}
        known = np.array(sorted(rows), np.int64)
        both = np.tile(known, 2)
        try:
            calls = [list(map(parse_call, rows[at][table].split())) for table in (0, 1) for at in known.tolist()]
            auctions = Auctions.replay(histories_of(calls), self._boards.dealer[both], self._boards.vulnerability[both])
        except ValueError as error:
            raise ResultLogError(f"{self._log.path}: {error}") from None
        if not auctions.done.all():
            raise ResultLogError(f"{self._log.path}: an auction is not complete")
        return known, auctions

    def add(self, places: NDArray[np.int64], histories: list[NDArray[np.int8]]) -> None:
        """Append the boards at ``places`` (N,); ``histories`` are int8 (N, L) for each of the two tables."""
        texts = [[" ".join(call_text(int(c)) for c in row if c >= 0) for row in history] for history in histories]
        rows = zip(places.tolist(), *texts, strict=True)
        self._log.add(_Row(place + 1, (first, second)) for place, first, second in rows)
