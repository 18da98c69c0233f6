"""Write constraints, calls, flags and what hands show in a bridge player's terms.

Books say it in short, ``15-17 HCP, 5+!s``, with suits as in BML (``!c !d !h !s``), so that each kind of page can put
its own symbols there. Explanations say it in sentences: ``five or more spades, 15 to 17 HCP``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agents.systems.explain.ranges import Ranges, distinct, hull, ranges_of_all
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
    "book": ("the book's call", "not the book's call"),
    "jump": ("a jump", "no jump"),
    "game": ("game", "no game"),
}
#: Ranges that have words of their own.
_RANGES = {
    ("doubled", 0, 0): "undoubled",
    ("doubled", 1, 1): "doubled",
    ("doubled", 2, 2): "redoubled",
    ("doubled", 1, 2): "doubled or redoubled",
    ("theirs", 0, 3): "{s} not theirs",
    ("theirs", 4, INFINITE): "{s} theirs",
    ("i-bid", 0, 0): "I have only passed",
    ("i-bid", 1, INFINITE): "I have spoken",
    ("partner-bid", 0, 0): "partner has only passed",
    ("partner-bid", 1, INFINITE): "partner has spoken",
    ("they-bid", 0, 0): "they have only passed",
    ("they-bid", 1, INFINITE): "they have spoken",
    ("passes", 1, 1): "after a pass",
    ("shortest", 0, 0): "a void",
    ("shortest", 0, 1): "a short suit",
    ("shortest", 1, INFINITE): "no void",
    ("shortest", 2, INFINITE): "no short suit",
}
#: What sentences call points, and words that are so or not, where that differs from the phrases.
_SPOKEN_POINTS = {
    "hcp": "HCP",
    "points": "points with length",
    "support": "points in support of {s}",
    "rule20": "by the rule of 20",
    "zar": "Zar points",
}
_SPOKEN_FLAGS = {
    "balanced": _YES_NO["balanced"],
    "semibalanced": ("balanced or nearly so", "neither balanced nor nearly so"),
    "stopper": ("a stopper in {s}", "no stopper in {s}"),
    "control": ("a control in {s}", "no control in {s}"),
    "best": _YES_NO["best"],
    "long": ("no suit longer than {s}", "a suit longer than {s}"),
}
_SPOKEN_COUNTS = ("losers", "controls", "aces", "kings", "quick", "longest", "shortest", "top3", "top5", "keycards",
                  "playing")  # fmt: skip
_PLURAL = re.compile(r"\b(loser|control|ace|king|trick|card|bid|point)s\b")
_LONGEST = 7  # cards: that a suit is no longer says nothing
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen")  # fmt: skip
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
    if stem in _YES_NO and low >= 1:
        high = 1
    if (stem, low, high) in _RANGES:
        return _RANGES[stem, low, high].format(s=suit(of))
    if word in SUIT_MARKS or word in _VARIABLES:
        return f"{span(low, high)}{'' if word in SUIT_MARKS else ' '}{suit(word)}"
    phrase = _PHRASES.get(stem + colon if word.startswith("hcp:") else stem)
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
    texts = list(dict.fromkeys(map(_clause, constraint)))
    mixed = any(len(clause) > 1 for clause in constraint)
    return ("; " if mixed else ", ").join(texts) or ANY


def _clause(clause: Clause) -> str:
    of = next((of for of in _AGREED if _AGREED[of] == clause), None)
    if of is not None:
        return f"{suit(of)} agreed"
    return " or ".join(" and ".join(condition(atom) for atom in together) for together in clause)


def clause_text(clause: Clause) -> str:
    """Write one clause of a score: ``6+ ♠``."""
    return symbols(_clause(clause))


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
        return f"if {_clause(term.condition)}"
    return f"for each {' more than '.join(_NOUNS.get(w) or _noun(w) for w in (term.word, term.less) if w)}"


def _noun(word: str) -> str:
    return condition(Atom(word, 0, 0)).removeprefix("0").strip()


def term_text(count: int, word: str, less: str = "") -> str:
    """Write what a term of a score counts: ``12 points in support of ♠``."""
    text = symbols(condition(Atom(word, count, count)))
    text = _PLURAL.sub(r"\1", text, count=1) if count == 1 else text
    return f"{text} more than {symbols(condition(Atom(less, 0, 0))).removeprefix('0 ')}" if less else text


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


# --- sentences: "five or more hearts, 10 to 15 HCP" ----------------------------------------------------------------


def number(n: int) -> str:
    """Write ``five``; figures from fourteen on."""
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def counted(low: int, high: int, most: int, many: str, one: str) -> str:
    """Write ``five or more hearts``, ``two to four hearts``, ``at most one ace``, ``no aces``."""
    if high >= most:
        return f"{number(low)} or more {many}"
    if low == high == 0 and many.startswith("of "):
        return f"none {many}"
    if low == high:
        return f"{number(low)} {one if low == 1 else many}"
    if low <= 0:
        return f"at most {number(high)} {one if high == 1 else many}"
    return f"{number(low)} {'or' if high == low + 1 else 'to'} {number(high)} {many}"


def _points(low: int, high: int, unit: str) -> str:
    if high >= INFINITE or (unit == "HCP" and high >= 37):
        return f"{low} or more {unit}"
    if low == high:
        return f"{low} {unit}"
    return f"at most {high} {unit}" if low <= 0 else f"{low} to {high} {unit}"


def spoken(word: str, low: int, high: int) -> str:
    """Write one condition of a hand, whose suit is known, as in a sentence: ``10 to 15 HCP``."""
    if is_difference(word):
        return _spoken_difference(word, low, high)
    stem, _, of = word.partition(":")
    name = SUIT_NAMES.get(of, of)
    if word in SUIT_NAMES:
        return counted(low, high, _LONGEST + 1, SUIT_NAMES[word], SUIT_NAMES[word].removesuffix("s"))
    if word.startswith("hcp:"):
        return _points(low, high if high < 10 else INFINITE, f"HCP in {name}")
    if stem in _SPOKEN_POINTS:
        return _points(low, high, _SPOKEN_POINTS[stem].format(s=name))
    if stem in _SPOKEN_FLAGS:
        return _SPOKEN_FLAGS[stem][0 if low >= 1 else 1].format(s=name)
    if (word, low, high) in _RANGES:
        return "a singleton or void" if high == 1 else _RANGES[word, low, high]
    if stem in _SPOKEN_COUNTS:
        many = _PHRASES[stem].removeprefix("{n} ").format(s=name)
        return counted(low, high, INFINITE, many, _PLURAL.sub(r"\1", many, count=1))
    return atom_text(Atom(word, low, high))


def _spoken_difference(word: str, low: int, high: int) -> str:
    a, _, b = word.partition("-")
    first, second = SUIT_NAMES[a], SUIT_NAMES[b]
    if high < 13:
        if low == high:
            return f"{number(low)} more {first} than {second}" if low else f"as many {first} as {second}"
        return f"{low} to {high} more {first} than {second}"
    if low == 0:
        return f"{first} not shorter than {second}"
    if low < 0:
        return f"{first} at most {number(-low)} shorter than {second}"
    return f"more {first} than {second}" if low == 1 else f"{number(low)} or more {first} more than {second}"


def sentence(ranges: Ranges) -> str:
    """Write all ranges, long suits first, then points, then the rest; empty where every hand lies within."""
    return ", ".join(spoken(*part) for part in _telling(ranges))


def light(constraints: Iterable[Constraint], ranges: Ranges) -> str:
    """Write the HCP below which a hand of ``ranges`` needs long suits, as by the rule of 20; empty where none does."""
    sound = [
        tuple(tuple(way for way in clause if "rule20" not in ranges_of_all(way)) or clause for clause in constraint)
        for constraint in constraints
    ]
    least = min((hull(constraint).get("hcp", (0, 0))[0] for constraint in sound), default=0)
    return f"fewer than {least} only with long suits" if least > ranges.get("hcp", (INFINITE, 0))[0] else ""


def either(constraints: Iterable[Constraint]) -> list[Ranges]:
    """Return the two alternatives of counts, of which constraints all ask one: four hearts or four spades; or none."""
    ways: list[Ranges] = []
    for constraint in constraints:
        pairs = ([ranges_of_all(together) for together in clause] for clause in constraint if len(clause) == 2)
        ways += next((pair for pair in pairs if all(_is_count(word) for way in pair for word in way)), [{}])
    ways = distinct(ways)
    return ways if len(ways) == 2 and all(map(sentence, ways)) else []


def _is_count(word: str) -> bool:
    return word in SUIT_NAMES or word.partition(":")[0] in ("aces", "kings", "keycards")


def short_sentence(ranges: Ranges) -> str:
    """Write all ranges as pages have them: ``5+♠, 10+ HCP``; empty where every hand lies within."""
    return symbols(", ".join(condition(Atom(*part)) for part in _telling(ranges)))


def _telling(ranges: Ranges) -> list[tuple[str, int, int]]:
    parts = [(word, low, high) for word, (low, high) in ranges.items() if not says_nothing(word, low, high)]
    parts = [part for part in parts if not _implied(part, ranges)]
    return sorted(parts, key=lambda part: _order(*part))


def counts_points(ranges: Ranges) -> bool:
    """Return whether one of the ranges is of points."""
    return any(word.partition(":")[0] in _SPOKEN_POINTS for word, *_ in _telling(ranges))


def says_nothing(word: str, low: int, high: int) -> bool:
    """Return whether nearly every hand lies within the range."""
    if is_difference(word):
        return low <= -13 and high >= 13
    return low <= 0 and high >= (
        _LONGEST if word in SUIT_NAMES else 1 if word.partition(":")[0] in _SPOKEN_FLAGS else INFINITE
    )


def _implied(part: tuple[str, int, int], ranges: Ranges) -> bool:
    """Return whether another of ``ranges`` says it already: HCP are never more than points with length."""
    word, low, high = part
    if word == "points":
        return high >= INFINITE and "hcp" in ranges and ranges["hcp"][0] >= low
    if word == "semibalanced":
        return ranges.get("balanced", (0, 1))[0] == low == 1
    stem, _, of = word.partition(":")
    if stem == "top5":
        return high >= INFINITE and ranges.get(f"top3:{of}", (0, 0))[0] >= low
    return stem == "long" and low == 1 and of in ranges and ranges[of][0] >= 7


def _order(word: str, low: int, high: int) -> tuple[int, int]:
    if word in SUIT_NAMES:
        return (0, -low) if low >= 3 else (3, high)
    stem = word.partition(":")[0]
    return (1 if stem in _SPOKEN_POINTS and word != "rule20" and ":" not in word else 2, 0)


def under(head: str, texts: Iterable[str]) -> Iterator[str]:
    """Write the lines of an explanation, with ``head`` before the first of them."""
    for text in texts:
        yield f"  {head:<9} {text}"
        head = ""
