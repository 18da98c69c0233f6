"""Read and write LIN, the notation of Bridge Base Online.

``read_lin`` and ``iter_lin`` never raise for what a file contains: a board that cannot be trusted becomes a
``Problem`` with file, line and reason, and the others are read. A file may hold several boards, one a line or
all in one, and both rooms of a match (``qx|o1|``, ``qx|c1|``). Keys that are read: ``md`` deal and dealer, ``sv``
vulnerability, ``mb`` and ``an`` calls and their explanations, ``pc`` and ``mc`` play and tricks, ``pn`` players, ``qx``
and ``ah`` room and number, ``vg`` the event. Other keys (``rs``, ``nt``, ``pg``, ...) are skipped.

A bad play costs only itself: its cards up to the first that is not legal are read, and a ``Problem`` beside the board
reports the rest.

LIN has no place for a contract without its auction, for play without a contract, for a room without a board's number,
for other tags and for sections: these are not written. LIN counts seats from South, clockwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from bridge_env.hands.deals import suit_ranks
from bridge_env.records.board import (
    BAD_PLAY,
    BadBoard,
    Board,
    Problem,
    ReadResult,
    board_and_problems,
    by_board_number,
    check_auction,
    check_play,
    passes_missing,
)
from bridge_env.records.text import Source, source_name, text_lines, write_text
from bridge_env.rules.calls import DOUBLE, PASS, REDOUBLE, Contract, call_text, parse_call
from bridge_env.rules.cards import (
    CARD_NUMBERS,
    RANKS,
    SEATS,
    SUITS,
    UNKNOWN,
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
_CALL = re.compile(
    r"[\s,]*(?:(?P<bid>[1-7]\s*(?:NT|[NCDHS]))|(?P<all>AP)|(?P<pass>PASS|P|--)|(?P<redouble>REDOUBLE|RDBL|XX|R)"
    r"|(?P<double>DOUBLE|DBL|X|D))(?P<mark>[!?*]*)(?P<note>\s*\([^()]*\))?(?:\s*\{[^{}]*\})?[\s,]*",
    re.IGNORECASE,
)
_CARD = re.compile(r"\s*([SHDC])\s*(10|[2-9TJQKA])\s*", re.IGNORECASE)
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
    return ReadResult.of(iter_lin(source))


def iter_lin(source: Source) -> Iterator[Board | Problem]:
    """Read boards one by one; otherwise as :func:`read_lin`."""
    name, problems = source_name(source), list[Problem]()
    for lin in _boards(_values(source, problems)):
        yield from board_and_problems(name, partial(_board_of, lin), bool(lin.value("md") and lin.calls))
    yield from problems


def _values(source: Source, problems: list[Problem]) -> Iterator[tuple[int, str, str]]:
    """Yield (line, key, value) of each pair between bars; line ends inside a value are blanks."""
    line, key, key_line = 1, "", 0
    for piece in "\n".join(text_lines(source, problems)).split("|"):
        word = piece.strip()
        start = line + piece[: piece.find(word)].count("\n")
        line += piece.count("\n")
        if key:
            yield key_line, key, word.replace("\n", " ")
            key = ""
        elif _KEY.match(word):
            key, key_line = word.lower(), start
        elif word:
            problems.append(Problem(source_name(source), start, f"text between the values: {word[:80]!r}"))


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


def _board_of(lin: _LinBoard) -> tuple[Board, BadBoard | None]:
    """Return the board, and the fault of its play.

    Raises:
        BadBoard: the board cannot be trusted.
    """
    calls, notes = _read_calls(lin)
    number, owner = lin.number, _read_deal(lin)
    dealer, vulnerability = _read_dealer(lin, number), _read_vulnerability(lin, number)
    contract = check_auction(lin.line, calls, dealer, vulnerability)
    room = _ROOM.match(lin.value("qx"))
    tags = {"Event": lin.value("vg"), "Room": _ROOMS[room[1].lower()] if room else ""}
    tags |= _read_names(lin, tags["Room"])
    tricks = _read_tricks(lin)
    passed_out = contract is not None and contract.passed_out
    play, bad_play = (None, None) if passed_out else _read_play(lin, owner, contract)
    board = Board(
        owner, dealer, vulnerability, number, calls or None, contract, None if passed_out else tricks, play,
        {tag: value for tag, value in tags.items() if value and value[0] != "#"},  # PBN's sign of inheritance
        line=lin.line, notes=notes,
    )  # fmt: skip
    return board, bad_play


def _read_calls(lin: _LinBoard) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the calls and their notes: one call a text, as ``mb`` has it, or several without blanks, as links do."""
    calls: list[int] = []
    notes: dict[int, str] = {}
    for index, text in enumerate(lin.calls):
        end = 0
        while end < len(text):
            match = _CALL.match(text, end)
            if match is None:
                raise BadBoard(lin.line, f"auction: {text[end : end + 20]!r} is not a call", "not a call")
            end = match.end()
            if match["all"]:
                calls += [PASS] * passes_missing(calls)
            elif match["bid"]:
                calls.append(parse_call(match["bid"][0] + match["bid"][1:].strip()))
            else:
                calls.append(PASS if match["pass"] else REDOUBLE if match["redouble"] else DOUBLE)
            if "!" in match["mark"] or match["note"]:
                notes[len(calls) - 1] = (match["note"] or "").strip()[1:-1].strip()
        if calls and index in lin.notes:
            notes[len(calls) - 1] = lin.notes[index]
    return tuple(calls), {index: " ".join(text.split()) for index, text in notes.items()}


