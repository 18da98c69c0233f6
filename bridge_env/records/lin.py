"""Read and write LIN, the notation of Bridge Base Online.

``read_lin`` never raises for what a file contains: a board that cannot be trusted becomes a ``Problem`` with file, line
and reason, and the others are read. A file may hold several boards, one a line or all in one, and both rooms of a match
(``qx|o1|``, ``qx|c1|``). Keys that are read: ``md`` deal and dealer, ``sv`` vulnerability, ``mb`` and ``an`` calls and
their explanations, ``pc`` and ``mc`` play and tricks, ``pn`` players, ``qx`` and ``ah`` room and number, ``vg`` the
event. Other keys (``rs``, ``nt``, ``pg``, ...) are skipped.

A bad play costs only itself: a ``Problem`` beside the board reports it.

LIN has no place for a contract without its auction, for play without a contract, for a room without a board's number,
for other tags and for sections: these are not written. LIN counts seats from South, clockwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from bridge_env.hands.deals import hand_text, parse_deal, parse_hand, suit_ranks
from bridge_env.records.board import (
    BAD_PLAY,
    BadBoard,
    Board,
    ReadResult,
    auction_end,
    by_board_number,
    check_play,
    passes_missing,
    read_drafts,
)
from bridge_env.records.text import Source, Target, text_lines, write_text
from bridge_env.rules.calls import DOUBLE, PASS, REDOUBLE, Contract, call_text, parse_call
from bridge_env.rules.cards import (
    CARD_NUMBERS,
    SEATS,
    SUITS,
    DealError,
    UInt8Array,
    board_dealer,
    board_vulnerability,
    card_text,
)

LIN_SEATS = "SWNE"  # the order of hands, names and dealers: digits 1 to 4
_PLAYERS = ("South", "West", "North", "East")
_ROOMS = {"o": "Open", "c": "Closed"}
_VULNERABLE = {"o": 0, "0": 0, "-": 0, "n": 1, "e": 2, "b": 3}
_BOARD_KEYS = frozenset({"qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah"})
_KEY = re.compile(r"[a-z][a-z0-9]$", re.ASCII | re.IGNORECASE)
_CALL = re.compile(  # the call, its mark, its note; a comment
    r"[\s,]*([1-7]\s*(?:NT|[NCDHS])|AP|PASS|P|--|REDOUBLE|RDBL|XX|R|DOUBLE|DBL|X|D)([!?*]*)(\s*\([^()]*\))?"
    r"(?:\s*\{[^{}]*\})?[\s,]*",
    re.IGNORECASE,
)
_CARD = re.compile(r"\s*([SHDC])\s*(10|[2-9TJQKA])\s*", re.IGNORECASE)
_SUIT = re.compile("([SHDC])([^SHDC]*)")
_NUMBER = re.compile(r"(?:board|bd)?[\s#.]*([1-9]\d{0,8})\s*$", re.IGNORECASE | re.ASCII)
_ROOM = re.compile(r"([oc])\s*([1-9]\d{0,8})\s*$", re.IGNORECASE | re.ASCII)


@dataclass(slots=True)
class _LinBoard:
    """The values of one board: the last of each key but ``mb`` and ``pc``, which are joined, and ``an``."""

    line: int
    values: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)  # by the index of ``calls``
    cards: str = ""
    names: str = ""  # of a whole match

    def value(self, key: str) -> str:
        return self.values.get(key, "").strip()

    def bad(self, reason: str, kind: str) -> BadBoard:
        """Return the error for a fault of the board."""
        return BadBoard(self.line, reason, kind)

    @property
    def number(self) -> int | None:
        """Return the board's number, if it has one."""
        match = _ROOM.match(self.value("qx"))
        if match:
            return int(match[2])
        match = _NUMBER.match(self.value("ah"))
        return int(match[1]) if match else None


# --- reading ------------------------------------------------------------------------------------------------


