"""Repeat the study of 2007: matches on boards whose dealer would open one no trump, 24 of them and then 10,000.

DeLooze and Downey (2007) trained six self-organizing maps on examples made by rules, and let them play 24 boards on
which no trump is opened against the program Jack. Here maps meet the system that taught them and ``system:sayc``, so
the results can be compared in size only. The maps are judged in detail too: whether they are wrong where they are
unsure, and what they gain by the two maps that 2007 had not. Pictures show them: a unit's colour is its most frequent
call, paler the fewer of its hands made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import Atlas, Map, load
from agents.maps.bidder import MapBidder
from agents.maps.inputs import PUBLISHED, SITUATIONS
from agents.systems.bidder import deal_features
from bridge_env.bidders.registry import make
from bridge_env.hands.features import FEATURES
from bridge_env.rng import streams
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, call_text
from bridge_env.rules.cards import board_vulnerability
from studies.tables import Found, run_study
from training.evaluation.boards import Boards, library_boards, standard_error
from training.evaluation.duplicate import match
from training.evaluation.recorded_calls import Calls, percent
from training.evaluation.verdict import rows_table
from training.maps.fit import held_out_examples, play_matches
from training.runtime.pages import drawn, table

POINTS = (15, 17)
FEW, MANY = 24, 10_000
PUBLISHED_ROW = ("BridgeSOM, published", "rules", "published", "Jack", "-17 to -22", "", str(FEW), "")
_STRETCH = 16_384
_BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0)  # bounds of stated shares
_STRAINS = ((0.18, 0.55, 0.25), (0.95, 0.60, 0.10), (0.85, 0.15, 0.20), (0.15, 0.30, 0.75), (0.55, 0.25, 0.65))
_SHADES = (0.4, 0.2, 0.0, -0.3, -0.45, -0.6, -0.7)  # of the levels, lighter to darker
_NAMED = 8  # calls in a legend


def repeat(
    file: Path, /, *files: Path, expert: str | None = None, match_boards: int = 5000, seed: int = 1,
    out: Path = Path("results/maps/study-2007"),
) -> Found:  # fmt: skip
    """Repeat BridgeSOM (2007): play 1NT openers' deals against the maps' teacher and system:sayc.

    Args:
        file: maps (.npz) of 'bridge-env fit maps'
        files: more of them
        expert: compare with this system (default: two-over-one, or sayc)
        match_boards: boards with six maps
        seed: random seed
        out: folder for the results
    """
    results: dict[str, list[Any]] = {"no-trump boards": [], "six maps": [], "sureness": []}
    tables: dict[str, list[str]] = {"No-trump boards": []}
    atlases = {path: load(path) for path in (file, *files)}
    out.mkdir(parents=True, exist_ok=True)
    for number, (path, atlas) in enumerate(atlases.items(), 1):
        found = no_trump_matches(path, atlas, seed)
        results["no-trump boards"] += found
        for row in found:
            print(f"{row.file} against {row.opponents}: {row.mean:+.2f} ± {row.error:.2f} IMPs a board")
        draw_maps(atlas, out / f"maps-{number}.png")
        if atlas.fitted.get("recorded"):
            continue
        six = replace(atlas, maps={k: one for k, one in atlas.maps.items() if k < PUBLISHED})
        matches = [
            result
            for rest in (atlas.reader, "")  # which makes the other calls
            for result in play_matches(
                replace(six, fallback=rest), match_boards, f"six maps, else {rest or 'pass'}", ["system:sayc"]
            )
        ]
        other = expert or ("system:two-over-one" if atlas.reader == "system:sayc" else "system:sayc")
        bins = by_sureness(atlas, held_out_examples(atlas.reader, seed), other)
        tables[f"{path}: six maps"] = rows_table(matches)
        tables[f"{path}: right where they are sure? The expert is {other}"] = bin_table(bins)
        results["six maps"] += matches
        results["sureness"] += bins
    tables["No-trump boards"] = result_table(results["no-trump boards"])
    return out, tables, {name: [asdict(row) for row in part] for name, part in results.items()}


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


def no_trump_boards(count: int, seed: int) -> Boards:
    """Return judging boards whose dealer has 15 to 17 points and a balanced hand.

    Deals come in the order of ``library_boards``, without those that have no such hand; of several such hands a random
    one deals. Vulnerability goes by board number, from 1 on.
    """
    parts: list[Boards] = []
    start = found = 0
    while found < count:
        some = library_boards(_STRETCH, seed, "judging", start=start)
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
    title = f"{count:,} boards of the judging split whose dealer has 15-17 balanced, seed {seed}"
    return Boards(owner, dealer, board_vulnerability(number).astype(np.int16), number, base, tricks, title)


def no_trump_matches(path: Path, atlas: Atlas, seed: int, many: int = MANY) -> list[Result]:
    """Return the matches of a file's maps: against the system that taught them, if one did, and against sayc."""
    recorded = bool(atlas.fitted.get("recorded"))
    boards = no_trump_boards(many, seed)
    results = []
    for opponents in dict.fromkeys(("system:sayc",) if recorded else (atlas.reader, "system:sayc")):
        found = match(MapBidder(atlas, opponents), opponents, boards, seed)
        first = found.imps[:FEW]
        few_error = len(first) * standard_error(first, boards.base[:FEW])
        results.append(
            Result("/".join(path.parts[-2:]), "recorded auctions" if recorded else atlas.reader, atlas.inputs,
                   opponents, int(first.sum()), few_error, found.mean_imps, found.standard_error, len(boards),
                   len(np.unique(boards.base)))
        )  # fmt: skip
    return results


