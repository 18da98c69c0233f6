"""Collect the positions in which scorecards may decide, with what every call to weigh there is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.compiled import FORM_CALLS
from agents.systems.engine.rule_order import write_call
from agents.systems.engine.shared_cache import shared_cache
from agents.systems.engine.state_cache import Queries
from agents.systems.language.constraints import parse_constraint
from agents.systems.language.paths import ANY_BID_FORMS, FORM_CODES, HIGHEST, HIGHEST_NOTRUMP
from agents.systems.language.tree import Score, System
from agents.systems.language.vocabulary import WORDS
from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS, PASS, parse_call
from training.evaluation.partnership_match import BoardRange, Partnership, Rival, seats_of
from training.evolution.refine.decisions import UNTRIED, DuelTable, play_out, preferences, tables_of
from training.evolution.refine.general import decided_rows
from training.evolution.scorecards.words import ACTIONS, SCALE, Scores, holds, situation_of, values

_ROWS = 65_536
MOST_TRIED = 5  # calls played out at a position, besides the rules'


@dataclass(frozen=True, eq=False)
class Positions:
    """Hold the calls to weigh, position after position."""

    position: NDArray[np.int32]  # (C,), of each call, rising from 0
    call: NDArray[np.int8]  # (C,)
    action: NDArray[np.int8]  # (C,), of ``words.ACTIONS``
    situation: NDArray[np.int8]  # (C,), of ``words.SITUATIONS``
    book: NDArray[np.bool_]  # (C,), is it the call that the rules would make?
    values: NDArray[np.int8]  # (C, terms), of ``words.TERMS``
    worth: NDArray[np.float32]  # (C,), IMPs over the rules' call, NaN where it was not played out
    preference: NDArray[np.float32]  # (C,), the log of a player's chance less that of the rules' call; NaN without

    def __len__(self) -> int:
        return int(self.position[-1]) + 1 if len(self.position) else 0


def joined(parts: Sequence[Positions]) -> Positions:
    """Return the positions of several parts."""
    begins = np.cumsum([0, *map(len, parts)])
    moved = [replace(p, position=p.position + at) for p, at in zip(parts, begins[:-1].astype(np.int32), strict=True)]
    return Positions(*(np.concatenate([getattr(p, field.name) for p in moved]) for field in fields(Positions)))


def cards_of(positions: Positions) -> NDArray[np.int64]:
    """Return the number of each call's card: int64 (C,)."""
    return positions.situation.astype(np.int64) * len(ACTIONS) + positions.action


def by_the_rules(system: System) -> System:
    """Return a system whose scorecards choose nothing: it reads calls as the system does, and calls by its rules."""
    return system.rebuilt(lambda line: [line if line.score is None else replace(line, score=Score(0))])


def collect(
    us: Partnership, them: Rival, board_range: BoardRange, judge: str | Scores = "", most: int = MOST_TRIED
) -> Positions:
    """Return the positions of ``us`` against ``them``, with ``most`` calls besides the rules' played out: the likeliest
    of ``judge``, the spec of a player by the book or the scores of other cards, else random ones.
    """
    chance = np.random.default_rng((board_range.seed, board_range.start))
    return joined([_of_table(table, judge, most, chance) for table in tables_of(us, them, board_range)])


class Weighed(NamedTuple):
    """Hold the positions of a table in which calls can be weighed."""

    board: NDArray[np.int64]  # (P,)
    number: NDArray[np.int64]  # (P,), of calls before
    rows: NDArray[np.int16]  # (P, NUM_COLUMNS), what the seat to call sees
    rules: NDArray[np.int64]  # (P,), the calls that the rules make
    action: NDArray[np.int8]  # (P, 38), of each call, -1 where it is not weighed
    before: NDArray[np.int8]  # (P, L), the calls before


def weighed_positions(table: DuelTable) -> Weighed:
    """Return the positions of a table in which scorecards count and have a card for the rules' call."""
    board, number, rows = decided_rows(table)
    contested = np.flatnonzero(situation_of(rows) >= 0)
    board, number, rows = board[contested], number[contested], rows[contested]
    legal, before = table.legal_calls(board, number)
    rules, action = _calls_by_rules(table, board, number), _actions(rows, before, legal)
    at = np.flatnonzero(action[np.arange(len(board)), rules] >= 0)  # elsewhere the rules decide
    return Weighed(board[at], number[at], rows[at], rules[at], action[at], before[at])


