"""Write what hands hold in sentences: ``five or more spades, 15 to 17 HCP``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.systems.explain.phrases import PHRASES, PLURAL, RANGES, YES_NO
from agents.systems.explain.player_terms import SUIT_NAMES, condition, symbols
from agents.systems.explain.ranges import Ranges, distinct, hull, ranges_of_all
from agents.systems.language.text import atom_text, is_difference
from agents.systems.language.tree import INFINITE, Alternative, Atom, Constraint

#: What sentences call points, and words that are so or not, where that differs from the phrases.
_SPOKEN_POINTS = {
    "hcp": "HCP",
    "points": "points with length",
    "support": "points in support of {s}",
    "rule20": "by the rule of 20",
    "zar": "Zar points",
}
_SPOKEN_FLAGS = {
    "balanced": YES_NO["balanced"],
    "semibalanced": ("balanced or nearly so", "neither balanced nor nearly so"),
    "stopper": ("a stopper in {s}", "no stopper in {s}"),
    "king": ("the king of {s}", "without the king of {s}"),
    "queen": ("the queen of {s}", "without the queen of {s}"),
    "control": ("a control in {s}", "no control in {s}"),
    "best": YES_NO["best"],
    "long": ("no suit longer than {s}", "a suit longer than {s}"),
}
_SPOKEN_COUNTS = ("losers", "controls", "aces", "kings", "quick", "longest", "shortest", "top3", "top5", "keycards",
                  "playing")  # fmt: skip
_LONGEST = 7  # cards: that a suit is no longer says nothing
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen")  # fmt: skip


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
    if (word, low, high) in RANGES:
        return "a singleton or void" if high == 1 else RANGES[word, low, high]
    if stem in _SPOKEN_COUNTS:
        many = PHRASES[stem].removeprefix("{n} ").format(s=name)
        return counted(low, high, INFINITE, many, PLURAL.sub(r"\1", many, count=1))
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
    sound = []
    for constraint in constraints:
        longest = max([4, *(low for word, (low, _) in hull(constraint).items() if word in SUIT_NAMES)])
        two = longest + -(-(13 - longest) // 3)  # cards in the two longest suits, at least
        sound.append(tuple(tuple(way for way in clause if not _by_shape(way, two)) or clause for clause in constraint))
    least = min((hull(constraint).get("hcp", (0, 0))[0] for constraint in sound), default=0)
    return f"fewer than {least} only with long suits" if least > ranges.get("hcp", (INFINITE, 0))[0] else ""


def _by_shape(way: Alternative, two: int) -> bool:
    """Return whether some hands with its HCP and ``two`` cards in their two longest suits are too short for a way."""
    hcp = max((atom.lo for atom in way if atom.word == "hcp"), default=0)
    return any(atom.word.startswith("playing") or (atom.word == "rule20" and atom.lo > hcp + two) for atom in way)


def either(constraints: Iterable[Constraint]) -> list[Ranges]:
    """Return the two alternatives of counts, of which constraints all ask one: four hearts or four spades; or none."""
    ways: list[Ranges] = []
    for constraint in constraints:
        pairs = ([ranges_of_all(alternative) for alternative in clause] for clause in constraint if len(clause) == 2)
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
