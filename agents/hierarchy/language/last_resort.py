"""The rules of last resort: the call of a player who may not pass, where no rule of the system has one.

They stand behind the general rules of every system. General rules never pass an auction that the side must go on with
(the word ``bound``); so one of these speaks where no other does.
"""

from __future__ import annotations

from dataclasses import replace

from agents.hierarchy.language.text import parse_system
from agents.hierarchy.language.tree import Block

_TEXT = """\
when bound, not ours                                       ; they came in: go on with a fit, or double
  lowest:x best:x, 8+ fit:x, 0-2 in-theirs, 0-3 theirs:x, 1-4 level
  lowest:x long:x, 6+ x, 0-1 in-theirs, 0-3 theirs:x, 1-4 level
  X
when bound                                                 ; partner waits
  lowest:M best:M, 8+ fit:M, 0-3 theirs:M
  lowest:N balanced, stopped, 1-3 level
  lowest:x best:x, 8+ fit:x, 0-3 theirs:x, 1-5 level
  lowest:x long:x, 5+ x, 0-3 theirs:x, 1-3 level
  lowest:x best:x, 7+ fit:x, 0-3 theirs:x, 1-4 level
  lowest:N
"""


def _numbered() -> tuple[Block, ...]:
    """The blocks, their lines with numbers below -1: they stand in no file, and -1 is no line at all."""
    out, number = [], -2
    for block in parse_system(_TEXT, "last resort").blocks:
        lines = tuple(replace(line, number=number - i) for i, line in enumerate(block.lines))
        out.append(replace(block, number=0, lines=lines))
        number -= len(lines)
    return tuple(out)


LAST_RESORT: tuple[Block, ...] = _numbered()
