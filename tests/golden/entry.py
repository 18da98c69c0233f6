"""Every name of the project that the golden tests use: if a module moves or a name changes, only this file changes.

The names that this file gives to others stay as they are: import what was renamed ``as`` the name that stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium

import bridge_env  # noqa: F401 - registers the env
from agents.systems.explain.explain import explain
from agents.text_api import call, read_states
from bridge_env.bidders.errors import explain_call
from bridge_env.bidders.registry import make, player_at
from bridge_env.double_dummy.estimator import builtin_estimator
from bridge_env.double_dummy.exact import ExactDoubleDummy, library_then_solver
from bridge_env.double_dummy.library import builtin_library
from bridge_env.hands.deals import hand_text, random_deals
from bridge_env.records.lin import read_lin
from bridge_env.records.lin_writer import lin_text
from bridge_env.records.links import viewer_link
from bridge_env.records.pbn import board_text, read_boards
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_env.rules.par import par, par_contracts
from bridge_env.rules.scoring import imps, matchpoints, score
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match as play

__all__ = [
    "SEATS",
    "VULNERABILITIES",
    "ExactDoubleDummy",
    "board_text",
    "builtin_estimator",
    "builtin_library",
    "call_text",
    "hand_text",
    "imps",
    "library_boards",
    "library_then_solver",
    "lin_text",
    "make",
    "make_vec",
    "matchpoints",
    "par",
    "par_contracts",
    "play",
    "random_deals",
    "read_boards",
    "read_lin",
    "score",
    "shipped_networks",
    "shipped_systems",
    "viewer_link",
]  # fmt: skip


def make_vec(num_envs: int, **arguments: Any) -> Any:
    """Return the vector env."""
    return gymnasium.make_vec(
        "bridge_env/Bidding-v0", num_envs=num_envs, vectorization_mode="vector_entry_point", **arguments
    )


def shipped_systems() -> list[str]:
    """Return the specs of the systems of the package."""
    from agents.systems.library.shipped import shipped_systems

    return [f"system:{name}" for name in shipped_systems()]


def shipped_networks() -> list[str]:
    """Return the specs of the networks of the package."""
    from agents.networks import shipped

    return [f"policy:{name}" for name in shipped.shipped_networks()]


def board_fields(board: Any) -> dict[str, Any]:
    """Return what a board of a record holds."""
    return {
        "owner": board.owner, "dealer": board.dealer, "vulnerability": board.vulnerability, "number": board.number,
        "auction": board.auction, "contract": str(board.contract), "tricks": board.tricks, "play": board.play,
        "tags": dict(board.tags), "sections": dict(board.sections), "notes": dict(board.notes),
    }  # fmt: skip


def random_record(pbn: bool, seed: int) -> Any:
    """Return a board of a record, drawn by chance."""
    from support.boards import played_board, random_board

    return random_board(seed, {"Event": "Cup", "Site": f"Room {seed}"}) if pbn else played_board(seed)


def small_files(folder: Path) -> dict[str, str]:
    """Write a small case base and small maps; return their specs by kind."""
    from support.learners import small_atlas, small_base

    from agents.cases import base as cases_file
    from agents.maps import atlas

    cases_file.save(small_base(folder), folder / "small.cases.npz")
    atlas.save(small_atlas(), folder / "small.maps.npz")
    return {"cases": f"cases:{folder / 'small.cases.npz'}", "maps": f"som:{folder / 'small.maps.npz'}"}


def _player(spec: str, state: Mapping[str, object]) -> Any:
    """Return the player to call, what it sees, and its random stream."""
    view, key = read_states([state])
    return player_at(make(spec, partner=spec), int(view.seat[0])), view, key


def explanation_text(spec: str, state: Mapping[str, object]) -> str:
    """Return what a bidder says of its call; its call alone if it explains nothing."""
    player, view, key = _player(spec, state)
    return explain_call(player, view, key) if hasattr(player, "explain") else call(spec, **state)  # type: ignore[arg-type]


def explanation_fields(spec: str, state: Mapping[str, object]) -> dict[str, Any]:
    """Return what a system says of its call, by field."""
    player, view, _ = _player(spec, state)
    return explain(player, view).as_json()


def _figure_row(place: str, step: object, figures: Any, shows: Any) -> list[Any]:
    return [
        place, str(step), figures.made, figures.chances, list(figures.examples), str(shows),
        figures.usual("hcp") if figures.made else None,
    ]  # fmt: skip


def system_book(name: str, deals: int, seed: int) -> tuple[list[Any], dict[str, Any]]:
    """Return a row for each call of a system's book, and figures of all."""
    from agents.systems.library.shipped import read_system
    from training.book.system_book import make_book

    book = make_book(read_system(name), deals, seed)
    rows = [
        _figure_row(
            "general" if one.point is None else one.point.name, one.step, book.measured.figures[one.index], shows
        )
        for one, shows in zip(book.graph.entries, book.shows, strict=True)
    ]
    measured = book.measured
    return rows, {
        "calls": measured.calls, "passes": measured.passes, "code words": list(measured.artificial),
        "share of hands that fit": book.coverage.share,
    }  # fmt: skip


