"""Read PBN or LIN records, and report what could not be read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bridge_env.records.board import Board, Problem, ReadResult
from bridge_env.records.lin import iter_lin
from bridge_env.records.pbn import iter_boards

MOST_PROBLEMS = 100_000
"""How many a report keeps; it counts all."""


def iter_records(path: str | os.PathLike[str]) -> Iterator[Board | Problem]:
    """Boards and problems of a file one by one: LIN if its name ends in ``.lin`` or ``.lin.gz``, else PBN.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return iter_lin(path) if name.endswith(".lin") else iter_boards(path)


def read_records(path: str | os.PathLike[str]) -> ReadResult:
    """All boards of a file, and what was left out: LIN or PBN, as :func:`iter_records` tells them apart.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    return ReadResult.of(iter_records(path))


@dataclass(slots=True)
class Report:
    """Counts over boards."""

    files: int = 0
    read: int = 0  # boards that were read
    whole: int = 0  # those of them with an auction (a deal they all have)
    lost: int = 0  # boards that were left out
    lost_whole: int = 0  # those of them that carry a deal and an auction
    text: int = 0  # other pieces of the files that were left out
    kinds: Counter[str] = field(default_factory=Counter)  # boards left out and pieces of text, by kind of reason
    # the first problem of each kind, and the first ``MOST_PROBLEMS`` of all
    problems: list[Problem] = field(default_factory=list)

    def add(self, item: Board | Problem) -> None:
        """Count one thing that ``iter_records`` gave."""
        if isinstance(item, Board):
            self.read += 1
            self.whole += item.auction is not None
            return
        self.kinds[item.kind] += 1
        if len(self.problems) < MOST_PROBLEMS or self.kinds[item.kind] == 1:
            self.problems.append(item)
        self.lost += item.board
        self.lost_whole += item.auction
        self.text += not item.board

    def share(self) -> float:
        """Return the share of boards with deal and auction that were read; 1 if there are none."""
        total = self.whole + self.lost_whole
        return self.whole / total if total else 1.0

    def __str__(self) -> str:
        total = self.whole + self.lost_whole
        lines = [
            f"{self.files:,} files, {self.read:,} boards read, {self.lost:,} left out",
            f"with a deal and an auction: {self.whole:,} of {total:,} read ({100 * self.share():.2f}%)",
        ]
        first = {problem.kind: problem for problem in reversed(self.problems)}
        for kind, count in sorted(self.kinds.items(), key=lambda item: (-item[1], item[0])):
            lines.append(f"  {count:,} {kind}, such as {first[kind]}")
        return "\n".join(lines)
