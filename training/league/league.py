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
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import SystemGuided, Terms
from agents.networks.file import Networks, book_of
from agents.networks.network import Layer, Network
from bridge_env.bidders.registry import make
from bridge_env.rules.cards import UInt8Array
from training.evaluation.duplicate import match
from training.evaluation.system_consistency import of_match as truth_of_match
from training.league.config import LeagueConfig
from training.league.deal_pool import curve_boards, solved_deals
from training.league.gradients import DeviceGradients, GradientBackend, RayGradients
from training.league.learner import Learner
from training.league.rollout import Opponent, RolloutConfig, concatenate_experience, rollout
from training.league.system_penalty import Penalties
from training.runtime import checkpoint, runs
from training.runtime.cluster import Cluster
from training.runtime.settings import listed

NOTHING = "nothing"  # the start from random weights
ROLLOUTS_AHEAD = 3  # in progress while the learner learns
ADD_VERSION_EVERY = 200  # iterations after which the network joins its opponents
MOST_VERSIONS = 6  # earlier versions to play against
SILENT_ITERATIONS = 200  # against opponents who pass, for a start from nothing
CHECKPOINT, POLICY, VERSIONS = "checkpoint.npz", "policy.npz", "versions"
Players = tuple[Network, Network]  # policy and critic


@dataclass
class State:
    """Hold how far a run has come, and its points of the curve."""

    iteration: int = 0
    seconds: float = 0.0
    metrics: list[dict[str, Any]] = field(default_factory=list)


