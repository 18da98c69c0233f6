"""Group the values of a LIN file into boards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge_env.records.board import BadBoard
from bridge_env.records.derive import MENDED, board_number
from bridge_env.records.text import without_percents

ROOMS = {"o": "Open", "c": "Closed"}
_KEYS = frozenset({"vg", "qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah"})
_KEY = re.compile(r"[a-z][a-z0-9]$", re.ASCII | re.IGNORECASE)
_TITLED_KEY = re.compile(r"(.*\W)(pn|vg|rs|qx|md|st|rh|ah|sv|mb|nt|pg)$", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"(?:%.*\s*)+")
_NEXT_KEYS = {"qx", "pn", "md", "vg", "rs", "ah", "st", "sv", "mb", "an", "pc", "mc", "pg"}  # behind a missing bar
_ROOM = re.compile(r"(?:([oc])(?:pen|losed)?)?[\s.#-]*0*([1-9]\d{0,8})\b", re.IGNORECASE | re.ASCII)


@dataclass(slots=True)
class LinBoard:
    """The values of one board: the last of each key but ``mb`` and ``pc``, which are joined, and ``an``."""

    line: int
    values: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)  # by the index of ``calls``
    cards: str = ""
    names: str = ""  # of a whole match
    result: str = ""  # of this room, in the results of a match
    place: int = 0  # in the file, from 1
    last: int = 0  # line of its last value
    lines: dict[str, int] = field(default_factory=dict)  # of each key's value, of ``mb`` and ``pc`` the first

    def value(self, key: str) -> str:
        return self.values.get(key, "").strip()

    def line_of(self, key: str) -> int:
        return self.lines.get(key, self.line)

    def bad(self, key: str, reason: str, kind: str) -> BadBoard:
        """Return the error for a fault of a key's value."""
        return BadBoard(self.line_of(key), reason, kind)

    def take(self, key: str, value: str, line: int, faults: list[BadBoard]) -> None:
        """Add a value."""
        if key not in ("mb", "pc") or key not in self.lines:
            self.lines[key] = line
        self.last = line
        if key == "mb":
            self.calls.append(value)
        elif key == "pc":
            self.cards += f" {value or '-'}"
        elif key == "an":
            if not self.calls:
                faults.append(BadBoard(line, f"an: {value[:80]!r} stands before the calls", "mark"))
            before_it = self.notes.get(len(self.calls) - 1)
            self.notes[len(self.calls) - 1] = f"{before_it}; {value}" if before_it else value
        elif key == "ah" and value.strip() and self.value("ah") and board_number(value) is None:
            faults.append(BadBoard(line, f"ah|{value}| is the second of its board, and not read", "tag twice"))
        elif value.strip(" ,") or key not in self.values:  # a value counts before none
            if key in ("ah", "sv", "mc") and self.value(key) not in ("", value.strip()):
                faults.append(BadBoard(line, f"{key}|{value}| is the second of its board, and counts", "tag twice"))
            self.values[key] = value

    @property
    def is_board(self) -> bool:
        """Return whether it is more than names or a title."""
        return bool(self.values.get("md") or self.calls or self.cards)

    @property
    def has_deal(self) -> bool:
        """Return whether ``md`` has more than the dealer."""
        return bool(self.value("md").strip("01234,"))

    @property
    def match(self) -> tuple[str, str, str, str]:
        """Return event, stage, home team and visitors, empty where they are not known."""
        return match_of(self.value("vg"))

    @property
    def number(self) -> int | None:
        """Return the board's number, if it has one: ``ah`` has it, while ``qx`` may count the deals of a session."""
        number = board_number(self.value("ah"))
        return self.place_in_match if number is None else number

    @property
    def place_in_match(self) -> int | None:
        """Return the number that ``qx`` has."""
        match = _ROOM.match(self.value("qx"))
        return int(match[2]) if match else None

    @property
    def room(self) -> str:
        """Return the room's name, empty if it has none."""
        match = _ROOM.match(self.value("qx"))
        return ROOMS[match[1].lower()] if match and match[1] else ""


def match_of(text: str) -> tuple[str, str, str, str]:
    """Return event, stage, home team and visitors of a value of ``vg``."""
    event, stage, _, _, _, home, _, visitors, *_ = [word.strip() for word in f"{text},,,,,,,".split(",")]
    return event, stage, home, visitors


def values_of(text: str, faults: list[BadBoard], line: int = 1) -> Iterator[tuple[int, str, str]]:
    """Yield (line, key, value) of each pair between bars, from a line on; line ends inside a value are blanks."""
    key, key_line = "", 0
    for piece in text.split("|"):
        word = piece.strip()
        start = line + piece[: piece.find(word)].count("\n")
        line += piece.count("\n")
        if not key and (titled := _TITLED_KEY.match(word)):
            if not _COMMENT.fullmatch(titled[1]):
                faults.append(BadBoard(start, f"text between the values: {titled[1].strip()[:80]!r}"))
            word, start = titled[2], start + titled[1].count("\n")
        before, _, last = word.rpartition("\n")
        last = last.strip().lower()
        if before and key in _KEYS and last in (("mb", "pc") if key == "an" else _NEXT_KEYS):
            faults.append(BadBoard(key_line, f"a bar is missing behind {key}|{before}", MENDED))
            yield key_line, key, before.replace("\n", " ")
            key, key_line = last, line
        elif key:
            yield key_line, key, (word if " " in word else without_percents(word)).replace("\n", " ")
            key = ""
        elif _KEY.match(word):
            key, key_line = word.lower(), start
        elif word and not _COMMENT.fullmatch(word):
            faults.append(BadBoard(start, f"text between the values: {word[:80]!r}"))


