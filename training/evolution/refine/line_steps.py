"""Find changes of a system's lines by one step, and value them all by the same play-outs.

A decision lies near a line if one step would change it: the line's bound moved by one, or the line left out. Which
other call the seat would then make follows from the rules alone. So each decision needs one or two play-outs, and
their worth, summed over all decisions that lie near, values each of thousands of changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
from agents.systems.changes.edits import Edit, Replace, dropped, without_clause
from agents.systems.changes.mutation import Trail, moves, placed, with_atom
from agents.systems.engine.compiled import ATOM_COLUMN, ATOM_HI, ATOM_LO, FIRST, RULE_LINE
from agents.systems.engine.queries import write_features
from agents.systems.engine.rule_order import (
    conditions_of,
    context_of,
    holds,
    legal_call,
    rule_groups,
    rules_of,
    within,
    write_level,
)
from agents.systems.engine.state_cache import Queries, StateCache
from agents.systems.engine.states import engine_at
from agents.systems.language.text import atom_text, constraint_text
from agents.systems.language.tree import Line, System
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import Auctions, row_turn
from bridge_env.rules.calls import NUM_CALLS, PASS, first_calls
from training.evaluation.partnership_match import BoardRange, Partnership, Rival, seats_of
from training.evolution.refine.decisions import BATCH, DuelTable, Index, play_out, preferences, tables_of

# The kinds of changes: an atom's bound moves, a clause is left out, or the line is.
LEAST_DOWN, LEAST_UP, MOST_DOWN, MOST_UP, WITHOUT_CLAUSE, WITHOUT_LINE = range(6)
_WIDTH = 16  # clauses, alternatives and atoms that a key can number
_MOST = 96  # changes that a decision may lie near; later ones are left out


@dataclass(frozen=True)
class LineStep:
    """Name a change of one line by one step."""

    line: int  # its number in the text
    kind: int  # one of the six above
    clause: int = 0  # the place; 0 where the kind has no such place
    alternative: int = 0
    atom: int = 0


class StepGain(NamedTuple):
    """Hold the gain of a step in play-outs, as sums over the decisions that it alters."""

    gain: int  # IMPs against the calls made
    squares: int  # of these
    decisions: int
    preferred: int = 0  # decisions at which a player prefers the new call

    @property
    def errors(self) -> float:
        """Return the gain in standard errors."""
        return self.gain / math.sqrt(max(self.squares, 1))


@njit
def _key(line, kind, clause, alternative, atom):
    return (((line * _WIDTH + clause) * _WIDTH + alternative) * _WIDTH + atom) * 8 + kind


def _step(key: int) -> LineStep:
    key, kind = divmod(key, 8)
    key, atom = divmod(key, _WIDTH)
    key, alternative = divmod(key, _WIDTH)
    line, clause = divmod(key, _WIDTH)
    return LineStep(line, kind, clause, alternative, atom)


@njit
def _fails(pool, alternative, f):
    """Return the number of atoms of an alternative that fail, and the last of them."""
    count, last = 0, -1
    for atom in within(pool.alternatives, alternative):
        value = f[pool.atoms[atom, ATOM_COLUMN]]
        if value < pool.atoms[atom, ATOM_LO] or value > pool.atoms[atom, ATOM_HI]:
            count += 1
            last = atom
    return count, last


@njit
def _loosened(pool, rule, f, keys, found):
    """Write the steps that would let a rule that fails in one clause apply."""
    first, end = conditions_of(pool, rule)
    failing = -1
    for clause in range(first, end):
        if not holds(pool, clause, clause + 1, f):
            if failing >= 0:
                return found
            failing = clause
    line, place = pool.rules[rule, RULE_LINE], failing - first
    if place < _WIDTH and found < len(keys):
        keys[found] = _key(line, WITHOUT_CLAUSE, place, 0, 0)
        found += 1
    for alternative in within(pool.clauses, failing):
        count, atom = _fails(pool, alternative, f)
        if count != 1:
            continue
        value, which = f[pool.atoms[atom, ATOM_COLUMN]], alternative - pool.clauses[failing, FIRST]
        at = atom - pool.alternatives[alternative, FIRST]
        if max(place, which, at) >= _WIDTH or found == len(keys):
            continue
        if value == pool.atoms[atom, ATOM_LO] - 1:
            keys[found] = _key(line, LEAST_DOWN, place, which, at)
            found += 1
        elif value == pool.atoms[atom, ATOM_HI] + 1:
            keys[found] = _key(line, MOST_UP, place, which, at)
            found += 1
    return found


@njit
def _tightened(pool, rule, f, keys, found):
    """Write the steps that would keep a rule that applies from applying."""
    first, end = conditions_of(pool, rule)
    line = pool.rules[rule, RULE_LINE]
    if found < len(keys):
        keys[found] = _key(line, WITHOUT_LINE, 0, 0, 0)
        found += 1
    for clause in range(first, end):
        holding, alternatives = -1, 0
        for alternative in within(pool.clauses, clause):
            count, _ = _fails(pool, alternative, f)
            if count == 0:
                holding = alternative
                alternatives += 1
        if alternatives != 1:
            continue
        which, place = holding - pool.clauses[clause, FIRST], clause - first
        for atom in within(pool.alternatives, holding):
            value, at = f[pool.atoms[atom, ATOM_COLUMN]], atom - pool.alternatives[holding, FIRST]
            if max(place, which, at) >= _WIDTH or found + 1 >= len(keys):
                continue
            if value == pool.atoms[atom, ATOM_LO]:
                keys[found] = _key(line, LEAST_UP, place, which, at)
                found += 1
            if value == pool.atoms[atom, ATOM_HI]:
                keys[found] = _key(line, MOST_DOWN, place, which, at)
                found += 1
    return found


@njit
def _still_holds(pool, rule, key, f):
    """Return whether a rule that holds goes on to hold after a step of its own line, which may have several rules."""
    kind = key % 8
    if kind == WITHOUT_LINE:
        return False
    atom, number, clause = key // 8 % _WIDTH, key // 8 // _WIDTH % _WIDTH, key // 8 // _WIDTH**2 % _WIDTH
    first, _ = conditions_of(pool, rule)
    changed = pool.clauses[first + clause, FIRST] + number
    for alternative in within(pool.clauses, first + clause):
        count, _ = _fails(pool, alternative, f)
        at = pool.alternatives[alternative, FIRST] + atom
        value = f[pool.atoms[at, ATOM_COLUMN]] if alternative == changed else 0
        edge = pool.atoms[at, ATOM_LO if kind == LEAST_UP else ATOM_HI] if alternative == changed else 1
        if count == 0 and value != edge:
            return True
    return False


@njit
def _fall_through(pool, rule, chosen, call, f, keys, calls, found):
    """Let ``rule`` call where a step keeps the chosen one before it from calling; return the number of steps left."""
    same, left = pool.rules[rule, RULE_LINE] == pool.rules[chosen, RULE_LINE], 0
    for k in range(found):
        if calls[k] < 0:
            if not same or _still_holds(pool, rule, keys[k], f):
                calls[k] = call
            else:
                left += 1
    return left


@njit
def _near(pool, system, t, keys, calls):
    """Write the steps that the decision at ``t`` lies near, and the calls they would make; return their number."""
    f, found, chosen, made = t.f, 0, -1, np.int64(PASS)
    for group in rule_groups(pool, t.place[row_turn(t.auction)], system):
        write_level(PASS, f)
        first, end = context_of(pool, group)
        if not holds(pool, first, end, f):
            continue
        for rule in rules_of(pool, group):
            call = legal_call(pool, rule, t.auction)
            if call < 0:
                continue
            write_level(call, f)
            first, end = conditions_of(pool, rule)
            if not holds(pool, first, end, f):
                if chosen < 0:
                    before = found
                    found = _without_known(keys, before, _loosened(pool, rule, f, keys, found))
                    calls[before:found] = call
            elif chosen >= 0:
                if not _fall_through(pool, rule, chosen, call, f, keys, calls, found):
                    return _without_same_call(keys, calls, found, made)
            else:
                chosen, made, before = rule, call, found
                found = _without_known(keys, before, _tightened(pool, rule, f, keys, found))
                calls[before:found] = -1
    for k in range(found):
        if calls[k] < 0:
            calls[k] = PASS
    return _without_same_call(keys, calls, found, made)


@njit
def _without_known(keys, before, found):
    """Remove new keys that are there already, of an earlier rule of the same line; return the number of keys."""
    count = before
    for k in range(before, found):
        known = False
        for j in range(before):
            known |= keys[j] == keys[k]
        if not known:
            keys[count] = keys[k]
            count += 1
    return count


@njit
def _without_same_call(keys, calls, found, made):
    """Keep the steps that make another call; return their number."""
    count = 0
    for k in range(found):
        if calls[k] != made:
            keys[count], calls[count] = keys[k], calls[k]
            count += 1
    return count


@njit
def find_steps(plan, systems, state_ids, start, hands, row_out, key_out, call_out):
    """Write the steps that decisions lie near from row ``start`` on: row, key and the call it makes of each; return
    their number, and the row from which on there was no room. ``systems`` int32 (4,) are of the seats, ``state_ids``
    int32 (N,) of the auctions before, ``hands`` int16 (N, NUM_FEATURES).
    """
    e = engine_at(plan)
    keys, others, written = np.empty(_MOST, np.int64), np.empty(_MOST, np.int64), 0
    for i in range(start, len(state_ids)):
        if written + _MOST > len(row_out):
            return written, i
        seat = write_features(e, np.int64(state_ids[i]), hands[i])
        for k in range(_near(e.pool, systems[seat], e.t, keys, others)):
            row_out[written], key_out[written], call_out[written] = i, keys[k], others[k]
            written += 1
    return written, len(state_ids)


def step_gains_task(
    us: Partnership, them: Rival, board_range: BoardRange, player: int, judge: str = ""
) -> dict[LineStep, StepGain]:
    """Return the gains of steps of the system of ``player`` on a range of boards; the preferences of ``judge``, the
    spec of a player by a book, are counted.
    """
    return sum_gains(table_gains(table, player, judge) for table in tables_of(us, them, board_range))


def sum_gains(parts: Iterable[Mapping[LineStep, StepGain]]) -> dict[LineStep, StepGain]:
    """Return the gains of steps over all parts."""
    out: dict[LineStep, StepGain] = {}
    for gains in parts:
        for step, gain in gains.items():
            out[step] = StepGain(*map(sum, zip(out[step], gain, strict=True))) if step in out else gain
    return out


def table_gains(table: DuelTable, player: int, judge: str = "") -> dict[LineStep, StepGain]:
    """Return the gains of steps at one table."""
    us, boards, decisions = table.us, table.boards, table.decisions()
    board, number = decisions.row, decisions.number
    if us.first != us.second:
        mine = ((boards.dealer[board] + number) & 3) >> 1 == player
        board, number = board[mine], number[mine]
    row, key, call = all_steps(table, board, number)
    tried = np.zeros((len(board), NUM_CALLS), np.bool_)
    tried[row, call] = True
    decided = np.flatnonzero(tried.any(axis=1))
    worth = np.zeros((len(board), NUM_CALLS), np.int8)
    for at in range(0, len(decided), BATCH):
        some = decided[at : at + BATCH]
        worth[some] = play_out(table, board[some], number[some], tried[some])
    gained = worth[row, call].astype(np.int64)
    distinct, which = np.unique(key, return_inverse=True)
    gain, squares = (np.bincount(which, values).astype(np.int64) for values in (gained, gained**2))
    count, preferred = np.bincount(which), np.zeros(len(distinct), np.int64)
    if judge:
        best = preferences(judge, table, board, number).argmax(axis=1)
        preferred = np.bincount(which, best[row] == call).astype(np.int64)
    return {
        _step(int(k)): StepGain(int(gain[i]), int(squares[i]), int(count[i]), int(preferred[i]))
        for i, k in enumerate(distinct)
    }


def all_steps(
    table: DuelTable, board: Index, number: Index
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows, keys and calls of all steps at decisions (N,), int64 (M,) each."""
    us, boards = table.us, table.boards
    auctions = Auctions(boards.dealer[board], boards.vulnerability[board])
    calls = np.ascontiguousarray(first_calls(table.history[board], number))
    queries = Queries(table.features, board.astype(np.int64), auctions.state, calls, number.astype(np.int64))
    hands = table.features[board, queries.seat]
    # Ours are compiled anew: the cache may hold them with other numbers of lines.
    own = {system: Hierarchy(system) for system in {us.first, us.second}}
    seats = [own.get(seat.system, seat) for seat in seats_of(us, table.them, table.number)]
    distinct = list(dict.fromkeys(seats))
    states, systems = StateCache(distinct), np.array([distinct.index(seat) for seat in seats], np.int32)
    found: list[tuple[NDArray[np.int64], ...]] = []
    size = max(8 * len(number), _MOST)
    with states.lock:
        for part, state_ids in states.find(queries, systems):
            done = 0
            while done < len(state_ids):
                outs = tuple(np.empty(size, np.int64) for _ in range(3))
                written, done = find_steps(states.plan, systems, state_ids, done, hands[part], *outs)
                found.append((outs[0][:written] + part.start, outs[1][:written], outs[2][:written]))
    row, key, call = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return row, key, call


