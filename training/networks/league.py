"""Run the league: actors play rollouts, a learner learns from them, and what it has learned is judged meanwhile.

The rollouts of an iteration play with the networks as they stood ``lag`` iterations before they are learned from,
however many workers there are; gradients are cut into shards (``shards``) that any worker computes. So a run is a
function of its settings, and a killed one goes on to the same weights.
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
from agents.networks.book import ByBook, Terms
from agents.networks.file import Networks, book_of
from agents.networks.network import Layer, Network
from agents.networks.shipped import read_networks
from bridge_env.bidders import SpecError, make
from bridge_env.cards import UInt8Array
from bridge_env.schema import Either, Number, Whole
from training.match.duplicate import match
from training.match.strangers import refuse_gatekeepers
from training.match.system_consistency import of_match as truth_of_match
from training.networks.configs import LeagueConfig
from training.networks.learner import Learner
from training.networks.rollout import Opponent, RolloutConfig, rollout, together
from training.networks.shards import Hands, OnDevice, Spread
from training.networks.stock import curve_boards, solved
from training.networks.strayed import Prices
from training.running import checkpoint, runs
from training.running.cluster import Cluster
from training.running.settings import listed

KIND = "league"
NOTHING = "nothing"  # what a network starts from that has seen nobody's auctions
CHECKPOINT, START, POLICY, SELVES, DEALS = "checkpoint.npz", "start.npz", "policy.npz", "selves", "estimated.deals"
Players = tuple[Network, Network]  # policy and critic

_POINT = {"mean_imps": Number(), "standard_error": Number(0, unknown=True)}
ROW = {"iteration": Whole(0), "boards": Whole(1), "seconds": Number(0), ...: Either(_POINT, Number(unknown=True))}
"""The shape of a row of metrics: a point of the curve for each opponent, and figures."""
_SCALES = [Number(0)]
_CHECKPOINT = {
    "iteration": Whole(0), "seconds": Number(0), "metrics": [ROW], "sums": {...: Number(unknown=True)},
    "players": [{"version": Whole(0), "scales": (_SCALES, _SCALES)}],
    "judging": [{"iteration": Whole(0), "boards": Whole(1), "seconds": Number(0), ...: Number(unknown=True)}],
}  # fmt: skip


@dataclass
class State:
    """The state of a run."""

    iteration: int = 0
    seconds: float = 0.0
    metrics: list[dict[str, Any]] = field(default_factory=list)


class League:
    """A run in its folder; ``run`` takes it on.

    Args:
        start: the network to begin with, or None for random weights.
        records: the deals, as ``stock`` gives them; None: the solved ones.
    """

    def __init__(
        self, folder: Path, config: LeagueConfig, start: Networks | None, records: UInt8Array | None = None
    ) -> None:
        torch.set_num_threads(1)
        torch.set_flush_denormal(True)
        self.folder, self.config, self.state = folder, config.settled(1), State()
        self.records = solved() if records is None else records
        self.start = start
        self.book = book_of(config.book) if config.book else None
        self.terms = Terms(config.prior, config.truth)
        self.learner = Learner(config, None if start is None else start.policy.floats())
        self.strangers = [(spec, _player(spec)) for spec in listed(config.pool)]
        self.players: deque[tuple[int, Players]] = deque([(0, self.learner.players())], maxlen=config.lag)
        self.sums: dict[str, float] = {}
        self.judging: list[dict[str, Any]] = []  # the row that waits for its matches, if one does
        self._verdict: Any = None

    # --- the pool -----------------------------------------------------------------------------------------

    def pool(self, version: int) -> list[Opponent]:
        """The opponents of a rollout that plays with the networks after ``version`` iterations."""
        config = self.config
        if config.start == NOTHING and version < config.silent:
            return [Opponent("silent", 1.0, None)]
        strangers = list(self.strangers)
        if self.start is not None:
            strangers.insert(0, ("start", self.start.player))
        selves = chosen_selves(version, config.remember, config.selves)
        shared = config.strangers if strangers else 0.0
        out = [Opponent(name, shared / len(strangers), player) for name, player in strangers]
        for number in selves:
            player = networks_file.load(self.folder / SELVES / f"{number:06d}.npz").player
            out.append(Opponent(f"self {number}", config.earlier / len(selves), player))
        return out

    # --- the loop -----------------------------------------------------------------------------------------

    def run(
        self, cluster: Cluster, stop: Callable[[], bool], tell: Callable[[State, dict[str, float]], None]
    ) -> Iterator[State]:
        """Learn to the last iteration, or until ``stop`` says so; yields when an evaluation, made meanwhile, is there.

        A checkpoint is written where an evaluation begins, and at the end.
        """
        config = self.config
        settings = RolloutConfig(
            config.boards, config.drawn, config.keep, config.doubled, plain=config.plain,
            prices=Prices(config.departure, config.untruth),
        )  # fmt: skip
        records = cluster.put(self.records)
        pools: dict[tuple[int, ...], Any] = {}
        sent: dict[int, tuple[Any, Any]] = {}

        def submit(number: int) -> Any:
            version = max(0, number - config.lag + 1)
            silent = config.start == NOTHING and version < config.silent
            met = (silent, *chosen_selves(version, config.remember, config.selves))
            if met not in pools:
                pools.clear()
                pools[met] = cluster.put(self.pool(version))
            if version not in sent:
                policy, critic = next(p for v, p in self.players if v == version)
                sent[version] = cluster.put(self._networks(policy).player), cluster.put(critic)
                for old in [v for v in sent if v < version]:
                    del sent[old]
            first, told = number * config.rollouts, (*sent[version], pools[met], settings, config.seed)
            return [cluster.submit(rollout, *told, first + i, records) for i in range(config.rollouts)]

        ahead = deque(submit(n) for n in range(self.state.iteration, self._last(self.state.iteration)))
        began, hands = time.perf_counter() - self.state.seconds, self._hands(cluster)
        if self.judging or not self.state.metrics:  # a killed run had not been judged yet
            self._judge(cluster, began)
        waited = 0.0
        while self.state.iteration < config.iterations and not stop():
            asked = time.perf_counter()
            experience = together([cluster.result(reference) for reference in ahead.popleft()])
            waited += time.perf_counter() - asked
            figures = self.learner.learn(experience, self.state.iteration, hands)
            self.state.iteration += 1
            number = self.state.iteration
            self.players.append((number, self.learner.players()))
            self._remember(number)
            if self._last(number) > self._last(number - 1):
                ahead.append(submit(self._last(number) - 1))
            self._add({**experience.figures, **figures, "iterations": 1.0, "waited": waited})
            waited = 0.0
            self.state.seconds = time.perf_counter() - began
            tell(self.state, self.sums)
            due = number % config.evaluate == 0 or number == config.iterations
            if self.judging and (due or cluster.ready(self._verdict)):
                self._judged(cluster)
                yield self.state
            if due:
                self._judge(cluster, began)
                self.save()
        if self.judging:
            self._judged(cluster)
            yield self.state
        self.state.seconds = time.perf_counter() - began
        self.save()

    def _hands(self, cluster: Cluster) -> Hands:
        return Spread(cluster) if self.config.device == "cpu" else OnDevice(self.config.device)

    def _last(self, iteration: int) -> int:
        return min(iteration + self.config.lag, self.config.iterations)

    def _remember(self, number: int) -> None:
        if number % self.config.remember == 0:
            (self.folder / SELVES).mkdir(exist_ok=True)
            policy = self.players[-1][1][0]
            networks_file.save(self._networks(policy), self.folder / SELVES / f"{number:06d}.npz")

    def _add(self, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    def _judge(self, cluster: Cluster, began: float) -> None:
        """Save the network that plays now, and have it judged by a task of the cluster."""
        config, networks = self.config, self.networks()
        if not self.judging:
            self.state.seconds = time.perf_counter() - began
            row = {"iteration": self.state.iteration, "boards": config.judged, "seconds": round(self.state.seconds, 1)}
            self.judging, self.sums = [row | summary(self.sums)], {}
        networks_file.save(networks, self.folder / POLICY)
        self._verdict = cluster.submit(judged, networks, self.start, listed(config.panel), config.judged, config.seed)

    def _judged(self, cluster: Cluster) -> None:
        """Wait for the verdict, and write the row."""
        (row,), self.judging = self.judging, []
        self.state.metrics.append(row | cluster.result(self._verdict))
        runs.write_metrics(self.folder, self.state.metrics)

    def networks(self) -> Networks:
        """The network that plays now."""
        start = runs.portable(self.config.start)
        trained = {"by": "bridge-env train league", "iterations": self.state.iteration, "start": start,
                   "seed": self.config.seed, "role": "champion"}  # fmt: skip
        return self._networks(self.learner.best(), trained)

    def _networks(self, policy: Network, trained: Mapping[str, Any] | None = None) -> Networks:
        """A policy of this run, with the book that it bids by."""
        return Networks(policy, None, trained or {}, self.book, self.terms)

    # --- stopping and going on ----------------------------------------------------------------------------

    def save(self) -> None:
        """Write the checkpoint: the learner, and the networks that rollouts under way play with."""
        arrays, kept = self.learner.arrays(), []
        for version, players in self.players:
            scales = []
            for head, network in zip(("policy", "critic"), players, strict=True):
                scales.append([layer.scale for layer in network.layers])
                for i, layer in enumerate(network.layers):
                    arrays[f"player.{version}.{head}.weight.{i}"] = layer.weight
                    arrays[f"player.{version}.{head}.bias.{i}"] = layer.bias
            kept.append({"version": version, "scales": scales})
        state = asdict(self.state) | {"players": kept, "sums": self.sums, "judging": self.judging}
        checkpoint.save(self.folder / CHECKPOINT, arrays, state)

    def load(self) -> None:
        """Go on from the checkpoint, if there is one."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return
        arrays, state = checkpoint.load(path, _CHECKPOINT)
        try:
            self._take_over(arrays, state)
        except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
            raise runs.RunError(f"{path} does not fit this run, or is of another version: {error}") from None

    def _take_over(self, arrays: checkpoint.Arrays, state: dict[str, Any]) -> None:
        self.learner.load(arrays)
        self.players.clear()
        for kept in state.pop("players"):
            version = int(kept["version"])
            both = []
            for head, scales in zip(("policy", "critic"), kept["scales"], strict=True):
                layers = [
                    Layer(
                        arrays[f"player.{version}.{head}.weight.{i}"].astype(np.int16),
                        arrays[f"player.{version}.{head}.bias.{i}"].astype(np.int32), float(scale),
                    )
                    for i, scale in enumerate(scales)
                ]  # fmt: skip
                both.append(Network(tuple(layers)))
            self.players.append((version, (both[0], both[1])))
        self.sums, self.judging = state.pop("sums"), state.pop("judging")
        self.state = State(**state)


