"""Fit a case base to recorded auctions: one function from the records to the file and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase, nothing_retained, save
from agents.cases.bidder import CaseBidder
from agents.cases.features import SIZE, Layer, Member, describe, metric_of, points
from agents.cases.forest import LEAF, MOST_LEAVES, Forest
from bridge_env.bidders.registry import make
from bridge_env.hands.canonical import is_judging
from bridge_env.hands.features import HCP_AND_LENGTHS, hand_features
from bridge_env.rules.calls import NUM_CALLS
from training.configs import CasesConfig
from training.evaluation.recorded_calls import Share, States, read_states, rounds_and_sides, shares
from training.runtime import runs
from training.runtime.runs import Progress, RowsResult

HIDDEN, DIMENSIONS = (768, 384), 48  # units of the layers of a network, and its coordinates
FIRST_EPOCHS = 8  # passes over the auctions of all sources, before those over the auctions of the base
FIRST_RATE, RATE = 2e-3, 1e-3  # highest learning rate of each stage (AdamW, one cycle)
BATCH, DECAY, DROPOUT, SMOOTHING = 512, 0.01, 0.3, 0.02
HANDS_WEIGHT = 0.3  # of the error in the hands of the other seats, beside that in the call
_NARROW = 4.0  # inputs are divided by their spread, but none is multiplied by more
_MIDDLE = np.tile(np.array([10.0, 3.25, 3.25, 3.25, 3.25], np.float32), 3)
_SPREAD = np.tile(np.array([4.0, 1.5, 1.5, 1.5, 1.5], np.float32), 3)
CASES = "cases.npz"
VOTES, READER = 5, "system:sayc"  # nearest cases that vote, and the system that interprets calls
FEATURES = 0.2  # the share of all features that a split of a tree chooses from
LEAST = 3  # cases of a leaf at least
_ROWS = 16_384


def hands_of_others(owner: NDArray[np.uint8], board: NDArray[np.int64], seat: NDArray[Any]) -> NDArray[np.float32]:
    """Return points and lengths (C D H S) of the next, the partner's and the last hand, to scale, float32 (N, 15), of
    calls: deals uint8 (B, 52), and int64 (N,) the deal and the seat of each.
    """
    held = np.stack([hand_features(owner == s)[:, HCP_AND_LENGTHS] for s in range(4)], axis=1)
    seats = (seat.astype(np.int64)[:, None] + np.arange(1, 4)) % 4
    counts = held[board[:, None], seats].reshape(len(board), 15).astype(np.float32)
    return (counts - _MIDDLE) / _SPREAD


def _fit_network(
    rows: NDArray[np.int8], called: NDArray[np.int8], others: NDArray[np.float32], source: NDArray[np.int64],
    epochs: int, seed: int, progress: Progress,
) -> list[Layer]:  # fmt: skip
    """Return the layers of one network, for inputs as in ``rows``, int8 (N, SIZE).

    Args:
        called: int8 (N,), the calls of these states.
        others: as ``hands_of_others`` returns them.
        source: (N,), the number of the source of the auctions, 0 for the base.
        epochs: passes over the auctions of the base.
    """
    import torch  # optional: the extra ``rl``
    from torch import nn

    from training.runtime.supervised import gradient_steps

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    widths = [rows.shape[1], *HIDDEN]
    linear = [nn.Linear(a, b) for a, b in zip(widths, [*HIDDEN, DIMENSIONS], strict=True)]
    shift = nn.Embedding(int(source.max()) + 1, widths[1])
    nn.init.zeros_(shift.weight)
    heads = nn.Linear(DIMENSIONS, NUM_CALLS), nn.Linear(widths[-1], others.shape[1])
    parts = nn.ModuleList([*linear, shift, *heads])
    scale, centre = (torch.from_numpy(a) for a in _scale(rows))
    inputs, calls, hands, sources = (torch.from_numpy(a) for a in (rows, called.astype(np.int64), others, source))
    call_loss = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)

    def loss(some: Any) -> Any:
        signal = linear[0]((inputs[some].float() - centre) * scale) + shift(sources[some])
        for layer in linear[1:]:
            signal = nn.functional.dropout(torch.relu(signal), DROPOUT)
            last, signal = signal, layer(signal)
        hand_loss = (heads[1](last) - hands[some]).square().mean()
        return call_loss(heads[0](nn.functional.softsign(signal)), calls[some]) + HANDS_WEIGHT * hand_loss

    def batches(stage: Any, epochs: int, optimizer: Any, rate: float) -> Iterator[Any]:
        steps = -(-len(stage) // BATCH)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps * epochs, pct_start=0.15)
        for _ in range(epochs):
            for some in stage[torch.randperm(len(stage))].split(BATCH):
                yield some
                schedule.step()

    stages = [
        (torch.arange(len(rows)), FIRST_EPOCHS, FIRST_RATE),
        (torch.from_numpy(np.flatnonzero(source == 0)), epochs, RATE),
    ]
    for stage, passes, rate in stages:
        optimizer = torch.optim.AdamW(parts.parameters(), lr=rate, weight_decay=DECAY)
        for _ in gradient_steps(optimizer, batches(stage, passes, optimizer, rate), loss):
            progress.add(BATCH)
    out = [(p.weight.detach().double().numpy().T, p.bias.detach().double().numpy()) for p in linear]
    weight = out[0][0] * scale.double().numpy()[:, None]
    bias = out[0][1] + shift.weight[0].detach().double().numpy() - centre.double().numpy() @ weight
    return [(weight, bias), *out[1:]]


def _scale(rows: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return factors and centres of inputs: of counts one over their spread and their mean, of marks 1 and 0."""
    columns = [rows[:, column].astype(np.float32) for column in range(rows.shape[1])]
    spread, mean = np.array([c.std() for c in columns]), np.array([c.mean() for c in columns])
    counts = np.abs(rows).max(axis=0) > 1
    scale = np.where(counts, np.minimum(1 / np.maximum(spread, 1e-3), _NARROW), 1.0)
    return scale.astype(np.float32), np.where(counts, mean, 0.0).astype(np.float32)


