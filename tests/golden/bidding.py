"""Calls of every bidder of the package against others, on judging boards."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.golden import entry
from tests.golden.digests import Case

_TRIVIAL = ("pass", "doubler", "random")
_OTHERS = (
    "pair:system:sayc,system:acol", "pair:system:precision,policy:champion", "system:sayc?without=splinter+support",
    "policy:by-the-book?truth=16",
)  # fmt: skip


def _matches(pairs: Iterable[tuple[str, str]], boards: int) -> dict[str, Any]:
    """Both auctions, contracts, tricks and IMPs of each board, by pair of specs."""
    found = {}
    for a, b in pairs:
        result = entry.play(a, b, boards, 2)
        tables = [[table.history, list(table.contracts), table.tricks, table.score] for table in result.tables]
        found[f"{a} - {b}"] = [f"{result.mean_imps:+.3f} IMPs", tables, result.imps]
    return found


def _ring(specs: list[str], boards: int, step: int = 1) -> dict[str, Any]:
    """Each bidder against another one of the list, so that every one sits in two matches."""
    return _matches([(spec, specs[(at + step) % len(specs)]) for at, spec in enumerate(specs)], boards)


def _systems() -> dict[str, Any]:
    return _ring(entry.shipped_systems(), 2_000)


def _networks() -> dict[str, Any]:
    return _ring(entry.shipped_networks(), 400)


def _others() -> dict[str, Any]:
    return _ring([*_OTHERS, *_TRIVIAL], 200)


def _each_against_each() -> dict[str, Any]:
    specs = [*entry.shipped_systems(), *entry.shipped_networks(), *_TRIVIAL]
    return _matches(combinations_with_replacement(specs, 2), 100)


def _many_boards() -> dict[str, Any]:
    """5,000 boards of each bidder, in two matches."""
    return _ring([*entry.shipped_systems(), *entry.shipped_networks(), *_TRIVIAL], 5_000, step=4)


def _lookahead(boards: int) -> dict[str, Any]:
    return _matches(
        [
            ("reason:sayc?samples=16", "system:acol"), ("reason:empty?samples=16", "pass"),
            ("reason:two-over-one?samples=16", "policy:acol"),
            ("reason:policy:champion?samples=16&looks=1", "policy:standard"),
            ("reason:policy:by-the-book?samples=16&looks=1", "system:sayc"),
        ],
        boards,
    )  # fmt: skip


def _by_example() -> dict[str, Any]:
    """A case base and maps, as the tests make them; their fits use floats, of which calls are made by whole numbers."""
    with TemporaryDirectory() as folder:
        files = entry.small_files(Path(folder))
        found = {}
        for kind, spec in files.items():
            for name, values in _matches([(spec, "system:sayc"), (spec, "policy:acol")], 60).items():
                found[name.replace(spec, kind)] = values
        return found


CASES: dict[str, Case] = {
    "systems": _systems, "networks": _networks, "others": _others, "by example": _by_example,
    "each against each": _each_against_each, "many boards": _many_boards,
    "look-ahead": partial(_lookahead, 2), "more look-ahead": partial(_lookahead, 20),
}  # fmt: skip
SLOW = frozenset({"look-ahead", "each against each", "many boards", "more look-ahead"})