def _read_play(
    lin: _LinBoard, owner: UInt8Array, contract: Contract | None
) -> tuple[tuple[int, ...] | None, BadBoard | None]:
    """Return the cards before the first illegal one, and the fault of that one."""
    if rest := _CARD.sub("", lin.cards).strip():
        return None, BadBoard(lin.line, f"play: {rest[:20]!r} is not a card", BAD_PLAY)
    words = [suit + rank.replace("10", "T") for suit, rank in _CARD.findall(lin.cards.upper())]
    return (None, None) if contract is None else check_play(lin.line, owner, contract, [CARD_NUMBERS[w] for w in words])


def _read_names(lin: _LinBoard, room: str) -> dict[str, str]:
    """Return the player by seat; of eight names the last four sit in the closed room."""
    names = [name.strip() for name in lin.values.get("pn", lin.names).split(",")]
    if len(names) == 8:
        names = names[4:] if room == "Closed" else names[:4]
    return {seat: name for seat, name in zip(_PLAYERS, names, strict=True) if name} if len(names) == 4 else {}


def _read_deal(lin: _LinBoard) -> UInt8Array:
    """Return owner uint8 (52,), read-only. A hand that is left out has the cards that nobody else has."""
    text = lin.value("md")
    hands = text.lstrip("01234").split(",")
    if not text or not any(hands):
        raise BadBoard(lin.line, "the board has no deal", "no deal")
    if len(hands) > 4:
        raise _no_deal(lin, f"it has {len(hands)} hands")
    owner = np.full(52, UNKNOWN, np.uint8)
    for digit, hand in enumerate(hands):
        for card in _read_hand(lin, hand):
            if owner[card] != UNKNOWN:
                raise _no_deal(lin, f"it has {card_text(card)} twice")
            owner[card] = digit ^ 2  # S W N E in LIN's order, N E S W in ours
    held = np.bincount(owner, minlength=256)
    empty = np.flatnonzero(held[:4] == 0)
    if len(empty) == 1 and held[UNKNOWN] == 13:
        owner[owner == UNKNOWN] = empty[0]
    elif (held[:4] != 13).any():
        counts = ", ".join(f"{seat} {held[i ^ 2]}" for i, seat in enumerate(LIN_SEATS))
        raise _no_deal(lin, f"its hands have not 13 cards each: {counts}")
    owner.flags.writeable = False
    return owner


def _read_hand(lin: _LinBoard, text: str) -> list[int]:
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


def _no_deal(lin: _LinBoard, why: str) -> BadBoard:
    return BadBoard(lin.line, f"deal {lin.values['md'][:100]!r}: {why}", "not 52 distinct cards")


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
        raise BadBoard(lin.line, f"{text[:20]!r} is not a vulnerability; LIN has o, n, e and b", "vulnerability")
    return by_board_number(number, board_vulnerability, lin.line, "vulnerability")


def _read_tricks(lin: _LinBoard) -> int | None:
    """Return declarer's tricks from ``mc``."""
    text = lin.value("mc")
    if not text:
        return None
    if not re.fullmatch(r"\d\d?", text, re.ASCII) or int(text) > 13:
        raise BadBoard(lin.line, f"claim {text[:20]!r} is not a number of tricks", "result")
    return int(text)


# --- writing ------------------------------------------------------------------------------------------------


def write_lin(target: Source, boards: Iterable[Board]) -> None:
    """Write boards, one a line. ``read_lin`` returns the same boards, except for what LIN cannot hold.

    Args:
        target: a path (gzipped if it ends in ``.gz``; the text is UTF-8), or a text or binary stream.
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