@dataclass(frozen=True)
class CasesResult(RowsResult):
    """Hold the result of a fit."""

    folder: Path
    base: CaseBase
    rows: tuple[Share, ...]  # on boards of the judging split; empty if the records have none
    problems: tuple[str, ...]  # boards that could not be read, as file:line: reason
    file: Path  # plays as ``cases:PATH``


def fit_cases(
    files: Sequence[str | Path], config: CasesConfig, out: Path | None = None,
    *, also: Sequence[Sequence[str | Path]] = (), progress: Progress = Progress(),
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
    runs.write_results(folder, manifest=runs.manifest(base.fitted), rows=[asdict(row) for row in rows])
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
    return ~is_judging(states.owner)[states.board]


def case_base(
    states: States, config: CasesConfig, also: Sequence[States] = (), progress: Progress = Progress()
) -> CaseBase:
    """Return a base of all ``states`` with a metric, first fitted to ``also`` too, and forests; raise ``ValueError``
    where there are too few openings or other calls.
    """
    if min(int(states.opened.sum()), int((~states.opened).sum())) <= VOTES:
        raise ValueError(f"{len(states)} recorded calls are too few: {VOTES} cases vote on a call")
    sources = [states, *also]
    rows = [described(source) for source in sources]
    examples = (
        np.concatenate(rows),
        np.concatenate([source.called for source in sources]),
        np.concatenate([hands_of_others(s.owner, s.board, s.view.seat) for s in sources]),
        np.repeat(np.arange(len(sources)), [len(source) for source in sources]),
    )
    count = sum(map(len, sources)) * FIRST_EPOCHS + len(states) * config.epochs
    progress.stage("learning the metric", count * config.members, "call")
    seeds = range(config.seed, config.seed + 1000 * config.members, 1000)
    members = metric_of([_fit_network(*examples, config.epochs, seed, progress) for seed in seeds], SIZE)
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
