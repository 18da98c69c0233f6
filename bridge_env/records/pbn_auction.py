"""Read the auctions of PBN games: their calls, dealers, notes and contracts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from bridge_env.records.board import BadBoard
from bridge_env.records.derive import (
    CONTRADICTION,
    MENDED,
    Bidding,
    auction_end,
    by_number_or_place,
    passes_missing,
    passes_text,
)
from bridge_env.records.pbn_games import Game, unescape
from bridge_env.records.words import DASH, plain_words, read_contract, seat_of
from bridge_env.rules.auction import IllegalCall, one_auction
from bridge_env.rules.calls import PASS, CallError, Contract, parse_call
from bridge_env.rules.cards import SEATS, board_dealer, plain_suits

_MARKS = re.compile(r"=\d*=\**|\$\d+|[!?]+")  # note, numeric annotation, good or bad call or card
_CALL = r"[1-7](?:NT|[NCDHS])|PASS|AP|P|XX|X|RDBL|DBL|R|D"
_CALLS = re.compile(rf"(?:(?>{_CALL})[-/.,;]?)+$")  # without blanks between
_NO_CALL = re.compile(rf"[{DASH}/._]$")
_MARKED_CALL = re.compile(rf"[^A-Z0-9]?(?!AP)({_CALL})(\)|(?:[^A-Z0-9]|\d+=).*)$")  # in brackets, or with another mark
# The mark of a seat that was skipped, or a mark joined to a call; a mark joined to a card.
_IRREGULAR = re.compile(r"(?<!\S)\^(?:(S)(?!\w)|[A-Z]?(?=[1-7PX]))", re.IGNORECASE)
_IRREGULAR_CARD = re.compile(r"(?<!\S)\^[A-Z]?(?=[SHDC](?:10|[2-9TJQKA])(?!\w))", re.IGNORECASE)
_REMARK = re.compile(r"(?:ALERT|STOP|SKIP)\w*|[A-Z]\)")
_LABEL = re.compile(r"^\s*\d+[.:)]\s+|(?<!\S)[NESW]:(?=\w)")  # of a row or a call
_UNKNOWN = re.compile(r"(?<!\S)\?+(?!\S)")  # call or card
_JOINED_CARDS = re.compile(rf"([SHDC](?:10|[2-9TJQKA]))[{DASH}/]?(?=[SHDC](?:10|[2-9TJQKA]))", re.IGNORECASE)
# The calls, their marks, the seats skipped before them, and whether the auction breaks off.
_Calls = tuple[tuple[int, ...], list[tuple[int, str]], int, bool]
_IN_BRACKETS = re.compile(r"\([^()]*\)")


def words_of(game: Game, section: str, faults: list[BadBoard], unknown: str = "-") -> Iterator[tuple[int, list[str]]]:
    """Yield (line, words) of every row of a section up to its end, without marks; ``=1=`` is a word of auctions.

    A ``*`` or ``+``, where the section breaks off, is its last word; what follows is reported. ``unknown`` stands for a
    ``?`` between blanks.
    """
    over = False
    for line, row in game.rows.get(section, ()):
        row = _UNKNOWN.sub(unknown, row)
        if section == "Auction":
            row = _IRREGULAR.sub(lambda mark: "-" if mark[1] else "", row)
            row = _LABEL.sub("", plain_words(_IN_BRACKETS.sub(lambda text: "_".join(text[0].split()), row)))
        else:
            row = _JOINED_CARDS.sub(r"\1 ", _IRREGULAR_CARD.sub("", row).replace(",", " "))
        row = _MARKS.sub(lambda mark: f" {mark[0].rstrip('*')} " if mark[0][0] == "=" else " ", row)
        words = plain_suits(row).split()
        if {word[0] for word in words} == set(SEATS) and len(words) == 4:  # the seats above their calls or cards
            continue
        end = 0 if over else next((i + 1 for i, word in enumerate(words) if word in ("*", "+")), len(words))
        # A bare ^ word marks an irregularity; the calls or cards beside it are those that stood.
        yield line, [word for word in words[:end] if word[0] != "^" and (section == "Auction" or word[0] != "=")]
        over = over or words[end - 1 : end] in (["*"], ["+"])
        if any(word[0].isalnum() for word in words[end:]):
            reason = f"{section.lower()}: {' '.join(words[end:])[:80]!r} behind its end is not read"
            faults.append(BadBoard(line, reason, "text behind the end"))


def read_bidding(game: Game, number: int | None, leader: int | None, faults: list[BadBoard]) -> Bidding:
    """Return the auction with its dealer, of tag, auction, number or place; ``leader`` holds the first card."""
    seats = {}
    for name in ("Dealer", "Auction"):
        if not game.lacks(name):
            try:
                seats[name] = seat_of(game.value(name))
            except ValueError as error:
                faults.append(game.bad(name, f"[{name}]: {error}", "dealer"))
    contract, declarer = _read_contract(game, faults)
    calls, marks, skipped, broken_off = _choose_calls(game, seats.get("Dealer", seats.get("Auction")), declarer, faults)
    if any("^" in row for _, row in game.rows.get("Auction", ())) and not _is_legal(calls):
        faults.append(game.bad("Auction", "auction: it is irregular (^) and not legal, so it is left out", "irregular"))
        calls, marks = (), []
    starts = seats.get("Auction")
    if starts is not None and calls and starts != seats.get("Dealer"):  # else dashes stand for the seats before
        starts = (starts + skipped) & 3
    dealer, dealer_by = seats.get("Dealer", starts), "tag"
    if dealer is None:
        dealer_by = "place" if number is None else "number"
        dealer = by_number_or_place(number, game.place, board_dealer, game.line, "dealer", faults)
    bidding = Bidding(
        game.line_of("Auction"), dealer, calls, _read_notes(game, marks, faults), game.line_of("Contract"),
        contract, declarer, leader, broken_off, dealer_by,
        irregular=game.value("Declarer").startswith("^"),
    )  # fmt: skip
    if calls and starts is not None and starts != dealer:
        _agree_on_dealer(game, bidding, starts, number, faults)
    return bidding


def _agree_on_dealer(game: Game, bidding: Bidding, starts: int, number: int | None, faults: list[BadBoard]) -> None:
    """Let declarer, else the board's number, decide between the dealer and who starts; else raise ``BadBoard``."""
    calls, dealer, passes = bidding.calls, bidding.dealer, (starts - bidding.dealer) & 3
    differs = f"the auction starts with {SEATS[starts]}, but {SEATS[dealer]} is the dealer"
    for count, seat in ((passes, dealer), (0, dealer), (0, starts)):
        moved = (PASS,) * count + calls
        try:
            end = one_auction((*moved, *(PASS,) * passes_missing(moved)), seat).contracts().at(0)
        except IllegalCall:
            continue
        if not end.passed_out and end.declarer == bidding.declarer:
            how = "the dealer counts" if seat == dealer else f"{SEATS[seat]} is the dealer"
            how = f"{passes_text(count, 'opening')} put in front" if count else how
            faults.append(game.bad("Auction", f"{differs}; by the declarer, {how}", MENDED))
            bidding.begin(count, seat)
            return
    if bidding.declarer is None and number is not None and starts == board_dealer(number):
        faults.append(game.bad("Auction", f"{differs}; by the board's number, {SEATS[starts]} is the dealer", MENDED))
        bidding.dealer = starts
        return
    raise game.bad("Auction", differs, "dealer and auction differ")


