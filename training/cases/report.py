"""The report of a fitted case base: what it gets right on held-out boards, as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training import runs
from training.cases.judge import SPARSE, Share

_HOW = """\
{cases:,} cases of {boards:,} boards; judged on the {held_boards:,} boards ({held:,} calls) of the files whose deals
lie in the judging part (a hash of the deal's canonical form), of which the base holds none and from which the metric
did not learn. Right: the recorded call. ± is one standard error, calls taken as independent. A call took
{query:.2f} ms to look up, in batches, and {single:.2f} ms alone. Nothing was retained from self-play.
"""


def write(
    out: Path,
    tables: Mapping[str, Sequence[Share]],
    facts: Mapping[str, Any],
    command: str,
    manifest: Mapping[str, Any],
) -> None:
    """Write ``README.md`` and ``results.json`` into ``out``."""
    content = {
        "command": command, "manifest": dict(manifest), "facts": dict(facts),
        "tables": {name: [asdict(row) for row in rows] for name, rows in tables.items()},
    }  # fmt: skip
    runs.write_atomically(out / "results.json", json.dumps(content, indent=1) + "\n")
    runs.write_atomically(out / "README.md", markdown(tables, facts, command))


def markdown(tables: Mapping[str, Sequence[Share]], facts: Mapping[str, Any], command: str) -> str:
    """The tables."""
    lines = ["# Bidding by example: a case base", "", f"`{command}`", "", _HOW.format(**facts)]
    for name, rows in tables.items():
        cases = any(row.cases is not None for row in rows)
        lines += [f"## {name}", ""]
        if cases:
            lines += [f"Nodes with fewer than {SPARSE} cases are merged with the others of their strength.", ""]
        head = ["", *(["cases"] if cases else []), "calls", "right", "not passes", "right"]
        lines += [_cells(head), _cells(["---", *["---:"] * (len(head) - 1)])]
        lines += [_line(row, cases) for row in rows]
        lines.append("")
    return "\n".join(lines)


def _line(row: Share, cases: bool) -> str:
    (right, error), (bids, bids_error) = row.percent, row.percent_bids
    cells = [row.name, *([f"{row.cases:,}"] if cases else []), f"{row.asked:,}", f"{right:.1f} ± {error:.1f}"]
    cells += [f"{row.asked_bids:,}", f"{bids:.1f} ± {bids_error:.1f}" if row.asked_bids else ""]
    return _cells(cells)


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
