"""The report of the study of 2007: the published result beside ours, as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from studies.maps_2007.study import FEW, PUBLISHED, Row

_HOW = """\
DeLooze and Downey (2007) trained six self-organizing maps on examples made by rules, and let them play {few} boards on
which no trump is opened against the program Jack: they lost {most} to {least} IMPs. Here maps meet the system that
taught them and `system:sayc` on boards whose dealer has 15 to 17 points and a balanced hand: deals of the judging part
of the shipped library, from which nothing was learned, at double-dummy tricks, duplicate, both directions; the dealer
is the seat with that hand, vulnerability goes by board number, and all four seats bid as they like. Jack is no opponent
here, and its system was another: the columns can be compared in size only. ± is one standard error; images of one deal
count as one observation.
"""
_HEAD = ("maps", "learned from", "inputs", "opponent", "first 24 boards, IMPs", "all, IMPs a board", "boards", "deals")


def write(out: Path, found: Sequence[Row], command: str, manifest: Mapping[str, Any]) -> None:
    """Write ``README.md`` and ``results.json`` into ``out``."""
    content = {"command": command, "manifest": dict(manifest), "rows": [asdict(row) for row in found]}
    atomic_write(out / "results.json", json.dumps(content, indent=1) + "\n")
    seed = manifest["config"]["seed"]
    atomic_write(out / "README.md", markdown(found, command, seed))


def markdown(found: Sequence[Row], command: str, seed: int) -> str:
    """The table."""
    how = _HOW.format(few=FEW, most=-PUBLISHED[0], least=-PUBLISHED[1])
    out = ["# The study of 2007 again: no-trump boards", "", f"`{command}`, seed {seed}", "", how]
    out += [_cells(_HEAD), _cells(["---"] * 4 + ["---:"] * 4)]
    out.append(_cells(["BridgeSOM, published", "rules", "published", "Jack", f"{PUBLISHED[0]} to {PUBLISHED[1]}", "",
                       str(FEW), ""]))  # fmt: skip
    for row in found:
        for r in row.results:
            cells = [f"`{row.file}`", _spec(row.learned_from), row.inputs, _spec(r.opponent)]
            cells += [
                f"{r.few:+d} ± {r.few_error:.0f}",
                f"{r.mean:+.2f} ± {r.error:.2f}",
                f"{r.boards:,}",
                f"{r.deals:,}",
            ]
            out.append(_cells(cells))
    return "\n".join([*out, ""])


def line(row: Row) -> str:
    """A row for a terminal."""
    told = (f"against {r.opponent} {r.mean:+.2f} ± {r.error:.2f} IMPs a board (24: {r.few:+d})" for r in row.results)
    return f"{row.file}: {', '.join(told)}"


def _spec(text: str) -> str:
    return f"`{text}`" if ":" in text else text


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
