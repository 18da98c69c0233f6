"""What a newcomer types first: short names, misspelt options, files of the other kind."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from agents.registry import make_system, system_of
from agents.text_api import call
from bridge_env.bidders.registry import SpecError, make
from bridge_env.double_dummy import ExactDoubleDummy
from bridge_env.hands.deals import hand_text, parse_deal
from bridge_env.records.board import Board
from bridge_env.records.lin_writer import write_lin
from bridge_env.records.pbn import board_text, read_boards, write_boards
from training.cli.app import main
from training.evaluation.boards import pbn_boards
from training.evaluation.duplicate import match


def test_the_name_of_a_system_is_enough():
    assert type(make("sayc")) is type(make_system("sayc"))
    assert system_of("sayc") is system_of("system:sayc")
    assert call("sayc", "AKQ2.T98.J7.A543") == call("system:sayc", "AKQ2.T98.J7.A543")
    assert (match("pair:sayc,acol", "pass", 20).imps == match("pair:system:sayc,system:acol", "pass", 20).imps).all()


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("sayk", "did you mean sayc?"),
        ("passs", "did you mean pass?"),
        ("system:two-over-on", "did you mean two-over-one?"),
        ("sytem:sayc", "did you mean system:sayc?"),
        ("polcy:champion", "did you mean policy:champion?"),
        ("policy:champon", "did you mean champion"),
    ],
)
def test_specs_that_are_nearly_right(spec, hint):
    with pytest.raises(SpecError) as caught:
        make(spec)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["train", "ppo", "--learnin-rate", "1"], "did you mean --learning-rate?"),
        (["match", "sayc", "pass", "--bords", "3"], "did you mean --boards?"),
        (["mach", "sayc"], "did you mean match?"),
        (["fit", "estimator"], "did you mean estimators?"),
    ],
)
def test_options_and_commands_that_are_nearly_right(capsys, words, hint):
    assert main(words) == 2
    assert hint.lower() in capsys.readouterr().err.lower().replace('"', "")


def test_the_version_and_the_module(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("bridge-env ")
    done = subprocess.run([sys.executable, "-m", "bridge_env", "deal"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Board" in done.stdout or "N" in done.stdout


@pytest.fixture
def records(tmp_path):
    """The same boards, numbers 7, 3 and 12, as PBN and as LIN."""
    main(["deal", "--n", "3", "--pbn", str(tmp_path / "a.pbn")])
    boards = [replace(b, number=n) for b, n in zip(read_boards(tmp_path / "a.pbn").boards, (7, 3, 12), strict=True)]
    write_boards(tmp_path / "a.pbn", boards)
    write_lin(tmp_path / "a.lin", boards)
    return tmp_path / "a.pbn", tmp_path / "a.lin"


def test_lin_is_taken_wherever_pbn_is_and_numbers_are_those_of_the_file(records, capsys):
    pbn, lin = (pbn_boards(path) for path in records)
    assert pbn.number.tolist() == lin.number.tolist() == [7, 3, 12]
    assert (pbn.owner == lin.owner).all()
    for path in records:
        capsys.readouterr()
        assert main(["bid", "sayc", "--deals", str(path)]) == 0
        assert "7" in capsys.readouterr().out
        assert main(["solve", "--deals", str(path), "--tricks", "estimate"]) == 0
        assert "12. " in capsys.readouterr().out


def test_tables_of_a_file_are_those_of_its_boards(tmp_path, capsys):
    deals, out = tmp_path / "deals.pbn", tmp_path / "solved.pbn"
    long_suits = parse_deal("N:AKQJT98765.432.. 432.AKQJT98765.. ..AKQJT98765.432 ..432.AKQJT98765")  # solved at once
    write_boards(deals, [Board(long_suits, 0, 0, 1)])
    assert main(["solve", "--deals", str(deals), "--out", str(out)]) == 0
    solved = pbn_boards(out)
    assert solved.solved
    assert (solved.tricks == ExactDoubleDummy().tricks(solved.owner)).all()
    assert set(solved.tricks.flat) == {3, 10}
    assert main(["read", "--check", "--problems", str(out)]) == 0
    assert "double-dummy table" not in capsys.readouterr().out
    wrong = board_text(replace(read_boards(out).boards[0], table=(solved.tricks[0] + 1) % 14))
    out.write_text(wrong)
    assert main(["read", "--check", "--problems", str(out), "--out", str(tmp_path / "a.lin")]) == 0
    printed = capsys.readouterr().out
    assert f"{out}:1: the double-dummy table is not that of the deal: " in printed
    assert f"{out}:1: LIN has no place for table" in printed
    assert main(["solve", "--deals", str(out)]) == 0
    assert f"{out}:1: the double-dummy table is not that of the deal: " in capsys.readouterr().err
    assert main(["deal", "--n", "1", "--solve", "--pbn", str(out)]) == 0
    (board,) = read_boards(out).boards
    assert (board.table == ExactDoubleDummy().tricks(board.owner)[0]).all()


def test_partial_deals_are_bid_and_completed(tmp_path, capsys):
    partial, out = tmp_path / "hands.pbn", tmp_path / "deals.pbn"
    partial.write_text(
        '[Board "5"]\n[Deal "S:K542.A87.QJ4.Q92 - - -"]\n[Vulnerable "NS"]\n[Auction "N"]\n1NT Pass\n*\n'
        f'[Contract "3NT"]\n[Declarer "N"]\n[Result "10"]\n[Score "NS 630"]\n[DoubleDummyTricks "{"7" * 20}"]\n\n'
        '[Board "6"]\n[Deal "S:K542.A87.QJ4.Q92 - - -"]\n[Vulnerable "NS"]\n[Auction "N"]\n1NT\n*\n'
    )
    assert main(["bid", "system:sayc", "--deals", str(partial)]) == 0
    printed = capsys.readouterr()
    assert "S: 2C\n" in printed.out
    assert f"note: {partial}:13: it is E's turn, whose hand is not known" in printed.err
    assert main(["deal", "--deals", str(partial), "--n", "20", "--spec", "system:sayc", "--pbn", str(out)]) == 0
    boards = read_boards(out).boards
    assert [board.number for board in boards] == [5] * 20 + [6] * 20
    assert all(hand_text(board.owner == 2) == "K542.A87.QJ4.Q92" for board in boards)
    points = [
        sum(int(card % 13) - 8 for card in range(52) if board.owner[card] == 0 and card % 13 > 8) for board in boards
    ]
    assert set(points) == {15, 16, 17}
    assert [(board.table, board.tricks, board.tags) for board in boards] == [(None, None, {})] * 40
    assert main(["deal", "--deals", str(out)]) == 2
    assert "has no partial deal" in capsys.readouterr().err
    assert main(["read", str(partial)]) == 0
    assert "0 boards read, 0 of them with an auction; 2 partial deals, 0 left out" in capsys.readouterr().out


def test_boards_with_the_same_number_keep_it(records, capsys):
    text = records[0].read_text().replace('[Board "3"]', '[Board "7"]').replace('[Board "12"]', "")
    records[0].write_text(text)
    assert pbn_boards(records[0]).number.tolist() == [7, 7, 3]
    assert main(["match", "pass", "pass", "--deals", str(records[0]), "--json", "-"]) == 0
    assert [row["board"] for row in json.loads(capsys.readouterr().out)["rows"]] == [7, 7, 3]


def test_a_file_of_no_boards_is_an_error(tmp_path, capsys):
    (tmp_path / "garbage").write_bytes(bytes(range(256)) * 20)
    assert main(["read", str(tmp_path / "garbage"), "--out", str(tmp_path / "out.pbn")]) == 2
    assert "no board could be read from" in capsys.readouterr().err
    assert not (tmp_path / "out.pbn").exists()
