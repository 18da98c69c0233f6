"""``bridge-env evolve``: the arguments, the progress bar, and the calls."""

from __future__ import annotations

import argparse
import json
import math
import os
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.cli.arguments import above_0, add_address
from training.cli.config import add_config_file, add_fields, add_run_options, read_run_fields
from training.cli.progress import Bar
from training.cli.terminal import tell

_MAY_CHANGE = ("generations",)
_RENEWED = 1.0  # seconds between looks at the progress
DIFF = "diff.md"
_EPILOG = """\
examples:
  bridge-env evolve                                   start a first run, about three minutes on two cores
  bridge-env evolve --generations 10 --study 49152 --confirm 16384
                                                      tune for longer, on more boards
  bridge-env evolve --generations 200 --name long     start a longer run, into results/evolve/long
  bridge-env evolve --minutes 30                      begin no generation after half an hour, then judge
  bridge-env evolve --resume results/evolve/long      continue after Ctrl-C or a crash
  bridge-env evolve --resume results/evolve/long --generations 400
  bridge-env evolve --start sayc,two-over-one --operators swapping,tuning
                                                      let partners start with two systems, and end with one
  bridge-env evolve --start champion --operators amendment,tuning,swapping --player policy:by-the-book
                                                      let a book learn from a network that bids by it
  bridge-env evolve --config long.toml                take options from a file, such as: generations = 200
  bridge-env evolve --address auto                    run on the Ray cluster that this machine belongs to

The same seed gives the same systems for any number of workers. Ctrl-C loses nothing but the generation
in hand, and FOLDER/best.bidding is the best system so far. Judge any two systems with:
  bridge-env match system:FILE.bidding system:sayc --boards 9000
"""


def add_evolve(subparsers: Any) -> None:
    from training.evolve.config import EvolveConfig

    parser = subparsers.add_parser(
        "evolve",
        help="evolve bidding systems by self-play of partnerships",
        description="Let partnerships improve a bidding system by self-play. They change it in five ways:\n"
        "  tuning      moves the bounds of its lines by a step, or drops a condition;\n"
        "  swapping    adopts changes of partner or another pair;\n"
        "  evolution   varies its rules at random;\n"
        "  refinement  finds rules for hands that another call would have suited better;\n"
        "  amendment   learns from a network that bids by the system (--player).\n"
        "A change is accepted if it gains IMPs against the control pair and the rest of the league, and again on\n"
        "fresh boards. Boards that training never saw judge the winner.",
        epilog=_EPILOG,
    )
    add_fields(parser, EvolveConfig)
    add_run_options(parser, "evolve", _MAY_CHANGE)
    for unit in ("minutes", "hours"):
        text = f"begin no generation after so many {unit}; then the winner is judged"
        parser.add_argument(f"--{unit}", type=above_0, help=text)
    parser.add_argument("--workers", type=int, help="number of tasks at a time (default: all cores of the cluster)")
    add_address(parser)
    add_config_file(parser)
    parser.set_defaults(handler=run)


def _limit(args: argparse.Namespace) -> float | None:
    """The seconds after which no generation begins; None = no limit."""
    if args.minutes is not None and args.hours is not None:
        raise ValueError("give --minutes or --hours, not both")
    if args.minutes is not None:
        return 60 * float(args.minutes)
    return None if args.hours is None else 3600 * float(args.hours)


def run(args: argparse.Namespace) -> int:
    """Evolve, choose the champion, judge it, write the report."""
    from training.evolve.config import EvolveConfig
    from training.evolve.ending import champion
    from training.evolve.generations import check_start, evolve, league, load, start_run
    from training.evolve.work import Work
    from training.running import runs
    from training.running.cluster import Cluster
    from training.running.curves import Curves, can_write

    limit = _limit(args)
    config = read_run_fields(args, EvolveConfig, _MAY_CHANGE, lambda folder: load(folder)[0])
    begun = None
    if args.resume is None:  # whatever is wrong is told before there is a folder, or Ray
        check_start(config)
    else:
        begun = args.resume, load(args.resume)[1]
        if config.generations < begun[1].generation:
            raise ValueError(f"--generations is {config.generations}, but {args.resume} has done {begun[1].generation}")
    with Cluster(args.workers, args.address) as cluster:
        folder, state = begun or start_run(args.out, args.name, config)
        if args.resume is not None and (note := runs.note_of_other_code(folder)):
            print(note)
        args.kept = folder, f"bridge-env evolve --resume {folder}"
        logs = f"; logs: tensorboard --logdir {folder}" if can_write() else ""
        print(f"{folder}: {config.partnerships} partnerships from {config.start}, control {config.control}{logs}")
        curves = Curves(folder, "evolve", "generation")
        last = None if limit is not None and args.generations is None else config.generations
        deadline = math.inf if limit is None else time.monotonic() + limit
        progress = _Progress(last, state.generation)

        def more(generation: int) -> bool:
            return time.monotonic() < deadline and (last is None or generation < last)

        try:
            for after in evolve(folder, config, state, cluster, progress.tick, progress.say, more):
                state = after
                progress.generation(state.metrics[-1])
                curves.write(state.metrics[-1])
            if limit is not None:
                config = replace(config, generations=state.generation)  # as many in a fresh run give the same
            work = Work(cluster, league(config), config.seed, progress.tick)
            best, pair, said = champion(config, state, work, progress.ending)
        except KeyboardInterrupt:
            progress.close()
            if best_so_far := sorted(folder.glob("best*.bidding")):
                print(f"\nthe best so far: {' and '.join(map(str, best_so_far))}")
            raise
        finally:
            curves.close()
            progress.close()
    assert cluster.workers is not None
    workers = min(cluster.workers, os.cpu_count() or 1)  # a cluster may have more than this machine
    _conclude(folder, config, state, best, pair, said, workers)
    return 0


