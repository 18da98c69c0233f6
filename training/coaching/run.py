"""Coach a system: a player learns by the book, the book by rules and scorecards from the player, and all are judged.

Every step goes on where an earlier run of it stopped. The folder holds the book as it was when the coaching began.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided
from agents.networks.file import Networks, book_of
from agents.networks.shipped import read_networks
from agents.systems.bidder import HierarchyBidder
from agents.systems.language.text import system_text
from agents.systems.library.shipped import read_system, system_path
from agents.systems.lint import sound_findings
from bridge_env.io.files import atomic_write
from bridge_env.rng import streams
from training.coaching.config import CoachConfig
from training.coaching.judgement import find_departures, judgement_of, line_text, unused_lines
from training.evaluation import panel, truth
from training.evaluation.boards import library_boards
from training.evolution.cluster_evaluator import ClusterEvaluator
from training.evolution.finalize import finalize
from training.evolution.generations import advance, league
from training.evolution.run import check_own_calls, check_start, load_or_begin
from training.evolution.scorecards import run as scorecards
from training.league import train_league
from training.league.league import POLICY
from training.runtime import pages, runs
from training.runtime.cluster import Cluster
from training.runtime.runs import Progress, open_run, to_dataframe

KIND = "coach"
BOOK = "book.bidding"
# Penalties to choose from, for each point, card or ace by which a call misleads; subtracted from a network's log odds.
TERMS = (8.0, 10.0, 12.0, 16.0, 24.0, 32.0, 48.0)
# The truth that a player may have less than its book, and the boards that measure it, at most.
_TRUTH_MARGIN, _TRUTH_BOARDS = 0.008, 10_000
_LISTED = 40  # lines of the book in a report


@dataclass(frozen=True)
class RoundResult:
    """Hold the result of a round."""

    player: Sequence[panel.PanelRow]  # the player's matches with gatekeepers, and its gain over the first book
    amended: Sequence[panel.PanelRow]  # the same of the amended book
    with_cards: Sequence[panel.PanelRow]  # the same of the amended book with scorecards; empty without them
    consistency: truth.SystemConsistency  # of the player, by the book that it learned by
    book_consistency: truth.SystemConsistency  # of that book, by itself
    amendments: Sequence[str]  # descriptions with gain and error


@dataclass(frozen=True)
class CoachResult:
    """Hold the result of a coaching."""

    folder: Path
    config: CoachConfig
    rounds: list[RoundResult]
    player: Path  # of the last round; plays as ``policy:PATH``
    amended: Path  # the amended book of the last round
    with_cards: Path | None  # the same with scorecards
    report: Path

    def to_dataframe(self) -> Any:
        """Return the matches as a pandas DataFrame: round, bidder, opponent, IMPs a board, their error, the gain."""
        return to_dataframe([
            {"round": number, "bidder": bidder, **asdict(line)}
            for number, one in enumerate(self.rounds, 1)
            for bidder, lines in (
                ("player", one.player), ("amended book", one.amended), ("amended book with scorecards", one.with_cards),
            )
            for line in lines
        ])  # fmt: skip


def coach(
    config: CoachConfig, *, out: Path = Path("results"), name: str | None = None, resume: Path | None = None,
    workers: int | None = None, address: str | None = None, progress: Progress = Progress(),
) -> CoachResult:  # fmt: skip
    """Train a player by a system, amend the system by the player, judge both, and write the report.

    Args:
        out, name: the folder is ``out/coach/name``; without a name it is the system's.
        resume: the folder of an earlier coaching to go on with instead.
        workers: tasks at a time; None for all of the cluster at ``address``, or all cores of this machine but one.
        address: of a running Ray cluster; None to start one on this machine.
        progress: shows how far the run is.

    Raises:
        SpecError: there is no such system, or its text is faulty.
        ValueError: settings make no sense.
        RunError: the folder cannot be used.
        ClusterError: Ray is missing, or the cluster cannot be reached.
    """
    config.check()
    check_own_calls(config.evolve("", "").own_calls, [config.system])
    if resume is None:
        text = system_text(read_system(config.system))
        folder = open_run(KIND, config, out, name or system_path(config.system).stem, None)
        atomic_write(folder / BOOK, text)
    else:
        folder = open_run(KIND, config, out, name, resume)
    progress.folder(folder)
    rounds = [Round(folder, config, number) for number in range(1, config.rounds + 1)]
    tasks = workers if workers or address else max(2, (os.cpu_count() or 2) - 1)
    with Cluster(tasks, address) as cluster:
        amendments = []
        for this in rounds:
            train_player(this, cluster, progress)
            amendments.append(amend(this, cluster, progress))
            if config.terms:
                fit_cards(this, cluster, progress)
    results = _judge(folder, config, rounds, amendments, progress)
    last = rounds[-1]
    cards = last.with_cards if config.terms else None
    return CoachResult(folder, config, results, last.player, last.amended, cards, folder / "report.md")


class Round:
    """Name the files of a round, from 1, in which a player learns by a book, and the book from the player."""

    def __init__(self, folder: Path, config: CoachConfig, number: int) -> None:
        self.folder, self.config, self.number = folder, config, number
        stem, suffix = Path(config.system).stem, "" if number == 1 else f"-{number}"
        # Later steps restart when the first player is trained further.
        trained = f"{suffix}-{config.iterations}"
        before = None if number == 1 else Round(folder, config, number - 1)
        self.start = "policy:champion-plain" if before is None else f"policy:{before.player}"
        self.book = folder / BOOK if before is None else before.amended  # that the player learns by
        self.player: Path = folder / f"{stem}{suffix}.npz"
        self.amended: Path = folder / f"{stem}-amended{suffix}.bidding"
        self.with_cards = folder / f"{stem}-cards{suffix}.bidding"
        self.player_run = folder / train_league.KIND / ("player" if number == 1 else f"player{trained}")
        self.amending_run = folder / "evolve" / f"amending{trained}"
        self.cards_run = folder / scorecards.KIND / f"fit{trained}-{config.terms}"


def train_player(this: Round, cluster: Cluster, progress: Progress) -> None:
    """Let a player learn by the book to the last iteration, and choose the terms on which it bids by it."""
    iterations = this.config.iterations if this.number == 1 else max(1, this.config.iterations // 3)
    config, run = this.config.league(str(this.book), this.start, iterations), this.player_run
    train_league.check_start(config)
    open_run(train_league.KIND, config, this.folder, run.name, run if run.exists() else None)
    progress.stage("learning by the book", config.iterations, "it")
    train_league.train(run, config, cluster, math.inf, progress)
    progress.say("choosing the terms")
    learned = networks_file.load(run / POLICY)
    adjusted = choose_terms(learned, this.config.seed, min(_TRUTH_BOARDS, this.config.counted))
    networks_file.save(adjusted, this.player)


def choose_terms(networks: Networks, seed: int, count: int = _TRUTH_BOARDS) -> Networks:
    """Return a network on the mildest of ``TERMS``, the strictest at most, on which it is nearly as true to its book as
    the book's own rules on ``count`` training boards: stricter terms win less.
    """
    assert networks.book is not None
    boards = library_boards(count, seed, "training")
    book, itself = networks.book, HierarchyBidder(networks.book.hierarchy)
    enough = truth.of_pair(itself, book, boards, seed).share - _TRUTH_MARGIN
    for term in TERMS:
        networks = replace(networks, terms=replace(networks.terms, truth=term))
        if truth.of_pair(NetworkBidder(networks), book, boards, seed).share >= enough:
            break
    return networks


def amend(this: Round, cluster: Cluster, progress: Progress) -> list[str]:
    """Let the book learn from the player; return descriptions of the amendments."""
    config, run = this.config.evolve(str(this.book), f"policy:{this.player}"), this.amending_run
    check_start(config)
    open_run("evolve", config, this.folder, run.name, run if run.exists() else None)
    state = load_or_begin(run, config)
    for after in advance(run, config, state, cluster, progress):
        state = after
    evaluator = ClusterEvaluator(cluster, league(config), config.seed, progress)
    _, pair, notes = finalize(config, state, evaluator)
    atomic_write(this.amended, system_text(pair.first.renamed(this.amended.stem)))
    return [what for row in state.metrics for what in row["accepted"]] + notes


def fit_cards(this: Round, cluster: Cluster, progress: Progress) -> None:
    """Fit scorecards for the amended book by the player."""
    config, run = this.config.cards(str(this.amended), f"policy:{this.player}"), this.cards_run
    open_run(scorecards.KIND, config, this.folder, run.name, run if run.exists() else None)
    result = scorecards.advance(run, config, cluster, progress)
    atomic_write(this.with_cards, system_text(result.system.renamed(this.with_cards.stem)))


def _judge(
    folder: Path, config: CoachConfig, rounds: list[Round], amendments: list[list[str]], progress: Progress
) -> list[RoundResult]:
    """Judge players and amended books against gatekeepers, count departures, and write the report."""
    gatekeepers = panel.gatekeepers()
    progress.stage("judging")

    def matches(spec: str) -> list[panel.PanelRow]:
        return panel.panel(
            spec, gatekeepers, config.judge, config.seed, over=f"system:{folder / BOOK}",
            log=folder / "panel.json", progress=progress,
        ).rows  # fmt: skip

    results = []
    for this, what in zip(rounds, amendments, strict=True):
        book = book_of(str(this.book))
        player, itself = (
            truth.of_pair(spec, book, config.judge, config.seed)
            for spec in (f"policy:{this.player}", f"system:{this.book}")
        )
        lines = matches(f"policy:{this.player}"), matches(f"system:{this.amended}")
        cards = matches(f"system:{this.with_cards}") if config.terms else []
        results.append(RoundResult(*lines, cards, player, itself, what))
    progress.stage("counting departures")
    learned, opponent = networks_file.load(rounds[0].player).player, read_networks("two-over-one").player
    assert isinstance(learned, SystemGuided)
    boards = library_boards(config.counted, config.seed, "judging")
    found = find_departures(learned, opponent, boards, streams.key("coach", config.seed, np.arange(len(boards))))
    progress.stage("looking for unsound lines")
    never, seldom = unused_lines(found, learned)
    page = pages.render(
        "coach.md",
        name=Path(config.system).stem,
        command=runs.command_line("bridge-env coach", replace(config, system=runs.portable(config.system))),
        rounds=results,
        keep=config.keep,
        terms=config.terms,
        panel_table=panel.markdown,
        boards=len(boards),
        judgement=judgement_of(found, learned),
        unsound=sound_findings(folder / BOOK),
        seldom=[f"{line_text(line)}: {followed} of {fired} times" for line, fired, followed in seldom[:_LISTED]],
        unused=len(never),
        never=[line_text(line) for line in never[:_LISTED]],
    )
    atomic_write(folder / "report.md", page)
    return results
