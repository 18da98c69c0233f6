"""Sit an exam: the calls of bidders in its positions, what they score, and tables of that."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.registry import system_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.library.conventions import CONVENTIONS, conventions_of, shows
from agents.text_api import calls, read_states
from bridge_env.bidders.registry import make
from bridge_env.rules.calls import PASS, call_text, parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from training.exam.positions import ALL, FULL, HALF, Exam, Position, read_exam, textbook
from training.runtime.pages import text_table
from training.runtime.runs import to_dataframe

_HEADERS = {
    "2/1": re.compile(r"two[ -]over[ -]one|\b2/1\b", re.IGNORECASE),
    "sayc": re.compile(r"standard american|\bsayc\b", re.IGNORECASE),
}
_KEYS = {ALL: "either system's answers", "sayc": "Standard American (sayc)", "2/1": "two over one (2/1)"}


def key_of(spec: str) -> str:
    """Return the key of a bidder, by its system's name and header; ``all`` if they name none or both."""
    hierarchy = system_of(spec)
    if hierarchy is None:
        return ALL
    header = " ".join((hierarchy.system.name, *hierarchy.system.comments))
    named = [key for key, pattern in _HEADERS.items() if pattern.search(header)]
    return named[0] if len(named) == 1 else ALL


@dataclass(frozen=True)
class Answer:
    """A position, and the call that a bidder made in it."""

    position: Position
    call: int
    meant: bool = True  # the call shows what the key says that it must, or that is unknown

    @property
    def points(self) -> int:
        """Return the points of the call: half at most if it does not show what it must."""
        points = self.position.points(self.call)
        return points if self.meant else min(points, HALF)

    def record(self) -> dict[str, Any]:
        """Return position, call and points for JSON."""
        position = self.position
        return {
            "area": position.area,
            "where": position.where,
            **position.state,
            "seat": SEATS[position.seat],
            "key": position.key,
            "call": call_text(self.call),
            "points": self.points,
            "meant": self.meant,
            "accepted": {call_text(call): points for call, points in position.answers},
            "reason": position.reason,
        }


@dataclass(frozen=True)
class Marks:
    """The total score of some positions."""

    positions: int
    points: int
    best: int

    @property
    def share(self) -> float:
        """Return the share of all possible points, 0..1."""
        return self.points / (FULL * self.positions)

    def record(self) -> dict[str, Any]:
        """Return the score for JSON."""
        return {**asdict(self), "percent": round(100 * self.share, 2)}


@dataclass(frozen=True)
class Paper:
    """The answers of one bidder."""

    spec: str
    key: str  # the key of the answers
    titles: dict[str, str]  # title of each area, in the order of the exam
    answers: tuple[Answer, ...]  # one for each position, in the order of the exam

    def marks(self, area: str | None = None) -> Marks:
        """Return the score of an area (default: all areas)."""
        mine = [a for a in self.answers if area in (None, a.position.area)]
        return Marks(len(mine), sum(a.points for a in mine), sum(a.points == FULL for a in mine))

    def areas(self) -> list[str]:
        """Return the areas with positions."""
        return [area for area in self.titles if any(a.position.area == area for a in self.answers)]

    def wrong(self, area: str | None = None) -> list[Answer]:
        """Return the answers that did not get all points."""
        return [a for a in self.answers if a.points < FULL and area in (None, a.position.area)]

    def record(self) -> dict[str, Any]:
        """Return scores and answers for JSON."""
        return {
            "spec": self.spec,
            "key": self.key,
            "all": self.marks().record(),
            "areas": {area: {"title": self.titles[area], **self.marks(area).record()} for area in self.areas()},
            "answers": [answer.record() for answer in self.answers],
        }


def sit(
    spec: str,
    exam: Exam,
    key: str | None = None,
    areas: Sequence[str] | None = None,
    conventions: Collection[str] | None = None,
) -> Paper:
    """Let a bidder answer an exam, as one batch, all four seats playing what it plays.

    Args:
        key: ``sayc``, ``2/1`` or ``all`` (default: as ``key_of`` says).
        areas: these alone (default all).
        conventions: that the bidder plays (default: those of its system, as ``plays`` says).

    Raises:
        SpecError: the spec names no bidder.
        ValueError: no such key or area, or the exam has no position for the key in these areas.
    """
    key = key or key_of(spec)
    positions = exam.select(key, areas, plays(spec) if conventions is None else conventions)
    if not positions:
        raise ValueError(f"the exam has no position there for {key}")
    bidder = make(spec, partner=spec, opponents=spec)
    states = [position.state for position in positions]
    made = [parse_call(call) for call in calls(bidder, states)]
    notes: list[str | None] = [None] * len(positions)  # of the lines with which a system calls
    if isinstance(bidder, HierarchyBidder):
        lines = map(bidder.own.line_of, bidder.decide(read_states(states)[0])[1].tolist())
        notes = [line.note if line else "" for line in lines]
    musts = [position.convention(call) for position, call in zip(positions, made, strict=True)]
    meant = [must is None or note is None or shows(note, must) for note, must in zip(notes, musts, strict=True)]
    return Paper(spec, key, exam.titles, tuple(map(Answer, positions, made, meant)))


def plays(spec: str) -> frozenset[str]:
    """Return the conventions of a bidder; all of them where it has no system."""
    hierarchy = system_of(spec)
    return frozenset(CONVENTIONS) if hierarchy is None else conventions_of(hierarchy.system)


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

    def to_dataframe(self) -> Any:
        """Return ``rows`` as a pandas DataFrame."""
        return to_dataframe(self.rows())

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
