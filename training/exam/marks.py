"""Sit an exam: the calls of a bidder in its positions, and what they score."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.registry import system_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.library.conventions import CONVENTIONS, conventions_of, shows
from agents.text_api import calls, read_states
from bridge_env.bidders.registry import make
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import SEATS
from training.exam.positions import ALL, FULL, HALF, Exam, Position

_HEADERS = {
    "2/1": re.compile(r"two[ -]over[ -]one|\b2/1\b", re.IGNORECASE),
    "sayc": re.compile(r"standard american|\bsayc\b", re.IGNORECASE),
}


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
    notes = _notes(bidder, states) if isinstance(bidder, HierarchyBidder) else [None] * len(positions)
    answers = tuple(
        Answer(p, call, _meant(p, call, note)) for p, call, note in zip(positions, made, notes, strict=True)
    )
    return Paper(spec, key, exam.titles, answers)


def plays(spec: str) -> frozenset[str]:
    """Return the conventions of a bidder; all of them where it has no system."""
    hierarchy = system_of(spec)
    return frozenset(CONVENTIONS) if hierarchy is None else conventions_of(hierarchy.system)


def _notes(bidder: HierarchyBidder, states: Sequence[dict[str, object]]) -> list[str | None]:
    """Return the notes of the lines with which a system calls."""
    _, rules, _ = bidder.decide(read_states(states)[0])
    return [line.note if (line := bidder.own.line_of(int(rule))) else "" for rule in rules]


def _meant(position: Position, call: int, note: str | None) -> bool:
    must = position.convention(call)
    return must is None or note is None or shows(note, must)
