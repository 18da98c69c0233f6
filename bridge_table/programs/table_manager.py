"""Speak the table-manager protocol of computer championships (Blue Chip Bridge, version 18): its lines over TCP.

Every message is a line of plain text: ``North bids 1NT``, ``East plays TC``. ``manager`` and ``seat_client`` are the
two sides, and know whose turn it is.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridge_env.display.text import SEAT_NAMES
from bridge_env.hands.deals import suit_ranks
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE, call_text
from bridge_env.rules.cards import CARD_NUMBERS, RANKS, SUITS

VERSION = 18
VULNERABLE = ("Neither", "N/S", "E/W", "Both")
START, END = "Start of Board", "End of session"
_MAX_LINE = 2048  # bytes
_SPOKEN = {PASS: "passes", DOUBLE: "doubles", REDOUBLE: "redoubles"}
_CALL = re.compile(r"(\w+) (passes|doubles|redoubles|bids ([1-7]) ?(C|D|H|S|NT?))\.?( (?:Alert|Infos)\..*)?", re.I)
_CARD = re.compile(r"(\w+) plays ([2-9TJQKA]|10) ?([CDHS])\.?", re.I)
_BOARD = re.compile(r"Board number (\d{1,9}) ?\. ?Dealer (\w+) ?\. ?(Neither|N/S|E/W|Both) vulnerable\.?", re.I)
_CARDS = re.compile(r"(\w+)'s cards ?: ?S ([^.]*)\. ?H ([^.]*)\. ?D ([^.]*)\. ?C ([^.]*)\.?", re.I)

Flags = NDArray[np.bool_]
_Read = TypeVar("_Read")


class TalkError(RuntimeError):
    """The other side has hung up, is silent, or sends a line that is not allowed; the message says which and what."""


class Connection:
    """A connection that sends and receives lines; ``name`` is the other side's, ``timeout`` in seconds for a line."""

    def __init__(self, connection: socket.socket, name: str, timeout: float) -> None:
        self.name, self.timeout = name, timeout
        self._connection, self._file = connection, connection.makefile("rb")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, text: str) -> None:
        try:
            self._connection.settimeout(self.timeout)
            self._connection.sendall(text.encode("ascii", "replace") + b"\r\n")
        except OSError as error:
            raise TalkError(f"{self.name} has hung up ({error}); the line for it was: {text}") from None

    def receive(self, expected: str, timeout: float | None = None) -> str:
        """Return the next line; ``expected`` names it in errors."""
        try:
            self._connection.settimeout(self.timeout if timeout is None else timeout)
            line = self._file.readline(_MAX_LINE)
        except TimeoutError:
            raise TalkError(f"{self.name} says nothing where {expected} was expected") from None
        except OSError as error:
            raise TalkError(f"{self.name} has hung up where {expected} was expected ({error})") from None
        if not line:
            raise TalkError(f"{self.name} hung up where {expected} was expected")
        text = " ".join(line.decode("utf-8", "replace").split())  # BEN's explanations may hold signs of suits
        if not line.endswith(b"\n") or not text.isprintable():
            raise TalkError(f"{self.name} sends no line of text where {expected} was expected: {line[:60]!r}")
        return text

    def read(self, expected: str, read: Callable[..., _Read | None], *args: Any) -> _Read:
        """Return what ``read(line, *args)`` finds in the next line; None is an error."""
        text = self.receive(expected)
        found = read(text, *args)
        if found is None:
            raise self.unexpected(text, expected)
        return found

    def unexpected(self, text: str, expected: str) -> TalkError:
        """Return the error of a line that does not belong here."""
        return TalkError(f"{self.name} says {text[:120]!r} where {expected} was expected")

    def close(self) -> None:
        self._file.close()
        self._connection.close()


def seat_of(name: str) -> int:
    """Return the number of a seat by its name; -1 for any other word."""
    return next((seat for seat, known in enumerate(SEAT_NAMES) if known.lower() == name.lower()), -1)


def call_words(seat: int, call: int) -> str:
    """Write a call: ``North bids 1NT``."""
    return f"{SEAT_NAMES[seat]} {_SPOKEN.get(call) or f'bids {call_text(call)}'}"


def read_call(text: str, seat: int, legal: Flags) -> tuple[int, str] | None:
    """Return the call of ``seat`` and its explanation; None where the text is no call or ``legal[call]`` is false."""
    found = _CALL.fullmatch(text)
    if found is None or seat_of(found[1]) != seat:
        return None
    call = {word: call for call, word in _SPOKEN.items()}.get(found[2].lower())
    if call is None:
        call = FIRST_BID + 5 * (int(found[3]) - 1) + "CDHSN".index(found[4][0].upper())
    return (call, found[5] or "") if legal[call] else None


def card_words(seat: int, card: int) -> str:
    """Write a card: ``North plays TC``."""
    return f"{SEAT_NAMES[seat]} plays {RANKS[card % 13]}{SUITS[card // 13]}"


def read_card(text: str, seat: int, legal: Flags) -> int | None:
    """Return the card that the hand of ``seat`` plays; None where the text is no card or ``legal[card]`` is false."""
    found = _CARD.fullmatch(text)
    if found is None or seat_of(found[1]) != seat:
        return None
    card = CARD_NUMBERS[found[3].upper() + found[2].upper().replace("10", "T")]
    return card if legal[card] else None


def hand_words(owner: str, hand: Flags) -> str:
    """Write a hand: ``North's cards : S A K 4. H -. D 9 2. C ...``."""
    suits = (f"{suit} {' '.join(held) or '-'}." for suit, held in zip(SUITS[::-1], suit_ranks(hand), strict=True))
    return f"{owner}'s cards : {' '.join(suits)}"


def read_hand(text: str, owner: str) -> Flags | None:
    """Return the thirteen cards of ``owner``, a seat or ``Dummy``; None where the text is no hand."""
    found = _CARDS.fullmatch(text)
    if found is None or found[1].lower() != owner.lower():
        return None
    cards: list[int] = []
    for suit, held in zip((3, 2, 1, 0), found.groups()[1:], strict=True):
        for rank in held.upper().replace("10", "T").replace("-", "").split():
            if len(rank) != 1 or rank not in RANKS:
                return None
            cards.append(13 * suit + RANKS.index(rank))
    hand = np.zeros(52, np.bool_)
    hand[cards] = True
    return hand if len(cards) == hand.sum() == 13 else None


def board_words(number: int, dealer: int, vulnerability: int) -> str:
    """Write a board: ``Board number 1. Dealer North. Neither vulnerable.``"""
    return f"Board number {number}. Dealer {SEAT_NAMES[dealer]}. {VULNERABLE[vulnerability]} vulnerable."


def read_board(text: str) -> tuple[int, int, int] | None:
    """Return number, dealer and vulnerability; None where the text is no board."""
    found = _BOARD.fullmatch(text)
    if found is None or seat_of(found[2]) < 0:
        return None
    vulnerability = [word.lower() for word in VULNERABLE].index(found[3].lower())
    return int(found[1]), seat_of(found[2]), vulnerability