def step_edits(system: System, gains: Mapping[LineStep, StepGain]) -> Iterator[tuple[Edit, StepGain]]:
    """Yield the steps that can be made, as edits, with their gains."""
    lines = {line.number: (trail, line) for _, trail, line in placed(system)}
    for change, gain in gains.items():
        if change.line not in lines:
            continue  # a rule of last resort, which is in no system's text
        trail, line = lines[change.line]
        if change.clause < max(len(line.constraint), 1) and (edit := _edit(trail, line, change)) is not None:
            yield edit, gain


def _edit(trail: Trail, line: Line, change: LineStep) -> Edit | None:
    where = f"{'-'.join(trail)}: " if trail else ""
    if change.kind == WITHOUT_LINE:
        if line.lines or (line.name == "P" and not line.constraint):
            return None  # what follows would go with it; or nothing might fit some hand
        return dropped(trail, line, where)
    if not line.constraint:
        return None  # conditions beyond its text, such as not to pass where the side must go on, stay
    if change.kind == WITHOUT_CLAUSE:
        return without_clause(trail, line, change.clause, where=where)
    at = change.clause, change.alternative, change.atom
    old = line.constraint[at[0]][at[1]][at[2]]
    step = {LEAST_DOWN: (-1, 0), LEAST_UP: (1, 0), MOST_DOWN: (0, -1), MOST_UP: (0, 1)}[change.kind]
    new = replace(old, lo=old.lo + step[0], hi=old.hi + step[1])
    if new not in moves(old):
        return None
    what = f"{where}{line.name} {constraint_text(line.constraint)}: {atom_text(old)} -> {atom_text(new)}"
    return Replace(trail, line, (replace(line, constraint=with_atom(line.constraint, at, new)),), what)
