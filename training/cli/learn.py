"""``bridge-env evolve``, ``train``, ``coach`` and ``report``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import App

from bridge_env.io.files import atomic_write
from training.cli.options import AtLeast2, Count, Flat, Positive, RunOptions
from training.cli.output import Bar, print_facts, print_problems
from training.coaching.config import CoachConfig
from training.configs import LeagueConfig, PPOConfig
from training.evolution.config import EvolveConfig


def _seconds(minutes: float | None, hours: float | None) -> float | None:
    if minutes is not None and hours is not None:
        raise ValueError("give --minutes or --hours, not both")
    return 60 * (minutes or 0) + 3600 * (hours or 0) or None


def evolve(
    *,
    config: Annotated[EvolveConfig, Flat] = EvolveConfig(),
    run: RunOptions = RunOptions(),
    minutes: Positive | None = None,
    hours: Positive | None = None,
    workers: Count | None = None,
    address: str | None = None,
) -> int:
    """Let partnerships improve a bidding system by self-play.

    They change it in these ways:

        tuning      moves the bounds of its lines by a step, or drops a condition
        swapping    adopts changes of partner or another pair
        evolution   varies its rules at random
        refinement  finds rules for hands that another call would have suited better
        amendment   learns from a network that bids by the system (--player)
        cards       fits a page of scorecards, and varies their numbers
        natural     adds a complete natural system to a pair without opening bids

    A change is accepted if it gains IMPs against the control pair and the rest of the league, and again on fresh
    boards. Boards that training never saw judge the winner.

        bridge-env evolve                                   start a first run, about three minutes on two cores
        bridge-env evolve --generations 200 --name long     start a longer run, into results/evolve/long
        bridge-env evolve --minutes 30                      begin no generation after half an hour, then judge
        bridge-env evolve --resume results/evolve/long      continue after Ctrl-C or a crash
        bridge-env evolve --start sayc,two-over-one --operators swapping,tuning
                                                            let partners start with two systems, and end with one
        bridge-env evolve --start champion --operators amendment,tuning,swapping --player policy:by-the-book
        bridge-env evolve --address auto                    run on the Ray cluster that this machine belongs to

    The same seed leads to the same systems for any number of workers. Ctrl-C loses nothing but the generation in hand,
    and FOLDER/best.bidding is the best system so far.

    Args:
        minutes: begin no generation after so many minutes, whatever --generations is; then the winner is judged
        hours: the same in hours
        workers: number of tasks at a time (default: all cores of the cluster)
        address: address of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT
    """
    from training.evaluation import verdict
    from training.evolution.run import evolve as evolve_systems

    seconds = _seconds(minutes, hours)
    config = run.check(config, ("generations",))
    with run.tracking(), Bar(resume="bridge-env evolve --resume") as progress:
        result = evolve_systems(
            config, out=run.out, name=run.name, resume=run.resume, seconds=seconds, workers=workers, address=address,
            progress=progress,
        )  # fmt: skip
    print("\n" + verdict.table_text(result.rows) + "\n")
    print_facts({
        "learning curve": result.curve, "report": result.report,
        "system": " and ".join(map(str, result.systems)), "play it": f"bridge-env match {result.spec} system:sayc",
    })  # fmt: skip
    return 0


train = App(name="train", help="Learn a policy by reinforcement.")


@train.command
def league(
    *,
    config: Annotated[LeagueConfig, Flat] = LeagueConfig(),
    run: RunOptions = RunOptions(),
    minutes: Positive | None = None,
    hours: Positive | None = None,
    judge: AtLeast2 = 5000,
    workers: Count | None = None,
    address: str | None = None,
) -> int:
    """Train a network against itself, earlier versions of itself and strangers.

    On each board it samples other auctions beside its usual one; the reward is the difference in IMPs.

        bridge-env train league                                      imitate system:two-over-one, then self-play
        bridge-env train league --start policy:two-over-one --name long --iterations 20000
        bridge-env train league --resume results/league/long --hours 3       continue for three hours at most
        bridge-env train league --start nothing                      start from random weights
        bridge-env train league --start policy:champion --artificial-penalty 0.5      teach it natural calls
        bridge-env train league --start policy:champion-plain --book champion         teach it to bid by system:champion

    One process learns and others play rollouts, so at least two cores are needed. Ctrl-C loses nothing before the last
    evaluation. The same settings give the same weights, for any number of workers, and however often a run is stopped.
    The network plays as policy:FOLDER/policy.npz. Gatekeepers are refused as opponents and as a start.

    Args:
        minutes: begin no rollout after so many minutes, whatever --iterations is; then the network is judged
        hours: the same in hours
        judge: number of judging boards for the final panel
        workers: number of tasks at a time (default: all cores of a cluster; without one all cores but one, at least 2)
        address: address of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT
    """
    from training.runtime.runs import require

    require("train", "torch", "ray")
    from training.evaluation import panel
    from training.league.train_league import LEAGUE_MAY_CHANGE, train_league

    seconds = _seconds(minutes, hours)
    config = run.check(config, LEAGUE_MAY_CHANGE)
    with run.tracking(), Bar(resume="bridge-env train league --resume") as progress:
        result = train_league(
            config, out=run.out, name=run.name, resume=run.resume, seconds=seconds, judge=judge, workers=workers,
            address=address, progress=progress,
        )  # fmt: skip
    print("\n" + panel.table_text(result.rows) + "\n")
    complete = result.iterations >= result.config.iterations
    print_facts({
        "report": result.report, "learning curve": result.curve, "network": result.network,
        "play it": f"bridge-env match policy:{result.network} system:two-over-one",
    } | ({} if complete else {"go on": f"bridge-env train league --resume {result.folder}"}))  # fmt: skip
    return 0


@train.command
def ppo(
    *,
    config: Annotated[PPOConfig, Flat] = PPOConfig(),
    run: RunOptions = RunOptions(),
) -> int:
    """Train a partnership by MaskablePPO, from random weights, to win IMPs against a control pair.

        bridge-env train ppo                                    fifteen minutes against a pair that passes
        bridge-env train ppo --minutes 60 --name long           longer, into results/train/long
        bridge-env train ppo --resume results/train/long --minutes 120
        bridge-env train ppo --opponents system:sayc --control system:sayc

    Ctrl-C loses nothing: the run is saved, and --resume goes on. A run folder holds SB3's own model, a file that can
    run code when it is loaded: resume only folders that you made. The policy to share is policy.npz, plain data.
    """
    from training.runtime.runs import require

    require("rl", "torch", "stable_baselines3", "sb3_contrib")
    from training.evaluation import panel
    from training.networks.ppo import train_ppo

    config = run.check(config, ("minutes", "steps", "evaluate", "every", "judge"))
    with run.tracking(), Bar(resume="bridge-env train ppo --resume") as progress:
        result = train_ppo(config, out=run.out, name=run.name, resume=run.resume, progress=progress)
    print("\n" + panel.table_text(result.rows) + "\n")
    print_facts({
        "learning curve": result.curve, "report": result.report, "policy": result.policy,
        "play it": f"bridge-env match policy:{result.policy} system:sayc",
    })  # fmt: skip
    return 0


def coach(
    system: str | None = None,
    /,
    *,
    config: Annotated[CoachConfig, Flat] = CoachConfig(),
    run: RunOptions = RunOptions(),
    workers: Count | None = None,
    address: str | None = None,
) -> int:
    """Train a player (a network) that bids by your system, amend the system by it, and report what the system misses.

        bridge-env coach mine.bidding                    an hour and a half on two cores, into results/coach/mine
        bridge-env coach sayc --iterations 300 --generations 1        a first look, a quarter of an hour
        bridge-env coach --resume results/coach/mine     continue after Ctrl-C or a crash
        bridge-env coach --resume results/coach/mine --rounds 2       go on by the amended book
        bridge-env table                                 then play with policy:results/coach/mine/mine.npz

    First a network learns to bid by the system: it sees the system's call and what the calls so far have shown, and a
    call that would mislead partner has a penalty. Then the system learns from the network: first rule by rule, then by
    scorecards. All are judged against gatekeepers, on boards that training never saw. Your file is not changed.

    Args:
        system: the system: a name or FILE.bidding
        workers: tasks at a time (default: all cores but one, and at least two)
        address: address of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT
    """
    from dataclasses import replace

    from training.runtime.runs import require

    require("train", "torch", "ray")
    from training.coaching.run import coach as coach_system
    from training.evaluation import panel

    if system is None and run.resume is None:
        raise ValueError("name a system (bridge-env coach mine.bidding), or a run with --resume FOLDER")
    if system is not None and run.resume is not None:
        raise ValueError(f"--resume goes on with the system of {run.resume}: leave SYSTEM away")
    config = config if system is None else replace(config, system=system)
    config = run.check(config, ("iterations", "generations", "rounds", "terms", "counted", "judge"))
    with run.tracking(), Bar(resume="bridge-env coach --resume") as progress:
        result = coach_system(
            config, out=run.out, name=run.name, resume=run.resume, workers=workers, address=address, progress=progress
        )
    for one in result.rounds:
        tables = [lines for lines in (one.player, one.amended, one.with_cards) if lines]
        print("\n" + "\n\n".join(map(panel.table_text, tables)))
    print()
    print_facts({
        "report": result.report, "amended book": result.amended,
        **({"with scorecards": result.with_cards} if result.with_cards else {}),
        "play with it": f"bridge-env table     (choose policy:{result.player})",
        "ask it": f"bridge-env bid policy:{result.player} --hand AQT72.A4.Q2.T753 --auction ''",
    })  # fmt: skip
    return 0


def report(folder: Path, /, *folders: Path, out: Path | None = None) -> int:
    """Compare runs of 'bridge-env evolve': settings, time, and what they gained on boards that training never saw.

        bridge-env report results/evolve/*                          print a table of all runs of self-play
        bridge-env report results/evolve/a results/evolve/b --out results/compared

    The table also shows unfinished runs, without their gain: only a finished run is judged.

    Args:
        folder: a run's folder
        folders: more of them
        out: also write README.md and the plot into this folder
    """
    from training.evolution import report as reports
    from training.runtime import runs

    every = (folder, *folders)
    begun = [path for path in every if len(every) == 1 or (path / runs.METRICS).exists()]
    print_problems(f"{path} holds no run with a finished generation" for path in every if path not in begun)
    if not begun:
        raise runs.RunError(f"none of {len(every)} folders holds a run with a finished generation")
    found = [reports.read_run(path) for path in begun]
    print(reports.text(found))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        reports.plot(found, out / reports.CURVES)
        command = shlex.join(["bridge-env", "report", *map(str, every), "--out", str(out)])
        atomic_write(out / "README.md", reports.markdown(found, command))
        print(f"\nwritten: {out / 'README.md'}, {out / reports.CURVES}")
    return 0
