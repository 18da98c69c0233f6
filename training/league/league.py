"""Run the league: tasks play rollouts, a learner learns from them, and other tasks judge it meanwhile.

The rollouts of an iteration play with the networks as they stood ``ROLLOUTS_AHEAD`` iterations before they are learned
from, however many workers there are; gradients are computed in shards (``gradients``) by any worker. So a run is a
function of its settings, and a stopped one goes on from its checkpoint to the same weights.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided, Terms
from agents.networks.file import Networks, book_of
from agents.networks.network import Network
from agents.networks.shipped import CHAMPION
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import make
from bridge_env.rules.cards import UInt8Array
from training.configs import LeagueConfig
from training.evaluation.duplicate import match
from training.evaluation.truth import of_match
from training.league.deal_pool import curve_boards, solved_deals
from training.league.learner import Gradients, Learner, RayGradients
from training.league.rollout import Opponent, concatenate_experience, rollout
from training.runtime import runs
from training.runtime.cluster import Cluster
from training.runtime.settings import listed
from training.runtime.supervised import load_checkpoint, save_checkpoint

NOTHING = "nothing"  # the start from random weights
IMPS = "imps/"  # before the name of an opponent, in metrics
ROLLOUTS_AHEAD = 3  # in progress while the learner learns
ADD_VERSION_EVERY = 200  # iterations after which the network joins its opponents
MOST_VERSIONS = 6  # earlier versions to play against
STRANGERS, EARLIER = 0.3, 0.2  # shares of the boards against the pool, and against earlier versions
SILENT_ITERATIONS = 200  # against opponents who pass, for a start from nothing
CHECKPOINT, POLICY, VERSIONS = "checkpoint.pt", "policy.npz", "versions"


@dataclass
class State:
    """Hold how far a run has come, and its points of the curve."""

    iteration: int = 0
    seconds: float = 0.0
    metrics: list[dict[str, Any]] = field(default_factory=list)


class League:
    """Run a league in its folder from a network, None for random weights, on deals uint8 (n, 23), None for the solved
    ones.
    """

    def __init__(
        self, folder: Path, config: LeagueConfig, start: Networks | None, records: UInt8Array | None = None
    ) -> None:
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        self.folder, self.config, self.state = folder, config.for_cores(1), State()
        self.records = solved_deals() if records is None else records
        self.start = start
        self.book = book_of(config.book) if config.book else None
        self.terms = Terms(config.prior, config.truth)
        self.learner = Learner(config, None if start is None else start.policy.floats())
        self.strangers = [_player(spec) for spec in listed(config.pool)]
        # The learner's snapshots that rollouts play with, by iteration.
        self.snapshots = deque([(0, self.learner.snapshot())], maxlen=ROLLOUTS_AHEAD)
        self.sums: dict[str, float] = {}  # of figures since the last evaluation
        self._row: dict[str, Any] = {}  # of metrics, to which the evaluation in progress adds its matches
        self._pool: tuple[Sequence[int], Any] = ((), None)

    def pool(self, version: int) -> list[Opponent]:
        """Return the opponents of a rollout that plays with the networks after ``version`` iterations."""
        if self._is_silent(version):
            return [Opponent(1.0, None)]
        strangers = list(self.strangers)
        if self.start is not None:
            strangers.insert(0, self.start.player)
        out = [Opponent(STRANGERS / len(strangers), player) for player in strangers]
        versions = earlier_versions(version, ADD_VERSION_EVERY, MOST_VERSIONS)
        for number in versions:
            player = networks_file.load(self._version_path(number)).player
            out.append(Opponent(EARLIER / len(versions), player))
        return out

    def _is_silent(self, version: int) -> bool:
        return self.config.start == NOTHING and version < SILENT_ITERATIONS

    def _version_path(self, number: int) -> Path:
        return self.folder / VERSIONS / f"{number:06d}.npz"

    def run(
        self, cluster: Cluster, stop: Callable[[], bool], progress: Callable[[State, Mapping[str, float]], None]
    ) -> Iterator[State]:
        """Learn to the last iteration, or until ``stop`` returns True; save where an evaluation begins and at the end,
        yield when one is there. ``progress`` gets the state and the figures of every iteration's rollouts.
        """
        config, state, records = self.config, self.state, cluster.put(self.records)
        backend = RayGradients(cluster) if config.device == "cpu" else Gradients(config.device)
        numbers = iter(range(state.iteration, config.iterations))
        ahead = deque(self._submit(cluster, number, records) for number in islice(numbers, ROLLOUTS_AHEAD))
        began, verdict = time.perf_counter() - state.seconds, None
        if not state.metrics or (self._is_due() and state.metrics[-1]["iteration"] < state.iteration):
            verdict = self._evaluate(cluster)  # a killed run had not been judged yet
        while state.iteration < config.iterations and not stop():
            waiting_since = time.perf_counter()
            experience = concatenate_experience([cluster.result(reference) for reference in ahead.popleft()])
            waited = time.perf_counter() - waiting_since
            figures = self.learner.learn(experience, state.iteration, backend)
            state.iteration += 1
            self._add_version()
            ahead.extend(self._submit(cluster, number, records) for number in islice(numbers, 1))
            for name, value in {**experience.figures, **figures, "iterations": 1.0, "waited": waited}.items():
                self.sums[name] = self.sums.get(name, 0.0) + value
            state.seconds = time.perf_counter() - began
            progress(state, experience.figures)
            if verdict is not None and (self._is_due() or cluster.ready(verdict)):
                self._finish_evaluation(cluster.result(verdict))
                verdict = None
                yield state
            if self._is_due():
                self.save()
                verdict = self._evaluate(cluster)
        if verdict is not None:
            self._finish_evaluation(cluster.result(verdict))
            yield state
        state.seconds = time.perf_counter() - began
        self.save()

    def _is_due(self) -> bool:
        """Return whether an evaluation begins after this iteration."""
        return self.state.iteration % self.config.evaluate == 0 or self.state.iteration == self.config.iterations

    def _submit(self, cluster: Cluster, number: int, records: Any) -> list[Any]:
        """Submit the rollouts of an iteration; return their references."""
        version = max(0, number - ROLLOUTS_AHEAD + 1)
        opponents = (self._is_silent(version), *earlier_versions(version, ADD_VERSION_EVERY, MOST_VERSIONS))
        if self._pool[0] != opponents:  # the same for hundreds of iterations
            self._pool = opponents, cluster.put(self.pool(version))
        policy, critic = self.learner.players(dict(self.snapshots)[version])
        players = cluster.put(self._networks(policy).player), cluster.put(critic), self._pool[1]
        first = number * self.config.rollouts
        return [cluster.submit(rollout, *players, self.config, first + i, records) for i in range(self.config.rollouts)]

    def _add_version(self) -> None:
        """Add the network to those that rollouts play with, and sometimes to their opponents."""
        number = self.state.iteration
        self.snapshots.append((number, self.learner.snapshot()))
        if number % ADD_VERSION_EVERY == 0:
            (self.folder / VERSIONS).mkdir(exist_ok=True)
            networks_file.save(self._networks(self.learner.players()[0]), self._version_path(number))

    def _evaluate(self, cluster: Cluster) -> Any:
        """Save the network that plays now, and let a task of the cluster judge it; return the task's reference."""
        config, networks, state = self.config, self.networks(), self.state
        self._row = {"iteration": state.iteration, "boards": config.judged, "seconds": round(state.seconds, 1)}
        self._row |= summary(self.sums)
        self.sums = {}
        networks_file.save(networks, self.folder / POLICY)
        return cluster.submit(evaluate, networks, self.start, listed(config.panel), config.judged, config.seed)

    def _finish_evaluation(self, verdict: dict[str, Any]) -> None:
        """Write the row of the evaluation."""
        self.state.metrics.append(self._row | verdict)
        runs.write_metrics(self.folder, self.state.metrics)

    def networks(self) -> Networks:
        """Return the network that plays now."""
        start = runs.portable(self.config.start)
        trained = {"by": "bridge-env train league", "iterations": self.state.iteration, "start": start,
                   "seed": self.config.seed, "role": CHAMPION}  # fmt: skip
        return self._networks(self.learner.players()[0], trained)

    def _networks(self, policy: Network, trained: Mapping[str, Any] | None = None) -> Networks:
        """Return a policy of this run, with the book that it bids by."""
        return Networks(policy, None, trained or {}, self.book, self.terms)

    def save(self) -> None:
        """Write the checkpoint: the learner, and the snapshots that rollouts in progress play with."""
        snapshots = [(number, [torch.from_numpy(array) for array in snapshot]) for number, snapshot in self.snapshots]
        state = asdict(self.state) | {"learner": self.learner.state(), "snapshots": snapshots, "sums": self.sums}
        save_checkpoint(self.folder / CHECKPOINT, state)

    def load(self) -> None:
        """Go on from the checkpoint, if there is one; raise ``RunError`` where it is damaged."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        state = load_checkpoint(path)
        self.learner.load(state.pop("learner"))
        self.snapshots.clear()
        for number, snapshot in state.pop("snapshots"):
            self.snapshots.append((number, [tensor.numpy() for tensor in snapshot]))
        self.sums = state.pop("sums")
        self.state = State(**state)


def evaluate(
    networks: Networks, start: Networks | None, panel: Sequence[str], boards: int, seed: int
) -> dict[str, float]:
    """Play matches with the start and a panel on boards that no rollout plays; return ``imps/OPPONENT`` and
    ``standard_error/OPPONENT`` in IMPs a board, and of a network by a book truth and departures.
    """
    row: dict[str, float] = {}
    opponents: dict[str, Bidder | str] = {} if start is None else {"start": NetworkBidder(start)}
    for name, opponent in (opponents | {spec: spec for spec in panel}).items():
        result = match(NetworkBidder(networks), opponent, curve_boards(boards, seed), seed)
        row |= {IMPS + name: result.mean_imps, f"standard_error/{name}": result.standard_error}
        if networks.book is not None and name == (*panel, "start")[0]:
            truth = of_match(result, networks.book)
            row |= {"truth": truth.share, "departures": truth.departures}
    return row


def earlier_versions(version: int, every: int, most: int) -> list[int]:
    """Return which earlier versions are in the pool: the latest half, and others spread evenly over the run."""
    saved = list(range(every, version + 1, every))
    if len(saved) <= most:
        return saved
    recent = saved[len(saved) - (most + 1) // 2 :]
    older = saved[: len(saved) - len(recent)]
    places = np.linspace(0, len(older) - 1, most - len(recent)).round().astype(int)
    return [*(older[i] for i in places), *recent]


def summary(sums: dict[str, float]) -> dict[str, float]:
    """Return averages of the figures of some iterations."""
    if not sums:
        return {}
    n, later, sampled = sums["iterations"], max(sums["later"], 1.0), max(sums["sampled"], 1.0)
    return {
        "reward": sums["reward"] / sampled, "gains": sums["gains"] / sampled,
        "samples_a_board": sampled / sums["boards"], "entropy": sums["entropy"] / later,
        "explained": 1 - sums["unexplained"] / max(sums["spread"], 1e-9), "clipped": sums["clipped"] / n,
        "moved": sums["moved"] / n, "calls": sums["calls"], "decisions": sums["decisions"],
        "learned": sums["chosen"], "waited": round(sums["waited"], 1),
    }  # fmt: skip


def _player(spec: str) -> Network | SystemGuided | str | None:
    if spec in ("pass", "system:silent"):
        return None
    networks: Networks | None = getattr(make(spec), "networks", None)
    return spec if networks is None else networks.player
