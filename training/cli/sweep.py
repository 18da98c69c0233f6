"""``bridge-env sweep``: the arguments, the lines of progress, and the calls."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import statistics
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.files import atomic_write
from training.cli.arguments import add_address, positive
from training.cli.terminal import tell

if TYPE_CHECKING:
    from training.sweep.plan import Sweep, Trial

_EPILOG = """\
examples:
  bridge-env sweep rates.toml                      run it into results/sweep/rates; the same command goes on with it
  bridge-env sweep rates.toml --dry-run            list the trials, and run nothing
  bridge-env sweep rates.toml --at-once 4          run four trials side by side
  bridge-env sweep --resume results/sweep/rates    continue after Ctrl-C or a crash, and try again what failed

rates.toml:
  command = "train league"            # or "train ppo", "evolve"
  seeds = [1, 2]
  [settings]                          # the same in every trial: options of the command
  start = "policy:two-over-one"
  iterations = 400
  [vary]                              # every combination of these
  learning_rate = [3e-5, 1e-4]
  entropy = [0.0, 0.004]

Every setting runs with every seed. A trial is a run of its own, with its folder below the sweep's and its output in
TRIAL.log; it is resumed where it stopped, and one that has ended is not run again. One that fails stops no other.
The table compares the settings by the verdicts of their runs; report.md and sweep.json contain it, too.
"""
_REPORT, _JSON = "report.md", "sweep.json"
FAILED = 1  # the exit code where a trial failed


def add_sweep(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "sweep",
        help="run a training command with several settings and seeds, and compare them",
        description="Run 'train league', 'train ppo' or 'evolve' with every combination of some settings, each with\n"
        "several seeds, and compare the settings on boards that training never saw.",
        epilog=_EPILOG,
    )
    parser.add_argument("file", metavar="CONFIG.toml", nargs="?", type=Path, help="what to sweep")
    parser.add_argument("--name", help="name of the folder below results/sweep (default: that of CONFIG.toml)")
    parser.add_argument("--out", type=Path, default=Path("results"), help="parent of the folders (default results)")
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="resume the sweep in this folder")
    parser.add_argument("--at-once", type=positive, default=1, help="number of trials to run side by side (1)")
    parser.add_argument("--dry-run", action="store_true", help="list the trials, and run nothing")
    parser.add_argument("--workers", type=positive, help="number of workers of every trial")
    add_address(parser)
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Run the trials that have not ended; print and write the table."""
    from training.sweep import plan, processes

    folder, sweep = _sweep(args)
    more = _passed_on(args, sweep)
    trials = sweep.trials(folder)
    told = sweep.told()
    sweep.check_starts()
    if args.dry_run:
        for trial in trials:
            state = "ended" if trial.ended else "begun" if trial.begun else "new"
            print(f"{trial.name}  {state:<5}  {told[trial.setting - 1]}")
            print(f"  {shlex.join(['bridge-env', *trial.words(), *more])}")
        return 0
    plan.begin(folder, sweep)
    args.kept = folder, f"bridge-env sweep --resume {folder}"
    left = [trial for trial in trials if not trial.ended]
    print(f"{folder}: {len(trials)} trials of '{sweep.command}', {len(trials) - len(left)} of them ended before")
    progress = _Progress(trials, left, told, args.at_once)
    processes.run(left, args.at_once, more, progress.began, progress.ended, progress.stopping)
    return _conclude(folder, sweep, trials, progress.failed, args.kept[1])


