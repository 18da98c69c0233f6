"""MaskablePPO from scratch: both seats of a partnership learn to bid against a control pair.

The two seats share one policy; each sees its own hand and the auction, and both get the board's reward in
IMPs. An untrained policy would climb to the seven level on every deal, so its first outputs prefer low bids
(``shyness``, the start of a learned bias, nothing else): no call is ever forbidden but by the laws.

A run folder holds ``checkpoint.json``, the model of SB3 that it names, ``metrics.jsonl``, TensorBoard logs
and ``policy.npz``, the policy as ``policy:FILE`` plays it. SB3's models hold code: the checksum in the
checkpoint shows damage, not malice. Resume only folders that you made; share ``policy.npz``, which is data.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import FloatSchedule

from agents import policy as policies
from agents.policy import Policy
from bridge_env import streams
from bridge_env.bidders import from_python, make
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.files import atomic_write
from bridge_env.schema import Number, Whole
from training.match.boards import library_boards
from training.match.duplicate import match
from training.networks.configs import PPOConfig, widths
from training.networks.sb3 import SB3VecEnv
from training.running import lock, runs

KIND = "train"
POLICY_FILE, TENSORBOARD = "policy.npz", "tensorboard"
_REWARD_SCALE = 1 / 8  # IMPs to about 1
_END_SHARE = 0.1  # of the learning rate and of the entropy bonus, at the end
_DOUBLES_SHYNESS = 2.0
_NO_LIMIT = 1 << 62


@dataclass
class State:
    """Where a run stands: what the next rollout needs, but for the model."""

    steps: int = 0
    seconds: float = 0.0
    model: str = ""
    sha256: str = ""
    metrics: list[dict[str, Any]] = field(default_factory=list)


_ROW = {
    "steps": Whole(0), "seconds": Number(0), "mean_imps": Number(), "standard_error": Number(0, unknown=True),
    "boards": Whole(1), "opponent": str,
}  # fmt: skip
_CHECKPOINT = {"steps": Whole(0), "seconds": Number(0), "model": str, "sha256": str, "metrics": [_ROW]}


def make_env(config: PPOConfig) -> SB3VecEnv:
    """The tables of a run: learners North-South, rewards in IMPs against the control pair, scaled."""
    env = BiddingVectorEnv(
        config.tables, learner="NS", opponents=config.opponents, control=config.control, reward="imps",
        deals="training", autoreset_mode="SameStep",
    )  # fmt: skip
    return SB3VecEnv(env, _REWARD_SCALE)


def make_model(config: PPOConfig, env: SB3VecEnv) -> MaskablePPO:
    """An untrained model."""
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=config.rollout, batch_size=min(config.batch, config.rollout * config.tables),
        n_epochs=config.epochs, learning_rate=config.learning_rate, ent_coef=config.entropy, gamma=1.0,
        policy_kwargs={
            "net_arch": {"pi": widths(config.layers), "vf": widths(config.critic)}, "activation_fn": torch.nn.ReLU,
        },
        seed=config.seed, device="cpu",
    )  # fmt: skip
    with torch.no_grad():
        bias = model.policy.action_net.bias
        bias[0], bias[1:3] = 0.0, -_DOUBLES_SHYNESS
        bias[3:] = -config.shyness * torch.arange(len(bias) - 3)
    return model


def policy_of(model: MaskablePPO, trained: dict[str, Any]) -> Policy:
    """The model's policy in numpy, without its critic.

    Raises:
        ValueError: it has other layers than linear ones and ReLU; such a model bids as ``docs/own.md`` shows.
    """
    net = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    linear = [layer for layer in net if isinstance(layer, torch.nn.Linear)]
    if other := [layer for layer in net if not isinstance(layer, torch.nn.Linear | torch.nn.ReLU)]:
        raise ValueError(
            f"the policy has {other[0]}; the file holds ReLU networks alone (activation_fn=torch.nn.ReLU); "
            "any other model bids as the page 'Bring your own bidder' shows"
        )
    return policies.policy(
        [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in linear], trained
    )


def check_start(config: PPOConfig) -> None:
    """Check that a run can start with these settings, before making a folder.

    Raises:
        SpecError: opponents or control name no bidder.
    """
    make(config.opponents), make(config.control)


def prepare(folder: Path | None, config: PPOConfig, root: Path, name: str | None) -> tuple[Path, State]:
    """A new run folder, or the one to go on with, and where it stands.

    Raises:
        RunError: the folder cannot be used.
        SpecError: opponents or control name no bidder.
    """
    if folder is not None:
        runs.write_manifest(folder, runs.read_manifest(folder) | {"config": asdict(config)})
        return folder, State(**runs.load_checkpoint(folder, _CHECKPOINT))
    check_start(config)
    folder = runs.new_folder(root, KIND, name)
    lock.hold(folder)
    runs.write_manifest(folder, runs.manifest(asdict(config), runs.shipped_deals()) | {"kind": "ppo"})
    runs.save_checkpoint(folder, asdict(State()))
    return folder, State()


def read_callback(where: str) -> BaseCallback:
    """A callback of Stable-Baselines3: ``MODULE:NAME`` or ``FILE.py:NAME``, an object or what makes one.

    Raises:
        SpecError: there is none.
    """
    callback: BaseCallback = from_python(
        f"python:{where.removeprefix('python:')}", BaseCallback, "of stable_baselines3's BaseCallback"
    )
    return callback


def train(
    folder: Path,
    config: PPOConfig,
    state: State,
    tick: Callable[[float, State], None],
    began: float | None = None,
    callbacks: Sequence[BaseCallback] = (),
) -> State:
    """Learn until the limits of ``config``, with evaluations and checkpoints on the way.

    Args:
        tick: hears after every rollout of the share done and of the state.
        began: ``time.perf_counter()`` when this part of the run began.
        callbacks: of Stable-Baselines3, to be called besides; one that returns False ends this part of the run.

    Raises:
        KeyboardInterrupt: after the state of that moment has been saved.
    """
    torch.set_num_threads(config.threads)
    # Checking the arguments of every distribution only takes time here.
    torch.distributions.Distribution.set_default_validate_args(False)
    env = make_env(config)
    model = make_model(config, env) if not state.steps else _load_model(folder, state, env)
    # Boards that the run has not had: a stream of its own for each part of it.
    model.num_timesteps = state.steps
    env.seed(int(streams.key("ppo", config.seed, state.steps).item() >> 33))
    model.set_logger(configure(str(folder / TENSORBOARD), ["tensorboard"] if find_spec("tensorboard") else []))
    run = _Run(folder, config, state, tick, began if began is not None else time.perf_counter())
    run.init_callback(model)  # a run that is over before its first rollout is saved too
    try:
        if run.share() < 1.0:
            model.learn(_NO_LIMIT, callback=[run, *callbacks], reset_num_timesteps=False)
        run.checkpoint()
    except KeyboardInterrupt:
        run.checkpoint()
        raise
    finally:
        env.close()
        model.logger.close()
    return state


def _load_model(folder: Path, state: State, env: SB3VecEnv) -> MaskablePPO:
    path = folder / state.model
    if not path.is_file() or runs.sha256(path) != state.sha256:
        raise runs.RunError(f"{path} is missing or damaged: it is not what the checkpoint says")
    return MaskablePPO.load(path, env=env, device="cpu")


class _Run(BaseCallback):
    """What happens between rollouts: schedules, evaluations, checkpoints, the end."""

    def __init__(
        self, folder: Path, config: PPOConfig, state: State, tick: Callable[[float, State], None], began: float
    ) -> None:
        super().__init__()
        self.folder, self.config, self.state, self.tick = folder, config, state, tick
        self.began = began - state.seconds
        self.evaluated = time.perf_counter()
        self.boards = library_boards(config.evaluate, config.seed, "training")
        self.paid, self.ended, self.over = 0.0, 0, False

    def share(self) -> float:
        """Return how much of the run is done, 0 to 1."""
        config = self.config
        by_time = self.seconds() / (60 * config.minutes) if config.minutes else 0.0
        by_steps = self.state.steps / config.steps if config.steps else 0.0
        return min(max(by_time, by_steps), 1.0)

    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def _on_training_start(self) -> None:
        if not self.state.metrics:
            self.evaluate()

    def _on_rollout_start(self) -> None:
        if time.perf_counter() - self.evaluated > self.config.every:
            self.checkpoint()
        left = 1.0 - self.share() * (1.0 - _END_SHARE)
        self.model.lr_schedule = FloatSchedule(self.config.learning_rate * left)
        self.model.ent_coef = self.config.entropy * left
        self.over = self.share() >= 1.0
        self.tick(self.share(), self.state)

    def _on_step(self) -> bool:
        self.paid += float(self.locals["rewards"].sum())
        self.ended += int(self.locals["dones"].sum())
        return not self.over

    def _on_rollout_end(self) -> None:
        self.state.steps = self.model.num_timesteps
        if self.ended:
            self.logger.record("rollout/imps", self.paid / self.ended / _REWARD_SCALE)
            self.logger.record("rollout/calls_an_auction", self.config.tables * self.config.rollout / self.ended)
        self.paid, self.ended = 0.0, 0

    def evaluate(self) -> None:
        """A point of the curve: a duplicate match against the control pair, on training boards."""
        config = self.config
        trained = {"by": "bridge-env train ppo", "steps": self.state.steps, "seed": config.seed,
                   "opponents": config.opponents, "control": config.control}  # fmt: skip
        bidder = policy_of(self.model, trained)
        result = match(bidder, config.control, self.boards, config.seed)
        self.state.seconds = self.seconds()
        self.state.metrics.append({
            "steps": self.state.steps, "seconds": round(self.state.seconds, 1), "mean_imps": result.mean_imps,
            "standard_error": result.standard_error, "boards": len(self.boards), "opponent": config.control,
        })  # fmt: skip
        self.logger.record("evaluation/imps", result.mean_imps)
        self.logger.dump(self.state.steps)
        policies.save(bidder, self.folder / POLICY_FILE)
        runs.write_metrics(self.folder, self.state.metrics)
        self.evaluated = time.perf_counter()

    def checkpoint(self) -> None:
        """Evaluate and save all that ``--resume`` needs; the old model goes when the new one is in place."""
        state, before = self.state, self.state.model
        if not (state.model and state.metrics[-1]["steps"] == state.steps):
            self.evaluate()
            content = io.BytesIO()
            self.model.save(content)
            path = self.folder / f"model-{len(state.metrics):03d}.zip"
            atomic_write(path, content.getvalue())
            state.model, state.sha256 = path.name, runs.sha256(path)
        state.seconds = self.seconds()
        runs.save_checkpoint(self.folder, asdict(state))
        if before and before != state.model:
            (self.folder / before).unlink(missing_ok=True)
