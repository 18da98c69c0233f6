"""Name the situations, actions and terms from which scorecards are fitted, in the language of systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.language.constraints import parse_constraint, parse_score
from agents.systems.language.tree import Atom, Clause, Constraint, Term
from agents.systems.language.vocabulary import SUIT_LETTERS, WORDS

BOTH_SIDES = "1+ they-bid"
_ACTED = {
    "1+ partner-bid, 0 i-bid": "partner has bid",
    "0 partner-bid, 1+ i-bid": "I have bid, partner has not",
    "1+ partner-bid, 1+ i-bid": "both of us have bid",
}
_THEIRS_DOUBLED = "not ours, 1-2 doubled"
_LAST = {
    "ours, 0 doubled": "our bid, they passed",
    "ours, 1-2 doubled": "our bid, doubled",
    _THEIRS_DOUBLED: "their bid, doubled",
    "we-opened, not ours, 0 doubled, 1-2 last-level": "we opened, their bid at the one or two level",
    "not we-opened, not ours, 0 doubled, 1-2 last-level": "they opened, their bid at the one or two level",
    "not ours, 0 doubled, 3 last-level": "their bid at the three level",
    "not ours, 0 doubled, 4-7 last-level": "their bid at the four level or higher",
}
#: Contexts of contested auctions and what they mean: the last one holds in all, of the others one at a time.
SITUATIONS = {f"{BOTH_SIDES}, {acted}, {last}": f"{a}; {b}" for acted, a in _ACTED.items() for last, b in _LAST.items()}
SITUATIONS[f"{BOTH_SIDES}, 1+ i-bid or 1+ partner-bid"] = "both sides have bid"
EVERYWHERE = len(SITUATIONS) - 1
SCALE = 8.0  # points of a card for one unit of the softmax


class Action(NamedTuple):
    """A call, or bids of a suit, with what lets them be weighed; the first that names a call counts.

    The conditions are those of sound bidding: a natural bid holds the suit or a fit, a pass of partner's double trumps.
    Terms ``pro`` never lower its score and terms ``con`` never raise it, so that a card makes sense to a player.
    """

    call: str
    conditions: str
    note: str
    flags: tuple[str, ...] = ()
    pro: str = ""
    con: str = ""


_TRUMPS = (
    "2 doubled or 4-7 last-level or "
    "6+ in-theirs or 5+ in-theirs and 2+ trump-tricks or 4+ in-theirs and 3+ trump-tricks"
)
_STRENGTH = (
    "hcp, points, controls, quick, likely, partner-min, partner-max, partner-min less they-min, "
    "12+ hcp, 15+ hcp, 18+ hcp, 24+ likely, 26+ likely"
)
_WEAKNESS = "losers, they-min, they-max"
_FIT = "fit-best, fit-major, 9+ fit-best, 10+ fit-best"
_LONG_SUIT = "longest, 6+ longest, 7+ longest"
_SHORTNESS = "0 shortest, 0-1 shortest"
_FEW_OF_THEIRS = "0 in-theirs, 0-1 in-theirs"
_THEIR_HEIGHT = "last-level, 3+ last-level, 4+ last-level"
_MANY_OF_THEIRS = "in-theirs, 3+ in-theirs, 4+ in-theirs, 5+ in-theirs, trump-tricks, 2+ trump-tricks, 3+ trump-tricks"
_HEIGHT = "level, 2+ level, 3+ level, 4+ level, 5+ level, jump, vul, vul and 3+ level, vul and not they-vul"
_SUIT = (
    "x, hcp:x, top5:x, support:x, fit:x, partner:x, likely-total:x, playing:x, x less shown:x, fit:x less level, "
    "3+ x, 4+ x, 5+ x, 6+ x, 7+ x, 8+ fit:x, 9+ fit:x, 10+ fit:x, 22+ likely-total:x, 25+ likely-total:x, "
    f"best:x, long:x, stopper:x, game, forced, they-vul, {_STRENGTH}, {_LONG_SUIT}, {_SHORTNESS}, {_FEW_OF_THEIRS}"
)
_NO_SUIT = f"{_WEAKNESS}, {_HEIGHT}, {_MANY_OF_THEIRS}, shortest, balanced, stopped"
ACTIONS = (
    Action("P", f"ours or 0 doubled or {_TRUMPS}", "pass"),
    Action(
        "X", "", "double",
        pro=f"{_STRENGTH}, {_MANY_OF_THEIRS}, shortest, balanced, they-vul",
        con=f"{_WEAKNESS}, {_FIT}, {_LONG_SUIT}, {_SHORTNESS}",
    ),
    Action("XX", "", "redouble"),
    Action(
        "bid:x", "3+ partner:x, 3+ x or 7+ fit:x or 2+ x and 6+ fit:x", "partner's suit",
        pro=f"{_SUIT}, {_FIT}", con=f"{_NO_SUIT}, {_THEIR_HEIGHT}, 0 i-bid",
    ),
    Action("bid:x", "4+ shown:x", "my suit", pro=_SUIT, con=f"{_NO_SUIT}, 0 partner-bid"),
    Action(
        "bid:x", "4+ theirs:x", "their suit", ("artificial",), pro=f"{_STRENGTH}, {_FIT}", con=f"{_WEAKNESS}, {_HEIGHT}"
    ),
    Action("bid:x", "3+ x", "a suit of my own", pro=_SUIT, con=f"{_NO_SUIT}, {_THEIR_HEIGHT}"),
    Action(
        "bid:N", "", "no trump",
        pro=f"{_STRENGTH}, {_MANY_OF_THEIRS}, stopped, balanced, shortest, forced",
        con=f"{_WEAKNESS}, {_HEIGHT}, {_FIT}, {_SHORTNESS}, {_FEW_OF_THEIRS}",
    ),
)  # fmt: skip
PASSES = 0
OF_BOOK_ONLY = (PASSES, 2)  # the actions whose cards have only the bonus of the book: passes and redoubles

_COUNTED = """hcp points losers controls quick shortest longest in-theirs trump-tricks fit-best fit-major likely
partner-min partner-max my-min my-max they-min they-max passes i-bid partner-bid they-bid last-level level
x hcp:x top5:x support:x fit:x partner:x shown:x theirs:x likely-total:x playing:x"""
_CONDITIONS = """
book, jump, game, vul, they-vul, forced, we-opened, i-passed, balanced, stopped, last-notrump, 2+ passes,
0 in-theirs, 0-1 in-theirs, 3+ in-theirs, 4+ in-theirs, 5+ in-theirs, 2+ trump-tricks, 3+ trump-tricks, 0 shortest,
0-1 shortest, 6+ longest, 7+ longest, 12+ hcp, 15+ hcp, 18+ hcp, 9+ fit-best, 10+ fit-best, 2+ level, 3+ level,
4+ level, 5+ level, 3+ x, 4+ x, 5+ x, 6+ x, 7+ x, 8+ fit:x, 9+ fit:x, 10+ fit:x, 22+ likely-total:x,
25+ likely-total:x, 26+ likely, 24+ likely, stopper:x, best:x, long:x, vul and 3+ level, vul and not they-vul"""
#: What tells situations apart, for cards that serve everywhere.
_AUCTION = ("ours", "1-2 doubled", "0 partner-bid", "0 i-bid", "3+ last-level", "4+ last-level")
#: What a term may count or ask, as scores have it.
TERMS: tuple[str, ...] = (
    *(f"for each {word}" for word in _COUNTED.split()),
    "for each x less shown:x",
    "for each fit:x less level",
    "for each partner-min less they-min",
    *(f"if {condition}" for condition in " ".join(_CONDITIONS.split()).split(", ")),
    *(f"if {condition}" for condition in _AUCTION),
    *(f"if book and {condition}" for condition in (*_AUCTION, "we-opened")),
)
EVERYWHERE_ONLY = 2 * len(_AUCTION) + 1  # so many of the last terms are for cards that serve everywhere


def directions() -> NDArray[np.int8]:
    """Return 1 where a term may only speak for an action, -1 only against it, 0 either: int8 (actions, terms)."""
    names = [text.removeprefix("for each ").removeprefix("if ") for text in TERMS]
    sides = [(action.pro.split(", "), action.con.split(", ")) for action in ACTIONS]
    return np.array([[(name in pro) - (name in con) for name in names] for pro, con in sides], np.int8)


@cache
def unit_terms() -> tuple[Term, ...]:
    """Return the terms of ``TERMS``, each for one point."""
    return tuple(parse_score(f"0, 1 {text}").terms[0] for text in TERMS)


@cache
def situation_contexts() -> tuple[Constraint, ...]:
    """Return the contexts of ``SITUATIONS``, parsed."""
    return tuple(parse_constraint(text) for text in SITUATIONS)


def written_conditions(situation: int, action: int) -> Constraint:
    """Return the conditions of an action as a card of a situation has them: what holds there goes without saying."""
    if action != PASSES or situation == EVERYWHERE:
        return parse_constraint(ACTIONS[action].conditions)
    return parse_constraint(_TRUMPS if _THEIRS_DOUBLED in list(SITUATIONS)[situation] else "")


def situation_of(rows: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return which situation each feature row int16 (N, NUM_COLUMNS) is of: int64 (N,), -1 none."""
    out = np.full(len(rows), -1, np.int64)
    for number, constraint in enumerate(situation_contexts()):
        out[holds(constraint, rows, np.full(len(rows), 4)) & (out < 0)] = number
    return out