def read_lin(source: Source) -> ReadResult:
    """Read every board of a LIN file or stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    faults: list[BadBoard] = []
    values = _values("\n".join(text_lines(source, faults)), faults)
    return read_drafts(source, _boards(values), _board_of, faults)


def _values(text: str, faults: list[BadBoard]) -> Iterator[tuple[int, str, str]]:
    """Yield (line, key, value) of each pair between bars; line ends inside a value are blanks."""
    line, key, key_line = 1, "", 0
    for piece in text.split("|"):
        word = piece.strip()
        start = line + piece[: piece.find(word)].count("\n")
        line += piece.count("\n")
        if key:
            yield key_line, key, word.replace("\n", " ")
            key = ""
        elif _KEY.match(word):
            key, key_line = word.lower(), start
        elif word:
            faults.append(BadBoard(start, f"text between the values: {word[:80]!r}"))


def _boards(values: Iterable[tuple[int, str, str]]) -> Iterator[_LinBoard]:
    """Group values into boards, each with the values that hold for the whole file."""
    event, names = "", ""
    lin: _LinBoard | None = None
    before: _LinBoard | None = None
    for line, key, value in values:
        if key == "vg":
            event = value.split(",")[0].strip()
        if key not in _BOARD_KEYS:
            continue
        if lin is None or _begins_board(lin, key):
            if lin is not None:
                yield from [lin] if lin.values.get("md") or lin.calls else []  # not names or a title alone
                before = lin
            lin = _LinBoard(line)
        if event:
            lin.values["vg"] = event
        if key == "mb":
            lin.calls.append(value)
        elif key == "pc":
            lin.cards += f" {value}"
        elif key == "an":
            lin.notes[len(lin.calls) - 1] = value
        else:
            lin.values[key] = value
        if "qx" in lin.values and not lin.calls:  # a match: both rooms, and names once for all
            lin.names = names = lin.values.get("pn", names)
        if lin.calls and before is not None:
            _take_deal(lin, before)
    if lin is not None and (lin.values.get("md") or lin.calls):
        yield lin


def _begins_board(lin: _LinBoard, key: str) -> bool:
    if key == "qx":
        return "qx" in lin.values or "md" in lin.values
    if key == "md":
        return "md" in lin.values
    called = bool(lin.calls or lin.cards)
    if key == "pn":
        return called or ("pn" in lin.values and "md" in lin.values)
    return called and key in ("ah", "sv") and key in lin.values and "qx" not in lin.values


def _take_deal(lin: _LinBoard, before: _LinBoard) -> None:
    """Take the deal of the room before if this is the second room of the same board, which may leave it out."""
    if "md" in lin.values or "md" not in before.values or "qx" not in lin.values:
        return
    if lin.number is not None and lin.number == before.number:
        lin.values["md"] = before.values["md"]
        lin.values.setdefault("sv", before.values.get("sv", ""))


# --- the fields of a board ----------------------------------------------------------------------------------


def _board_of(lin: _LinBoard, faults: list[BadBoard]) -> Board:
    """Return the board; add the fault of its play to ``faults``.

    Raises:
        BadBoard: the board cannot be trusted.
    """
    calls, notes = _read_calls(lin)
    number, owner = lin.number, _read_deal(lin)
    dealer, vulnerability = _read_dealer(lin, number), _read_vulnerability(lin, number)
    contract, tricks, play = auction_end(lin.line, calls, dealer), _read_tricks(lin), None
    room = _ROOM.match(lin.value("qx"))
    tags = {"Event": lin.value("vg"), "Room": _ROOMS[room[1].lower()] if room else ""}
    tags |= _read_names(lin, tags["Room"])
    if contract is not None and contract.passed_out:
        tricks = None
    else:
        try:
            play = _read_play(lin, owner, contract)
        except BadBoard as bad:
            faults.append(bad)
    return Board(
        owner, dealer, vulnerability, number, calls or None, contract, tricks, play,
        {tag: value for tag, value in tags.items() if value and value[0] != "#"},  # PBN's sign of inheritance
        line=lin.line, notes=notes,
    )  # fmt: skip


def _read_calls(lin: _LinBoard) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the calls and their notes: one call a text, as ``mb`` has it, or several without blanks, as links do."""
    calls: list[int] = []
    notes: dict[int, str] = {}
    for index, text in enumerate(lin.calls):
        end = 0
        while end < len(text):
            match = _CALL.match(text, end)
            if match is None:
                raise lin.bad(f"auction: {text[end : end + 20]!r} is not a call", "not a call")
            end, word = match.end(), "".join(match[1].upper().split())
            calls += [PASS] * passes_missing(calls) if word == "AP" else [parse_call(word)]
            if "!" in match[2] or match[3]:
                notes[len(calls) - 1] = (match[3] or "").strip()[1:-1]
        if calls and index in lin.notes:
            notes[len(calls) - 1] = lin.notes[index]
    return tuple(calls), {index: " ".join(text.split()) for index, text in notes.items()}


def _read_play(lin: _LinBoard, owner: UInt8Array, contract: Contract | None) -> tuple[int, ...] | None:
    """Return the cards; none where the contract is not known.

    Raises:
        BadBoard: the play cannot be trusted.
    """
    if rest := _CARD.sub("", lin.cards).strip():
        raise lin.bad(f"play: {rest[:20]!r} is not a card", BAD_PLAY)
    words = [suit + rank.replace("10", "T") for suit, rank in _CARD.findall(lin.cards.upper())]
    return None if contract is None else check_play(lin.line, owner, contract, [CARD_NUMBERS[w] for w in words])


def _read_names(lin: _LinBoard, room: str) -> dict[str, str]:
    """Return the player by seat; of eight names the last four sit in the closed room."""
    names = [name.strip() for name in lin.values.get("pn", lin.names).split(",")]
    if len(names) == 8:
        names = names[4:] if room == "Closed" else names[:4]
    return {seat: name for seat, name in zip(_PLAYERS, names, strict=True) if name} if len(names) == 4 else {}


