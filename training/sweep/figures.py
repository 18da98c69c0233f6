"""The figures of a sweep: what each setting gained against each opponent, by the verdicts of its runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from training.match import panel
from training.match.judge import VERDICT, VERDICT_ROW, Row
from training.networks.configs import LeagueConfig
from training.running import runs
from training.sweep.plan import COMMANDS, Sweep, Trial

HOW_TO_READ = """\
Mean IMPs a board over the seeds, on boards that training never saw. SE is the standard error of the boards, and spread
the standard deviation over seeds. Differences are from the first setting, seed by seed; their error is that of the
boards, taken as if each run had boards of its own, or that over seeds, whichever is larger."""


@dataclass(frozen=True)
class Figure:
    """How a setting did against an opponent, over its seeds, in IMPs a board."""

    against: str
    setting: int
    mean: float
    error: float  # standard error over the boards of all seeds
    spread: float | None  # standard deviation over seeds; None for one seed
    difference: float | None  # from the first setting, over the seeds that both have; None where there is none
    difference_error: float | None  # the larger of the boards' standard error and that over seeds
    seeds: int
    boards: int  # of all seeds together


def verdict(trial: Trial) -> list[Row]:
    """Read what a run that has ended found; ``what`` is the same in all runs of a sweep.

    Raises:
        RunError: its verdict is damaged, or it was made with other settings than the sweep's.
    """
    found, wanted = runs.config_of(trial.folder, COMMANDS[trial.command].config), trial.config()
    if isinstance(found, LeagueConfig):
        wanted = wanted.settled(found.cores)  # the run chose what its settings left to the cores
    if found != wanted:
        raise runs.RunError(f"{trial.folder}: its settings are not those of the sweep")
    if trial.command == "train league":
        lines = panel.read(trial.folder / "panel.json").values()
        return [
            Row(f"against {'its start' if x.group == 'start' else x.opponent}", x.mean_imps, x.standard_error, x.boards)
            for x in lines
        ]
    rows = runs.read_result(trial.folder, VERDICT, {"rows": [VERDICT_ROW]})["rows"]
    return [Row(_measured(row), row["mean_imps"], row["standard_error"], row["boards"]) for row in rows]


def _measured(row: Mapping[str, Any]) -> str:
    """What a row of a verdict tells of; where that is a gain, without the run's own figures."""
    opponent = row.get("opponent")
    if opponent == "abroad":
        return "gain abroad, against all gatekeepers together"
    return f"gain against {opponent}" if opponent else str(row["what"])


def figures(verdicts: Mapping[int, Mapping[int, Sequence[Row]]]) -> list[Figure]:
    """The figures of every opponent and setting, from verdicts by setting and seed."""
    out = []
    names = dict.fromkeys(row.what for by_seed in verdicts.values() for rows in by_seed.values() for row in rows)
    for name in names:
        first = _rows(verdicts.get(1, {}), name)
        for setting in sorted(verdicts):
            rows = _rows(verdicts[setting], name)
            if rows:
                out.append(_figure(name, setting, rows, first))
    return out


def _rows(by_seed: Mapping[int, Sequence[Row]], name: str) -> dict[int, Row]:
    return {seed: row for seed, rows in by_seed.items() for row in rows if row.what == name}


def _figure(name: str, setting: int, rows: Mapping[int, Row], first: Mapping[int, Row]) -> Figure:
    means = [row.mean for row in rows.values()]
    difference = difference_error = None
    both = sorted(rows.keys() & first.keys()) if setting > 1 else []
    if both:
        more = [rows[seed].mean - first[seed].mean for seed in both]
        of_boards = _error([row[seed].error for row in (rows, first) for seed in both], len(both))
        of_seeds = statistics.stdev(more) / math.sqrt(len(both)) if len(both) > 1 else 0.0
        difference, difference_error = statistics.fmean(more), max(of_boards, of_seeds)
    return Figure(
        name, setting, statistics.fmean(means), _error([row.error for row in rows.values()], len(rows)),
        statistics.stdev(means) if len(means) > 1 else None, difference, difference_error,
        len(rows), sum(row.boards for row in rows.values()),
    )  # fmt: skip


def _error(errors: Sequence[float], seeds: int) -> float:
    """The standard error of a mean over seeds, whose boards are not the same."""
    return math.sqrt(sum(error**2 for error in errors)) / seeds


def table(found: Sequence[Figure], told: Sequence[str]) -> str:
    """The figures as text: a section for each opponent, a line for each setting, which ``told`` puts in words."""
    names = [f"{number}: {text}" for number, text in enumerate(told, 1)]
    width = max(map(len, names))
    out = [f"  {'setting':<{width}}  IMPs/board     SE  spread       difference  seeds   boards"]
    for number, x in enumerate(found):
        if not number or found[number - 1].against != x.against:
            out += ["", x.against]
        spread = "" if x.spread is None else f"{x.spread:.3f}"
        far = "" if x.difference is None else f"{x.difference:+.3f} ± {x.difference_error:.3f}"
        out.append(
            f"  {names[x.setting - 1]:<{width}}  {x.mean:+10.3f}  {x.error:.3f}  {spread:>6}  {far:>15}  {x.seeds:>5}"
            f"  {x.boards:>7,}"
        )
    return "\n".join(out)


def markdown(name: str, sweep: Sweep, found: Sequence[Figure], without: Mapping[str, str]) -> str:
    """The page of a sweep; ``without`` are the trials that have no verdict, and why."""
    seeds = ", ".join(map(str, sweep.seeds))
    shared = [f"- {name}: {runs.portable(str(value))}" for name, value in sweep.settings.items()]
    lines = [
        f"# Sweep {name}", "", f"Trials of `bridge-env {sweep.command}` with the seeds {seeds}.", "", HOW_TO_READ, "",
        "```text", table(found, sweep.told()), "```", "", "## The same in every trial", "",
        *(shared or ["Nothing."]), "",
    ]  # fmt: skip
    if without:
        lines += ["## Without a verdict", "", *(f"- {trial}: {why}" for trial, why in without.items()), ""]
    return "\n".join(lines)
