"""Draw what a match came to: the headline, its figures, and where the IMPs went."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bridge_env.html import framed, words_html
from bridge_env.render import SUIT_SYMBOLS
from training.match.board_text import figure, match_rows
from training.match.first_difference import Share
from training.match.report.charts import bar_svg, running_svg
from training.match.report.classes import ALIKE, NAMES, Classes, classes_of

if TYPE_CHECKING:
    from training.match.duplicate import MatchResult

_FAULTS, _LONGEST = 50, 500  # of a file that are told, and characters of one
_TWO = 2  # standard errors from level, from which on a match tells two teams apart


@lru_cache(maxsize=1)
def style() -> str:
    """The style of what this package draws; its rules reach nothing outside an element of class ``bridge``."""
    return Path(__file__).with_name("report.css").read_text(encoding="utf-8")


class Played(Protocol):
    """The play of a match, ``training.cardplay.result.PlayedMatch``, as far as a report tells of it."""

    def figures(self) -> list[tuple[str, str]]:
        """Its figures: name and value."""


def match_html(match: MatchResult, played: Played | None = None) -> str:
    """What a match came to, for notebooks: all but the boards."""
    parts = [headline_html(match, 3), figures_html(match, played), where_html(match, classes_of(match), level=4)]
    return framed(f'<div class="bridge-panel">{"".join(parts)}</div>', style())


def headline_html(match: MatchResult, level: int = 1) -> str:
    """Who played whom, IMPs a board with their error, and what that says; ``level`` is the heading's."""
    kind = "bridge-good" if match.mean_imps > 0 else "bridge-bad" if match.mean_imps < 0 else ""
    mean, _, error = figure(match.mean_imps, match.standard_error).partition(" ")
    won, lost = int((match.imps > 0).sum()), int((match.imps < 0).sum())
    return (
        f'<h{level} class="report-title">{escape(match.a)} <small>against</small> {escape(match.b)}</h{level}>'
        f'<p class="report-headline"><b class="{kind}">{mean}</b> {error} IMPs a board</p>'
        f"<p>{escape(_verdict(match))} A won {won:,} boards and lost {lost:,}; {len(match.imps) - won - lost:,} were "
        f"level. A is {escape(match.a)}, B is {escape(match.b)}.</p>"
    )


def _verdict(match: MatchResult) -> str:
    mean, error, boards = match.mean_imps, match.standard_error, len(match.imps)
    over = f"over {boards:,} board{'s' * (boards != 1)}"
    if not mean:
        return f"The teams are level {over}."
    who = f"{'A' if mean > 0 else 'B'} gained {abs(mean):.3f} IMPs a board {over}"
    if math.isnan(error) or not error:
        return f"{who}."
    away = abs(mean) / error
    if away < _TWO:
        return f"{who}. That is {away:.1f} standard errors from level: too little to tell the teams apart."
    return f"{who}, {away:.1f} standard errors from level."


def figures_html(match: MatchResult, played: Played | None = None) -> str:
    """The figures below the headline, and those of the play, as the command line tells them, but for the time taken."""
    rows = match_rows(match)[1:]
    if played is not None:
        rows += played.figures()
    rows = [row for row in rows if not row[0].startswith("seconds")]
    told = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in rows)
    faults = match.boards.problems
    lost = "".join(f"<li>{escape(fault[:_LONGEST])}</li>" for fault in faults[:_FAULTS])
    lost += f"<li>and {len(faults) - _FAULTS:,} more</li>" if len(faults) > _FAULTS else ""
    problems = f"<details><summary>Left out of the file</summary><ul>{lost}</ul></details>" if lost else ""
    return f'<dl class="report-figures">{told}</dl>{problems}'


def where_html(match: MatchResult, classes: Classes, kept: Collection[int] = (), level: int = 2) -> str:
    """Where the IMPs went, by the first call at which the two tables of a board differ.

    Args:
        match, classes: the match, and its boards by class.
        kept: numbers of boards that the page holds, to be linked.
        level: of the headings.
    """
    most = max([row.won for row in classes.rows] + [row.lost for row in classes.rows], default=0.0)
    rows = "".join(
        f'<tr><th scope="row">{escape(row.what)}</th><td>{bar_svg(row, most)}</td>'
        f"<td>{_mean(row)}</td><td>{row.boards:,}</td></tr>"
        for row in classes.rows
    )
    alike = int((classes.of_board == ALIKE).sum())
    return (
        _part("Where the IMPs went", level)
        + "<p>Each board counts for the first call at which its two tables differ. Up to there both went alike. Bars "
        "show what A gained (right) and lost (left), the mark the difference ± its standard error. "
        f"On {alike:,} boards {NAMES[ALIKE]}: they bring nothing.</p>"
        '<table class="report-where"><thead><tr><th scope="col">first difference</th><th scope="col">lost, gained</th>'
        '<th scope="col">IMPs a board</th><th scope="col">boards</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
        + _part("The running total", level)
        + f"<p>A's IMPs in all, board by board; {int(match.imps.sum()):+,} at the end.</p>{running_svg(match.imps)}"
        + _dearest(classes.calls, kept, level)
    )


def _part(title: str, level: int) -> str:
    return f'<h{level} class="report-part">{title}</h{level}>'


def _dearest(calls: list[Share], kept: Collection[int], level: int) -> str:
    """The pairs of calls that cost A most."""
    dear = [share for share in calls if share.mean < 0]
    if not dear:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{words_html(_symbols(share.what))}</th><td>{_mean(share)}</td><td>{share.boards:,}</td>'
        f"<td>{', '.join(_board(number, kept) for number in share.examples)}</td></tr>"
        for share in dear
    )
    return (
        _part("A's dearest calls", level)
        + '<table class="report-dearest"><thead><tr><th scope="col">A\'s call, and B\'s</th>'
        '<th scope="col">IMPs a board</th><th scope="col">boards</th><th scope="col">look at</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _symbols(what: str) -> str:
    """``1S`` at the end of words as ``1♠``: ``opening: 1C where they bid 1NT``."""
    words = []
    for word in what.split(" "):
        bid = len(word) == 2 and word[0] in "1234567" and word[1] in "CDHS"
        words.append(word[0] + SUIT_SYMBOLS["CDHS".index(word[1])] if bid else word)
    return " ".join(words)


def _board(number: int, kept: Collection[int]) -> str:
    return f'<a href="#board-{number}">{number}</a>' if number in kept else str(number)


def _mean(share: Share) -> str:
    return escape(figure(share.mean, share.error))
