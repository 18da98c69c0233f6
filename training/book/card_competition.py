"""Fill in the part of a convention card for auctions in which both sides bid: doubles, overcalls, defence to 1NT."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.systems.explain.player_terms import SUIT_MARKS, span
from training.book.survey import CallSurvey, Hands, call_name

_SUITS = "CDHS"
_SHORT = 2.8  # cards in their suit on average: hands at random have more
_ABOVE = {"takeout": "short in their suit", "penalty": "penalties", "values": "values"}
_OFTEN = 0.002  # a double is part of the system if so many hands make it


def competition(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    """Yield the rows on doubles, overcalls and the defence to one no trump."""
    yield from _our_doubles(survey)
    yield from _overcalls(survey)
    yield from _against_notrump(survey)


# --- doubles -----------------------------------------------------------------------------------------------

_OVERCALLS = ("2C", "2D", "2H", "2S", "3C", "3D", "3H", "3S", "4C", "4D", "4H", "4S")


def kind_of_double(hands: Hands, theirs: int, bid: tuple[int, ...] = ()) -> str:
    """Name a double ``takeout``, ``penalty`` or ``values`` by the hands' cards in their suit and in unbid majors.

    Args:
        theirs: the suit that is doubled.
        bid: the suits that were bid before.
    """
    if not hands.known or hands.share < _OFTEN:
        return ""
    usual = hands.column("hcp") <= np.median(hands.column("hcp")) + 1  # strong hands double with any shape
    hands = Hands(hands.features[usual], hands.share)
    if hands.most(hands.length(theirs) >= 4, 0.7):
        return "penalty"
    majors = [suit for suit in (2, 3) if suit != theirs and suit not in bid]
    four = any(hands.most(hands.length(suit) >= 4, 0.85) for suit in majors)
    three = bool(majors) and all(hands.most(hands.length(suit) >= 3, 0.85) for suit in majors)
    if four or three or float(np.mean(hands.length(theirs))) <= _SHORT:
        return "takeout"
    return "values"


def _our_doubles(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    for opening, overcalls in (("1D", ("1H", "1S", *_OVERCALLS)), ("1S", _OVERCALLS)):
        kinds = []
        for bid in overcalls:
            if bid[1] != opening[1]:
                hands = survey.made(f"{opening} {bid} X")
                kinds.append((bid, kind_of_double(hands, _SUITS.index(bid[1]), (_SUITS.index(opening[1]),)), hands))
        yield f"double after {call_name(opening)}-(overcall)", through(kinds, "negative")
    kinds = []
    for bid in ("2D", "2S", "3D", "3S", "4D", "4S"):
        hands = survey.made(f"1{bid[1]} X {bid} X")
        kinds.append((bid, kind_of_double(hands, _SUITS.index(bid[1])), hands))
    yield "double after (1x)-X-(raise)", through(kinds, "responsive")
    support = survey.made("1C P 1H 1S X")
    if not support.known or support.share < _OFTEN:
        yield "double after 1!c-1!h-(1!s)", "not used"
    elif support.most(support.length(2) == 3, 0.9):
        yield "double after 1!c-1!h-(1!s)", f"support: three hearts, {support.hcp()}"
    else:
        yield "double after 1!c-1!h-(1!s)", f"no support double: {support.describe()}"


def through(kinds: list[tuple[str, str, Hands]], name: str) -> str:
    """Return up to which overcall doubles are take-out, ``negative through 3!s, from 7 HCP``; and the kind above."""
    low = 0
    while low < len(kinds) and kinds[low][1] == "takeout":
        low += 1
    if not low:
        first = next((k for k in kinds if k[1]), None)
        return "not used" if first is None else f"not {name}: {first[1]} ({first[2].describe()})"
    least = kinds[0][2].range("hcp")[0]
    text = f"{name} through {call_name(kinds[low - 1][0])}, from {least} HCP"
    above = next((k for k in kinds[low:] if k[1]), None)
    return text if above is None else f"{text}; {_ABOVE[above[1]]} at {call_name(above[0])}"


# --- overcalls ---------------------------------------------------------------------------------------------


def _overcalls(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    for label, auction in (
        ("(1!d)-1!s", "1D 1S"), ("(1!s)-2!h", "1S 2H"), ("jump (1!d)-2!s", "1D 2S"), ("jump (1!s)-3!d", "1S 3D"),
    ):  # fmt: skip
        hands = survey.made(auction)
        suit = _SUITS.index(auction[-1])
        if not hands.known:
            yield label, "not used"
        else:
            kind = _strength(hands) if label.startswith("jump") else ""
            yield label, f"{kind}{hands.hcp()}, {hands.cards(suit)}"
    for label, auction in (("cue (1!c)-2!c", "1C 2C"), ("cue (1!s)-2!s", "1S 2S"), ("(1!s)-2NT", "1S 2N")):
        hands = survey.made(auction)
        yield label, two_suits(hands, _SUITS.index(auction[1])) if hands.known else "not used"
    for label, auction in (("(1!d)-1NT", "1D 1N"), ("(1!d)-P-P-1NT", "1D P P 1N")):
        hands = survey.made(auction)
        yield label, hands.describe()
    yield "take-out double", _takeout(survey)


def _strength(hands: Hands) -> str:
    low, high = hands.range("hcp")
    return "weak, " if high <= 11 else "strong, " if low >= 14 else "intermediate, "


def two_suits(hands: Hands, theirs: int) -> str:
    """Describe which two suits a call shows: both majors, the other major and a minor, both minors."""
    clubs, diamonds, hearts, spades = (hands.length(suit) >= 4 for suit in range(4))
    long = hands.column("longest") >= 5
    if not hands.most(long, 0.9):
        return hands.describe()
    if hands.most(hearts & spades, 0.9):
        return f"both majors (Michaels), {hands.hcp()}" if theirs < 2 else f"both majors, {hands.hcp()}"
    if hands.most(clubs & diamonds, 0.9):
        return f"both minors (unusual), {hands.hcp()}"
    for major, held in ((3, spades), (2, hearts)):
        if theirs != major and hands.most(held & (clubs | diamonds), 0.9):
            return f"{SUIT_MARKS[_SUITS[major]]} and a minor (Michaels), {hands.hcp()}"
    return hands.describe()


def _takeout(survey: CallSurvey) -> str:
    hands = survey.made("1H X")
    if kind_of_double(hands, 2) != "takeout":
        return f"not take-out: {hands.describe()}"
    kinds = [(f"{n}H", kind_of_double(survey.made(f"{n}H X"), 2), hands) for n in (1, 2, 3, 4)]
    level = next((i for i, (_, kind, _) in enumerate(kinds) if kind != "takeout"), len(kinds))
    usual = hands.column("hcp") <= 15
    shape = Hands(hands.features[usual], hands.share) if usual.sum() >= 20 else hands
    fewest, most = shape.range("length:S")[0], shape.range("length:H")[1]
    balancing = survey.made("1H P P X")
    after = f"; from {balancing.range('hcp')[0]} HCP in fourth seat" if balancing.known else ""
    least = hands.range("hcp")[0]
    return f"over (1!h) from {least} HCP, {fewest}+!s and at most {most}!h unless strong; through ({level}!h){after}"


# --- the defence to one no trump ---------------------------------------------------------------------------


def _against_notrump(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    parts = []
    for call in ("X", "2C", "2D", "2H", "2S", "2N"):
        hands = survey.made(f"1N {call}")
        if hands.known:
            parts.append(f"{call_name(call)} {_one_against_notrump(hands, call)}")
    yield "over (1NT)", "; ".join(parts) or "always pass"


def _one_against_notrump(hands: Hands, call: str) -> str:
    if call == "X":
        low, high = hands.range("hcp")
        return f"penalties, {hands.hcp()}" if low >= 13 else f"{span(low, high)} HCP"
    suit = _SUITS.find(call[1])
    if suit >= 0 and hands.most(hands.length(suit) >= 5, 0.9):
        return f"natural, {hands.cards(suit)}, {hands.hcp()}"
    return two_suits(hands, -1) if not hands.most(hands.column("balanced") == 1) else hands.describe()
