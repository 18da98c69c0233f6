"""The report of the study of 2008: the published figures beside ours, as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bridge_env.files import atomic_write
from studies.cases_2008.study import (
    PUBLISHED_BIDS,
    PUBLISHED_RIGHT,
    PUBLISHED_SIMILARITY,
    Table,
)

_HOW = """\
Openings of WBridge5 by the k most similar hands on record, each hand left out of its own case base; the majority's
call, in a tie that of the nearest. Similarity, of 100: 51 for the ratio of the high-card points, 9 for that of each
suit's lengths, 1 for each card in common (`similarity.py` of the study). Adapted, as CBridge1a: a bid in a longest
suit becomes a bid in this hand's longest suit, before the votes are counted. ± is one standard error, states taken as
independent. Passes: how often the k nearest pass. Similarity: the mean of all k. The published columns are CBridge1
and CBridge1a of Bellamy-McIntyre (2008), as far as they were at hand.
"""

_WHY = """\
## The published figures do not reproduce

The same similarity on WBridge5's calls is right {plain:.1f}% of the time at k = 1 and {adapted:.1f}% with adaptation,
not {published:.2f}% and {published_a:.2f}%; of the hands that should not pass, {bids:.1f}% at k = 20, not
{published_bids}%. The text of the study cannot be run, so why is a guess; two things point to one.

- **The cases' calls may not have been those of their hands.** If the calls of the first 2,091 are dealt out blindly
  among their hands, the same program gets {blind_1:.1f}% at k = 1, {blind_10:.1f}% at 10 and {blind_20:.1f}% at 20
  (±1.1), and passes nearly always where many vote: the published column's shape, a few points below it. A call read
  from the wrong seat or the wrong board, for most of the cases, would do that.
- **The neighbours were farther away than the nearest of 2,091 are.** Published: 85.20 at k = 1 and 76.20 at 20. Here
  {near_1:.2f} and {near_20:.2f}; {few}.
  So either few cases were compared, or hands were read faultily, which would explain both.
"""


def write(
    out: Path, found: Sequence[Table], blind: Sequence[float], few: Mapping[int, tuple[float, float]], command: str,
    manifest: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write ``README.md`` and ``results.json`` into ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    content = {
        "command": command, "manifest": dict(manifest), "tables": [asdict(table) for table in found],
        "calls of others": list(blind), "similarity among few": {str(n): pair for n, pair in few.items()},
    }  # fmt: skip
    atomic_write(out / "results.json", json.dumps(content, indent=1) + "\n")
    atomic_write(out / "README.md", markdown(found, blind, few, command))


def markdown(
    found: Sequence[Table], blind: Sequence[float], few: Mapping[int, tuple[float, float]], command: str
) -> str:
    """The tables, and what the difference may come from."""
    first = found[0]
    lines = ["# The study of 2008 again: openings by example", "", f"`{command}`", "", _HOW]
    for number, table in enumerate(found):
        lines += [*_table(table, published=number == 0), ""]
    last = len(first.rows)
    ten = min(10, last)
    far = "; ".join(f"with {n} cases {one:.1f} and {all_:.1f}" for n, (one, all_) in few.items())
    bids = 100 * first.rows[-1].right_bids[0] / max(first.bids, 1)
    lines.append(
        _WHY.format(
            plain=percent(first, 1, 0)[0], adapted=percent(first, 1, 1)[0], published=PUBLISHED_RIGHT[1][0],
            published_a=PUBLISHED_RIGHT[1][1], bids=bids, published_bids=PUBLISHED_BIDS, blind_1=blind[0],
            blind_10=blind[ten - 1], blind_20=blind[-1], near_1=first.rows[0].similarity,
            near_20=first.rows[-1].similarity, few=far,
        )
    )  # fmt: skip
    return "\n".join(lines)


def percent(table: Table, k: int, which: int) -> tuple[float, float]:
    """Percent right at k and its standard error; ``which`` 0 is plain, 1 adapted."""
    share = table.rows[k - 1].right[which] / table.states
    return 100 * share, 100 * float(np.sqrt(share * (1 - share) / table.states))


def _table(table: Table, published: bool) -> list[str]:
    head = (
        f"{table.states:,} states, {table.bids:,} of them not passes; two calls drawn blindly are the same in "
        f"{table.chance:.1f}%."
    )
    columns = ["k", *(["published 1 · 1a", "published similarity"] if published else [])]
    columns += ["right", "right, adapted", "not passes", "not passes, adapted", "similarity", "passes", "adapted"]
    lines = [f"## {table.name.capitalize()}", "", head, "", _cells(columns), _cells(["---:"] * len(columns))]
    for row in table.rows:
        right = [f"{p:.2f} ± {e:.2f}" for p, e in (percent(table, row.k, which) for which in (0, 1))]
        bids = [f"{100 * n / max(table.bids, 1):.2f}" for n in row.right_bids]
        cells = [str(row.k)]
        if published:
            both = PUBLISHED_RIGHT.get(row.k)
            similarity = PUBLISHED_SIMILARITY.get(row.k)
            cells.append(f"{both[0]:.2f} · {both[1]:.2f}" if both else "")
            cells.append(f"{similarity:.2f}" if similarity else "")
        cells += [*right, *bids, f"{row.similarity:.2f}", *(f"{n:,}" for n in row.passes)]
        lines.append(_cells(cells))
    return lines


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
