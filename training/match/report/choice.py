"""Choose the boards that a report keeps in full: the biggest swings, some by chance of each class, and those named."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bridge_env import streams
from training.match.match import MatchResult
from training.match.report.classes import ALIKE, Classes

SAMPLE = 8
"""Boards of a class that are chosen by chance."""
SWINGS = 180
"""Boards that are chosen for their swing."""


def chosen(match: MatchResult, classes: Classes) -> NDArray[np.int64]:
    """Positions of the boards to keep, the most wanted first; no board twice. The same match gives the same boards.

    First those that the table of calls names, then a sample of each class, then the biggest swings. Small matches are
    kept whole.
    """
    order = np.argsort(-np.abs(match.imps), kind="stable")
    named = np.flatnonzero(np.isin(match.boards.number, [n for share in classes.calls for n in share.examples]))
    wanted: list[int] = [*named.tolist(), *_sample(match, classes)]
    most = len(dict.fromkeys(wanted)) + SWINGS
    return _distinct([*wanted, *order.tolist()], most)


def _sample(match: MatchResult, classes: Classes) -> Iterable[int]:
    key = streams.key("report", match.seed, match.boards.number)
    for number in (*(row.number for row in classes.rows), ALIKE):
        rows = np.flatnonzero(classes.of_board == number)
        yield from rows[np.argsort(key[rows], kind="stable")][:SAMPLE].tolist()


def _distinct(rows: list[int], most: int) -> NDArray[np.int64]:
    return np.array(list(dict.fromkeys(rows))[:most], np.int64)
