"""The report of fitted maps: what they get right on held-out boards, where they are unsure, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from agents.maps.atlas import Atlas
from training.cases.report import shares, write_results
from training.maps.judge import Bin, Match, Region, Verdict
from training.maps.pictures import draw_bins, draw_maps
from training.running.pages import table

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
    """The tables."""
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
