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
        problems: of all files.
    """

    files: int = 0
    boards: int = 0
    called: int = 0
    problems: list[Problem] = field(default_factory=list)

    def add(self, item: Board | Problem) -> None:
        """Count one thing that ``iter_records`` yields."""
        if isinstance(item, Board):
            self.boards += 1
            self.called += item.auction is not None
        else:
            self.problems.append(item)

    def __str__(self) -> str:
        lost = sum(problem.board for problem in self.problems)
        total = self.called + sum(problem.auction for problem in self.problems)
        share = 100 * self.called / total if total else 100
        lines = [
            f"{self.files:,} files, {self.boards:,} boards read, {lost:,} left out",
            f"with a deal and an auction: {self.called:,} of {total:,} read ({share:.2f}%)",
        ]
        first = {problem.kind: problem for problem in reversed(self.problems)}
        kinds = Counter(problem.kind for problem in self.problems)
        for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
            lines.append(f"  {count:,} {kind}, such as {first[kind]}")
        return "\n".join(lines)
