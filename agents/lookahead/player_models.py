"""Describe the other players to a reasoner: what their calls show, and whether they bid on."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from agents.systems.bidder import Hierarchy
from agents.systems.language.text import parse_system
from agents.systems.language.tree import System

#: What a seat's calls show: what its system says, that they were the best it saw, or nothing.
BY_SYSTEM, AS_BEST, NOTHING = "system", "best", "nothing"


class PlayerModel(NamedTuple):
    """How a player calls."""

    inference: str = BY_SYSTEM  # BY_SYSTEM, AS_BEST or NOTHING
    active: bool = True  # it may bid again; else the look-ahead has it pass
    doubles: bool = False  # it doubles every contract from 2NT up


#: The trivial bidders: their ways, and systems that bid like them (of ``random`` nobody knows; it is taken to pass).
TRIVIAL = {
    "pass": PlayerModel(NOTHING, active=False),
    "random": PlayerModel(NOTHING, active=False),
    "doubler": PlayerModel(NOTHING, active=False, doubles=True),
}


@lru_cache(maxsize=8)
def trivial(name: str) -> Hierarchy:
    """Return a system that calls as the trivial bidder ``name`` does."""
    if TRIVIAL[name].doubles:
        text = "when not ours, 3-7 last-level or 2 last-level and last-notrump\n  X"
        return Hierarchy(parse_system(text, name=name))
    return Hierarchy(System(name))
