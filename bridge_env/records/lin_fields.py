"""Convert the values of one LIN board to a ``Board`` and back.

LIN counts seats from South, clockwise; a played trick is told in the order of play, while a ``Board`` has a
column for each seat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from bridge_env.auction import MAX_CALLS
from bridge_env.calls import DOUBLE, PASS, REDOUBLE, Contract, call_text, parse_call
from bridge_env.cards import (
    CARD_NUMBERS,
    RANKS,
    SUITS,
    UNKNOWN,
    UInt8Array,
    board_dealer,
    board_vulnerability,
    card_text,
    suit_ranks,
)
from bridge_env.records.board import ILLEGAL, BadBoard
from bridge_env.records.pbn_fields import passes_missing

LIN_SEATS = "SWNE"
"""The order of hands, names and dealers: digits 1 to 4."""
PLAYERS = ("South", "West", "North", "East")

_VULNERABLE = {"o": 0, "0": 0, "-": 0, "n": 1, "e": 2, "b": 3}
_CALL = re.compile(
    r"[\s,]*(?:(?P<bid>[1-7]\s*(?:NT|[NCDHS]))|(?P<all>AP)|(?P<pass>PASS|P|--)|(?P<redouble>REDOUBLE|RDBL|XX|R)"
    r"|(?P<double>DOUBLE|DBL|X|D))(?P<mark>[!?*]*)(?P<note>\s*\([^()]*\))?(?:\s*\{[^{}]*\})?[\s,]*",
    re.IGNORECASE,
)
_CARD = re.compile(r"\s*([SHDC])\s*(10|[2-9TJQKA])\s*", re.IGNORECASE)
_NUMBER = re.compile(r"(?:board|bd)?[\s#.]*([1-9]\d{0,8})\s*$", re.IGNORECASE | re.ASCII)
_PLACE = re.compile(r"([oc])\s*([1-9]\d{0,8})\s*$", re.IGNORECASE | re.ASCII)


@dataclass(slots=True)
class LinBoard:
    """What a file says of one board: the last value of each key but ``mb``, ``an`` and ``pc``."""

    line: int
    values: dict[str, str] = field(default_factory=dict)
    calls: list[int] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)
    cards: list[int] = field(default_factory=list)
    names: str = ""  # told once for a match
    bad: BadBoard | None = None  # in a call, which are read as they come
    bad_play: BadBoard | None = None  # in a card

    def add_calls(self, text: str, line: int) -> None:
        """One call, as ``mb`` has it, or several without blanks, as links have them."""
        end = 0
        while end < len(text) and self.bad is None:
            match = _CALL.match(text, end)
            if match is None:
                self.bad = BadBoard(line, f"auction: {text[end : end + 20]!r} is not a call", "not a call")
                return
            end = match.end()
            if match["all"]:
                self.calls += [PASS] * passes_missing(self.calls)
            elif match["bid"]:
                self.calls.append(parse_call(match["bid"][0] + match["bid"][1:].strip()))
            else:
                self.calls.append(PASS if match["pass"] else REDOUBLE if match["redouble"] else DOUBLE)
            if len(self.calls) > MAX_CALLS:
                reason = f"the auction has more than {MAX_CALLS} calls, the most there can be"
                self.bad = BadBoard(line, reason, ILLEGAL)
            if ("!" in match["mark"] or match["note"]) and self.calls:
                self.notes[len(self.calls) - 1] = (match["note"] or "").strip()[1:-1].strip()

    def add_cards(self, text: str, line: int) -> None:
        """One card, or several."""
        end = 0
        while end < len(text) and self.bad_play is None:
            match = _CARD.match(text, end)
            if match is None:
                self.bad_play = BadBoard(line, f"play: {text[end : end + 20]!r} is not a card", "play")
                return
            end = match.end()
            rank = match[2].upper().replace("10", "T")
            self.cards.append(CARD_NUMBERS[match[1].upper() + rank])


def read_number(lin: LinBoard) -> int | None:
    """Read the board's number, if one is given."""
    match = _PLACE.match(lin.values.get("qx", "").strip())
    if match:
        return int(match[2])
    match = _NUMBER.match(lin.values.get("ah", "").strip())
    return int(match[1]) if match else None


def read_room(lin: LinBoard) -> str:
    """``"Open"``, ``"Closed"`` or nothing."""
    match = _PLACE.match(lin.values.get("qx", "").strip())
    return "" if match is None else {"o": "Open", "c": "Closed"}[match[1].lower()]


def read_names(lin: LinBoard, room: str) -> dict[str, str]:
    """Player by seat; of eight names the last four sit in the closed room."""
    names = [name.strip() for name in lin.values.get("pn", lin.names).split(",")]
    if len(names) == 8:
        names = names[4:] if room == "Closed" else names[:4]
    return {seat: name for seat, name in zip(PLAYERS, names, strict=True) if name} if len(names) == 4 else {}


