"""Find what conditions show, read backwards: ranges over the hand, and what they add to those shown before."""

from __future__ import annotations

from agents.systems.engine.auction_state import SUIT
from agents.systems.engine.compiled import ATOM_COLUMN, ATOM_HI, ATOM_LO, FLAG_BITS
from agents.systems.engine.rule_order import within
from agents.systems.language.columns import EVERY_SUIT, IMPLIED, IMPLIES, IS_CONTEXT, PLUS, QUANTITIES, SHOWS, TOP
from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import FIRST_BID, PASS

_ARTIFICIAL = FLAG_BITS["artificial"]


@njit(forceinline=True)
def _narrow(out, quantity, lo, hi):
    out[quantity, 0] = max(out[quantity, 0], lo)
    out[quantity, 1] = min(out[quantity, 1], hi)


@njit(forceinline=True)
def _atom_shows(column, lo, hi, f, out):
    """Narrow ``out`` by what an atom says of the hand, as ``columns`` has it; False if the context contradicts it."""
    if IS_CONTEXT[column]:
        return lo <= f[column] <= hi
    shows = SHOWS[column]
    added = f[PLUS[column]] if PLUS[column] >= 0 else 0
    if shows >= 0:
        _narrow(out, shows, lo - added, hi - added)
    elif shows == EVERY_SUIT:
        for suit in range(SUIT, SUIT + 4):
            _narrow(out, suit, 0, hi)
    elif shows == IMPLIED and lo == 1:
        for q in range(QUANTITIES):
            _narrow(out, q, IMPLIES[column, q, 0], IMPLIES[column, q, 1])
    return True


@njit(forceinline=True)
def reset(out):
    """Let ``out`` be ranges that exclude no hand."""
    for q in range(QUANTITIES):
        out[q, 0], out[q, 1] = 0, TOP[q]


@njit(forceinline=True)
def copy(out, ranges):
    """Let ``out`` be other ranges."""
    for q in range(QUANTITIES):
        out[q, 0], out[q, 1] = ranges[q, 0], ranges[q, 1]


@njit(forceinline=True)
def unite(out, ranges, found):
    """Let ``out`` hold other ranges too; before anything was found, them alone."""
    if not found:
        copy(out, ranges)
        return
    for q in range(QUANTITIES):
        out[q, 0], out[q, 1] = min(out[q, 0], ranges[q, 0]), max(out[q, 1], ranges[q, 1])


@njit(forceinline=True)
def _possible(out):
    """Return whether a hand can lie in all ranges."""
    for q in range(QUANTITIES):
        if out[q, 0] > out[q, 1]:
            return False
    return True


@njit(forceinline=True)
def _narrower(out):
    """Return whether the ranges say anything at all."""
    for q in range(QUANTITIES):
        if out[q, 0] > 0 or out[q, 1] < TOP[q]:
            return True
    return False


@njit
def constraint_shows(pool, first, end, f, out, clause_out, together_out):
    """Narrow ``out`` to the ranges that the clauses imply; False if the context contradicts them."""
    for clause in range(first, end):
        found = False
        for alternative in within(pool.clauses, clause):
            reset(together_out)
            feasible = True
            for atom in within(pool.alternatives, alternative):
                column, lo, hi = pool.atoms[atom, ATOM_COLUMN], pool.atoms[atom, ATOM_LO], pool.atoms[atom, ATOM_HI]
                if not _atom_shows(column, lo, hi, f, together_out):
                    feasible = False
                    break
            if not feasible or not _possible(together_out):
                continue
            unite(clause_out, together_out, found)
            found = True
        if not found:
            return False
        for q in range(QUANTITIES):
            _narrow(out, q, clause_out[q, 0], clause_out[q, 1])
    return _possible(out)


@njit(forceinline=True)
def is_fully_explained(call, flags, out):
    """Return whether the rules so far explain a call, so that no later block matters."""
    if flags & _ARTIFICIAL:
        return True  # it means what its convention says: no natural rule explains it
    return call == PASS and not _narrower(out)  # any hand can pass here


@njit(forceinline=True)
def _narrow_quantity(shown, out, q):
    lo, hi = max(shown[q, 0], out[q, 0]), min(shown[q, 1], out[q, 1])
    if lo > hi:
        lo, hi = max(out[q, 0], 0), min(out[q, 1], TOP[q])
        hi = max(lo, hi)
    shown[q, 0], shown[q, 1] = lo, hi


@njit(forceinline=True)
def natural_cards(partner, call):
    """Return the cards that a bid without a rule shows in its suit: natural, or raising what ``partner`` has shown."""
    if call < FIRST_BID or (call - FIRST_BID) % 5 == 4:
        return 0
    return 4 if partner[SUIT + (call - FIRST_BID) % 5, 0] < 4 else 3


@njit(forceinline=True)
def narrow_shown(shown, out, found, call, partner):
    """Add to what a seat has shown. Where it contradicts what came before, the later call is believed."""
    least = 0 if found else natural_cards(partner, call)
    if least:
        suit = SUIT + (call - FIRST_BID) % 5
        out[suit, 0] = max(out[suit, 0], least)
    for q in range(QUANTITIES):
        _narrow_quantity(shown, out, q)
    held = shown[SUIT, 0] + shown[SUIT + 1, 0] + shown[SUIT + 2, 0] + shown[SUIT + 3, 0]
    for suit in range(SUIT, SUIT + 4):
        shown[suit, 1] = max(shown[suit, 0], min(shown[suit, 1], 13 - held + shown[suit, 0]))
