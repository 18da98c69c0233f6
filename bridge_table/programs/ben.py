"""Read and write BEN's HTTP interface: GET with a query, JSON back. Brill's seat interface is the same.

========================  ==========================================================================================
field                     what it holds
========================  ==========================================================================================
``hand``, ``dummy``       thirteen cards, spades first, ``AK97543.K.T3.AK7``; ``_`` may stand for the dots, and ``x``
                          for a small card: the lowest that is not named elsewhere
``seat``, ``dealer``      N, E, S or W
``vul``                   empty or ``None``; ``@v`` or ``NS``; ``@V`` or ``EW``; ``@v@V``, ``All`` or ``Both``
``ctx``                   two characters a call from the dealer on: ``--``, ``Db``, ``Rd``, ``1C`` ... ``7N``; also
                          with dashes, stars or spaces between calls, ``P-1N-P``, and as ``1NP2C``
``played``                two characters a card, in the order of play: ``H7HQ``; with ``format=true`` the cards of every
                          trick begin with that of the opening leader's seat
========================  ==========================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

import msgspec
import numpy as np
from numpy.typing import NDArray

from agents.meanings import Shows
from bridge_env.bidders.errors import printable
from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import CALL_NAMES, DOUBLE, PASS, REDOUBLE, CallError, parse_call
from bridge_env.rules.cards import RANKS, SEATS, card_text, parse_vulnerability
from bridge_env.rules.play import row_winner
from bridge_table.programs.question import CallAnswer, Question, read_card

BID, LEAD, PLAY = "/bid", "/lead", "/play"

_WORDS = {"--": PASS, "PA": PASS, "P": PASS, "DB": DOUBLE, "RD": REDOUBLE}
_WRITTEN = {PASS: "--", DOUBLE: "Db", REDOUBLE: "Rd"}
_CALL = re.compile(r"--|[1-7](?:NT|[CDHSN])|P(?:ASS|A)?|XX|RD|X|DB|[^-*\s]")
_Json = TypeVar("_Json")
_VULNERABLE = {"signs": ("", "@v", "@V", "@v@V"), "words": ("None", "NS", "EW", "All")}


SeatLetter = Annotated[str, msgspec.Meta(pattern="^[NESWnesw]$")]

# --- questions --------------------------------------------------------------------------------------------


class AuctionFields(msgspec.Struct, kw_only=True):
    """The fields of a query about the calls of an auction; programs send others too."""

    seat: SeatLetter
    dealer: SeatLetter
    vul: str
    ctx: str

    def question(self) -> Question:
        """Return the question, which has no hand.

        Raises:
            ValueError: a field is faulty; the message says which.
        """
        return Question(
            SEATS.index(self.seat.upper()), np.zeros(52, np.bool_), SEATS.index(self.dealer.upper()),
            read_vulnerability(self.vul), read_calls(self.ctx),
        )  # fmt: skip


class PositionFields(AuctionFields, kw_only=True):
    """The fields of a query about all calls of the seat to call."""

    seat: SeatLetter = "N"
    dealer: SeatLetter = "N"
    vul: str = ""
    file_us: str = ""
    file_them: str = ""

    def question(self) -> Question:
        """Return the question, which has no hand; raises as ``AuctionFields.question`` does."""
        if self.file_us or self.file_them:
            raise ValueError("systems cannot be chosen here: they are those that the server was started with")
        return super().question()


class HandFields(AuctionFields, kw_only=True):
    """The fields of a query about a call or the opening lead."""

    hand: str
    details: bool = False
    key: Annotated[int, msgspec.Meta(ge=0)] | None = None  # of the random stream, modulo 2 to the power of 64

    def question(self) -> Question:
        """Return the question; raises as ``AuctionFields.question`` does."""
        return replace(super().question(), hand=read_hands([self.hand])[0], key=self.key)


class PlayFields(HandFields, kw_only=True):
    """The fields of a query about a card after the opening lead."""

    dummy: str
    played: str
    format: bool = False

    def question(self) -> Question:
        """Return the question; raises as ``AuctionFields.question`` does."""
        base = AuctionFields.question(self)
        played = tuple(read_card(self.played[at : at + 2]) for at in range(0, len(self.played), 2))
        if not played:
            raise ValueError("no card was played yet: ask /lead for the opening lead")
        if self.format:
            played = in_order_of_play(played, base.calls, base.dealer)
        hand, dummy = read_hands([self.hand, self.dummy], played)
        return replace(base, hand=hand, dummy=dummy, played=played, key=self.key)


def question_path(question: Question, *, play: bool, vul: str = "words", **more: str) -> str:
    """Return the path and query of a request for a card, or for a call.

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
    endpoint = BID if not play else PLAY if question.played else LEAD
    return f"{endpoint}?{urlencode({**fields, **more}, safe='@')}"


def read_calls(text: str) -> tuple[int, ...]:
    """Return the calls of ``ctx``.

    Raises:
        CallError: one of them is no call.
    """
    text = text.strip().upper()
    if _CALL.sub(" ", text).endswith("-"):
        raise CallError("'ctx' ends with '-', which is no call; a pass is --")
    return tuple(read_call(word, "ctx") for word in _CALL.findall(text))


