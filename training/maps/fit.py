"""Fit maps to the calls of a bidding system, or to recorded auctions: one function to the file and its figures.

Maps are judged on held-out boards: calls by map, and matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.maps import atlas as atlas_file
from agents.maps.atlas import Atlas, Map, points
from agents.maps.bidder import MapBidder
from agents.maps.inputs import ADVANCES, LATER, PUBLISHED, SITUATIONS, WIDTH, hands_of, rows_of, situation
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import full_spec, make
from bridge_env.bidders.view import BidView
from bridge_env.rng import streams
from bridge_env.rules.calls import NUM_CALLS, as_wide
from training.cases.fit import training_rows
from training.configs import MapsConfig
from training.evaluation.boards import Boards, library_boards
from training.evaluation.duplicate import bid_out, match, seat_teams
from training.evaluation.recorded_calls import Calls, Share, positions, read_states, shares
from training.evaluation.verdict import VerdictRow
from training.maps.learning import discriminant, published_metric, train_units
from training.runtime import runs
from training.runtime.runs import Progress

MAPS = "maps.npz"
MOST, DESCRIBED = 50_000, 30_000  # examples of a map at most, and of them those that its metric is learned from
DIMENSIONS = 24  # of a learned metric, at most
PASSES, BATCH, RATES = 2.0, 512, (0.5, 0.02)  # of ``training.maps.learning``
LAST_RADIUS = 0.6  # in units; the first one is half a side
_ROWS = 16_384
_BOARDS = 4096  # bid at a time
HELD_OUT = 2000  # judging boards that a teacher bids
MATCH_SEED = 1


@dataclass(frozen=True)
class MapsResult:
    """Hold the result of a fit."""

    folder: Path
    atlas: Atlas
    calls: tuple[Share, ...]  # of judging boards, by map; empty if the records have none
    matches: tuple[VerdictRow, ...]
    problems: tuple[str, ...]  # boards that could not be read, as file:line: reason
    file: Path  # plays as ``som:PATH``


def fit_maps(
    config: MapsConfig, files: Sequence[str | Path] = (), out: Path | None = None, *, progress: Progress = Progress()
) -> MapsResult:
    """Fit maps to PBN files or, without any, to the calls of ``config.system``; judge them on judging boards.

    Args:
        out: folder of ``maps.npz`` and ``results.json``; None: a new one below ``results/maps``.

    Raises:
        SpecError: a system cannot be had.
        BoardsError: files hold no board with a deal and an auction.
        ValueError: no recorded call is left to learn from.
        OSError: a file cannot be read.
    """
    config.check()
    config = replace(config, system=full_spec(config.system), fallback=full_spec(config.fallback))
    for spec in filter(None, (config.system, config.fallback)):
        make(spec)  # a faulty spec is an error before any work
    held_out: Calls
    problems: tuple[str, ...] = ()
    if files:
        states = read_states(files)
        known = training_rows(states)
        if not known.any():
            raise ValueError("there is no recorded call to learn from")
        fitted = {"recorded": True, "calls": int(known.sum()), **asdict(config)}
        atlas = _fit_atlas(states.take(known), config, progress, fitted)
        held_out, problems = states.take(~known), states.problems
    else:
        atlas = from_system(config, progress)
        held_out = held_out_examples(config.system, config.seed)
    folder = runs.results_folder(out, "maps")
    atlas_file.save(atlas, folder / MAPS)
    calls = tuple(calls_by_map(atlas, held_out)) if len(held_out) else ()
    progress.stage("matches")
    matches = tuple(play_matches(atlas, config.match_boards)) if config.match_boards else ()
    manifest = runs.manifest({"files": [Path(path).name for path in files], **asdict(config)})
    tables = {name: [asdict(row) for row in rows] for name, rows in (("calls", calls), ("matches", matches))}
    runs.write_results(folder, manifest=manifest, **tables)
    return MapsResult(folder, atlas, calls, matches, problems, folder / MAPS)


def from_system(config: MapsConfig, progress: Progress = Progress()) -> Atlas:
    """Return the maps of the calls of ``config.system`` on training deals of the shipped library.

    The teacher bids against itself and, on a quarter as many boards, against ``pass``. Then the maps bid against each
    other and against the teacher, whose calls are learned, so that the maps meet the states of their own auctions.
    """
    teacher, seed = config.system, config.seed

    def bid(first: str | MapBidder, second: str | MapBidder, count: int, start: int) -> Calls:
        boards = library_boards(max(1, count), seed, "training", start=start)
        progress.stage("bidding", len(boards))
        return teacher_examples(teacher, first, second, boards, seed, progress.add)

    parts = [bid(teacher, teacher, config.boards, 0), bid(teacher, "pass", config.boards // 4, config.boards)]
    for number in range(config.rounds):
        maps = MapBidder(_fit_atlas(concatenate(parts), config, progress, {}, coarse=True))
        start = config.boards * (number + 2)
        parts += [bid(maps, other, config.boards // 6, start) for other in (maps, teacher)]
    fitted = {"calls": sum(map(len, parts)), **asdict(config)}
    return _fit_atlas(concatenate(parts), config, progress, fitted)


def _fit_atlas(
    examples: Calls, config: MapsConfig, progress: Progress, fitted: dict[str, Any], *, coarse: bool = False
) -> Atlas:
    """Return a map for every situation that has examples; ``coarse`` ones are half a side, from fewer examples."""
    most = MOST // 4 if coarse else MOST
    kind = situation(examples.view)
    excluded = (ADVANCES, LATER) if config.fallback else ()
    rows = {k: np.flatnonzero(kind == k) for k in range(len(SITUATIONS)) if k not in excluded}
    progress.stage("learning", sum(min(len(some), most) for some in rows.values()), "call")
    maps = {}
    for k, some in rows.items():
        if len(some):
            chosen = some[sample_rows(len(some), most, config.seed + 100 * k)]
            maps[k] = _fit_map(examples.take(chosen), k, config, coarse)
            progress.add(len(chosen))
    return Atlas(maps, config.inputs, config.system, config.fallback, fitted)


def _fit_map(examples: Calls, k: int, config: MapsConfig, coarse: bool) -> Map:
    """Return the map of situation ``k``."""
    rows = _inputs(examples, config)
    if config.inputs == "learned":
        some = sample_rows(len(examples), DESCRIBED // 2 if coarse else DESCRIBED, config.seed + 1000 + k)
        metric = discriminant(rows[some], examples.called[some], DIMENSIONS)
    else:
        metric = published_metric()
    parts = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
    place = np.concatenate([points(part, metric) for part in parts])
    side = int(np.clip(np.sqrt(len(examples) / config.hands), 2, config.side // 2 if coarse else config.side))
    radii = max(side / 2, LAST_RADIUS), LAST_RADIUS
    units = train_units(
        place.astype(np.float64), (side, side), RATES, radii, passes=PASSES, batch=BATCH, key=config.seed + k
    )
    unit, count = np.rint(units).astype(np.int16), side * side
    bare = Map(side, side, metric, unit, np.zeros((count, NUM_CALLS), np.int32), np.zeros((count, 5), np.float32))
    best = bare.best(place)
    calls = np.bincount(best * NUM_CALLS + examples.called, minlength=count * NUM_CALLS).astype(np.int32)
    hands = np.zeros((count, 5))
    np.add.at(hands, best, hands_of(examples.view))
    mean = hands / np.maximum(np.bincount(best, minlength=count), 1)[:, None]
    return replace(bare, calls=calls.reshape(count, -1), hand=mean.astype(np.float32))


def _inputs(examples: Calls, config: MapsConfig) -> NDArray[np.int16]:
    """Return the inputs of examples, int16 (N, D)."""
    out = np.empty((len(examples), WIDTH[config.inputs]), np.int16)
    reader: Any = make(config.system)
    for start in range(0, len(examples), _ROWS):
        view = examples.view.take(np.arange(start, min(start + _ROWS, len(examples))))
        out[start : start + len(view)] = rows_of(view, reader.meaning(view), config.inputs)
    return out


def teacher_examples(
    teacher: str, first: str | Bidder, second: str | Bidder, boards: Boards, seed: int,
    progress: Callable[[int], object] = lambda boards: None,
) -> Calls:  # fmt: skip
    """Return every state of a duplicate match of two bidders, with the teacher's call; ``progress`` gets the boards
    bid.
    """
    bidder: Any = make(teacher)
    teams = seat_teams(first, second)
    parts = []
    for start in range(0, len(boards), _BOARDS):
        some = boards.take(slice(start, start + _BOARDS))
        auctions = bid_out(*teams, some, seed)
        if first == second:  # both tables are the same
            auctions = auctions.take(np.arange(len(some)))
        view, board, _ = positions(auctions, np.tile(some.owner, (2, 1))[: len(auctions)])
        parts.append(Calls(view, bidder.call(view), board % len(some) + start))
        progress(len(some))
    return concatenate(parts)


def concatenate(parts: Sequence[Calls]) -> Calls:
    """Return several sets as one, with the numbers of their boards."""
    history = as_wide([part.view.history for part in parts])
    rest = [np.concatenate([getattr(part.view, name) for part in parts])
            for name in ("hand", "length", "dealer", "vulnerability", "seat", "mask")]  # fmt: skip
    view = BidView(rest[0], np.concatenate(history), *rest[1:])
    return Calls(view, np.concatenate([p.called for p in parts]), np.concatenate([p.board for p in parts]))


def sample_rows(count: int, most: int, key: int) -> NDArray[np.int64]:
    """Return ``most`` random numbers of 0 .. count - 1, ascending; all of them if there are no more."""
    order = np.argsort(streams.key("maps", "sample", key, np.arange(count)), kind="stable")
    return np.sort(order[:most])


def held_out_examples(teacher: str, seed: int) -> Calls:
    """Return the teacher's calls against itself on judging boards."""
    return teacher_examples(teacher, teacher, teacher, library_boards(HELD_OUT, seed, "judging"), seed)


def calls_by_map(atlas: Atlas, examples: Calls) -> list[Share]:
    """Return how often the maps make the examples' calls: all calls, the six maps of 2007, every map."""
    found = MapBidder(atlas).consult(examples.view)
    kinds = {"all calls": np.ones(len(examples), np.bool_), "the six maps of 2007": found.situation < PUBLISHED}
    kinds |= {name: found.situation == k for k, name in enumerate(SITUATIONS)}
    return shares(kinds, found.call, examples.called)


def play_matches(atlas: Atlas, boards: int, name: str = "the maps", opponents: Sequence[str] = ()) -> list[VerdictRow]:
    """Return matches on judging boards, by default against ``pass``, ``system:sayc`` and the maps' reader."""
    played, out = library_boards(boards, MATCH_SEED), []
    for other in opponents or dict.fromkeys(("pass", "system:sayc", atlas.reader)):
        result = match(MapBidder(atlas, other), other, played, MATCH_SEED)
        out.append(VerdictRow(f"{name} against {other}", result.mean_imps, result.standard_error, boards, other))
    return out
