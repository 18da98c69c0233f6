"""Constraints, calls and flags in a bridge player's words, and the same read back: one table serves both ways.

Suits are written as in BML, ``!c !d !h !s``, so that each kind of page can put its own symbols there.
"""

from __future__ import annotations

import re
from functools import lru_cache

from agents.hierarchy.language.text import SystemTextError, atom_text, is_difference, parse_constraint, parse_step
from agents.hierarchy.language.tree import INFINITE, Atom, Clause, Constraint, Line, Step
from agents.hierarchy.language.vocabulary import CALL_WORDS
from bridge_env.calls import CallError, call_text, parse_call

SUIT_MARKS = {"C": "!c", "D": "!d", "H": "!h", "S": "!s"}
_LETTERS = {mark: letter for letter, mark in SUIT_MARKS.items()}
SYMBOLS = {"!c": "♣", "!d": "♦", "!h": "♥", "!s": "♠"}
ANY = "any other hand"
TERMS = (
    'What stands "together" adds to this hand the least that partner has shown; "likely together" what partner should '
    "have, a third up the range from the least to the most shown, but no more than three points up; "
    '"together at most" the most that partner can have. A suit is "theirs" once one of them has shown four cards, and '
    '"agreed" once both partners have shown eight between them. Who has made a call other than pass has "spoken".'
)
_OF_SYMBOL = {symbol: mark for mark, symbol in SYMBOLS.items()}
FLAG_TEXT = {
    "forcing": "forcing",
    "gf": "forcing to game",
    "invite": "invitational",
    "signoff": "sign-off",
    "artificial": "artificial",
    "forcing-2N": "forcing to 2NT",
    "forcing-3H": "forcing to three of a major",
    "forcing-4C": "forcing to four of a minor",
    "denies": "denies the calls above",
}
_FLAG_OF = {text: flag for flag, text in FLAG_TEXT.items()}
_TOKENS = {"Pass": "P", "P": "P", "X": "X", "XX": "XX", "any bid": "any"}
_SPANS = {"lowest": "cheapest", "jump": "jump in", "game": "game in", "slam": "slam in", "grand": "grand slam in"}

#: A condition in words: ``{n}`` is its number or range, ``{s}`` a suit. ``condition`` writes by this table, and
#: ``read_condition`` reads by it, so no two words may have the same phrase.
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
    "second-longest": "{n} cards in the second longest suit",
    "shortest": "{n} cards in the shortest suit",
    "combined": "{n} HCP together",
    "combined-max": "{n} HCP together at most",
    "combined-points": "{n} points together",
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
    "partner-hcp-min": "{n} HCP at least with partner",
    "partner-hcp-max": "{n} HCP at most with partner",
    "combined-hcp": "{n} HCP with partner's least HCP",
    "partner-controls": "{n} controls at least with partner",
    "partner-losers": "{n} losers at most with partner",
    "partner-kings": "{n} kings at least with partner",
    "combined-controls": "{n} controls with partner's least",
    "combined-losers": "{n} losers with partner's most",
    "combined-kings": "{n} kings with partner's",
    "partner-likely": "{n} points that partner should have",
    "my-min": "{n} points that I have shown at least",
    "my-max": "{n} points that I have shown at most",
    "level": "at level {n}",
    "last-level": "the last bid is at level {n}",
    "passes": "after {n} passes",
    "position": "in seat {n}",
    "seat": "in seat {n} of the four",
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
    "partner-keycards": "{n} key cards for {s} with partner",
    "partner-top3": "{n} of the top three {s} with partner",
    "combined-keycards": "{n} key cards for {s} with partner's",
    "combined-top3": "{n} of the top three {s} with partner's",
    "partner-most": "{n} {s} possible with partner",
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
    "partner-stops": ("{s} stopped by partner", "{s} not stopped by partner"),
    "best": ("{s} our longest fit", "{s} not our longest fit"),
    "long": ("{s} a longest suit", "{s} no longest suit"),
    "stopped": ("their suits stopped", "their suits not stopped"),
    "stopped-unbid": ("all but our suits stopped", "a suit that is not ours not stopped"),
    "best-not-theirs": ("{s} our longest fit outside their suits", "{s} not our longest fit outside their suits"),
    "long-not-theirs": ("{s} my longest suit outside theirs", "{s} not my longest suit outside theirs"),
    "long-unbid": ("{s} my longest suit of those that nobody bid", "{s} not my longest suit of those that nobody bid"),
    "favourable": ("they alone are vulnerable", "not they alone are vulnerable"),
    "unfavourable": ("we alone are vulnerable", "not we alone are vulnerable"),
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
#: By a phrase: its word, and the range that it stands for, if it does not say it in figures.
_READ: dict[str, tuple[str, tuple[int, int] | None]] = {phrase: (word, None) for word, phrase in _PHRASES.items()}
_READ |= {phrase: (word, (low, high)) for (word, low, high), phrase in _RANGES.items()}
_RANGE = re.compile(r"(\d+)(?:(\+)|-(\d+))?")
_SUIT = re.compile(r"![cdhs]|\b(?:oM|om|M|m|x|y)\b")
_COMPARED = re.compile(
    r"(?:as many (?P<as>S)|(?P<no>S) not shorter|(?:(?P<n>\d+\+?) )?more (?P<more>S)) (?:as|than) (?P<than>S)".replace(
        "S)", f"{_SUIT.pattern})"
    )
)


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