def result_table(results: Sequence[Result]) -> list[str]:
    """Return the lines of the table of no-trump boards, the published result first."""
    heads = ("maps", "learned from", "inputs", "opponents", "first 24 boards, IMPs", "all, IMPs a board", "boards",
             "deals")  # fmt: skip
    cells = [PUBLISHED_ROW]
    for r in results:
        few, mean = f"{r.few:+d} ± {r.few_error:.0f}", f"{r.mean:+.2f} ± {r.error:.2f}"
        cells.append((r.file, r.learned_from, r.inputs, r.opponents, few, mean, f"{r.boards:,}", f"{r.deals:,}"))
    return table(heads, cells, left=4)


@dataclass(frozen=True)
class Bin:
    """Hold figures of the calls about which the maps are about equally sure."""

    name: str  # the bounds of the unit's share, or an exact share
    calls: int
    stated: float  # the mean share of the unit's hands that made the call, in percent
    right: int  # calls that the teacher makes too
    differ: int  # calls in which another system differs from the teacher


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


def bin_table(bins: Sequence[Bin]) -> list[str]:
    """Return the lines of the table of bins."""
    cells = (
        (b.name, f"{b.calls:,}", f"{b.stated:.1f}", percent(b.right, b.calls), percent(b.differ, b.calls)) for b in bins
    )
    return table(("share of the unit's hands", "calls", "stated %", "right %", "expert differs %"), cells)


def colours() -> NDArray[np.float64]:
    """Return a colour for each call, float64 (38, 3): the strain's, darker the higher; pass grey, doubles cyan."""
    out = np.zeros((NUM_CALLS, 3))
    out[PASS], out[DOUBLE], out[DOUBLE + 1] = (0.72, 0.72, 0.72), (0.0, 0.75, 0.75), (0.0, 0.45, 0.5)
    base, shade = np.tile(_STRAINS, (7, 1)), np.repeat(_SHADES, 5)[:, None]
    out[FIRST_BID:] = np.where(shade >= 0, base + (1 - base) * shade, base * (1 + shade))
    return out


def picture(one: Map) -> NDArray[np.float64]:
    """Return the grid in colours, float64 (rows, columns, 3); units without hands are black."""
    sure = one.calls.max(axis=1) / np.maximum(one.calls.sum(axis=1), 1)
    paled = 1 - (1 - colours()[one.calls.argmax(axis=1)]) * (0.15 + 0.85 * sure[:, None])
    return np.where(sure[:, None] > 0, paled, 0.0).reshape(one.rows, one.columns, 3)


def draw_maps(atlas: Atlas, path: Path) -> None:
    """Write a PNG of all maps, with the most frequent calls of each."""
    from matplotlib.patches import Patch

    with drawn(path, 15, 9.2, dpi=80, grid=(2, 4)) as grid:
        axes = grid.ravel()
        for axis in axes:
            axis.set_axis_off()
        for k, one in atlas.maps.items():
            axes[k].set_title(f"{SITUATIONS[k]}, {one.rows} by {one.columns}", fontsize="medium")
            axes[k].imshow(picture(one), interpolation="nearest")
            count = one.calls.sum(axis=0, dtype=np.int64)
            named = [int(c) for c in np.argsort(-count, kind="stable")[:_NAMED] if count[c]]
            marks = [Patch(color=colours()[c], label=call_text(c)) for c in sorted(named)]
            axes[k].legend(handles=marks, ncols=4, fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, 0))


if __name__ == "__main__":
    run_study("studies.maps_2007", repeat)
