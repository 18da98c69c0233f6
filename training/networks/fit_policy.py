"""Fit a network to recorded calls, and measure how often it makes them: one function from the records to the report."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks import file as networks_file
from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON, NUM_INPUTS, Sparse, inputs_of, stack_rows, take_rows
from agents.networks.network import FloatLayer, Network, quantized
from bridge_env.bidders.registry import make
from bridge_env.hands.canonical import canonical_key, key_is_judging
from bridge_env.io.files import atomic_write
from bridge_env.records.board import problem_texts
from bridge_env.records.read import read_records
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS, as_wide, histories_of
from training.configs import ImitationConfig, widths
from training.evaluation.boards import BoardsError, library_boards
from training.evaluation.duplicate import bid_out
from training.evaluation.network_opponents import refuse_gatekeepers, start_networks
from training.evaluation.recorded_calls import Share, positions, share_table, shares
from training.evaluation.situations import KINDS, OPENING, kinds_of
from training.networks.model import Perceptron, random_layers
from training.runtime import pages, runs, supervised
from training.runtime.runs import Progress, RowsResult

_HELD_OUT_ONE_IN = 20
CHECKPOINT = "checkpoint.pt"
_PART = 20_000  # auctions turned into inputs at a time
POLICY = "policy.npz"
BOARDS = 100_000  # that a bidder bids


@dataclass(frozen=True)
class Recorded:
    """Hold N auctions."""

    owner: NDArray[np.uint8]  # (N, 52)
    dealer: NDArray[np.int16]  # (N,)
    vulnerability: NDArray[np.int16]  # (N,)
    history: NDArray[np.int8]  # (N, L), padded with -1
    problems: tuple[str, ...] = ()  # unreadable boards, as file:line: reason

    def __len__(self) -> int:
        return len(self.owner)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Recorded:
        """Return some of the auctions."""
        arrays = {name: array[rows] for name, array in vars(self).items() if name != "problems"}
        return replace(self, **arrays)


def held_out(owner: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which deals measure agreement, bool (N,): the judging split and 1 in 20 others, with their symmetries."""
    key = canonical_key(owner)
    return key_is_judging(key) | (key // np.uint64(4) % np.uint64(_HELD_OUT_ONE_IN) == 0)


def read_auctions(sources: Sequence[str], boards: int = 100_000, seed: int = 1) -> Recorded:
    """Read the auctions of several sources.

    Args:
        sources: PBN or LIN files, or spec strings of bidders (``system:sayc``), which bid training boards on the spot.
        boards: number that a bidder bids.
        seed: of these boards.

    Raises:
        BoardsError: there is no auction to learn from.
        OSError: a file cannot be read.
    """
    parts = [_records(s) if Path(s).is_file() or ":" not in s else _bid(s, boards, seed) for s in sources]
    if not any(len(part) for part in parts):
        raise BoardsError(f"{', '.join(sources)}: no board has both a deal and an auction")
    return Recorded(
        np.concatenate([p.owner for p in parts]), np.concatenate([p.dealer for p in parts]),
        np.concatenate([p.vulnerability for p in parts]), np.concatenate(as_wide([p.history for p in parts])),
        tuple(text for p in parts for text in p.problems),
    )  # fmt: skip


def _bid(spec: str, boards: int, seed: int) -> Recorded:
    dealt, bidder = library_boards(boards, seed, "training"), make(spec, partner=spec, opponents=spec)
    made = bid_out(bidder, bidder, dealt, seed).take(np.arange(boards))
    history = made.history[:, : int(made.length.max(initial=1))]
    return Recorded(dealt.owner, dealt.dealer, dealt.vulnerability, history)


def _records(path: str) -> Recorded:
    result = read_records(path)
    boards, problems = [board for board in result.boards if board.auction], list(problem_texts(result.problems))
    if not boards:
        problems.append(f"{path}: no board has both a deal and an auction")
    return Recorded(
        np.array([board.owner for board in boards], np.uint8).reshape(-1, 52),
        np.array([board.dealer for board in boards], np.int16),
        np.array([board.vulnerability for board in boards], np.int16),
        histories_of([board.auction or () for board in boards]), tuple(problems),
    )  # fmt: skip


@dataclass(frozen=True)
class Calls:
    """Hold N recorded calls and what their callers saw."""

    rows: Sparse  # the inputs that are on
    mask: NDArray[np.bool_]  # (N, 38), the legal calls
    called: NDArray[np.int8]  # (N,)
    kind: NDArray[np.int8]  # (N,), of ``training.evaluation.situations``
    turn: NDArray[np.int16]  # (N,), calls that the caller has made before

    def __len__(self) -> int:
        return len(self.called)


def calls_of(recorded: Recorded) -> Calls:
    """Return every call of the auctions that is to be learned."""
    parts = [
        _calls(recorded.take(np.arange(at, min(at + _PART, len(recorded))))) for at in range(0, len(recorded), _PART)
    ]
    rest = ("mask", "called", "kind", "turn")
    return Calls(
        stack_rows([p.rows for p in parts]), *(np.concatenate([getattr(p, name) for p in parts]) for name in rest)
    )


def _calls(recorded: Recorded) -> Calls:
    auctions = Auctions.replay(recorded.history, recorded.dealer, recorded.vulnerability)
    view, which, number = positions(auctions, recorded.owner)
    called, turn = recorded.history[which, number], (number // 4).astype(np.int16)
    return Calls(inputs_of(view), view.mask, called, kinds_of(view.history, number), turn)


def imitate(
    config: ImitationConfig, calls: Calls, folder: Path, start: Sequence[FloatLayer] | None = None,
    progress: Callable[[float, float], None] = lambda share, loss: None,
) -> tuple[Network, float]:  # fmt: skip
    """Fit a network to recorded calls from ``start``, None for random weights; return it, and the seconds that it took.
    After each epoch a checkpoint is saved in ``folder``, from which a fit goes on; raise ``ValueError`` where it is of
    other settings. ``progress`` gets the share done, 0..1, and the recent mean loss.
    """
    model = Perceptron(start or random_layers([NUM_INPUTS, *widths(config.layers), NUM_CALLS], config.seed))
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate, weight_decay=config.decay, fused=True)
    first, seconds = _resume(folder / CHECKPOINT, config, model, optimizer)
    steps, recent = -(-len(calls) // config.batch), 0.0
    began = time.perf_counter() - seconds

    def loss(rows: NDArray[np.int64]) -> torch.Tensor:
        outputs = model(take_rows(calls.rows, rows)).masked_fill(torch.from_numpy(~calls.mask[rows]), -1e9)
        return torch.nn.functional.cross_entropy(outputs, torch.from_numpy(calls.called[rows].astype(np.int64)))

    def batches(epoch: int) -> Iterator[NDArray[np.int64]]:
        order = supervised.shuffled(len(calls), "imitation", config.seed, epoch)
        for step in range(steps):
            share = (epoch + step / steps) / config.epochs
            optimizer.param_groups[0]["lr"] = supervised.cosine_rate(config.learning_rate, share)
            yield order[step * config.batch : (step + 1) * config.batch]

    for epoch in range(first, config.epochs):
        for step, value in enumerate(supervised.gradient_steps(optimizer, batches(epoch), loss)):
            recent = supervised.moving_average(recent, value, 0.99)
            if step % 50 == 0:
                progress((epoch + step / steps) / config.epochs, recent)
        seconds = time.perf_counter() - began
        state = {"epoch": epoch + 1, "seconds": seconds, "config": asdict(config)}
        state |= {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        supervised.save_checkpoint(folder / CHECKPOINT, state)
    progress(1.0, recent)
    return quantized(model.floats(), MOST_ON), seconds


def _resume(
    path: Path, config: ImitationConfig, model: Perceptron, optimizer: torch.optim.Optimizer
) -> tuple[int, float]:
    """Load the checkpoint, if there is one; return the epochs done and the seconds that they took."""
    if not path.exists():
        return 0, 0.0
    state = supervised.load_checkpoint(path)
    if state["config"] != asdict(config):
        raise ValueError(f"{path} was begun with other settings; give another --out, or remove it")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["epoch"]), float(state["seconds"])


def agreement(policy: Network, calls: Calls) -> list[Share]:
    """Return how often a network makes the recorded call, by kind of call."""
    made = np.empty(len(calls), np.int8)
    for rows in np.array_split(np.arange(len(calls)), len(calls) // 4096 + 1):
        outputs = policy.outputs(*take_rows(calls.rows, rows))
        made[rows] = np.where(calls.mask[rows], outputs, -np.inf).argmax(axis=1)
    kinds = {"all calls": np.ones(len(calls), np.bool_), "openings": calls.kind == OPENING}
    kinds |= {kind: calls.kind == number for number, kind in enumerate(KINDS[1:], 1)}
    kinds |= {f"the caller's call number {turn + 1}": calls.turn == turn for turn in range(3)}
    return shares(kinds | {"later calls of the caller": calls.turn >= 3}, made, calls.called)


@dataclass(frozen=True)
class FitResult(RowsResult):
    """Hold the result of a fit."""

    folder: Path
    config: ImitationConfig
    rows: list[Share]  # how often the network makes the recorded call, on auctions held out
    problems: tuple[str, ...]  # unreadable boards, as file:line: reason
    policy: Path  # plays as ``policy:PATH``
    report: Path


def fit_policy(
    config: ImitationConfig, records: Sequence[str], out: Path, *, start: str | None = None, boards: int = BOARDS,
    role: str = "", progress: Progress = Progress(),
) -> FitResult:  # fmt: skip
    """Fit a network to recorded auctions, and measure it on auctions held out; in the same folder a fit goes on.

    Args:
        records, boards: as for ``read_auctions``.
        out: the folder for the network, its checkpoint and its report.
        start: ``policy:NAME`` or ``policy:FILE`` to start from; None for random weights.
        role: written into the file: ``stranger``, or ``gatekeeper``, which no training meets.
        progress: shows how far the fit is.

    Raises:
        BoardsError: there is no auction to learn from.
        SpecError: a bidder cannot be had, or it or the start is a gatekeeper.
        ValueError: settings make no sense, or the folder holds a fit with others.
        OSError: a file cannot be read.
    """
    config.check()
    refuse_gatekeepers(map(str, records))
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    layers = None if start is None else start_networks(start).policy.floats()
    progress.stage("reading the auctions", unit="%")
    read = read_auctions(records, boards, config.seed)
    judging = held_out(read.owner)
    learn = read.take(~judging)
    if not len(learn):
        raise BoardsError("all deals of these records are held out: there is nothing to learn from")
    calls, judged = calls_of(learn), calls_of(read.take(judging))
    out.mkdir(parents=True, exist_ok=True)
    progress.folder(out)
    progress.stage(f"learning {len(calls):,} calls of {len(learn):,} auctions", unit="%")

    def show(share: float, loss: float) -> None:
        progress.to(100 * share)
        progress.note(f"loss {loss:.3f}")

    policy, seconds = imitate(config, calls, out, layers, show)
    options = {"start": start, "boards": boards if boards != BOARDS else None, "role": role}
    words = ["bridge-env", "fit", "policy", *map(runs.portable, records)]
    words += [word for option, value in options.items() if value for word in (f"--{option}", runs.portable(str(value)))]
    command = runs.command_line(shlex.join(words), config)
    trained = {"by": command, "auctions": len(learn), "role": role}
    networks_file.save(Networks(policy, trained=trained), out / POLICY)
    found = agreement(policy, judged)
    page = pages.render(
        "imitation.md", command=command, auctions=len(learn), calls=len(calls), seconds=seconds,
        table=share_table(found),
    )  # fmt: skip
    atomic_write(out / "report.md", page)
    return FitResult(out, config, found, read.problems, out / POLICY, out / "report.md")
