"""LIN, the notation of Bridge Base Online: boards in and out, and links to its hand viewer.

``read_lin`` and ``iter_lin`` never raise for what a file contains: a board that cannot be trusted becomes a
``Problem`` with file, line and reason, and the others are kept. A file may hold several boards, one a line or
all in one, and both rooms of a match (``qx|o1|``, ``qx|c1|``). What is read: ``md`` deal and dealer, ``sv``
vulnerability, ``mb`` and ``an`` calls and what was told of them, ``pc`` and ``mc`` play and tricks, ``pn``
players, ``qx`` and ``ah`` room and number, ``vg`` the event. Other keys (``rs``, ``nt``, ``pg``, ...) are passed by.

A bad play costs only itself: one that cannot be made out is left out, an illegal one stays as it stands, and either is
told in a ``Problem`` beside the board, as in PBN.

LIN has no place for a contract without its auction, for play without a contract, for a room without a board's number,
for other tags and for sections: these are not written. A play that breaks the laws is not written either, because LIN
tells who played a card by the laws alone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import parse_qs, quote, urlsplit

from bridge_env.calls import Contract
from bridge_env.cards import SEATS, card_text
from bridge_env.records import lin_fields as fields
from bridge_env.records.board import ILLEGAL, BadBoard, Board, Problem, ReadResult
from bridge_env.records.drafts import Draft, Form
from bridge_env.records.lin_fields import LIN_SEATS, PLAYERS, LinBoard
from bridge_env.records.lines import Fault, Source, given_up, source_name, text_lines, write_text
from bridge_env.records.play_record import play_faults, play_orders

VIEWER = "https://www.bridgebase.com/tools/handviewer.html"

_KEY = re.compile(r"[a-z][a-z0-9]$", re.ASCII)
_BOARD_KEYS = frozenset({"qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah"})
# A key where the value of one of these should stand tells that the value is missing.
_STRICT, _NO_VALUE = frozenset({"md", "sv", "mb", "pc", "mc"}), _BOARD_KEYS | {"rh", "pg", "vg", "rs", "nt"}
_LONGEST_SHARED = 1000  # characters that go on to other boards
_ROOMS = {"Open": "o", "Closed": "c"}


class LinError(ValueError):
    """A link that shows no board; the message says why."""


# --- reading ------------------------------------------------------------------------------------------------


def read_lin(source: Source) -> ReadResult:
    """Read every board of a LIN file or stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    return ReadResult.of(iter_lin(source))


def iter_lin(source: Source) -> Iterator[Board | Problem]:
    """Read boards one by one, with a lookahead of some hundred."""
    name = source_name(source)
    faults: list[Fault] = []
    lins = _boards(_values(text_lines(source, faults), faults), faults)
    yield from _FORM.read(name, lins, faults)


def _values(lines: Iterator[str], faults: list[Fault]) -> Iterator[tuple[int, str, str]]:
    """(line, key, value). A bar too few or too many costs the value beside it."""
    key, key_line = "", 0
    lost = False  # once for each stretch
    for number, piece in _pieces(lines, faults):
        if given_up(number, 0, faults):
            return
        word = piece.strip()
        name = word.lower()
        if key and not (name in _NO_VALUE and key in _STRICT):
            yield key_line, key, word
            key = ""
        elif _KEY.match(name):
            if key:
                faults.append((key_line, f"{key!r} has no value"))
            key, key_line, lost = name, number, False
        elif word and not lost:
            faults.append((number, f"text between the values: {word[:80]!r}"))
            lost = True


def _pieces(lines: Iterator[str], faults: list[Fault]) -> Iterator[tuple[int, str]]:
    """Return what stands between bars, with the line on which it begins; line ends inside it are blanks."""
    parts: list[str] = []
    start, size = 1, 0
    for number, line in enumerate(lines, 1):
        size += len(line) + 1
        if given_up(number, size if parts else 0, faults):
            return
        first, *others = line.split("|")
        start = start if parts else number
        parts.append(first)
        for other in others:
            yield start, " ".join(parts)
            parts, start, size = [other], number, len(other)
        if parts == [""]:
            parts = []
        size = size if parts else 0
    if any(part.strip() for part in parts):
        yield start, " ".join(parts)


