"""Read and write Portable Bridge Notation (PBN 2.1, https://www.tistis.nl/pbn/).

``read_boards`` never raises for what a file contains. A board that cannot be trusted (cards missing or twice, an
illegal auction, a contract that its auction does not end in, ...) becomes a ``Problem`` with file, line and reason, and
the others are read. Accepted beyond the clean export format: ``%`` lines, ``;`` and ``{}`` comments, gzip, UTF-8,
UTF-16 and Windows-1252, any line ends, deals alone, values inherited by ``#`` and ``##``, other tables of a board that
leave out their deal, hands that are left out, plays whose columns are no seats, marks such as ``AP``, ``-``, ``*``,
``+`` and ``^``, and notes.

One fact mends another (``bridge_env.records.derive``): dealer and vulnerability come from the board's number or its
place in the file, contract and declarer from auction, tags and lead, tricks from the play or the score. A bad [Play], a
mark or a tag that cannot be read costs only itself. A ``Problem`` beside the board reports what was mended, lost or
contradicts. Not read: comments, annotation marks, the notes of the play, and plays without a contract.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.deals import hand_text, parse_deal
from bridge_env.records.board import BAD_PLAY, BadBoard, Board, ReadResult, read_drafts
from bridge_env.records.derive import (
    CONTRADICTION,
    MENDED,
    board_number,
    by_number_or_place,
    leader_of,
    passes_missing,
    report_words_beside_number,
    settle_deal,
    settle_play,
    settle_score,
    settle_tricks,
)
from bridge_env.records.pbn_auction import read_bidding, words_of
from bridge_env.records.pbn_games import FOUR_HANDS, UNKNOWN_VALUES, Game, games, inherited, unescape
from bridge_env.records.tables import HEADER, read_ability, read_digits, read_rows, rows_of_grid, table_rows
from bridge_env.records.text import Source, Target, text_lines, write_text
from bridge_env.records.words import plain_dashes, plain_deal, plain_words, read_contract, vulnerability_of
from bridge_env.rules.calls import Contract, call_text, parse_result
from bridge_env.rules.cards import CARD_NUMBERS, SEATS, UNKNOWN, DealError, UInt8Array, board_vulnerability, card_text
from bridge_env.rules.play import row_winner

MANDATORY_TAGS = ("Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
                  "Deal", "Scoring", "Declarer", "Contract", "Result")  # fmt: skip
"""The tags of every game in the export format, in its order."""

_FIELDS = frozenset({"Board", "Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Result", "Auction", "Play"})
_VULNERABLE = ("None", "NS", "EW", "All")
_TABLE, _DIGITS, _ABILITY = "OptimumResultTable", "DoubleDummyTricks", "Ability"

_SIDES = re.compile(
    r"(?:(NS|EW|[NESW]\b)[\s:=]*)?\^?([+-]?\d{1,5})(?:\s*/?\s*(NS|EW|[NESW])|[\s;,/]*(?:NS|EW)[\s:=]*([+-]?\d{1,5}))?$",
    re.ASCII,
)
# In either order; a mark.
_CARD = re.compile(r"[^A-Z0-9]?(?:([SHDC])(10|[2-9TJQKA])|(10|[2-9TJQKA])([SHDC]))((?:[^A-Z0-9].*)?)$")
_NO_CARD = re.compile(r"[-?._*\u2010-\u2015\u2026]+$|[SHDC]?X+$")


def read_boards(source: Source) -> ReadResult:
    """Read every board of a PBN file or stream.

    Args:
        source: a path (plain or gzip, whatever its name), or a text or binary stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    faults: list[BadBoard] = []
    return boards_of_lines(source, text_lines(source, faults), faults)


def boards_of_lines(source: object, lines: Iterable[str], faults: list[BadBoard]) -> ReadResult:
    """Read every board of the lines of a PBN file; ``faults`` are those of ``text_lines``, and ``source`` names it."""
    return read_drafts(source, inherited(games(lines, faults), faults), _board_of, faults)


