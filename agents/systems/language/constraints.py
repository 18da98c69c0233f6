"""Read and write the conditions of a bidding system's lines: ``8+ hcp, 4 H or 4 S``."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache

from agents.systems.language.tree import INFINITE, Atom, Block, Clause, Constraint, Line, Score, Term, atoms_of
from agents.systems.language.vocabulary import CALL_WORDS, FLAG_WORDS, SCORE_WORDS, SUIT_WORDS, WORDS
from bridge_env.rules.calls import CallError, call_text, parse_call

SUITS = ("C", "D", "H", "S")
VARIABLES = ("M", "oM", "m", "om", "x", "y")
SUIT_PATTERN = "|".join(SUITS + VARIABLES)
_RANGE = re.compile(r"^(\d+)(?:(\+)|-(\d+))?$")
_DIFFERENCE = re.compile(rf"^({SUIT_PATTERN})\s*(>=|>|=)\s*({SUIT_PATTERN})(?:\+(\d+))?$")
_TERM = re.compile(r"^([+-]?\d{1,3})(?:\s+(if|for\s+each)\s+(.+))?$")
_MOST_IN_A_ROW = 12  # words that are looked at for missing commas
_SIGNS = {
    "\u2660": "S", "\u2665": "H", "\u2666": "D", "\u2663": "C", "\u2664": "S", "\u2661": "H", "\u2662": "D",
    "\u2667": "C", "\ufe0e": "", "\ufe0f": "",
}  # fmt: skip
_SPELLED = {"spade": "S", "spades": "S", "heart": "H", "hearts": "H", "diamond": "D", "diamonds": "D", "club": "C",
          "clubs": "C", "major": "M", "minor": "m", "s": "S", "h": "H", "d": "D", "c": "C"}  # fmt: skip


class SystemTextError(ValueError):
    """Text that is no bidding system: the message names the file, the line and the fault.

    Attributes:
        line: the faulty line, once the text has been read.
        reason: the fault without its place.
    """

    def __init__(self, message: str, line: Line | Block | None = None, reason: str = "") -> None:
        super().__init__(message)
        self.line, self.reason = line, reason or message


class TextFault(SystemTextError):
    """A fault of a piece of text whose line is not yet known."""


# --- reading ---


def parse_constraint(text: str) -> Constraint:
    """Parse ``"8+ hcp, 4 H or 4 S"`` to clauses of alternatives of atoms."""
    text = " ".join(text.split())  # patterns would take quadratic time over long runs of spaces
    if not text:
        return ()
    constraint = tuple(map(_parse_clause, text.split(",")))
    if words := SCORE_WORDS & {atom.word for atom in atoms_of(constraint)}:
        raise TextFault(f"{min(words)!r} can only be asked for in scores, as in '12 if {min(words)}'")
    return constraint


def parse_score(text: str) -> Score:
    """Parse ``"-19, 12 if book, 4 for each support:x, 3 for each x less shown:x"`` to a start and terms."""
    base, terms = 0, list[Term]()
    for place, part in enumerate(" ".join(text.split()).split(",")):
        found = _TERM.match(part.strip())
        if found is None or (found[2] is None and place):
            examples = "'-19, 12 if book, 8 if 6+ x, 4 for each support:x, 3 for each x less shown:x'"
            raise TextFault(f"{cut(part.strip(), 60)!r} is no score; write a start and what is added, as {examples}")
        points = int(found[1])
        if found[2] is None:
            base = points
        elif found[2] == "if":
            terms.append(Term(points, _parse_clause(found[3])))
        else:
            word, _, less = found[3].partition(" less ")
            terms.append(Term(points, (), _checked(word.strip()), _checked(less.strip()) if less else ""))
    return Score(base, tuple(terms))


@lru_cache(maxsize=1 << 13)  # a system says the same in many lines, and most systems are variations of one
def _parse_clause(text: str) -> Clause:
    alternatives = (re.split(r"\s+and\s+", alternative) for alternative in re.split(r"\s+or\s+", text))
    return tuple(tuple(_parse_atom(atom.strip()) for atom in alternative) for alternative in alternatives)


def _parse_atom(text: str) -> Atom:
    difference = _DIFFERENCE.match(text)
    if difference:
        first, relation, second, more = difference.groups()
        extra = _number(more or "0", text) + (relation == ">")
        return Atom(f"{first}-{second}", extra, extra if relation == "=" else INFINITE)
    words = text.split()
    if len(words) == 2 and words[0] == "not" and _stem(words[1]) in FLAG_WORDS:
        return Atom(_checked(words[1]), 0, 0)
    if len(words) == 1 and _stem(words[0]) in CALL_WORDS:
        stem, _, call = words[0].partition(":")
        try:
            return Atom(stem, parse_call(call), parse_call(call))
        except CallError as error:
            raise TextFault(str(error)) from None
    if len(words) == 1 and _stem(words[0]) in FLAG_WORDS:
        return Atom(_checked(words[0]), 1, 1)
    numbers = _RANGE.match(words[0]) if len(words) == 2 else None
    if numbers is None:
        if (parts := _split_atoms(words)) is not None:
            raise TextFault(f"{cut(text, 60)!r}: is a comma missing, as in {', '.join(parts)!r}?")
        if (len(words) == 1 or (len(words) == 2 and words[0] == "not")) and (hint := meant(words[-1])):
            raise TextFault(f"{cut(text, 60)!r} is no constraint{hint}")
        examples = "'15-17 hcp', '5+ H', '4 S', 'balanced', 'not vul' or 'H >= S'"
        raise TextFault(f"{cut(text, 60)!r} is no constraint; write {examples}")
    low = _number(numbers[1], text)
    high = INFINITE if numbers[2] else _number(numbers[3] or numbers[1], text)
    if high < low:
        raise TextFault(f"{cut(text, 60)!r}: the range is empty")
    return Atom(_checked(words[1]), low, high)


def _split_atoms(words: list[str]) -> list[str] | None:
    """Return several constraints in a row without commas; None where these words are none."""
    parts, at = [], 0
    while at < len(words) <= _MOST_IN_A_ROW:
        for length in (3, 2, 1):  # "H >= S", "12+ hcp", "balanced"
            part = " ".join(words[at : at + length])
            if at + length <= len(words) and not (at == 0 and length == len(words)) and _is_atom(part):
                parts.append(part)
                at += length
                break
        else:
            return None
    return parts if len(parts) > 1 else None


def _is_atom(text: str) -> bool:
    try:
        _parse_atom(text)
    except TextFault:
        return False
    return True


def cut(text: str, length: int) -> str:
    """Cut a text for a message that quotes it."""
    return text if len(text) <= length else text[: length - 3] + "..."


def is_difference(word: str) -> bool:
    """Return whether it compares two suits, such as ``H-S``, and is no word with a hyphen, such as ``partner-last``."""
    first, dash, _ = word.partition("-")
    return bool(dash) and (first in SUITS or first in VARIABLES)


def _number(digits: str, text: str) -> int:
    if len(digits) > 4 or int(digits) > INFINITE:
        raise TextFault(f"{cut(text, 60)!r}: numbers go up to {INFINITE}")
    return int(digits)


def _stem(word: str) -> str:
    return word.partition(":")[0]


def _checked(word: str) -> str:
    """Return ``word`` if the vocabulary holds it, with a suit or a suit variable where it needs one."""
    stem, colon, suit = word.partition(":")
    if not colon and (word in SUITS or word in VARIABLES or (word in WORDS and stem not in SUIT_WORDS - {"hcp"})):
        return word
    if colon and stem in SUIT_WORDS and (suit in SUITS or suit in VARIABLES):
        return word
    if stem in SUIT_WORDS:
        raise TextFault(f"{cut(word, 60)!r} needs a suit: {stem}:S, {stem}:M or {stem}:x")
    raise TextFault(f"{cut(word, 60)!r} is no word of the language{meant(word)}; 'bridge-env bid --words' lists them")


def meant(word: str) -> str:
    """Write "did you mean …?" for the end of a message; empty if no word is similar."""
    plain = "".join(_SIGNS.get(sign, sign) for sign in word[:60])
    if plain != word[:60]:
        return f"; did you mean {plain}?"
    if word.lower() in _SPELLED:
        return f"; did you mean {_SPELLED[word.lower()]}?"
    stem, colon, suit = word[:60].partition(":")
    known = {name.partition(":")[0].lower(): name.partition(":")[0] for name in WORDS if len(name) > 1}
    near = difflib.get_close_matches(stem.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {known[near[0]]}{colon}{suit}?" if near else ""


# --- writing ---


def constraint_text(constraint: Constraint) -> str:
    """Write clauses as text."""
    return ", ".join(" or ".join(" and ".join(map(atom_text, atoms)) for atoms in clause) for clause in constraint)


def atom_text(atom: Atom) -> str:
    """Write one comparison: ``15-17 hcp``."""
    word, lo, hi = atom.word, atom.lo, atom.hi
    first, _, second = word.partition("-")
    if is_difference(word):
        if hi < INFINITE:
            return f"{first} = {second}" + (f"+{lo}" if lo else "")
        return {0: f"{first} >= {second}", 1: f"{first} > {second}"}.get(lo, f"{first} >= {second}+{lo}")
    if _stem(word) in FLAG_WORDS and lo == hi and lo in (0, 1):
        return word if lo else f"not {word}"
    if word in CALL_WORDS:
        return f"{word}:{call_text(lo).replace('NT', 'N').replace('Pass', 'P')}"
    if hi >= INFINITE:
        return f"{lo}+ {word}"
    return f"{lo} {word}" if lo == hi else f"{lo}-{hi} {word}"


def score_text(score: Score) -> str:
    """Write a score as text."""
    return ", ".join([str(score.base), *map(term_text, score.terms)])


def term_text(term: Term) -> str:
    """Write a term of a score as text."""
    if not term.word:
        return f"{term.points} if {constraint_text((term.condition,))}"
    return f"{term.points} for each {term.word}" + (f" less {term.less}" if term.less else "")
