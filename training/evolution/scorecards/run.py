"""Fit scorecards for a system in rounds: play positions out, fit, and bid the next round's boards with the cards."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.text import system_text
from agents.systems.language.tree import System
from agents.systems.library.shipped import read_system, shipped_systems
from bridge_env.bidders.registry import SpecError
from bridge_env.io.files import atomic_write
from bridge_env.rng import streams
from training.configs import CardsConfig
from training.evaluation.boards import standard_error
from training.evaluation.network_opponents import stranger
from training.evaluation.partnership_match import BoardRange, Partnership, Rival, boards_of, duel
from training.evaluation.verdict import VerdictRow
from training.evolution.refine.decisions import network_by_book
from training.evolution.scorecards.blocks import blocks_of, scores_of
from training.evolution.scorecards.fit import fit_scores, labels
from training.evolution.scorecards.positions import Positions, collect, joined
from training.evolution.scorecards.words import Scores
from training.runtime import runs
from training.runtime.cluster import Cluster
from training.runtime.runs import Progress, open_run
from training.runtime.settings import listed

KIND, CARDS = "cards", "cards.bidding"
PART = 4096  # boards a task
_UNTRIED = 0.15  # of the calls that nobody played out: so many are learned from


@dataclass(frozen=True)
class CardsResult:
    """Hold the result of a fit."""

    folder: Path
    system: System
    terms: int
    # over the system without cards, by opponent, on training boards that the cards were not fitted to
    gains: tuple[VerdictRow, ...]
    file: Path  # plays as ``system:PATH``


def fit_cards(
    config: CardsConfig, out: Path = Path("results"), *, name: str | None = None, resume: Path | None = None,
    workers: int | None = None, progress: Progress = Progress(),
) -> CardsResult:  # fmt: skip
    """Fit scorecards for ``config.system``, and measure what they gain on other boards.

    Args:
        out, name: the run's folder is ``out/cards/name``.
        resume: the folder of a run that was stopped, to go on with.
        workers: processes that play boards out; None: one a core.

    Raises:
        SpecError: a system, the player or an opponent cannot be had, or an opponent is a gatekeeper.
        RunError: the folder cannot be used.
        ClusterError: Ray could not finish a task.
    """
    config.check()
    read_system(config.system)
    _judge(config)
    for spec in listed(config.against):
        stranger(spec)  # a faulty spec is an error before any work
    folder = open_run(KIND, config, out, name, resume)
    progress.folder(folder)
    with Cluster(workers) as cluster:
        return advance(folder, config, cluster, progress)


def advance(folder: Path, config: CardsConfig, cluster: Cluster, progress: Progress) -> CardsResult:
    """Bring the fit in a run's folder to its end, on a cluster that runs; errors as of ``fit_cards``."""
    base, judge = read_system(config.system).with_cards(()), _judge(config)
    opponents = tuple(stranger(spec) for spec in listed(config.against))
    system, positions, label = base, list[Positions](), list[NDArray[np.float32]]()

    def tick(what: str, share: float) -> None:
        progress.say(what)
        progress.to(100 * share)

    for number in range(config.rounds):
        found = _positions(folder, config, number, system, opponents, judge, cluster, progress)
        # Most of the calls that were not played out teach little.
        learned = np.isfinite(found.worth) | (
            np.random.default_rng(config.seed + number).random(len(found.worth)) < _UNTRIED
        )
        thin = Positions(*(getattr(found, field.name)[learned] for field in fields(Positions)))
        positions.append(thin)
        label.append(labels(thin, config.share))
        every, worth = joined(positions), np.concatenate(label)
        progress.stage(f"round {number + 1}: fit to {len(every):,} positions", 100, "%")
        scores = fit_scores(every, worth, config.terms, config.seed, tick=tick)
        system = base.with_cards(blocks_of(scores, every))
        atomic_write(folder / CARDS, _text(system, config.system))
    gains = tuple(_gains(config, base, system, opponents, cluster, progress)) if config.judge else ()
    runs.write_results(folder, terms=scores.terms, positions=len(every), gains=[asdict(gain) for gain in gains])
    return CardsResult(folder, system, scores.terms, gains, folder / CARDS)