def _board_of(game: Game, faults: list[BadBoard]) -> Board:
    """Return the board, adding the faults of its parts to ``faults``; raise ``BadBoard`` if it cannot be trusted."""
    text = game.value("Board")
    number, owner = board_number(text), _read_deal(game, faults)
    report_words_beside_number(text, game.line_of("Board"), faults)
    rows = _play_rows(game, faults)
    leader = leader_of(owner, rows[0] if rows else ())
    if leader is None and game.lacks("Declarer") and game.value("Play") in tuple(SEATS):
        leader = SEATS.index(game.value("Play"))
    bidding = read_bidding(game, number, leader, faults)
    contract = bidding.settle(faults)
    vulnerability, is_known = _read_vulnerability(game, number, faults)
    cards = [] if contract is None else _in_order(game, owner, contract, rows, faults)
    plays = settle_play(game.line_of("Play"), owner, contract, cards or [card for row in rows for card in row], faults)
    tricks = settle_tricks(game.line_of("Result"), contract, _read_tricks(game, contract, faults), plays, faults)
    vulnerability, tricks = _check_score(game, contract, vulnerability, is_known, tricks, faults)
    table = _read_table(game, faults)
    sections = {
        name: (game.tags[name][0], *(row for _, row in rows))
        for name, rows in game.rows.items()
        if name not in _FIELDS and name not in MANDATORY_TAGS
    }
    for name in game.rows.keys() - sections.keys() - {"Auction", "Play"}:
        number_of_line, row = game.rows[name][0]
        faults.append(BadBoard(number_of_line, f"text below [{name}] is not read: {row[:80]!r}"))
    tags = {
        name: unescape(value)
        for name, (value, _) in game.tags.items()
        if value != "" and name not in _FIELDS and name != "Note" and name not in sections
    }
    if number is None and text:  # what is no number stays a tag
        tags["Board"] = unescape(text)
    if table is not None:
        for name in (_TABLE, _DIGITS, _ABILITY):
            tags.pop(name, None)
        sections.pop(_TABLE, None)
    return Board(
        owner, bidding.dealer, vulnerability, number, bidding.calls or None, contract, tricks,
        None if plays is None else plays.cards(0), tags, sections, game.line, bidding.notes, table,
    )  # fmt: skip


def _read_deal(game: Game, faults: list[BadBoard]) -> UInt8Array:
    """Return the deal, uint8 (52,), 255 for the cards of hands that are left out."""
    text = game.value("Deal")
    if game.lacks("Deal"):
        raise game.bad("Deal", "the board has no deal", "no deal")
    if FOUR_HANDS.match(text):
        faults.append(game.bad("Deal", "the deal has no first seat, so its first hand is N's", MENDED))
        text = f"N:{text}"
    seat, colon, hands = plain_deal(text).partition(":")
    try:
        if not colon or seat.upper() not in tuple(SEATS):
            return parse_deal(text)  # its error
        return settle_deal(game.line_of("Deal"), hands.split(), SEATS.index(seat.upper()), text, faults)
    except DealError as error:
        raise game.bad("Deal", str(error), "not 52 distinct cards") from None


def _read_vulnerability(game: Game, number: int | None, faults: list[BadBoard]) -> tuple[int, bool]:
    """Return the vulnerability from its tag or the board's number, else from its place in the file, and whether one of
    the first two is there.
    """
    text = game.value("Vulnerable")
    if text not in UNKNOWN_VALUES:
        try:
            return vulnerability_of(text), True
        except ValueError:
            reason = f"{text!r} is not a vulnerability (None, NS, EW or All), so it is that of the board's number"
            faults.append(game.bad("Vulnerable", reason, "vulnerability"))
    known = number is not None
    return by_number_or_place(number, game.place, board_vulnerability, game.line, "vulnerability", faults), known


def _read_tricks(game: Game, contract: Contract | None, faults: list[BadBoard]) -> int | None:
    """Return declarer's tricks; the tag may have a side's instead, or tricks over and under the contract."""
    text = plain_words(plain_dashes(game.value("Result").lstrip("^")))
    if not text.strip("-?*X"):
        found = read_contract(game.value("Contract"))
        return None if found is None else found[1]
    full = parse_result(text)
    if text[0] in "=+-" or (full is not None and full[1] is not None):
        found = full or (None if contract is None else parse_result(f"{str(contract).rpartition(' ')[0]}{text}"))
        tricks, side = 14 if found is None or found[1] is None else found[1], None
    else:
        match = _SIDES.match(text)
        tricks, side = (14, None) if match is None else (int(match[2]), match[1] or match[3])
        if match is not None and match[2][0] in "+-":  # over or under the contract
            tricks = 14 if contract is None or _side(side) != contract.declarer & 1 else contract.level + 6 + tricks
            side = None
        if match is not None and match[4] and tricks + int(match[4]) != 13:
            faults.append(game.bad("Result", f"result {text!r} is not of 13 tricks", CONTRADICTION))
    if not 0 <= tricks <= 13:
        faults.append(game.bad("Result", f"result {text!r} is not a number of tricks", "result"))
        return None
    named = read_contract(game.value("Contract"))
    if named is not None and named[1] not in (None, tricks) and side is None:
        reason = f"the result is {tricks}, but the contract is {game.value('Contract')}"
        faults.append(game.bad("Result", reason, CONTRADICTION))
    if side is None:
        return tricks
    if contract is None:
        faults.append(game.bad("Result", f"result {text!r} of a contract that is not known", "result"))
        return None
    return tricks if contract.declarer & 1 == _side(side) else 13 - tricks


