"""Check a bidding system: find all its faults at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import chain
from operator import and_
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.audit import audit_system
from agents.systems.bidder import Hierarchy
from agents.systems.engine.compiled import (
    EXACT_CALL,
    RULE_CALL,
    RULE_END,
    RULE_LINE,
    Alternatives,
    AtomRow,
    Compiled,
    clauses_of,
    first_general_rule,
)
from agents.systems.engine.compiler import compile_leniently
from agents.systems.engine.rule_order import conditions_of, rules_of
from agents.systems.language.columns import KIND
from agents.systems.language.files import GENERAL_FILE
from agents.systems.language.text import constraint_text, load_system, parse_leniently, read_leniently
from agents.systems.language.tree import Block, Constraint, Line, Step, System, place_of, walk
from agents.systems.language.vocabulary import CONTEXT, NUM_COLUMNS, WORDS
from agents.systems.library.shipped import with_general
from bridge_env.hands.features import BY_SHAPE, HCP_AND_SHAPE, LENGTH, NUM_FEATURES
from bridge_env.rules.calls import FIRST_BID, level_of
from bridge_env.sampling.constraints import ALL_POINTS, MOST_POINTS, points_between, shape_features

_Points = NDArray[np.uint64]  # (shapes,), of each its points, a bit each
_LEVEL, _LONG = WORDS["level"], range(WORDS["long:C"], WORDS["long:S"] + 1)
_MAY_PASS = ((((WORDS["bound"], 0, 0),),),)  # the condition of a line that passes with every hand


@dataclass(frozen=True, order=True)
class Finding:
    """A fault or a note about one line of a file."""

    line: int
    text: str
    fault: bool = True  # the system cannot be used so; else it only says something that its writer may not mean
    file: str = ""  # of the line, if not the system's own file


def check_system(path: Path) -> list[Finding]:
    """List the faults of the system in a file, in the order of its lines.

    Raises:
        SystemTextError: the file cannot be read.
    """
    return _findings(*read_leniently(path))


def check_text(text: str, name: str = "unnamed") -> list[Finding]:
    """List the faults of a system's text, as ``check_system`` does with a file."""
    return _findings(*parse_leniently(text, name, name))


def sound_findings(path: Path, tick: Callable[[int, int], None] | None = None) -> list[Finding]:
    """List the unsound lines of the system in a file and its general rules (``agents.systems.audit``).

    Args:
        tick: gets how many of all positions are done.

    Raises:
        SystemTextError: the text is faulty.
        SpecError: so are the general rules.
    """
    own = load_system(path)
    system = with_general(own)
    general_file = "" if own.blocks else str(GENERAL_FILE)
    out = []
    for (general, number), text in audit_system(Hierarchy(system), tick):
        line = system.line(general, number)
        assert line is not None
        found = _about(line, text)
        out.append(replace(found, file=found.file or general_file) if general else found)
    return sorted(out)


def _about(line: Line | Block, text: str, fault: bool = True) -> Finding:
    if line.source is None:
        return Finding(line.number, text, fault)
    return Finding(line.source[1], text, fault, str(line.source[0]))


def _findings(system: System, faults: list[tuple[int, str]]) -> list[Finding]:
    found = [Finding(number, text) for number, text in faults]
    found += [_about(line, text, False) for line, text in _out_of_turn(system.lines, _SILENCE)]
    compiled, more = compile_leniently(system)
    found += [_about(fault.line, fault.reason) for fault in more if fault.line is not None]
    found += _never_reached(system, compiled)
    found += [_about(line, why, fault=False) for line, why in _unfit_lines(system, compiled)]
    return sorted(set(found))


class _Heard(NamedTuple):
    """The end of an auction: its last passes, unwritten ones among them."""

    opened: bool = False
    passes: int = 0
    theirs: bool = False  # made the last call that is written


_SILENCE = _Heard()


def _out_of_turn(lines: tuple[Line, ...], before: _Heard) -> Iterator[tuple[Line, str]]:
    """Yield lines of the tree that no auction comes to, or that count in other auctions than they seem to."""
    for line in lines:
        heard, why = before, ""
        for step in line.path:
            heard, why = _after(heard, step)
            if why:
                yield line, f"{why}: {line.name!r}"
                break
        if not why:
            yield from _out_of_turn(line.lines, heard)


def _after(heard: _Heard, step: Step) -> tuple[_Heard, str]:
    """Return the auction after one more call, and the fault that the call brings; empty for none."""
    opened, passes, theirs = heard
    if opened and step.theirs and theirs:
        return heard, "no auction comes to this line: between two calls of theirs stands one of ours, as in (1H)-P-(2C)"
    if opened and not step.theirs and not theirs:
        passes += 1  # theirs, which goes without saying
    if opened and passes > 2:
        return heard, "no auction comes to this line: it is over after three passes, theirs in between among them"
    if step.token == "P":
        return _Heard(opened, passes + 1, step.theirs), ""
    if not opened and passes:
        why = "passes before the opening count for nothing, so this line counts in every seat; ask for '3+ position'"
        return heard, why
    return _Heard(True, 0, step.theirs), ""


