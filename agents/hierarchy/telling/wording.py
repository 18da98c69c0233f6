"""Write constraints, calls and flags in a bridge player's words.

Suits are written as in BML, ``!c !d !h !s``, so that each kind of page can put its own symbols there.
"""

from __future__ import annotations

import re

from agents.hierarchy.language.text import atom_text, is_difference
from agents.hierarchy.language.tree import INFINITE, Atom, Clause, Constraint, Line, Step
from agents.hierarchy.language.vocabulary import CALL_WORDS
from bridge_env.calls import call_text

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
_SPANS = {"lowest": "cheapest", "jump": "jump in", "game": "game in", "slam": "slam in", "grand": "grand slam in"}

#: A condition in words: ``{n}`` is its number or range, ``{s}`` a suit.
_PHRASES = {
    "length": "{n}{s}",
    "hcp": "{n} HCP",
    "points": "{n} points",
    "rule20": "{n} by the rule of 20",
    "losers": "{n} losers",
    "controls": "{n} controls",
    "aces": "{n} aces",
    "kings": "{n} kings",
    "quick": "{n} half quick tricks",
    "zar": "{n} Zar points",
    "longest": "{n} cards in the longest suit",
    "shortest": "{n} cards in the shortest suit",
    "combined": "{n} HCP together",
    "combined-max": "{n} HCP together at most",
    "combined-aces": "{n} aces together",
    "likely": "{n} HCP likely together",
    "fit-best": "{n} cards in our longest fit",
    "fit-major": "{n} cards in our longest major fit",
    "in-theirs": "{n} cards in their suit",
    "trump-tricks": "{n} of the top five in their suit",
    "i-bid": "{n} bids of mine so far",
    "partner-bid": "{n} bids of partner's so far",
    "they-bid": "{n} bids of theirs so far",
    "partner-min": "{n} points at least with partner",
    "partner-max": "{n} points at most with partner",
    "partner-aces": "{n} aces at least with partner",
    "partner-likely": "{n} points that partner should have",
    "my-min": "{n} points that I have shown at least",
    "my-max": "{n} points that I have shown at most",
    "level": "at level {n}",
    "last-level": "the last bid is at level {n}",
    "passes": "after {n} passes",
    "position": "in seat {n}",
    "doubled": "doublings {n}",
    "top3": "{n} of the top three {s}",
    "top5": "{n} of the top five {s}",
    "hcp:": "{n} HCP in {s}",
    "keycards": "{n} key cards for {s}",
    "support": "{n} points in support of {s}",
    "playing": "{n} half playing tricks in {s}",
    "fit": "{n} {s} together",
    "total": "{n} points for {s} together",
    "total-max": "{n} points for {s} together at most",
    "likely-total": "{n} points for {s} likely together",
    "partner": "{n} {s} shown by partner",
    "shown": "{n} {s} that I have shown",
    "theirs": "{n} {s} shown by them",
    "they-min": "{n} points shown by them at least",
    "they-max": "{n} points shown by them at most",
}
#: Words that are so or not.
_YES_NO = {
    "balanced": ("balanced", "not balanced"),
    "semibalanced": ("semi-balanced", "not semi-balanced"),
    "stopper": ("stopper in {s}", "no stopper in {s}"),
    "control": ("control in {s}", "no control in {s}"),
    "best": ("{s} our longest fit", "{s} not our longest fit"),
    "long": ("{s} a longest suit", "{s} no longest suit"),
    "stopped": ("their suits stopped", "their suits not stopped"),
    "vul": ("we are vulnerable", "we are not vulnerable"),
    "they-vul": ("they are vulnerable", "they are not vulnerable"),
    "last": ("the last bid is in {s}", "the last bid is not in {s}"),
    "last-notrump": ("the last bid is no trump", "the last bid is not no trump"),
    "ours": ("the last bid is ours", "the last bid is theirs"),
    "partner-last": ("the last bid is partner's", "the last bid is not partner's"),
    "forced": ("partner forces us", "nothing forces us"),
    "bound": ("a pass would end a forcing auction", "we may stop here"),
    "forcing-pass": ("a pass forces partner", "a pass does not force partner"),
    "we-opened": ("we opened", "we did not open"),
    "i-passed": ("by a passed hand", "not by a passed hand"),
}
#: Ranges that have words of their own.
_RANGES = {
    ("doubled", 0, 0): "undoubled",
    ("doubled", 1, 1): "doubled",
    ("doubled", 2, 2): "redoubled",
    ("theirs", 0, 3): "{s} not theirs",
    ("theirs", 4, INFINITE): "{s} theirs",
    ("i-bid", 0, 0): "I have only passed",
    ("i-bid", 1, INFINITE): "I have spoken",
    ("partner-bid", 0, 0): "partner has only passed",
    ("partner-bid", 1, INFINITE): "partner has spoken",
    ("they-bid", 0, 0): "they have only passed",
    ("they-bid", 1, INFINITE): "they have spoken",
}
_LAST_CALLS = {"partner-called": "partner's last call is {}", "i-called": "my last call is {}"}
_VARIABLES = ("M", "oM", "m", "om", "x", "y")

