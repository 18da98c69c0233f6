"""Read LIN, the notation of Bridge Base Online.

``read_lin`` never raises for what a file contains: a board that cannot be trusted becomes a ``Problem`` with file, line
and reason, and the others are read. A file may hold several boards, one a line or all in one, and both rooms of a match
(``qx|o1|``, ``qx|c1|``). Keys that are read: ``md`` deal and dealer, ``sv`` vulnerability, ``mb`` and ``an`` calls and
their explanations, ``pc`` and ``mc`` play and tricks, ``pn`` players, ``qx`` and ``ah`` room and number, ``vg`` and
``rs`` the event and the results of a match. Other keys (``nt``, ``pg``, ...) are skipped.

One fact mends another (``bridge_env.records.derive``); a bad play, or a mark that cannot be read, costs only itself. A
``Problem`` beside the board reports it.

LIN counts seats from South, clockwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridge_env.records.board import BAD_PLAY, BadBoard, Board, ReadResult, read_drafts
from bridge_env.records.derive import (
    CONTRADICTION,
    MENDED,
    Bidding,
    board_number,
    by_number_or_place,
    leader_of,
    passes_missing,
    report_words_beside_number,
    settle_deal,
    settle_play,
    settle_tricks,
)
from bridge_env.records.text import Source, text_lines, without_percents
from bridge_env.records.words import DASH, plain_hand, vulnerability_of
from bridge_env.rules.calls import FIRST_BID, PASS, Contract, parse_call, parse_result
from bridge_env.rules.cards import (
    CARD_NUMBERS,
    SEATS,
    DealError,
    UInt8Array,
    board_dealer,
    board_vulnerability,
    plain_suits,
)

LIN_SEATS = "SWNE"  # the order of hands, names and dealers: digits 1 to 4
PLAYERS = ("South", "West", "North", "East")
MATCH = ("Event", "Stage", "HomeTeam", "VisitTeam")
ROOMS = {"o": "Open", "c": "Closed"}
_BOARD_KEYS = frozenset({"qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah"})
_KEY = re.compile(r"[a-z][a-z0-9]$", re.ASCII | re.IGNORECASE)
_TITLED_KEY = re.compile(r"(.*\W)(pn|vg|rs|qx|md|st|rh|ah|sv|mb|nt|pg)$", re.IGNORECASE | re.DOTALL)
_TWO_DASHES = rf"(?<![{DASH}/])[{DASH}/]{{2}}(?![{DASH}/])"  # one pass; of more each is one
_CALL = re.compile(  # the call, its mark, its note; a comment
    rf"[\s,]*([1-7][\s!@]*(?:NT|[NCDHS])|ALL\s*PASS|PASS\s*OUT|AP|PASS|P|{_TWO_DASHES}|[{DASH}/]|"
    r"REDOUBLE|RDBL|RD|XX|R|DOUBLE|DBL|X|D)"
    r"(\s*[!?*]+|)(\s*\([^()]*\))?(?:\s*\{[^{}]*\})?[\s,]*",
    re.IGNORECASE,
)
_CARD = re.compile(r"\s*(?:([SHDC])\s*(10|[2-9TJQKA])|(10|[2-9TJQKA])([SHDC]))[!?*]*\s*", re.IGNORECASE)
_NO_CARD = re.compile(r"[-?._*]+$|[SHDC]?X+$")
_TWO_HANDS = re.compile(r"(S[^S]*H[^SH]*D[^SHD]*C[^SHDC]*)(S[^S]*H[^SH]*D[^SHD]*C[^SHDC]*)$")  # without a comma
_NEXT_BOARD = re.compile(r"(.*)\n\s*(qx|pn|md|vg|rs|ah|st)$", re.IGNORECASE | re.DOTALL)  # behind a missing bar
_ROOM = re.compile(r"(?:([oc])(?:pen|losed)?)?[\s.#-]*0*([1-9]\d{0,8})\b", re.IGNORECASE | re.ASCII)


@dataclass(slots=True)
class _LinBoard:
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
        elif value.strip(" ,") or key not in self.values:  # a value counts before none
            if key in ("ah", "sv", "mc") and self.value(key) not in ("", value.strip()):
                faults.append(BadBoard(line, f"{key}|{value}| is the second of its board, and counts", "tag twice"))
            self.values[key] = value

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


def read_lin(source: Source) -> ReadResult:
    """Read every board of a LIN file or stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    faults: list[BadBoard] = []
    return boards_of_lines(source, text_lines(source, faults), faults)


def boards_of_lines(source: object, lines: Iterable[str], faults: list[BadBoard]) -> ReadResult:
    """Read every board of the lines of a LIN file; ``faults`` are those of ``text_lines``, and ``source`` names it."""
    return read_drafts(source, _boards(_values("\n".join(lines), faults), faults), _board_of, faults)


