"""Read what a sweep tries, and list its trials: every setting with every seed, each a run of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from bridge_env.schema import Whole, check_shape
from training.evolve.config import EvolveConfig
from training.match.judge import VERDICT
from training.networks.configs import LeagueConfig, PPOConfig
from training.running import lock, runs
from training.running.settings import did_you_mean

KIND = "sweep"
_PARTS = ("settings", "vary")
_KEYS = {"command": str, "seeds": [Whole(0)], "settings?": {...: Any}, "vary?": {...: [Any]}}


def _check_league(config: LeagueConfig) -> None:
    runs.require("train", "torch", "ray")
    from training.networks import league_run

    league_run.check_start(config)


def _check_ppo(config: PPOConfig) -> None:
    runs.require("rl", "torch", "stable_baselines3", "sb3_contrib")
    from training.networks import ppo

    ppo.check_start(config)


def _check_evolve(config: EvolveConfig) -> None:
    runs.require("ray", "ray")
    from training.evolve.generations import check_start

    check_start(config)


@dataclass(frozen=True)
class Command:
    """A command that can be swept."""

    kind: str  # the folder in which it puts its runs
    config: type[Any]
    check_start: Callable[[Any], None]
    last: str  # the file that stands in a run's folder once the run is judged
    options: dict[str, Any]  # what it takes besides the fields of its config, and their shapes
    on_ray: bool  # whether it takes --workers and --address


COMMANDS = {
    "train league": Command("league", LeagueConfig, _check_league, "report.md", {"judge": Whole(2)}, True),
    "train ppo": Command("train", PPOConfig, _check_ppo, VERDICT, {}, False),
    "evolve": Command("evolve", EvolveConfig, _check_evolve, VERDICT, {}, True),
}


@dataclass(frozen=True)
class Trial:
    """One run of a sweep: a setting, counted from 1, with a seed."""

    command: str
    setting: int
    seed: int
    options: Mapping[str, Any]
    root: Path

    @property
    def name(self) -> str:
        return f"setting-{self.setting}-seed-{self.seed}"

    @property
    def folder(self) -> Path:
        return self.root / COMMANDS[self.command].kind / self.name

    @property
    def log(self) -> Path:
        """Where its output goes. It stands beside the run's folder, which the run itself makes."""
        return self.root / f"{self.name}.log"

    @property
    def begun(self) -> bool:
        """Whether there is more in its folder than a run writes before it can be resumed."""
        return self.folder.is_dir() and any(
            path.name != runs.MANIFEST and not path.name.startswith(".") for path in self.folder.iterdir()
        )

    @property
    def ended(self) -> bool:
        return (self.folder / COMMANDS[self.command].last).is_file()

    def config(self) -> Any:
        """Its settings, as its command has them."""
        command = COMMANDS[self.command]
        own = {name: value for name, value in self.options.items() if name not in command.options}
        return command.config(**own, seed=self.seed)

    def words(self) -> list[str]:
        """The words of its command, which begins or resumes it."""
        options = {"seed": self.seed, **self.options}
        start = ["--out", str(self.root), "--name", self.name]
        if self.begun:
            options = {name: value for name, value in options.items() if name in COMMANDS[self.command].options}
            start = ["--resume", str(self.folder)]
        given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        return [*self.command.split(), *start, *given]


@dataclass(frozen=True)
class Sweep:
    """A grid: every combination of what varies, each with every seed. The first setting is the one to compare with."""

    command: str
    seeds: Sequence[int]
    settings: Mapping[str, Any]
    vary: Mapping[str, Sequence[Any]]

    def varied(self) -> list[dict[str, Any]]:
        """What each setting has of its own; the last name varies fastest."""
        return [dict(zip(self.vary, values, strict=True)) for values in product(*self.vary.values())]

    def trials(self, root: Path) -> list[Trial]:
        """Its trials below ``root``: all settings with the first seed come first."""
        return [
            Trial(self.command, number, seed, {**self.settings, **own}, root)
            for seed in self.seeds for number, own in enumerate(self.varied(), 1)
        ]  # fmt: skip

    def told(self) -> list[str]:
        """What each setting has of its own, in words."""
        return [
            ", ".join(f"{name} {runs.portable(str(value)) or 'none'}" for name, value in own.items()) or "as given"
            for own in self.varied()
        ]

    def check_starts(self) -> None:
        """Check that a run can begin with each setting.

        Raises:
            ValueError: one of them cannot; the message says which.
        """
        for trial in self.trials(Path())[: len(self.varied())]:
            try:
                trial.config().check()
                COMMANDS[self.command].check_start(trial.config())
            except runs.RunError:  # something is missing here, whatever the setting
                raise
            except ValueError as error:
                raise ValueError(f"setting {trial.setting} ({self.told()[trial.setting - 1]}): {error}") from None


