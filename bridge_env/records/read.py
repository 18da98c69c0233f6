"""Read PBN or LIN records, and report what could not be read."""

from __future__ import annotations

import os
from collections import Counter

from bridge_env.records.board import ReadResult
from bridge_env.records.lin import read_lin
from bridge_env.records.pbn import read_boards


def read_records(path: str | os.PathLike[str]) -> ReadResult:
    """Read all boards of a file: LIN if its name ends in ``.lin`` or ``.lin.gz``, else PBN.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return read_lin(path) if name.endswith(".lin") else read_boards(path)


def report(result: ReadResult) -> str:
    """Count the boards that were read and left out, and the problems by their kinds with the first of each."""
    lost = sum(problem.board for problem in result.problems)
    called = sum(board.auction is not None for board in result.boards)
    lines = [f"{len(result.boards):,} boards read, {called:,} of them with an auction; {lost:,} left out"]
    first = {problem.kind: problem for problem in reversed(result.problems)}
    kinds = Counter(problem.kind for problem in result.problems)
    for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
        lines.append(f"  {count:,} {kind}, such as {first[kind]}")
    return "\n".join(lines)
