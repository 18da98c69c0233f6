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
from collections.abc import Iterable, Sequence

from bridge_env.records.board import BAD_PLAY, BadBoard, Board, ReadResult, read_drafts
from bridge_env.records.derive import (
    CONTRADICTION,
    MENDED,
    Bidding,
    by_number_or_place,
    leader_of,
    passes_missing,
    report_words_beside_number,
    settle_deal,
    settle_play,
    settle_tricks,
)
from bridge_env.records.lin_boards import LinBoard, boards_of, values_of
from bridge_env.records.text import Source, text_lines
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
_CALLS = rf"[1-7][\s!@]*(?:NT|[NCDHS])|ALL\s*PASS|PASS\s*OUT|AP|PASS|P|[{DASH}/]|REDOUBLE|RDBL|RD|XX|R|DOUBLE|DBL|X|D"
_CALL = re.compile(  # the call, its mark, its note; a comment
    rf"[\s,]*({_CALLS})"
    r"(\s*[!?*]+|)(\s*\([^()]*\))?(?:\s*\{[^{}]*\})?[\s,]*",
    re.IGNORECASE,
)
_DIVIDED = re.compile(rf"(?:{_CALLS})(?:[{DASH}](?:{_CALLS}))+$", re.IGNORECASE)  # by dashes: "1D-P-1S"
_CARD = re.compile(r"\s*(?:([SHDC])\s*(10|[2-9TJQKA])|(10|[2-9TJQKA])([SHDC]))[!?*]*\s*", re.IGNORECASE)
_NO_CARD = re.compile(r"[-?._*]+$|[SHDC]?X+$")
_HAND = re.compile("S[^S]*H[^SH]*D[^SHD]*C[^SHDC]*")


def read_lin(source: Source) -> ReadResult:
    """Read every board of a LIN file or stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    faults: list[BadBoard] = []
    return boards_of_lines(source, text_lines(source, faults), faults)


def boards_of_lines(source: object, lines: Iterable[str], faults: list[BadBoard]) -> ReadResult:
    """Read every board of the lines of a LIN file; ``faults`` are those of ``text_lines``, and ``source`` names it."""
    return _read(source, boards_of(values_of("\n".join(lines), faults), faults), faults)


def boards_of_links(source: object, texts: Iterable[tuple[int, str]], faults: list[BadBoard]) -> ReadResult:
    """Read the boards of texts of LIN, each by itself, with their lines in the file."""
    boards = [board for line, text in texts for board in boards_of(values_of(text, faults, line), faults)]
    return _read(source, boards, faults)


def _read(source: object, boards: Sequence[LinBoard], faults: list[BadBoard]) -> ReadResult:
    for place, board in enumerate(boards, 1):
        board.place = place
    return read_drafts(source, boards, _board_of, faults)


def _board_of(lin: LinBoard, faults: list[BadBoard]) -> Board:
    """Return the board, adding the faults of its parts to ``faults``; raise ``BadBoard`` if it cannot be trusted."""
    calls, notes = _read_calls(lin, faults)
    number, owner = lin.number, _read_deal(lin, faults)
    dealer, vulnerability = _read_dealer(lin, number, faults), _read_vulnerability(lin, number, faults)
    cards = _read_cards(lin, faults)
    leader = leader_of(owner, cards)
    if leader is None:
        leader = _leader_by_results(lin, calls)
    bidding = Bidding(lin.line_of("mb"), dealer, calls, notes, lin.line_of("mb"), leader=leader)
    contract = bidding.settle(faults)
    tricks = _read_tricks(lin, contract, faults)
    contract, tricks = _take_result(lin, contract, tricks, faults)
    plays = settle_play(lin.line_of("pc"), owner, contract, cards, faults)
    tricks = settle_tricks(lin.line_of("mc"), contract, tricks, plays, faults)
    report_words_beside_number(lin.value("ah"), lin.line_of("ah"), faults)
    if lin.place_in_match not in (None, number):
        faults.append(lin.bad("ah", f"qx has {lin.place_in_match}, ah {number}, which counts", CONTRADICTION))
    title = lin.value("ah") if number is None else ""  # what is no number stays a tag
    tags = dict(zip(MATCH, lin.match, strict=True))
    tags |= {"Room": lin.room, "Board": title} | _read_names(lin, lin.room, faults)
    return Board(
        owner, dealer, vulnerability, number, bidding.calls or None, contract, tricks,
        None if plays is None else plays.cards(0),
        {tag: value for tag, value in tags.items() if not re.match("#?$|##", value)},  # PBN's signs of inheritance
        line=lin.line, notes=bidding.notes,
    )  # fmt: skip


def _leader_by_results(lin: LinBoard, calls: tuple[int, ...]) -> int | None:
    """Return the seat behind the declarer whom the match's results name for the last bid of the auction."""
    found = parse_result(lin.result)
    bids = [call for call in calls if call >= FIRST_BID]
    if found is None or not bids or found[0].declarer < 0 or found[0].bid != bids[-1] - FIRST_BID:
        return None
    return (found[0].declarer + 1) & 3


