"""Fit a case base to recorded auctions: one function from the records to the file and its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase, nothing_retained, save
from agents.cases.bidder import CaseBidder
from agents.cases.features import SIZE, Member, describe, metric_of, points
from agents.cases.forest import LEAF, MOST_LEAVES, Forest
from bridge_env.bidders.registry import make
from bridge_env.hands.canonical import is_judging
from bridge_env.io.files import atomic_write
from training.cases.config import CasesConfig
from training.cases.network import MetricExamples, fit_metric, hands_of_others
from training.evaluation.agreement import Share, rounds_and_sides, shares
from training.evaluation.recorded_calls import States, read_states
from training.runtime import runs
from training.runtime.progress import Progress
from training.runtime.runs import to_dataframe

CASES, RESULTS = "cases.npz", "results.json"
VOTES, READER = 5, "system:sayc"  # nearest cases that vote, and the system that interprets calls
FEATURES = 0.2  # the share of all features that a split of a tree chooses from
LEAST = 3  # cases of a leaf at least
_ROWS = 16_384


@dataclass(frozen=True)
class CasesResult:
    """Hold the result of a fit."""

    folder: Path
    base: CaseBase
    rows: tuple[Share, ...]  # on boards of the judging split; empty if the records have none
    problems: tuple[str, ...]  # boards that could not be read, as file:line: reason
    file: Path  # plays as ``cases:PATH``

    def to_dataframe(self) -> Any:
        """Return how often the base makes the recorded call as a pandas DataFrame, a kind of call a row."""
        return to_dataframe([asdict(row) for row in self.rows])


def fit_cases(
    files: Sequence[str | Path], config: CasesConfig, out: Path | None = None,
    *, also: Sequence[Sequence[str | Path]] = (), progress: Progress | None = None,
) -> CasesResult:  # fmt: skip
    """Fit a case base to the training boards of PBN files, and measure it on their judging boards.

    Args:
        out: folder of ``cases.npz`` and ``results.json``; None: a new one below ``results/cases``.
        also: files of other sources, from which the metric learns first; they add no case.

    Raises:
        BoardsError: files hold no board with a deal and an auction.
        ValueError: a setting makes no sense, or too few boards are left to learn from.
        OSError: a file cannot be read.
    """
    config.check()
    progress = progress or Progress()
    states = read_states(files)
    training = training_rows(states)
    known, held_out = states.take(training), states.take(~training)
    if not len(known):
        raise ValueError(f"all {len(states.owner):,} boards are for judging, so none is left to learn from")
    sources = [read_states(source) for source in also]
    sources = [source.take(training_rows(source)) for source in sources]
    folder = runs.results_folder(out, "cases")
    base = case_base(known, config, sources, progress)
    save(base, folder / CASES)
    rows: tuple[Share, ...] = ()
    if len(held_out):
        made = CaseBidder(base).bid(held_out.view, np.zeros(len(held_out), np.uint64))
        rows = tuple(shares(rounds_and_sides(held_out.view), made, held_out.called))
    content = {"manifest": runs.manifest(base.fitted), "rows": [asdict(row) for row in rows]}
    atomic_write(folder / RESULTS, json.dumps(content, indent=1) + "\n")
    return CasesResult(folder, base, rows, states.problems, folder / CASES)


def described(states: States) -> NDArray[np.int8]:
    """Return the features of states, int8 (N, SIZE)."""
    bidder: Any = make(READER)
    out = np.empty((len(states), SIZE), np.int8)
    for start in range(0, len(states), _ROWS):
        rows = np.arange(start, min(start + _ROWS, len(states)))
        view = states.view.take(rows)
        suggested, _, shown = bidder.decide(view)
        out[rows] = np.clip(describe(view, shown, suggested), -128, 127)
    return out


def training_rows(states: States) -> NDArray[np.bool_]:
    """Return which states belong to boards of the training part of all deals."""
    training: NDArray[np.bool_] = ~is_judging(states.owner)[states.board]
    return training


def case_base(
    states: States, config: CasesConfig, also: Sequence[States] = (), progress: Progress | None = None
) -> CaseBase:
    """Return a base of all ``states``, with a metric and forests fitted to them; the metric first to ``also`` too.

    Raises:
        ValueError: there are fewer openings or other calls than cases that vote.
    """
    if min(int(states.opened.sum()), int((~states.opened).sum())) <= VOTES:
        raise ValueError(f"{len(states)} recorded calls are too few: {VOTES} cases vote on a call")
    sources = [states, *also]
    rows = [described(source) for source in sources]
    examples = MetricExamples(
        np.concatenate(rows),
        np.concatenate([source.called for source in sources]),
        np.concatenate([hands_of_others(s.owner, s.board, s.view.seat) for s in sources]),
        np.repeat(np.arange(len(sources)), [len(source) for source in sources]),
    )
    members = metric_of(fit_metric(examples, config, progress or Progress()), SIZE)
    parts = (rows[0][start : start + _ROWS].astype(np.int16) for start in range(0, len(states), _ROWS))
    features = np.concatenate([np.concatenate([part, points(members, part)], axis=1) for part in parts])
    openings, later = (
        fit_forest(features[some], states.called[some], config.trees, config.seed)
        for some in (~states.opened, states.opened)
    )
    fitted = {"also": [len(source) for source in also], **asdict(config)}
    return assembled(states, rows[0], members, (openings, later), fitted)


def assembled(
    states: States, rows: NDArray[np.int8], members: tuple[Member, ...], forests: tuple[Forest, Forest],
    fitted: Mapping[str, Any],
) -> CaseBase:  # fmt: skip
    """Return a base of all ``states`` with their features int8 (N, SIZE), a metric and forests."""
    boards, board = np.unique(states.board, return_inverse=True)
    first = np.unique(board, return_index=True)[1]  # the first case of each board
    view = states.view
    wide = int(view.length.max()) + 1
    auction = np.full((len(boards), wide), -1, np.int8)
    auction[board, view.length] = states.called
    places = len(forests[0])
    base = CaseBase(
        auction=auction, dealer=view.dealer[first].astype(np.uint8),
        vulnerability=view.vulnerability[first].astype(np.uint8), result=states.result[boards].astype(np.int8),
        board=board.astype(np.int32), number=view.length.astype(np.int16), hand=np.packbits(view.hand, axis=1),
        point=np.zeros((len(states), places), np.int16), retained=nothing_retained(places),
        k=VOTES, reader=READER, metric=members, forests=forests,
        fitted={**fitted, "states": len(states), "boards": len(boards)},
    )  # fmt: skip
    parts = (slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS))
    places_of = (base.places(rows[part].astype(np.int16), states.opened[part]) for part in parts)
    return replace(base, point=np.concatenate(list(places_of)))


def fit_forest(rows: NDArray[np.int16], called: NDArray[np.int8], count: int, seed: int) -> Forest:
    """Return a forest of ``count`` extremely randomized trees fitted to states int16 (N, D) and their calls int8 (N,).

    They predict the call, but only their structure is used: cases are similar if they reach the same leaves (Geurts,
    Ernst and Wehenkel, 2006).
    """
    from sklearn.ensemble import ExtraTreesClassifier  # optional: the extra ``rl``

    columns = np.flatnonzero((rows != rows[:1]).any(axis=0))  # the others are constant
    inputs = rows[:, columns].astype(np.float32)
    least = LEAST
    while True:
        model = ExtraTreesClassifier(
            count, max_features=FEATURES, min_samples_leaf=least, random_state=seed, n_jobs=-1
        ).fit(inputs, called)
        trees = [estimator.tree_ for estimator in model.estimators_]
        if max(int(tree.n_leaves) for tree in trees) <= MOST_LEAVES:
            break
        least *= 2  # a leaf's number would not fit the file
    feature, threshold, go = [], [], []
    root = np.cumsum([0, *(int(tree.node_count) for tree in trees)])
    for at, tree in zip(root, trees, strict=False):
        leaf = tree.children_left < 0
        inner = np.flatnonzero(~leaf)
        assert (tree.children_left[inner] == inner + 1).all()
        feature.append(np.where(leaf, LEAF, columns[np.where(leaf, 0, tree.feature)]))
        threshold.append(np.where(leaf, 0, np.floor(tree.threshold)))
        go.append(np.where(leaf, np.cumsum(leaf) - 1, tree.children_right + at))
    return Forest(
        root.astype(np.int32), np.concatenate(feature).astype(np.int16), np.concatenate(threshold).astype(np.int16),
        np.concatenate(go).astype(np.int32),
    )  # fmt: skip
