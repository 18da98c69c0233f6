"""A coaching in its folder: a player learns by the book, the book learns from the player, both are judged.

Every step begins where an earlier run of it stopped. The folder holds the book as it was when the coaching began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from agents.hierarchy.bidder import HierarchyBidder
from agents.hierarchy.language.text import system_text
from agents.hierarchy.lint import sound_findings
from agents.hierarchy.shipped import read_system, system_path
from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import ByBook
from agents.networks.file import Networks, digest
from agents.networks.shipped import read_networks
from bridge_env import streams
from bridge_env.files import atomic_write
from training.coach import left
from training.coach.config import CoachConfig
from training.coach.report import Result, report
from training.evolve import ending, generations
from training.evolve.work import Work
from training.match import panel, system_consistency
from training.match.boards import library_boards
from training.networks import league_run
from training.networks.configs import LeagueConfig
from training.networks.league import KIND as LEAGUE
from training.networks.league import POLICY, State
from training.running import lock, runs
from training.running.cluster import Cluster

KIND = "coach"
_PLAYER, _AMENDING = "player", "amending"
TERMS = (8.0, 10.0, 12.0, 16.0, 24.0, 32.0, 48.0)  # what a player loses for each point or card by which it misleads
_SHORT_OF_BOOK, _SETTLED_ON = 0.008, 10_000  # truth that it may have less than its book; boards that tell, at most


def prepare(resumed: Path | None, config: CoachConfig, root: Path, name: str | None) -> Path:
    """A new folder with a copy of the book, or the one to go on with.

    Raises:
        RunError: the folder cannot be used.
        SpecError: there is no such system, or its text is faulty.
    """
    if resumed is not None:
        lock.hold(resumed)
        runs.write_manifest(resumed, runs.read_manifest(resumed) | {"config": asdict(config)})
        return resumed
    system = read_system(config.system)
    folder = runs.new_folder(root, KIND, name or system_path(config.system).stem)
    lock.hold(folder)
    atomic_write(_book(folder), system_text(system))
    runs.write_manifest(folder, runs.manifest(asdict(config), "") | {"kind": KIND})
    return folder


def name_of(config: CoachConfig) -> str:
    """What the player and the amended book are called."""
    return Path(config.system).stem


@dataclass(frozen=True)
class Round:
    """A player that learns by a book, and the book that learns from it."""

    folder: Path  # of the coaching
    config: CoachConfig
    number: int  # from 1, which is by the book that was given; later ones go on from the round before

    @property
    def _before(self) -> Round:
        return replace(self, number=self.number - 1)

    @property
    def _mark(self) -> str:
        """What tells names of later rounds from those of the first."""
        return "" if self.number == 1 else f"-{self.number}"

    @property
    def book(self) -> Path:
        """The book that the player learns by."""
        return _book(self.folder) if self.number == 1 else self._before.amended

    @property
    def player(self) -> Path:
        return self.folder / f"{name_of(self.config)}{self._mark}.npz"

    @property
    def amended(self) -> Path:
        return self.folder / f"{name_of(self.config)}-amended{self._mark}.bidding"

    def run_name(self, what: str) -> str:
        """The run of one of the two, in its folder. What comes after a player that has learned on is done anew."""
        first = self.number == 1 and what == _PLAYER
        return f"{what}{self._mark}" + ("" if first else f"-{self.config.iterations}")

    def league(self) -> LeagueConfig:
        """The settings by which the player learns."""
        start = "policy:champion-plain" if self.number == 1 else f"policy:{self._before.player}"
        return self.config.league(str(self.book), start, self.config.iterations_of(self.number))


def rounds(folder: Path, config: CoachConfig) -> list[Round]:
    """The rounds of a coaching, from the first."""
    return [Round(folder, config, number) for number in range(1, config.rounds + 1)]


def _book(folder: Path) -> Path:
    return folder / "book.bidding"


def train(this: Round, cluster: Cluster, tick: Callable[[int, str], None], say: Callable[[str], None]) -> None:
    """Let a player learn by the book, to the last iteration; ``tick`` hears of iterations and the latest figures."""
    settings, name = this.league(), this.run_name(_PLAYER)
    run = this.folder / LEAGUE / name
    run = league_run.prepare(run if run.exists() else None, settings, this.folder, name)

    def told(state: State, decisions: float) -> None:
        last = state.metrics[-1] if state.metrics else {}  # the first verdict comes while it learns
        figures = [f"{last[n]['mean_imps']:+.2f} v. {n}" for n in ("start", "policy:two-over-one") if n in last]
        figures += [f"truth {100 * last['truth']:.1f}%"] if "truth" in last else []
        tick(state.iteration, ", ".join(figures))

    league_run.train(run, settings, cluster, None, told, say)
    learned = networks_file.load(run / POLICY)
    if not _is_settled(this.player, learned):
        say("settling on terms")
        networks_file.save(settled(learned, this.config.seed, min(_SETTLED_ON, this.config.counted)), this.player)


def _is_settled(path: Path, learned: Networks) -> bool:
    """Has an earlier run of this step written what was learned to ``path``?"""
    if not path.is_file():
        return False
    kept = networks_file.load(path)
    return dict(kept.trained) == dict(learned.trained) and digest(kept.policy) == digest(learned.policy)


def settled(networks: Networks, seed: int, count: int = _SETTLED_ON) -> Networks:
    """Put a network on the mildest of ``TERMS`` on which it is nearly as true to its book as the book's own rules.

    The stricter the terms, the truer its calls, and the less they win. Training boards decide. Where none suffices,
    the strictest are taken.

    Args:
        count: boards.
    """
    assert networks.book is not None
    boards = library_boards(count, seed, "training")
    book, itself = networks.book, HierarchyBidder(networks.book.hierarchy)
    enough = system_consistency.of_pair(itself, book, boards, seed).share - _SHORT_OF_BOOK
    for term in TERMS:
        networks = replace(networks, terms=replace(networks.terms, truth=term))
        if system_consistency.of_pair(NetworkBidder(networks), book, boards, seed).share >= enough:
            break
    return networks


def amend(this: Round, cluster: Cluster, tick: Callable[[int], None],
          generation: Callable[[int], None], step: ending.Step) -> list[str]:  # fmt: skip
    """Let the book learn from the player; returns the amendments in words.

    Args:
        tick: hears of boards; generation: of generations done; step: of the steps of the ending.
    """
    settings, name = this.config.evolve(str(this.book), f"policy:{this.player}"), this.run_name(_AMENDING)
    run = this.folder / generations.KIND / name
    if run.exists():
        lock.hold(run)
        settings, state = generations.load(run)
        settings = replace(settings, generations=max(this.config.generations, state.generation))
    else:
        run, state = generations.start_run(this.folder, name, settings)
    generation(state.generation)
    for after in generations.evolve(run, settings, state, cluster, tick):
        state = after
        generation(state.generation)
    work = Work(cluster, generations.league(settings), settings.seed, tick)
    _, pair, said = ending.champion(settings, state, work, step)
    atomic_write(this.amended, system_text(pair.first.renamed(this.amended.stem)))
    return [what for row in state.metrics for what in row["kept"]] + said


def conclude(folder: Path, config: CoachConfig, kept: list[list[str]], say: Callable[[str], None],
             tick: Callable[[int], None]) -> str:  # fmt: skip
    """Judge players and amended books abroad, count departures, and write the report; returns the table.

    Args:
        kept: the amendments of each round, in words.
    """
    gatekeepers = [opponent for group, opponent in panel.opponents() if group == "gatekeepers"]
    book, first = f"system:{_book(folder)}", Round(folder, config, 1)

    def told(opponent: str, boards: int) -> None:
        say(f"judging against {opponent}")
        tick(boards)

    def judged(spec: str) -> list[panel.Line]:
        return panel.panel(
            spec, gatekeepers, config.judge, config.seed, over=book, log=folder / "panel.json", progress=told
        ).lines

    results = [
        Result(judged(f"policy:{this.player}"), judged(f"system:{this.amended}"),
               system_consistency.of_pair(f"policy:{this.player}", _player(this).book, config.judge, config.seed),
               system_consistency.of_pair(f"system:{this.book}", _player(this).book, config.judge, config.seed), said)
        for this, said in zip(rounds(folder, config), kept, strict=True)
    ]  # fmt: skip
    say("counting departures")
    opponent = read_networks("two-over-one").player
    boards = library_boards(config.counted, config.seed, "judging")
    key = streams.key("coach", config.seed, np.arange(len(boards)))
    found = left.departures(_player(first), opponent, boards, key)
    say("looking for unsound lines")
    page = report(
        config, name_of(config), results, found, left.left(found), left.unused(found, _player(first)),
        sound_findings(_book(folder)),
    )  # fmt: skip
    atomic_write(folder / "report.md", page)
    return "\n\n".join(panel.table_text(lines) for one in results for lines in (one.player, one.amended))


def _player(this: Round) -> ByBook:
    player = read_networks(str(this.player)).player
    assert isinstance(player, ByBook)
    return player
