"""Report what a case base gains by retaining its own boards, on judging boards, as Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import UNTRIED, CaseBase
from agents.cases.bidder import CaseBidder
from agents.cases.experience import CLEARLY, ENOUGH, STATES
from bridge_env.files import write_whole
from training.match.boards import library_boards, standard_error
from training.match.match import play

_HOW = """\
The base bid training boards against `{opponents}`, at both tables, and kept {states:,} states in which some of the
retrieved cases spoke for another call. Each such call was made once, everyone going on as they would, and scored with
exact tricks: {tried:,} calls, worth {mean:+.2f} IMPs on average against the call made, {better:.0f}% of them better.
Where at least {enough} of the {near} nearest such states tried a call and it gained by {clearly} standard errors, it
now takes the place of the voted one.

Judged on {boards:,} judging boards (seed {seed}, dealer and vulnerability by board number), the same for both; ± is one
standard error.
"""


@dataclass(frozen=True)
class Verdict:
    """Matches on the same judging boards, before and after.

    Attributes:
        opponents, seed: whom against, and of the boards.
        before, after: int64 (N,), IMPs of the base.
        base: int64 (N,), which deal each board is an image of.
    """

    opponents: str
    seed: int
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    base: NDArray[np.int64]

    def mean(self, imps: NDArray[np.int64]) -> tuple[float, float]:
        """The mean and its standard error."""
        return float(imps.mean()), standard_error(imps, self.base)

    @property
    def gain(self) -> tuple[float, float]:
        """IMPs a board that retaining gained, and the standard error of the difference on the same boards."""
        return self.mean(self.after - self.before)


def verdict(before: CaseBase, after: CaseBase, opponents: str, count: int, seed: int) -> Verdict:
    """Both bases against the opponents on the same judging boards."""
    boards = library_boards(count, seed)
    results = [play(CaseBidder(base), opponents, boards, seed) for base in (before, after)]
    return Verdict(opponents, seed, results[0].imps, results[1].imps, boards.base)


def write(out: Path, after: CaseBase, found: Verdict, command: str, manifest: Mapping[str, Any]) -> None:
    """Write ``README.md`` and ``results.json`` into ``out``."""
    worth = after.retained.worth
    made = after.auction[after.retained.board, after.retained.number]
    known = worth != UNTRIED
    known[np.arange(len(worth)), made] = False
    tried = worth[known]
    rows = {name: found.mean(imps) for name, imps in (("before", found.before), ("after", found.after))}
    facts = {
        "opponents": found.opponents, "seed": found.seed, "boards": len(found.before), "states": len(worth),
        "tried": len(tried), "mean": float(tried.mean()) if len(tried) else 0.0,
        "better": 100 * float((tried > 0).mean()) if len(tried) else 0.0,
    }  # fmt: skip
    content = {"command": command, "manifest": dict(manifest), "facts": facts, "imps": {**rows, "gain": found.gain}}
    write_whole(out / "results.json", json.dumps(content, indent=1) + "\n")
    lines = ["# A case base retains its own boards", "", f"`{command}`", ""]
    lines += [_HOW.format(enough=ENOUGH, near=STATES, clearly=CLEARLY, **facts)]
    lines += [f"| against `{found.opponents}` | IMPs a board |", "| --- | ---: |"]
    lines += [
        f"| {name} | {mean:+.3f} ± {error:.3f} |" for name, (mean, error) in (*rows.items(), ("gain", found.gain))
    ]
    write_whole(out / "README.md", "\n".join([*lines, ""]))