def _of_table(table: DuelTable, judge: str | Scores, most: int, chance: np.random.Generator) -> Positions:
    board, number, rows, rules, action, before = weighed_positions(table)
    at, weighed = np.arange(len(board)), action >= 0
    if not judge:
        weighed = _likeliest(chance.random(action.shape), weighed, rules, most)
    position, call = np.nonzero(weighed)
    slices = (slice(at, at + _ROWS) for at in range(0, len(position), _ROWS))
    parts = [_rows_of_calls(rows, before, rules, position[s], call[s]) for s in slices]
    counted = np.concatenate(parts) if parts else values(rows[:0], call[:0])
    situation, preference = situation_of(rows), np.full((len(board), NUM_CALLS), np.nan)
    if isinstance(judge, Scores):
        base, weight = judge.by_situation()
        card = situation[position], action[position, call]
        preference[position, call] = base[card] + np.einsum("ct,ct->c", counted, weight[card])
        preference /= SCALE
    elif judge and len(board):
        preference = preferences(judge, table, board, number)
    if judge and len(board):
        preference -= preference[at, rules][:, None]
    tried = _likeliest(preference, weighed, rules, most) if judge else weighed
    worth = play_out(table, board, number, tried).astype(np.float32)
    worth = np.where(worth == UNTRIED, np.nan, worth - worth[at, rules][:, None])
    return Positions(
        position.astype(np.int32), call.astype(np.int8), action[position, call], situation[position].astype(np.int8),
        call == rules[position], counted, worth[position, call].astype(np.float32),
        preference[position, call].astype(np.float32),
    )  # fmt: skip


def _likeliest(
    preference: NDArray[np.float64], weighed: NDArray[np.bool_], rules: NDArray[np.int64], most: int
) -> NDArray[np.bool_]:
    """Return the calls of the rules and those weighed that are preferred most, bool (N, 38)."""
    order = np.argsort(np.where(weighed, -preference, np.inf), axis=1)[:, :most]
    out = np.zeros_like(weighed)
    np.put_along_axis(out, order, True, axis=1)
    out &= weighed
    out[np.arange(len(out)), rules] = True
    return out


def _strain(call: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the suit of calls, 4 where they name none."""
    return np.where(call >= FIRST_BID, (call - FIRST_BID) % 5, 4)


def _calls_by_rules(table: DuelTable, board: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the calls that the rules would make at decisions, whatever scorecards made: int64 (N,)."""
    made = table.history[board, number].astype(np.int64)
    us = Partnership(by_the_rules(table.us.first), by_the_rules(table.us.second))
    if us == table.us or not len(board):
        return made
    boards = table.boards
    states, systems = shared_cache(seats_of(us, table.them, table.number))
    auctions = Auctions(boards.dealer[board], boards.vulnerability[board])
    history = np.ascontiguousarray(table.history[board])
    queries = Queries(table.features, board, auctions.state, history, number)
    return states.look(queries, systems)[0].astype(np.int64)


def _actions(rows: NDArray[np.int16], before: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return the action of each call, int8 (N, 38), -1 where it is not weighed."""
    out = np.full((len(rows), NUM_CALLS), -1, np.int8)
    last = np.maximum(before.max(axis=1, initial=0).astype(np.int64) - FIRST_BID, -1)
    for number, action in reversed(list(enumerate(ACTIONS))):  # of several that name a call the first counts
        _, _, suit = action.call.partition(":")
        conditions, highest = parse_constraint(action.conditions), HIGHEST_NOTRUMP if suit == "N" else HIGHEST
        if not suit:
            out[holds(conditions, rows, np.full(len(rows), 4)), parse_call(action.call)] = number
            continue
        for strain in [4] if suit == "N" else range(4):
            weighed = holds(conditions, rows, np.full(len(rows), strain))
            for form in ANY_BID_FORMS:
                call = FORM_CALLS[FORM_CODES[form], strain, last + 1].astype(np.int64)
                at = np.flatnonzero(weighed & (call >= FIRST_BID) & ((call - FIRST_BID) // 5 < highest))
                out[at, call[at]] = number
    out[rows[:, WORDS["bound"]] > 0, PASS] = -1  # no rule passes where the side must go on
    return np.where(legal, out, np.int8(-1))


def _rows_of_calls(
    rows: NDArray[np.int16], before: NDArray[np.int8], rules: NDArray[np.int64], position: NDArray[np.int64],
    call: NDArray[np.int64],
) -> NDArray[np.int8]:  # fmt: skip
    """Return the values of all terms for calls at positions, int8 (C, terms)."""
    out = rows[position].copy()
    last = np.maximum(before.max(axis=1, initial=0).astype(np.int64) - FIRST_BID, -1)[position]
    _write_calls(call, rules[position], last, out)
    return values(out, _strain(call))


@njit
def _write_calls(
    calls: NDArray[np.int64], rules: NDArray[np.int64], last_bids: NDArray[np.int64], rows: NDArray[np.int16]
) -> None:
    for i in range(len(rows)):
        write_call(calls[i], rules[i], last_bids[i], rows[i])
