"""Label decisions at positions of the tree with the value of every sensible call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.paths import Path, readings
from bridge_env.hands.features import FEATURES
from bridge_env.rules.calls import FIRST_BID, NUM_BIDS
from training.evolution.refine.decisions import (
    UNTRIED,
    Decisions,
    DuelTable,
    Examples,
    Labeller,
    Selector,
    Worth,
    play_out,
)

GAME_BIDS = (14, 17, 18)  # 3NT 4H 4S
NEAREST, JUMPS = 6, 10  # bids above the last one that are tried; after bids of one
OPENINGS = 15  # before the opening: all bids of the first three levels

# Few words, those that players use: each further one finds more rules that only fit the boards at hand.
_PLAIN = ("hcp", "points", "longest", "shortest", "balanced", "controls", "losers", "rule20")
_BY_SUIT = (("length", ""), ("top5", "top5"), ("stopper", "stopper"), ("support", "support"))
_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
_CONDITIONS = ("vul", "they-vul")


@lru_cache(maxsize=256)
def words(names: tuple[str, str, str, str]) -> tuple[str, ...]:
    """Return the words of the columns of an example, with these names of suits."""
    by_suit = tuple(f"{word}:{name}" if word else name for _, word in _BY_SUIT for name in names)
    return (*_PLAIN, *by_suit, *(f"{names[a]}-{names[b]}" for a, b in _PAIRS), *_CONDITIONS)


def _columns(suits: tuple[int, int, int, int]) -> NDArray[np.int64]:
    """Return the columns of the hand's features that ``words`` names, without differences and conditions."""
    letters = "CDHS"
    by_suit = [FEATURES[f"{feature}:{letters[s]}"] for feature, _ in _BY_SUIT for s in suits]
    return np.array([FEATURES[w] for w in _PLAIN] + by_suit)


@lru_cache(maxsize=1 << 15)
def _readings(calls: tuple[int, ...], first: int) -> list[Path]:
    """Return the readings of a position for the side to call; ``first`` is 1 if the other side called first."""
    return readings(calls, first, 0)


def count_paths(tables: Sequence[DuelTable], select: Selector | None = None) -> Counter[str]:
    """Count the decisions, those that ``select`` selects or all, by reading of their position."""
    total: Counter[str] = Counter()
    for table in tables:
        decisions = table.decisions()
        counted = decisions.position
        if select is not None:
            counted = counted[select(table, decisions.row, decisions.number)]
        often = np.bincount(counted, minlength=len(decisions.positions))
        for (dealer, calls), count in zip(decisions.positions, often, strict=True):
            for path in _readings(calls, (dealer + table.number) & 1):
                total[path.text] += int(count)
    return total


def tokens(path: Path) -> tuple[str, ...]:
    """Return the calls worth trying at a position, as lines write them."""
    if not path.steps:
        return ("P", *(f"{level}{strain}" for level in (1, 2, 3) for strain in ("C", "D", "H", "S", "N")))
    forms = [f"{form}:{name}" for form in ("lowest", "jump") for name in path.names]
    return ("P", "X", "XX", *forms, "lowest:N", "3N", f"game:{path.names[2]}", f"game:{path.names[3]}")


def _tried(legal: NDArray[np.bool_], before: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return which of the legal calls, bool (N, 38), are within reach of the last bid of ``before``, int8 (N, L), or
    games.
    """
    last = np.maximum(before.max(axis=1, initial=-1).astype(int) - FIRST_BID, -1)[:, None]
    reach = np.where(last < 0, OPENINGS, last + 1 + np.where(last < 5, JUMPS, NEAREST))
    bids = np.arange(NUM_BIDS)
    within = np.ones(legal.shape, np.bool_)
    within[:, FIRST_BID:] = (bids < reach) | np.isin(bids, GAME_BIDS)
    return legal & within


def label(
    tables: Sequence[DuelTable], wanted: Mapping[str, int], by: Labeller = play_out, on: NDArray[np.bool_] | None = None
) -> dict[str, list[Examples]]:
    """Return examples by reading, of each of ``wanted`` the first so many decisions of the auctions ``on``, bool (2,
    N).
    """
    out: dict[str, list[Examples]] = {}
    for table in tables:
        decisions = table.decisions(None if on is None else on[table.number])
        read = [_readings(calls, (dealer + table.number) & 1) for dealer, calls in decisions.positions]
        chosen = _choose(decisions, read, wanted)
        rows = np.unique(np.concatenate([d for d, _ in chosen.values()])) if chosen else np.zeros(0, int)
        if not rows.size:
            continue
        board, number = decisions.row[rows], decisions.number[rows]
        worth = by(table, board, number, _tried(*table.legal_calls(board, number)))
        place = np.full(len(decisions.row), -1)
        place[rows] = np.arange(len(rows))
        for text, (which, path_of) in chosen.items():
            out.setdefault(text, []).append(_examples(text, which, path_of, decisions, worth[place[which]], table))
    return out


def _choose(
    decisions: Decisions, read: list[list[Path]], wanted: Mapping[str, int]
) -> dict[str, tuple[NDArray[np.int64], dict[int, Path]]]:
    """Return for each reading the decisions to label, and the path of each of their positions."""
    positions: dict[str, dict[int, Path]] = {}
    for number, paths in enumerate(read):
        for path in paths:
            if path.text in wanted:
                positions.setdefault(path.text, {})[number] = path
    out = {}
    for text, path_of in positions.items():
        which = np.flatnonzero(np.isin(decisions.position, list(path_of)))
        out[text] = which[np.argsort(decisions.row[which], kind="stable")][: wanted[text]], path_of
    return out


def _examples(
    text: str, which: NDArray[np.int64], path_of: dict[int, Path], decisions: Decisions, worth: Worth, table: DuelTable
) -> Examples:
    """Return the examples of one reading, suits in the order of its names."""
    boards, features = table.boards, table.features
    any_path = next(iter(path_of.values()))
    calls = tokens(any_path)
    x = np.empty((len(which), len(words(any_path.names))), np.int16)
    y = np.full((len(which), len(calls)), UNTRIED, worth.dtype)
    bid = {step.token[1:] for step in any_path.steps if not step.theirs}  # the names of the suits that our side has bid
    ours = np.array([name in bid for name in any_path.names])
    board, number, position = decisions.row[which], decisions.number[which], decisions.position[which]
    seat = (boards.dealer[board] + number) & 3
    vulnerable = boards.vulnerability[board]
    for p, path in path_of.items():
        mine = np.flatnonzero(position == p)
        if not mine.size:
            continue
        dealer, before = decisions.positions[p]
        last = max((c - FIRST_BID for c in before if c >= FIRST_BID), default=-1)
        hand = features[board[mine], seat[mine]]
        plain = hand[:, _columns(path.suits)]
        lengths, *_, support = np.split(plain[:, len(_PLAIN) :], len(_BY_SUIT), axis=1)  # four columns each
        support *= ours  # it counts for suits that we have bid
        differences = np.stack([np.sign(lengths[:, a] - lengths[:, b]) for a, b in _PAIRS], axis=1)
        side = (dealer + len(before)) & 1
        conditions = np.stack([(vulnerable[mine] >> side) & 1, (vulnerable[mine] >> (1 - side)) & 1], axis=1)
        x[mine] = np.concatenate([plain, differences, conditions], axis=1)
        for j, token in enumerate(calls):
            call = path.call(token, last)
            if call >= 0 and token not in calls[:j]:
                y[mine, j] = worth[mine, call]
    return Examples(text, words(any_path.names), calls, x, y, board + table.board_range.start)