class League:
    """A run in its folder; ``run`` goes on with it.

    Args:
        start: the network to begin with, or None for random weights.
        records: the deals uint8 (n, 23), as ``deal_pool`` returns them; None for the solved ones.
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
        self.strangers = [(spec, _player(spec)) for spec in listed(config.pool)]
        first = (0, self.learner.players())
        self.players: deque[tuple[int, Players]] = deque([first], maxlen=ROLLOUTS_AHEAD)  # by iteration
        self.sums: dict[str, float] = {}  # of figures since the last evaluation
        self.pending: dict[str, Any] | None = None  # the row of metrics that waits for its matches
        self._verdict: Any = None
        self._pool: tuple[tuple[int, ...], Any] = ((), None)

    # --- the pool -----------------------------------------------------------------------------------------

    def pool(self, version: int) -> list[Opponent]:
        """Return the opponents of a rollout that plays with the networks after ``version`` iterations."""
        config = self.config
        if self._is_silent(version):
            return [Opponent("silent", 1.0, None)]
        strangers = list(self.strangers)
        if self.start is not None:
            strangers.insert(0, ("start", self.start.player))
        out = [Opponent(name, config.strangers / len(strangers), player) for name, player in strangers]
        versions = earlier_versions(version, ADD_VERSION_EVERY, MOST_VERSIONS)
        for number in versions:
            player = networks_file.load(self._version_path(number)).player
            out.append(Opponent(f"self {number}", config.earlier / len(versions), player))
        return out

    def _is_silent(self, version: int) -> bool:
        return self.config.start == NOTHING and version < SILENT_ITERATIONS

    def _version_path(self, number: int) -> Path:
        return self.folder / VERSIONS / f"{number:06d}.npz"

    # --- the loop -----------------------------------------------------------------------------------------

    def run(
        self, cluster: Cluster, stop: Callable[[], bool], tell: Callable[[State, dict[str, float]], None]
    ) -> Iterator[State]:
        """Learn to the last iteration, or until ``stop`` returns True; yield when an evaluation is there.

        A checkpoint is written where an evaluation begins, and at the end.

        Args:
            tell: called after every iteration with the state, and sums of figures since the last evaluation.
        """
        config, backend = self.config, self._backend(cluster)
        records = cluster.put(self.records)
        ahead = deque(
            self._submit(cluster, n, records) for n in range(self.state.iteration, self._last(self.state.iteration))
        )
        began, waited = time.perf_counter() - self.state.seconds, 0.0
        if self.pending is not None or not self.state.metrics:  # a killed run had not been judged yet
            self._evaluate(cluster, began)
        while self.state.iteration < config.iterations and not stop():
            waiting_since = time.perf_counter()
            experience = concatenate_experience([cluster.result(reference) for reference in ahead.popleft()])
            waited += time.perf_counter() - waiting_since
            figures = self.learner.learn(experience, self.state.iteration, backend)
            self.state.iteration += 1
            number = self.state.iteration
            self.players.append((number, self.learner.players()))
            self._add_version(number)
            if self._last(number) > self._last(number - 1):
                ahead.append(self._submit(cluster, self._last(number) - 1, records))
            for name, value in {**experience.figures, **figures, "iterations": 1.0, "waited": waited}.items():
                self.sums[name] = self.sums.get(name, 0.0) + value
            waited = 0.0
            self.state.seconds = time.perf_counter() - began
            tell(self.state, self.sums)
            due = number % config.evaluate == 0 or number == config.iterations
            if self.pending is not None and (due or cluster.ready(self._verdict)):
                self._finish_evaluation(cluster)
                yield self.state
            if due:
                self._evaluate(cluster, began)
                self.save()
        if self.pending is not None:
            self._finish_evaluation(cluster)
            yield self.state
        self.state.seconds = time.perf_counter() - began
        self.save()

    def _backend(self, cluster: Cluster) -> GradientBackend:
        return RayGradients(cluster) if self.config.device == "cpu" else DeviceGradients(self.config.device)

    def _last(self, iteration: int) -> int:
        """Return the number of iterations whose rollouts have begun when ``iteration`` of them are done."""
        return min(iteration + ROLLOUTS_AHEAD, self.config.iterations)

    def _submit(self, cluster: Cluster, number: int, records: Any) -> list[Any]:
        """Submit the rollouts of an iteration; return their references."""
        config, version = self.config, max(0, number - ROLLOUTS_AHEAD + 1)
        settings = RolloutConfig(
            config.boards, config.samples_per_side, config.decision_fraction, config.double_failing,
            artificial_penalty=config.artificial_penalty,
            penalties=Penalties(config.departure, config.misinformation_penalty),
        )  # fmt: skip
        opponents = (self._is_silent(version), *earlier_versions(version, ADD_VERSION_EVERY, MOST_VERSIONS))
        if self._pool[0] != opponents:  # the same for hundreds of iterations
            self._pool = opponents, cluster.put(self.pool(version))
        policy, critic = next(players for known, players in self.players if known == version)
        arguments = (
            cluster.put(self._networks(policy).player),
            cluster.put(critic),
            self._pool[1],
            settings,
            config.seed,
        )
        first = number * config.rollouts
        return [cluster.submit(rollout, *arguments, first + i, records) for i in range(config.rollouts)]

    def _add_version(self, number: int) -> None:
        if number % ADD_VERSION_EVERY == 0:
            (self.folder / VERSIONS).mkdir(exist_ok=True)
            networks_file.save(self._networks(self.players[-1][1][0]), self._version_path(number))

    def _evaluate(self, cluster: Cluster, began: float) -> None:
        """Save the network that plays now, and let a task of the cluster judge it."""
        config, networks = self.config, self.networks()
        if self.pending is None:
            self.state.seconds = time.perf_counter() - began
            row = {"iteration": self.state.iteration, "boards": config.judged, "seconds": round(self.state.seconds, 1)}
            self.pending, self.sums = row | summary(self.sums), {}
        networks_file.save(networks, self.folder / POLICY)
        self._verdict = cluster.submit(evaluate, networks, self.start, listed(config.panel), config.judged, config.seed)

    def _finish_evaluation(self, cluster: Cluster) -> None:
        """Wait for the verdict, and write the row."""
        assert self.pending is not None
        self.state.metrics.append(self.pending | cluster.result(self._verdict))
        self.pending = None
        runs.write_metrics(self.folder, self.state.metrics)

    def networks(self) -> Networks:
        """Return the network that plays now."""
        start = runs.portable(self.config.start)
        trained = {"by": "bridge-env train league", "iterations": self.state.iteration, "start": start,
                   "seed": self.config.seed, "role": "champion"}  # fmt: skip
        return self._networks(self.learner.best(), trained)

    def _networks(self, policy: Network, trained: Mapping[str, Any] | None = None) -> Networks:
        """Return a policy of this run, with the book that it bids by."""
        return Networks(policy, None, trained or {}, self.book, self.terms)

    # --- the checkpoint -----------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the checkpoint: the learner, and the networks that rollouts under way play with."""
        arrays, versions = self.learner.arrays(), []
        for version, players in self.players:
            for head, network in enumerate(players):
                for i, layer in enumerate(network.layers):
                    arrays[f"player.{version}.{head}.weight.{i}"] = layer.weight
                    arrays[f"player.{version}.{head}.bias.{i}"] = layer.bias
            versions.append((version, [[layer.scale for layer in network.layers] for network in players]))
        state = asdict(self.state) | {"players": versions, "sums": self.sums, "pending": self.pending}
        checkpoint.save(self.folder / CHECKPOINT, arrays, state)

    def load(self) -> None:
        """Go on from the checkpoint, if there is one.

        Raises:
            RunError: it is damaged.
        """
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        arrays, state = checkpoint.load(path)
        self.learner.load(arrays)
        self.players.clear()
        for version, scales in state.pop("players"):
            policy, critic = (
                Network(tuple(
                    Layer(
                        arrays[f"player.{version}.{head}.weight.{i}"].astype(np.int16),
                        arrays[f"player.{version}.{head}.bias.{i}"].astype(np.int32), float(scale),
                    )
                    for i, scale in enumerate(of_layers)
                ))
                for head, of_layers in enumerate(scales)
            )  # fmt: skip
            self.players.append((version, (policy, critic)))
        self.sums, self.pending = state.pop("sums"), state.pop("pending")
        self.state = State(**state)


