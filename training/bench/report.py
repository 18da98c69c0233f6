"""The speeds of the envs, matches and the solver as a page and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from training.bench.own import Rate
from training.running.pages import drawn


def rates_table(rates: Sequence[Rate], digits: int) -> list[str]:
    lines = ["| | median | least | most | | remarks |", "| --- | ---: | ---: | ---: | --- | --- |"]
    for r in rates:
        median, least, most = (f"{number:,.{digits}f}" for number in (r.median, r.least, r.most))
        lines.append(f"| {r.what} | {median} | {least} | {most} | {r.unit} | {r.remark} |")
    return lines


def markdown(rates: list[Rate], others: dict[str, float], machine: str, repetitions: int) -> str:
    single = [f"| {name.replace('_', ' ')} | {value:,.4g} |" for name, value in others.items()]
    lines = [
        "# How fast",
        "",
        f"`bridge-env bench --repetitions {repetitions}`, one run: {machine}.",
        "Median, least and most of the repetitions.",
        "",
        "The first rows are the env as it is mostly used. In the others all seats are the caller's, where nothing else",
        "is said.",
        "",
        "A step of an env: a random legal call drawn and made, 480 int8 features and the mask written, IMPs against",
        "par paid from stored tables, a new deal where an auction has ended; what differs stands under remarks.",
        "",
        *rates_table(rates, 1),
        "",
        "| | |",
        "| --- | ---: |",
        *single,
        "",
        "Seconds, except bytes a table and the peak in MiB (of the whole run, peers included).",
        "",
        "![bench](bench.png)",
        "",
    ]
    return "\n".join(lines)


def plot(rates: list[Rate], path: Path) -> None:
    names = [rate.what for rate in rates][::-1]
    colours = ["tab:blue" if name.startswith("bridge-env") else "tab:orange" for name in names]
    with drawn(path, 8, 0.36 * len(rates) + 1.2) as axes:
        axes.barh(names, [rate.median for rate in rates][::-1], color=colours)
        axes.set_xscale("log")
        axes.set_xlabel("steps a second (logarithmic)")
