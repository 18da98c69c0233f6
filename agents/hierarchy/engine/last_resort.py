"""The rules of last resort: the call of a player who may not pass, where no rule of the system has one.

They are text beside the systems, ``last-resort.bidding``, and stand behind the general rules of every system. General
rules never pass an auction that the side must go on with (the word ``bound``); so one of these speaks where no other
does.
"""

from __future__ import annotations

from dataclasses import replace

from agents.hierarchy.language.files import LAST_RESORT_FILE
from agents.hierarchy.language.text import load_system
from agents.hierarchy.language.tree import Block


def _numbered() -> tuple[Block, ...]:
    """The blocks, their lines with numbers below -1: they are no lines of a system's own file, and -1 is no line."""
    out, number = [], -2
    for block in load_system(LAST_RESORT_FILE).blocks:
        lines = tuple(replace(line, number=number - i) for i, line in enumerate(block.lines))
        out.append(replace(block, number=0, lines=lines))
        number -= len(lines)
    return tuple(out)


LAST_RESORT: tuple[Block, ...] = _numbered()
