"""Gather what a match came to for its templates: headline, figures, where the IMPs went."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bridge_env.display.html import framed
from training.evaluation.first_difference import Differences, differences
from training.runtime.pages import figure, render, source

if TYPE_CHECKING:
    from training.evaluation.cardplay.result import PlayedMatch
    from training.evaluation.duplicate import MatchResult

_TWO = 2  # standard errors from level, from which on a match tells two teams apart


def match_html(match: MatchResult, played: PlayedMatch | None = None) -> str:
    """Return what a match came to, for notebooks: all but the boards."""
    return framed(render("match_panel.html", m=overview(differences(match), played)), source("page.css"))


def overview(found: Differences, played: PlayedMatch | None = None) -> dict[str, Any]:
    """Return the values of the templates: names, figures, shares of the kinds of calls."""
    match, shares = found.match, found.by_kind()
    rows = [*match.figures()[1:], *(played.figures() if played is not None else [])]
    mean, _, error = figure(match.mean_imps, match.standard_error).partition(" ")
    return {
        "a": match.a, "b": match.b, "mean": mean, "error": error, "verdict": _verdict(match),
        "kind": "bridge-good" if match.mean_imps > 0 else "bridge-bad" if match.mean_imps < 0 else "",
        "boards": len(match.imps), "won": int((match.imps > 0).sum()), "lost": int((match.imps < 0).sum()),
        "figures": [row for row in rows if not row[0].startswith("seconds")],  # the same match gives the same page
        "problems": match.boards.problems, "alike": len(match.imps) - len(found.board),
        "classes": shares, "most": max([max(row.won, row.lost) for row in shares], default=0.0),
        "calls": [row for row in found.by_calls() if row.mean < 0],
    }  # fmt: skip


def _verdict(match: MatchResult) -> str:
    mean, error, boards = match.mean_imps, match.standard_error, len(match.imps)
    over = f"over {boards:,} board{'s' * (boards != 1)}"
    if not mean:
        return f"The teams are level {over}."
    gain = f"{'A' if mean > 0 else 'B'} gained {abs(mean):.3f} IMPs a board {over}"
    if math.isnan(error) or not error:
        return f"{gain}."
    away = abs(mean) / error
    if away < _TWO:
        return f"{gain}. That is {away:.1f} standard errors from level: too little to tell the teams apart."
    return f"{gain}, {away:.1f} standard errors from level."