def _read_calls(lin: LinBoard, faults: list[BadBoard]) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the calls and their notes: one call a text, as ``mb`` has it, or several without blanks, as links do."""
    calls: list[int] = []
    notes: dict[int, str] = {}
    for index, text in enumerate(map(plain_suits, lin.calls)):
        matches, rest = _calls_in(text, is_one=len(lin.calls) > 1)
        is_last = index == len(lin.calls) - 1
        if rest and not matches and not (is_last and (calls or not rest.strip("? "))):
            raise lin.bad("mb", f"auction: {rest[:20]!r} is not a call", "not a call")
        if rest and not (is_last and not rest.strip("? ")):  # the last may be the call in question
            what = "behind a call is not read" if matches else "at its end is not a call"  # of a file cut short
            faults.append(lin.bad("mb", f"auction: {rest!r} {what}", "mark"))
        for match in matches:
            word = re.sub(r"[\s!@]", "", match[1].upper())
            if word in ("AP", "ALLPASS", "PASSOUT"):
                calls += [PASS] * passes_missing(calls)
            else:
                calls.append(PASS if not word[0].isalnum() else parse_call("XX" if word == "RD" else word))
            if "!" in match[2] or match[3]:
                note = lin.calls[index][match.start(3) : match.end(3)] if match[3] else ""
                notes[len(calls) - 1] = note.strip()[1:-1]
        if calls and index in lin.notes:
            notes[len(calls) - 1] = lin.notes[index]
    return tuple(calls), {index: " ".join(text.split()) for index, text in notes.items()}


def _calls_in(text: str, is_one: bool) -> tuple[list[re.Match[str]], str]:
    """Return the calls at the beginning of a text, and the text behind them.

    Words behind a call may begin with letters of calls: ``2C!Drury``, ``1 Spade``, ``1S Do you double?``. So letters in
    front of one that is no call are calls only where no sign or blank divides them from calls before.

    Args:
        is_one: whether the text should have one call, so that the first alone counts where others go on as no calls.
    """
    if _DIVIDED.match(text.strip()):
        text = re.sub(f"(?<=[^{DASH}])[{DASH}]", " ", text)
    if not any(len(dashes) % 2 for dashes in re.findall(f"[{DASH}/]+", text)):  # in pairs: each is a pass
        text = re.sub(f"[{DASH}/]{{2}}", "P ", text)
    matches, end = list[re.Match[str]](), 0
    while end < len(text) and (match := _CALL.match(text, end)):
        matches.append(match)
        end = match.end()
    if end < len(text) and len(matches) > 1:
        if is_one:
            matches = matches[:1]
        elif text[end].isalnum():
            ends = [place for place, match in enumerate(matches[:-1], 1) if re.search(r"[\s!?*).,]$", match[0])]
            matches = matches[: ends[-1]] if ends else matches
        end = matches[-1].end()
    return matches, text[end:]


def _read_cards(lin: LinBoard, faults: list[BadBoard]) -> list[int]:
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
    lin: LinBoard, contract: Contract | None, tricks: int | None, faults: list[BadBoard]
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


def _read_names(lin: LinBoard, room: str, faults: list[BadBoard]) -> dict[str, str]:
    """Return the player by seat; of eight names the last four sit in the closed room."""
    names = [name.strip() for name in lin.values.get("pn", lin.names).split(",")]
    if any(names[8:]) or (len(names) != 8 and any(names[4:])):
        faults.append(lin.bad("pn", f"pn has {len(names)} names, of which the first four are read", "mark"))
    names = names[4:] if room == "Closed" and len(names) == 8 else names
    return {seat: name for seat, name in zip(PLAYERS, names, strict=False) if name}


def _read_deal(lin: LinBoard, faults: list[BadBoard]) -> UInt8Array:
    """Return owner uint8 (52,), 255 for the cards of hands that are left out; the fourth follows from three."""
    text = re.sub("[;/]", ",", "".join(plain_suits(lin.value("md")).split()))
    text = re.sub(r"^[0-4]|^\d(?=[SHDC])", "", text)
    if not text.strip(","):
        raise lin.bad("md", "the board has no deal", "no deal")
    parted = ",".join(",".join(_HAND.findall(hand)) if _HAND.sub("", hand) == "" else hand for hand in text.split(","))
    if parted != text:
        faults.append(lin.bad("md", f"a comma is missing between hands of {text!r}", MENDED))
    hands = [plain_hand(hand) for hand in re.sub("^([^,]+(?:,[^,]*){3}),+$", r"\1", parted).split(",")]
    try:
        return settle_deal(lin.line_of("md"), hands, SEATS.index("S"), text, faults, is_last_redundant=True)
    except DealError as error:
        raise lin.bad("md", str(error), "not 52 distinct cards") from None


def _read_dealer(lin: LinBoard, number: int | None, faults: list[BadBoard]) -> int:
    """Return the dealer from the digit before the hands, else from the board's number or its place in the file."""
    digit = lin.value("md")[:1]
    if digit and digit in "1234":
        return (int(digit) - 1) ^ 2
    return by_number_or_place(number, lin.place, board_dealer, lin.line, "dealer", faults)


def _read_vulnerability(lin: LinBoard, number: int | None, faults: list[BadBoard]) -> int:
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


def _read_tricks(lin: LinBoard, contract: Contract | None, faults: list[BadBoard]) -> int | None:
    """Return declarer's tricks from ``mc``, which may have those over or under the contract instead."""
    text = re.sub(r"\s*tricks?$", "", lin.value("mc"), flags=re.IGNORECASE)
    if not text:
        return None
    if text[0] in "+-=" and contract is not None and (found := parse_result(f"{contract}{text}")) is not None:
        return found[1]
    if not re.fullmatch(r"\d\d?", text, re.ASCII) or int(text) > 13:
        faults.append(lin.bad("mc", f"claim {text[:20]!r} is not a number of tricks", "result"))
        return None
    return int(text)
