"""Files that mean ill: a typed problem or a sound board, never another exception, never a hang."""

from __future__ import annotations

import gzip
import io
import time
from contextlib import suppress

import numpy as np
import pytest
from support.lin import BOARD, HANDS, played_board
from support.pbn import DEAL, GAME, random_board

from bridge_env.auction import Auctions
from bridge_env.records.board import Board, Problem
from bridge_env.records.lin import LinError, board_of_link, iter_lin
from bridge_env.records.pbn import board_text, iter_boards, read_boards
from tests.reliability.damage import damaged_record

PBN = (
    GAME + '\n[Event "##Cup"]\n[Board "#"]\n[Dealer "#"]\n[Vulnerable "All"]\n{ a\ncomment }\n'
    f'[Deal "{DEAL}"]\n[Auction "E"]\n- - - 1S\n=1= P 2S$3 AP\n[Note "1:x"]\n\n'
    f'% x\n[Board "6"]\n[Deal "{DEAL}"]\n[Result "NS 8"]\n[Auction "?"]\n1NT! X ; y\nXX *\n'
    '[ScoreTable "A\\2R;B"]\n1 2\n'
)
LIN = f"vg|a,b|pn|a,b,c,d,e,f,g,h|pg||qx|o1|md|3{HANDS}|sv|o|mb|1D!|an|x|mb|AP|\nqx|c1|mb|1NPPP|mc|7|\n"


def check(boards: list[Board]) -> None:
    """Every deal is whole and every auction legal, as a replay sees it."""
    if not boards:
        return
    assert (np.stack([np.bincount(b.owner, minlength=4) for b in boards]) == 13).all()
    told = [b for b in boards if b.auction]
    history = np.full((len(told), max([1, *(len(b.auction) for b in told)])), -1, np.int8)
    for row, board in enumerate(told):
        history[row, : len(board.auction)] = board.auction
    auctions = Auctions.replay(history, [b.dealer for b in told], [b.vulnerability for b in told])
    contracts = auctions.contracts()
    for row in np.flatnonzero(auctions.done):
        assert told[row].contract == contracts.at(int(row))
    for board in boards:
        assert board.tricks is None or 0 <= board.tricks <= 13
        with suppress(ValueError):  # a table with comment signs cannot be written; what can, reads the same
            assert read_boards(io.StringIO(board_text(board))).boards == [board]


def fuzz(count: int, seed: int) -> tuple[int, int]:
    """How many boards and problems ``count`` mutated files give."""
    rng = np.random.default_rng(seed)
    pbn = [
        PBN.encode(),
        GAME.encode("utf-16"),
        *(board_text(random_board(s, {"Event": "é"})).encode() for s in range(4)),
    ]
    lin = [LIN.encode(), BOARD.encode(), (BOARD + LIN).encode("latin-1")]
    files = [(iter_boards, f) for f in (*pbn, gzip.compress(pbn[0]))] + [
        (iter_lin, f) for f in (*lin, gzip.compress(lin[1]))
    ]
    boards: list[Board] = []
    sound = problems = 0
    for i in range(count):
        read, data = files[i % len(files)]
        started = time.perf_counter()
        for item in read(io.BytesIO(damaged_record(data, rng))):
            if isinstance(item, Board):
                boards.append(item)
            else:
                assert isinstance(item, Problem)
                assert item.reason and item.kind and item.line >= 1  # noqa: PT018
                problems += 1
        assert time.perf_counter() - started < 10
        if len(boards) > 2000 or i == count - 1:
            check(boards)
            sound += len(boards)
            boards = []
    return sound, problems


def test_mutated_files():
    boards, problems = fuzz(2000, 1)
    assert boards > 500
    assert problems > 500


@pytest.mark.slow
def test_ten_thousand_mutated_files():
    boards, problems = fuzz(10_000, 2)
    assert boards > 2_500
    assert problems > 2_500


