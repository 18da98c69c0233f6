"""Name the conventions that a system plays by the notes of its lines, and leave some out.

A pair that plays Standard American without splinters and support doubles writes
``system:sayc?without=splinter+support``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from agents.systems.changes.simplify import without_empty
from agents.systems.language.tree import Line, System, pruned, rules_below, walk
from bridge_env.bidders.registry import SpecError

#: How notes say them. A convention that only one call of a system shows is played all the same.
CONVENTIONS = {
    "Bergen": r"Bergen",
    "cue-raise": r"cue bid: a raise",
    "Drury": r"Drury",
    "fourth-suit": r"fourth suit(?!: weak)",
    "Gerber": r"Gerber",
    "Jacoby": r"Jacoby",
    "Jordan": r"Jordan",
    "key-cards": r"one or four|none or three|two without the queen|two,? and the queen",
    "Lebensohl": r"Lebensohl",
    "Michaels": r"(?:Leaping )?Michaels",
    "negative": r"negative(?! and responsive)",
    "new-minor-forcing": r"new minor forcing",
    "responsive": r"responsive",
    "splinter": r"splinter",
    "Stayman": r"Stayman",
    "support": r"support\b",
    "Texas": r"Texas",
    "transfer": r"transfer",
    "unusual": r"unusual|both minors|the minors",
    "weak-Stayman": r"Stayman to pass",
}
_NOTES = {name: re.compile(pattern) for name, pattern in CONVENTIONS.items()}


def shows(note: str, convention: str) -> bool:
    """Return whether a note says that the call is such a convention."""
    return _NOTES[convention].match(note) is not None


def conventions_of(system: System) -> frozenset[str]:
    """Return the conventions that a system plays."""
    rules = (line for block in system.blocks for line in block.lines)
    notes = {line.note for line in (*walk(system.lines), *rules) if line.note and not line.after}
    return frozenset(name for name in CONVENTIONS if any(shows(note, name) for note in notes))


def without(system: System, names: Iterable[str]) -> System:
    """Return the system without the calls that are such conventions, and without what follows calls that went.

    Raises:
        SpecError: a name is no convention, or the system does not play it.
    """
    wanted, played = list(names), conventions_of(system)
    for name in wanted:
        if name not in CONVENTIONS:
            raise SpecError(f"{name!r} is no convention; there are {', '.join(CONVENTIONS)}")
        if name not in played:
            raise SpecError(f"{system.name} does not play {name}; it plays {', '.join(sorted(played))}")

    def left_out(line: Line) -> bool:
        return not line.after and any(shows(line.note, name) for name in wanted)

    left = pruned(system.lines, lambda _, line: left_out(line))
    unmade = {path for path, _ in rules_below(system.lines)} - {path for path, _ in rules_below(left)}
    left = pruned(left, lambda path, _: any(path[: n + 1] in unmade for n in range(len(path))))
    blocks = tuple(replace(b, lines=tuple(line for line in b.lines if not left_out(line))) for b in system.blocks)
    return without_empty(replace(system, lines=left, blocks=blocks))