def _never_reached(system: System, compiled: Compiled) -> Iterator[Finding]:
    """Yield lines that no hand comes to: in every position the lines before them take the same hands, or all."""
    shadows: dict[int, tuple[int, bool]] = {}
    reached: set[int] = set()
    for node in range(len(compiled.children)):
        seen: dict[tuple[object, ...], int] = {}
        for rule in rules_of(compiled, node):
            key = clauses_of(compiled, *conditions_of(compiled, rule))  # empty where it takes every hand
            number = int(compiled.rules[rule, RULE_LINE])
            before = seen.get((), seen.get(key))
            passes = seen.get(_MAY_PASS)
            if before not in (None, number):
                shadows.setdefault(number, (int(before), False))
            elif passes not in (None, number):
                shadows.setdefault(number, (int(passes), True))
            else:
                reached.add(number)
                seen.setdefault(key, number)
    for number, (before, passes) in shadows.items():
        if number not in reached:
            line, earlier = system.by_number[number], system.by_number[before]
            same = line.name == earlier.name
            place = place_of(earlier)
            why = f"this line stands in {place} already" if same else f"{place} takes every hand before it"
            if passes and not same:
                why += ", unless its player must not pass"
            yield _about(line, f"no hand comes to this line: {why}: {line.name!r}", fault=False)


# --- lines that no hand fits ------------------------------------------------------------------------------------------
# By the points that hands of every shape can have. A condition on anything else, such as stoppers or the auction, may
# hold. So a finding is certain, but a line without one may be impossible all the same: ``check --sound`` tries hands.


_MOST_IN_SUIT = np.array([0, 4, 7, 9, *[10] * 10])  # points in a suit of so many cards


@lru_cache(maxsize=1)
def _shapes() -> tuple[NDArray[np.int64], _Points]:
    """Return the columns of all shapes, (S, NUM_COLUMNS), and the points that they can have."""
    _, features = shape_features()
    rows = np.zeros((len(features), NUM_COLUMNS), np.int64)
    rows[:, :NUM_FEATURES] = features
    lengths = rows[:, LENGTH : LENGTH + 4]
    rows[:, _LONG] = lengths == lengths.max(axis=1, keepdims=True)
    most = np.minimum(_MOST_IN_SUIT[lengths].sum(axis=1), MOST_POINTS)
    return rows, points_between(np.zeros_like(most), most)


def _may_meet(atom: AtomRow, level: int) -> _Points | np.uint64:
    """Return with which points hands of each shape may meet an atom; ``level`` is 0 where the auction decides it."""
    column, low, high = atom
    if column == _LEVEL:
        return ALL_POINTS if not level or low <= level <= high else np.uint64(0)
    if column in CONTEXT or (column >= NUM_FEATURES and column not in _LONG):
        return ALL_POINTS
    value = _shapes()[0][:, column]
    if KIND[column] == HCP_AND_SHAPE:
        return points_between(low - value, high - value)
    return np.where((value >= low) & (value <= high), ALL_POINTS, 0) if KIND[column] == BY_SHAPE else ALL_POINTS


def _possible(clauses: Sequence[Alternatives], level: int) -> _Points:
    """Return with which points hands of each shape may meet the clauses of a call."""
    out = _shapes()[1].copy()
    for clause in clauses:
        alternatives = np.zeros_like(out)
        for alternative in clause:
            alternatives |= reduce(and_, (_may_meet(atom, level) for atom in alternative), ALL_POINTS)
        out &= alternatives
    return out


def _read_as(constraint: Constraint) -> str:
    """Return the conditions with brackets that show how ``,`` and ``or`` were read."""
    return " and ".join(f"({constraint_text((clause,))})" for clause in constraint)


def _fits(compiled: Compiled) -> list[_Points]:
    """Return with which points hands of each shape may fit each rule."""
    known = dict[tuple[int, int, int], _Points]()
    keys = []
    for form, call, _, first, end in compiled.rules[:, : RULE_END + 1].tolist():
        key = first, end, level_of(call) if form == EXACT_CALL and call >= FIRST_BID else 0
        keys.append(key)
        if key not in known:
            known[key] = _possible(clauses_of(compiled, first, end), key[2])
    return [known[key] for key in keys]


def _unfit_lines(system: System, compiled: Compiled) -> Iterator[tuple[Line, str]]:
    """Iterate over every line of the system that no hand fits in any auction, with the reason."""
    fits, numbers = _fits(compiled), compiled.rules[:, RULE_LINE].tolist()
    alone = {number for number, mask in zip(numbers, fits, strict=True) if mask.any()}  # lines that a hand can fit
    after = set(numbers[first_general_rule(compiled) :])  # that it can fit after its own earlier calls
    anybody = _shapes()[1]
    waiting = [(0, anybody, anybody)]  # node, what the player to call and partner can hold
    while waiting:
        node, mine, partners = waiting.pop()
        calls = dict[int, _Points]()
        for rule in rules_of(compiled, node):
            call, mask = int(compiled.rules[rule, RULE_CALL]), fits[rule]
            if (mask & mine).any():
                after.add(numbers[rule])
            calls[call] = calls[call] | mask if call in calls else mask
        for theirs, call in np.argwhere(compiled.children[node] >= 0).tolist():
            child = int(compiled.children[node, theirs, call])
            if theirs:
                waiting.append((child, mine, partners))
            else:
                left = mine & calls.get(call, anybody)  # where none is left, that line has a note of its own
                waiting.append((child, partners, left if left.any() else anybody))
    known = set(numbers)
    for line in chain(walk(system.lines), *(block.lines for block in system.blocks)):
        if line.after or not line.constraint or line.number not in known:
            continue
        if line.number not in alone:
            yield line, f"no hand fits this line, which reads {_read_as(line.constraint)}"
        elif line.number not in after:
            why = "no hand that has called as this line's auction says fits it: it asks"
            yield line, f"{why} {_read_as(line.constraint)}"
