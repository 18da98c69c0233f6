"""Read and write Portable Bridge Notation (PBN 2.1, https://www.tistis.nl/pbn/).

``read_boards`` never raises for what a file contains. A board that cannot be trusted (cards missing or twice, an
illegal auction, a contract that its auction does not end in, ...) becomes a ``Problem`` with file, line and reason, and
the others are read. Accepted beyond the clean export format: ``%`` lines, ``;`` and ``{}`` comments, gzip, UTF-8 and
Windows-1252, any line ends, missing [Dealer] (from the auction's, else the board's number) and [Vulnerable] (from the
number), values inherited by ``#`` and ``##``, marks such as ``AP``, ``-``, ``*``, ``+`` and ``^``, and notes.

A bad [Play] costs only itself: a ``Problem`` beside the board reports it. Not read: comments, annotation marks, the
notes of the play, and plays without a contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridge_env.hands.deals import deal_text, parse_deal
from bridge_env.records.board import (
    BAD_PLAY,
    ILLEGAL_PLAY,
    BadBoard,
    Board,
    ReadResult,
    auction_end,
    by_board_number,
    check_play,
    passes_missing,
    read_drafts,
)
from bridge_env.records.pbn_games import Game, games, inherited
from bridge_env.records.text import Source, Target, text_lines, write_text
from bridge_env.rules.calls import PASS, CallError, Contract, call_text, parse_call
from bridge_env.rules.cards import (
    CARD_NUMBERS,
    SEATS,
    SUITS,
    DealError,
    UInt8Array,
    board_dealer,
    board_vulnerability,
    card_text,
    parse_seat,
    parse_vulnerability,
)

MANDATORY_TAGS = ("Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
                  "Deal", "Scoring", "Declarer", "Contract", "Result")  # fmt: skip
"""The tags of every game in the export format, in its order."""

_FIELDS = frozenset({"Board", "Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Result", "Auction", "Play"})
_VULNERABLE = ("None", "NS", "EW", "All")
_UNKNOWN = ("", "?")  # tag values that leave something open

_MARKS = re.compile(r"=\d*=|\$\d+|[!?]+")  # note, numeric annotation, good or bad call or card
_TRICKS = re.compile(r"(NS|EW)?\s*(\d{1,4})(?:\s*(?:NS|EW)\s*\d+)?$", re.ASCII)
_CARDS = CARD_NUMBERS | {f"{suit}10": CARD_NUMBERS[f"{suit}T"] for suit in SUITS} | {"-": -1}


# --- reading ----------------------------------------------------------------------------------------------


def read_boards(source: Source) -> ReadResult:
    """Read every board of a PBN file or stream.

    Args:
        source: a path (plain or gzip, whatever its name), or a text or binary stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    faults: list[BadBoard] = []
    return read_drafts(source, inherited(games(text_lines(source, faults), faults)), _board_of, faults)


# --- the fields of a board ----------------------------------------------------------------------------------


def _board_of(game: Game, faults: list[BadBoard]) -> Board:
    """Return the board of a game; add the fault of its play to ``faults``.

    Raises:
        BadBoard: the board cannot be trusted.
    """
    if game.broken is not None:
        raise game.broken
    text = game.value("Board")
    number = int(text) if re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII) else None
    owner = _read_deal(game)
    dealer, vulnerability = _read_dealer(game, number), _read_vulnerability(game, number)
    auction, notes = _read_auction(game, dealer)
    contract, end = _read_contract(game), auction_end(game.line_of("Auction"), auction, dealer)
    if end is not None and contract is not None and end != contract:
        reason = f"the auction ends in {end}, the tags say {contract}"
        raise game.bad("Contract", reason, "contract is not the auction's")
    contract = contract if end is None else end
    play = None
    try:
        play = _read_play(game, owner, contract)
    except BadBoard as bad:
        faults.append(bad)
    tags = {
        name: _unescape(value)
        for name, (value, _) in game.tags.items()
        if value != "" and name not in _FIELDS and name != "Note" and name not in game.rows
    }
    if number is None and text:  # what is no number stays a tag
        tags["Board"] = _unescape(text)
    sections = {
        name: (game.tags[name][0], *(row for _, row in rows))
        for name, rows in game.rows.items()
        if name not in _FIELDS
    }  # fmt: skip
    return Board(
        owner, dealer, vulnerability, number, auction or None, contract, _read_tricks(game, contract), play,
        tags, sections, game.line, notes,
    )  # fmt: skip


def _read_deal(game: Game) -> UInt8Array:
    """Return the deal, uint8 (52,), read-only."""
    text = game.value("Deal")
    if not text:
        raise game.bad("Deal", "the board has no deal", "no deal")
    if "-" in text.partition(":")[2].split():
        raise game.bad("Deal", f"deal {text!r} leaves out a hand", "deal leaves out a hand")
    try:
        owner = parse_deal(text)
    except DealError as error:
        raise game.bad("Deal", str(error), "not 52 distinct cards") from None
    owner.flags.writeable = False
    return owner


