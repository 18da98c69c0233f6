"""Conditions of a hand as a player says them, and what a seat has shown: ``five or more hearts``, ``10 to 15 HCP``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.engine.context import STRENGTH, SUIT
from agents.hierarchy.language.columns import QUANTITY, TOP
from agents.hierarchy.language.text import atom_text, is_difference
from agents.hierarchy.language.tree import INFINITE, Atom, Constraint, Together
from agents.hierarchy.telling.wording import span

Ranges = dict[str, tuple[int, int]]

_SYMBOLS = "♣♦♥♠"
SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen")  # fmt: skip
_POINTS = {
    "hcp": "HCP",
    "points": "points with length",
    "support": "points in support of {}",
    "rule20": "HCP and cards in the two longest suits",
    "zar": "Zar points",
}
_CARDS = {
    "losers": ("losers", "loser"),
    "controls": ("controls", "control"),
    "aces": ("aces", "ace"),
    "kings": ("kings", "king"),
    "quick": ("half quick tricks", "half quick trick"),
    "longest": ("cards in the longest suit", "card in the longest suit"),
    "shortest": ("cards in the shortest suit", "card in the shortest suit"),
    "top3": ("of the top three {}", "of the top three {}"),
    "top5": ("of the top five {}", "of the top five {}"),
    "keycards": ("key cards for {}", "key card for {}"),
    "playing": ("half playing tricks in {}", "half playing trick in {}"),
}
_YES_NO = {
    "balanced": ("balanced", "not balanced"),
    "semibalanced": ("balanced or nearly so", "neither balanced nor nearly so"),
    "stopper": ("a stopper in {}", "no stopper in {}"),
    "best": ("{} our longest fit", "{} not our longest fit"),
    "long": ("no suit longer than {}", "a suit longer than {}"),
}


def under(head: str, texts: Iterable[str]) -> Iterator[str]:
    """Lines of an explanation under one head, which stands before the first of them."""
    for text in texts:
        yield f"  {head:<9} {text}"
        head = ""


def number(n: int) -> str:
    """``five``; figures from fourteen on."""
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def counted(low: int, high: int, most: int, many: str, one: str) -> str:
    """``five or more hearts``, ``two to four hearts``, ``at most one ace``, ``no aces``."""
    if high >= most:
        return f"{number(low)} or more {many}"
    if low == high:
        return f"{number(low)} {one if low == 1 else many}"
    if low <= 0:
        return f"at most {number(high)} {one if high == 1 else many}"
    return f"{number(low)} {'or' if high == low + 1 else 'to'} {number(high)} {many}"


def points(low: int, high: int, unit: str) -> str:
    """``10 to 15 HCP``."""
    if high >= INFINITE or (unit == "HCP" and high >= 37):
        return f"{low} or more {unit}"
    if low == high:
        return f"{low} {unit}"
    return f"at most {high} {unit}" if low <= 0 else f"{low} to {high} {unit}"


def phrase(word: str, low: int, high: int) -> str:
    """One condition of a hand; its suit is known."""
    if is_difference(word):
        return _compared(word, low, high)
    stem, _, of = word.partition(":")
    if word in SUIT_NAMES:
        return counted(low, high, 13, SUIT_NAMES[word], SUIT_NAMES[word].removesuffix("s"))
    if word.startswith("hcp:"):
        return points(low, high if high < 10 else INFINITE, f"HCP in {SUIT_NAMES[of]}")
    name = SUIT_NAMES.get(of, of)
    if stem in _POINTS:
        return points(low, high, _POINTS[stem].format(name))
    if stem in _YES_NO:
        return _YES_NO[stem][0 if low >= 1 else 1].format(name)
    if stem in _CARDS:
        many, one = _CARDS[stem]
        return counted(low, high, INFINITE, many.format(name), one.format(name))
    return atom_text(Atom(word, low, high))


def _compared(word: str, low: int, high: int) -> str:
    a, _, b = word.partition("-")
    first, second = SUIT_NAMES[a], SUIT_NAMES[b]
    if high < 13:
        return f"as many {first} as {second}" if low == high == 0 else f"{low} to {high} more {first} than {second}"
    if low == 0:
        return f"{first} not shorter than {second}"
    if low < 0:
        return f"{first} at most {number(-low)} shorter than {second}"
    return f"more {first} than {second}" if low == 1 else f"{number(low)} or more {first} more than {second}"


# --- many conditions ---------------------------------------------------------------------------------------


def hull(constraint: Constraint) -> Ranges:
    """The ranges that every hand of ``constraint`` lies in: those that all alternatives of a clause speak of."""
    out: Ranges = {}
    for clause in constraint:
        _narrow(out, unite(_of_together(together) for together in clause))
    return out


def one_way(constraint: Constraint, chosen: tuple[int, ...]) -> Ranges:
    """Pick one alternative of each clause, and give its ranges. Every hand in these ranges meets ``constraint``."""
    out: Ranges = {}
    for clause, place in zip(constraint, chosen, strict=True):
        _narrow(out, _of_together(clause[place]))
    return out


def unite(several: Iterable[Ranges]) -> Ranges:
    """The ranges that hold of every hand of one or the other."""
    first, *others = several
    out = dict(first)
    for ranges in others:
        out = {
            word: (min(low, ranges[word][0]), max(high, ranges[word][1]))
            for word, (low, high) in out.items()
            if word in ranges
        }
    return out


def _of_together(together: Together) -> Ranges:
    out: Ranges = {}
    for atom in together:
        _narrow(out, {atom.word: (atom.lo, atom.hi)})
    return out


def _narrow(out: Ranges, by: Ranges) -> None:
    for word, (low, high) in by.items():
        if word in out:
            low, high = max(low, out[word][0]), min(high, out[word][1])
        out[word] = (low, high)


def says_nothing(word: str, low: int, high: int) -> bool:
    """Does every hand meet it?"""
    if is_difference(word):
        return low <= -13 and high >= 13
    return low <= 0 and high >= (13 if word in SUIT_NAMES else 1 if word.partition(":")[0] in _YES_NO else INFINITE)


def sentence(ranges: Ranges) -> str:
    """All of it, long suits first, then points, then the rest; empty where it says nothing."""
    kept = [(word, low, high) for word, (low, high) in ranges.items() if not says_nothing(word, low, high)]
    kept = [part for part in kept if not _implied(part, ranges)]
    kept.sort(key=lambda part: _order(*part))
    return ", ".join(phrase(*part) for part in kept)


def _implied(part: tuple[str, int, int], ranges: Ranges) -> bool:
    """Does another of ``ranges`` say it already? HCP are never more than points with length."""
    word, low, high = part
    if word == "points":
        return high >= INFINITE and "hcp" in ranges and ranges["hcp"][0] >= low
    stem, _, of = word.partition(":")
    return stem == "long" and low == 1 and of in ranges and ranges[of][0] >= 7


def _order(word: str, low: int, high: int) -> tuple[int, int]:
    if word in SUIT_NAMES:
        return (0, -low) if low >= 3 else (3, high)
    stem = word.partition(":")[0]
    return (1 if stem in _POINTS and word != "rule20" and ":" not in word else 2, 0)


# --- what a seat has shown, and what calls were measured to show ------------------------------------------------


def shown_text(shown: NDArray[np.int16], symbols: bool = False) -> str:
    """Describe what one seat has shown, int16 (QUANTITIES, 2): ``strength 12-21, 5+ spades``, or ``12-21 points, 5+♠``.

    Args:
        symbols: for pages: suits as symbols, strength as points.
    """
    parts = []
    low, high = (int(n) for n in shown[STRENGTH])
    if strength := _range(low, high, int(TOP[STRENGTH])):
        parts.append(f"{strength} points" if symbols else f"strength {strength}")
    least = shown[SUIT : SUIT + 4, 0]
    for suit in (3, 2, 1, 0):
        others = int(least.sum()) - int(least[suit])  # what they leave room for need not be said
        if cards := _range(int(least[suit]), int(shown[SUIT + suit, 1]), 13 - others):
            parts.append(f"{cards}{_SYMBOLS[suit]}" if symbols else f"{cards} {SUIT_NAMES['CDHS'[suit]]}")
    low, high = (int(n) for n in shown[QUANTITY["aces"]])
    if count := _range(low, high, int(TOP[QUANTITY["aces"]])):
        parts.append(f"{count} {'ace' if count == '1' else 'aces'}")
    return ", ".join(parts) or ("nothing particular" if symbols else "nothing")


def measured_text(ranges: NDArray[np.uint8]) -> str:
    """Describe measured ranges, uint8 (5, 2): ``11-15 HCP, 5-6♠``. Suits of which they tell nothing are left out."""
    (low, high), *suits = ((int(a), int(b)) for a, b in ranges.tolist())
    words = [f"{span(low, high)} HCP"]
    if min(a for a, _ in suits) >= 2 and max(b for _, b in suits) <= 5:
        words.append("balanced")
    for suit in (3, 2, 1, 0):
        least, most = suits[suit]
        if least >= 4 or most <= 2 or (least >= 3 and most <= 5) or (least >= 2 and most <= 3):
            words.append(f"{span(least, most)}{_SYMBOLS[suit]}")
    return ", ".join(words)


def _range(low: int, high: int, top: int) -> str:
    """``12-21``, ``5+`` or ``4``; empty if it says nothing."""
    return "" if low <= 0 and high >= top else span(low, high, top)