def _side(text: str) -> int:
    """Return 0 for ``NS``, ``N`` and ``S``, 1 for ``EW``, ``E`` and ``W``."""
    return SEATS.index(text[0]) & 1


def _check_score(
    game: Game, contract: Contract | None, vulnerability: int, is_known: bool, tricks: int | None,
    faults: list[BadBoard],
) -> tuple[int, int | None]:  # fmt: skip
    """Return vulnerability and declarer's tricks, from [Score] if they are not known.

    Scores of rubber bridge have other rules.
    """
    text = plain_dashes(game.value("Score").upper())
    match = _SIDES.match(re.sub(r"\b([NE])\s*[/-]\s*([SW])\b", r"\1\2", text))
    if match is None and not game.lacks("Score"):
        faults.append(game.bad("Score", f"{text!r} is not a score, such as 'NS 420'", "score"))
    if match is None or re.search("rubber|chicago", game.value("Scoring"), re.IGNORECASE):
        return vulnerability, tricks
    if match[4] and int(match[2]) and int(match[4]) and int(match[2]) != -int(match[4]):
        faults.append(game.bad("Score", f"the scores of {text!r} are not of one result", CONTRADICTION))
    side = _side(match[1] or match[3]) if match[1] or match[3] else None
    found = list[BadBoard]()
    line, points = game.line_of("Score"), int(match[2]) or -int(match[4] or 0)
    by_score = settle_score(line, contract, vulnerability, tricks, points, side, found)
    if found and not is_known and contract is not None and not contract.passed_out:
        other, problems = vulnerability ^ (1 << (contract.declarer & 1)), list[BadBoard]()
        by_other = settle_score(line, contract, other, tricks, points, side, problems)
        if not problems:
            reason = f"the vulnerability is {_VULNERABLE[other]}, by the score of {points}"
            faults.append(BadBoard(line, reason, MENDED))
            return other, by_other
    faults += found
    return vulnerability, by_score


def _play_rows(game: Game, faults: list[BadBoard]) -> list[list[int]]:
    """Return the tricks of the play by column, -1 for no card; rows of one or over four cards are in order."""
    rows: list[list[int]] = []
    for number, words in words_of(game, "Play", faults):
        cards = []
        words = words[words[:1] == ["TRICK"] :]
        for word in words[bool(words and re.fullmatch(r"\d{1,2}[.:)]?", words[0])) :]:
            if word not in ("*", "+"):
                cards.append(_read_card(word, number, faults))
        if cards:
            rows.append(cards)
    if any(len(row) > 4 for row in rows) or (len(rows) > 1 and all(len(row) == 1 for row in rows)):
        cards = [card for row in rows for card in row]
        rows = [cards[start : start + 4] for start in range(0, min(len(cards), 53), 4)]
    return [row + [-1] * (4 - len(row)) for row in rows]


def _read_card(word: str, line: int, faults: list[BadBoard]) -> int:
    """Return a card, -1 for a word that is none."""
    match = _CARD.match(word)
    if match is None:
        if not _NO_CARD.match(word):
            faults.append(BadBoard(line, f"play: {word!r} is not a card", BAD_PLAY))
        return -1
    if match[5].strip(","):
        faults.append(BadBoard(line, f"play: {match[5]!r} behind {word[: match.start(5)]} is not read", "mark"))
    return CARD_NUMBERS[(match[1] or match[4]) + (match[2] or match[3]).replace("10", "T")]


