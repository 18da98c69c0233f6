"""Fill in the convention card of a bidder by its calls on many hands.

Nothing is read from the text of the system: a name such as Stayman is given to a call by the hands that make it. So a
system that evolved gets a card as well. Doubles, overcalls and slams are in ``card_competition`` and ``card_slam``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from agents.systems.explain.player_terms import span, symbols
from training.book.card_competition import COMPETITION, slam_rows
from training.book.survey import NOT_USED, CallSurvey, CardRow, Hands, call_name, if_used, suit_of

_TWO_LEVEL = ("2C", "2D", "2H", "2S", "2N")
_TRANSFERS = {"2D": 2, "2H": 3, "4D": 2, "4H": 3}
#: What opener and responder call next, to see whether they may stop below game.
_PREFERENCES = {"2C": ("2D P 2S", "2S P 3C"), "2H": ("2S P 3H", "3C P 3S")}


def convention_card(survey: CallSurvey) -> list[dict[str, Any]]:
    """Return the boxes of a bidder's card, ``{title, rows: [[label, text]]}``; neighbours with one text share a row."""
    boxes = [
        (title, [(label, describe(survey, auction)) for label, auction, describe in rows])
        for title, rows in (*_CONSTRUCTIVE, ("When both sides bid", COMPETITION))
    ]
    boxes.append(("Slam", list(slam_rows(survey))))
    return [{"title": title, "rows": list(_merged([row for row in rows if row[1]]))} for title, rows in boxes]