def _conclude(folder: Path, config: Any, state: Any, best: int, pair: Any, said: list[str], workers: int) -> None:
    from bridge_env.bidders import full_spec
    from training.evolve import apart
    from training.evolve.config import spec_of
    from training.evolve.systems import write_systems
    from training.match import verdict as judging
    from training.running import runs
    from training.running.settings import listed

    alike = pair.first == pair.second
    files = write_systems(folder, "evolved", pair)
    for file in folder.glob("best*.bidding"):
        file.unlink()  # these are in its place
    evolved = f"system:{files[0]}" if alike else f"pair:system:{files[0]},system:{files[1]}"
    print(f"judging on {config.judge:,} boards that training never saw")
    met, unmet = [*map(spec_of, listed(config.league))], [*map(full_spec, listed(config.gatekeepers))]
    control = f"system:{config.control}"
    rows = judging.verdict(evolved, control, config.rooted, config.judge, config.seed, met, unmet, workers)
    print("\n" + judging.table_text(rows) + "\n")
    curve, duplicate = folder / "learning_curve.png", next(r for r in rows if r.what.endswith(judging.DUPLICATE))
    judging.plot_curve(state.metrics, duplicate, curve)
    manifest = runs.read_manifest(folder) | {"config": asdict(config)}  # --generations may have been raised
    kept = [f"generation {row['generation']}: {what}" for row in state.metrics for what in row["kept"]]
    kept += [f"at the end: {what}" for what in said]
    command = runs.command_line("bridge-env evolve", config)
    together = apart.report(config.starts, best, state.metrics, said) if config.apart else []
    diff = _write_diff(folder, config, pair) if alike and len(config.roots) == 1 else ""
    report = judging.markdown(rows, manifest, command, kept, [f.name for f in files], together, diff)
    atomic_write(folder / "report.md", report)
    verdict = {"champion": best, "rows": [row.as_json() for row in rows]}
    atomic_write(folder / judging.VERDICT, json.dumps(verdict, indent=2) + "\n")
    runs.write_manifest(folder, manifest | {"systems_sha256": {f.name: runs.sha256(f) for f in files}})
    tell({
        "learning curve": curve, "report": folder / "report.md",
        "system": " and ".join(map(str, files)), "play it": f"bridge-env match {evolved} system:sayc",
    })  # fmt: skip


def _write_diff(folder: Path, config: Any, pair: Any) -> str:
    """Write what the system changes in the one that it began with, in words, with the worth of each change."""
    from agents.hierarchy.shipped import read_system
    from training.book.written.diff import compare_systems
    from training.book.written.diff_text import diff_markdown

    root, control = read_system(config.roots[0]), read_system(config.control)
    with Bar(None, "change", "what each change is worth") as bar:
        difference = compare_systems(root, pair.first, control, config.judge, config.seed, bar.add)
    atomic_write(folder / DIFF, diff_markdown(difference))
    return DIFF


class _Progress:
    """Generations done, what is done now, boards bid, the best pair's IMPs; then a bar for each step of the ending.

    A thread of its own renews it, since a task may last a minute.
    """

    def __init__(self, generations: int | None, done: int) -> None:
        self.boards, self.latest, self.now, self.over = 0, "", "", False
        self.bar = Bar(generations, "gen")
        self.bar.to(done)
        self._ended, self._lock = threading.Event(), threading.Lock()
        threading.Thread(target=self._renew, daemon=True).start()

    def _renew(self) -> None:
        while not self._ended.wait(_RENEWED):
            with self._lock:
                if not self.over and not self._ended.is_set():
                    self.tick(0)

    def say(self, what: str) -> None:
        self.now = what
        self.tick(0)

    def close(self) -> None:
        with self._lock:
            self._ended.set()
            self.bar.close()

    def tick(self, boards: int) -> None:
        self.boards += boards
        if self.over:
            self.bar.add(boards)
        else:
            self.bar.note(", ".join(filter(None, (self.latest, self.now, f"{self.boards / 1e6:.1f}M boards"))))

    def generation(self, row: dict[str, Any]) -> None:
        self.latest = f"{row['mean_imps']:+.3f} ± {row['standard_error']:.3f} IMPs/board, kept {len(row['kept'])}"
        self.tick(0)
        self.bar.add()

    def ending(self, what: str, boards: int | None) -> None:
        with self._lock:
            self.bar.close()
            self.over, self.bar = True, Bar(boards, "board", what)
            self.bar.add(0)
