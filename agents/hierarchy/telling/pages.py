"""Write the rows and titles of the notes of a printed book.

A note is the title of an auction and its rows, a row is a call with its conditions; what the deals showed of it stands
in brackets at its end::

    - **1NT-?** **2♣** 8+ HCP; 4♥ or 4♠; *Stayman, forcing, artificial* (24.9%: 8-15 HCP) · **Pass** else (23%)

Rows and notes stand in the order in which they are asked. General notes say behind their name when they speak.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.hierarchy.language.tree import Block, Constraint, Line, Step
from agents.hierarchy.telling.wording import call, promise, remark

NOTES, GENERAL = "## Notes by auction", "## Where no note has a call"
OPENING = "Opening"
NEXT_ROW, NEXT_NOTE = " · ", " — "
_P, _NAMELESS = "P", "Then"
_ALTERNATIVE, _SHARED, _ELSE = " / ", ": ", "else"


# --- rows --------------------------------------------------------------------------------------------------


def row(step: Step, lines: Sequence[Line], figures: str) -> str:
    """A call with its conditions: those of several lines, one or the other in turn.

    Args:
        figures: what was measured, without brackets; it begins with a share, or "never seen".
    """
    return f"**{call(step)}** {asked(lines)} ({figures})"


def asked(lines: Sequence[Line]) -> str:
    """Return what the lines of one call ask: first what all of them do, then one or the other; with names and force."""
    remarks = [_plain(remark(line)) for line in lines]
    shared = [clause for clause in lines[0].constraint if all(clause in line.constraint for line in lines)]
    if len(lines) == 1:
        shared = []
    alone = len(set(remarks)) == 1
    parts = [
        _promised(tuple(clause for clause in line.constraint if clause not in shared))
        + (f" ({said})" if said and not alone else "")
        for line, said in zip(lines, remarks, strict=True)
    ]
    text = _ALTERNATIVE.join(dict.fromkeys(parts))
    if shared:
        text = f"{promise(tuple(shared))}{_SHARED}{text}"
    return f"{text}; *{remarks[0]}*" if alone and remarks[0] else text


def _promised(constraint: Constraint) -> str:
    return promise(constraint) if constraint else _ELSE


def _plain(text: str) -> str:
    """A note without the signs that separate the parts of a row."""
    return text.translate(str.maketrans("()·—", "[],-", "*"))


# --- titles ------------------------------------------------------------------------------------------------


def auction_head(path: tuple[Step, ...]) -> str:
    """``**1M-(2x)-?**``; their passes go without saying."""
    return f"**{'-'.join([_P if step == Step(_P) else call(step) for step in path] + ['?']) if path else OPENING}**"


def general_head(block: Block) -> str:
    """``**Partner waits for an answer** *when partner forces us:*``."""
    about = _plain(block.note or " ".join(block.comments))
    name = about.partition(". ")[0].partition(": ")[0].rstrip(".:") or _NAMELESS
    return f"**{name[0].upper()}{name[1:]}** *when {promise(block.when)}:*"