def judged(
    networks: Networks, start: Networks | None, panel: Sequence[str], boards: int, seed: int
) -> dict[str, float | dict[str, float]]:
    """Matches with the start and a panel on boards that no rollout plays: a point for each, and the truth of one."""
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


def chosen_selves(version: int, every: int, most: int) -> list[int]:
    """Return which earlier selves are in the pool: the latest half, and others spread evenly over the run."""
    kept = list(range(every, version + 1, every))
    if len(kept) <= most:
        return kept
    recent = kept[len(kept) - (most + 1) // 2 :]
    older = kept[: len(kept) - len(recent)]
    places = np.linspace(0, len(older) - 1, most - len(recent)).round().astype(int)
    return [*(older[i] for i in places), *recent]


def summary(sums: dict[str, float]) -> dict[str, float]:
    """The figures of some iterations as averages."""
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


def start_networks(spec: str, by_book: bool = False) -> Networks:
    """The networks that ``policy:NAME`` or ``policy:FILE`` stands for, to begin with.

    Args:
        by_book: it may bid by a book.

    Raises:
        SpecError: it is no network, or a gatekeeper.
    """
    head, _, argument = spec.partition(":")
    if head != "policy":
        raise SpecError(f"{spec!r}: write policy:NAME or policy:FILE")
    refuse_gatekeepers([spec])
    networks = read_networks(argument)
    if networks.book is not None and not by_book:
        raise SpecError(f"{spec} bids by a book; only 'bridge-env train league --book' goes on from it")
    return networks


def _player(spec: str) -> Network | ByBook | str | None:
    if spec in ("pass", "system:silent"):
        return None
    networks: Networks | None = getattr(make(spec), "networks", None)
    return spec if networks is None else networks.player
