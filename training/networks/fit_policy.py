"""Fit a network to recorded auctions: one function from the records to the report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from agents.networks import file as networks_file
from agents.networks.file import Networks
from bridge_env.io.files import atomic_write
from training.evaluation.agreement import Share, share_table
from training.evaluation.boards import BoardsError
from training.evaluation.network_opponents import refuse_gatekeepers
from training.networks import recorded
from training.networks.configs import ImitationConfig
from training.networks.imitate import agreement, calls_of, imitate
from training.networks.start import start_networks
from training.runtime import pages, runs
from training.runtime.progress import Progress
from training.runtime.runs import to_dataframe

POLICY = "policy.npz"
BOARDS = 100_000  # that a bidder bids


@dataclass(frozen=True)
class FitResult:
    """Hold the result of a fit."""

    folder: Path
    config: ImitationConfig
    agreement: list[Share]  # on auctions held out
    problems: tuple[str, ...]  # unreadable boards, as file:line: reason
    policy: Path  # plays as ``policy:PATH``
    report: Path

    def to_dataframe(self) -> Any:
        """Return how often the network makes the recorded call as a pandas DataFrame, a kind of call a row."""
        return to_dataframe([asdict(share) for share in self.agreement])


def fit_policy(
    config: ImitationConfig, records: Sequence[str], out: Path, *, start: str | None = None, boards: int = BOARDS,
    role: str = "", progress: Progress | None = None,
) -> FitResult:  # fmt: skip
    """Fit a network to recorded auctions, and measure it on auctions held out; in the same folder a fit goes on.

    Args:
        records, boards: as for ``recorded.read``.
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
    progress = progress or Progress()
    layers = None if start is None else start_networks(start).policy.floats()
    progress.stage("reading the auctions", unit="%")
    read = recorded.read(records, boards, config.seed)
    held_out = recorded.held_out(read.owner)
    learn = read.take(~held_out)
    if not len(learn):
        raise BoardsError("all deals of these records are held out: there is nothing to learn from")
    calls, judged = calls_of(learn), calls_of(read.take(held_out))
    out.mkdir(parents=True, exist_ok=True)
    progress.folder(out)
    progress.stage(f"learning {len(calls):,} calls of {len(learn):,} auctions", unit="%")

    def show(share: float, loss: float) -> None:
        progress.to(100 * share)
        progress.note(f"loss {loss:.3f}")

    policy, seconds = imitate(config, calls, out, layers, show)
    command = _command(config, records, start, boards, role)
    trained = {"by": command, "auctions": len(learn), "role": role}
    networks_file.save(Networks(policy, trained=trained), out / POLICY)
    found = agreement(policy, judged)
    page = pages.render(
        "imitation.md", command=command, auctions=len(learn), calls=len(calls), seconds=seconds,
        table=share_table(found),
    )  # fmt: skip
    atomic_write(out / "report.md", page)
    return FitResult(out, config, found, read.problems, out / POLICY, out / "report.md")


def _command(config: ImitationConfig, records: Sequence[str], start: str | None, boards: int, role: str) -> str:
    """Return the command that repeats the fit."""
    options = {"start": start, "boards": boards if boards != BOARDS else None, "role": role}
    words = ["bridge-env", "fit", "policy", *map(runs.portable, records)]
    words += [word for option, value in options.items() if value for word in (f"--{option}", runs.portable(str(value)))]
    return runs.command_line(shlex.join(words), config)
