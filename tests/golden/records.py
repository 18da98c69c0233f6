"""PBN and LIN records written and read again, and records of other programs with faults."""

from __future__ import annotations

import io
from typing import Any

from tests.golden import entry
from tests.golden.digests import Case, Series

_BOARDS = 150


def _pbn() -> dict[str, Any]:
    boards = [entry.random_record(True, seed) for seed in range(_BOARDS)]
    texts = [entry.board_text(board) for board in boards]
    found = entry.read_boards(io.StringIO("\n".join(texts)))
    return {
        "texts": Series(texts),
        "read again": Series(map(entry.board_fields, found.boards)),
        "problems": [problem.line for problem in found.problems],
    }


def _lin() -> dict[str, Any]:
    texts, links = [], []
    for seed in range(_BOARDS):
        board = entry.random_record(False, seed)
        try:
            texts.append(entry.lin_text(board))
            links.append(entry.viewer_link(board))
        except ValueError:
            texts.append("not written")
    found = entry.read_lin(io.StringIO("\n".join(texts)))
    return {
        "texts": Series(texts),
        "links": Series(links),
        "read again": Series(map(entry.board_fields, found.boards)),
        "problems": [problem.line for problem in found.problems],
    }


CASES: dict[str, Case] = {"pbn": _pbn, "lin": _lin}
SLOW: frozenset[str] = frozenset()
