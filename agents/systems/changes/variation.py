"""Vary a system at random: thresholds moved, rules loosened, split, merged, dropped, reordered, reflagged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from agents.systems.changes.card_variation import vary_card
from agents.systems.changes.edits import Edit, Replace, SwapLines, dropped, without_clause
from agents.systems.changes.mutation import SeededRandom, Trail, addresses, by_usage, line_at, threshold_move, trail_of
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import INFINITE, Atom, Line, Step, System

#: How often each kind of variation is tried, out of their sum.
KINDS = {"threshold": 8, "loosen": 2, "split": 3, "drop": 2, "reorder": 2, "flag": 1, "merge": 1}
_SPLITS = (
    [Atom("hcp", lo, INFINITE) for lo in range(6, 18, 2)] + [Atom("hcp", 0, hi) for hi in range(5, 17, 2)]
    + [Atom(suit, lo, INFINITE) for suit in "CDHS" for lo in (4, 5, 6)]
    + [Atom(suit, 0, hi) for suit in "CDHS" for hi in (1, 2, 3)]
    + [Atom(flag, on, on) for flag in ("vul", "they-vul", "balanced") for on in (0, 1)] + [Atom("shortest", 0, 1)]
)  # fmt: skip


def vary(system: System, chance: SeededRandom, usage: Mapping[int, int]) -> Edit | None:
    """Make one random variation of ``system``, of a scorecard its scores; None if the line drawn does not allow it.

    Args:
        usage: calls made by each line number; lines that make more calls are chosen more often.
    """
    kind = list(KINDS)[chance.weighted(np.array(list(KINDS.values()), float))]
    if kind == "threshold":
        move = threshold_move(system, chance, usage)
        if move is None:
            return None
        address, constraint, what = move
        old = line_at(system, address)
        assert old is not None
        return Replace(trail_of(system, address), old, (replace(old, constraint=constraint),), what)
    address, line = by_usage([(a, line) for a, line in addresses(system) if not line.after], chance, usage)
    if line.score is not None:
        return vary_card(system, address, line, chance)
    lower = line_at(system, (*address[:-1], int(address[-1]) + 1))
    return _VARIATIONS[kind](trail_of(system, address), line, None if lower is None or lower.after else lower, chance)


def _loosen(trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    if not line.constraint:
        return None
    return without_clause(trail, line, chance.below(len(line.constraint)))


def _split(trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    """Let some of a line's hands make a neighbouring call instead."""
    atom = _SPLITS[chance.below(len(_SPLITS))]
    call = _neighbour(line.path[-1], chance)
    path, narrower = (*line.path[:-1], call), (*line.constraint, ((atom,),))
    other = Line(path, narrower, line.flags if call.token not in ("P", "X") else ())
    what = f"{line.name}: {call} with {constraint_text((((atom,),),))}"
    return Replace(trail, line, (other, line), what)


def _neighbour(step: Step, chance: SeededRandom) -> Step:
    """Draw another call in place of ``step``: a level up or down, pass, double, or no trump."""
    span, _, name = step.token.partition(":")
    if name:
        options = [f"{other}:{name}" for other in ("lowest", "jump") if other != span] + ["P", "X", "lowest:N"]
    elif span[0].isdigit():
        level = int(span[0])
        options = [f"{lv}{span[1:]}" for lv in (level - 1, level + 1) if 1 <= lv <= 5] + ["P", f"{level}N"]
    else:
        options = ["P", "X"]
    return Step([o for o in options if o != step.token][chance.below(len(options) - (step.token in options))])


def _drop(trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    if line.lines or (line.name == "P" and not line.constraint):
        return None  # what follows would go with it; or nothing might fit some hand
    return dropped(trail, line)


def _reorder(trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    if lower is None:
        return None
    return SwapLines(trail, line, lower, f"{lower.name} before {line.name}")


def _flag(trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    flag = ("forcing", "invite", "gf")[chance.below(3)]
    flags = tuple(f for f in line.flags if f != flag) if flag in line.flags else (*line.flags, flag)
    what = f"{line.name}: {'no longer' if flag in line.flags else 'now'} {flag}"
    return Replace(trail, line, (replace(line, flags=flags),), what)


def _merge(trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    """Make one line of two neighbouring ones with the same call, with the conditions that both have."""
    if lower is None or lower.path != line.path or line.lines or lower.lines:
        return None
    shared = tuple(clause for clause in line.constraint if clause in lower.constraint)
    what = f"{line.name}: one rule with {constraint_text(shared) or 'any hand'}"
    return Replace(trail, line, (replace(line, constraint=shared),), what)


#: Each takes a line's trail, the line, the rule next below it, if there is one, and chance.
_VARIATIONS: dict[str, Callable[[Trail, Line, Line | None, SeededRandom], Edit | None]] = {
    "loosen": _loosen, "split": _split, "drop": _drop, "reorder": _reorder, "flag": _flag, "merge": _merge,
}  # fmt: skip