def read_call(word: str, where: str) -> int:
    """Return a call of ``ctx`` or of an answer.

    Raises:
        CallError: it is no call.
    """
    known = _WORDS.get(word.strip().upper())
    if known is not None:
        return known
    try:
        return parse_call(word)
    except CallError:
        raise CallError(f"{where!r} holds {word[:20]!r}, which is no call; write --, Db, Rd or a bid as 1N") from None


def calls_text(calls: tuple[int, ...]) -> str:
    """Write calls as ``ctx``."""
    return "".join(_WRITTEN.get(call, CALL_NAMES[call][:2]) for call in calls)


def in_order_of_play(cards: Sequence[int], calls: Sequence[int], dealer: int) -> tuple[int, ...]:
    """Return the order of play of cards whose tricks all begin with the opening leader's seat.

    An unfinished last trick is in the order of play already.
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
    """Return hands, bool (52,) each; an ``x`` is the lowest card that neither a hand nor a trick names.

    Raises:
        ValueError: one is no hand; the message says why.
    """
    suits = [text.strip().upper().replace("_", ".").replace("10", "T").split(".") for text in texts]
    named = {card_text(card) for card in played}
    named |= {letter + rank for hand in suits for letter, ranks in zip("SHDC", hand, strict=False) for rank in ranks}
    for hand in suits:
        for at, letter in enumerate("SHDC"[: len(hand)]):
            while "X" in hand[at]:
                small = next((rank for rank in RANKS if letter + rank not in named), None)
                if small is None:
                    raise ValueError(f"there are more cards of {letter} than thirteen")
                named.add(letter + small)
                hand[at] = hand[at].replace("X", small, 1)
    return [parse_hand(".".join(hand)) for hand in suits]


def read_vulnerability(text: str) -> int:
    """Return the code of ``vul``.

    Raises:
        ValueError: it is no vulnerability.
    """
    word = text.strip()
    if word in _VULNERABLE["signs"]:
        return _VULNERABLE["signs"].index(word)
    if word == "@V@v":
        return 3
    return parse_vulnerability(word)


# --- answers ----------------------------------------------------------------------------------------------


def auction_json(calls: Sequence[int], shown: Sequence[Shows]) -> dict[str, Any]:
    """Return what each call of an auction shows in BEN's form: a list in HTML."""
    rows = [f"  <li>{escape(answer_word(c))} {escape(meaning(s))}</li>\n" for c, s in zip(calls, shown, strict=True)]
    return {"explanation": f"<ul>\n{''.join(rows)}</ul>", "bba_controlled": False}


def bids_json(shown: Mapping[int, Shows], sides: Sequence[str]) -> list[dict[str, Any]]:
    """Return what each legal call would show; the last row also has the specs of both sides, as in BEN."""
    rows: list[dict[str, Any]] = [
        {"bid": "P" if call == PASS else answer_word(call), "m": meaning(shows), "Alert": shows.artificial}
        for call, shows in shown.items()
    ]
    rows[-1] |= {"NS": sides[0], "EW": sides[1]}
    return rows


def meaning(shows: Shows) -> str:
    """Write what a call shows in one line."""
    return f"{shows.text} ({shows.note})" if shows.note else shows.text


def answer_word(call: int) -> str:
    """Write a call as in answers: ``PASS``, ``X``, ``XX``, ``1N``."""
    return "PASS" if call == PASS else CALL_NAMES[call].removesuffix("T")


class _CallCandidate(msgspec.Struct):
    call: str
    insta_score: float | None = None


class _CallJson(msgspec.Struct):
    bid: str
    candidates: list[_CallCandidate] | None = None
    explanation: str | None = None
    why: str | None = None


class _CardJson(msgspec.Struct):
    card: str


class _ErrorJson(msgspec.Struct):
    error: str = ""
    message: str = ""


def read_call_answer(body: bytes) -> CallAnswer:
    """Return the call in the body of an answer.

    Raises:
        ValueError: there is none; the message quotes the body.
    """
    found = _decode(body, _CallJson)
    candidates = tuple(
        (read_call(one.call, "candidates"), one.insta_score)
        for one in found.candidates or ()
        if one.insta_score is not None
    )
    return CallAnswer(
        read_call(found.bid, "bid"), candidates, printable(found.explanation or ""), printable(found.why or "")
    )


def read_card_answer(body: bytes) -> int:
    """Return the card in the body of an answer.

    Raises:
        ValueError: there is none; the message quotes the body.
    """
    return read_card(_decode(body, _CardJson).card)


def read_error(body: bytes) -> str:
    """Return the error text in the body of an answer; empty where it has none."""
    try:
        found = msgspec.json.decode(body, type=_ErrorJson)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""
    return printable(found.error or found.message).replace("\n", " ")


def _decode(body: bytes, kind: type[_Json]) -> _Json:
    error = read_error(body)
    if error:
        raise ValueError(f"it says: {error[:200]}")
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise ValueError(f"its answer cannot be read ({fault}): {body[:80]!r}") from None
