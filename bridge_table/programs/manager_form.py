"""Speak the table-manager protocol of computer championships (Blue Chip Bridge, version 18): its lines over TCP.

All that is said is a line of plain text: ``North bids 1NT``, ``East plays TC``. Who is to say what, the two sides know
(``bridge_table.programs.manager`` and ``bridge_table.programs.manager_seat``).
"""

from __future__ import annotations

import re
import socket
import time

import numpy as np
from numpy.typing import NDArray

from bridge_env.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE, call_text
from bridge_env.cards import CARD_NUMBERS, RANKS, SUITS, suit_ranks
from bridge_env.render import SEAT_NAMES

VERSION = 18
VULNERABLE = ("Neither", "N/S", "E/W", "Both")
START, END = "Start of Board", "End of session"
_LONGEST = 2048  # bytes of a line
_SPOKEN = {PASS: "passes", DOUBLE: "doubles", REDOUBLE: "redoubles"}
_CALL = re.compile(r"(\w+) (passes|doubles|redoubles|bids ([1-7]) ?(C|D|H|S|NT?))\.?( (?:Alert|Infos)\..*)?", re.I)
_CARD = re.compile(r"(\w+) plays ([2-9TJQKA]|10) ?([CDHS])\.?", re.I)
_BOARD = re.compile(r"Board number (\d{1,9}) ?\. ?Dealer (\w+) ?\. ?(Neither|N/S|E/W|Both) vulnerable\.?", re.I)
_CARDS = re.compile(r"(\w+)'s cards ?: ?S ([^.]*)\. ?H ([^.]*)\. ?D ([^.]*)\. ?C ([^.]*)\.?", re.I)

Hand = NDArray[np.bool_]


class TalkError(RuntimeError):
    """The other side is gone, silent, or says what it may not; the message says who and what."""


class Line:
    """One side of a connection.

    Args:
        name: of the other side, for errors.
        patience: seconds that a whole line may take to come.
    """

    def __init__(self, connection: socket.socket, name: str, patience: float) -> None:
        self.name, self.patience = name, patience
        self._connection, self._left = connection, b""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def say(self, text: str) -> None:
        """Send a line."""
        try:
            self._connection.settimeout(self.patience)
            self._connection.sendall(text.encode("ascii", "replace") + b"\r\n")
        except OSError as error:
            raise TalkError(f"{self.name} is gone ({error}); it was to be told: {text}") from None

    def hear(self, awaited: str, patience: float | None = None) -> str:
        """Wait for a line; ``awaited`` says in the error what it was to tell."""
        end = time.monotonic() + (self.patience if patience is None else patience)
        while b"\n" not in self._left:
            if len(self._left) > _LONGEST:
                raise TalkError(f"{self.name} sends a line without an end where {awaited} was awaited")
            try:
                self._connection.settimeout(max(0.001, end - time.monotonic()))
                part = self._connection.recv(4096)
            except TimeoutError:
                raise TalkError(f"{self.name} says nothing where {awaited} was awaited") from None
            except OSError as error:
                raise TalkError(f"{self.name} is gone where {awaited} was awaited ({error})") from None
            if not part:
                raise TalkError(f"{self.name} hung up where {awaited} was awaited")
            if time.monotonic() > end:
                raise TalkError(f"{self.name} takes too long over {awaited}")
            self._left += part
        said, _, self._left = self._left.partition(b"\n")
        said = said.rstrip(b"\r ")
        if len(said) > _LONGEST or not all(32 <= byte != 127 for byte in said):
            raise TalkError(f"{self.name} sends no plain text where {awaited} was awaited: {said[:60]!r}")
        return " ".join(said.decode("utf-8", "replace").split())  # BEN's explanations may hold signs of suits

    def wrong(self, said: str, awaited: str) -> TalkError:
        """The error of a line that does not belong here."""
        return TalkError(f"{self.name} says {said[:120]!r} where {awaited} was awaited")

    def gone(self) -> bool:
        """Has the other side hung up? Nothing that it said is taken."""
        try:
            self._connection.settimeout(0)
            return self._connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def close(self) -> None:
        self._connection.close()


def seat_of(name: str) -> int:
    """The seat of a word; -1 of any other word."""
    return next((seat for seat, known in enumerate(SEAT_NAMES) if known.lower() == name.lower()), -1)


def call_words(seat: int, call: int) -> str:
    """``North bids 1NT``."""
    return f"{SEAT_NAMES[seat]} {_SPOKEN.get(call) or f'bids {call_text(call)}'}"


def read_call(text: str, seat: int) -> tuple[int, str] | None:
    """The call of ``seat``, with what is told about it; None where the text is none."""
    found = _CALL.fullmatch(text)
    if found is None or seat_of(found[1]) != seat:
        return None
    spoken = {word: call for call, word in _SPOKEN.items()}.get(found[2].lower())
    if spoken is None:
        spoken = FIRST_BID + 5 * (int(found[3]) - 1) + "CDHSN".index(found[4][0].upper())
    return spoken, found[5] or ""


def card_words(seat: int, card: int) -> str:
    """``North plays TC``."""
    return f"{SEAT_NAMES[seat]} plays {RANKS[card % 13]}{SUITS[card // 13]}"


def read_card(text: str, seat: int) -> int | None:
    """The card that the hand of ``seat`` plays; None where the text tells none."""
    found = _CARD.fullmatch(text)
    if found is None or seat_of(found[1]) != seat:
        return None
    return CARD_NUMBERS[found[3].upper() + found[2].upper().replace("10", "T")]


def hand_words(owner: str, hand: Hand) -> str:
    """``North's cards : S A K 4. H -. D 9 2. C ...``."""
    suits = (f"{suit} {' '.join(held) or '-'}." for suit, held in zip(SUITS[::-1], suit_ranks(hand), strict=True))
    return f"{owner}'s cards : {' '.join(suits)}"


def read_hand(text: str, owner: str) -> Hand | None:
    """The thirteen cards of ``owner``, a seat or ``Dummy``; None where the text tells none."""
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
    """``Board number 1. Dealer North. Neither vulnerable.``"""
    return f"Board number {number}. Dealer {SEAT_NAMES[dealer]}. {VULNERABLE[vulnerability]} vulnerable."


def read_board(text: str) -> tuple[int, int, int] | None:
    """Number, dealer and vulnerability; None where the text tells no board."""
    found = _BOARD.fullmatch(text)
    if found is None or seat_of(found[2]) < 0:
        return None
    vulnerability = [word.lower() for word in VULNERABLE].index(found[3].lower())
    return int(found[1]), seat_of(found[2]), vulnerability