def _choose_calls(game: Game, dealer: int | None, declarer: int | None, faults: list[BadBoard]) -> _Calls:
    """Return what ``_read_calls`` does, with each ``?`` as a mark of the call before, or as a call where that alone is
    legal or comes to the declarer.
    """
    if not any(_UNKNOWN.search(row) for _, row in game.rows.get("Auction", ())):
        return _read_calls(game, faults, "")
    ways: list[tuple[bool, bool, bool, _Calls, list[BadBoard]]] = []
    for unknown in "", "-":
        problems = list[BadBoard]()
        with suppress(BadBoard):
            way = _read_calls(game, problems, unknown)
            is_legal = _is_legal(way[0])
            end = auction_end(game.line, way[0], dealer) if is_legal and dealer is not None else None
            is_fit = end is not None and declarer in (None, end.declarer)
            ways.append((not is_fit, not is_legal, bool(unknown), way, problems))
    if not ways:
        return _read_calls(game, faults, "")  # its error
    *_, is_call, way, found = min(ways, key=lambda way: way[:3])
    faults += found
    if not is_call and declarer is None:
        faults.append(game.bad("Auction", "auction: '?' behind a call is not read", "mark"))
    return way


def _read_calls(game: Game, faults: list[BadBoard], unknown: str) -> _Calls:
    """Return the calls, which may be illegal, their marks, the seats skipped before, and whether it breaks off.

    A ``-`` stands for no call: of seats before the dealer, and where the auction is not recorded to its end. Where
    further calls follow and the auction is legal so, it was a pass.
    """
    calls: list[int] = []
    marks: list[tuple[int, str]] = []
    skipped, broken_off, dashes = 0, False, 0
    gap: BadBoard | None = None
    for line, words in words_of(game, "Auction", faults, unknown):
        if len(words) > 1 and not any(_CALLS.match(w) or _MARKED_CALL.match(w) or not w[0].isalpha() for w in words):
            faults.append(BadBoard(line, f"auction: {' '.join(words)[:80]!r} has no call", "mark"))
            continue
        for word in chain.from_iterable(map(_calls_in, words)):
            if dashes and (word[0].isalnum() or word == "--"):
                gap = gap or BadBoard(line, f"auction: {word} after a call that is left out", "call left out")
                calls, dashes = calls + [PASS] * dashes, 0
            if word[0] == "=":
                marks += [(len(calls) - 1, word)] if calls else []
                if not re.fullmatch(r"=\d*=", word):
                    faults.append(BadBoard(line, f"auction: {word} is half a mark of a note", "mark"))
            elif word in ("*", "+"):
                broken_off = True
            elif _NO_CALL.match(word):
                skipped += not calls
                dashes += bool(calls)
            elif word == "AP":
                calls += [PASS] * passes_missing(calls)
            elif calls and re.fullmatch(r"\d+[=)]?", word):
                marks.append((len(calls) - 1, f"={word.strip('=)')}="))
                faults.append(BadBoard(line, f"auction: {word} is half a mark of a note", "mark"))
            elif _is_remark(word, calls):
                faults.append(BadBoard(line, f"auction: {word!r} is not read", "mark"))
            else:
                call, mark = _read_call(word, line, faults)
                calls.append(call)
                marks += [(len(calls) - 1, mark)] if mark is not None else []
    if gap is not None:
        calls += [PASS] * min(dashes, passes_missing(calls))
        if not _is_legal(calls):
            raise gap
        faults.append(BadBoard(gap.line, "auction: dashes between calls are read as passes", MENDED))
    return tuple(calls), marks, skipped, broken_off or (dashes > 0 and gap is None)