def _values(text: str, faults: list[BadBoard]) -> Iterator[tuple[int, str, str]]:
    """Yield (line, key, value) of each pair between bars; line ends inside a value are blanks."""
    line, key, key_line = 1, "", 0
    for piece in text.split("|"):
        word = piece.strip()
        start = line + piece[: piece.find(word)].count("\n")
        line += piece.count("\n")
        if not key and (titled := _TITLED_KEY.match(word)):
            if not re.fullmatch(r"(?:%.*\s*)+", titled[1]):  # a comment
                faults.append(BadBoard(start, f"text between the values: {titled[1].strip()[:80]!r}"))
            word, start = titled[2], start + titled[1].count("\n")
        if key and (joined := _NEXT_BOARD.match(word)):
            faults.append(BadBoard(key_line, f"a bar is missing behind {key}|{joined[1]}", MENDED))
            yield key_line, key, joined[1].replace("\n", " ")
            key, key_line = joined[2].lower(), line
        elif key:
            yield key_line, key, (word if " " in word else without_percents(word)).replace("\n", " ")
            key = ""
        elif _KEY.match(word):
            key, key_line = word.lower(), start
        elif word:
            faults.append(BadBoard(start, f"text between the values: {word[:80]!r}"))


def _boards(values: Iterable[tuple[int, str, str]], faults: list[BadBoard]) -> Iterator[_LinBoard]:
    """Group values into boards, each with the values that hold for the whole file."""
    match, names, results, first, place = "", "", list[str](), 1, 0
    lin: _LinBoard | None = None
    before: _LinBoard | None = None
    by_number: dict[int | None, _LinBoard] = {}
    pairs = [*values, (0, "", "")]  # the last ends the last board
    for index, (line, key, value) in enumerate(pairs):
        if key == "vg":
            if match not in ("", value):
                names, results = "", []  # of another match
            about, match = value.split(","), value
            first = int(about[3]) if len(about) > 3 and about[3].strip().isdecimal() else 1
        if key == "rs":
            results = [result.strip() for result in value.split(",")]
        if key and key not in _BOARD_KEYS:
            continue
        if lin is None or not key or _begins_board(lin, key, value, line, pairs, index):
            if lin is not None:
                source = before if lin.number is None else by_number.get(lin.place_in_match or lin.number)
                if source is not None and (lin.calls or lin.cards):
                    _take_deal(lin, source, faults)
                if lin.values.get("pn") and not key and not (lin.values.get("md") or lin.calls):
                    faults.append(lin.bad("pn", f"no board has the names {lin.values['pn']!r}", "mark"))
                if lin.values.get("md") or lin.calls:  # not names or a title alone
                    lin.place = place = place + 1
                    yield lin
                    before = by_number[lin.place_in_match or lin.number] = lin
            lin = _LinBoard(line)
        if key == "qx" and "md" not in lin.values:
            lin.line = line  # behind the names of the match
        if match:
            lin.values["vg"] = match
        lin.take(key, value, line, faults)
        result = 2 * ((lin.place_in_match or first) - first) + (lin.room == "Closed")
        lin.result = results[result] if lin.room and 0 <= result < len(results) else ""
        if "qx" in lin.values and not lin.calls:  # a match: both rooms, and names once for all
            lin.names = names = lin.values.get("pn", names)


def _begins_board(
    lin: _LinBoard, key: str, value: str, line: int, values: Sequence[tuple[int, str, str]], index: int
) -> bool:
    """Return whether a value is the first of the next board: that of an index in ``values``."""
    if key == "qx":
        return "qx" in lin.values or "md" in lin.values
    if key == "md":
        return "md" in lin.values
    called = bool(lin.calls or lin.cards)
    if key == "pn" and not called:
        return "pn" in lin.values and "md" in lin.values
    if not called or key not in ("pn", "ah", "sv") or (key != "pn" and ("qx" in lin.values or not value)):
        return False
    behind = (values[place][:2] for place in range(index + 1, len(values)))
    next_line, following = next((found for found in behind if found[1] in ("md", "qx", "mb", "pc", "mc")), (0, ""))
    if key == "pn" and "pn" not in lin.values and lin.last == line < next_line:  # at the end of its board's line
        return False
    own = lin.value(key) in ("", value.strip()) if key == "ah" else key == "sv" or "pn" not in lin.values
    return key in ("pn", *lin.values) and not (own and following in ("pc", "mc", ""))


