"""Write papers as text: scores by area, and wrong answers."""

from __future__ import annotations

from collections.abc import Sequence

from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from training.exam.marks import Answer, Paper
from training.exam.positions import ALL, FULL

_KEYS = {ALL: "either key", "sayc": "Standard American (sayc)", "2/1": "two over one (2/1)"}


def scores_text(papers: Sequence[Paper]) -> str:
    """Return a table for each set of positions: percent of the points by area and bidder."""
    sets: dict[tuple[str, ...], list[Paper]] = {}
    for paper in papers:
        sets.setdefault((paper.key, *(answer.position.where for answer in paper.answers)), []).append(paper)
    return "\n\n".join(_table(mine) for mine in sets.values())


def _table(papers: Sequence[Paper]) -> str:
    first = papers[0]
    areas = first.areas()
    rows = [(first.titles[area], *_figures(papers, area)) for area in areas]
    rows.append(("all areas", *_figures(papers, None)))
    best = [f"{100 * paper.marks().best / paper.marks().positions:.1f}" for paper in papers]
    rows.append(("best call made", str(first.marks().positions), *best))
    head = ("area", "positions", *(paper.spec for paper in papers))
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [_line(row, widths) for row in [head, *rows]]
    rule = "-" * len(lines[0])
    title = f"{_KEYS[first.key]}: {first.marks().positions} positions, percent of the points"
    return "\n".join([title, "", lines[0], rule, *lines[1 : len(areas) + 1], rule, *lines[len(areas) + 1 :]])


def _figures(papers: Sequence[Paper], area: str | None) -> list[str]:
    return [str(papers[0].marks(area).positions), *(f"{100 * paper.marks(area).share:.1f}" for paper in papers)]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
    return "  ".join(cells)


def wrong_text(paper: Paper) -> str:
    """Return every position that did not get all points, by area."""
    lines = [f"{paper.spec}: {len(paper.wrong())} of {len(paper.answers)} answered otherwise"]
    for area in paper.areas():
        wrong = paper.wrong(area)
        if wrong:
            lines += ["", f"{paper.titles[area]} ({len(wrong)})", ""]
            lines.append("\n".join(_answer_text(answer) for answer in wrong))
    return "\n".join(lines)


def _answer_text(answer: Answer) -> str:
    position = answer.position
    accepted = ", ".join(
        call_text(call)
        + (f" as {must}" if (must := position.convention(call)) else "")
        + ("" if points == FULL else f" ({points} of {FULL})")
        for call, points in position.answers
    )
    got = f" ({answer.points} of {FULL})" if answer.points else ""
    setting = f"{SEATS[position.dealer]} deals, {VULNERABILITIES[position.vulnerability].lower()} vulnerable"
    return (
        f"  {position.hand:<17}  {position.said or 'first to call'}  [{setting}; {position.where}]\n"
        f"      called {call_text(answer.call)}{got}; accepted {accepted}: {position.reason}"
    )
