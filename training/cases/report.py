"""Reports of case bases, as Markdown and JSON: what one gets right on held-out boards, what it gains by retaining."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from agents.cases.base import UNTRIED, CaseBase
from agents.cases.bidder import CaseBidder
from agents.cases.experience import CLEARLY, ENOUGH, STATES
from bridge_env.files import atomic_write
from training.cases.judge import Share
from training.match.boards import library_boards, standard_error
from training.match.duplicate import match
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

_RETAINED = """\
The base bid training boards against `{opponents}`, at both tables, and kept {states:,} states in which some of the
retrieved cases spoke for another call. Each such call was made once, everyone going on as they would, and scored with
exact tricks: {tried:,} calls, worth {mean:+.2f} IMPs on average against the call made, {better:.0f}% of them better.
Where at least {enough} of the {near} nearest such states tried a call and it gained by {clearly} standard errors, it
now takes the place of the voted one.

Judged on {boards:,} judging boards (seed {seed}, dealer and vulnerability by board number), the same for both; ± is one
standard error.
"""

Mean = tuple[float, float]
"""A mean and its standard error."""


def write_results(out: Path, content: Mapping[str, Any], page: str) -> None:
    """Write ``results.json`` and ``README.md`` into ``out``."""
    atomic_write(out / "results.json", json.dumps(content, indent=1) + "\n")
    atomic_write(out / "README.md", page)


def write(
    out: Path, rows: Sequence[Share], facts: Mapping[str, Any], command: str, manifest: Mapping[str, Any]
) -> None:
    content = {
        "command": command, "manifest": dict(manifest), "facts": dict(facts),
        "by round and side": [asdict(row) for row in rows],
    }  # fmt: skip
    write_results(out, content, markdown(rows, facts, command))


def markdown(rows: Sequence[Share], facts: Mapping[str, Any], command: str) -> str:
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


def gain_of(before: CaseBase, after: CaseBase, opponents: str, count: int, seed: int) -> dict[str, Mean]:
    """IMPs a board of both bases against the opponents on the same judging boards, and of their difference."""
    boards = library_boards(count, seed)
    first, last = (match(CaseBidder(base), opponents, boards, seed).imps for base in (before, after))
    told = {"before": first, "after": last, "gain": last - first}
    return {name: (float(imps.mean()), standard_error(imps, boards.base)) for name, imps in told.items()}


def write_retained(
    out: Path, after: CaseBase, found: Mapping[str, Mean], match: Mapping[str, Any], command: str,
    manifest: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write the report of what was retained into ``out``.

    Args:
        found: from ``gain_of``; match: its ``opponents``, ``seed`` and ``boards``.
    """
    worth = after.retained.worth
    made = after.auction[after.retained.board, after.retained.number]
    known = worth != UNTRIED
    known[np.arange(len(worth)), made] = False
    tried = worth[known]
    facts = {
        **match, "states": len(worth), "tried": len(tried), "mean": float(tried.mean()) if len(tried) else 0.0,
        "better": 100 * float((tried > 0).mean()) if len(tried) else 0.0,
    }  # fmt: skip
    lines = ["# A case base retains its own boards", "", f"`{command}`", ""]
    lines += [_RETAINED.format(enough=ENOUGH, near=STATES, clearly=CLEARLY, **facts)]
    cells = ((name, f"{mean:+.3f} ± {error:.3f}") for name, (mean, error) in found.items())
    lines += [*table((f"against `{facts['opponents']}`", "IMPs a board"), cells), ""]
    content = {"command": command, "manifest": dict(manifest), "facts": facts, "imps": dict(found)}
    write_results(out, content, "\n".join(lines))