def _read_dealer(game: Game, number: int | None) -> int:
    """Return the dealer from its tag, else the auction's first seat, else the board's number."""
    for name in ("Dealer", "Auction"):
        if game.value(name) not in _UNKNOWN:
            return _seat(game, name)
    return by_board_number(number, board_dealer, game.line, "dealer")


def _seat(game: Game, name: str) -> int:
    try:
        return parse_seat(game.value(name))
    except ValueError as error:
        raise game.bad(name, f"[{name}]: {error}", "dealer") from None


def _read_vulnerability(game: Game, number: int | None) -> int:
    """Return the vulnerability from its tag, else the board's number."""
    text = game.value("Vulnerable")
    if text in _UNKNOWN:
        return by_board_number(number, board_vulnerability, game.line, "vulnerability")
    try:
        return parse_vulnerability(text)
    except ValueError as error:
        raise game.bad("Vulnerable", str(error), "vulnerability") from None


def _words(game: Game, section: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, words) of every row of a section up to its end, without marks; ``=1=`` is a word of auctions."""
    for line, row in game.rows.get(section, ()):
        words = _MARKS.sub(lambda mark: f" {mark[0]} " if mark[0][0] == "=" else " ", row).upper().split()
        ends = [i for i, word in enumerate(words) if word in ("*", "+")]  # it breaks off here
        # A bare ^ word marks an irregularity; the calls or cards beside it are those that stood.
        words = words[: ends[0] if ends else None]
        yield line, [word for word in words if word[0] != "^" and (section == "Auction" or word[0] != "=")]
        if ends:
            return


def _read_auction(game: Game, dealer: int) -> tuple[tuple[int, ...], dict[int, str]]:
    """Return the calls from the dealer on, which may be illegal, and the notes of some.

    A ``-`` stands for no call: of seats before the dealer, and where the auction is not recorded to its end.
    """
    calls: list[int] = []
    marks: list[tuple[int, str]] = []
    skipped, broken_off = 0, False
    for line, words in _words(game, "Auction"):
        for word in words:
            if word[0] == "=":
                marks += [(len(calls) - 1, word)] if calls else []
            elif word == "-":
                skipped += not calls
                broken_off = bool(calls)
            elif broken_off:
                raise BadBoard(line, f"auction: {word} after a call that is left out", "call left out")
            elif word == "AP":
                calls += [PASS] * passes_missing(calls)
            else:
                try:
                    calls.append(parse_call(word.rstrip("*")))  # 4C* is alerted
                except CallError as error:
                    raise BadBoard(line, f"auction: {error}", "not a call") from None
    if calls and game.value("Auction") not in _UNKNOWN:
        starts = (_seat(game, "Auction") + skipped) & 3
        if starts != dealer:
            reason = f"the auction starts with {SEATS[starts]}, but {SEATS[dealer]} is the dealer"
            raise game.bad("Auction", reason, "dealer and auction differ")
    return tuple(calls), _read_notes(game, marks)


def _read_notes(game: Game, marks: Sequence[tuple[int, str]]) -> dict[int, str]:
    texts: dict[str, str] = {}
    for section, value in game.notes:
        number, colon, text = _unescape(value).partition(":")
        if section == "Auction" and colon:
            texts[f"={number.strip()}="] = text.strip()
    notes: dict[int, list[str]] = {}
    for index, mark in marks:
        if mark in texts and texts[mark] not in notes.setdefault(index, []):
            notes[index].append(texts[mark])
    return {index: "; ".join(found) for index, found in notes.items()}


def _read_contract(game: Game) -> Contract | None:
    """Return the contract of the tags."""
    text, declarer = game.value("Contract"), game.value("Declarer").lstrip("^")
    if text.upper().startswith(("PAS", "ALL PAS")) or text.upper() in ("P", "AP"):
        return Contract(-1)
    if text in _UNKNOWN or declarer in _UNKNOWN:
        return None
    try:
        return Contract.parse(f"{text} {declarer}")
    except CallError as error:
        raise game.bad("Contract", str(error), "contract") from None


def _read_tricks(game: Game, contract: Contract | None) -> int | None:
    """Return declarer's tricks; the tag may have a side's instead."""
    text = game.value("Result").lstrip("^").upper()
    if text in _UNKNOWN or (contract is not None and contract.passed_out):
        return None
    match = _TRICKS.match(text)
    tricks = int(match[2]) if match else 14
    if match is None or tricks > 13:
        raise game.bad("Result", f"result {text!r} is not a number of tricks", "result")
    if match[1]:
        if contract is None:
            return None
        return tricks if contract.declarer & 1 == ("NS", "EW").index(match[1]) else 13 - tricks
    return tricks


def _read_play(game: Game, owner: UInt8Array, contract: Contract | None) -> tuple[int, ...] | None:
    """Return the cards in the order of play.

    Raises:
        BadBoard: the play cannot be trusted.
    """
    rows: list[list[int]] = []
    for number, words in _words(game, "Play"):
        if unread := [word for word in words if word not in _CARDS]:
            raise BadBoard(number, f"play: {unread[0]!r} is not a card", BAD_PLAY)
        if len(words) > 4:
            raise BadBoard(number, f"play: {len(words)} cards in one trick", BAD_PLAY)
        if words:
            rows.append([_CARDS[word] for word in words] + [-1] * (4 - len(words)))
    if not rows:
        return None
    if contract is None:
        raise game.bad("Play", "play: the contract is not known", BAD_PLAY)
    leader = game.value("Play").upper()
    if not contract.passed_out and leader in tuple(SEATS) and leader != SEATS[(contract.declarer + 1) & 3]:
        raise game.bad("Play", f"play: {leader} leads against {contract}", ILLEGAL_PLAY)
    cards = _in_order(rows, contract.strain)
    known = cards.index(-1) if -1 in cards else len(cards)
    if max(cards[known:], default=-1) >= 0:
        raise game.bad("Play", f"play: cards follow one that is missing, after {known} cards", ILLEGAL_PLAY)
    return check_play(game.line_of("Play"), owner, contract, cards[:known])


def _in_order(rows: Iterable[Sequence[int]], strain: int) -> list[int]:
    """Put tricks whose columns are seats into the order of play; a card that is not known is -1."""
    cards: list[int] = []
    first = 0
    for row in rows:
        trick = [row[(first + k) & 3] for k in range(4)]
        cards += trick
        best = max(trick, key=lambda card: (card // 13 == strain, card // 13 == trick[0] // 13, card))
        first = (first + trick.index(best)) & 3
    return cards


# --- writing ----------------------------------------------------------------------------------------------


def write_boards(target: Target, boards: Iterable[Board]) -> None:
    """Write boards in PBN 2.1 export format; ``read_boards`` returns the same boards, but for control characters.

    Args:
        target: a path (gzipped if it ends in ``.gz``; the text is UTF-8), or a text stream.
        boards: any boards.
    """
    write_text(target, "% PBN 2.1\n% EXPORT\n" + "".join("\n" + board_text(board) for board in boards))


def board_text(board: Board) -> str:
    """Return one board in export format, with a line break at the end."""
    contract = board.contract
    values = dict(board.tags)
    if board.number is not None:
        values["Board"] = str(board.number)
    values["Dealer"] = SEATS[board.dealer]
    values["Vulnerable"] = _VULNERABLE[board.vulnerability]
    values["Deal"] = deal_text(board.owner)
    if contract is not None:
        values["Declarer"] = "" if contract.passed_out else SEATS[contract.declarer]
        values["Contract"] = "Pass" if contract.passed_out else str(contract).rpartition(" ")[0]
    values["Result"] = "" if board.tricks is None else str(board.tricks)
    order = [*MANDATORY_TAGS, *sorted(values.keys() - set(MANDATORY_TAGS))]
    # The values # and ##... are signs of inheritance.
    texts = [(name, re.sub("^#$|^##+", "", values.get(name, ""))) for name in order if name not in board.sections]
    lines = [f'[{name} "{_escape(text)}"]' for name, text in texts]
    if board.auction:
        lines += [f'[Auction "{SEATS[board.dealer]}"]', *_auction_lines(board.auction, board.notes)]
    if board.play and contract is not None:
        lines += _play_lines(board, board.play, contract)
    for name in sorted(board.sections):  # as they stand in a file: heads of tables have backslashes that are no escapes
        header, *rows = board.sections[name]
        lines += [f'[{name} "{header}"]', *rows]
    return "\n".join(lines) + "\n"


def _play_lines(board: Board, cards: Sequence[int], contract: Contract) -> list[str]:
    leader = (contract.declarer + 1) & 3
    lines = [f'[Play "{SEATS[leader]}"]']
    for start in range(0, len(cards), 4):
        row = ["-"] * 4
        for card in cards[start : start + 4]:
            row[(int(board.owner[card]) - leader) & 3] = card_text(card)
        lines.append(" ".join(row))
    return lines if len(cards) == 52 else [*lines, "*"]


def _auction_lines(calls: Sequence[int], notes: Mapping[int, str]) -> list[str]:
    marks = {index: mark for mark, index in enumerate(sorted(notes), 1)}
    words = [call_text(c) + (f" ={marks[i]}=" if i in marks else "") for i, c in enumerate(calls)]
    rows = [" ".join(words[i : i + 4]) for i in range(0, len(calls), 4)]
    if len(calls) < 4 or passes_missing(calls):
        rows.append("*")
    return rows + [f'[Note "{mark}:{_escape(notes[index])}"]' for index, mark in marks.items()]


def _unescape(value: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", value)


def _escape(value: str) -> str:
    """Return a text as the value of a tag: with backslashes before quotes, and without control characters."""
    return re.sub(r"[\n\r\x1a]", " ", value).replace("\\", "\\\\").replace('"', '\\"')
