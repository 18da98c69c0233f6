"""Read and write Portable Bridge Notation, board by board, so that a bad board does not affect the others.

``read_boards`` (a list) and ``iter_boards`` (one by one) never raise for what a file contains. A board that
cannot be trusted (cards missing or twice, an illegal auction, a contract that its auction does not end in, ...)
becomes a ``Problem`` with file, line and reason, and the others are kept. Accepted beyond the clean export
format: ``%`` lines, ``;`` and ``{}`` comments, gzip, UTF-8, Windows-1252, Latin-1 and UTF-16, any line ends,
missing [Dealer] (from the auction's, else the board's number) and [Vulnerable] (from the number), values
inherited by ``#`` and ``##``, marks such as ``AP``, ``-``, ``*``, ``+`` and ``^``, notes and annotations.

A bad [Play] costs only itself: one that cannot be made out is left out, an illegal one stays as it stands, and
either is told in a ``Problem`` beside the board (``bridge_env.records.play_record`` gives the cards in order).

Not kept: comments, annotation marks, and the notes of the play.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bridge_env.calls import Contract, call_text
from bridge_env.cards import SEATS, deal_text
from bridge_env.records.board import DIFFERS, ILLEGAL, BadBoard, Board, Problem, ReadResult
from bridge_env.records.drafts import Draft, Form
from bridge_env.records.lines import Fault, Source, source_name, write_text
from bridge_env.records.pbn_fields import (
    passes_missing,
    read_auction,
    read_contract,
    read_deal,
    read_dealer,
    read_number,
    read_play,
    read_tricks,
    read_vulnerability,
)
from bridge_env.records.pbn_games import Game, escape, read_games, unescape

__all__ = [
    "MANDATORY_TAGS", "Board", "Problem", "ReadResult", "Source",
    "board_text", "iter_boards", "read_boards", "write_boards",
]  # fmt: skip

MANDATORY_TAGS = ("Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Vulnerable",
                  "Deal", "Scoring", "Declarer", "Contract", "Result")  # fmt: skip
"""The tags of every game in the export format, in its order."""

_FIELDS = frozenset({"Board", "Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Result", "Auction", "Play"})
_UNWRITABLE = "\n\r\x1a\0"
_VULNERABLE = ("None", "NS", "EW", "All")


# --- reading ----------------------------------------------------------------------------------------------


def read_boards(source: Source) -> ReadResult:
    """Read every board of a PBN file or stream.

    Args:
        source: a path (plain or gzip, whatever its name), or a text or binary stream.

    Raises:
        OSError: the file is missing or cannot be read. What it contains never raises.
    """
    return ReadResult.of(iter_boards(source))


def iter_boards(source: Source) -> Iterator[Board | Problem]:
    """Read boards one by one, with a lookahead of some hundred, so that a file of any size fits in memory.

    Problems come about where they arise, not exactly in the order of their lines.
    """
    name = source_name(source)
    faults: list[Fault] = []
    yield from _FORM.read(name, read_games(source, faults), faults)


def _draft(game: Game) -> Draft[Game]:
    if game.faults:
        raise BadBoard(*game.faults[0], "broken tag")
    number, owner = read_number(game), read_deal(game)
    dealer, vulnerability = read_dealer(game, number), read_vulnerability(game, number)
    auction, notes = read_auction(game, dealer)
    return Draft(game, Board(owner, dealer, vulnerability, number, auction, line=game.line, notes=notes))


def _board(draft: Draft[Game], end: str | Contract | None) -> tuple[Board, BadBoard | None]:
    """The board, and what is wrong with its play where that cannot be made out."""
    game = draft.source
    if isinstance(end, str):
        raise BadBoard(game.line_of("Auction"), end, ILLEGAL)
    said = read_contract(game)
    if end is not None and said is not None and end != said:
        raise BadBoard(game.line_of("Contract"), f"the auction ends in {end}, the tags say {said}", DIFFERS)
    contract = said if end is None else end
    play, leader, fault = None, None, None
    try:
        play, leader = read_play(game)
    except BadBoard as bad:
        fault = bad
    tags = {
        name: unescape(value)
        for name, (value, _) in game.tags.items()
        if value != "" and name not in _FIELDS and name != "Note" and name not in game.rows
    }
    # What could not be read as a number or a contract is kept as it stands.
    if draft.board.number is None and game.value("Board"):
        tags["Board"] = unescape(game.value("Board"))
    for name in ("Contract", "Declarer"):
        if contract is None and game.value(name) not in ("", "?"):
            tags[name] = unescape(game.value(name))
    board = replace(
        draft.board,
        contract=contract,
        tricks=read_tricks(game, contract),
        play=play,
        leader=leader,
        tags=tags,
        sections={
            name: (game.tags[name][0], *(row for _, row in rows))
            for name, rows in game.rows.items()
            if name not in _FIELDS
        },
    )
    return board, fault


def _whole(game: Game) -> bool:
    return game.value("Deal") not in ("", "?") and any(row.strip("*+- ") for _, row in game.rows.get("Auction", ()))


_FORM = Form(_draft, _board, _whole, lambda game: game.line_of("Play"))

# --- writing ----------------------------------------------------------------------------------------------


def write_boards(target: Source, boards: Iterable[Board]) -> None:
    """Write boards in PBN 2.1 export format; ``read_boards`` gives the same boards back.

    Args:
        target: a path (gzipped if it ends in ``.gz``; the text is UTF-8), or a text or binary stream.
        boards: any boards.

    Raises:
        ValueError: a tag that PBN cannot hold; then nothing is written.
    """
    write_text(target, "% PBN 2.1\n% EXPORT\n" + "".join("\n" + board_text(board) for board in boards))


def board_text(board: Board) -> str:
    """One board in export format, with a line break at the end.

    Raises:
        ValueError: a tag that PBN cannot hold.
    """
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
    lines = [_tag_line(name, values.get(name, "")) for name in order if name not in board.sections]
    if board.auction:
        lines += [f'[Auction "{SEATS[board.dealer]}"]', *_auction_lines(board)]
    if board.play:
        leader = "?" if board.leader is None else SEATS[board.leader]
        lines += [f'[Play "{leader}"]', *(" ".join(row) for row in board.play)]
        if len(board.play) < 13:
            lines.append("*")
    for name in sorted(board.sections):
        lines += _section_lines(name, board.sections[name])
    return "\n".join(lines) + "\n"


def _tag_line(name: str, value: str) -> str:
    if not re.fullmatch(r"[A-Za-z]\w*", name) or name in ("Auction", "Play", "Note"):
        raise ValueError(f"{name!r} cannot be the name of a tag")
    if any(c in value for c in _UNWRITABLE) or value == "#" or value.startswith("##"):
        raise ValueError(f"tag {name} cannot hold {value!r}: no control characters; '#' has its own meaning")
    return f'[{name} "{escape(value)}"]'


def _section_lines(name: str, section: tuple[str, ...]) -> list[str]:
    """A section as it stands in a file: the heads of tables have backslashes that are no escapes."""
    header, *rows = section
    lines = [f'[{name} "{header}"]', *rows]
    faults: list[Fault] = []
    games = list(read_games(io.StringIO("\n".join(lines)), faults))
    expected = ({name: (header, 1)}, {name: list(enumerate(rows, 2))})
    if name in _FIELDS or faults or [(game.tags, game.rows) for game in games] != [expected]:
        raise ValueError(f"section {name!r} cannot be written: {section!r}")
    return lines


def _auction_lines(board: Board) -> list[str]:
    calls = board.auction or ()
    marks = {index: mark for mark, index in enumerate(sorted(board.notes), 1)}
    if any(not 0 <= index < len(calls) for index in marks):
        raise ValueError(f"notes of calls {sorted(marks)}, but the auction has {len(calls)} calls")
    words = [call_text(c) + (f" ={marks[i]}=" if i in marks else "") for i, c in enumerate(calls)]
    rows = [" ".join(words[i : i + 4]) for i in range(0, len(calls), 4)]
    finished = len(calls) >= 4 and passes_missing(calls) == 0
    if not finished:
        rows.append("*")
    for index, mark in marks.items():
        text = board.notes[index]
        if text != text.strip() or any(c in text for c in _UNWRITABLE):
            raise ValueError(f"a note cannot hold {text!r}: no control characters, nor blanks around it")
        rows.append(f'[Note "{mark}:{escape(text)}"]')
    return rows
