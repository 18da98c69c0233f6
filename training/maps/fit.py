"""Fit maps to the calls of a bidding system, or to recorded auctions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import Atlas, Map, points
from agents.maps.bidder import MapBidder
from agents.maps.inputs import WIDTH, hands_of, rows_of
from agents.maps.situations import ADVANCES, LATER, SITUATIONS, situation
from bridge_env.bidders import make
from bridge_env.calls import NUM_CALLS
from training.maps.examples import Examples, bid_by, drawn, joined
from training.maps.learning import Schedule, learned
from training.maps.metric import discriminant, published
from training.match.boards import library_boards

_ROWS = 16_384
Progress = Callable[[float], None]


@dataclass(frozen=True)
class MapsConfig:
    """The settings of the fit of maps."""

    reader: str = "system:sayc"  # the system that teaches, and by which calls are read
    inputs: str = "published"  # what the maps see, ``published`` or ``learned``
    fallback: str = ""  # the system that makes the calls for which 2007 had no map; empty: two maps more
    boards: int = 30_000  # deals that the teacher bids, from training deals (not of recorded auctions)
    # how often the maps then bid a third as many boards, and learn what the teacher would have called. The maps before
    # the last are coarser, half a side.
    rounds: int = 1
    most: int = 50_000  # examples of a map, at most
    side: int = 64  # of a map, in units, at most
    hands: int = 12  # examples a unit, at least
    dimensions: int = 24  # of a learned metric, at most
    described: int = 30_000  # examples that it is learned from, at most
    passes: float = 2.0  # of learning (``training.maps.learning``)
    batch: int = 512
    rates: tuple[float, float] = (0.5, 0.02)
    radius: float = 0.6  # the last one, in units; the first is half a side
    seed: int = 1


def from_records(examples: Examples, config: MapsConfig, progress: Progress = lambda share: None) -> Atlas:
    """The maps of recorded calls.

    Raises:
        ValueError: there is no call.
    """
    if not len(examples):
        raise ValueError("there is no recorded call to learn from")
    return atlas_of(examples, config, progress, {"recorded": True, "calls": len(examples), **asdict(config)})


def from_system(config: MapsConfig, progress: Progress = lambda share: None) -> Atlas:
    """The maps of what ``config.reader`` calls, on training deals of the shipped library.

    The teacher bids against itself and, on a quarter as many boards, against ``pass``. Then the maps bid against each
    other and against the teacher, and the teacher says what it would have called there: so they also learn the states
    that their own calls lead to.
    """
    turns = config.rounds + 1
    share, begun = 1 / turns, 0.0

    def bidding(done: float) -> None:
        progress(begun + 0.3 * share * done)

    def learning(done: float) -> None:
        progress(begun + share * (0.3 + 0.7 * done))

    seed, teacher = config.seed, config.reader
    fourth = library_boards(max(1, config.boards // 4), seed, "training", start=config.boards)
    own = library_boards(config.boards, seed, "training")
    found = [bid_by(teacher, teacher, teacher, own, seed, _counted(bidding, 0.0, 0.8, len(own)))]
    found.append(bid_by(teacher, teacher, "pass", fourth, seed, _counted(bidding, 0.8, 1.0, len(fourth))))
    for turn in range(config.rounds):
        coarse = replace(config, most=config.most // 4, side=config.side // 2, described=config.described // 2)
        maps = MapBidder(atlas_of(joined(found), coarse, learning, {}))
        begun += share
        start = config.boards * (turn + 2)
        some = library_boards(max(1, config.boards // 6), seed, "training", start=start)
        others: tuple[MapBidder | str, ...] = (maps, teacher)
        for number, other in enumerate(others):
            told = _counted(bidding, number / 2, (number + 1) / 2, len(some))
            found.append(bid_by(teacher, maps, other, some, seed, told))
    return atlas_of(joined(found), config, learning, {"calls": sum(map(len, found)), **asdict(config)})


def _counted(progress: Progress, first: float, last: float, boards: int) -> Callable[[int], None]:
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        progress(first + (last - first) * done / boards)

    return tell


def atlas_of(examples: Examples, config: MapsConfig, progress: Progress, fitted: dict[str, Any]) -> Atlas:
    """A map for every situation that has examples."""
    kind = situation(examples.view)
    wanted = [
        k for k in range(len(SITUATIONS)) if not (config.fallback and k in (ADVANCES, LATER)) and (kind == k).any()
    ]
    maps, done = {}, 0
    sizes = [min(int((kind == k).sum()), config.most) for k in wanted]
    for k, size in zip(wanted, sizes, strict=True):

        def tell(share: float, before: int = done, size: int = size) -> None:
            progress((before + share * size) / sum(sizes))

        those = np.flatnonzero(kind == k)
        maps[k] = _map(examples.take(those[drawn(len(those), config.most, config.seed + 100 * k)]), k, config, tell)
        done += size
    atlas = Atlas(maps, config.inputs, config.reader, config.fallback, fitted)
    return atlas


def _map(examples: Examples, k: int, config: MapsConfig, progress: Progress) -> Map:
    rows = _described(examples, config)
    if config.inputs == "learned":
        some = drawn(len(examples), config.described, config.seed + 1000 + k)
        metric = discriminant(rows[some], examples.called[some], config.dimensions)
    else:
        metric = published()
    parts = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
    place = np.concatenate([points(part, metric) for part in parts])
    side = int(np.clip(np.sqrt(len(examples) / config.hands), 2, config.side))
    grid = (side, side)
    schedule = Schedule(config.rates, (max(side / 2, config.radius), config.radius))
    units = learned(
        place.astype(np.float64), grid, schedule, passes=config.passes, batch=config.batch, key=config.seed + k,
        progress=progress,
    )  # fmt: skip
    return labelled(examples, place, units, grid, metric)


def labelled(
    examples: Examples, place: NDArray[np.int16], units: NDArray[np.float64], grid: tuple[int, int],
    metric: NDArray[np.float32],
) -> Map:  # fmt: skip
    """A map whose units know the calls and the mean hand of the examples that are theirs."""
    count = grid[0] * grid[1]
    unit = np.rint(units).astype(np.int16)
    bare = Map(*grid, metric, unit, np.zeros((count, NUM_CALLS), np.int32), np.zeros((count, 5), np.float32))
    best = bare.best(place)
    calls = np.bincount(best * NUM_CALLS + examples.called, minlength=count * NUM_CALLS).astype(np.int32)
    hands = np.zeros((count, 5))
    np.add.at(hands, best, hands_of(examples.view))
    mean = hands / np.maximum(np.bincount(best, minlength=count), 1)[:, None]
    return Map(*grid, metric, unit, calls.reshape(count, -1), mean.astype(np.float32))


def _described(examples: Examples, config: MapsConfig) -> NDArray[np.int16]:
    out = np.empty((len(examples), WIDTH[config.inputs]), np.int16)
    reader: Any = make(config.reader)
    for start in range(0, len(examples), _ROWS):
        view = examples.view.take(np.arange(start, min(start + _ROWS, len(examples))))
        out[start : start + len(view)] = rows_of(view, reader.meaning(view), config.inputs)
    return out