def _take_deal(lin: _LinBoard, source: _LinBoard, faults: list[BadBoard]) -> None:
    """Take the deal of a board if this is another table of it, which may leave it out."""
    if lin.value("md").strip("01234,") or not source.values.get("md") or lin.value("vg") != source.value("vg"):
        return
    taken = [key for key in ("md", "sv", "ah") if not lin.value(key).strip("01234,") and source.value(key)]
    lin.values |= {key: source.values[key] for key in taken}
    if "qx" not in lin.values or lin.number is None:
        reason = f"{', '.join(taken)} of the board before, which this one leaves out"
        faults.append(BadBoard(lin.line, reason, "second table"))


def _board_of(lin: _LinBoard, faults: list[BadBoard]) -> Board:
    """Return the board, adding the faults of its parts to ``faults``; raise ``BadBoard`` if it cannot be trusted."""
    event, stage, _, _, _, home, _, visitors, *_ = [text.strip() for text in f"{lin.value('vg')},,,,,,,".split(",")]
    calls, notes = _read_calls(lin, faults)
    number, owner = lin.number, _read_deal(lin, faults)
    dealer, vulnerability = _read_dealer(lin, number, faults), _read_vulnerability(lin, number, faults)
    cards = _read_cards(lin, faults)
    leader = leader_of(owner, cards)
    if leader is None:
        leader = _leader_by_results(lin, calls)
    bidding = Bidding(lin.line_of("mb"), dealer, calls, notes, lin.line_of("mb"), leader=leader)
    contract = bidding.settle(faults)
    tricks = _read_tricks(lin, faults)
    contract, tricks = _take_result(lin, contract, tricks, faults)
    plays = settle_play(lin.line_of("pc"), owner, contract, cards, faults)
    tricks = settle_tricks(lin.line_of("mc"), contract, tricks, plays, faults)
    report_words_beside_number(lin.value("ah"), lin.line_of("ah"), faults)
    if lin.place_in_match not in (None, number):
        faults.append(lin.bad("ah", f"qx has {lin.place_in_match}, ah {number}, which counts", CONTRADICTION))
    title = lin.value("ah") if number is None else ""  # what is no number stays a tag
    tags = dict(zip(MATCH, (event, stage, home, visitors), strict=True))
    tags |= {"Room": lin.room, "Board": title} | _read_names(lin, lin.room, faults)
    return Board(
        owner, dealer, vulnerability, number, bidding.calls or None, contract, tricks,
        None if plays is None else plays.cards(0),
        {tag: value for tag, value in tags.items() if not re.match("#?$|##", value)},  # PBN's signs of inheritance
        line=lin.line, notes=bidding.notes,
    )  # fmt: skip


def _leader_by_results(lin: _LinBoard, calls: tuple[int, ...]) -> int | None:
    """Return the seat behind the declarer whom the match's results name for the last bid of the auction."""
    found = parse_result(lin.result)
    bids = [call for call in calls if call >= FIRST_BID]
    if found is None or not bids or found[0].declarer < 0 or found[0].bid != bids[-1] - FIRST_BID:
        return None
    return (found[0].declarer + 1) & 3


def _read_calls(lin: _LinBoard, faults: list[BadBoard]) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the calls and their notes: one call a text, as ``mb`` has it, or several without blanks, as links do."""
    calls: list[int] = []
    notes: dict[int, str] = {}
    for index, text in enumerate(map(plain_suits, lin.calls)):
        end, before = 0, len(calls)
        while end < len(text):
            match = _CALL.match(text, end)
            if match is None and index == len(lin.calls) - 1 and not text[end:].strip("? "):  # the call in question
                break
            if match is None and end and (len(calls) == before + 1 or not text[end].isalnum()):
                faults.append(lin.bad("mb", f"auction: {text[end:]!r} behind a call is not read", "mark"))
                break
            if match is None and calls and index == len(lin.calls) - 1:  # the file may be cut short
                faults.append(lin.bad("mb", f"auction: {text[end:]!r} at its end is not a call", "mark"))
                break
            if match is None:
                raise lin.bad("mb", f"auction: {text[end : end + 20]!r} is not a call", "not a call")
            end, word = match.end(), re.sub(r"[\s!@]", "", match[1].upper())
            all_pass, dash = word in ("AP", "ALLPASS", "PASSOUT"), not word[0].isalnum()
            calls += (
                [PASS] * (passes_missing(calls) if all_pass else 1)
                if all_pass or dash
                else [parse_call("XX" if word == "RD" else word)]
            )
            if "!" in match[2] or match[3]:
                notes[len(calls) - 1] = (
                    lin.calls[index][match.start(3) : match.end(3)].strip()[1:-1] if match[3] else ""
                )
        if calls and index in lin.notes:
            notes[len(calls) - 1] = lin.notes[index]
    return tuple(calls), {index: " ".join(text.split()) for index, text in notes.items()}


def _read_cards(lin: _LinBoard, faults: list[BadBoard]) -> list[int]:
    """Return the cards of the play, -1 for a text that is no card."""
    text = plain_suits(lin.cards).replace(",", " ").strip()
    cards, end = [], 0
    while end < len(text):
        match = _CARD.match(text, end)
        if match is None:
            word = text[end:].split()[0]
            if not _NO_CARD.match(word):
                faults.append(lin.bad("pc", f"play: {word[:20]!r} is not a card", BAD_PLAY))
            cards.append(-1)
            end = text.index(word, end) + len(word)
        else:
            cards.append(CARD_NUMBERS[(match[1] or match[4]) + (match[2] or match[3]).replace("10", "T")])
            end = match.end()
    return cards


def _take_result(
    lin: _LinBoard, contract: Contract | None, tricks: int | None, faults: list[BadBoard]
) -> tuple[Contract | None, int | None]:
    """Return contract and tricks, from the match's results where the board has none; a contradiction is reported."""
    found = parse_result(lin.result)
    if found is None or (not found[0].passed_out and found[0].declarer < 0):
        if lin.result:
            faults.append(lin.bad("rs", f"rs: {lin.result!r} is not a result, such as '4SXE-1'", "result"))
        return contract, tricks
    if contract not in (None, found[0]) or (found[1] is not None and tricks not in (None, found[1])):
        own = f"{contract or found[0]}" + ("" if tricks is None else f" with {tricks} tricks")
        faults.append(lin.bad("rs", f"the results of the match (rs) say {lin.result}, the board {own}", CONTRADICTION))
        return contract or found[0], tricks
    return found[0], tricks if found[1] is None else found[1]