def _read_deal(lin: _LinBoard) -> UInt8Array:
    """Return owner uint8 (52,), read-only. A hand that is left out has the cards that nobody else has."""
    text = "".join(lin.value("md").upper().split()).lstrip("01234")
    if not text.strip(","):
        raise lin.bad("the board has no deal", "no deal")
    hands = [_pbn_hand(hand) for hand in text.split(",")]
    hands += [""] * (4 - len(hands))
    try:
        if hands.count("") == 1 and len(hands) == 4:
            held = [parse_hand(hand) for hand in hands if hand]
            hands[hands.index("")] = hand_text(~np.any(held, axis=0))
        owner = parse_deal("S:" + " ".join(hands))
    except DealError as error:
        raise lin.bad(str(error), "not 52 distinct cards") from None
    owner.flags.writeable = False
    return owner


def _pbn_hand(text: str) -> str:
    """Return ``"AKQ2.T98.J7.A543"`` of ``"SAKQ2HT98DJ7CA543"``; text before the first suit stays before it."""
    suits = dict(_SUIT.findall(text))
    return text and _SUIT.sub("", text) + ".".join(suits.get(suit, "") for suit in SUITS[::-1])


def _read_dealer(lin: _LinBoard, number: int | None) -> int:
    """Return the dealer from the digit before the hands, else the board's number."""
    digit = lin.value("md")[:1]
    if digit and digit in "1234":
        return (int(digit) - 1) ^ 2
    return by_board_number(number, board_dealer, lin.line, "dealer")


def _read_vulnerability(lin: _LinBoard, number: int | None) -> int:
    """Return the vulnerability from ``sv``, else the board's number."""
    text = lin.value("sv").lower()
    if text in _VULNERABLE:
        return _VULNERABLE[text]
    if text:
        raise lin.bad(f"{text[:20]!r} is not a vulnerability; LIN has o, n, e and b", "vulnerability")
    return by_board_number(number, board_vulnerability, lin.line, "vulnerability")


def _read_tricks(lin: _LinBoard) -> int | None:
    """Return declarer's tricks from ``mc``."""
    text = lin.value("mc")
    if not text:
        return None
    if not re.fullmatch(r"\d\d?", text, re.ASCII) or int(text) > 13:
        raise lin.bad(f"claim {text[:20]!r} is not a number of tricks", "result")
    return int(text)


# --- writing ------------------------------------------------------------------------------------------------


def write_lin(target: Target, boards: Iterable[Board]) -> None:
    """Write boards, one a line. ``read_lin`` returns the same boards, except for what LIN cannot hold.

    Args:
        target: a path (gzipped if it ends in ``.gz``; the text is UTF-8), or a text stream.
        boards: any boards.
    """
    event, lines = False, []
    for board in boards:
        line = lin_text(board)
        ends = event and not line.startswith("vg|")  # an event holds for all boards that follow
        lines.append(f"vg||{line}\n" if ends else f"{line}\n")
        event = line.startswith("vg|")
    write_text(target, "".join(lines))


def lin_text(board: Board) -> str:
    """Return one board as one line. Bars in texts, and commas in names, become blanks."""
    room = {name: key for key, name in _ROOMS.items()}.get(board.tags.get("Room", ""))
    values = []
    if event := _without(board.tags.get("Event", ""), "|,"):
        values.append(("vg", event))
    if room and board.number is not None:
        values.append(("qx", f"{room}{board.number}"))
    values.append(("pn", ",".join(_without(board.tags.get(seat, ""), "|,") for seat in _PLAYERS)))
    hands = ",".join(_hand_text(board.owner, SEATS.index(seat)) for seat in LIN_SEATS)
    values += [("st", ""), ("md", f"{LIN_SEATS.index(SEATS[board.dealer]) + 1}{hands}")]
    if board.number is not None:
        values += [("rh", ""), ("ah", f"Board {board.number}")]
    values.append(("sv", "oneb"[board.vulnerability]))
    for index, call in enumerate(board.auction or ()):
        values.append(("mb", _call_text(call) + "!" * (index in board.notes)))
        if text := _without(board.notes.get(index, ""), "|"):
            values.append(("an", text))
    values.append(("pg", ""))
    values += [("pc", card_text(card)) for card in board.play or ()]
    if board.tricks is not None:
        values.append(("mc", str(board.tricks)))
    return "".join(f"{key}|{value}|" for key, value in values)


def _hand_text(owner: UInt8Array, seat: int) -> str:
    """Return ``"SAKQ2HT98DJ7CA543"``."""
    return "".join(map("".join, zip(SUITS[::-1], suit_ranks(owner == seat), strict=True)))


def _call_text(call: int) -> str:
    """Return ``p``, ``d``, ``r``, ``1C`` ... ``7N``."""
    return {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}.get(call) or call_text(call)[:2]


def _without(text: str, signs: str) -> str:
    return " ".join(re.sub(f"[{signs}]", " ", text).split())
