"""The study of 2007 repeated: matches on boards whose dealer would open one no trump, 24 of them and then 10,000.

DeLooze and Downey (2007) trained six self-organizing maps on examples made by rules, and let them play 24 boards on
which no trump is opened against the program Jack. Here maps meet the system that taught them and ``system:sayc``, so
the results can be compared in size only. The maps are judged in detail too: whether they are wrong where they are
unsure, and what they gain by the two maps that 2007 had not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from agents.maps.atlas import Atlas
from agents.maps.bidder import MapBidder
from agents.maps.situations import PUBLISHED
from agents.systems.bidder import deal_features
from bridge_env.bidders.registry import make
from bridge_env.hands.features import FEATURES
from bridge_env.rng import streams
from bridge_env.rules.cards import board_vulnerability
from training.cases.judge import percent
from training.cases.states import Calls
from training.evaluation.boards import Boards, library_boards, standard_error
from training.evaluation.duplicate import match
from training.maps.judge import Match, play_matches
from training.runtime.pages import table

POINTS = (15, 17)
FEW, MANY = 24, 10_000
PUBLISHED_IMPS = (-17, -22)  # of BridgeSOM against Jack over 24 boards
_STRETCH = 16_384
_BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0)  # bounds of stated shares


@dataclass(frozen=True)
class Result:
    """Hold a match of a file's maps on boards with a no-trump opener."""

    file: str
    learned_from: str  # a system, or recorded auctions
    inputs: str
    opponents: str
    few: int  # IMPs over the first 24 boards together
    few_error: float
    mean: float  # IMPs a board over all
    error: float
    boards: int
    deals: int  # different ones


@dataclass(frozen=True)
class Bin:
    """Hold figures of the calls about which the maps are about equally sure."""

    name: str  # the bounds of the unit's share, or an exact share
    calls: int
    stated: float  # the mean share of the unit's hands that made the call, in percent
    right: int  # calls that the teacher makes too
    differ: int  # calls in which another system differs from the teacher


def no_trump_boards(count: int, seed: int, split: str = "judging") -> Boards:
    """Return boards whose dealer has 15 to 17 points and a balanced hand.

    Deals come in the order of ``library_boards``, without those that have no such hand; of several such hands a random
    one deals. Vulnerability goes by board number, from 1 on.
    """
    parts: list[Boards] = []
    start = found = 0
    while found < count:
        some = library_boards(_STRETCH, seed, split, start=start)
        f = deal_features(some.owner)
        points, balanced = f[:, :, FEATURES["hcp"]], f[:, :, FEATURES["balanced"]] == 1
        fits = balanced & (points >= POINTS[0]) & (points <= POINTS[1])
        random = streams.key("study of 2007", seed, some.number[:, None], np.arange(4)) >> np.uint64(1)
        dealer = np.where(fits, random.astype(np.int64), -1).argmax(axis=1).astype(np.int16)
        parts.append(replace(some, dealer=dealer).take(np.flatnonzero(fits.any(axis=1))))
        found += len(parts[-1])
        start += _STRETCH
    names = ("owner", "dealer", "base", "tricks")
    owner, dealer, base, tricks = [np.concatenate([getattr(part, n) for part in parts])[:count] for n in names]
    number = np.arange(1, count + 1)
    title = f"{count:,} boards of the {split} split whose dealer has 15-17 balanced, seed {seed}"
    return Boards(owner, dealer, board_vulnerability(number).astype(np.int16), number, base, tricks, title)


def is_recorded(atlas: Atlas) -> bool:
    """Return whether maps learned from recorded auctions."""
    return bool(atlas.fitted.get("recorded"))


def no_trump_matches(path: Path, atlas: Atlas, seed: int, many: int = MANY) -> list[Result]:
    """Return the matches of a file's maps: against the system that taught them, if one did, and against sayc."""
    name = "recorded auctions" if is_recorded(atlas) else atlas.reader
    boards = no_trump_boards(many, seed)
    results = []
    for opponents in dict.fromkeys(("system:sayc",) if is_recorded(atlas) else (atlas.reader, "system:sayc")):
        found = match(MapBidder(atlas, opponents), opponents, boards, seed)
        first = found.imps[:FEW]
        few_error = len(first) * standard_error(first, boards.base[:FEW])
        results.append(
            Result("/".join(path.parts[-2:]), name, atlas.inputs, opponents, int(first.sum()), few_error,
                   found.mean_imps, found.standard_error, len(boards), len(np.unique(boards.base)))
        )  # fmt: skip
    return results


def by_sureness(atlas: Atlas, examples: Calls, expert: str) -> list[Bin]:
    """Return how often maps are right and a system, ``expert``, differs, by the share of the unit's hands."""
    found = MapBidder(atlas).consult(examples.view)
    right = found.call == examples.called
    differ = make(expert).bid(examples.view, np.zeros(len(examples), np.uint64)) != examples.called
    sure, empty = found.share >= 1.0, np.isnan(found.share)
    number = np.searchsorted(_BINS[1:-1], found.share, side="right")
    kinds = {
        f"{100 * low:.0f} to {100 * high:.0f}%": (number == n) & ~sure & ~empty
        for n, (low, high) in enumerate(pairwise(_BINS))
    } | {"all hands": sure, "no hand": empty}
    return [
        Bin(name, int(rows.sum()), 100 * float(np.nan_to_num(found.share[rows]).mean()), int(right[rows].sum()),
            int(differ[rows].sum()))
        for name, rows in kinds.items() if rows.any()
    ]  # fmt: skip


def six_map_matches(atlas: Atlas, boards: int) -> list[Match]:
    """Return matches of the six maps of 2007 against sayc; all other calls are the teacher's, or passes."""
    six = {k: one for k, one in atlas.maps.items() if k < PUBLISHED}
    forms = {f"six maps, else {fallback or 'pass'}": fallback for fallback in (atlas.reader, "")}
    return [
        result
        for name, fallback in forms.items()
        for result in play_matches(replace(atlas, maps=six, fallback=fallback), boards, name, ["system:sayc"])
    ]


def result_table(results: Sequence[Result]) -> list[str]:
    """Return the lines of the table of no-trump boards, the published result first."""
    heads = ("maps", "learned from", "inputs", "opponents", "first 24 boards, IMPs", "all, IMPs a board", "boards",
             "deals")  # fmt: skip
    imps = f"{PUBLISHED_IMPS[0]} to {PUBLISHED_IMPS[1]}"
    cells = [("BridgeSOM, published", "rules", "published", "Jack", imps, "", str(FEW), "")]
    for r in results:
        few, mean = f"{r.few:+d} ± {r.few_error:.0f}", f"{r.mean:+.2f} ± {r.error:.2f}"
        cells.append((r.file, r.learned_from, r.inputs, r.opponents, few, mean, f"{r.boards:,}", f"{r.deals:,}"))
    return table(heads, cells, left=4)


def bin_table(bins: Sequence[Bin]) -> list[str]:
    """Return the lines of the table of bins."""
    cells = (
        (b.name, f"{b.calls:,}", f"{b.stated:.1f}", percent(b.right, b.calls), percent(b.differ, b.calls)) for b in bins
    )
    return table(("share of the unit's hands", "calls", "stated %", "right %", "expert differs %"), cells)
