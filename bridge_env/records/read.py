"""Read PBN or LIN records, and report what could not be read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bridge_env.records.board import Board, Problem, ReadResult
from bridge_env.records.lin import iter_lin
from bridge_env.records.pbn import iter_boards


def iter_records(path: str | os.PathLike[str]) -> Iterator[Board | Problem]:
    """Yield the boards and problems of a file one by one: LIN if its name ends in ``.lin`` or ``.lin.gz``, else PBN.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return iter_lin(path) if name.endswith(".lin") else iter_boards(path)


def read_records(path: str | os.PathLike[str]) -> ReadResult:
    """Read all boards of a file: LIN or PBN by its name, as :func:`iter_records`.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    return ReadResult.of(iter_records(path))


@dataclass(slots=True)
class Report:
    """Counts over the boards of some files.

    Attributes:
        files, boards: how many were read; called: boards with an auction (they all have a deal).
        lost: boards that were left out; lost_called: those of them with a deal and an auction.
        pieces: other pieces of the files that were left out.
        kinds: the number of problems by their kind.
    """

    files: int = 0
    boards: int = 0
    called: int = 0
    lost: int = 0
    lost_called: int = 0
    pieces: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    def add(self, item: Board | Problem) -> None:
        """Count one thing that ``iter_records`` yields."""
        if isinstance(item, Board):
            self.boards += 1
            self.called += item.auction is not None
            return
        self.kinds[item.kind] += 1
        self.problems.append(item)
        self.lost += item.board
        self.lost_called += item.auction
        self.pieces += not item.board

    def share(self) -> float:
        """Return the share of boards with deal and auction that were read; 1 if there are none."""
        total = self.called + self.lost_called
        return self.called / total if total else 1.0

    def __str__(self) -> str:
        total = self.called + self.lost_called
        lines = [
            f"{self.files:,} files, {self.boards:,} boards read, {self.lost:,} left out",
            f"with a deal and an auction: {self.called:,} of {total:,} read ({100 * self.share():.2f}%)",
        ]
        first = {problem.kind: problem for problem in reversed(self.problems)}
        for kind, count in sorted(self.kinds.items(), key=lambda item: (-item[1], item[0])):
            lines.append(f"  {count:,} {kind}, such as {first[kind]}")
        return "\n".join(lines)