def _boards(values: Iterable[tuple[int, str, str]], faults: list[Fault]) -> Iterator[LinBoard]:
    """The boards, each with what the file says of all of them."""
    event, names, size = "", "", 0
    lin: LinBoard | None = None
    before: LinBoard | None = None
    for line, key, value in values:
        if key == "vg":
            event = value[:_LONGEST_SHARED].split(",")[0].strip()
        if key not in _BOARD_KEYS:
            continue
        size += len(value) + 4
        if lin is None or _begins(lin, key):
            if lin is not None:
                yield from _told_of(lin)
                before = lin
            lin, size = LinBoard(line), 0
        if given_up(line, size, faults):
            break
        if event:
            lin.values["vg"] = event
        if key == "mb":
            lin.add_calls(value, line)
        elif key == "pc":
            lin.add_cards(value, line)
        elif key == "an":
            if lin.calls:
                lin.notes[len(lin.calls) - 1] = value
        else:
            lin.values[key] = value
        if "qx" in lin.values and not lin.calls:  # a match: both rooms, and names once for all
            names = lin.values.get("pn", names)[:_LONGEST_SHARED]
            lin.names = names
        if lin.calls:
            _take_over(lin, before)
    if lin is not None:
        yield from _told_of(lin)


def _told_of(lin: LinBoard) -> Iterator[LinBoard]:
    """The board, if it is one: neither names nor a title alone."""
    if lin.values.get("md", "") or lin.calls:
        yield lin


def _begins(lin: LinBoard, key: str) -> bool:
    if key == "qx":
        return "qx" in lin.values or "md" in lin.values
    if key == "md":
        return "md" in lin.values
    over = bool(lin.calls or lin.cards)
    if key == "pn":
        return over or ("pn" in lin.values and "md" in lin.values)
    return over and key in ("ah", "sv") and key in lin.values and "qx" not in lin.values


def _take_over(lin: LinBoard, before: LinBoard | None) -> None:
    """The second room may leave out the deal."""
    if before is None or "md" in lin.values or "md" not in before.values or "qx" not in lin.values:
        return
    if len(before.values["md"]) > _LONGEST_SHARED:
        return
    if fields.read_number(lin) is not None and fields.read_number(lin) == fields.read_number(before):
        lin.values["md"] = before.values["md"]
        lin.values.setdefault("sv", before.values.get("sv", ""))


def _draft(lin: LinBoard) -> Draft[LinBoard]:
    if lin.bad is not None:
        raise lin.bad
    number = fields.read_number(lin)
    board = Board(
        owner=fields.read_deal(lin),
        dealer=fields.read_dealer(lin, number),
        vulnerability=fields.read_vulnerability(lin, number),
        number=number,
        auction=tuple(lin.calls) or None,
        line=lin.line,
        notes={index: " ".join(text.split()) for index, text in lin.notes.items()},
    )
    return Draft(lin, board)


def _board(draft: Draft[LinBoard], end: str | Contract | None) -> tuple[Board, BadBoard | None]:
    """The board, and what is wrong with its play where that cannot be made out."""
    lin = draft.source
    if isinstance(end, str):
        raise BadBoard(lin.line, end, ILLEGAL)
    played = end is not None and not end.passed_out
    room = fields.read_room(lin)
    tags = {"Event": lin.values.get("vg", ""), "Room": room, **fields.read_names(lin, room)}
    tricks = fields.read_claim(lin)
    play, fault = None, lin.bad_play
    if fault is None and played and end is not None and lin.cards:
        try:
            play = fields.play_rows(lin, draft.board.owner, end)
        except BadBoard as bad:
            fault = bad
    board = replace(
        draft.board,
        contract=end,
        tricks=tricks if end is None or played else None,
        play=play,
        leader=(end.declarer + 1) & 3 if play and end is not None else None,
        tags={tag: value for tag, value in tags.items() if value and value[0] != "#"},  # PBN's sign of inheritance
    )
    return board, fault


def _whole(lin: LinBoard) -> bool:
    return bool(lin.values.get("md")) and (bool(lin.calls) or lin.bad is not None)


_FORM = Form(_draft, _board, _whole, lambda lin: lin.line)

# --- writing ------------------------------------------------------------------------------------------------


def write_lin(target: Source, boards: Iterable[Board]) -> list[tuple[Board, str]]:
    """Write boards, one a line. ``read_lin`` gives the same boards back, except for what LIN cannot hold.

    Args:
        target: a path (gzipped if it ends in ``.gz``; the text is UTF-8), or a text or binary stream.
        boards: any boards.

    Returns:
        the boards whose play breaks the laws and was left out, and why.
    """
    event, lines, told = "", [], list(boards)
    faults, played = play_faults(told, gaps=False), play_orders(told)[0]
    for board, fault, cards in zip(told, faults, played, strict=True):
        line = _lin_text(board, () if fault else cards.tolist())
        named = line.startswith("vg|")
        lines.append(f"vg||{line}\n" if event and not named else f"{line}\n")  # an event goes on to what follows
        event = "vg" if named else ""
    write_text(target, "".join(lines))
    return [(board, fault) for board, fault in zip(told, faults, strict=True) if fault is not None]


