"""The report of a fitted case base: what it gets right on held-out boards, as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bridge_env.files import write_whole
from training.cases.judge import Share
from training.running.pages import table

_HOW = """\
{cases:,} cases of {boards:,} boards; judged on the {held_boards:,} boards ({held:,} calls) of the files whose deals
are in the judging split (a hash of the deal's canonical form). The base holds none of these boards, and the similarity
did not learn from them. Right: the recorded call. ± is one standard error, with calls taken as independent.
"""
_SIMILARITY = """\
Cases are similar if they reach the same leaves of decision trees. {trees} trees for openings, and as many for other
calls, were grown on these cases. They split on the hand, the auction and the coordinates of a metric, learned from
these cases{also}. The {k} nearest cases vote.
"""
_SPEED = """\
A look-up takes {alone:.2f} ms alone and {batched:.2f} ms in batches. Among {many:,} cases (this base and cases
like its own) it takes {many_alone:.2f} ms alone and {many_batched:.2f} ms in batches. All {left_out:,} cases, each left
out in turn, take {left_out_seconds:.0f} s ({right:.1f}% right, of calls from which the similarity did learn).
"""


def write(
    out: Path, rows: Sequence[Share], facts: Mapping[str, Any], command: str, manifest: Mapping[str, Any]
) -> None:
    """Write ``README.md`` and ``results.json`` into ``out``."""
    content = {
        "command": command, "manifest": dict(manifest), "facts": dict(facts),
        "by round and side": [asdict(row) for row in rows],
    }  # fmt: skip
    write_whole(out / "results.json", json.dumps(content, indent=1) + "\n")
    write_whole(out / "README.md", markdown(rows, facts, command))


def markdown(rows: Sequence[Share], facts: Mapping[str, Any], command: str) -> str:
    """The tables."""
    lines = ["# Bidding by example: a case base", "", f"`{command}`", "", _HOW.format(**facts)]
    told = f", after {sum(facts['also']):,} calls of others" if facts["also"] else ""
    right = 100 * facts["left_out_right"] / facts["left_out"]
    lines += [_SIMILARITY.format(**{**facts, "also": told}) + _SPEED.format(right=right, **facts)]
    lines += ["## By round and by side", "", *shares(rows), ""]
    return "\n".join(lines)


def shares(rows: Sequence[Share]) -> list[str]:
    """How often calls are right, as a table."""
    cells = []
    for row in rows:
        (right, error), (bids, bids_error) = row.percent, row.percent_bids
        last = f"{bids:.1f} ± {bids_error:.1f}" if row.asked_bids else ""
        cells.append((row.name, f"{row.asked:,}", f"{right:.1f} ± {error:.1f}", f"{row.asked_bids:,}", last))
    return table(("", "calls", "right", "not passes", "right"), cells)
