"""Explain a choice by scorecards: the sum of each call, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.engine.compiled import END_TERM, FIRST_TERM, RULE_BASE, Compiled, atom_of, clauses_of
from agents.systems.engine.rule_order import call_of, cards_that_count, conditions_of, holds, rules_of, write_call
from agents.systems.explain.player_terms import clause_text, of_call, symbols, term_text
from agents.systems.explain.position import Position
from agents.systems.language.tree import Line

_NAMED = 3  # parts of a sum that are named, the largest first


@dataclass(frozen=True)
class Sum:
    """The sum of a call by a scorecard."""

    call: int
    total: int
    start: int
    parts: tuple[tuple[str, int], ...]  # what the hand or the auction has, in a player's terms, and its points
    line: Line

    def __str__(self) -> str:
        largest = sorted(self.parts, key=lambda part: -abs(part[1]))[:_NAMED]
        named = [f"{text} {points:+d}" for text, points in largest]
        parts = [
            *([f"{self.start:+d}"] if self.start and named else []),
            *named,
            *(["…"] if len(self.parts) > _NAMED else []),
        ]
        return symbols(f"{of_call(self.call)} {self.total}") + (f" ({', '.join(parts)})" if parts else "")


def sums_of(position: Position, hand: NDArray[np.int16]) -> list[Sum]:
    """Return the sums of all calls that are weighed, the highest first; empty where no scorecards count, or none weighs
    the call of the rules, which is made then.

    Args:
        hand: int16 (NUM_FEATURES,), of the seat to call.
    """
    pool, row = position.compiled, position.row(hand)
    book = position.call_by_rules(row)
    block = cards_that_count(pool, 0, row)
    cards = rules_of(pool, block) if block >= 0 else range(0)
    found = sorted(_sums(position, cards, row, book), key=lambda one: (-one.total, one.call != book))
    return found if any(one.call == book for one in found) else []


def _sums(position: Position, cards: range, row: NDArray[np.int16], book: int) -> Iterator[Sum]:
    pool, weighed = position.compiled, set[int]()
    for card in cards:
        rule = pool.rules[card]
        call = int(call_of(pool, card, position.last_bid))
        if call < 0 or call in weighed or not position.view.mask[0, call]:
            continue
        write_call(call, book, position.last_bid, row)
        if not holds(pool, *conditions_of(pool, card), row):
            continue
        weighed.add(call)
        parts = tuple(_parts(pool, pool.terms[rule[FIRST_TERM] : rule[END_TERM]].tolist(), row))
        start = int(rule[RULE_BASE])
        line = position.bidder.own.line_of(card)
        assert line is not None
        yield Sum(call, start + sum(points for _, points in parts), start, parts, line)


def _parts(pool: Compiled, terms: list[list[int]], row: NDArray[np.int16]) -> Iterator[tuple[str, int]]:
    """Yield what each term (its points, word, word that is taken away, clause) adds, if it adds anything."""
    for points, word, less, clause in terms:
        if clause < 0:
            count = int(row[word]) - (int(row[less]) if less >= 0 else 0)
            if points * count:
                names = [atom_of(column, 0, 0).word for column in (word, less) if column >= 0]
                yield term_text(count, *names), points * count
        elif points and holds(pool, clause, clause + 1, row):
            (alternatives,) = clauses_of(pool, clause, clause + 1)
            clause_of = tuple(tuple(atom_of(*atom) for atom in alternative) for alternative in alternatives)
            yield symbols(clause_text(clause_of)), points