def _judge(config: CardsConfig) -> str | Scores:
    """Return the spec of the network whose judgement the cards learn, the scores of other cards, or "" for nobody's;
    raise ``SpecError`` where the player is neither.
    """
    if not config.player.startswith("system:"):
        if config.player:
            network_by_book(config.player)  # a faulty spec is an error before any work
        return config.player
    scores = scores_of(read_system(config.player.removeprefix("system:")))
    if not scores.terms:
        raise SpecError(f"--player {config.player}: it has no scorecards as 'bridge-env fit cards' writes them")
    return scores


def _text(system: System, base: str) -> str:
    """Return a shipped system's cards as a text that changes it, the whole text of another system."""
    if base not in shipped_systems():
        return system_text(system)
    cards = tuple(block for block in system.blocks if block.weighs)
    own = System(f"{system.name} with scorecards", (), cards)
    head, _, rest = system_text(own).partition("\n")
    return f"{head}\nbase: {base}\n{rest}"


def _positions(
    folder: Path, config: CardsConfig, number: int, system: System, opponents: Sequence[Rival], judge: str | Scores,
    cluster: Cluster, progress: Progress,
) -> Positions:  # fmt: skip
    """Return the positions of a round; those that an earlier run has played out are read."""
    file = folder / f"positions-{number + 1}.npz"
    if file.exists():
        with np.load(file, allow_pickle=False) as stored:
            return Positions(*(stored[field.name] for field in fields(Positions)))
    progress.stage(f"round {number + 1}: play-outs", len(opponents) * config.boards)
    us = Partnership(system, system)
    ranges = [_boards(config, k, number).parts(PART) for k in range(len(opponents))]
    tasks = [(us, them, part, judge) for them, parts in zip(opponents, ranges, strict=True) for part in parts]
    found: list[Positions | None] = [None] * len(tasks)
    for at, positions in cluster.map(collect, tasks):
        found[at] = positions
        progress.add(tasks[at][2].count)
    out = joined([part for part in found if part is not None])
    content = io.BytesIO()
    np.savez(content, **{field.name: getattr(out, field.name) for field in fields(Positions)})
    atomic_write(file, content.getvalue())
    return out


def _boards(config: CardsConfig, opponent: int, number: int) -> BoardRange:
    """Return the boards of a round against an opponent, of round ``rounds`` those that judge."""
    seed = int(streams.key("cards", config.seed, opponent)[0] >> np.uint64(33))
    count = config.judge if number == config.rounds else config.boards
    return BoardRange(seed, "training", number * config.boards, count)


def gains_task(
    with_cards: System, without: System, them: Rival, boards: BoardRange
) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Return what a system gains over another against an opponent, board by board: int16 (N,); and their deals."""
    imps = [duel(Partnership(one, one), them, boards).imps.astype(np.int16) for one in (with_cards, without)]
    return imps[0] - imps[1], boards_of(boards)[0].base


def _gains(
    config: CardsConfig, base: System, system: System, opponents: Sequence[Rival], cluster: Cluster, progress: Progress
) -> Iterator[VerdictRow]:
    progress.stage("what they gain", len(opponents) * config.judge)
    for k, (spec, them) in enumerate(zip(listed(config.against), opponents, strict=True)):
        tasks = [(system, base, them, part) for part in _boards(config, k, config.rounds).parts(PART)]
        found: list[tuple[NDArray[np.int16], NDArray[np.int64]]] = []
        for _, part in cluster.map(gains_task, tasks):
            found.append(part)
            progress.add(len(part[0]))
        gains, deals = (np.concatenate(parts) for parts in zip(*found, strict=True))
        yield VerdictRow("gain by scorecards", float(gains.mean()), standard_error(gains, deals), len(gains), spec)