_RANGES |= {(word, yes, yes): both[1 - yes] for word, both in _YES_NO.items() for yes in (0, 1)}
#: A clause of its own: a suit of which both partners together have shown eight cards, each some of them.
_AGREED: dict[str, Clause] = {
    of: tuple(
        (Atom(f"shown:{of}", mine, INFINITE), Atom(f"partner:{of}", partners, INFINITE))
        for mine, partners in ((5, 3), (4, 4), (3, 5), (2, 6))
    )
    for of in (*SUIT_MARKS, *_VARIABLES)
}


def suit(name: str) -> str:
    """``!h`` for H; a variable stays as it is."""
    return SUIT_MARKS.get(name, name)


def span(low: int, high: int, top: int = INFINITE) -> str:
    """``12+``, ``4`` or ``15-17``."""
    if high >= top:
        return f"{low}+"
    return f"{low}" if low == high else f"{low}-{high}"


def condition(atom: Atom) -> str:
    """One condition: ``15-17 HCP``, ``!h not shorter than !s``; as the language has it where no phrase does."""
    word, low, high = atom.word, atom.lo, atom.hi
    if is_difference(word):
        return _compared(atom)
    stem, colon, of = word.partition(":")
    if word in CALL_WORDS:
        return _LAST_CALLS[word].format(of_call(low))
    if (stem, low, high) in _RANGES:
        return _RANGES[stem, low, high].format(s=suit(of))
    if word in SUIT_MARKS or word in _VARIABLES:
        return f"{span(low, high)}{'' if word in SUIT_MARKS else ' '}{suit(word)}"
    phrase = _PHRASES.get(stem + colon if word.startswith("hcp:") else stem)
    return phrase.format(n=span(low, high), s=suit(of)) if phrase else atom_text(atom)


def of_call(number: int) -> str:
    """``4!c``, ``4NT``, ``Pass``."""
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
    """A whole constraint; ``any hand`` where nothing is asked."""
    texts = [_clause(clause) for clause in constraint]
    mixed = any(len(clause) > 1 for clause in constraint)
    return ("; " if mixed else ", ").join(texts) or ANY


def _clause(clause: Clause) -> str:
    of = next((of for of in _AGREED if _AGREED[of] == clause), None)
    if of is not None:
        return f"{suit(of)} agreed"
    return " or ".join(" and ".join(condition(atom) for atom in together) for together in clause)


def lines_promise(lines: list[Line]) -> str:
    """Return what the lines of one call promise, one or the other; with a note that not all of them have."""
    notes = {remark(line) for line in lines}
    if len(notes) == 1:
        return " / ".join(dict.fromkeys(promise(line.constraint) for line in lines))
    return " / ".join(f"{promise(line.constraint)}{aside(remark(line))}" for line in lines)


def aside(text: str) -> str:
    """In brackets behind what is said, if there is anything to say."""
    return f" ({text})" if text else ""


def remark(line: Line) -> str:
    """Note and flags of a line."""
    said = [line.note] if line.note else []
    return ", ".join(dict.fromkeys([*said, *(FLAG_TEXT[flag] for flag in line.flags)]))


def lines_remark(lines: list[Line]) -> str:
    """Note and flags that all lines of one call share."""
    notes = {remark(line) for line in lines}
    return notes.pop() if len(notes) == 1 else ""


def call(step: Step) -> str:
    """``1!h``, ``2NT``, ``(2x)``, ``X``, ``Pass``, ``cheapest M``."""
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
    """``1!h - 2NT``."""
    return " - ".join(call(step) for step in steps)


def symbols(text: str) -> str:
    """With suit symbols in place of the marks."""
    return re.sub("![cdhs]", lambda match: SYMBOLS[match[0]], text)
