"""Interpret the tags and rows of one PBN game.

Each function reads one thing of a ``Game`` and raises ``BadBoard``, with the line and the reason, where it
cannot be made out. None means that the file leaves it open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bridge_env.auction import MAX_CALLS
from bridge_env.calls import FIRST_BID, PASS, CallError, Contract, parse_call
from bridge_env.cards import (
    CARD_NUMBERS,
    SEATS,
    SUITS,
    DealError,
    UInt8Array,
    board_dealer,
    board_vulnerability,
    parse_deal,
    parse_seat,
    parse_vulnerability,
)
from bridge_env.records.board import ILLEGAL, BadBoard
from bridge_env.records.pbn_games import Game, unescape

_MARKS = re.compile(r"=\d*=|\$\d+|[!?]+")  # note, numeric annotation, good or bad call or card
_TRICKS = re.compile(r"(NS|EW)?\s*(\d{1,4})(?:\s*(?:NS|EW)\s*\d+)?$", re.ASCII)
_CARDS = {card: card for card in CARD_NUMBERS}
_CARDS |= {f"{suit}10": f"{suit}T" for suit in SUITS} | {"-": "-"}
_MOST_NOTES = 8  # of one call
_OPEN = ("", "?")  # tag values that say nothing


def read_number(game: Game) -> int | None:
    """The board's number, if it is a positive number."""
    text = game.value("Board")
    return int(text) if re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII) else None


def read_deal(game: Game) -> UInt8Array:
    """owner uint8 (52,), read-only."""
    text = game.value("Deal")
    if not text:
        raise BadBoard(game.line_of("Deal"), "the board has no deal", "no deal")
    if "-" in text.partition(":")[2].split():
        raise BadBoard(game.line_of("Deal"), f"deal {text!r} leaves out a hand", "deal leaves out a hand")
    try:
        owner = parse_deal(text)
    except DealError as error:
        raise BadBoard(game.line_of("Deal"), str(error), "not 52 distinct cards") from None
    owner.flags.writeable = False
    return owner


def read_dealer(game: Game, number: int | None) -> int:
    """From its tag, else the auction's first seat, else the board's number."""
    for name in ("Dealer", "Auction"):
        text = game.value(name)
        if text not in _OPEN:
            try:
                return parse_seat(text)
            except ValueError as error:
                raise BadBoard(game.line_of(name), f"[{name}]: {error}", "dealer") from None
    if number is None:
        raise BadBoard(game.line, "no dealer, and no board number to tell it from", "dealer")
    return int(board_dealer(number))


def read_vulnerability(game: Game, number: int | None) -> int:
    """From its tag, else the board's number."""
    text = game.value("Vulnerable")
    if text not in _OPEN:
        try:
            return parse_vulnerability(text)
        except ValueError as error:
            raise BadBoard(game.line_of("Vulnerable"), str(error), "vulnerability") from None
    if number is None:
        reason = "no vulnerability, and no board number to tell it from"
        raise BadBoard(game.line, reason, "vulnerability")
    return int(board_vulnerability(number))


def _spaced(mark: re.Match[str]) -> str:
    return f" {mark[0]} " if mark[0][0] == "=" else " "


def _words(game: Game, section: str) -> Iterator[tuple[int, list[str]]]:
    """(line, words) of every row of a section up to its end, without marks; ``=1=`` is a word of auctions."""
    for line, row in game.rows.get(section, ()):
        words = _MARKS.sub(_spaced, row).upper().split()
        ends = [i for i, word in enumerate(words) if word in ("*", "+")]  # it breaks off here
        # A bare ^ word tells of an irregularity; the calls or cards beside it say what stood.
        words = words[: ends[0] if ends else None]
        yield line, [word for word in words if word[0] != "^" and (section == "Auction" or word[0] != "=")]
        if ends:
            return