def _is_legal(calls: Sequence[int]) -> bool:
    try:
        one_auction(calls, 0)
    except IllegalCall:
        return False
    return True


def _is_remark(word: str, calls: Sequence[int]) -> bool:
    """Return whether a word behind calls is none: a sign, ``ALERT``, ``A)``, or anything behind the end."""
    if word == "--" or _MARKED_CALL.match(word):
        return False
    over = len(calls) > 0 and not passes_missing(calls) and not re.fullmatch(_CALL, word)
    return over or not word[0].isalnum() or _REMARK.match(word) is not None


def _calls_in(word: str) -> list[str]:
    """Return the calls of ``"1S-P-2S"`` or ``"PPP"``; any other word as it is."""
    return re.findall(_CALL, word) if _CALLS.match(word) and not re.fullmatch(_CALL, word) else [word]


def _read_call(word: str, line: int, faults: list[BadBoard]) -> tuple[int, str | None]:
    """Return a call and the mark of a note behind it, or raise ``BadBoard``."""
    try:
        return parse_call(word.rstrip("*")), None  # 4C* is alerted
    except CallError as error:
        match = _MARKED_CALL.match(word)
        if match is None:
            raise BadBoard(line, f"auction: {error}", "not a call") from None
    mark = re.fullmatch(r"[=(\[]?(\d*)[=)\]]?", match[2]) if match[2] != ")" else None
    if match[2] != ")":
        what = "is half a mark of a note" if mark else "is not read"
        faults.append(BadBoard(line, f"auction: {match[2]!r} behind {match[1]} {what}", "mark"))
    return parse_call(match[1]), None if mark is None else f"={mark[1]}="


def _read_notes(game: Game, marks: Sequence[tuple[int, str]], faults: list[BadBoard]) -> dict[int, str]:
    """Return the notes of calls by their index, empty for a mark alone; an unmarked play's are here, too."""
    texts: dict[str, list[str]] = {}
    in_play = any(re.search(r"=\d*=", row) for _, row in game.rows.get("Play", ()))
    for section, value, line in game.notes:
        if section != "Auction" and in_play:
            continue
        found = re.match(r"\s*=?(\d+)=?\s*[:.)]?\s*(.*)", unescape(value), re.DOTALL)
        if found is not None and any(found[1] == mark.strip("=") for _, mark in marks):
            texts.setdefault(found[1], []).append(found[2].strip())
        else:
            faults.append(BadBoard(line, f"the note {value!r} has no mark in the auction", "mark"))
    notes: dict[int, list[str]] = {}
    for index, mark in marks:
        for text in texts.get(mark.strip("="), [""]):
            if text not in notes.setdefault(index, []):
                notes[index].append(text)
    return {index: "; ".join(filter(None, found)) for index, found in notes.items()}


def _read_contract(game: Game, faults: list[BadBoard]) -> tuple[Contract | None, int | None]:
    """Return the contract of the tags without its declarer, and the declarer."""
    text, declarer = game.value("Contract"), game.value("Declarer").strip("^").upper()
    seat, found = None, read_contract(text)
    if declarer and not game.lacks("Declarer"):
        try:
            seat = seat_of(declarer)
        except ValueError as error:
            faults.append(game.bad("Declarer", f"[Declarer]: {error}", "contract"))
    if text.upper().startswith(("PAS", "ALL PAS")):
        return Contract(-1), None
    if found is None:
        if not game.lacks("Contract"):
            faults.append(game.bad("Contract", f"{text!r} is not a contract, such as '4SX'", "contract"))
        return None, seat
    contract = found[0]
    if seat is None and contract.declarer >= 0:  # [Contract "4S N"]
        seat = contract.declarer
    elif contract.declarer not in (-1, seat):
        faults.append(
            game.bad("Contract", f"the contract {text} is not that of the declarer {declarer}", CONTRADICTION)
        )
    return replace(contract, declarer=-1), seat
