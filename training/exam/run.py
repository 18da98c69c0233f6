"""Let bidders sit an exam: a config in, their papers out, with tables of scores and lists of wrong answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge_env.rules.calls import PASS, call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from training.exam.marks import Answer, Paper, sit
from training.exam.positions import ALL, FULL, read_exam, textbook
from training.runtime.pages import text_table

if TYPE_CHECKING:
    import pandas as pd

_KEYS = {ALL: "either system's answers", "sayc": "Standard American (sayc)", "2/1": "two over one (2/1)"}


@dataclass(frozen=True)
class ExamConfig:
    """The bidders, and the exam that they sit."""

    specs: Sequence[str]  # the bidders
    key: str | None = None  # ``sayc``, ``2/1`` or ``all``; None: the one that each bidder's system names
    areas: Sequence[str] = ()  # only these areas; empty: all
    files: Sequence[str | Path] = ()  # .exam files or folders of them; empty: the textbook's


@dataclass(frozen=True)
class ExamResult:
    """The papers of all bidders, in their order."""

    config: ExamConfig
    papers: tuple[Paper, ...]

    def __str__(self) -> str:
        return scores_text(self.papers)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each answer of each bidder."""
        return [{"spec": paper.spec, **answer.record()} for paper in self.papers for answer in paper.answers]

    def to_dataframe(self) -> pd.DataFrame:
        """Return ``rows`` as a data frame of pandas, which must be installed."""
        import pandas as pd  # optional

        return pd.DataFrame(self.rows())

    def record(self) -> dict[str, Any]:
        """Return scores and answers for JSON."""
        files = [str(path) for path in self.config.files or ["textbook"]]
        return {"exam": files, "papers": [paper.record() for paper in self.papers]}


def exam(config: ExamConfig) -> ExamResult:
    """Let bidders answer an exam, all four seats playing what each plays.

    Raises:
        ExamError: a file is no exam.
        SpecError: a spec names no bidder.
        ValueError: no such key or area, or the exam has no position for the key in these areas.
    """
    chosen = read_exam(config.files) if config.files else textbook()
    return ExamResult(config, tuple(sit(spec, chosen, config.key, config.areas) for spec in config.specs))


# --- in words -------------------------------------------------------------------------------------------------


def scores_text(papers: Sequence[Paper]) -> str:
    """Return a table for each set of positions: percent of the points by area and bidder."""
    sets: dict[tuple[str, ...], list[Paper]] = {}
    for paper in papers:
        sets.setdefault((paper.key, *(answer.position.where for answer in paper.answers)), []).append(paper)
    return "\n\n".join(_table(mine) for mine in sets.values())


def _table(papers: Sequence[Paper]) -> str:
    first = papers[0]
    marks = [paper.marks() for paper in papers]
    rows = [[first.titles[area], *_figures(papers, area)] for area in first.areas()]
    rows.append(["all areas", *_figures(papers, None)])
    rows.append(
        ["best call, % of positions", str(marks[0].positions), *(f"{100 * m.best / m.positions:.1f}" for m in marks)]
    )
    head, *lines = text_table(["area", "positions", *(paper.spec for paper in papers)], rows)
    rule = "-" * len(head)
    title = f"{_KEYS[first.key]}: {marks[0].positions} positions, percent of the points"
    return "\n".join([title, "", head, rule, *lines[:-2], rule, *lines[-2:]])


def _figures(papers: Sequence[Paper], area: str | None) -> list[str]:
    return [str(papers[0].marks(area).positions), *(f"{100 * paper.marks(area).share:.1f}" for paper in papers)]


def wrong_text(paper: Paper) -> str:
    """Return every position that did not get all points, by area."""
    lines = [f"{paper.spec}: {len(paper.wrong())} of {len(paper.answers)} answers without full points"]
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
    auction = " ".join("P" if call == PASS else call_text(call) for call in position.auction)
    setting = f"{SEATS[position.dealer]} deals, {VULNERABILITIES[position.vulnerability].lower()} vulnerable"
    return (
        f"  {position.hand:<17}  {auction or 'first to call'}  [{setting}; {position.where}]\n"
        f"      called {call_text(answer.call)}{got}; accepted {accepted}: {position.reason}"
    )
