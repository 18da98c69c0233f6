"""Read and write BEN's HTTP interface: GET with a query, JSON back. Brill's seat interface is the same.

``docs/programs.md`` has the fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

import msgspec
import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.errors import printable
from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import CALL_NAMES, DOUBLE, PASS, REDOUBLE, CallError, parse_call
from bridge_env.rules.cards import SEATS, card_text, parse_vulnerability
from bridge_env.rules.play import row_winner
from bridge_table.http.requests import parse_card

BID, LEAD, PLAY = "/bid", "/lead", "/play"

_WORDS = {"--": PASS, "PA": PASS, "P": PASS, "DB": DOUBLE, "RD": REDOUBLE}
_WRITTEN = {PASS: "--", DOUBLE: "Db", REDOUBLE: "Rd"}
_CALL = re.compile(r"--|[1-7](?:NT|[CDHSN])|P(?:ASS|A)?|XX|RD|X|DB|[^-*\s]")
_VULNERABLE = ("None", "NS", "EW", "All")
_VULNERABLE_SIGNS = {"": 0, "@v": 1, "@V": 2, "@v@V": 3, "@V@v": 3}

SeatLetter = Annotated[str, msgspec.Meta(pattern="^[NESWnesw]$")]


@dataclass(frozen=True, eq=False)
class Question:
    """A seat that is to call or to play."""

    seat: int  # 0..3; for dummy's card it is declarer
    hand: NDArray[np.bool_]  # (52,), the thirteen cards that were dealt to it
    dealer: int  # 0..3
    vulnerability: int  # 0..3
    calls: tuple[int, ...] = ()  # the auction so far, numbers 0..37
    # (52,), the thirteen cards that were dealt to dummy; None where it is not seen
    dummy: NDArray[np.bool_] | None = None
    played: tuple[int, ...] = ()  # the cards so far, in the order of play, numbers 0..51


class Fields(msgspec.Struct, kw_only=True):
    """The fields of a query; programs send others too."""

    ctx: str
    seat: SeatLetter = "N"
    dealer: SeatLetter = "N"
    vul: str = ""
    hand: str = ""
    dummy: str = ""
    played: str = ""
    format: bool = False
    details: bool = False

    def question(self, needs_hand: bool) -> Question:
        """Return the question, without a hand where it needs none; raise ``ValueError`` where a field is faulty."""
        calls, dealer = read_calls(self.ctx), SEATS.index(self.dealer.upper())
        played = tuple(parse_card(self.played[at : at + 2]) for at in range(0, len(self.played), 2))
        if self.format:
            played = in_order_of_play(played, calls, dealer)
        return Question(
            SEATS.index(self.seat.upper()), read_hand(self.hand) if needs_hand else np.zeros(52, np.bool_), dealer,
            read_vulnerability(self.vul), calls, read_hand(self.dummy) if self.dummy else None, played,
        )  # fmt: skip


def question_path(question: Question, *, play: bool, **more: str) -> str:
    """Return the path and query of a request for a card, or for a call; ``more`` holds further fields."""
    fields = {
        "hand": hand_text(question.hand), "seat": "NESW"[question.seat], "dealer": "NESW"[question.dealer],
        "vul": _VULNERABLE[question.vulnerability], "ctx": calls_text(question.calls),
    }  # fmt: skip
    if play and question.played:
        fields["dummy"] = "" if question.dummy is None else hand_text(question.dummy)
        fields["played"] = "".join(card_text(card) for card in question.played)
    endpoint = BID if not play else PLAY if question.played else LEAD
    return f"{endpoint}?{urlencode({**fields, **more}, safe='@')}"


def read_calls(text: str) -> tuple[int, ...]:
    """Return the calls of ``ctx``; raise ``CallError`` where one of them is no call."""
    text = text.strip().upper()
    if _CALL.sub(" ", text).endswith("-"):
        raise CallError("'ctx' ends with '-', which is no call; a pass is --")
    return tuple(read_call(word, "ctx") for word in _CALL.findall(text))


def read_call(word: str, where: str) -> int:
    """Return a call of ``ctx`` or of an answer; raise ``CallError`` where it is no call."""
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
    """Return the order of play of cards whose complete tricks all begin with the opening leader's seat."""
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


def read_hand(text: str) -> NDArray[np.bool_]:
    """Return a hand, bool (52,); raise ``ValueError`` where it is none; the message says why."""
    return parse_hand(text.strip().upper().replace("_", ".").replace("10", "T"))


def read_vulnerability(text: str) -> int:
    """Return the code of ``vul``; raise ``ValueError`` where it is no vulnerability."""
    word = text.strip()
    return _VULNERABLE_SIGNS[word] if word in _VULNERABLE_SIGNS else parse_vulnerability(word)


def answer_word(call: int) -> str:
    """Write a call as in answers: ``PASS``, ``X``, ``XX``, ``1N``."""
    return "PASS" if call == PASS else CALL_NAMES[call].removesuffix("T")


class Candidate(msgspec.Struct):
    """A call that was considered, and how likely it was."""

    call: str
    insta_score: float | None = None


class Answer(msgspec.Struct):
    """The answer of another program: a call or a card, and what it says about it, or an error."""

    bid: str = ""
    card: str = ""
    candidates: list[Candidate] | None = None
    explanation: str | None = None  # what the call shows
    why: str | None = None  # how it was found, on lines of its own
    error: str = ""
    message: str = ""  # an error too

    @property
    def refusal(self) -> str:
        """The error text; empty where there is none."""
        return printable(self.error or self.message).replace("\n", " ")[:300]


def read_answer(body: bytes) -> Answer:
    """Return an answer; raise ``ValueError`` where it cannot be read; the message quotes the body."""
    try:
        return msgspec.json.decode(body, type=Answer)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise ValueError(f"its answer cannot be read ({fault}): {body[:80]!r}") from None