def _sweep(args: argparse.Namespace) -> tuple[Path, Sweep]:
    from training.cli.config import read_options
    from training.running import runs
    from training.sweep import plan

    if (args.file is None) == (args.resume is None):
        raise ValueError("name a file, as in 'bridge-env sweep rates.toml', or a folder with --resume: one of them")
    if args.resume is not None:
        if args.name is not None:
            raise runs.RunError("--name is for a new sweep; --resume continues in its folder")
        sweep = plan.saved(args.resume)
        if sweep is None:
            raise runs.RunError(f"{args.resume} is not the folder of a sweep")
        return args.resume, sweep
    name = args.name if args.name is not None else args.file.stem
    runs.check_name(name)
    try:
        content = read_options(args.file)
    except runs.RunError:
        raise
    except ValueError as error:
        raise ValueError(f"{args.file}: {error}") from None
    return args.out / plan.KIND / name, plan.read(content, str(args.file))


def _passed_on(args: argparse.Namespace, sweep: Sweep) -> list[str]:
    """The options that every trial gets."""
    from training.sweep.plan import COMMANDS

    given = [(name, value) for name in ("workers", "address") if (value := getattr(args, name)) is not None]
    if given and not COMMANDS[sweep.command].on_ray:
        raise ValueError(f"--{given[0][0]}: 'bridge-env {sweep.command}' has no such option")
    return [f"--{name}={value}" for name, value in given]


class _Progress:
    """Prints a line for each trial that begins and ends; keeps which failed, and why."""

    def __init__(self, trials: list[Trial], left: list[Trial], told: list[str], at_once: int) -> None:
        self.all, self.left, self.told, self.at_once = len(trials), len(left), told, at_once
        self.minutes: list[float] = []
        self.failed: dict[str, str] = {}

    def began(self, trial: Trial) -> None:
        verb = "goes on" if trial.begun else "begins"
        print(f"{trial.name} {verb}: {self.told[trial.setting - 1]}; output in {trial.log}", flush=True)

    def ended(self, trial: Trial, code: int, seconds: float) -> None:
        from training.sweep.processes import last_words

        self.left -= 1
        if code == 0 and trial.ended:
            self.minutes.append(seconds / 60)
            how = f"ended after {seconds / 60:.1f} min"
        else:
            self.failed[trial.name] = f"exit code {code}: {last_words(trial)}"
            how = f"FAILED, {self.failed[trial.name]}"
        print(f"{trial.name} {how}; {self.all - self.left} of {self.all}{self._time_left()}", flush=True)

    def stopping(self, running: int) -> None:
        print(f"\nstopping; {running} running {'trial saves' if running == 1 else 'trials save'} first", flush=True)

    def _time_left(self) -> str:
        if not self.left or not self.minutes:
            return ""
        minutes = statistics.fmean(self.minutes) * math.ceil(self.left / self.at_once)
        return f"; about {max(1, round(minutes))} min left"


def _conclude(folder: Path, sweep: Sweep, trials: list[Trial], failed: dict[str, str], go_on: str) -> int:
    """Compare the settings; write the page and the figures."""
    from training.sweep import figures

    verdicts: dict[int, dict[int, Any]] = {}
    for trial in trials:
        if trial.name in failed:
            continue
        try:
            verdicts.setdefault(trial.setting, {})[trial.seed] = figures.verdict(trial)
        except (ValueError, OSError) as error:
            failed[trial.name] = f"its verdict cannot be used: {error}"
    found = figures.figures(verdicts)
    told = sweep.told()
    if found:
        print(f"\n{figures.table(found, told)}\n\n{figures.HOW_TO_READ}\n")
    atomic_write(folder / _REPORT, figures.markdown(folder.name, sweep, found, failed))
    content = asdict(sweep) | {
        "varied": sweep.varied(),
        "trials": [
            {"name": t.name, "setting": t.setting, "seed": t.seed, "failed": failed.get(t.name)} for t in trials
        ],
        "figures": [asdict(figure) for figure in found],
    }
    atomic_write(folder / _JSON, json.dumps(content, indent=1) + "\n")
    tell({"report": folder / _REPORT, "figures": folder / _JSON})
    if failed:
        print(f"\n{len(failed)} of {len(trials)} trials failed; this tries them again: {go_on}")
        for name, why in failed.items():
            print(f"  {name}: {why}")
    return FAILED if failed else 0