def _read_names(lin: _LinBoard, room: str, faults: list[BadBoard]) -> dict[str, str]:
    """Return the player by seat; of eight names the last four sit in the closed room."""
    names = [name.strip() for name in lin.values.get("pn", lin.names).split(",")]
    if any(names[8:]) or (len(names) != 8 and any(names[4:])):
        faults.append(lin.bad("pn", f"pn has {len(names)} names, of which the first four are read", "mark"))
    names = names[4:] if room == "Closed" and len(names) == 8 else names
    return {seat: name for seat, name in zip(PLAYERS, names, strict=False) if name}


def _read_deal(lin: _LinBoard, faults: list[BadBoard]) -> UInt8Array:
    """Return owner uint8 (52,), 255 for the cards of hands that are left out; the fourth follows from three."""
    text = re.sub(r"^[0-4]|^\d(?=[SHDC])", "", "".join(plain_suits(lin.value("md")).split()).replace(";", ","))
    if not text.strip(","):
        raise lin.bad("md", "the board has no deal", "no deal")
    parted = ",".join(_TWO_HANDS.sub(r"\1,\2", hand) for hand in text.split(","))
    if parted != text:
        faults.append(lin.bad("md", f"a comma is missing between two hands of {text!r}", MENDED))
    hands = [plain_hand(hand) for hand in re.sub("^((?:[^,]*,){3}[^,]*),+$", r"\1", parted).split(",")]
    try:
        return settle_deal(lin.line_of("md"), hands, SEATS.index("S"), text, faults, is_last_redundant=True)
    except DealError as error:
        raise lin.bad("md", str(error), "not 52 distinct cards") from None


def _read_dealer(lin: _LinBoard, number: int | None, faults: list[BadBoard]) -> int:
    """Return the dealer from the digit before the hands, else from the board's number or its place in the file."""
    digit = lin.value("md")[:1]
    if digit and digit in "1234":
        return (int(digit) - 1) ^ 2
    return by_number_or_place(number, lin.place, board_dealer, lin.line, "dealer", faults)


def _read_vulnerability(lin: _LinBoard, number: int | None, faults: list[BadBoard]) -> int:
    """Return the vulnerability from ``sv``, else from the board's number; without any nobody is vulnerable."""
    text = lin.value("sv").lower()
    if text:
        try:
            return vulnerability_of(text)
        except ValueError:
            faults.append(
                lin.bad("sv", f"{text[:20]!r} is not a vulnerability; LIN has o, n, e and b", "vulnerability")
            )
    if number is None:
        faults.append(lin.bad("sv", "no sv and no board number: nobody is vulnerable", "no vulnerability"))
    return 0 if number is None else int(board_vulnerability(number))


def _read_tricks(lin: _LinBoard, faults: list[BadBoard]) -> int | None:
    """Return declarer's tricks from ``mc``."""
    text = lin.value("mc")
    if not text:
        return None
    if not re.fullmatch(r"\d\d?", text, re.ASCII) or int(text) > 13:
        faults.append(lin.bad("mc", f"claim {text[:20]!r} is not a number of tricks", "result"))
        return None
    return int(text)