def read(content: Mapping[str, Any], source: str) -> Sweep:
    """Return the sweep that a file describes; ``source`` is what messages call it.

    What varies is put in order of name, so that the order of lines in a file plays no part.

    Raises:
        RunError: a key is missing, unknown or of another type.
    """
    known = [name.removesuffix("?") for name in _KEYS]
    for key in content:
        if key not in known:
            hint = did_you_mean(key, known)
            raise runs.RunError(
                f"{source}: there is no key {key!r} here{hint or '; settings of the command stand under [settings]'}"
            )
    check_shape(content, _KEYS, source, runs.RunError)
    command, seeds = content["command"], content["seeds"]
    if command not in COMMANDS:
        hint = did_you_mean(command, COMMANDS) or f"; write {' or '.join(COMMANDS)}"
        raise runs.RunError(f"{source}: command: {command!r} is none that can be swept{hint}")
    _check_distinct(seeds, f"{source}: seeds")
    settings, vary = ({name.replace("-", "_"): v for name, v in content.get(part, {}).items()} for part in _PARTS)
    shapes = {item.name: type(item.default) for item in fields(COMMANDS[command].config)} | COMMANDS[command].options
    for name in [*settings, *vary]:
        _check_name(name, shapes, command, source)
    check_shape(settings, {f"{name}?": shape for name, shape in shapes.items()}, f"{source}: settings", runs.RunError)
    check_shape(vary, {f"{name}?": [shape] for name, shape in shapes.items()}, f"{source}: vary", runs.RunError)
    for name, values in vary.items():
        _check_distinct(values, f"{source}: vary.{name}")
        if name in settings:
            raise runs.RunError(f"{source}: {name} stands under [settings] and under [vary]; leave it in one of them")
    return Sweep(command, seeds, settings, dict(sorted(vary.items())))


def _check_name(name: str, shapes: Mapping[str, Any], command: str, source: str) -> None:
    if name == "seed":
        raise runs.RunError(
            f"{source}: seed is no setting of a sweep: write the seeds at the top, as in seeds = [1, 2]"
        )
    if name not in shapes:
        hint = did_you_mean(name, [known for known in shapes if known != "seed"])
        raise runs.RunError(f"{source}: '{command}' has no setting {name}{hint}")


def _check_distinct(values: Sequence[Any], source: str) -> None:
    if not values:
        raise runs.RunError(f"{source}: the list is empty; write at least one value")
    if len(set(values)) < len(values):
        raise runs.RunError(f"{source}: a value stands there twice")


def saved(folder: Path) -> Sweep | None:
    """The sweep that was begun in a folder; None where there is none.

    Raises:
        RunError: the folder is of something else, or its manifest is damaged.
    """
    manifest = runs.read_manifest(folder)
    if manifest.get("kind") == KIND and "config" in manifest:
        return read(manifest["config"], f"{folder / runs.MANIFEST}: config")
    if folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir()):
        raise runs.RunError(f"{folder} is not the folder of a sweep; choose another --name")
    return None


def begin(folder: Path, sweep: Sweep) -> None:
    """Take a folder for a sweep, and write its manifest if it is new.

    Raises:
        RunError: another sweep uses the folder now, or was begun in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock.hold(folder)
    before = saved(folder)
    if before is None:
        runs.write_manifest(folder, runs.manifest(asdict(sweep), runs.shipped_deals()) | {"kind": KIND})
    elif differing := _differences(before, sweep):
        raise runs.RunError(
            f"{folder} was begun otherwise: {'; '.join(differing)}. Choose another --name for this sweep, or go on as "
            f"it was begun: bridge-env sweep --resume {folder}"
        )


def _differences(before: Sweep, now: Sweep) -> list[str]:
    """What differs between two sweeps, in words."""
    then, today = (
        {"command": sweep.command, "seeds": sweep.seeds}
        | {f"{part}.{name}": value for part in _PARTS for name, value in getattr(sweep, part).items()}
        for sweep in (before, now)
    )
    return [
        f"{key} was {then.get(key, 'not given')}, and is {today.get(key, 'not given')} now"
        for key in dict.fromkeys([*then, *today]) if then.get(key) != today.get(key)
    ]  # fmt: skip
