"""Train a partnership by MaskablePPO from random weights against a control pair.

The two seats share one policy; each sees its own hand and the auction, and both get the board's reward in
IMPs. An untrained policy would climb to the seven level on every deal, so its first outputs prefer low bids
(the start of a learned bias, nothing else): no call is ever forbidden but by the laws.

A run folder holds ``model.zip``, SB3's model, ``metrics.jsonl``, TensorBoard logs and ``policy.npz``, the policy as
``policy:FILE`` plays it. SB3's models can hold code: resume only folders that you made; share ``policy.npz``, which is
data.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import FloatSchedule

from agents.networks import file as network_files
from agents.networks.file import Networks
from agents.networks.inputs import MOST_ON
from agents.networks.network import TOP, UNIT, FloatLayer, quantized
from agents.outputs import ObservationPolicy
from bridge_env.bidders.observation import LAYOUT, observe
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import view_of
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.io.files import atomic_write
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import first_calls
from training.configs import PPOConfig, widths
from training.evaluation import panel
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import bid_out, match
from training.evaluation.network_opponents import refuse_gatekeepers
from training.networks.sb3 import SB3VecEnv
from training.runtime import pages, runs
from training.runtime.runs import Progress, RowsResult, open_run

KIND = "train"
POLICY_FILE, MODEL, TENSORBOARD = "policy.npz", "model.zip", "tensorboard"
_REWARD_SCALE = 1 / 8  # IMPs to about 1
AT_HOME = ("pass", "doubler", "system:sayc")  # judge beside the gatekeepers
_END_SHARE = 0.1  # of the learning rate and of the entropy bonus, at the end
# How much less an untrained policy likes a bid than the one below it, and a double than a pass.
_BIDS_SHYNESS, _DOUBLES_SHYNESS = 0.2, 2.0
_CRITIC_LAYERS = [128]
_NO_LIMIT = 1 << 62
_SAMPLE = 1000  # boards on which the range of hidden units is measured
_LEAST_RANGE = 0.25
_ROOM = 1.5  # times the largest value seen there can be passed on


@dataclass(frozen=True)
class PPOResult(RowsResult):
    """Hold the result of a run of PPO."""

    folder: Path
    config: PPOConfig
    metrics: list[dict[str, Any]]  # points of the curve, as in metrics.jsonl
    rows: list[panel.PanelRow]  # the verdict on judging boards, the control pair first
    policy: Path  # plays as ``policy:PATH``
    report: Path
    curve: Path


def train_ppo(
    config: PPOConfig, *, out: Path = Path("results"), name: str | None = None, resume: Path | None = None,
    callbacks: Sequence[BaseCallback] = (), evaluated: Callable[[dict[str, Any]], object] = lambda row: None,
    progress: Progress = Progress(),
) -> PPOResult:  # fmt: skip
    """Train a policy until the limits of ``config``, and judge it.

    Args:
        out, name: the run's folder is ``out/train/name``; without a name ``run-001``, ``run-002`` ...
        resume: the folder of an earlier run to go on with instead.
        callbacks: of Stable-Baselines3, to be called too; one that returns False ends the learning.
        evaluated: called with each new point of the curve.
        progress: shows how far the run is.

    Raises:
        SpecError: opponents or control name no bidder, or a gatekeeper.
        ValueError: settings make no sense.
        RunError: the folder cannot be used, or is damaged.
        KeyboardInterrupt: after the state of that moment has been saved.
    """
    config.check()
    make(config.opponents), make(config.control)
    refuse_gatekeepers([config.opponents, config.control])
    folder = open_run(KIND, config, out, name, resume)
    progress.folder(folder)
    progress.stage("learning", unit="%")
    metrics = _learn(folder, config, resume is not None, callbacks, evaluated, progress)
    progress.stage(f"judging on {config.judge:,} boards that training never saw")
    spec, curve, page = f"policy:{folder / POLICY_FILE}", folder / "learning_curve.png", folder / "report.md"
    others = [them for them in (*AT_HOME, *panel.gatekeepers()) if them not in (config.control, config.opponents)]
    lines = panel.panel(spec, [config.control, *others], config.judge, config.seed, progress=progress).rows
    minutes, verdict = [row["seconds"] / 60 for row in metrics], lines[0]
    pages.draw_curves(
        curve, [(f"policy, {metrics[-1]['boards']:,} training boards", minutes, metrics)], "minutes of training",
        f"IMPs a board against {config.control}",
        (f"{verdict.boards:,} unseen boards", minutes[-1], verdict.mean_imps, verdict.standard_error),
    )  # fmt: skip
    command, manifest = runs.command_line("bridge-env train ppo", config), runs.read_manifest(folder)
    text = pages.render(
        "ppo.md", config=config, command=command, last=metrics[-1], machine=manifest["machine"],
        versions=manifest["versions"], table=panel.markdown(lines),
    )  # fmt: skip
    atomic_write(page, text)
    return PPOResult(folder, config, metrics, lines, folder / POLICY_FILE, page, curve)


def make_env(config: PPOConfig) -> SB3VecEnv:
    """Return the tables of a run: learners North-South, rewards in IMPs against the control pair, scaled."""
    env = BiddingVectorEnv(
        config.tables, learner="NS", opponents=config.opponents, control=config.control, reward="imps",
        deals="training", autoreset_mode="SameStep",
    )  # fmt: skip
    return SB3VecEnv(env, _REWARD_SCALE)


def make_model(config: PPOConfig, env: SB3VecEnv) -> MaskablePPO:
    """Return an untrained model."""
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=config.rollout, batch_size=min(config.batch, config.rollout * config.tables),
        n_epochs=config.epochs, learning_rate=config.learning_rate, ent_coef=config.entropy, gamma=1.0,
        policy_kwargs={
            "net_arch": {"pi": widths(config.layers), "vf": _CRITIC_LAYERS}, "activation_fn": torch.nn.ReLU,
        },
        seed=config.seed, device="cpu",
    )  # fmt: skip
    with torch.no_grad():
        bias = model.policy.action_net.bias
        bias[0], bias[1:3] = 0.0, -_DOUBLES_SHYNESS
        bias[3:] = -_BIDS_SHYNESS * torch.arange(len(bias) - 3)
    return model


def policy_of(model: MaskablePPO, trained: dict[str, Any]) -> ObservationPolicy:
    """Return the model's policy in whole numbers; raise ``ValueError`` where it has other layers than linear ones and
    ReLU.
    """
    net = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    linear = [layer for layer in net if isinstance(layer, torch.nn.Linear)]
    if other := [layer for layer in net if not isinstance(layer, torch.nn.Linear | torch.nn.ReLU)]:
        raise ValueError(
            f"the policy has {other[0]}; the file holds ReLU networks alone (activation_fn=torch.nn.ReLU); "
            "any other model bids as the page 'Bring your own bidder' shows"
        )
    layers = [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in linear]
    network = quantized(_rescaled(layers, _sample_observations()), MOST_ON)
    return ObservationPolicy(Networks(network, trained=trained, inputs=LAYOUT))


@cache
def _sample_observations() -> NDArray[np.float32]:
    """Return observations float32 (N, 480) of positions where random bidders and a system bid training boards."""
    boards = library_boards(_SAMPLE, 0, "training")
    auctions = bid_out(make("random"), make("system:sayc"), boards, 0).take(np.arange(len(boards)))
    calls = first_calls(auctions.history, np.arange(len(boards)) % auctions.length)
    before = Auctions.replay(calls, boards.dealer, boards.vulnerability)
    return observe(view_of(before, boards.owner)).astype(np.float32)


def _rescaled(layers: Sequence[FloatLayer], signal: NDArray[np.float32]) -> list[FloatLayer]:
    """Return layers with the same outputs, each hidden unit in the range that files hold: the next layer takes a factor
    back.
    """
    out, weight = list[FloatLayer](), layers[0][0]
    for (_, bias), (following, _) in pairwise(layers):
        signal = np.maximum(signal @ weight + bias, 0)
        unit = np.maximum(signal.max(axis=0), _LEAST_RANGE) * (_ROOM / (TOP * UNIT))
        out.append((weight / unit, bias / unit))
        signal, weight = signal / unit, following * unit[:, None]
    return [*out, (weight, layers[-1][1])]


def _learn(
    folder: Path, config: PPOConfig, resume: bool, callbacks: Sequence[BaseCallback],
    evaluated: Callable[[dict[str, Any]], object], progress: Progress,
) -> list[dict[str, Any]]:  # fmt: skip
    """Learn until the limits of ``config``, with evaluations and checkpoints on the way; return the metrics."""
    torch.set_num_threads(1)  # more are slower where cores are busy
    # Checking the arguments of every distribution only takes time here.
    torch.distributions.Distribution.set_default_validate_args(False)
    env = make_env(config)
    try:
        model = MaskablePPO.load(folder / MODEL, env=env, device="cpu") if resume else make_model(config, env)
    except (OSError, ValueError, BadZipFile) as error:
        raise runs.RunError(f"{folder / MODEL} is missing or damaged: {error}") from None
    # Boards that the run has not had: a stream of its own for each part of it.
    env.seed(int(streams.key("ppo", config.seed, model.num_timesteps).item() >> 33))
    model.set_logger(configure(str(folder / TENSORBOARD), ["tensorboard"] if find_spec("tensorboard") else []))
    # A run that was killed before it saved its model learns again what the last row of the metrics is of.
    rows = runs.read_result(folder, runs.METRICS) if resume else []
    run = _Run(folder, config, [row for row in rows if row["steps"] <= model.num_timesteps], evaluated, progress)
    run.init_callback(model)  # a run that is over before its first rollout is saved too
    try:
        if run.share() < 1.0:
            model.learn(_NO_LIMIT, callback=[run, *callbacks], reset_num_timesteps=False)
    finally:
        run.checkpoint()
        env.close()
        model.logger.close()
    return run.metrics


class _Run(BaseCallback):
    """Do what happens between rollouts: schedules, evaluations, checkpoints, the end."""

    def __init__(
        self, folder: Path, config: PPOConfig, metrics: list[dict[str, Any]],
        evaluated: Callable[[dict[str, Any]], object], progress: Progress,
    ) -> None:  # fmt: skip
        super().__init__()
        self.folder, self.config, self.metrics = folder, config, metrics
        self.evaluated, self.progress = evaluated, progress
        self.last_evaluation = time.perf_counter()
        self.began = self.last_evaluation - (metrics[-1]["seconds"] if metrics else 0.0)
        self.steps, self.over = 0, False
        self.boards = library_boards(config.evaluate, config.seed, "training")

    def share(self) -> float:
        """Return the share of the run that is done, 0 to 1."""
        config = self.config
        by_time = self.seconds() / (60 * config.minutes) if config.minutes else 0.0
        by_steps = self.steps / config.steps if config.steps else 0.0
        return min(max(by_time, by_steps), 1.0)

    def seconds(self) -> float:
        """Return the length of the run so far."""
        return time.perf_counter() - self.began

    def _init_callback(self) -> None:
        self.steps = self.model.num_timesteps

    def _on_training_start(self) -> None:
        if not self.metrics:
            self.evaluate()

    def _on_rollout_start(self) -> None:
        if time.perf_counter() - self.last_evaluation > self.config.every:
            self.checkpoint()
        share = self.share()
        left = 1.0 - share * (1.0 - _END_SHARE)
        self.model.lr_schedule = FloatSchedule(self.config.learning_rate * left)
        self.model.ent_coef = self.config.entropy * left
        self.over, last = share >= 1.0, self.metrics[-1]
        self.progress.to(100 * share)
        self.progress.note(
            f"{self.steps / 1e6:.2f}M calls, {self.steps / self.seconds():,.0f}/s, "
            f"{last['mean_imps']:+.2f} ± {last['standard_error']:.2f} IMPs/board"
        )

    def _on_step(self) -> bool:
        return not self.over

    def _on_rollout_end(self) -> None:
        self.steps = self.model.num_timesteps

    def evaluate(self) -> None:
        """Add a point of the curve: a duplicate match against the control pair, on training boards."""
        config = self.config
        trained = {"by": "bridge-env train ppo", "steps": self.steps, "seed": config.seed,
                   "opponents": config.opponents, "control": config.control}  # fmt: skip
        bidder = policy_of(self.model, trained)
        result = match(bidder, config.control, self.boards, config.seed)
        row = {
            "steps": self.steps, "seconds": round(self.seconds(), 1), "mean_imps": result.mean_imps,
            "standard_error": result.standard_error, "boards": len(self.boards), "opponent": config.control,
        }  # fmt: skip
        self.metrics.append(row)
        self.logger.record("evaluation/imps", result.mean_imps)
        self.logger.dump(self.steps)
        network_files.save(bidder.networks, self.folder / POLICY_FILE)
        runs.write_metrics(self.folder, self.metrics)
        self.last_evaluation = time.perf_counter()
        self.evaluated(row)

    def checkpoint(self) -> None:
        """Evaluate, and save all that ``--resume`` needs."""
        if not (self.metrics and self.metrics[-1]["steps"] == self.steps):
            self.evaluate()
        self.model.num_timesteps = self.steps  # without those of a rollout that is not done
        content = io.BytesIO()
        self.model.save(content)
        atomic_write(self.folder / MODEL, content.getvalue())