@dataclass(slots=True)
class _Match:
    """What holds for the boards that follow: ``vg``, ``pn`` of a match, ``rs``, and its first board."""

    text: str = ""
    names: str = ""
    results: list[str] = field(default_factory=list)
    first: int = 1

    def after(self, text: str) -> _Match:
        """Return what holds behind another ``vg``: the names of the same match, the results of the same boards."""
        number = f"{text},,,".split(",")[3].strip()
        first = int(number) if number.isdecimal() else 1
        same = not self.text or match_of(text) == match_of(self.text)
        return _Match(text, self.names * same, self.results if same and first == self.first else [], first)

    def give(self, lin: LinBoard) -> None:
        """Add the facts of the match to one of its boards."""
        if self.text:
            lin.values["vg"] = self.text
        place = 2 * ((lin.place_in_match or self.first) - self.first) + (lin.room == "Closed")
        lin.result = self.results[place] if lin.room and 0 <= place < len(self.results) else ""
        if "qx" in lin.values:  # both rooms, and names once for all
            own = lin.values.get("pn", "")
            if own and (own.count(",") > 3 or self.names.count(",") <= 3):
                self.names = own
            lin.names = self.names


def boards_of(values: Iterable[tuple[int, str, str]], faults: list[BadBoard]) -> list[LinBoard]:
    """Group values into boards, each with the values that hold for the whole file."""
    values = list(values)
    boards: list[LinBoard] = []
    lin, match = LinBoard(0), _Match()
    below = _keys_below(values)
    for index, (line, key, value) in enumerate(values):
        if key == "rs":
            match.results = [result.strip() for result in value.split(",")]
        if key not in _KEYS:
            continue
        if lin.is_board and _begins_board(lin, values[index], below[index]):
            match.give(lin)
            boards.append(lin)
            lin = LinBoard(0)
        if key == "vg":
            match = match.after(value)
            continue
        if lin.line == 0 or (key == "qx" and "md" not in lin.values):
            lin.line = line  # behind the names of the match
            match.names = lin.values.get("pn", match.names)
        lin.take(key, value, line, faults)
    if lin.is_board:
        match.give(lin)
        boards.append(lin)
    elif lin.value("pn").strip(","):
        named = [board for board in boards if "pn" in board.values]
        if boards and len(named) == len(boards) - 1 and "pn" not in boards[0].values:  # names are behind their boards
            for board, behind in zip(boards, [*named, lin], strict=True):
                board.values["pn"] = behind.values["pn"]
        else:
            faults.append(lin.bad("pn", f"no board has the names {lin.value('pn')!r}", "mark"))
    _take_deals(boards, faults)
    return boards


def _keys_below(values: Sequence[tuple[int, str, str]]) -> list[tuple[int, str]]:
    """Return for each value the line and name of the next key that has a deal, a room, calls or play; else 0, empty."""
    below = [(0, "")]
    for line, key, _ in reversed(values[1:]):
        below.append((line, key) if key in ("md", "qx", "mb", "pc", "mc") else below[-1])
    return below[::-1]


def _begins_board(lin: LinBoard, pair: tuple[int, str, str], below: tuple[int, str]) -> bool:
    """Return whether a key and its value are the first of the board behind ``lin``; ``below`` is the next key."""
    line, key, value = pair
    next_line, following = below
    if key == "vg":
        return bool(lin.calls or lin.cards) or following in ("md", "qx", "")
    if key == "qx":
        return True
    if key == "md":
        return "md" in lin.values
    if key not in ("pn", "ah", "sv"):
        return False
    if not (lin.calls or lin.cards):
        if key == "pn":
            return key in lin.values or following == "qx" or (following == "md" and lin.last < line == next_line)
        return key in lin.values and "qx" not in lin.values and following == "md"
    if key != "pn" and ("qx" in lin.values or key not in lin.values or not value):
        return False
    if key == "pn" and key not in lin.values and lin.last == line < next_line:  # at the end of its board's line
        return False
    if key == "ah" and board_number(value) is None and following not in ("md", "qx"):
        return False  # another title
    is_own = key not in lin.values or key == "sv" or lin.value(key) == value.strip()
    return not (is_own and following in ("pc", "mc", ""))


def _take_deals(boards: Sequence[LinBoard], faults: list[BadBoard]) -> None:
    """Give the deals of boards to their other tables, which may leave them out."""
    later: dict[object, LinBoard] = {}
    for board in reversed(boards):
        if board.has_deal:
            later[board.place_in_match or board.number, board.match] = board
    latest: dict[object, LinBoard] = {}
    for place, lin in enumerate(boards):
        key = lin.place_in_match or lin.number, lin.match
        if not lin.has_deal and (lin.calls or lin.cards):
            if lin.number is None:
                source = boards[place - 1] if place and boards[place - 1].match == lin.match else None
            else:
                source = latest.get(key, later.get(key))
            if source is not None:
                _take_deal(lin, source, faults)
        if lin.has_deal:
            latest[key] = lin


def _take_deal(lin: LinBoard, source: LinBoard, faults: list[BadBoard]) -> None:
    taken = [key for key in ("md", "sv", "ah") if not lin.value(key).strip("01234,") and source.value(key)]
    lin.values |= {key: source.values[key] for key in taken}
    if "qx" not in lin.values or lin.number is None:
        reason = f"{', '.join(taken)} of the board before, which this one leaves out"
        faults.append(BadBoard(lin.line, reason, "second table"))
