"""The report of fitted maps: what they get right on held-out boards, where they are unsure, as Markdown and JSON.

In its pictures of maps a unit's colour is its call; how full the colour is tells how sure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.maps.atlas import Atlas, Map
from agents.maps.situations import SITUATIONS
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, call_text
from training.cases.report import shares, write_results
from training.maps.judge import Bin, Match, Region, Verdict
from training.running.pages import drawn, table

_HOW = """\
{maps} maps with {units:,} units, fitted to {calls:,} calls ({inputs} inputs, calls read by `{reader}`); judged on
{held:,} calls of {held_boards:,} boards whose deals lie in the judging part (a hash of the deal's canonical form), from
which nothing was learned. Right: {right}.
± is one standard error, calls taken as independent.
"""
_RIGHT = {True: "the recorded call", False: "the call that the teacher makes there, bidding against itself"}
_PICTURE = """\
A unit's colour is its most frequent call (suits by colour, higher bids darker, grey pass, cyan double), paler the fewer
of its hands made it; black: no hands. The legends name the most frequent calls.
"""
_MATCHES = """\
Duplicate, both directions, judging split of the shipped library, dealer and vulnerability by board number, double-dummy
tricks; ± is one standard error.
"""
_LEAST = """\
The least clear units with 30 training hands or more, none beside another; the last three columns are held-out calls
there, as in the table above.
"""
_SURE = """\
Stated: of the best-matching unit's training hands, the share that made the call. The expert is `{expert}`:
it differs where it calls other than {taught}.
"""

_STRAINS = ((0.18, 0.55, 0.25), (0.95, 0.60, 0.10), (0.85, 0.15, 0.20), (0.15, 0.30, 0.75), (0.55, 0.25, 0.65))
_NAMED = 8  # calls in a legend
_EMPTY = (0.0, 0.0, 0.0)


def write(out: Path, atlas: Atlas, verdict: Verdict, command: str, manifest: Mapping[str, Any]) -> None:
    """Write ``README.md``, ``results.json``, ``maps.png`` and ``ambiguity.png`` into ``out``."""
    content = {"command": command, "manifest": dict(manifest), "fitted": dict(atlas.fitted), "verdict": asdict(verdict)}
    draw_maps(atlas, out / "maps.png")
    if verdict.bins:
        draw_bins(verdict.bins, out / "ambiguity.png")
    recorded = bool(manifest["config"]["files"])
    write_results(out, content, markdown(atlas, verdict, command, recorded))


def lines(verdict: Verdict) -> list[str]:
    """The main figures, for a terminal."""
    return [
        *map(str, verdict.calls[:3]),
        *(f"{m.a} against {m.b}: {m.mean:+.2f} ± {m.error:.2f} IMPs a board" for m in verdict.matches),
    ]


def markdown(atlas: Atlas, verdict: Verdict, command: str, recorded: bool) -> str:
    units = sum(one.rows * one.columns for one in atlas.maps.values())
    facts = {"maps": len(atlas.maps), "units": units, "inputs": atlas.inputs, "reader": atlas.reader,
             "calls": atlas.fitted.get("calls", 0), "held": verdict.held, "held_boards": verdict.held_boards,
             "right": _RIGHT[recorded]}  # fmt: skip
    out = ["# Bidding by self-organizing maps", "", f"`{command}`", "", _HOW.format(**facts)]
    out += ["![the maps, coloured by call](maps.png)", "", _PICTURE]
    if verdict.calls:
        out += ["## Held-out calls by map", "", *shares(verdict.calls), ""]
    if verdict.matches:
        out += ["## Matches", "", _MATCHES, *_played(verdict.matches), ""]
    if verdict.bins:
        sure = _SURE.format(expert=verdict.expert, taught="was recorded" if recorded else "the teacher")
        out += ["## Is it wrong where it is unsure?", "", sure, *_bins(verdict.bins), ""]
        out += ["![right by stated share](ambiguity.png)", ""]
        out += ["## The most ambiguous units", "", _LEAST, *_regions(verdict.regions), ""]
    return "\n".join(out)


def _played(matches: Sequence[Match]) -> list[str]:
    cells = ((m.a, f"`{m.b}`", f"{m.mean:+.2f} ± {m.error:.2f}", f"{m.boards:,}", str(m.seed)) for m in matches)
    return table(("A", "B", "A's IMPs a board", "boards", "seed"), cells, left=2)


def _bins(bins: Sequence[Bin]) -> list[str]:
    cells = (
        (b.name, f"{b.asked:,}", f"{b.stated:.1f}" if b.stated else "", _percent(b.right, b.asked),
         _percent(b.differ, b.asked)) for b in bins
    )  # fmt: skip
    return table(("the unit's share", "calls", "stated %", "right %", "expert differs %"), cells)


def _regions(regions: Sequence[Region]) -> list[str]:
    head = ("map", "unit", "hands", "mean hand (S-H-D-C)", "calls", "one held-out hand", "calls", "right",
            "expert differs")  # fmt: skip
    cells = (
        (r.situation, r.where, f"{r.hands:,}", r.mean, r.calls, r.example, str(r.asked), str(r.right), str(r.differ))
        for r in regions
    )
    return table(head, cells, left=len(head))


def _percent(part: int, whole: int) -> str:
    share = part / whole
    return f"{100 * share:.1f} ± {100 * float(np.sqrt(share * (1 - share) / whole)):.1f}"


# --- pictures ---------------------------------------------------------------------------------------------


def colours() -> NDArray[np.float64]:
    """A colour of each call, float64 (38, 3): the strain's, darker the higher; pass grey, doubles cyan."""
    out = np.zeros((NUM_CALLS, 3))
    out[PASS], out[DOUBLE], out[DOUBLE + 1] = (0.72, 0.72, 0.72), (0.0, 0.75, 0.75), (0.0, 0.45, 0.5)
    for call in range(FIRST_BID, NUM_CALLS):
        level, strain = divmod(call - FIRST_BID, 5)
        base = np.array(_STRAINS[strain])
        shade = (0.4, 0.2, 0.0, -0.3, -0.45, -0.6, -0.7)[level]
        out[call] = base + (1 - base) * shade if shade >= 0 else base * (1 + shade)
    return out


def picture(one: Map) -> NDArray[np.float64]:
    """The grid in colours, float64 (rows, columns, 3); paler where fewer of a unit's hands made its call."""
    total = one.calls.sum(axis=1)
    colour = colours()[one.calls.argmax(axis=1)]
    sure = np.where(total > 0, one.calls.max(axis=1) / np.maximum(total, 1), 0)[:, None]
    out = np.where((total > 0)[:, None], 1 - (1 - colour) * (0.15 + 0.85 * sure), np.array(_EMPTY))
    return out.reshape(one.rows, one.columns, 3)


def draw_maps(atlas: Atlas, path: Path) -> None:
    """All maps in one PNG, with the most frequent calls of each."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state
    from matplotlib.patches import Patch

    figure = Figure(figsize=(15, 9.2))
    axes = figure.subplots(2, 4).ravel()
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.08, top=0.96, wspace=0.03, hspace=0.22)
    for k, axis in enumerate(axes):
        axis.set_axis_off()
        if k not in atlas.maps:
            continue
        one = atlas.maps[k]
        axis.set_title(f"{SITUATIONS[k]}, {one.rows} by {one.columns}", fontsize="medium")
        axis.imshow(picture(one), interpolation="nearest")
        count = one.calls.sum(axis=0, dtype=np.int64)
        named = [int(c) for c in np.argsort(-count, kind="stable")[:_NAMED] if count[c]]
        marks = [Patch(color=colours()[c], label=call_text(c)) for c in sorted(named)]
        axis.legend(handles=marks, ncols=4, fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, 0))
    figure.savefig(path, dpi=80)


def draw_bins(bins: tuple[Bin, ...], path: Path) -> None:
    """Right against stated share, and how often the expert differs."""
    told = [b for b in bins if b.stated > 0]
    stated = [b.stated for b in told]
    right = np.array([b.right / b.asked for b in told])
    error = np.sqrt(right * (1 - right) / np.array([b.asked for b in told]))
    with drawn(path, 4.8, 4.2, dpi=100) as axes:
        axes.plot([0, 100], [0, 100], color="0.6", linewidth=0.8)
        axes.errorbar(stated, 100 * right, 100 * error, fmt="o-", label="the map's call is right")
        axes.plot(stated, [100 * b.differ / b.asked for b in told], "s--", label="the expert differs")
        axes.set(xlabel="share of the unit's hands that made the call, %", ylabel="% of held-out calls", ylim=(0, 101))
        axes.legend(fontsize="small")
