"""Bidders that fail: the first fault ends a match, and its message names bidder, board and auction."""

import json

import numpy as np
import pytest
from support.command import refused

from bridge_env.bidders.errors import BidderError
from bridge_env.hands.deals import hand_text, hands, random_deals
from training.cli.app import main
from training.evaluation import match
from training.evaluation.boards import library_boards

WORDS = {
    "raises": r"Unruly .*KeyError: 'the third suit'",
    "out_of_range": r"board \d+: .*99",
    "negative": r"board \d+: .*-1",
    "illegal": r"board \d+: .*XX",
    "says_nothing": r"Unruly .*object \(\)",
    "miscounts": r"Unruly .*int64",
}


def spec(name):
    return f"python:support.unruly:{name}"


@pytest.mark.parametrize("name", WORDS)
def test_the_first_fault_ends_a_match(name):
    with pytest.raises(BidderError, match=WORDS[name]):
        match(spec(name), "pass", library_boards(40, 1))


def test_the_board_of_a_fault_is_named():
    boards = library_boards(40, 1)
    row = next(
        row for row in range(40) if any((boards.owner[row] == seat) @ np.arange(1, 53) % 8 == 0 for seat in (1, 3))
    )
    with pytest.raises(BidderError, match=rf"board {row + 1}: .*KeyError"):
        match("pass", spec("raises"), boards.take(slice(row, row + 1)))
    with pytest.raises(BidderError, match=r"board \d+: .*Always.*XX"):  # of a pair, by name
        match("pass", f"pair:system:sayc,{spec('cheat')}", 8, 13)


@pytest.mark.slow
def test_a_bidder_that_ends_its_process_ends_the_match_with_a_hint():
    with pytest.raises(ChildProcessError, match=r"a worker process ended by itself.* if __name__ == '__main__':$"):
        match(spec("dies"), spec("dies"), library_boards(40, 1), workers=2)


def test_a_panel_keeps_its_lines(tmp_path, capsys):
    against = ("doubler", spec("illegal"), "random")
    command = ["panel", "pass", "--against", *against, "--boards", "8", "--out", str(tmp_path)]
    assert "against python:support.unruly:illegal" in refused(capsys, *command)
    assert len(json.loads((tmp_path / "panel.json").read_text())) == 1


def test_bid_prints_no_call_that_is_not_legal(capsys):
    hand = hand_text(next(hand for hand in hands(random_deals(1, 0, 99), 0) if hand @ np.arange(1, 53) % 8 == 0))
    for name, says in (("illegal", "XX is not legal after no call"), ("boasts", "XX is not"), ("raises", "third suit")):
        assert main(["bid", spec(name), "--hand", hand]) == 2
        told = capsys.readouterr()
        assert not told.out
        assert says in told.err
