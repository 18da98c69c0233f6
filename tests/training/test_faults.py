"""Bidders that fail: the first fault ends a match, and its message names bidder, board and auction."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support import unruly
from support.command import refused

from bridge_env.bidders.errors import BidderError, BidderRaised, explain_call, legal_calls
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text
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
    hands = [[boards.owner[row] == seat for seat in (1, 3)] for row in range(40)]
    row = next(row for row, both in enumerate(hands) if any(int(hand @ np.arange(1, 53)) % 8 == 0 for hand in both))
    with pytest.raises(BidderError, match=rf"board {row + 1}: .*KeyError"):
        match("pass", spec("raises"), boards.take(slice(row, row + 1)))


@pytest.mark.slow
def test_a_bidder_that_ends_its_process_ends_the_match_with_a_hint():
    with pytest.raises(ChildProcessError, match=r"a worker process ended by itself.* if __name__ == '__main__':$"):
        match(spec("dies"), spec("dies"), library_boards(40, 1), workers=2)


def test_a_panel_keeps_its_lines(tmp_path, capsys):
    against = ("doubler", spec("illegal"), "random")
    command = ["panel", "pass", "--against", *against, "--boards", "8", "--out", str(tmp_path)]
    assert "against python:support.unruly:illegal" in refused(capsys, *command)
    assert len(json.loads((tmp_path / "panel.json").read_text())) == 1


# --- one call ----------------------------------------------------------------------------------------------


def _unlucky_hand():
    rng = np.random.default_rng(1)
    while True:
        mask = np.zeros(52, bool)
        mask[rng.permutation(52)[:13]] = True
        if int(mask @ np.arange(1, 53)) % 8 == 0:
            legal = np.ones((1, 38), bool)
            legal[0, 1:3] = False
            none = np.zeros((1, 0), np.int8)
            at = np.zeros(1, np.int16)
            return BidView(mask[None], none, at, at, at, at, legal)


def test_one_answer_is_checked():
    view, key = _unlucky_hand(), np.zeros(1, np.uint64)
    with pytest.raises(BidderError, match="Unruly: XX is not legal after no call"):
        legal_calls(unruly.illegal, view, key)
    with pytest.raises(BidderRaised, match=r"failed after no call: KeyError"):
        legal_calls(unruly.raises, view, key)
    with pytest.raises(BidderError, match="Boasts: XX is not legal after no call"):
        explain_call(unruly.boasts, view, key)


def test_bid_prints_no_call_that_is_not_legal(capsys):
    hand = hand_text(_unlucky_hand().hand[0])
    for name, says in (("illegal", "XX is not legal after no call"), ("boasts", "XX is not"), ("raises", "third suit")):
        assert main(["bid", spec(name), "--hand", hand]) == 2
        told = capsys.readouterr()
        assert not told.out
        assert says in told.err