def _merged(rows: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
    labels: list[str] = []
    for number, (label, text) in enumerate(rows):
        labels.append(symbols(label))
        if number + 1 == len(rows) or rows[number + 1][1] != text:
            yield [", ".join(labels), symbols(text)]
            labels = []


def _one_notrump(hands: Hands, call: str) -> str:
    balanced, nearly = (hands.most(hands.column(name) == 1, 0.98) for name in ("balanced", "semibalanced"))
    parts = [hands.hcp(), "balanced" if balanced else "balanced or nearly so" if nearly else "any shape"]
    majors = (hands.length(2) >= 5) | (hands.length(3) >= 5)
    parts.append("may hold a five-card major" if majors.mean() >= 0.03 else "no five-card major")
    if ((hands.length(0) >= 6) | (hands.length(1) >= 6)).mean() >= 0.01:
        parts.append("may hold a six-card minor")
    return ", ".join(parts)


def _one_of_a_suit(survey: CallSurvey, auction: str) -> str:
    hands, suit = survey.made(auction), suit_of(auction)
    if not hands.known:
        return NOT_USED
    low, high = hands.range("hcp")
    cards = int(hands.length(suit).min())
    usual = hands.range(f"length:{auction[1]}")[0]
    if low >= 15 and cards < 3:
        text = f"strong, artificial, {hands.hcp()}"
    else:
        short = suit < 2 and cards < 3
        least = f"{usual}+ cards, rarely {cards}" if usual > cards and not short else f"{cards}+ cards"
        text = f"{least}, {span(low, high)} HCP{', may be short' if short else ''}"
    third = survey.made(f"P P {auction}")
    if third.known and third.range("hcp")[0] < low:
        text += f"; in third seat from {third.range('hcp')[0]}"
    return text + ("" if high < 22 or low >= 15 else ", unlimited")


def _two_level(hands: Hands, call: str) -> str:
    """Describe an opening bid of two: weak, strong or by the hands that make it."""
    low, high = hands.range("hcp")
    if call[1] == "N":
        return hands.describe()
    own = hands.range(f"length:{call[1]}")
    if low >= 18:
        return f"strong, {'artificial, ' if own[0] < 4 else ''}{hands.hcp()}"
    if own[0] >= 5 and high <= 12:
        return f"weak, {span(*own, 7)} cards, {span(low, high)} HCP"
    return f"{'artificial, ' if own[0] < 4 else ''}{hands.describe()}"


def _three_of_a_suit(survey: CallSurvey, auction: str) -> str:
    used = [(hands, suit) for suit in "CDHS" if (hands := survey.made(f"3{suit}")).known]
    if not used:
        return ""
    low = min(hands.range("hcp")[0] for hands, _ in used)
    high = max(hands.range("hcp")[1] for hands, _ in used)
    cards = min(hands.range(f"length:{suit}")[0] for hands, suit in used)
    return f"{'weak, ' if high <= 12 else ''}{cards} cards or more, {span(low, high)} HCP"


def _response_to_notrump(survey: CallSurvey, auction: str) -> str:
    """Name a response to 1NT by the hands that make it; empty where nobody opens 1NT."""
    hands, call, suit = survey.made(auction), auction[-2:], suit_of(auction)
    if not hands.known or not survey.made("1N").known:
        return ""
    four = (hands.length(2) >= 4) | (hands.length(3) >= 4)
    if call == "2C" and hands.most(four) and not hands.most(hands.length(0) >= 4, 0.6):
        return f"Stayman, {hands.hcp()}"
    if call in _TRANSFERS:
        shown = _TRANSFERS[call]
        if hands.most(hands.length(shown) >= 5) and not hands.most(hands.length(suit) >= 5, 0.6):
            name = "transfer" if call[0] == "2" else "Texas transfer"
            return f"{name}, {hands.cards(shown)}, {hands.hcp()}"
    if suit < 0:
        return hands.describe()
    if not hands.most(hands.length(suit) >= 4):
        if hands.most((hands.length(0) >= 5) | (hands.length(1) >= 5)) and call in ("2S", "3C"):
            return f"a long minor, {hands.hcp()}"
        return f"asks for aces (Gerber), {hands.hcp()}" if call == "4C" else f"artificial, {hands.describe()}"
    low, high = hands.range("hcp")
    kind = "to play" if high <= 8 else "slam interest" if low >= 13 else "invitational" if high <= 10 else "forcing"
    return f"{kind}, {hands.cards(suit)}, {hands.hcp()}"


def _raise(hands: Hands, call: str) -> str:
    low, high = hands.range("hcp")
    kind = "weak, " if call == "4S" and high <= 12 else ""
    if call == "3S":
        middle = float(np.median(hands.column("hcp")))
        kind = "forcing, " if low >= 11 else "weak, " if middle < 8 else "limit, " if middle <= 11 else ""
    return f"{kind}{hands.cards(3)}, {hands.hcp()}"


def _conventional_raise(survey: CallSurvey, auction: str) -> str:
    """Describe a raise that does not name the suit; empty where the call is something else."""
    hands, call = survey.made(auction), auction[-2:]
    if not hands.known or not hands.most(hands.length(3) >= 3):
        return ""
    low = hands.range("hcp")[0]
    if call == "2N":
        game = survey.forced(f"{auction} P 3S P")
        kind = "Jacoby, a raise to game" if game else "limit raise or better" if low >= 8 else "raise"
    else:
        own = hands.length(suit_of(call))
        bergen = call[0] == "3" and not hands.most(own >= 4, 0.6)
        kind = "splinter" if hands.most(own <= 1) else "Bergen raise" if bergen else "fit and suit"
    return f"{kind}, {hands.cards(3)}, {hands.hcp()}"


def _notrump_response(survey: CallSurvey, auction: str) -> str:
    hands = survey.made(auction)
    force = "forcing" if survey.forced(f"{auction} P") else "not forcing"
    return f"{hands.hcp()}, {force}" if hands.known else NOT_USED


def _two_over_one(survey: CallSurvey, auction: str) -> str:
    hands, call = survey.made(auction), auction[-2:]
    if not hands.known:
        return ""
    game = all(survey.forced(f"{auction} P {later} P") for later in _PREFERENCES[call])
    force = "forcing to game" if game else "forcing" if survey.forced(f"{auction} P") else "not forcing"
    return f"{hands.hcp()}, {hands.cards(suit_of(call))}, {force}"


def _drury(hands: Hands, call: str) -> str:
    return f"Drury, {hands.cards(3)}, {hands.hcp()}" if hands.most(hands.length(3) >= 3) else ""


def _has_strong_club(survey: CallSurvey) -> bool:
    club = survey.made("1C")
    return club.known and club.range("hcp")[0] >= 15


def _response_to_strong_club(survey: CallSurvey, auction: str) -> str:
    return survey.made(auction).describe() if _has_strong_club(survey) else ""


def _minor_raise(survey: CallSurvey, auction: str) -> str:
    hands, suit, level = survey.made(auction), suit_of(auction), auction[-2]
    if not hands.known or not hands.most(hands.length(suit) >= 3) or (suit == 0 and _has_strong_club(survey)):
        return ""
    middle = float(np.median(hands.column("hcp")))
    kind = "inverted, " if level == "2" and middle >= 11 else "weak, " if level == "3" and middle < 8 else ""
    return f"{kind}{hands.cards(suit)}, {hands.hcp()}"


def _jump_shift(hands: Hands, call: str) -> str:
    low, high = hands.range("hcp")
    return f"{'strong' if low >= 13 else 'weak' if high <= 10 else 'sound'}, {hands.describe()}"


_CONSTRUCTIVE: tuple[tuple[str, tuple[CardRow, ...]], ...] = (
    ("Opening bids", (
        ("1NT", "1N", if_used(_one_notrump, NOT_USED)),
        *((call_name(call), call, _one_of_a_suit) for call in ("1S", "1H", "1D", "1C")),
        *((call_name(call), call, if_used(_two_level, NOT_USED)) for call in _TWO_LEVEL),
        ("3 of a suit", "3C", _three_of_a_suit),
    )),
    ("Responses to 1NT", tuple(
        (call_name(call), f"1N P {call}", _response_to_notrump)
        for call in (*_TWO_LEVEL, "3C", "3D", "3H", "3S", "4C", "4D", "4H")
    )),
    ("Responses to a major", (
        ("single raise", "1S P 2S", if_used(_raise)),
        ("double raise", "1S P 3S", if_used(_raise)),
        ("raise to game", "1S P 4S", if_used(_raise)),
        *((f"1!s - {call_name(call)}", f"1S P {call}", _conventional_raise)
          for call in ("2N", "3C", "3D", "3H", "4C", "4D", "4H")),
        ("1!s - 1NT", "1S P 1N", _notrump_response),
        *((f"1!s - {call_name(call)}", f"1S P {call}", _two_over_one) for call in _PREFERENCES),
        ("by a passed hand 2!c", "P P 1S P 2C", if_used(_drury)),
    )),
    ("Responses to a minor", (
        *((f"1!c - {call_name(call)}", f"1C P {call}", _response_to_strong_club)
          for call in ("1D", "1H", "1S", "1N", "2C")),
        *((f"{call_name(f'1{suit}')} - {call_name(f'{level}{suit}')}", f"1{suit} P {level}{suit}", _minor_raise)
          for suit in "DC" for level in "23"),
        *((f"1!d - {call_name(call)}", f"1D P {call}", if_used(lambda hands, call: hands.describe()))
          for call in ("1N", "2N", "3N")),
        ("jump shift", "1D P 2H", if_used(_jump_shift)),
    )),
)  # fmt: skip
