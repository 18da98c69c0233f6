"""Fill in the convention card of a bidder by its calls on many hands.

Nothing is read from the text of the system: a name such as Stayman is given to a call by the hands that make it. So a
system that evolved gets a card as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agents.systems.explain.player_terms import SUIT_MARKS, span
from training.book.card_competition import competition
from training.book.card_slam import slam
from training.book.survey import CallSurvey, Hands, call_name

_SUITS = "CDHS"
_NONE = "not used"


@dataclass(frozen=True)
class Section:
    """A box of the card: a title, and rows as (label, text)."""

    title: str
    rows: tuple[tuple[str, str], ...]


def convention_card(survey: CallSurvey) -> list[Section]:
    """Fill the card of a bidder by a survey of its calls."""
    parts = (
        ("Opening bids", openings), ("Responses to 1NT", notrump), ("Responses to a major", majors),
        ("Responses to a minor", minors), ("When both sides bid", competition), ("Slam", slam),
    )  # fmt: skip
    return [Section(title, tuple(rows(survey))) for title, rows in parts]


# --- openings ----------------------------------------------------------------------------------------------


def openings(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    """Yield the rows on openings at the one, two and three level."""
    yield "1NT", _one_notrump(survey.made("1N"))
    for suit in (3, 2, 1, 0):
        yield f"1{_mark(suit)}", _one_of_a_suit(survey, suit)
    for call in ("2C", "2D", "2H", "2S", "2N"):
        yield call_name(call), opening(survey.made(call), call)
    threes = [survey.made(f"3{letter}") for letter in _SUITS]
    known = [(hands, suit) for suit, hands in enumerate(threes) if hands.known]
    if known:
        low = min(hands.range("hcp")[0] for hands, _ in known)
        high = max(hands.range("hcp")[1] for hands, _ in known)
        cards = min(hands.range(f"length:{_SUITS[suit]}")[0] for hands, suit in known)
        yield "3 of a suit", f"{'weak, ' if high <= 12 else ''}{cards} cards or more, {span(low, high)} HCP"


def _one_notrump(hands: Hands) -> str:
    if not hands.known:
        return _NONE
    parts = [hands.hcp(), _style(hands)]
    majors = (hands.length(2) >= 5) | (hands.length(3) >= 5)
    parts.append("may hold a five-card major" if majors.mean() >= 0.03 else "no five-card major")
    if ((hands.length(0) >= 6) | (hands.length(1) >= 6)).mean() >= 0.01:
        parts.append("may hold a six-card minor")
    return ", ".join(parts)


def _style(hands: Hands) -> str:
    if hands.most(hands.column("balanced") == 1, 0.98):
        return "balanced"
    return "balanced or nearly so" if hands.most(hands.column("semibalanced") == 1, 0.98) else "any shape"


def _one_of_a_suit(survey: CallSurvey, suit: int) -> str:
    hands = survey.made(f"1{_SUITS[suit]}")
    if not hands.known:
        return _NONE
    low, high = hands.range("hcp")
    cards = int(hands.length(suit).min())
    usual = hands.range(f"length:{_SUITS[suit]}")[0]
    if low >= 15 and cards < 3:
        text = f"strong, artificial, {hands.hcp()}"
    else:
        text = f"{cards}+ cards, {span(low, high)} HCP"
        if suit < 2 and cards < 3:
            text += ", may be short"
        elif usual > cards:
            text = text.replace(f"{cards}+ cards", f"{usual}+ cards, rarely {cards}")
    third = survey.made(f"P P 1{_SUITS[suit]}")
    if third.known and third.range("hcp")[0] < low:
        text += f"; in third seat from {third.range('hcp')[0]}"
    return text + ("" if high < 22 or low >= 15 else ", unlimited")


def opening(hands: Hands, call: str) -> str:
    """Describe an opening bid of two: weak, strong or by the hands that make it."""
    if not hands.known:
        return _NONE
    low, high = hands.range("hcp")
    if call[1] == "N":
        return hands.describe()
    own = hands.range(f"length:{call[1]}")
    if low >= 18:
        return f"strong, {'artificial, ' if own[0] < 4 else ''}{hands.hcp()}"
    if own[0] >= 5 and high <= 12:
        return f"weak, {span(*own, 7)} cards, {span(low, high)} HCP"
    return f"{'artificial, ' if own[0] < 4 else ''}{hands.describe()}"


# --- responses to 1NT --------------------------------------------------------------------------------------

_TRANSFERS = {"2D": 2, "2H": 3, "4D": 2, "4H": 3}


def notrump(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    """Yield the rows on responses to one no trump."""
    if not survey.made("1N").known:
        return
    for call in ("2C", "2D", "2H", "2S", "2N", "3C", "3D", "3H", "3S", "4C", "4D", "4H"):
        hands = survey.made(f"1N P {call}")
        if hands.known:
            yield call_name(call), response_to_notrump(hands, call)


def response_to_notrump(hands: Hands, call: str) -> str:
    """Name a response to 1NT by the hands that make it."""
    suit = _SUITS.find(call[1])
    four = (hands.length(2) >= 4) | (hands.length(3) >= 4)
    if call == "2C" and hands.most(four) and not hands.most(hands.length(0) >= 4, 0.6):
        return f"Stayman, {hands.hcp()}"
    if call in _TRANSFERS:
        shown = _TRANSFERS[call]
        if hands.most(hands.length(shown) >= 5) and not hands.most(hands.length(suit) >= 5, 0.6):
            name = "transfer" if call[0] == "2" else "Texas transfer"
            return f"{name}, {hands.cards(shown)}, {hands.hcp()}"
    minor = (hands.length(0) >= 5) | (hands.length(1) >= 5)
    if suit >= 0 and not hands.most(hands.length(suit) >= 4):
        if hands.most(minor) and call in ("2S", "2N", "3C"):
            return f"a long minor, {hands.hcp()}"
        if call == "4C":
            return f"asks for aces (Gerber), {hands.hcp()}"
        return f"artificial, {hands.describe()}"
    if suit >= 0:
        low, high = hands.range("hcp")
        kind = "to play" if high <= 8 else "slam interest" if low >= 13 else "invitational" if high <= 10 else "forcing"
        return f"{kind}, {hands.cards(suit)}, {hands.hcp()}"
    return hands.describe()


# --- responses to a suit -----------------------------------------------------------------------------------


#: What opener and responder say next, to see whether they may stop below game.
_PREFERENCES = {"2C": ("2D P 2S", "2S P 3C"), "2H": ("2S P 3H", "3C P 3S")}


def majors(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    """Yield the rows on responses to a major: raises, the two-over-one response, and 1NT."""
    for call, label in (("2S", "single raise"), ("3S", "double raise"), ("4S", "raise to game")):
        hands = survey.made(f"1S P {call}")
        if hands.known:
            yield label, _raise(hands, call)
    for call in ("2N", "3C", "3D", "3H", "4C", "4D", "4H"):
        hands = survey.made(f"1S P {call}")
        text = _conventional_raise(hands, call, call == "2N" and survey.forced("1S P 2N P 3S P"))
        if text:
            yield f"1!s - {call_name(call)}", text
    yield "1!s - 1NT", _notrump_response(survey, "1S P 1N")
    for call in ("2C", "2H"):
        hands = survey.made(f"1S P {call}")
        if hands.known:
            game = all(survey.forced(f"1S P {call} P {later} P") for later in _PREFERENCES[call])
            force = "forcing to game" if game else "forcing" if survey.forced(f"1S P {call} P") else "not forcing"
            yield f"1!s - {call_name(call)}", f"{hands.hcp()}, {hands.cards(_SUITS.index(call[1]))}, {force}"
    drury = survey.made("P P 1S P 2C")
    if drury.known and drury.most(drury.length(3) >= 3):
        yield "by a passed hand 2!c", f"Drury, {drury.cards(3)}, {drury.hcp()}"


def _raise(hands: Hands, call: str) -> str:
    low, high = hands.range("hcp")
    if call == "3S":
        middle = float(np.median(hands.column("hcp")))
        kind = "forcing" if low >= 11 else "weak" if middle < 8 else "limit" if middle <= 11 else ""
        return ", ".join(part for part in (kind, hands.cards(3), hands.hcp()) if part)
    kind = "" if call == "2S" or high > 12 else "weak, "
    return f"{kind}{hands.cards(3)}, {hands.hcp()}"


def _conventional_raise(hands: Hands, call: str, game: bool) -> str:
    """Describe a raise that does not name the suit; empty where the call is something else."""
    if not hands.known or not hands.most(hands.length(3) >= 3):
        return ""
    low = hands.range("hcp")[0]
    if call == "2N":
        kind = "Jacoby, a raise to game" if game else "limit raise or better" if low >= 8 else "raise"
    else:
        suit = _SUITS.index(call[1])
        if hands.most(hands.length(suit) <= 1):
            kind = "splinter"
        elif call[0] == "3" and not hands.most(hands.length(suit) >= 4, 0.6):
            kind = "Bergen raise"
        else:
            kind = "fit and suit"
    return f"{kind}, {hands.cards(3)}, {hands.hcp()}"


def _notrump_response(survey: CallSurvey, text: str) -> str:
    hands = survey.made(text)
    if not hands.known:
        return _NONE
    return f"{hands.hcp()}, {'forcing' if survey.forced(text + ' P') else 'not forcing'}"


def minors(survey: CallSurvey) -> Iterator[tuple[str, str]]:
    """Yield the rows on responses to a minor: raises, no trump and jump shifts."""
    strong = survey.made("1C")
    if strong.known and strong.range("hcp")[0] >= 15:
        for call in ("1D", "1H", "1S", "1N", "2C"):
            yield f"1!c - {call_name(call)}", survey.made(f"1C P {call}").describe()
    for suit in (1, 0):
        one = f"1{_SUITS[suit]}"
        if suit == 0 and strong.known and strong.range("hcp")[0] >= 15:
            continue
        for level in (2, 3):
            hands = survey.made(f"{one} P {level}{_SUITS[suit]}")
            if hands.known and hands.most(hands.length(suit) >= 3):
                middle = float(np.median(hands.column("hcp")))
                kind = "inverted, " if level == 2 and middle >= 11 else "weak, " if level == 3 and middle < 8 else ""
                yield f"{call_name(one)} - {level}{_mark(suit)}", f"{kind}{hands.cards(suit)}, {hands.hcp()}"
    for call in ("1N", "2N", "3N"):
        hands = survey.made(f"1D P {call}")
        if hands.known:
            yield f"1!d - {call_name(call)}", hands.describe()
    hands = survey.made("1D P 2H")
    if hands.known:
        low, high = hands.range("hcp")
        yield "jump shift", f"{'strong' if low >= 13 else 'weak' if high <= 10 else 'sound'}, {hands.describe()}"


def _mark(suit: int) -> str:
    return SUIT_MARKS[_SUITS[suit]]