def evaluate(
    networks: Networks, start: Networks | None, panel: Sequence[str], boards: int, seed: int
) -> dict[str, float | dict[str, float]]:
    """Play matches with the start and a panel on boards that no rollout plays.

    Returns:
        ``{"mean_imps": ..., "standard_error": ...}`` in IMPs a board by opponent; for a network by a book also its
        truth and departures.
    """
    row: dict[str, float | dict[str, float]] = {}
    bidder = NetworkBidder(networks)
    for name in (*(("start",) if start is not None else ()), *panel):
        other = NetworkBidder(start) if name == "start" and start is not None else name
        result = match(bidder, other, curve_boards(boards, seed), seed)
        row[name] = {"mean_imps": result.mean_imps, "standard_error": result.standard_error}
        if networks.book is not None and name == (*panel, "start")[0]:
            truth = truth_of_match(result, networks.book)
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
    n, later = sums["iterations"], max(sums["later"], 1.0)
    drawn = max(sums["drawn"], 1.0)
    return {
        "reward": sums["reward"] / drawn, "gains": sums["gains"] / drawn, "drawn_a_board": drawn / sums["boards"],
        "entropy": sums["entropy"] / later, "explained": 1 - sums["unexplained"] / max(sums["spread"], 1e-9),
        "clipped": sums["clipped"] / n, "moved": sums["moved"] / n, "calls": sums["calls"],
        "decisions": sums["decisions"], "learned": sums["kept"], "waited": round(sums["waited"], 1),
    }  # fmt: skip


def _player(spec: str) -> Network | SystemGuided | str | None:
    if spec in ("pass", "system:silent"):
        return None
    networks: Networks | None = getattr(make(spec), "networks", None)
    return spec if networks is None else networks.player