def lin_text(board: Board) -> str:
    """One board as one line. Bars in texts, and commas in names, become blanks; an illegal play is left out."""
    (fault,), (cards,) = play_faults([board], gaps=False), play_orders([board])[0]
    return _lin_text(board, () if fault else cards.tolist())


def _lin_text(board: Board, played: Sequence[int]) -> str:
    room = _ROOMS.get(board.tags.get("Room", ""))
    values = []
    if event := _told(board.tags.get("Event", ""), "|,"):
        values.append(("vg", event))
    if room and board.number is not None:
        values.append(("qx", f"{room}{board.number}"))
    values.append(("pn", ",".join(_told(board.tags.get(seat, ""), "|,") for seat in PLAYERS)))
    hands = ",".join(fields.hand_text(board.owner, SEATS.index(seat)) for seat in LIN_SEATS)
    values += [("st", ""), ("md", f"{LIN_SEATS.index(SEATS[board.dealer]) + 1}{hands}")]
    if board.number is not None:
        values += [("rh", ""), ("ah", f"Board {board.number}")]
    values.append(("sv", "oneb"[board.vulnerability]))
    for index, call in enumerate(board.auction or ()):
        values.append(("mb", fields.lin_call(call) + "!" * (index in board.notes)))
        if text := _told(board.notes.get(index, ""), "|"):
            values.append(("an", text))
    values.append(("pg", ""))
    values += [("pc", card_text(card)) for card in played if card >= 0]
    if board.tricks is not None:
        values.append(("mc", str(board.tricks)))
    return "".join(f"{key}|{value}|" for key, value in values)


def _told(text: str, not_these: str) -> str:
    for sign in not_these:
        text = text.replace(sign, " ")
    return " ".join(text.split())


# --- links --------------------------------------------------------------------------------------------------


def viewer_link(board: Board) -> str:
    """A link that shows the board, its auction and its play in Bridge Base Online's hand viewer."""
    return f"{VIEWER}?lin={quote(lin_text(board), safe='')}"


def board_of_link(link: str) -> Board:
    """Read the board that a link to the hand viewer shows: ``?lin=...``, or ``?n=...&s=...&d=...&a=...``.

    Without ``v`` and a board's number nobody is vulnerable, as the viewer has it.

    Raises:
        LinError: not such a link, or a board that cannot be trusted.
    """
    try:
        query = parse_qs(urlsplit(link.strip()).query, keep_blank_values=True, max_num_fields=100)
    except ValueError as error:
        raise LinError(f"{link[:200]!r} is not a link: {error}") from None
    told = {key.lower(): re.sub(r"[\x00-\x1f\x7f]", " ", values[0]).strip() for key, values in query.items()}
    if "lin" in told:
        found = list(iter_lin(io.StringIO(told["lin"])))
    elif told.keys() & set("nesw"):
        found = list(_FORM.checked("link", [_lin_of_link(told)]))
    else:
        raise LinError(f"{link[:200]!r} has neither lin= nor hands n=, e=, s=, w=")
    boards = [item for item in found if isinstance(item, Board)]
    if len(boards) != 1:
        why = next((item.reason for item in found if isinstance(item, Problem)), f"it has {len(boards)} boards")
        raise LinError(f"{link[:200]!r} shows no board: {why}")
    return boards[0]


def _lin_of_link(told: dict[str, str]) -> LinBoard:
    lin = LinBoard(1)
    dealer = LIN_SEATS.find(told.get("d", "").strip().upper() or "?") + 1
    hands = [re.sub(r"[,.]", " ", told.get(seat.lower(), "")) for seat in LIN_SEATS]
    lin.values["md"] = f"{dealer or ''}{','.join(hands)}"
    lin.values["ah"] = told.get("b", "")
    lin.values["sv"] = told.get("v", "") or ("" if fields.read_number(lin) else "o")
    lin.values["pn"] = ",".join(told.get(f"{seat.lower()}n", "").replace(",", " ") for seat in LIN_SEATS)
    lin.values["mc"] = told.get("c", "")
    lin.add_calls(told.get("a", ""), 1)
    lin.add_cards(told.get("p", ""), 1)
    return lin