def test_mutated_links():
    rng = np.random.default_rng(3)
    links = [
        b"https://www.bridgebase.com/tools/handviewer.html?lin=" + BOARD.encode(),
        b"https://x/?n=s752hdkqj54caj984&e=sk3hajt543dt86c65&s=saqj8hkq87da7ckq2&d=n&v=b&a=1dp2h!(big)pppp&p=h5h7",
    ]
    shown = []
    for i in range(1000):
        with suppress(LinError):
            shown.append(board_of_link(damaged_record(links[i % 2], rng).decode("latin-1")))
    assert len(shown) > 100
    check(shown)


N = 60_000
SLOW_FOR_THE_UNWARY = {
    "braces": "{\n" * N,
    "braces before a tag": "{\n" * N + '[A "x"]\n}',
    "blank lines in a comment": "{{" + "\n" * N * 2 + "}",
    "comments": "{}" * N + "{\n}\n" * N,
    "quotes": '"' * N,
    "escaped quotes": '[A "' + '\\"' * N,
    "quotes and blanks": '[A "' + '"    ' * N,
    "tags of one game": "".join(f'[T{i} "x"]\n\n' for i in range(N)),
    "lasting tags": "".join(f'[T{i} "##x"]\n[Deal "{i}"]\n\n' for i in range(N // 2)),
    "long lasting value": f'[Event "##{"x" * N}"]\n' + '[Deal "x"]\n\n' * (N // 4),
    "passes": f'[Board "1"]\n[Deal "{DEAL}"]\n[Auction "N"]\n' + "P " * N + "AP " * N,
    "notes": f'[Board "1"]\n[Deal "{DEAL}"]\n[Auction "N"]\n1C ' + "=1= =2= " * N + '\n[Note "1:a"]\n[Note "2:b"]\n',
    "digits": f'[Board "{"9" * N}"]\n[Deal "{DEAL}"]\n[Dealer "N"]\n[Vulnerable "All"]\n[Result "{"9" * N}"]\n',
    "a blank contract": f'[Board "1"]\n[Deal "{DEAL}"]\n[Declarer "N"]\n[Contract "4S{" " * N}Q"]\n',
    "one line": "[" * N + "x" * N * 10,
}  # fmt: skip
SLOW_LIN = {
    "bars": "|" * N,
    "keys": "mb|" * N,
    "blank lines": "mb|" + "\n" * N + "p|",
    "parentheses": f"md|3{HANDS}|mb|" + "1C" + "(" * N + "|",
    "blanks": f"md|3{HANDS}|mb|" + (" " * N + "p") * 3 + "|",
    "calls": f"md|3{HANDS}|" + "mb|p|" * N,
    "cards": f"md|3{HANDS}|sv|o|mb|1C|mb|AP|" + "pc|CA|" * N,
    "names": f"pn|{'a,' * N}|" + "qx|o1|mb|p|" * (N // 4),
    "deals": f"qx|o1|md|{'S' * N}|" + "qx|o1|mb|p|" * (N // 4),
}


@pytest.mark.parametrize("name", [*SLOW_FOR_THE_UNWARY, *SLOW_LIN])
def test_no_file_takes_longer_than_its_length(name):
    read, text = (iter_lin, SLOW_LIN[name]) if name in SLOW_LIN else (iter_boards, SLOW_FOR_THE_UNWARY[name])
    started = time.process_time()
    for _ in read(io.StringIO(text)):
        pass
    assert time.process_time() - started < 5


def test_a_file_is_not_held_in_memory():
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:
            self.given += size
            return (board_text(played_board(1)) + "\n").encode() * (size // 400)

    source = Endless()
    boards = iter_boards(source)
    for _ in range(2000):
        item = next(boards)  # the cards of its play are random
        assert isinstance(item, Board) or item.kind == "illegal play"
    assert source.given < 4_000_000
    assert len(read_boards(io.StringIO(GAME)).boards) == 1