def _in_order(
    game: Game, owner: UInt8Array, contract: Contract, rows: list[list[int]], faults: list[BadBoard]
) -> list[int]:
    """Put tricks whose columns are seats into the order of play.

    The cards say which seat a column is; where they are of another order, each stands for the hand that holds it. A
    card that is not known follows where its hand has one left only.
    """
    if not rows or contract.passed_out or (owner == UNKNOWN).any():
        return [card for row in rows for card in row]
    leader = (contract.declarer + 1) & 3
    held = Counter((int(owner[card]) - column) & 3 for row in rows for column, card in enumerate(row) if card >= 0)
    first = next(iter(held)) if len(held) == 1 else leader
    if first != leader:
        reason = f"play: {SEATS[leader]} leads against {contract}, so the columns begin with {SEATS[first]}"
        faults.append(game.bad("Play", reason, MENDED))
    columns = np.array(rows, np.int8)[:, [(leader - first + k) & 3 for k in range(4)]]
    if len(held) > 1 and (by_hand := _by_hand(owner, leader, rows)) is not None:
        columns = by_hand
        faults.append(
            game.bad("Play", "play: its columns are no seats, so each card is of the hand that holds it", MENDED)
        )
    for k, column in enumerate(columns.T if len(rows) == 13 else ()):
        rest = np.setdiff1d(np.flatnonzero(owner == (leader + k) & 3), column)
        if rest.size == 1 and (column[:-1] < 0).sum() == 1:
            column[column < 0] = rest
    cards: list[int] = []
    turn = 0
    for row in columns.tolist():
        trick = [row[(turn + k) & 3] for k in range(4)]
        cards += trick
        turn = (turn + row_winner(trick, 0, contract.strain)) & 3
    return cards


def _by_hand(owner: UInt8Array, leader: int, rows: Sequence[Sequence[int]]) -> NDArray[np.int8] | None:
    """Return tricks with the leader's card in the first column, int8 (tricks, 4); None where two are of one hand."""
    columns = np.full((len(rows), 4), -1, np.int8)
    for row, cards in zip(columns, rows, strict=True):
        for card in cards:
            seat = (int(owner[card]) - leader) & 3
            if card >= 0 and row[seat] >= 0:
                return None
            if card >= 0:
                row[seat] = card
    return columns


def _read_table(game: Game, faults: list[BadBoard]) -> NDArray[np.int8] | None:
    """Return the double-dummy table of any form; where they differ, the one with rows, then the one of digits."""
    found: dict[str, NDArray[np.int8]] = {}
    rows, header = [row for _, row in game.rows.get(_TABLE, ())], game.value(_TABLE)
    if not rows:
        rows, header = rows_of_grid(header), HEADER
    bad: list[str] = []
    for name, text in ((_TABLE, "rows" * bool(rows)), (_DIGITS, game.value(_DIGITS)), (_ABILITY, game.value(_ABILITY))):
        try:
            if text and name == _TABLE:
                found[name] = read_rows(rows, header, bad)
            elif text:
                found[name] = read_digits(text) if name == _DIGITS else read_ability(text)
        except ValueError as error:
            faults.append(game.bad(name, f"[{name}]: {error}", "double-dummy table"))
    faults += [game.bad(_TABLE, f"[{_TABLE}]: {reason}", "double-dummy table") for reason in bad]
    table = np.full((4, 5), -1, np.int8)
    for name, other in found.items():
        if (table != other)[(table >= 0) & (other >= 0)].any():
            faults.append(game.bad(name, f"[{name}] is not [{next(iter(found))}], which counts", CONTRADICTION))
        table = np.where(table < 0, other, table)
    if not (table >= 0).any():
        return None
    table.flags.writeable = False
    return table


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
    values["Deal"] = "N:" + " ".join(
        "-" if SEATS[seat] in board.unknown_seats else hand_text(board.owner == seat) for seat in range(4)
    )
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
    sections = dict(board.sections)
    if board.table is not None:
        sections[_TABLE] = (HEADER, *table_rows(board.table))
    for name in sorted(sections):  # as they stand in a file: heads of tables have backslashes that are no escapes
        header, *rows = sections[name]
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
    marks = {index: mark for mark, index in enumerate(sorted(notes.keys() & set(range(len(calls)))), 1)}
    words = [call_text(c) + (f" ={marks[i]}=" if i in marks else "") for i, c in enumerate(calls)]
    rows = [" ".join(words[i : i + 4]) for i in range(0, len(calls), 4)]
    if len(calls) < 4 or passes_missing(calls):
        rows.append("*")
    return rows + [f'[Note "{mark}:{_escape(notes[index])}"]' for index, mark in marks.items()]


def _escape(value: str) -> str:
    """Return a text as the value of a tag: with backslashes before quotes, and without control characters."""
    return re.sub(r"[\n\r\x1a]", " ", value).replace("\\", "\\\\").replace('"', '\\"')