def read_deal(lin: LinBoard) -> UInt8Array:
    """owner uint8 (52,), read-only. A hand that is left out has the cards that nobody else has."""
    text = lin.values.get("md", "").strip()
    hands = text.lstrip("01234").split(",")
    if not text or not any(hands):
        raise BadBoard(lin.line, "the board has no deal", "no deal")
    if len(hands) > 4:
        raise _no_deal(lin, f"it has {len(hands)} hands")
    owner = np.full(52, UNKNOWN, np.uint8)
    for digit, hand in enumerate(hands):
        for card in _hand(lin, hand):
            if owner[card] != UNKNOWN:
                raise _no_deal(lin, f"it has {card_text(card)} twice")
            owner[card] = digit ^ 2  # S W N E in LIN's order, N E S W in ours
    held = np.bincount(owner, minlength=256)
    empty = np.flatnonzero(held[:4] == 0)
    if len(empty) == 1 and held[UNKNOWN] == 13:
        owner[owner == UNKNOWN] = empty[0]
    elif (held[:4] != 13).any():
        told = ", ".join(f"{seat} {held[i ^ 2]}" for i, seat in enumerate(LIN_SEATS))
        raise _no_deal(lin, f"its hands have not 13 cards each: {told}")
    owner.flags.writeable = False
    return owner


def _hand(lin: LinBoard, text: str) -> list[int]:
    cards: list[int] = []
    suit = -1
    for letter in text.upper().replace("10", "T"):
        if letter in SUITS:
            suit = SUITS.index(letter)
        elif letter in RANKS and suit >= 0:
            cards.append(suit * 13 + RANKS.index(letter))
        elif not letter.isspace():
            raise _no_deal(lin, f"{letter!r} is not a card")
    return cards


def _no_deal(lin: LinBoard, why: str) -> BadBoard:
    return BadBoard(lin.line, f"deal {lin.values['md'][:100]!r}: {why}", "not 52 distinct cards")


def read_dealer(lin: LinBoard, number: int | None) -> int:
    """From the digit before the hands, else the board's number."""
    digit = lin.values.get("md", "").strip()[:1]
    if digit and digit in "1234":
        return (int(digit) - 1) ^ 2
    if number is None:
        raise BadBoard(lin.line, "no dealer, and no board number to tell it from", "dealer")
    return int(board_dealer(number))


def read_vulnerability(lin: LinBoard, number: int | None) -> int:
    """From ``sv``, else the board's number."""
    text = lin.values.get("sv", "").strip().lower()
    if text in _VULNERABLE:
        return _VULNERABLE[text]
    if text:
        raise BadBoard(lin.line, f"{text[:20]!r} is not a vulnerability; LIN has o, n, e and b", "vulnerability")
    if number is None:
        raise BadBoard(lin.line, "no vulnerability, and no board number to tell it from", "vulnerability")
    return int(board_vulnerability(number))


def read_claim(lin: LinBoard) -> int | None:
    """Declarer's tricks as ``mc`` tells them."""
    text = lin.values.get("mc", "").strip()
    if not text:
        return None
    if not re.fullmatch(r"\d\d?", text, re.ASCII) or int(text) > 13:
        raise BadBoard(lin.line, f"claim {text[:20]!r} is not a number of tricks", "result")
    return int(text)


def play_rows(lin: LinBoard, owner: UInt8Array, contract: Contract) -> tuple[tuple[str, ...], ...]:
    """A row for each trick, its columns clockwise from the seat that made the opening lead."""
    leader = (contract.declarer + 1) & 3
    if len(lin.cards) > 52:
        raise BadBoard(lin.line, f"play: {len(lin.cards)} cards", "play")
    rows = []
    for start in range(0, len(lin.cards), 4):
        row = ["-"] * 4
        for card in lin.cards[start : start + 4]:
            seat = (int(owner[card]) - leader) & 3
            if row[seat] != "-":
                raise BadBoard(lin.line, f"play: {card_text(card)} is a second card of one hand to a trick", "play")
            row[seat] = card_text(card)
        rows.append(tuple(row))
    return tuple(rows)


def hand_text(owner: UInt8Array, seat: int) -> str:
    """``"SAKQ2HT98DJ7CA543"``."""
    return "".join(map("".join, zip(SUITS[::-1], suit_ranks(owner == seat), strict=True)))


def lin_call(call: int) -> str:
    """``p``, ``d``, ``r``, ``1C`` ... ``7N``."""
    return {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}.get(call) or call_text(call)[:2]
