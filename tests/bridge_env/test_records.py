"""Files of records, the report of what could be read of them, and ``bridge-env read``."""

import gzip

import pytest
from support.boards import BOARD, DEAL, GAME

from bridge_env.records.board import ReadResult
from bridge_env.records.lin import read_lin
from bridge_env.records.links import board_of_link
from bridge_env.records.pbn import read_boards
from bridge_env.records.read import read_records, report
from training.cli.app import main


def together(*paths):
    results = [read_records(path) for path in paths]
    return ReadResult([b for result in results for b in result.boards], [p for r in results for p in r.problems])


@pytest.fixture
def records(tmp_path):
    pbn, lin = tmp_path / "a.pbn", tmp_path / "b.LIN.gz"
    bad = (
        GAME.replace("2NT Pass", "1C Pass"),
        GAME.replace("J8.", "8."),
        GAME.replace(f'[Deal "{DEAL}"]\n', "").replace('d "1"', 'd "2"'),
    )
    alone = f'[Board "3"]\n[Deal "{DEAL}"]\n'
    pbn.write_text("\n".join([GAME, *bad, alone]) + "\nthe end\n")
    lin.write_bytes(gzip.compress((BOARD + BOARD.replace("1D", "1C")).encode()))
    return pbn, lin


def test_the_report_counts_boards_and_reasons(records):
    pbn, lin = records
    assert report(together(pbn, lin)) == (
        "4 boards read, 3 of them with an auction; 3 left out\n"
        f"  1 illegal call, such as {pbn}:29: auction: 1C is not legal after N: Pass Pass 1S 1NT Pass 2D Pass 2H Pass\n"
        f"  1 no deal, such as {pbn}:58: the board has no deal\n"
        f"  1 not 52 distinct cards, such as {pbn}:44: hand '8.Q965.A954.985' has 12 cards, not 13\n"
        f"  1 text outside of boards, such as {pbn}:79: text outside of any game: 'the end'"
    )


def test_reading_at_the_command_line(records, tmp_path, capsys):
    pbn, lin = (str(path) for path in records)
    assert main(["read", pbn, lin]) == 0
    assert "4 boards read, 3 of them with an auction" in capsys.readouterr().out
    for name, read in (("out.pbn.gz", read_boards), ("out.lin", read_lin)):
        out = tmp_path / name
        assert main(["read", lin, "--out", str(out), "--links"]) == 0
        link, *_, last = capsys.readouterr().out.splitlines()
        assert last == f"{out}: 2 boards"
        boards = read_records(lin).boards
        assert read(out).boards == boards
        assert board_of_link(link) == boards[0]
    assert main(["read", "--problems", pbn]) == 0
    assert f"{pbn}:58: the board has no deal\n" in capsys.readouterr().out
    assert main(["read", str(tmp_path / "none.pbn")]) == 2
    assert "No such file" in capsys.readouterr().err