def read_condition(text: str) -> Atom:
    """The condition that ``condition`` writes as ``text``.

    Raises:
        SystemTextError: no condition is written so.
    """
    for word, phrase in _LAST_CALLS.items():
        if text.startswith(phrase.format("")):
            call_number = _call_number(text.removeprefix(phrase.format("")), text)
            return Atom(word, call_number, call_number)
    if (compared := _COMPARED.fullmatch(text)) is not None:
        return _read_compared(compared)
    suits = [_LETTERS.get(name, name) for name in _SUIT.findall(text)]
    bare = _SUIT.sub("{s}", text)
    found = _RANGE.search(bare)
    skeleton = _RANGE.sub("{n}", bare, count=1).replace("{n} {s}", "{n}{s}") if found else bare
    known = _READ.get(skeleton) or _READ.get(skeleton.replace("{n}{s}", "{n} {s}"))
    if known is None or len(suits) > 1:
        return _as_written(text)
    word, spanned = known
    of = suits[0] if suits else ""
    word = of if word == "length" else f"{word.removesuffix(':')}:{of}" if of else word
    if spanned is not None:
        return Atom(word, *spanned)
    assert found is not None
    low = int(found[1])
    return Atom(word, low, INFINITE if found[2] else int(found[3] or low))


def _as_written(text: str) -> Atom:
    """A condition that stands as the language has it."""
    try:
        (((atom,),),) = parse_constraint(text)
    except ValueError:
        said = f"{symbols(text)!r} is no condition that a book prints"
        raise SystemTextError(f"{said}; pages of another version must be printed anew") from None
    return atom


def of_call(number: int) -> str:
    """``4!c``, ``4NT``, ``Pass``."""
    text = call_text(number)
    return text[0] + SUIT_MARKS[text[1]] if text[1:] in SUIT_MARKS else text


def _call_number(text: str, whole: str) -> int:
    try:
        return parse_call("".join(_LETTERS.get(part, part) for part in re.split("(![cdhs])", text)))
    except CallError as error:
        raise SystemTextError(f"{symbols(whole)!r}: {error}") from None


def _compared(atom: Atom) -> str:
    first, _, second = atom.word.partition("-")
    a, b = suit(first), suit(second)
    if atom.hi < INFINITE:
        return f"as many {a} as {b}" if atom.lo == 0 else f"{atom.lo} more {a} than {b}"
    if atom.lo <= 0:
        return f"{a} not shorter than {b}"
    return f"more {a} than {b}" if atom.lo == 1 else f"{atom.lo}+ more {a} than {b}"


def _read_compared(found: re.Match[str]) -> Atom:
    first = found["as"] or found["no"] or found["more"]
    word = f"{_LETTERS.get(first, first)}-{_LETTERS.get(found['than'], found['than'])}"
    if found["as"]:
        return Atom(word, 0, 0)
    if found["no"]:
        return Atom(word, 0, INFINITE)
    count = found["n"] or "1+"
    return Atom(word, int(count.rstrip("+")), INFINITE if count.endswith("+") else int(count))


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


def read_promise(text: str) -> Constraint:
    """The constraint that ``promise`` writes as ``text``."""
    if not text or text == ANY:
        return ()
    return tuple(_known(clause) for clause in text.split("; " if "; " in text else ", "))


@lru_cache(maxsize=1 << 12)
def _known(clause: str) -> Clause:
    of = clause.removesuffix(" agreed")
    if of != clause:
        return _AGREED[_LETTERS.get(of, of)]
    return tuple(
        tuple(read_condition(part.strip()) for part in together.split(" and ")) for together in clause.split(" or ")
    )


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


def read_remark(text: str) -> tuple[str, tuple[str, ...]]:
    """The note and the flags that ``remark`` writes as ``text``."""
    parts = text.split(", ") if text else []
    flags: list[str] = []
    while parts and parts[-1] in _FLAG_OF:
        flags.insert(0, _FLAG_OF[parts.pop()])
    return ", ".join(parts), tuple(flags)


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
        text = next((words for words, plain in _TOKENS.items() if plain == token), token)
    return f"({text})" if step.theirs else text


def read_call(text: str) -> Step:
    """The step that ``call`` writes as ``text``.

    Raises:
        SystemTextError: no call is written so.
    """
    theirs = text.startswith("(") and text.endswith(")")
    body = text[1:-1] if theirs else text
    kind, _, of = body.rpartition(" ")
    spans = [span for span, words in _SPANS.items() if words == kind]
    name = _LETTERS.get(of, "N" if of == "NT" else of)
    token = f"{spans[0]}:{name}" if spans else _TOKENS.get(body, "")
    if not token and len(body) > 1:
        strain = body[1:]
        token = body[0] + ("N" if strain == "NT" else _LETTERS.get(strain, strain))
    return parse_step(f"({token or body})" if theirs else token or body)


def path(steps: tuple[Step, ...]) -> str:
    """``1!h - 2NT``."""
    return " - ".join(call(step) for step in steps)


def symbols(text: str) -> str:
    """With suit symbols in place of the marks."""
    return re.sub("![cdhs]", lambda match: SYMBOLS[match[0]], text)


def marks(text: str) -> str:
    """With marks in place of the suit symbols."""
    return re.sub("[♣♦♥♠]", lambda match: _OF_SYMBOL[match[0]], text)
