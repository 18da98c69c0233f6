"""Write constraints, calls and flags in a bridge player's terms, in short: ``15-17 HCP, 5+!s``.

Suits are as in BML (``!c !d !h !s``), so that each kind of page can put its own symbols there.
"""

from __future__ import annotations

import re

from agents.systems.explain.phrases import PHRASES, PLURAL, RANGES, YES_NO
from agents.systems.language.text import atom_text, is_difference
from agents.systems.language.tree import INFINITE, Atom, Clause, Constraint, Line, Score, Step, Term
from agents.systems.language.vocabulary import CALL_WORDS
from bridge_env.rules.calls import call_text

SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
SUIT_MARKS = {"C": "!c", "D": "!d", "H": "!h", "S": "!s"}
SYMBOLS = {"!c": "♣", "!d": "♦", "!h": "♥", "!s": "♠"}
ANY = "any other hand"
TERMS = (
    'What stands "together" adds to this hand the least that partner has shown; "likely together" what partner should '
    "have, a third up the range from the least to the most shown, but no more than three points up; "
    '"together at most" the most that partner can have. A suit is "theirs" once one of them has shown four cards, and '
    '"agreed" once both partners have shown eight between them. Who has made a call other than pass has "spoken".'
)
FLAG_TEXT = {
    "forcing": "forcing",
    "gf": "forcing to game",
    "invite": "invitational",
    "signoff": "sign-off",
    "artificial": "artificial",
}
_TOKENS = {"P": "Pass", "any": "any bid"}
_SPANS = {
    "bid": "bid of",
    "lowest": "cheapest",
    "jump": "jump in",
    "game": "game in",
    "slam": "slam in",
    "grand": "grand slam in",
}

_LAST_CALLS = {"partner-called": "partner's last call is {}", "i-called": "my last call is {}"}
_VARIABLES = ("M", "oM", "m", "om", "x", "y")

#: A clause of its own: a suit of which both partners together have shown eight cards, each some of them.
_AGREED: dict[str, Clause] = {
    of: tuple(
        (Atom(f"shown:{of}", mine, INFINITE), Atom(f"partner:{of}", partners, INFINITE))
        for mine, partners in ((5, 3), (4, 4), (3, 5), (2, 6))
    )
    for of in (*SUIT_MARKS, *_VARIABLES)
}


def suit(name: str) -> str:
    """Write ``!h`` for H; a variable as it is."""
    return SUIT_MARKS.get(name, name)


def span(low: int, high: int, top: int = INFINITE) -> str:
    """Write a range: ``12+``, ``4`` or ``15-17``."""
    if high >= top:
        return f"{low}+"
    return f"{low}" if low == high else f"{low}-{high}"


def condition(atom: Atom) -> str:
    """Write one condition: ``15-17 HCP``, ``!h not shorter than !s``; as the language has it where no phrase does."""
    word, low, high = atom.word, atom.lo, atom.hi
    if is_difference(word):
        return _compared(atom)
    stem, colon, of = word.partition(":")
    if word in CALL_WORDS:
        return _LAST_CALLS[word].format(of_call(low))
    if stem in YES_NO and low >= 1:
        high = 1
    if (stem, low, high) in RANGES:
        return RANGES[stem, low, high].format(s=suit(of))
    if word in SUIT_MARKS or word in _VARIABLES:
        return f"{span(low, high)}{'' if word in SUIT_MARKS else ' '}{suit(word)}"
    phrase = PHRASES.get(stem + colon if word.startswith("hcp:") else stem)
    return phrase.format(n=span(low, high), s=suit(of)) if phrase else atom_text(atom)


def of_call(number: int) -> str:
    """Write a call: ``4!c``, ``4NT``, ``Pass``."""
    text = call_text(number)
    return text[0] + SUIT_MARKS[text[1]] if text[1:] in SUIT_MARKS else text


def _compared(atom: Atom) -> str:
    first, _, second = atom.word.partition("-")
    a, b = suit(first), suit(second)
    if atom.hi < INFINITE:
        return f"as many {a} as {b}" if atom.lo == 0 else f"{atom.lo} more {a} than {b}"
    if atom.lo <= 0:
        return f"{a} not shorter than {b}"
    return f"more {a} than {b}" if atom.lo == 1 else f"{atom.lo}+ more {a} than {b}"


