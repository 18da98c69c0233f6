"""Measure the speed of envs, matches and the solver. Each measure is a rate, taken several times after a warm-up.

The work of an env's step: draw a random legal call, make it, write the 480 int8 features and the mask of 38, pay
IMPs against par from stored tables, deal a new board after the last call.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
import numpy as np

import agents
import bridge_env  # noqa: F401 - registers the env
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.engine.compiled import compile_system
from agents.systems.inference.shown import sample_view
from agents.systems.library.shipped import read_system
from agents.text_api import read_states
from bridge_env.double_dummy import ExactDoubleDummy, builtin_library
from bridge_env.envs.compiled.rounds import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.hands.deals import random_deals, rotate_deals
from bridge_env.rng import streams
from training.evaluation import match
from training.evaluation.boards import library_boards

SECONDS = 1.0  # of one repetition, about


@dataclass(frozen=True)
class Rate:
    """The median of several measured rates, with the least and the most."""

    what: str
    unit: str
    median: float
    least: float
    most: float
    repetitions: int
    remark: str = ""


def rate(what: str, unit: str, work: Callable[[], int], repetitions: int, remark: str = "") -> Rate:
    """Time ``work``, which returns the amount that it did: one round to warm up, then the repetitions."""
    work()
    found = []
    for _ in range(repetitions):
        began, done = time.perf_counter(), 0
        while (spent := time.perf_counter() - began) < SECONDS:
            done += work()
        found.append(done / spent)
    return Rate(what, unit, statistics.median(found), min(found), max(found), repetitions, remark)


_TABLES, _ROUNDS, _STEPS = 1024, 40, 1000
_WARM_UP = 6  # times as long as a repetition: systems cache the positions that come often
_NETWORK = "policy:two-over-one"
#: Names and settings of ``make_vec``.
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as it comes: one seat learns, systems in the others", {}),
    ("a pair learns, systems opposite", {"learner": "NS"}),
    ("as it comes, against par", {"reward": "imps_vs_par"}),
    ("opponents pass, systems as partner and control pair", {"opponents": "pass"}),
    ("a network opposite", {"opponents": _NETWORK}),
)


def _warm_up(work: Callable[[], int]) -> None:
    began = time.perf_counter()
    while time.perf_counter() - began < _WARM_UP * SECONDS:
        work()


def tables(name: str, settings: dict[str, Any], repetitions: int, *, at_random: bool = False) -> Rate:
    """Return steps a second of 1,024 tables on one core; the caller passes, or makes legal calls at random."""
    env: Any = gymnasium.make_vec("bridge_env/Bidding-v0", num_envs=_TABLES, **settings)
    work = steps_of(env, _ROUNDS, at_random=at_random)
    _warm_up(work)
    caller = "random legal calls" if at_random else "the caller passes"
    result = rate(f"bridge-env, {name}", "steps/s", work, repetitions, f"{_TABLES:,} tables, one core, {caller}")
    env.close()
    return result


def one_table(repetitions: int) -> Rate:
    """Return steps a second of the plain env as it comes; the caller passes."""
    env = BiddingEnv()
    env.reset(seed=1)

    def work() -> int:
        for _ in range(_STEPS):
            if env.step(0)[2]:
                env.reset()
        return _STEPS

    _warm_up(work)
    return rate("bridge-env, one env as it comes", "steps/s", work, repetitions, "one core, the caller passes")


def steps_of(env: Any, rounds: int, *, at_random: bool = True) -> Callable[[], int]:
    """Return work to be timed: some rounds of a vector env with random legal calls, or passes."""
    _, info = env.reset(seed=1)
    tables, turn = int(env.num_envs), 0
    calls = np.zeros(tables, np.int64)

    def work() -> int:
        nonlocal info, turn
        turn += 1
        for key in streams.key("bench", turn, np.arange(rounds)):
            if at_random:
                sample_legal(info["action_mask"], key, calls)
            _, _, _, _, info = env.step(calls)
        return rounds * tables

    return work


def vector_env(batch: int, repetitions: int, copy: bool = True) -> Rate:
    """Return steps a second of ``BiddingVectorEnv`` on one core, all four seats the caller's."""
    env: Any = gymnasium.make_vec(
        "bridge_env/Bidding-v0", num_envs=batch, learner="all", reward="imps_vs_par", copy=copy
    )
    how = "new arrays every step" if copy else "the same arrays every step"
    name = f"bridge-env, batch {batch:,}" + ("" if copy else ", copy=False")
    result = rate(name, "steps/s", steps_of(env, max(1, 100_000 // batch)), repetitions, how)
    env.close()
    return result


def single_env(repetitions: int, **options: Any) -> Rate:
    """Return steps a second of the plain Gymnasium env from Python, with the ``reset`` after each auction."""
    env = BiddingEnv(**options)
    chance = np.random.default_rng(1).random(100_000)
    _, info = env.reset(seed=1)
    at = 0

    def work() -> int:
        nonlocal info, at
        for _ in range(1000):
            legal = info["action_mask"].nonzero()[0]
            at = (at + 1) % len(chance)
            _, _, over, _, info = env.step(legal[int(chance[at] * len(legal))])
            if over:
                _, info = env.reset()
        return 1000

    words = ", ".join(f"{name}={value}" for name, value in options.items())
    return rate(f"bridge-env, one env ({words})", "steps/s", work, repetitions, "random legal call drawn with numpy")


def matches(repetitions: int) -> list[Rate]:
    """Return duplicate boards a second: features of all hands, both tables bid, scored, compared.

    Every board is new: 4,096 deals, with dealer and vulnerability, later the seats, turned after each match.
    """
    first, turn, system = library_boards(4096, 1), 0, read_system("sayc")
    compiled = compile_system(system)

    def fresh() -> Any:
        nonlocal turn
        turn += 1
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
    turn = 0

    def work() -> int:
        nonlocal turn
        turn += 1
        return sample_view(sayc, view, 1000, streams.key("bench", turn)).fitting

    return rate(f"deals that fit {auction}, system:sayc", "deals/s", work, repetitions, "one core, 1,000 at a time")


def library_reads(repetitions: int) -> Rate:
    """Return solved deals a second, read in random order."""
    library = builtin_library()
    order = np.random.default_rng(1).permutation(len(library))

    def work() -> int:
        library.owners(order)
        library.tricks_at(order)
        return len(order)

    return rate("library, deals with tables in random order", "deals/s", work, repetitions, "one core")


def solving(repetitions: int) -> list[Rate]:
    """Return tables and single contracts solved a second; every repetition has fresh deals."""
    solver, fresh = ExactDoubleDummy(), fresh_numbers()

    def tables() -> int:
        solver.tricks(random_deals(990_001, next(fresh), 10))
        return 10

    def contracts() -> int:
        n = 40
        at = next(fresh)
        solver.tricks_for(random_deals(990_002, at, n), np.arange(n) % 4, (np.arange(n) * 3) % 5)
        return n

    cores = f"all cores ({solver.threads})"
    return [
        rate("solving whole tables", "tables/s", tables, repetitions, cores),
        rate("solving single contracts", "contracts/s", contracts, repetitions, cores),
    ]


def fresh_numbers() -> Iterator[int]:
    """Yield the starts of ranges of deals, each used once."""
    at = 0
    while True:
        yield at
        at += 1000


_FIRST_STEP = """
import time; began = time.perf_counter()
import numpy, gymnasium
base = time.perf_counter()
import bridge_env
imported = time.perf_counter()
env = gymnasium.make_vec("bridge_env/Bidding-v0", num_envs=4096, learner="all")
env.reset(seed=1); env.step(numpy.zeros(4096, int))
print(base - began, imported - base, time.perf_counter() - imported)
"""


def first_steps() -> dict[str, float]:
    """Return seconds to import, and to the first step with a cold and with a warm cache of kernels."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "cached"):
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            done = subprocess.run(
                [sys.executable, "-c", _FIRST_STEP], env=environment, capture_output=True, text=True, check=True
            )
            base, imported, stepped = (float(x) for x in done.stdout.split())
            found |= {"import_numpy_gymnasium": base, "import_bridge_env": imported, f"first_step_{name}": stepped}
    return found


def memory() -> dict[str, float]:
    """Return the bytes of a table of the vector env, from the process's growth, and the process's peak in MiB."""
    small, large = (_resident_after(BiddingVectorEnv, n) for n in (1024, 262_144))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"bytes_per_table": (large - small) / (262_144 - 1024), "peak_mib": peak}


def _resident_after(make: Callable[..., Any], count: int) -> int:
    env = make(count, learner="all", copy=False)
    env.reset(seed=1)
    env.step(np.zeros(count, np.int64))
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    env.close()
    return pages * os.sysconf("SC_PAGE_SIZE")


def all_rates(repetitions: int) -> Iterator[Rate]:
    """Yield each rate as it is measured."""
    from training.bench import peers  # here: it takes this module's Rate

    for name, settings in SETTINGS:
        yield tables(name, settings, repetitions)
    for name, settings in SETTINGS[:2]:
        yield tables(name, settings, repetitions, at_random=True)
    yield one_table(repetitions)
    installed = {"pgx", "OpenSpiel", "endplay"} - set(peers.missing())
    for batch in (128, 4096, 16384, 65536):
        yield vector_env(batch, repetitions)
        if "pgx" in installed and batch <= 4096:
            yield peers.pgx(batch, repetitions)
    yield vector_env(4096, repetitions, copy=False)
    yield single_env(repetitions, learner="all")
    yield single_env(repetitions, learner="NS", opponents="random", control="random")
    yield single_env(repetitions, learner="NS")
    if "OpenSpiel" in installed:
        yield peers.open_spiel(repetitions)
    yield from matches(repetitions)
    yield library_reads(repetitions)
    for auction in ("1N P", "1S 2H", "1C P 1H P"):
        yield sampled_deals(auction, repetitions)
    yield from solving(repetitions)
    if "endplay" in installed:
        yield from peers.endplay_loops(repetitions)
