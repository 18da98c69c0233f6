"""The report of a fitted case base: what it gets right on held-out boards, as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bridge_env.files import write_whole
from training.cases.hierarchy import ENOUGH, LEVELS, Node
from training.cases.judge import Share

_HOW = """\
{cases:,} cases of {boards:,} boards; judged on the {held_boards:,} boards ({held:,} calls) of the files whose deals
are in the judging split (a hash of the deal's canonical form). The base holds none of these boards, and the similarity
did not learn from them. Right: the recorded call. ± is one standard error, with calls taken as independent.
"""
_METRIC = """\
{similarity} The {k} nearest cases vote.
"""
_BY_POINTS = "A metric learned from these cases{also} measures similarity."
_BY_LEAVES = """\
Cases are similar if they reach the same leaves of decision trees. {trees} trees for openings, and as many for other
calls, were grown on these cases. They split on the hand, the auction and the coordinates of a metric, learned from
these cases{also}."""
_SPEED = """\
A look-up takes {alone:.2f} ms alone and {batched:.2f} ms in batches. Among {many:,} cases (this base and cases
like its own) it takes {many_alone:.2f} ms alone and {many_batched:.2f} ms in batches. All {left_out:,} cases, each left
out in turn, take {left_out_seconds:.0f} s ({right:.1f}% right, of calls from which the similarity did learn).
"""


_NODES = """\
A hand's node is the finest one with at least {enough} cases. The levels are: shape, longest suit and strength; shape
and strength; kind of shape and strength; strength alone. Right: the share of held-out openings that the whole base
calls as recorded, and the share by the node's own cases alone. Filled: the number of openings of `{system}` added on
sampled deals, as many in each shape and strength as are missing; and the share right with them.
"""


def write(
    out: Path, table: Sequence[Share], nodes: Sequence[Node], facts: Mapping[str, Any], command: str,
    manifest: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write ``README.md`` and ``results.json`` into ``out``."""
    content = {
        "command": command, "manifest": dict(manifest), "facts": dict(facts),
        "by round and side": [asdict(row) for row in table], "nodes": [asdict(node) for node in nodes],
    }  # fmt: skip
    write_whole(out / "results.json", json.dumps(content, indent=1) + "\n")
    write_whole(out / "README.md", markdown(table, nodes, facts, command))


def markdown(table: Sequence[Share], nodes: Sequence[Node], facts: Mapping[str, Any], command: str) -> str:
    """The tables."""
    lines = ["# Bidding by example: a case base", "", f"`{command}`", "", _HOW.format(**facts)]
    if facts.get("alone") is not None:
        told = f", after {sum(facts['also']):,} calls of others" if facts.get("also") else ""
        right = 100 * facts["left_out_right"] / facts["left_out"]
        similarity = (_BY_LEAVES if facts.get("trees") else _BY_POINTS).format(also=told, trees=facts.get("trees"))
        lines += [_METRIC.format(similarity=similarity, k=facts["k"]) + _SPEED.format(right=right, **facts)]
    lines += ["## By round and by side", ""]
    head = ["", "calls", "right", "not passes", "right"]
    lines += [_cells(head), _rule(head), *(_line(row) for row in table), ""]
    if nodes:
        lines += ["## Openings by shape and strength", "", _NODES.format(enough=ENOUGH, system="system:sayc")]
        head = ["", "cases", "held out", "right, whole base", "own cases", "filled", "with these"]
        lines += [_cells(head), _rule(head), *(_node(node) for node in nodes), *_by_level(nodes), ""]
    return "\n".join(lines)


def _line(row: Share) -> str:
    (right, error), (bids, bids_error) = row.percent, row.percent_bids
    cells = [row.name, f"{row.asked:,}", f"{right:.1f} ± {error:.1f}"]
    return _cells([*cells, f"{row.asked_bids:,}", f"{bids:.1f} ± {bids_error:.1f}" if row.asked_bids else ""])


def _node(node: Node) -> str:
    right = [f"{100 * n / node.asked:.1f}" for n in (node.right_whole, node.right_own, node.right_filled)]
    with_these = [f"{node.filled:,}", right[2]] if node.filled else ["", ""]
    return _cells([node.name, f"{node.cases:,}", f"{node.asked:,}", *right[:2], *with_these])


def _by_level(nodes: Sequence[Node]) -> list[str]:
    """The sums of all nodes, and of each level."""
    groups = [("all nodes", list(nodes))]
    groups += [(f"all of: {words}", [n for n in nodes if n.level == level]) for level, words in enumerate(LEVELS)]
    out = []
    for name, some in groups:
        if some:
            sums = (sum(getattr(n, what) for n in some) for what in (
                "cases", "filled", "asked", "right_whole", "right_own", "right_filled"))  # fmt: skip
            out.append(_node(Node(0, f"**{name}**", *sums)))
    return out


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _rule(head: Sequence[str]) -> str:
    return _cells(["---", *["---:"] * (len(head) - 1)])
