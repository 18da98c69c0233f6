"""The study of 2007 repeated: matches on boards whose dealer would open one no trump, 24 of them and then 10,000."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from agents.hierarchy.bidder import deal_features
from agents.maps.atlas import load
from agents.maps.bidder import MapBidder
from bridge_env import streams
from bridge_env.cards import board_vulnerability
from bridge_env.features import FEATURES
from training.match.boards import Boards, library_boards, standard_error
from training.match.duplicate import match

POINTS = (15, 17)
FEW, MANY = 24, 10_000
PUBLISHED = (-17, -22)  # IMPs of BridgeSOM against Jack over 24 boards
_STRETCH = 16_384


@dataclass(frozen=True)
class Result:
    """One match.

    Attributes:
        few: IMPs over the first 24 boards together; ``few_error``: of that sum.
        mean, error: IMPs a board over all; boards: how many; deals: of how many different ones.
    """

    opponent: str
    few: int
    few_error: float
    mean: float
    error: float
    boards: int
    deals: int


@dataclass(frozen=True)
class Row:
    """A system of maps: its file, what it learned from, its inputs, and its matches."""

    file: str
    learned_from: str
    inputs: str
    results: tuple[Result, ...]


def no_trump_boards(count: int, seed: int, split: str = "judging") -> Boards:
    """Boards whose dealer has 15 to 17 points and a balanced hand.

    Deals come in the order of ``library_boards``, those without such a hand left out; of several such hands chance
    takes one, and its seat deals. Vulnerability goes by board number, from 1 on.
    """
    parts: list[Boards] = []
    start = found = 0
    while found < count:
        some = library_boards(_STRETCH, seed, split, start=start)
        f = deal_features(some.owner)
        points, balanced = f[:, :, FEATURES["hcp"]], f[:, :, FEATURES["balanced"]] == 1
        fits = balanced & (points >= POINTS[0]) & (points <= POINTS[1])
        chance = streams.key("study of 2007", seed, some.number[:, None], np.arange(4)) >> np.uint64(1)
        dealer = np.where(fits, chance.astype(np.int64), -1).argmax(axis=1).astype(np.int16)
        parts.append(replace(some, dealer=dealer).take(np.flatnonzero(fits.any(axis=1))))
        found += len(parts[-1])
        start += _STRETCH
    names = ("owner", "dealer", "base", "tricks")
    owner, dealer, base, tricks = [np.concatenate([getattr(part, n) for part in parts])[:count] for n in names]
    number = np.arange(1, count + 1)
    what = f"{count:,} boards of the {split} split whose dealer has 15-17 balanced, seed {seed}"
    return Boards(owner, dealer, board_vulnerability(number).astype(np.int16), number, base, tricks, what)


def studied(path: Path, seed: int, many: int = MANY) -> Row:
    """The matches of one file of maps: against the system that taught it, if one did, and against sayc."""
    atlas = load(path)
    recorded = bool(atlas.fitted.get("recorded"))
    opponents = dict.fromkeys(("system:sayc",) if recorded else (atlas.reader, "system:sayc"))
    boards = no_trump_boards(many, seed)
    results = []
    for opponent in opponents:
        result = match(MapBidder(atlas, opponent), opponent, boards, seed)
        first = result.imps[:FEW]
        results.append(
            Result(opponent, int(first.sum()), len(first) * standard_error(first, boards.base[:FEW]), result.mean_imps,
                   result.standard_error, len(boards), len(np.unique(boards.base)))
        )  # fmt: skip
    name = "recorded auctions" if recorded else atlas.reader
    return Row("/".join(path.parts[-2:]), name, atlas.inputs, tuple(results))
