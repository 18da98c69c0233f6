"""Files of records, the report of what could be read of them, and ``bridge-env read``."""

from __future__ import annotations

import gzip
import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from support.lin import BOARD, HANDS
from support.pbn import DEAL, GAME, random_board
from support.places import SHARED

from bridge_env.records.board import Board
from bridge_env.records.lin import LinError, board_of_link, iter_lin, read_lin
from bridge_env.records.pbn import board_text, iter_boards, read_boards
from bridge_env.records.read import Report, iter_records
from bridge_env.rules.auction import one_auction
from training.cli.app import main


def report(*paths: Path) -> Report:
    out = Report(files=len(paths))
    for path in paths:
        for item in iter_records(path):
            out.add(item)
    return out


@pytest.fixture
def records(tmp_path):
    pbn, lin = tmp_path / "a.pbn", tmp_path / "b.LIN.gz"
    bad = (GAME.replace("2NT Pass", "1C Pass"), GAME.replace("J8.", "8."), GAME.replace(f'[Deal "{DEAL}"]\n', ""))
    alone = f'[Board "3"]\n[Deal "{DEAL}"]\n'
    pbn.write_text("\n".join([GAME, *bad, alone]) + "\nthe end\n")
    lin.write_bytes(gzip.compress((BOARD + BOARD.replace("1D", "1C")).encode()))
    return pbn, lin


def test_the_report_counts_boards_and_reasons(records):
    pbn, lin = records
    said = report(pbn, lin)
    assert (said.files, said.boards, said.called, said.lost, said.lost_called, said.pieces) == (2, 4, 3, 3, 2, 1)
    assert said.kinds == {"illegal call": 1, "not 52 distinct cards": 1, "no deal": 1, "stray text": 1}
    assert said.share() == 3 / 5
    assert str(said) == (
        "2 files, 4 boards read, 3 left out\n"
        "with a deal and an auction: 3 of 5 read (60.00%)\n"
        f"  1 illegal call, such as {pbn}:29: auction: 1C is not legal after N: Pass Pass 1S 1NT Pass 2D Pass 2H Pass\n"
        f"  1 no deal, such as {pbn}:58: the board has no deal\n"
        f"  1 not 52 distinct cards, such as {pbn}:44: hand '8.Q965.A954.985' has 12 cards, not 13\n"
        f"  1 stray text, such as {pbn}:79: text outside of any game: 'the end'"
    )
    assert Report().share() == 1


def test_reading_at_the_command_line(records, tmp_path, capsys):
    pbn, lin = (str(path) for path in records)
    assert main(["read", pbn, lin]) == 0
    assert "3 of 5 read (60.00%)" in capsys.readouterr().out
    for name, read in (("out.pbn.gz", read_boards), ("out.lin", read_lin)):
        out = tmp_path / name
        assert main(["read", lin, "--out", str(out), "--links"]) == 0
        link, *_, last = capsys.readouterr().out.splitlines()
        assert last == f"{out}: 2 boards"
        boards = [item for item in iter_records(lin) if isinstance(item, Board)]
        assert read(out).boards == boards
        assert board_of_link(link) == boards[0]
    assert main(["read", "--problems", pbn]) == 0
    assert f"{pbn}:58: the board has no deal\n" in capsys.readouterr().out
    assert main(["read", str(tmp_path / "none.pbn")]) == 2
    assert "No such file" in capsys.readouterr().err


# --- damaged files --------------------------------------------------------------------------------------

PBN = (
    GAME + '\n[Event "##Cup"]\n[Board "#"]\n[Dealer "#"]\n[Vulnerable "All"]\n{ a\ncomment }\n'
    f'[Deal "{DEAL}"]\n[Auction "E"]\n- - - 1S\n=1= P 2S$3 AP\n[Note "1:x"]\n\n'
    f'% x\n[Board "6"]\n[Deal "{DEAL}"]\n[Result "NS 8"]\n[Auction "?"]\n1NT! X ; y\nXX *\n'
    '[ScoreTable "A\\2R;B"]\n1 2\n'
)
LIN = f"vg|a,b|pn|a,b,c,d,e,f,g,h|pg||qx|o1|md|3{HANDS}|sv|o|mb|1D!|an|x|mb|AP|\nqx|c1|mb|1NPPP|mc|7|\n"


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Change, insert, cut out or repeat up to five pieces of some bytes."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        start = int(rng.integers(len(out) + 1))
        end = start + int(rng.integers(0, 30))
        out[start:end] = [b"", out[start:end] * 2, rng.bytes(1), b'["|{}\n-#'[int(rng.integers(8)) :][:1]][
            rng.integers(4)
        ]
    return bytes(out)


def check(boards: list[Board]) -> None:
    """Every deal is complete, every auction legal as a replay sees it, and every board is written and read again."""
    for board in boards:
        assert (np.bincount(board.owner, minlength=4) == 13).all()
        auctions = one_auction(board.auction or (), board.dealer, board.vulnerability)
        assert not auctions.done[0] or board.contract == auctions.contracts().at(0)
        assert board.tricks is None or 0 <= board.tricks <= 13
        with suppress(ValueError):  # a table with comment signs cannot be written; what can, reads the same
            assert read_boards(io.StringIO(board_text(board))).boards == [board]


def test_damaged_files_give_sound_boards_and_problems():
    rng = np.random.default_rng(1)
    pbn = [
        PBN.encode(),
        GAME.encode("utf-16"),
        *(board_text(random_board(s, {"Event": "é"})).encode() for s in range(4)),
    ]
    lin = [LIN.encode(), BOARD.encode(), (BOARD + LIN).encode("latin-1")]
    files = [(iter_boards, f) for f in (*pbn, gzip.compress(pbn[0]))]
    files += [(iter_lin, f) for f in (*lin, gzip.compress(lin[1]))]
    boards, problems = [], 0
    for i in range(2000):
        read, data = files[i % len(files)]
        for item in read(io.BytesIO(damaged(data, rng))):
            if isinstance(item, Board):
                boards.append(item)
            else:
                assert item.reason and item.kind and item.line >= 1  # noqa: PT018
                problems += 1
    check(boards)
    assert len(boards) > 500
    assert problems > 500


def test_damaged_links_show_sound_boards_or_none():
    rng = np.random.default_rng(3)
    links = [
        b"https://www.bridgebase.com/tools/handviewer.html?lin=" + BOARD.encode(),
        b"https://x/?n=s752hdkqj54caj984&e=sk3hajt543dt86c65&s=saqj8hkq87da7ckq2&d=n&v=b&a=1dp2h!(big)pppp&p=h5h7",
    ]
    shown = []
    for i in range(1000):
        with suppress(LinError):
            shown.append(board_of_link(damaged(links[i % 2], rng).decode("latin-1")))
    assert len(shown) > 100
    check(shown)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("folder", "boards"), [("championships", 22_600), ("clubs_and_trials", 5_700), ("bba_conventions", 20_000)]
)
def test_files_as_they_are_found(folder, boards):
    said = report(*sorted((SHARED / folder).iterdir()))
    assert said.called > boards
    assert said.share() > 0.99
