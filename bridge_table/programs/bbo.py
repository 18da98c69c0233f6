"""The form of BBO's ``robot.php``: GET with a query, XML back.

========================  ==========================================================================================
field                     what it holds
========================  ==========================================================================================
``pov``                   who is asked: N, E, S or W; declarer where dummy is to play
``d``, ``v``              the dealer; the vulnerability, ``-``, ``n``, ``e`` or ``b``
``n`` ``e`` ``s`` ``w``   hands, spades first, ``akq2.jt9.876.543``. Only that of ``pov`` is looked at, and dummy's
                          after the opening lead
``h``                     calls from the dealer on, then cards, with dashes: ``1n-p-p-p-hj``; ``x`` and ``xx`` double
========================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import MAX_CALLS, Auctions, IllegalCall, one_auction
from bridge_env.calls import CALL_NAMES, PASS, CallError, parse_call
from bridge_env.cards import SEATS, card_text, hand_text, parse_hand
from bridge_table.programs.question import CallAnswer, CardAnswer, Question, needed, plain, read_card, read_seat

ROBOT = "/robot.php"
_VULNERABLE = "-neb"


# --- questions --------------------------------------------------------------------------------------------


def read_question(fields: Mapping[str, str]) -> tuple[Question, bool]:
    """The question of a query, and whether it asks for a card.

    Raises:
        ValueError: a field is missing or faulty; the message says which.
    """
    pov, d, v = (needed(fields, name) for name in ("pov", "d", "v"))
    seat, dealer, told = read_seat(pov, "pov"), read_seat(d, "d"), v.lower()
    if len(told) != 1 or told not in _VULNERABLE:
        raise ValueError(f"'v' must be -, n, e or b, not {v!r}")
    auction, played = _history(fields.get("h", ""), dealer)
    over = bool(auction.done[0])
    dummy = None
    if over and played:
        declarer = int(auction.contracts().declarer[0])
        dummy = None if declarer < 0 else _hand(fields, declarer ^ 2)
    hand = _hand(fields, seat)
    return Question(seat, hand, dealer, _VULNERABLE.index(told), auction.calls(0), dummy, played), over


def _history(text: str, dealer: int) -> tuple[Auctions, tuple[int, ...]]:
    words = text.split("-") if text else []
    auction, at = Auctions(dealer, 0), 0
    for word in words[:MAX_CALLS]:
        if auction.done[0]:
            break
        auction.step(_call(word))
        at += 1
    return auction, tuple(read_card(word) for word in words[at:])


def _call(word: str) -> int:
    try:
        return parse_call(word)
    except CallError:
        raise CallError(f"'h' holds {word[:20]!r}, which is no call; write p, x, xx or a bid as 1n") from None


def _hand(fields: Mapping[str, str], seat: int) -> NDArray[np.bool_]:
    name = SEATS[seat].lower()
    if not fields.get(name):
        raise ValueError(f"the field {name!r} is missing: the hand of {SEATS[seat]}")
    return parse_hand(fields[name])


def question_path(question: Question, door: str = ROBOT) -> str:
    """The path and query that ask ``question``."""
    fields = {"pov": SEATS[question.seat], "d": SEATS[question.dealer], "v": _VULNERABLE[question.vulnerability]}
    hands = dict.fromkeys("nesw", "")
    hands[SEATS[question.seat].lower()] = hand_text(question.hand).lower()
    if question.dummy is not None:
        hands[SEATS[_dummy(question)].lower()] = hand_text(question.dummy).lower()
    said = [_word(call).lower() for call in question.calls]
    said += [card_text(card).lower() for card in question.played]
    return f"{door}?{urlencode({**fields, **hands, 'h': '-'.join(said)})}"


def _dummy(question: Question) -> int:
    declarer = int(one_auction(question.calls, question.dealer).contracts().declarer[0])
    if declarer < 0:
        raise IllegalCall("a passed out board has no dummy")
    return declarer ^ 2


def _word(call: int) -> str:
    return "P" if call == PASS else CALL_NAMES[call].removesuffix("T")


# --- answers ----------------------------------------------------------------------------------------------


def call_xml(answer: CallAnswer, who: str) -> str:
    """A call as the robot tells it."""
    return _xml(who, type="bid", bid=_word(answer.call), meaning=answer.explanation)


def card_xml(answer: CardAnswer, who: str) -> str:
    """A card as the robot tells it."""
    return _xml(who, type="play", card=card_text(answer.card))


def error_xml(sentence: str, who: str) -> str:
    """Why there is no answer."""
    return _xml(who, type="error", message=sentence)


def _xml(who: str, **told: str) -> str:
    root = ElementTree.Element("sc_bm", {"robot": who})
    ElementTree.SubElement(root, "r", {name: _sound(text) for name, text in told.items()})
    return ElementTree.tostring(root, encoding="unicode")


def _sound(text: str) -> str:
    """Without characters that XML cannot hold."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def read_call_answer(body: bytes) -> CallAnswer:
    """The call that a program answered.

    Raises:
        ValueError: there is none; the message says what came instead.
    """
    found = _answer(body, "bid")
    try:
        call = parse_call(found["bid"])
    except CallError:
        raise CallError(f"its answer's bid, {found['bid'][:20]!r}, is no call") from None
    return CallAnswer(call, explanation=plain(found.get("meaning")))


def read_card_answer(body: bytes) -> CardAnswer:
    """The card that a program answered.

    Raises:
        ValueError: there is none; the message says what came instead.
    """
    return CardAnswer(read_card(_answer(body, "card")["card"]))


def read_error(body: bytes) -> str:
    """What a refusal says; empty where it says nothing that can be read."""
    try:
        return plain(_told(body).get("message"))
    except ValueError:
        return ""


def _answer(body: bytes, field: str) -> dict[str, str]:
    told = _told(body)
    if field not in told:
        said = plain(told.get("message")) or f"{body[:80]!r}"
        raise ValueError(f"its answer has no {field!r}: {said[:200]}")
    return told


def _told(body: bytes) -> dict[str, str]:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    if "<!" in text or "\0" in text:  # entities and their tricks, or two bytes a letter, which would hide them
        raise ValueError(f"its answer is XML with declarations; only plain XML is read: {body[:80]!r}")
    try:
        found = ElementTree.fromstring(text).find("r")
    except (ElementTree.ParseError, ValueError):
        raise ValueError(f"its answer is no XML: {body[:80]!r}") from None
    if found is None:
        raise ValueError(f"its answer has no <r …/>: {body[:80]!r}")
    return dict(found.attrib)
