"""Shorten learned rules: drop conditions that players would have to remember."""

from __future__ import annotations

from collections.abc import Iterator

from agents.hierarchy.changes.edits import Replace, new_lines, without_clause
from agents.hierarchy.changes.sayable import is_natural
from agents.hierarchy.language.tree import System


def plainer(before: System, after: System) -> Iterator[Replace]:
    """Edits that leave out, one by one, the conditions of the lines of ``after`` that ``before`` has not.

    The strength of the hand and the length of the suit that is bid stay: they are what a call says anyway.
    """
    for _, trail, line in new_lines(before, after):
        for at, clause in enumerate(line.constraint):
            if not is_natural(clause, line.path[-1].token):
                yield without_clause(trail, line, at, "without")
