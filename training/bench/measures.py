"""Measure the speed of envs, matches and the solver. Each measure is a rate, taken several times after a warm-up.

The work of an env's step: draw a random legal call, make it, write the 480 int8 features and the mask of 38, pay
IMPs against par from stored tables, deal a new board after the last call.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import gymnasium
import numpy as np

import agents
import bridge_env  # noqa: F401 - registers the env
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.engine.compiler import compile_system
from agents.systems.inference.shown import sample_view
from agents.systems.library.shipped import read_system
from agents.text_api import read_states
from bridge_env.double_dummy import ExactDoubleDummy
from bridge_env.envs.compiled.steps import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.hands.deals import random_deals, rotate_deals
from bridge_env.rng import streams
from training.evaluation import match
from training.evaluation.boards import library_boards
from training.runtime.pages import table

SECONDS = 1.0  # of one repetition, about
TABLES, STEPS = 1024, 100_000  # tables of an env as it comes, and steps at a time
#: Names and settings of the vector envs that are timed as they come.
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as it comes: one seat learns, systems in the others", {}),
    ("a pair learns, systems opposite", {"learner": "NS"}),
    ("as it comes, against par", {"reward": "imps_vs_par"}),
    ("opponents pass, systems as partner and control pair", {"opponents": "pass"}),
    ("a network opposite", {"opponents": "policy:two-over-one"}),
)


@dataclass(frozen=True)
class Rate:
    """Hold the median of several measured rates, with the least and the most."""

    what: str
    unit: str
    median: float
    least: float
    most: float
    remark: str = ""


def rate(
    what: str, unit: str, work: Callable[[], int], repetitions: int, remark: str = "", warm_up: float = 0.0
) -> Rate:
    """Time ``work``, which returns the amount that it did, after ``warm_up`` seconds of it: systems cache what comes
    often.
    """
    began = time.perf_counter()
    work()
    while time.perf_counter() - began < warm_up:
        work()
    found = []
    for _ in range(repetitions):
        began, done, spent = time.perf_counter(), 0, 0.0
        while spent < SECONDS:
            done += work()
            spent = time.perf_counter() - began
        found.append(done / spent)
    return Rate(what, unit, statistics.median(found), min(found), max(found), remark)


def vector_env(name: str, tables: int, repetitions: int, remark: str, *, at_random: bool, **settings: Any) -> Rate:
    """Return steps a second of a vector env on one core; the caller makes random legal calls, or passes."""
    env: Any = gymnasium.make_vec("bridge_env/Bidding-v0", num_envs=tables, **settings)
    _, info = env.reset(seed=1)
    calls, rounds, turn = np.zeros(tables, np.int64), max(1, STEPS // tables), count()

    def work() -> int:
        nonlocal info
        for key in streams.key("bench", next(turn), np.arange(rounds)):
            if at_random:
                sample_legal(info["action_mask"], key, calls)
            _, _, _, _, info = env.step(calls)
        return rounds * tables

    result = rate(f"bridge-env, {name}", "steps/s", work, repetitions, remark, 6 * SECONDS)
    env.close()
    return result


def single_env(name: str, repetitions: int, *, at_random: bool, **settings: Any) -> Rate:
    """Return steps a second of the plain Gymnasium env from Python, with the ``reset`` after each auction."""
    env = BiddingEnv(**settings)
    _, info = env.reset(seed=1)
    chance = np.random.default_rng(1)

    def work() -> int:
        nonlocal info
        for share in chance.random(1000).tolist():
            legal = info["action_mask"].nonzero()[0]
            _, _, over, _, info = env.step(legal[int(share * len(legal))] if at_random else 0)
            if over:
                _, info = env.reset()
        return 1000

    remark = "random legal call drawn with numpy" if at_random else "one core, the caller passes"
    return rate(f"bridge-env, one env {name}", "steps/s", work, repetitions, remark, 6 * SECONDS)


def matches(repetitions: int) -> list[Rate]:
    """Return duplicate boards a second, features of hands included; every board is new: seats and conditions turn."""
    first, turns, system = library_boards(4096, 1), count(1), read_system("sayc")
    compiled = compile_system(system)

    def fresh() -> Any:
        turn = next(turns)
        code = first.dealer + 4 * first.vulnerability + turn
        owner = rotate_deals(first.owner, turn // 16 % 4)
        return replace(first, owner=owner, dealer=code % 4, vulnerability=code // 4 % 4)

    def known() -> int:
        match("system:sayc", "system:sayc", fresh(), 1)
        return len(first)

    def unknown() -> int:
        ours, theirs = Hierarchy(system, compiled), Hierarchy(system, compiled)
        a = HierarchyBidder(ours, ours, (theirs, theirs))
        match(a, HierarchyBidder(theirs, theirs, (ours, ours)), fresh(), 1)
        return len(first)

    name = "full duplicate boards of systems, "
    remark = "one core, system:sayc on all seats, boards never met before"
    return [
        rate(name + "the systems met before", "boards/s", known, repetitions, remark),
        rate(name + "4,096 of new systems", "boards/s", unknown, repetitions, remark),
    ]


def sampled_deals(auction: str, repetitions: int) -> Rate:
    """Return sampled deals a second that contain a hand and fit the calls of ``auction``."""
    sayc: Any = agents.make("system:sayc")
    view, _ = read_states([{"hand": "K542.A87.QJ4.Q92", "auction": auction.split()}])
    turn = count()

    def work() -> int:
        return sample_view(sayc, view, 1000, streams.key("bench", next(turn))).fitting

    return rate(f"deals that fit {auction}, system:sayc", "deals/s", work, repetitions, "one core, 1,000 at a time")


def solving(repetitions: int) -> list[Rate]:
    """Return tables and single contracts solved a second; every repetition has fresh deals."""
    solver, fresh = ExactDoubleDummy(), count(0, 1000)

    def tables() -> int:
        solver.tricks(random_deals(990_001, next(fresh), 10))
        return 10

    def contracts() -> int:
        number = np.arange(40)
        solver.tricks_for(random_deals(990_002, next(fresh), 40), number % 4, number * 3 % 5)
        return 40

    cores = f"all cores ({solver.threads})"
    return [
        rate("solving tables", "tables/s", tables, repetitions, cores),
        rate("solving single contracts", "contracts/s", contracts, repetitions, cores),
    ]


def all_rates(repetitions: int) -> Iterator[Rate]:
    """Yield each rate as it is measured."""
    for number, (name, settings) in enumerate(SETTINGS):
        for at_random in (False, True)[: 1 + (number < 2)]:
            remark = f"{TABLES:,} tables, one core, {'random legal calls' if at_random else 'the caller passes'}"
            yield vector_env(name, TABLES, repetitions, remark, at_random=at_random, **settings)
    yield single_env("as it comes", repetitions, at_random=False)
    for batch in (128, 4096, 65536):
        name, seats = f"batch {batch:,}", {"learner": "all", "reward": "imps_vs_par"}
        yield vector_env(name, batch, repetitions, "new arrays every step", at_random=True, **seats)
    name, shown = "what seats have shown, batch 4,096", {**seats, "observation": "shown:sayc"}
    yield vector_env(name, 4096, repetitions, "random legal calls, no two auctions alike", at_random=True, **shown)
    yield single_env("(learner=all)", repetitions, at_random=True, learner="all")
    yield from matches(repetitions)
    for auction in ("1N P", "1S 2H", "1C P 1H P"):
        yield sampled_deals(auction, repetitions)
    yield from solving(repetitions)


def page(rates: Sequence[Rate], machine: str, command: str) -> str:
    """Return the measured rates as a page of Markdown."""
    cells = ([r.what, *(f"{n:,.1f}" for n in (r.median, r.least, r.most)), f"{r.unit}; {r.remark}"] for r in rates)
    return "\n".join([
        "# How fast", "", f"`{command}`, one run: {machine}.", "Median, least and most of the repetitions.", "",
        "A step of an env: a random legal call drawn and made, 480 int8 features and the mask written, IMPs against",
        "par paid from stored tables, a new deal after the last call; remarks name the differences. In envs without a",
        "remark on the caller all seats are the caller's.", "",
        *table(("", "median", "least", "most", "remarks"), cells), "",
    ])  # fmt: skip