def holds(constraint: Constraint, rows: NDArray[np.int16], strain: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which feature rows int16 (N, NUM_COLUMNS) meet a constraint whose x is the suit ``strain`` (N,)."""
    out = np.ones(len(rows), np.bool_)
    for clause in constraint:
        out &= _clause_holds(clause, rows, strain)
    return out


def values(rows: NDArray[np.int16], strain: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the value of each term, int8 (N, terms), in rows of calls, int16 (N, NUM_COLUMNS), of ``strain`` int64
    (N,), 0..3 the suit, 4 none: 0 where a term speaks of the suit.
    """
    out = np.empty((len(rows), len(unit_terms())), np.int8)
    for number, term in enumerate(unit_terms()):
        if term.word:
            value = _column(rows, term.word, strain)
            if term.less:
                value = value - _column(rows, term.less, strain)
        else:
            value = _clause_holds(term.condition, rows, strain).astype(np.int16)
        out[:, number] = np.where((strain == 4) & term.speaks_of_suit, 0, np.clip(value, -100, 100))
    return out


def _column(rows: NDArray[np.int16], word: str, strain: NDArray[np.int64]) -> NDArray[np.int16]:
    if word != "x" and not word.endswith(":x"):
        return rows[:, WORDS[word]]
    columns = np.array([WORDS[word[:-1] + suit] for suit in SUIT_LETTERS])
    return rows[np.arange(len(rows)), columns[np.minimum(strain, 3)]]


def _clause_holds(clause: Clause, rows: NDArray[np.int16], strain: NDArray[np.int64]) -> NDArray[np.bool_]:
    def atom_holds(atom: Atom) -> NDArray[np.bool_]:
        value = _column(rows, atom.word, strain)
        return (value >= atom.lo) & (value <= atom.hi)

    alternatives = [np.logical_and.reduce([atom_holds(atom) for atom in alternative]) for alternative in clause]
    return np.logical_or.reduce(alternatives)


NUM_CARDS = len(SITUATIONS) * len(ACTIONS)


@dataclass(frozen=True, eq=False)
class Scores:
    """Hold the scores of all cards, in units of the softmax or, rounded, in points."""

    base: NDArray[np.float64]  # (NUM_CARDS,), situation after situation
    weight: NDArray[np.float64]  # (NUM_CARDS, terms)

    def by_situation(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return views of them: (situations, actions) and (situations, actions, terms)."""
        cards = len(SITUATIONS), len(ACTIONS)
        return self.base.reshape(cards), self.weight.reshape(*cards, -1)

    @property
    def terms(self) -> int:
        """Return how many terms the cards have."""
        return int((self.weight != 0).sum())
