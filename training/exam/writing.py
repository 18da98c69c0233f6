"""Write positions as the text of an exam, which ``positions`` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bridge_env.calls import call_text
from bridge_env.cards import SEATS, VULNERABILITIES
from training.exam.positions import ALL, FULL, Position


def exam_text(positions: Iterable[Position], titles: Mapping[str, str], comment: str = "") -> str:
    """Return the text of an exam: a line for each position, under its area.

    Args:
        titles: of every area of ``positions``.
        comment: a line that stands above all.
    """
    by_area: dict[str, list[Position]] = {}
    for position in positions:
        by_area.setdefault(position.area, []).append(position)
    out = [f"# {line}" for line in comment.splitlines()]
    for area, mine in by_area.items():
        out += [f"area: {area}  {titles[area]}", *map(_line, mine)]
    return "\n".join(out) + "\n"


def _line(position: Position) -> str:
    setting = f"{VULNERABILITIES[position.vulnerability].lower()} {SEATS[position.dealer]}"
    if position.key != ALL:
        setting += f" {position.key}"
    setting += "".join(f" +{name}" for name in position.needs)
    said = " ".join("P" if call == 0 else call_text(call) for call in position.auction) or "-"
    answers = ", ".join(_answer(position, call, points) for call, points in position.answers)
    reason = position.reason.replace("|", "/")
    return f"{setting} | {said} | {position.hand} | {answers} | {reason}"


def _answer(position: Position, call: int, points: int) -> str:
    must = position.convention(call)
    text = call_text(call) if must is None else f"{call_text(call)} [{must}]"
    return text if points == FULL else f"{text} {points}"