def read_auction(game: Game, dealer: int) -> tuple[tuple[int, ...] | None, dict[int, str]]:
    """The calls from the dealer on, and what is noted of some; whether they are legal is not asked here.

    A ``-`` stands for no call: of seats before the dealer, and where the auction is not told to its end.
    """
    calls: list[int] = []
    noted: list[tuple[int, str]] = []
    skipped, broken_off = 0, False
    for line, words in _words(game, "Auction"):
        for word in words:
            if word[0] == "=":
                noted += [(len(calls) - 1, word)] if calls else []
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
            if len(calls) > MAX_CALLS:
                reason = f"the auction has more than {MAX_CALLS} calls, the most there can be"
                raise BadBoard(line, reason, ILLEGAL)
    first = game.value("Auction")
    if calls and first not in _OPEN:
        try:
            starts = (parse_seat(first) + skipped) & 3
        except ValueError as error:
            raise BadBoard(game.line_of("Auction"), f"[Auction]: {error}", "dealer") from None
        if starts != dealer:
            reason = f"the auction starts with {SEATS[starts]}, but {SEATS[dealer]} is the dealer"
            raise BadBoard(game.line_of("Auction"), reason, "dealer and auction differ")
    return tuple(calls) or None, _notes(game, noted) if noted else {}


def _notes(game: Game, noted: list[tuple[int, str]]) -> dict[int, str]:
    texts: dict[str, str] = {}
    for section, value in game.notes:
        number, colon, text = unescape(value).partition(":")
        if section == "Auction" and colon:
            texts[f"={number.strip()}="] = text.strip()
    out: dict[int, list[str]] = {}
    for index, mark in noted:
        told = out.setdefault(index, []) if mark in texts else None
        if told is not None and len(told) < _MOST_NOTES and texts[mark] not in told:
            told.append(texts[mark])
    return {index: "; ".join(told) for index, told in out.items()}


def passes_missing(calls: Sequence[int]) -> int:
    """Return the number of passes that end the auction."""
    trailing = 0
    while trailing < len(calls) and calls[-1 - trailing] == PASS:
        trailing += 1
    return max(0, (3 if any(c >= FIRST_BID for c in calls) else 4) - trailing)


def read_contract(game: Game) -> Contract | None:
    """The contract that the tags give."""
    text, declarer = game.value("Contract"), game.value("Declarer").lstrip("^")
    if text.upper().startswith(("PAS", "ALL PAS")) or text.upper() in ("P", "AP"):
        return Contract(-1)
    if text in _OPEN or declarer in _OPEN:
        return None
    try:
        return Contract.parse(f"{text} {declarer}")
    except CallError as error:
        raise BadBoard(game.line_of("Contract"), str(error), "contract") from None


def read_tricks(game: Game, contract: Contract | None) -> int | None:
    """Declarer's tricks; the tag may give a side's instead."""
    text = game.value("Result").lstrip("^").upper()
    if text in _OPEN or (contract is not None and contract.passed_out):
        return None
    match = _TRICKS.match(text)
    tricks = int(match[2]) if match else 14
    if match is None or tricks > 13:
        raise BadBoard(game.line_of("Result"), f"result {text!r} is not a number of tricks", "result")
    if match[1]:  # the side's tricks, not declarer's
        if contract is None:
            return None
        return tricks if contract.declarer & 1 == ("NS", "EW").index(match[1]) else 13 - tricks
    return tricks


def read_play(game: Game) -> tuple[tuple[tuple[str, ...], ...] | None, int | None]:
    """Rows of four cards or ``-``, and the first column's seat. Whether the play is legal is not asked.

    Raises ``BadBoard`` where the section cannot be made out; the board itself can be used all the same.
    """
    rows = []
    for line, words in _words(game, "Play"):
        cards = tuple(_CARDS.get(word, "") for word in words)
        if "" in cards:
            raise BadBoard(line, f"play: {words[cards.index('')]!r} is not a card", "play")
        if len(cards) > 4:
            raise BadBoard(line, f"play: {len(cards)} cards in one trick", "play")
        if cards:
            rows.append(cards + ("-",) * (4 - len(cards)))
    first = game.value("Play").upper()
    return (tuple(rows), SEATS.index(first) if first in tuple(SEATS) else None) if rows else (None, None)