def promise(constraint: Constraint) -> str:
    """Write a constraint; ``any other hand`` for one without conditions."""
    texts = list(dict.fromkeys(map(clause_text, constraint)))
    mixed = any(len(clause) > 1 for clause in constraint)
    return ("; " if mixed else ", ").join(texts) or ANY


def clause_text(clause: Clause) -> str:
    """Write one clause of a constraint: ``6+!s``."""
    of = next((of for of in _AGREED if _AGREED[of] == clause), None)
    if of is not None:
        return f"{suit(of)} agreed"
    return " or ".join(" and ".join(condition(atom) for atom in alternative) for alternative in clause)


#: Words that scores count, and that people do not say with a number in front.
_NOUNS = {
    "passes": "pass since the last call", "level": "level of the call", "last-level": "level of the last bid",
    "i-bid": "call of mine but passes", "partner-bid": "call of partner's but passes",
    "they-bid": "call of theirs but passes", "partner-min": "point that partner has at least",
    "partner-max": "point that partner may have", "my-min": "point that I have shown at least",
    "my-max": "point that I may have", "they-min": "point that they have at least",
    "they-max": "point that they may have",
}  # fmt: skip


def score_text(score: Score) -> str:
    """Write what a scorecard adds up: ``-19, +12 if the book's call, +4 for each x more than x that I have shown``."""
    return ", ".join([str(score.base), *(f"{term.points:+d} {reason(term)}" for term in score.terms)])


def reason(term: Term) -> str:
    """Write what a term counts or asks: ``for each x``, ``if 6+ x``."""
    if not term.word:
        return f"if {clause_text(term.condition)}"
    return f"for each {' more than '.join(_NOUNS.get(w) or _noun(w) for w in (term.word, term.less) if w)}"


def _noun(word: str) -> str:
    return condition(Atom(word, 0, 0)).removeprefix("0").strip()


def term_text(count: int, word: str, less: str = "") -> str:
    """Write what a term of a score counts: ``12 points in support of ♠``."""
    text = symbols(condition(Atom(word, abs(count), abs(count))))
    text = PLURAL.sub(r"\1", text, count=1) if abs(count) == 1 else text
    other = f"the {_NOUNS[less]}" if less == "level" else symbols(condition(Atom(less, 0, 0))).removeprefix("0 ")
    return f"{text} {'more' if count > 0 else 'less'} than {other}" if less else text


def lines_promise(lines: list[Line]) -> str:
    """Return what the lines of one call promise, one or the other; with a note that not all of them have."""
    notes = {remark(line) for line in lines}
    if len(notes) == 1:
        return " / ".join(dict.fromkeys(_line_promise(line) for line in lines))
    return " / ".join(f"{_line_promise(line)}{aside(remark(line))}" for line in lines)


def _line_promise(line: Line) -> str:
    if line.score is None:
        return promise(line.constraint)
    return f"{promise(line.constraint) if line.constraint else 'any hand'}: {score_text(line.score)}"


def aside(text: str) -> str:
    """Put a text into brackets; nothing for an empty one."""
    return f" ({text})" if text else ""


def remark(line: Line) -> str:
    """Write the note and flags of a line."""
    return ", ".join(dict.fromkeys(filter(None, [line.note, *(FLAG_TEXT[flag] for flag in line.flags)])))


def lines_remark(lines: list[Line]) -> str:
    """Write the note and flags that all lines of one call share."""
    notes = {remark(line) for line in lines}
    return notes.pop() if len(notes) == 1 else ""


def call(step: Step) -> str:
    """Write a step of a path: ``1!h``, ``2NT``, ``(2x)``, ``X``, ``Pass``, ``cheapest M``."""
    token = step.token
    kind, colon, name = token.partition(":")
    if colon:
        text = f"{_SPANS[kind]} {'NT' if name == 'N' else suit(name)}"
    elif token[0] in "1234567" and not token.endswith("any"):
        text = token[0] + ("NT" if token[1:] == "N" else suit(token[1:]))
    else:
        text = _TOKENS.get(token, token)
    return f"({text})" if step.theirs else text


def path(steps: tuple[Step, ...]) -> str:
    """Write a path: ``1!h - 2NT``."""
    return " - ".join(call(step) for step in steps)


def symbols(text: str) -> str:
    """Put suit symbols in place of the marks."""
    return re.sub("![cdhs]", lambda match: SYMBOLS[match[0]], text)
