"""A coaching in its folder: a player learns by the book, the book learns from the player, both are judged.

Every step begins where an earlier run of it stopped. The folder holds the book as it was when the coaching began.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from agents.hierarchy.checking import sound_findings
from agents.hierarchy.language.text import system_text
from agents.hierarchy.shipped import read_system, system_path
from agents.networks import file as networks_file
from agents.networks.book import ByBook
from agents.networks.file import book_path
from agents.networks.shipped import read_networks
from bridge_env import streams
from bridge_env.files import write_whole
from training.coach import left
from training.coach.config import CoachConfig
from training.coach.report import report
from training.evolve import ending, generations
from training.evolve.work import Work
from training.match import panel, truth
from training.match.boards import library_boards
from training.networks import league_run
from training.networks.league import KIND as LEAGUE
from training.networks.league import POLICY, State
from training.running import lock, runs
from training.running.cluster import Cluster

KIND = "coach"
_PLAYER, _AMENDING = "player", "amending"
Say = Callable[[str, float | None, str], None]  # what is done; how much of it there is (None: unknown), and the unit


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
    write_whole(_book(folder), system_text(system))
    runs.write_manifest(folder, runs.manifest(asdict(config), "") | {"kind": KIND})
    return folder


def name_of(config: CoachConfig) -> str:
    """What the player and the amended book are called."""
    return Path(config.system).stem


def player_path(folder: Path, config: CoachConfig) -> Path:
    """Where the player lies."""
    return folder / f"{name_of(config)}.npz"


def amended_path(folder: Path, config: CoachConfig) -> Path:
    """Where the amended book lies."""
    return folder / f"{name_of(config)}-amended.bidding"


def _book(folder: Path) -> Path:
    return folder / "book.bidding"


def train(
    folder: Path, config: CoachConfig, cluster: Cluster, tick: Callable[[int, str], None], say: Callable[[str], None]
) -> None:
    """Let a player learn by the book, to the last iteration.

    Args:
        tick: hears of iterations done, and of the latest figures.
    """
    settings = config.league(str(_book(folder)))
    run = folder / LEAGUE / _PLAYER
    run = league_run.prepare(run if run.exists() else None, settings, folder, _PLAYER)

    def told(state: State, decisions: float) -> None:
        last = state.metrics[-1]
        figures = [f"{last[n]['mean_imps']:+.2f} v. {n}" for n in ("start", "policy:two-over-one") if n in last]
        tick(state.iteration, f"{', '.join(figures)}, truth {100 * last.get('truth', 0):.1f}%")

    league_run.train(run, settings, cluster, None, told, say)
    path = player_path(folder, config)
    shutil.copyfile(run / POLICY, path)
    shutil.copyfile(book_path(run / POLICY), book_path(path))
    networks_file.load(path)  # it plays, or says what is wrong


def amend(folder: Path, config: CoachConfig, cluster: Cluster, tick: Callable[[int], None],
          generation: Callable[[int], None], step: ending.Step) -> list[str]:  # fmt: skip
    """Let the book learn from the player; returns the amendments in words.

    Args:
        tick: hears of boards; generation: of generations done; step: of the steps of the ending.
    """
    settings = config.evolve(str(_book(folder)), f"policy:{player_path(folder, config)}")
    name = f"{_AMENDING}-{config.iterations}"  # a player that has learned on teaches anew
    run = folder / generations.KIND / name
    if run.exists():
        lock.hold(run)
        settings, state = generations.load(run)
        settings = replace(settings, generations=max(config.generations, state.generation))
    else:
        run, state = generations.start_run(folder, name, settings)
    generation(state.generation)
    for after in generations.evolve(run, settings, state, cluster, tick):
        state = after
        generation(state.generation)
    work = Work(cluster, generations.league(settings), settings.seed, tick)
    _, pair, said = ending.champion(settings, state, work, step)
    write_whole(amended_path(folder, config), system_text(pair.first.renamed(f"{name_of(config)}-amended")))
    return [what for row in state.metrics for what in row["kept"]] + said


def conclude(folder: Path, config: CoachConfig, kept: list[str], say: Callable[[str], None],
             tick: Callable[[int], None]) -> str:  # fmt: skip
    """Judge the player and the amended book abroad, count departures, and write the report; returns the table."""
    book, player = f"system:{_book(folder)}", f"policy:{player_path(folder, config)}"
    listed = [row for row in panel.opponents() if row[0] == "gatekeepers"]

    def told(opponent: str, boards: int) -> None:
        say(f"judging against {opponent}")
        tick(boards)

    tables = [
        panel.panel(spec, listed, config.judge, config.seed, over=book, kept=folder / "panel.json", progress=told)
        for spec in (player, f"system:{amended_path(folder, config)}")
    ]
    say("counting departures")
    by_book = read_networks(str(player_path(folder, config))).player
    assert isinstance(by_book, ByBook)
    opponent = read_networks("two-over-one").player
    boards = library_boards(config.counted, config.seed, "judging")
    key = streams.key("coach", config.seed, np.arange(len(boards)))
    found = left.departures(by_book, opponent, boards, key)
    both = (
        truth.of_pair(player, by_book.book, config.judge, config.seed),
        truth.of_pair(book, by_book.book, config.judge, config.seed),
    )
    say("looking for unsound lines")
    page = report(
        config, name_of(config), tables, both, found, left.left(found), left.unused(found, by_book), kept,
        sound_findings(_book(folder)),
    )  # fmt: skip
    write_whole(folder / "report.md", page)
    return "\n\n".join(panel.table_text(lines) for lines in tables)
