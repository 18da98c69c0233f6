"""Files drawn with faults of real programs: a round trip loses nothing, every loss is named with file and line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.boards import played_board

from bridge_env.records.board import Board
from bridge_env.records.lin_writer import lin_losses, lin_text
from bridge_env.records.pbn import board_text
from bridge_env.records.read import read_records
from bridge_env.rules.calls import PASS

Edit = Callable[[str, Board], str]


@dataclass(frozen=True)
class Fault:
    """A way in which programs write a board.

    Attributes:
        edit: changes the text of a board; the same text where the board has nothing to change.
        mended: whether the board is read as it was.
        named: whether a problem names a line of the board; None: where cards follow the unknown one.
    """

    edit: Edit
    mended: bool = True
    named: bool | None = False


def _complete(board: Board) -> bool:
    return board.play is not None and len(board.play) == 52


def _finished(board: Board) -> bool:
    return board.contract is not None and not board.contract.passed_out


def _opening_passes(board: Board) -> int:
    return next((place for place, call in enumerate(board.auction or ()) if call != PASS), 0)


def _auction_rows(text: str, words: Callable[[list[str]], list[str]]) -> str:
    """Change the words of the auction of a PBN text."""
    return re.sub(
        r'(\[Auction "."\]\n)([^\[]*)', lambda m: f"{m[1]}{' '.join(words(m[2].split()))}\n", text, count=1
    )  # fmt: skip


def _without_opening_passes(text: str, board: Board) -> str:
    count = _opening_passes(board) if _finished(board) and not board.notes else 0
    return _auction_rows(text, lambda words: words[count:]) if count else text


def _without_closing_passes(text: str, board: Board) -> str:
    return _auction_rows(text, lambda words: words[:-3]) if _finished(board) and not board.notes else text


def _all_pass(text: str, board: Board) -> str:
    return _auction_rows(text, lambda w: [*w[:-3], "All", "Pass"]) if _finished(board) and not board.notes else text


def _tag(name: str, value: str) -> Edit:
    return lambda text, board: re.sub(rf'\[{name} "[^"]*"\]', f'[{name} "{value}"]', text)


def _when(fits: Callable[[Board], object], edit: Edit) -> Edit:
    return lambda text, board: edit(text, board) if fits(board) else text


def _called_to_the_end(board: Board) -> bool:
    return _finished(board) and bool(board.auction) and not board.notes


def _hand_left_out(text: str, board: Board) -> str:
    return re.sub(r'(\[Deal "N:\S+ )\S+', r"\1-", text)


def _voids(text: str, board: Board) -> str:
    deal = re.search(r'\[Deal "N:([^"]*)"', text)[1]
    hands = [".".join(suit or "--" for suit in hand.split(".")) for hand in deal.split()]
    return text.replace(deal, " ".join(hands))


def _columns_turned(text: str, board: Board) -> str:
    if not board.play or len(board.play) < 4:
        return text
    head, _, rows = text.partition("[Play ")
    first, *tricks = rows.split("\n")
    turned = [" ".join(row.split()[1:] + row.split()[:1]) if len(row.split()) == 4 else row for row in tricks]
    return f"{head}[Play {chr(10).join([first, *turned])}"


def _last_card_unknown(text: str, board: Board) -> str:
    return re.sub(r"\b[SHDC][2-9TJQKA](?=[^SHDC]*$)", "--", text) if board.play else text


def _suits(text: str, board: Board) -> str:
    return _auction_rows(text, lambda w: [re.sub("[SHDC]$", lambda m: "♠♥♦♣"["SHDC".index(m[0])], x) for x in w])


PBN = {
    "as written": Fault(lambda text, board: text),
    "no result": Fault(_when(_complete, _tag("Result", "?"))),
    "no contract": Fault(_when(_finished_by_auction := lambda b: _finished(b) and b.auction, _tag("Contract", ""))),
    "no declarer": Fault(_when(_finished_by_auction, _tag("Declarer", "?"))),
    "a hand left out": Fault(_hand_left_out),
    "dashes for voids": Fault(_voids),
    "opening passes": Fault(_without_opening_passes, named=True),
    "closing passes": Fault(_without_closing_passes, named=True),
    "all pass": Fault(_all_pass),
    "number with zeros": Fault(lambda text, board: re.sub(r'\[Board "(?=\d)', '[Board "00', text)),
    "empty tags first": Fault(lambda text, board: f'[Board ""]\n[Result "?"]\n[Contract ""]\n{text}'),
    "half marks": Fault(lambda text, board: re.sub(r" =(\d+)=", r"=\1", text), named=True),
    "columns turned": Fault(_columns_turned, named=True),
    "suit symbols": Fault(_suits),
    "a card unknown": Fault(_last_card_unknown, mended=False, named=None),
    "another result": Fault(
        _when(_complete, lambda t, b: _tag("Result", str((b.tricks + 1) % 14))(t, b)), mended=False, named=True
    ),
    "another score": Fault(
        _when(
            lambda b: _finished(b) and b.tricks is not None, lambda t, b: t.replace("[Result", '[Score "7"]\n[Result')
        ),
        mended=False,
        named=True,
    ),
    "a broken tag": Fault(lambda text, board: text.replace('"]', '"', 1), named=True),
    "an unknown word": Fault(_tag("Vulnerable", "perhaps"), mended=False, named=True),
    "comments": Fault(lambda text, board: text.replace("[Deal ", '{ see\n[Board "77"]\n[1] there }\n[Deal ', 1)),
    "blank lines": Fault(lambda text, board: re.sub(r"\n\[(?=Dealer|Declarer|Auction|Play|Optimum)", "\n\n[", text)),
    "a tag without bracket": Fault(lambda text, board: text.replace("[Deal ", "Deal ", 1), named=True),
    "a hand without dots": Fault(lambda text, board: re.sub(r'(\[Deal "N:\S+ )\S+', r"\1AKQ2", text), named=True),
    "calls behind the end": Fault(
        _when(_called_to_the_end, lambda t, b: _auction_rows(t, lambda w: [*w, "1C"])), named=True
    ),
    "tags twice": Fault(lambda text, board: re.sub(r'(\[Board "\d+"\]\n)', r"\1\1", text)),
}  # fmt: skip


def _lin_calls_cut(text: str, board: Board) -> str:
    cut = _finished(board) and board.play and not board.notes
    return text.replace("mb|p|mb|p|mb|p|pg|", "pg|", 1) if cut else text


def _lin_opening_cut(text: str, board: Board) -> str:
    cut = _finished(board) and board.play and not board.notes
    return re.sub(r"(sv\|.\|)(?:mb\|p\|)+(?=mb\|\d)", r"\1", text) if cut else text


def _lin_last_hand(text: str, board: Board) -> str:
    return re.sub(r"(md\|[^|]*),[^|,]*\|", r"\1,|", text)


LIN = {
    "as written": Fault(lambda text, board: text),
    "no claim": Fault(_when(_complete, lambda text, board: re.sub(r"mc\|\d+\|", "", text))),
    "a hand left out": Fault(_lin_last_hand),
    "number with zeros": Fault(lambda text, board: text.replace("ah|Board ", "ah|Board 0").replace("qx|o", "qx|o0")),
    "closing passes": Fault(_lin_calls_cut, named=True),
    "opening passes": Fault(_lin_opening_cut, named=True),
    "empty values last": Fault(lambda text, board: text.rstrip() + "sv||ah||\n"),
    "another claim": Fault(
        _when(_complete, lambda t, b: re.sub(r"mc\|\d+", f"mc|{(b.tricks + 1) % 14}", t)), mended=False, named=True
    ),
    "semicolons": Fault(lambda text, board: re.sub(r"md\|[^|]*", lambda m: m[0].replace(",", ";"), text)),
    "a comma missing": Fault(lambda text, board: re.sub(r"(md\|[^|,]*),", r"\1", text, count=1), named=True),
    "a bar missing": Fault(lambda text, board: text.rstrip("|\n") + "\n", mended=False, named=None),
    "capitals": Fault(lambda text, board: re.sub(r"(mb|sv)\|(\w+)", lambda m: f"{m[1]}|{m[2].upper()}", text)),
    "no vulnerability": Fault(
        lambda text, board: re.sub(r"sv\|.\||rh\|\|ah\|[^|]*\||qx\|[^|]*\|", "", text), mended=False, named=True
    ),
    "no card": Fault(
        _when(lambda b: b.play, lambda text, board: re.sub(r"pc\|..", "pc|H1", text, count=1)), mended=False, named=True
    ),
}  # fmt: skip


@st.composite
def files(draw):
    """Draw boards, the name of a form, and the fault of each board."""
    seeds = draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=4, unique=True))
    boards = [replace(played_board(seed), number=number) for number, seed in enumerate(seeds, 1)]
    if draw(st.booleans()):
        table = np.random.default_rng(seeds[0]).integers(0, 14, (4, 5)).astype(np.int8)
        boards[0] = replace(boards[0], table=table)
    form = draw(st.sampled_from(("pbn", "lin")))
    faults = [draw(st.sampled_from(sorted(PBN if form == "pbn" else LIN))) for _ in boards]
    return boards, form, faults, draw(st.booleans())


def check_file(folder, drawn):
    boards, form, faults, misnamed = drawn
    if form == "lin":  # LIN has no place for a table, and its events hold on
        boards = [replace(b, table=None, tags={k: v for k, v in b.tags.items() if k != "Event"}) for b in boards]
        assert [lin_losses(board) for board in boards] == [[]] * len(boards)
    kinds = PBN if form == "pbn" else LIN
    text, spans, changed = "", [], []
    for board, name in zip(boards, faults, strict=True):
        own = board_text(board) if form == "pbn" else lin_text(board) + "\n"
        edited = kinds[name].edit(own, board)
        changed.append(edited != own)
        first = text.count("\n") + 1
        text += edited + "\n" * (form == "pbn" or edited[-1] != "\n")
        spans.append(range(first, text.count("\n") + 1))
    path = folder / ("records.txt" if misnamed else f"records.{form}")
    path.write_text(text, encoding="utf-8")
    result = read_records(path)
    assert [problem for problem in result.problems if problem.board] == []
    assert all(problem.file == str(path) for problem in result.problems)
    assert len(result.boards) == len(boards)
    for board, read, span, name, edited in zip(boards, result.boards, spans, faults, changed, strict=True):
        problems = [problem.reason for problem in result.problems if problem.line in span]
        fault = kinds[name]
        if fault.mended or not edited:
            assert read == board, (name, problems)
        if fault.named is None:  # a card and those behind it
            known = read.play or ()
            assert known == (board.play or ())[: len(known)]
            assert problems or len(known) >= len(board.play or ()) - 4
        else:
            assert bool(problems) == (fault.named and edited), (name, problems)
    path.write_text("\n".join(map(board_text, result.boards)), encoding="utf-8")
    assert read_records(path).boards == result.boards


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("records")


@settings(max_examples=30, deadline=None)
@given(files())
def test_faults_are_mended_or_named(folder, drawn):
    check_file(folder, drawn)


@pytest.mark.slow
@settings(max_examples=800, deadline=None)
@given(files())
def test_faults_of_800_files_are_mended_or_named(folder, drawn):
    check_file(folder, drawn)
