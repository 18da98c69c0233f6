"""Vary a system at random: thresholds moved, rules loosened, split, merged, dropped, reordered, reflagged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from agents.systems.changes.card_variation import vary_card
from agents.systems.changes.edits import Edit, Replace, SwapLines, dropped, without_clause
from agents.systems.changes.mutation import Address, SeededRandom, Trail, moves, placed, with_atom
from agents.systems.language.text import atom_text, constraint_text
from agents.systems.language.tree import INFINITE, Atom, Line, Step, System, atoms_of

#: How often each kind of variation is tried, out of their sum; scorecards ignore the kind.
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
        return threshold_move(system, chance, usage)
    rules = [place for place in placed(system) if not place[2].after]
    address, trail, line = _by_usage(rules, chance, usage)
    if line.score is not None:
        return vary_card(system, address, trail, line, chance)
    below = (*address[:-1], int(address[-1]) + 1)
    return _varied(kind, trail, line, next((lower for at, _, lower in rules if at == below), None), chance)


def _by_usage(
    lines: Sequence[tuple[Address, Trail, Line]], chance: SeededRandom, usage: Mapping[int, int]
) -> tuple[Address, Trail, Line]:
    """Choose one of some lines, those that make more calls more often."""
    weights = (1.0 + np.array([usage.get(line.number, 0) for *_, line in lines])) ** 0.75
    return lines[chance.weighted(weights)]


def threshold_move(system: System, chance: SeededRandom, usage: Mapping[int, int]) -> Replace | None:
    """Move one threshold of one line by a step; None where nothing can move. ``usage`` as for ``vary``."""
    candidates = [place for place in placed(system) if any(map(moves, atoms_of(place[2].constraint)))]
    if not candidates:
        return None
    _, trail, line = _by_usage(candidates, chance, usage)
    spots = [
        ((c, t, a), atom)
        for c, clause in enumerate(line.constraint)
        for t, alternative in enumerate(clause)
        for a, atom in enumerate(alternative)
        if moves(atom)
    ]
    at, old = spots[chance.below(len(spots))]
    new = moves(old)[chance.below(len(moves(old)))]
    moved = replace(line, constraint=with_atom(line.constraint, at, new))
    return Replace(trail, line, (moved,), f"{line.name}: {atom_text(old)} -> {atom_text(new)}")


def _varied(kind: str, trail: Trail, line: Line, lower: Line | None, chance: SeededRandom) -> Edit | None:
    """Vary a line; ``lower`` is the rule next below it, if there is one."""
    match kind:
        case "loosen" if line.constraint:
            return without_clause(trail, line, chance.below(len(line.constraint)))
        case "split":
            return _split(trail, line, chance)
        case "drop" if not line.lines and (line.name != "P" or line.constraint):  # another line may fit no hand
            return dropped(trail, line)
        case "reorder" if lower is not None:
            return SwapLines(trail, line, lower, f"{lower.name} before {line.name}")
        case "flag":
            flag = ("forcing", "invite", "gf")[chance.below(3)]
            flags = tuple(f for f in line.flags if f != flag) if flag in line.flags else (*line.flags, flag)
            what = f"{line.name}: {'no longer' if flag in line.flags else 'now'} {flag}"
            return Replace(trail, line, (replace(line, flags=flags),), what)
        case "merge" if lower is not None and lower.path == line.path and not (line.lines or lower.lines):
            shared = tuple(clause for clause in line.constraint if clause in lower.constraint)
            what = f"{line.name}: one rule with {constraint_text(shared) or 'any hand'}"
            return Replace(trail, line, (replace(line, constraint=shared),), what)
    return None


def _split(trail: Trail, line: Line, chance: SeededRandom) -> Replace:
    """Let some of a line's hands make a neighbouring call instead."""
    atom = _SPLITS[chance.below(len(_SPLITS))]
    call = _neighbour(line.path[-1], chance)
    path, narrower = (*line.path[:-1], call), (*line.constraint, ((atom,),))
    other = Line(path, narrower, line.flags if call.token not in ("P", "X") else ())
    what = f"{line.name}: {call} with {constraint_text((((atom,),),))}"
    return Replace(trail, line, (other, line), what)


def _neighbour(step: Step, chance: SeededRandom) -> Step:
    """Draw another call in place of ``step``: a level up or down, pass, double, or no trump."""
    form, _, name = step.token.partition(":")
    if name:
        options = [f"{other}:{name}" for other in ("lowest", "jump") if other != form] + ["P", "X", "lowest:N"]
    elif form[0].isdigit():
        level = int(form[0])
        options = [f"{lv}{form[1:]}" for lv in (level - 1, level + 1) if 1 <= lv <= 5] + ["P", f"{level}N"]
    else:
        options = ["P", "X"]
    return Step([o for o in options if o != step.token][chance.below(len(options) - (step.token in options))])
