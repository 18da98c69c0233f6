"""Check whether a pair could explain a rule at the table, and remember it.

A bound on what learning may propose. A rule that breaks it may gain on the boards at hand, but it is no agreement that
people make: "1NT overcall on one point", "doubles on the length of diamonds", "0-23 by the rule of 20".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from agents.systems.changes.edits import new_lines
from agents.systems.language.paths import path_steps
from agents.systems.language.text import SUITS, is_difference
from agents.systems.language.tree import INFINITE, Atom, Constraint, Line, Step, System, atoms_of

MOST_CONDITIONS = 3  # beyond the strength of the hand and the length of the suit that is bid
#: Scales on which a hand counts as strong. Only the first two are ranges in people's mouths.
_POINTS = ("hcp", "points", "support", "total", "total-max", "likely", "likely-total", "combined",
           "combined-max")  # fmt: skip
_COUNTING = ("rule20", "zar", "quick", "playing", "controls", "aces", "kings", "keycards", "combined-aces")
_HONOURS = ("top3", "top5", "hcp", "stopper", "keycards", "playing")
_TRUMPS_SEEN = ("trump-tricks",)  # honours in the suit that they bid
_MAJORS = ("H", "S", "M", "oM")
_LENGTHS = (*SUITS, "M", "m", "oM", "om", "x", "y")  # words for the length of a suit


def faults(path: Sequence[Step], line: Line, when: Constraint = ()) -> list[str]:
    """List what makes ``line`` after ``path`` a rule that no pair would play; empty if it is sayable.

    Args:
        path: the calls before it; empty for openings and general rules.
        when: of a general rule, the context of its block.
    """
    if line.after or not line.path or line.score is not None:  # a scorecard is as long as it is
        return []
    call = line.path[-1]
    named = {step.token.partition(":")[2] or step.token[1:] for step in (*path, *line.path)} - {"", "N", "X"}
    named |= {other for suit, other in (("m", "om"), ("M", "oM")) if suit in named}
    atoms = atoms_of(line.constraint)
    if any(atom.word == "C" and Atom("D", atom.lo, atom.hi) in atoms for atom in atoms):
        named |= {"C", "D"}  # both minors alike, as a takeout double has them
    found = []
    answers = any(not step.theirs and step.token != "P" for step in (*path, *line.path[:-1]))
    forced = any(atom.word == "forced" and atom.lo > 0 for atom in atoms_of(when))
    strong = any(_is_strength(atom) for atom in (*atoms, *atoms_of(when)))
    if not (call.token == "P" or answers or forced or strong):
        found.append("a call that nobody asked for needs a least strength")
    found += [f"{atom.word} has an upper bound" for atom in atoms if _caps_a_count(atom)]
    found += [f"{atom.word}: a suit that has not come up" for atom in atoms if _off_topic(atom, call.token, named)]
    more = len({_phrase(clause) for clause in line.constraint if not is_natural(clause, call.token)})
    if more > MOST_CONDITIONS:
        found.append(f"{more} conditions besides strength and the suit's length; {MOST_CONDITIONS} can be remembered")
    return found


@lru_cache(maxsize=1 << 14)
def may_speak_of(path: tuple[Step, ...], call: str, word: str) -> bool:
    """Return whether a sayable rule for ``call`` after ``path`` may use ``word``."""
    probes = [Atom(word, 1, INFINITE), Atom(word, 0, 3)]
    line = Line((Step(call),))
    plain = len(faults(path, line))
    return any(len(faults(path, replace(line, constraint=(((probe,),),)))) <= plain for probe in probes)


def new_faults(before: System, after: System) -> list[str]:
    """Return the faults of the lines of ``after`` that ``before`` has not."""
    out = []
    for address, trail, line in new_lines(before, after):
        general = address[0] == "blocks"
        when = after.blocks[int(address[1])].when if general else ()
        path = () if general else path_steps("-".join(trail))
        out += [f"{line.name}: {fault}" for fault in faults(path, line, when)]
    return out


def _is_strength(atom: Atom) -> bool:
    """Return whether it needs a least strength."""
    stem = atom.word.partition(":")[0]
    if stem == "losers":
        return atom.hi < INFINITE
    return (atom.word in _POINTS or stem in (*_POINTS[2:], *_COUNTING, *_TRUMPS_SEEN)) and atom.lo > 0


def _caps_a_count(atom: Atom) -> bool:
    """Return whether it is "at most" on a scale on which people say "at least"."""
    stem = atom.word.partition(":")[0]
    if stem == "losers":
        return atom.lo > 0
    exactly = stem in ("aces", "kings", "keycards", "combined-aces")  # answers to asking bids say how many
    return stem in _COUNTING and atom.hi < INFINITE and not exactly


def _off_topic(atom: Atom, call: str, named: set[str]) -> bool:
    """Return whether it speaks of a suit that neither the call nor the auction named."""
    if is_difference(atom.word):
        both = {*atom.word.split("-")}
        return not named & both and not both <= {*_MAJORS}
    stem, colon, suit = atom.word.partition(":")
    if atom.word in _LENGTHS:
        # Lengths: the majors are everybody's business, and a bid may deny longer suits.
        return atom.lo > 0 and atom.word not in named and atom.word not in _MAJORS and "any" not in named
    return bool(colon) and stem in _HONOURS and suit not in named and not call.endswith("N")


def _phrase(clause: Sequence[Sequence[Atom]]) -> tuple[object, ...]:
    """Return what identifies a thing to remember: "three cards in each" of several suits is one."""
    return tuple(
        ("length" if a.word in _LENGTHS else a.word, a.lo, a.hi) for alternative in clause for a in alternative
    )


def is_natural(clause: Sequence[Sequence[Atom]], call: str) -> bool:
    """Return whether the condition is natural: a strength, or the length of the suit that is bid."""
    suit = call.partition(":")[2] or call[1:]
    return all(
        atom.word in (*_POINTS, suit, f"fit:{suit}", f"best:{suit}", f"long:{suit}")
        or atom.word.partition(":")[0] in _POINTS[2:]
        for alternative in clause
        for atom in alternative
    )
