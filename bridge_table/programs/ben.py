"""BEN's form: GET with a query, JSON back. Brill's seat interface is the same.

========================  ==========================================================================================
field                     what it holds
========================  ==========================================================================================
``hand``, ``dummy``       thirteen cards, spades first, ``AK97543.K.T3.AK7``; ``_`` may stand for the dots, and ``x``
                          for a small card: the lowest that is not named elsewhere
``seat``, ``dealer``      N, E, S or W
``vul``                   empty or ``None``; ``@v`` or ``NS``; ``@V`` or ``EW``; ``@v@V``, ``All`` or ``Both``
``ctx``                   two characters a call from the dealer on: ``--``, ``Db``, ``Rd``, ``1C`` ... ``7N``; also
                          with a dash or a space between calls, ``P-1N-P``
``played``                two characters a card, in the order of play: ``H7HQ``; with ``format=true`` the cards of every
                          trick begin with that of the opening leader's seat
========================  ==========================================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import one_auction
from bridge_env.calls import CALL_NAMES, DOUBLE, PASS, REDOUBLE, CallError, parse_call
from bridge_env.cards import RANKS, card_text, hand_text, parse_hand, parse_vulnerability
from bridge_env.files import FileError
from bridge_env.json_files import check_type, decode_json
from bridge_env.play import row_winner
from bridge_table.programs.question import CallAnswer, CardAnswer, Question, needed, plain, read_card, read_seat

BID, LEAD, PLAY = "/bid", "/lead", "/play"
EXPLAIN, EXPLAIN_ALL, CONTRACT = "/explain", "/explain_auction", "/contract"
CLAIM, BIDS, BOARD, CUEBID = "/claim", "/bids", "/autoplay", "/cuebid"
DOORS = (BID, LEAD, PLAY, EXPLAIN, EXPLAIN_ALL, CONTRACT, CLAIM, BIDS, BOARD, CUEBID)

_WORDS = {"--": PASS, "PA": PASS, "P": PASS, "DB": DOUBLE, "RD": REDOUBLE}
_WRITTEN = {PASS: "--", DOUBLE: "Db", REDOUBLE: "Rd"}
_LOOSE = re.compile(r"--|[1-7](?:NT|[CDHSN])|P(?:ASS|A)?|XX|RD|X|DB|[^-*\s]")
_VULNERABLE = {"signs": ("", "@v", "@V", "@v@V"), "words": ("None", "NS", "EW", "All")}


# --- questions --------------------------------------------------------------------------------------------


def read_question(fields: Mapping[str, str], play: bool = False) -> Question:
    """The question of a query; ``play``: with dummy and the cards played.

    Raises:
        ValueError: a field is missing or faulty; the message says which.
    """
    told = {name: needed(fields, name) for name in ("hand", "seat", "dealer", "vul", "ctx")}
    calls, dealer = read_calls(told["ctx"]), read_seat(told["dealer"], "dealer")
    hands, played = [told["hand"]], tuple[int, ...]()
    if play:
        hands.append(needed(fields, "dummy"))
        text = needed(fields, "played")
        played = tuple(read_card(text[at : at + 2]) for at in range(0, len(text), 2))
        if read_flag(fields, "format"):
            played = in_order_of_play(played, calls, dealer)
    hand, *dummy = read_hands(hands, played)
    return Question(
        read_seat(told["seat"], "seat"), hand, dealer, read_vulnerability(told["vul"]), calls,
        dummy[0] if dummy else None, played, _key(fields.get("key", "")),
    )  # fmt: skip


def read_auction(fields: Mapping[str, str]) -> Question:
    """The auction of a query about calls, whose last one is meant; it holds no hand.

    Raises:
        ValueError: a field is missing or faulty, or there was no call; the message says which.
    """
    told = {name: needed(fields, name) for name in ("seat", "dealer", "vul", "ctx")}
    calls = read_calls(told["ctx"])
    if not calls:
        raise ValueError("'ctx' holds no call to be explained")
    return Question(
        read_seat(told["seat"], "seat"), np.zeros(52, np.bool_), read_seat(told["dealer"], "dealer"),
        read_vulnerability(told["vul"]), calls,
    )  # fmt: skip


def read_position(fields: Mapping[str, str]) -> Question:
    """The position of a query about all calls of whoever is to call: ``ctx`` also as ``1NP2C*P``.

    Raises:
        ValueError: a field is missing or faulty; the message says which.
    """
    for name in ("file_us", "file_them"):
        if fields.get(name):
            raise ValueError(f"{name!r} cannot be chosen here: the systems are those that the server was started with")
    words = _LOOSE.findall(needed(fields, "ctx").upper())
    return Question(
        read_seat(fields.get("seat") or "N", "seat"), np.zeros(52, np.bool_),
        read_seat(fields.get("dealer") or "N", "dealer"), read_vulnerability(fields.get("vul", "")),
        tuple(read_call(word, "ctx") for word in words),
    )  # fmt: skip


def read_two_hands(fields: Mapping[str, str]) -> Question:
    """Both hands of a side, of a query that asks for their contract.

    Raises:
        ValueError: a field is missing or faulty, or a card lies in both; the message says which.
    """
    hand, dummy = read_hands([needed(fields, "hand"), needed(fields, "dummy")])
    if (hand & dummy).any():
        raise ValueError(f"{card_text(int((hand & dummy).argmax()))} lies in both hands")
    seat = read_seat(needed(fields, "seat"), "seat")
    return Question(seat, hand, seat, read_vulnerability(needed(fields, "vul")), dummy=dummy)


def question_path(question: Question, *, play: bool, vul: str = "words", **more: str) -> str:
    """The path and query that ask ``question``: for a card, or for a call.

    Args:
        vul: ``words`` (None, NS, EW, All) or ``signs`` (``@v``, ``@V``).
        more: further fields.
    """
    fields = {
        "hand": hand_text(question.hand), "seat": "NESW"[question.seat], "dealer": "NESW"[question.dealer],
        "vul": _VULNERABLE[vul][question.vulnerability], "ctx": calls_text(question.calls),
    }  # fmt: skip
    if play and question.played:
        fields["dummy"] = "" if question.dummy is None else hand_text(question.dummy)
        fields["played"] = "".join(card_text(card) for card in question.played)
    if question.key is not None:
        fields["key"] = str(question.key)
    door = BID if not play else PLAY if question.played else LEAD
    return f"{door}?{urlencode({**fields, **more}, safe='@')}"


def read_calls(text: str) -> tuple[int, ...]:
    """The calls of ``ctx``.

    Raises:
        CallError: one of them is none.
    """
    if " " in text.strip():
        words = text.split()
    elif "-" in text and "--" not in text:
        words = text.split("-")
    else:
        text = text.strip()
        words = [text[at : at + 2] for at in range(0, len(text), 2)]
    return tuple(read_call(word, "ctx") for word in words)


def read_call(word: str, where: str) -> int:
    """A call of ``ctx`` or of an answer.

    Raises:
        CallError: it is none.
    """
    known = _WORDS.get(word.strip().upper())
    if known is not None:
        return known
    try:
        return parse_call(word)
    except CallError:
        raise CallError(f"{where!r} holds {word[:20]!r}, which is no call; write --, Db, Rd or a bid as 1N") from None


def calls_text(calls: tuple[int, ...]) -> str:
    """Calls as ``ctx`` writes them."""
    return "".join(_WRITTEN.get(call, CALL_NAMES[call][:2]) for call in calls)


def in_order_of_play(cards: Sequence[int], calls: Sequence[int], dealer: int) -> tuple[int, ...]:
    """Cards whose tricks all begin with the opening leader's seat, in the order in which they were played.

    A last trick that is not whole stands in the order of play already.
    """
    contract = one_auction(calls, dealer, 0).contracts()
    strain, leader = int(contract.bid[0]) % 5, 0  # the seat that leads a trick, from the opening leader on
    out: list[int] = []
    for start in range(0, len(cards), 4):
        trick = list(cards[start : start + 4])
        if len(trick) == 4:
            trick = trick[leader:] + trick[:leader]
            leader = (leader + int(row_winner(np.array(trick, np.int8), 0, strain))) & 3
        out += trick
    return tuple(out)


def read_hands(texts: Sequence[str], played: Sequence[int] = ()) -> list[NDArray[np.bool_]]:
    """Hands, bool (52,) each; an ``x`` is the lowest card that neither a hand nor a trick names.

    Raises:
        ValueError: one is none; the message says why.
    """
    suits = [text.strip().upper().replace("_", ".").replace("10", "T").split(".") for text in texts]
    taken = {card_text(card) for card in played}
    taken |= {letter + rank for hand in suits for letter, ranks in zip("SHDC", hand, strict=False) for rank in ranks}
    for hand in suits:
        for at, letter in enumerate("SHDC"[: len(hand)]):
            while "X" in hand[at]:
                small = next((rank for rank in RANKS if letter + rank not in taken), None)
                if small is None:
                    raise ValueError(f"there are more cards of {letter} than thirteen")
                taken.add(letter + small)
                hand[at] = hand[at].replace("X", small, 1)
    return [parse_hand(".".join(hand)) for hand in suits]


def read_vulnerability(text: str) -> int:
    """The code of ``vul``.

    Raises:
        ValueError: it is none.
    """
    word = text.strip()
    if word in _VULNERABLE["signs"]:
        return _VULNERABLE["signs"].index(word)
    if word == "@V@v":
        return 3
    return parse_vulnerability(word)


def read_flag(fields: Mapping[str, str], name: str) -> bool:
    """Read a field that says yes: ``true``, ``yes`` or ``1``. A missing one says no."""
    return fields.get(name, "").lower() in ("true", "yes", "1")


def read_number(fields: Mapping[str, str], name: str, least: int, most: int, usual: int) -> int:
    """A whole number; ``usual`` where the field is missing or empty.

    Raises:
        ValueError: it is none from ``least`` to ``most``.
    """
    text = fields.get(name, "") or str(usual)
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or not least <= int(text) <= most:
        raise ValueError(f"{name!r} is a whole number from {least} to {most}")
    return int(text)


def _key(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 20 or int(text) >= 1 << 64:
        raise ValueError("'key' is a whole number below 2 to the power of 64")
    return int(text)


# --- answers ----------------------------------------------------------------------------------------------


def call_json(answer: CallAnswer, who: str) -> dict[str, Any]:
    """A call as BEN tells it."""
    out: dict[str, Any] = {
        "bid": answer_word(answer.call),
        "who": who,
        "alert": answer.alert,
        "candidates": [{"call": answer_word(c), "insta_score": round(p, 4)} for c, p in answer.candidates],
        "explanation": answer.explanation,
        **({} if answer.imagined is None else answer.imagined.fields(True)),
    }
    return {**out, "why": answer.why} if answer.why else out


def card_json(answer: CardAnswer, who: str, details: bool = False) -> dict[str, Any]:
    """A card as BEN tells it; ``details``: with the deals that it was chosen on."""
    told: list[dict[str, Any]] = [
        {"card": card_text(c), "expected_tricks_dd": round(tricks, 3)} for c, tricks in answer.candidates
    ]
    for one, chance in zip(told, answer.makes, strict=False):
        one["p_make_contract"] = round(chance, 3)
    out: dict[str, Any] = {
        "card": card_text(answer.card),
        "who": who,
        "candidates": told,
        **({} if answer.imagined is None else answer.imagined.fields(details)),
        **({} if answer.player is None else {"player": answer.player}),
    }
    return {**out, "why": answer.why} if answer.why else out


def answer_word(call: int) -> str:
    """A call as answers write it: ``PASS``, ``X``, ``XX``, ``1N``."""
    return "PASS" if call == PASS else CALL_NAMES[call].removesuffix("T")


def read_call_answer(body: bytes) -> CallAnswer:
    """The call that a program answered.

    Raises:
        ValueError: there is none; the message says what came instead.
    """
    found = _answer(body, "bid")
    candidates = _candidates(found, "call", "insta_score")
    read = tuple((read_call(word, "candidates"), score) for word, score in candidates)
    return CallAnswer(read_call(found["bid"], "bid"), read, plain(found.get("explanation")), plain(found.get("why")))


def read_card_answer(body: bytes) -> CardAnswer:
    """The card that a program answered.

    Raises:
        ValueError: there is none; the message says what came instead.
    """
    found = _answer(body, "card")
    candidates = _candidates(found, "card", "expected_tricks_dd")
    read = tuple((read_card(word), tricks) for word, tricks in candidates)
    return CardAnswer(read_card(found["card"]), read, plain(found.get("why")))


def read_error(body: bytes) -> str:
    """What a refusal says; empty where it says nothing that can be read."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    told = (found.get("error") or found.get("message")) if isinstance(found, dict) else None
    return plain(told).replace("\n", " ")


def _answer(body: bytes, field: str) -> dict[str, Any]:
    told = read_error(body)
    if told:
        raise ValueError(f"it says: {told[:200]}")
    try:
        found: dict[str, Any] = decode_json(body, dict[str, Any], "its answer")
        check_type(found.get(field), str, "its answer")
    except FileError:
        raise ValueError(f"its answer has no {field!r}: {body[:80]!r}") from None
    return found


def _candidates(found: dict[str, Any], field: str, score: str) -> list[tuple[str, float]]:
    """The candidates that have a score; a program may leave them out, or tell other things of them."""
    listed = found.get("candidates")
    return [
        (one[field], float(one[score]))
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and isinstance(one.get(field), str) and isinstance(one.get(score), int | float)
    ]
