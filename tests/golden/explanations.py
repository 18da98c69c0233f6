"""What bidders of each kind say of their calls, at positions of matches."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.golden import entry
from tests.golden.digests import Case, Series


def _positions(count: int) -> list[dict[str, Any]]:
    """One position of each board that two bidders have bid, of calls 0 to 11."""
    result = entry.play("system:two-over-one", "policy:acol", count, 5)
    boards, table, found = result.boards, result.tables[0], []
    for row in range(count):
        calls = [int(call) for call in table.history[row] if call >= 0]
        at = row % min(len(calls), 12)
        dealer = int(boards.dealer[row])
        found.append({
            "hand": entry.hand_text(boards.owner[row] == (dealer + at) % 4),
            "dealer": entry.SEATS[dealer],
            "vulnerability": entry.VULNERABILITIES[boards.vulnerability[row]],
            "auction": [entry.call_text(call) for call in calls[:at]],
        })  # fmt: skip
    return found


def _by_fields(spec: str, count: int) -> dict[str, Any]:
    """The fields of a system's explanations, each a series of its own."""
    found = [entry.explanation_fields(spec, state) for state in _positions(count)]
    return {field: Series(one[field] for one in found) for field in found[0]}


def _undivided(spec: str, count: int) -> dict[str, Any]:
    return {"answers": Series(entry.explanation_fields(spec, state) for state in _positions(count))}


def _texts(spec: str, count: int) -> dict[str, Any]:
    """What a bidder says, without its figures of sampled deals, and of a look-ahead without what these deals tell:
    processors with AVX-512 round ``exp`` differently, which may draw other deals."""
    texts = (entry.explanation_text(spec, state).partition("\nthought ")[0] for state in _positions(count))
    return {"texts": Series(re.sub(r"[+-]?\d+\.\d+|\d+(?= deals)", "#", text) for text in texts)}


def _by_example(kind: str, count: int) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        spec = entry.small_files(Path(folder))[kind]
        return {"texts": Series(entry.explanation_text(spec, s).replace(spec, kind) for s in _positions(count))}


_SYSTEMS = ("sayc", "two-over-one", "champion", "polish", "precision", "acol")
_COUNTS = {
    "policy:wbridge5": 8, "pair:system:sayc,system:acol": 15, "pass": 30,
    "policy:champion": 5, "policy:by-the-book": 5, "reason:sayc?samples=16": 10, "reason:empty?samples=16": 5,
    "reason:policy:champion?samples=16&looks=1": 5,
}  # fmt: skip

CASES: dict[str, Case] = {
    **{f"system:{name}": partial(_by_fields, f"system:{name}", 25) for name in _SYSTEMS},
    **{f"more of system:{name}": partial(_undivided, f"system:{name}", 500) for name in _SYSTEMS[:2]},
    **{spec: partial(_texts, spec, count) for spec, count in _COUNTS.items()},
    **{kind: partial(_by_example, kind, 30) for kind in ("cases", "maps")},
}
SLOW = frozenset({f"more of system:{name}" for name in _SYSTEMS[:2]})