def network_book(name: str, deals: int, seed: int) -> tuple[list[Any], dict[str, Any]]:
    """Return a row for each call of a network's book, and figures of all."""
    from agents.networks.shipped import read_networks
    from training.book.network_book import HOLDOUT, calls_by, coverage, points_of
    from training.book.shows import shown

    network = read_networks(name).player
    points = points_of(calls_by(network, seed, deals), deals)
    calls: list[Any] = [call for point in points for call in point.entries.values()]
    rows = [
        [
            *_figure_row(one.point.name + " late" * one.point.late, one.step, one.figures, shown(one.figures)),
            one.artificial,
            one.forcing,
        ]
        for one in calls
    ]
    return rows, {"share of hands that fit": coverage(calls, calls_by(network, seed + 1, HOLDOUT)).share}


def exam_paper(spec: str) -> dict[str, Any]:
    """Return a bidder's answers in the textbook exam, and its marks."""
    from training.exam.positions import textbook
    from training.exam.run import sit

    return sit(spec, textbook()).record()


def evolve_run(folder: Path, start: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Evolve in this process; return the systems, what was accepted, the champion, and the verdict."""
    from support.learners import Here

    from agents.systems.language.text import system_text
    from training.evaluation import verdict as judge
    from training.evolution import generations
    from training.evolution.cluster_evaluator import ClusterEvaluator
    from training.evolution.config import EvolveConfig
    from training.evolution.finalize import finalize
    from training.runtime.runs import Progress

    config = EvolveConfig(start=start, control=start, **settings)
    state = generations.begin(config)
    for after in generations.advance(folder, config, state, Here(), Progress()):
        state = after
    evaluator = ClusterEvaluator(Here(), generations.league(config), config.seed, Progress())
    best, pair, said = finalize(config, state, evaluator)
    files = [f"system:{file}" for file in generations.write_systems(folder, "evolved", pair)]
    evolved = files[0] if len(files) == 1 else f"pair:{','.join(files)}"
    rows = judge.verdict(evolved, f"system:{start}", config.start_spec, config.judge, config.seed)
    population = [[system_text(one.first), system_text(one.second)] for one in state.population]
    return {
        **{f"partnership {number}": texts for number, texts in enumerate(population)},
        **{
            f"generation {row['generation']}": [row["mean_imps"], row["standard_error"], row["best"], row["accepted"]]
            for row in state.metrics
        },
        "champion": [best, system_text(pair.first), system_text(pair.second)],
        "at the end": said,
        "verdict": [[round(row.mean_imps, 4), round(row.standard_error, 4), row.boards] for row in rows],
    }


def league_run(folder: Path) -> dict[str, Any]:
    """Train a network in this process; return coarse figures of its weights and of how it was judged."""
    import torch
    from support.learners import run_league

    from training.configs import LeagueConfig

    torch.set_num_threads(1)
    config = LeagueConfig(
        start="nothing", iterations=6, boards=64, evaluate=3, judged=200, panel="pass", layers="24,16"
    )
    league = run_league(folder / "league", config)
    learned = league.learner.state()
    weights = list(learned["average"])
    for name in ("policy", "critic"):
        moments = list(learned[f"{name}_adam"]["state"].values())
        weights += [*learned[name].values(), moments[0]["step"]]
        weights += [moment[kind] for moment in moments for kind in ("exp_avg", "exp_avg_sq")]
    return {
        "iterations": league.state.iteration,
        "sizes of weights": sorted(weight.numel() for weight in weights),
        "weights": sorted(round(float(weight.double().abs().mean()), 2) for weight in weights),
    }


def coach_run(folder: Path, text: str) -> dict[str, Any]:
    """Coach a system in this process; return the amendments and the amended system."""
    from dataclasses import replace

    import torch
    from support.learners import Here

    from agents.systems.language.text import system_text
    from agents.systems.library.shipped import read_system
    from training.coaching import run as coaching
    from training.coaching.config import CoachConfig
    from training.runtime.runs import Progress

    torch.set_num_threads(1)

    class Small(CoachConfig):
        def league(self, *given: Any) -> Any:
            return replace(super().league(*given), judged=40)

        def evolve(self, *given: Any) -> Any:
            return replace(super().evolve(*given), boards=256, positions=6)

    system = folder / "mine.bidding"
    system.write_text(text)
    config = Small(
        system=str(system), iterations=2, rollout=64, estimated=0, generations=1, study=384, confirm=256, counted=100,
        judge=8,
    )  # fmt: skip
    (folder / coaching.BOOK).write_text(system_text(read_system(str(system))))
    this = coaching.Round(folder, config, 1)
    coaching.train_player(this, Here(), Progress())
    amendments = coaching.amend(this, Here(), Progress())
    return {"amendments": amendments, "amended system": this.amended.read_text()}
