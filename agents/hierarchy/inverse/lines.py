"""Which lines of a system can have made a call, whatever the hand: what a partner would say when asked about it.

The tree's lines come first, then those of the general rules whose context fits; ``engine.meaning.call_shows`` reads the
call by the tree's alone where it has any. What lines ask of the hand is told with the suits filled in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import HierarchyBidder
from agents.hierarchy.engine.asked import atom_of, clauses_of
from agents.hierarchy.engine.compiled import FLAG_BITS, RULE_FLAGS, RULE_LINE, Compiled
from agents.hierarchy.engine.context import new_state, write_context
from agents.hierarchy.engine.meaning import constraint_shows, reset
from agents.hierarchy.engine.walk import call_of, context_of, needs_of, parts, rules_of, write_level
from agents.hierarchy.explain import line_of
from agents.hierarchy.inverse.backwards import Moments, moments, state_before
from agents.hierarchy.language.columns import IS_CONTEXT
from agents.hierarchy.language.tree import INFINITE, Constraint, Line
from bridge_env.auction import LAST_BID, row_turn
from bridge_env.kernels import njit
from bridge_env.view import BidView

_ARTIFICIAL = FLAG_BITS["artificial"]
_MOST = 64  # rules of one call that are looked at


@dataclass(frozen=True)
class Telling:
    """A line that can have made a call."""

    line: Line  # as it stands in the system
    constraint: Constraint  # what it asks of the hand, suits filled in; what the auction alone decides is left out
    artificial: bool  # the line says so
    general: bool  # it is one of the general rules


@njit
def _rules(pool, system, moment, number, rules):  # type: ignore[no-untyped-def]
    """Write the rules that can have made call ``number`` to ``rules``: how many of the tree, and how many in all."""
    t = state_before(moment, number, new_state())
    seat, call, found = row_turn(t.auction), moment.calls[number], 0
    write_context(t, seat)
    write_level(call, t.f)
    node, tree = t.place[seat], 0
    for part in parts(pool, node, system):
        reset(t.out)
        first, end = context_of(pool, part)
        if not constraint_shows(pool, first, end, t.f, t.out, t.scratch[0], t.scratch[1]):
            continue
        for rule in rules_of(pool, part):
            if call_of(pool, rule, t.auction[LAST_BID]) != call or found == len(rules):
                continue
            reset(t.out)
            first, end = needs_of(pool, rule)
            if constraint_shows(pool, first, end, t.f, t.out, t.scratch[0], t.scratch[1]):
                rules[found] = rule
                found += 1
        if part == node:
            tree = found
    return tree, found


def lines_of_call(bidder: HierarchyBidder, view: BidView, call: int) -> list[Telling]:
    """The lines with which ``bidder``, the seat to call in the one row of ``view``, can make ``call``, in order.

    The hand of the view plays no part. Empty where no line makes the call.
    """
    pool, systems = bidder.seated(view)
    calls = np.append(view.history[0, : int(view.length[0])], call).astype(np.int8)
    table = moments(pool, systems[0], int(view.dealer[0]), int(view.vulnerability[0]), calls)
    return lines_at(bidder, pool, systems[0], table, len(calls) - 1)


def lines_at(
    bidder: HierarchyBidder, pool: Compiled, systems: NDArray[np.int32], table: Moments, number: int
) -> list[Telling]:
    """The same of call ``number`` of an auction that was followed; ``bidder`` sits where it was made."""
    seat = int(row_turn(table.auction[number]))
    system, rules = int(systems[seat]), np.empty(_MOST, np.int32)
    tree, count = _rules(pool, system, table, number, rules)
    out = []
    for place, rule in enumerate(rules[:count].tolist()):
        general = place >= tree
        line = line_of(bidder.own.system, general, int(pool.rules[rule, RULE_LINE]))
        artificial = bool(pool.rules[rule, RULE_FLAGS] & _ARTIFICIAL)
        out.append(Telling(line, _constraint(pool, rule), artificial, general))
    return out


def _constraint(pool: Compiled, rule: int) -> Constraint:
    """The clauses of a rule with their words, without those that the auction decides or that all hands meet."""
    first, end = needs_of(pool, rule)
    return tuple(
        tuple(tuple(atom_of(*atom) for atom in alternative) for alternative in clause)
        for clause in clauses_of(pool, int(first), int(end))
        if not all(IS_CONTEXT[column] or (lo <= 0 and hi >= INFINITE) for atoms in clause for column, lo, hi in atoms)
    )
