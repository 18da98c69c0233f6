"""Duplicate matches, and bidders that fail: the first fault ends a match, and its message names bidder and board."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from support.command import refused

from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.registry import SpecError
from bridge_env.hands.deals import hand_text, hands, parse_deal, random_deals
from bridge_env.rules.calls import parse_call
from training.cli.app import main
from training.evaluation import duplicate, match
from training.evaluation.boards import Boards, library_boards, standard_error

# The sample deal of the 2009 slides, with its exact table.
SAMPLE = "N:T97.AQJT.J.T7532 AK854.53.Q98.AJ8 3.K762.6432.KQ94 QJ62.984.AKT75.6"
SAMPLE_TRICKS = [[9, 2, 8, 0, 2], [4, 11, 4, 11, 9], [9, 2, 8, 0, 2], [4, 11, 4, 11, 9]]  # N E S W, C D H S NT


def one_board(dealer=0, vulnerability=0):
    """The sample deal, solved."""
    ones = np.ones(1, np.int64)
    tricks = np.array([SAMPLE_TRICKS], np.int8)
    where = np.array([dealer], np.int16), np.array([vulnerability], np.int16)
    return Boards(parse_deal(SAMPLE)[None], *where, ones, ones, tricks, "the sample deal")


def test_a_board_worked_by_hand():
    # A North-South: North opens 2C and plays there, +110 with 9 tricks. A East-West: East opens 4S, which makes
    # 11 tricks vulnerable: +650 to East-West. Together 760 to A, 13 IMPs.
    @dataclass(frozen=True)
    class A:
        def bid(self, view, key):
            opening = np.where(view.seat == 0, parse_call("2C"), parse_call("4S"))
            return np.where((view.seat < 2) & (view.history.max(axis=1, initial=0) == 0), opening, 0)

    result = duplicate.match(A(), "pass", one_board(vulnerability=2))
    (row,) = result.rows()
    assert row == {
        "board": 1,
        "deal": SAMPLE,
        "dealer": "N",
        "vulnerability": "EW",
        "a_ns": {"auction": ["2C", "Pass", "Pass", "Pass"], "contract": "2C N", "tricks": 9, "score_ns": 110},
        "a_ew": {"auction": ["Pass", "4S", "Pass", "Pass", "Pass"], "contract": "4S E", "tricks": 11, "score_ns": -650},
        "points": 760,
        "imps": 13,
    }
    assert (result.mean_imps, result.points[0]) == (13, 760)
    assert math.isnan(result.standard_error)
    assert result.summary()["standard_error"] is None  # JSON has no NaN


@pytest.mark.parametrize("spec", ["system:sayc", "random", "pass", "doubler", "pair:random,system:sayc"])
def test_a_against_itself_is_level_on_every_board(spec):
    result = duplicate.match(spec, spec, 120, 5)
    assert not result.imps.any()
    assert not result.points.any()
    assert (result.tables[0].history == result.tables[1].history).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [("system:sayc", "random"), ("random", "doubler"), ("pair:system:sayc,pass", "system:sayc"), ("pass", "random")],
)
def test_the_other_way_round_is_the_negative(a, b):
    forth, back = duplicate.match(a, b, 150, 6), duplicate.match(b, a, 150, 6)
    assert (forth.imps == -back.imps).all()
    assert (forth.points == -back.points).all()
    assert forth.standard_error == back.standard_error
    assert forth.imps.any()


def test_the_same_seed_plays_the_same_match_and_another_another():
    again = duplicate.match("random", "system:sayc", 80, 7)
    assert (duplicate.match("random", "system:sayc", 80, 7).imps == again.imps).all()
    assert (duplicate.match("random", "system:sayc", 80, 8).imps != again.imps).any()


def test_systems_in_one_kernel_bid_as_bidders_do_round_by_round():
    @dataclass(frozen=True)
    class Plain:  # hides from the match that it is a system
        bidder: object

        def bid(self, view, key):
            return self.bidder.bid(view, key)

    a, b = duplicate.seat_teams("system:sayc", "system:sayc")
    quick = duplicate.match("system:sayc", "system:sayc", 200, 9)
    slow = duplicate.match(Plain(a), Plain(b), 200, 9)
    for one, other in zip(quick.tables, slow.tables, strict=True):
        assert (one.history == other.history).all()
        assert (one.score == other.score).all()


def test_partners_and_opponents_are_disclosed(tmp_path):
    path = tmp_path / "odd.bidding"
    path.write_text("1C  0+ hcp\nwhen 0-7 last-level\n  P\n")
    a, b = duplicate.seat_teams(f"system:{path}", "pair:system:sayc,pass")
    assert [h.system.name for h in a.opponents] == ["sayc", "odd"]  # a bidder without a system is read as one's own
    assert b.first.opponents[0].system.name == "odd"


def test_summary_says_all_that_a_claim_needs():
    result = duplicate.match("system:sayc", "pass", 250, 12)
    facts = json.loads(json.dumps(result.summary(), allow_nan=False))
    assert (facts["a"], facts["b"], facts["boards"], facts["seed"]) == ("system:sayc", "pass", 250, 12)
    assert facts["mean_imps"] == result.imps.sum() / 250
    assert facts["standard_error"] == pytest.approx(result.imps.std(ddof=1) / 250**0.5)
    assert facts["share_in_training"] == 0
    assert facts["deals"] == 250
    assert facts["dealer_and_vulnerability"] == "by board number"
    assert "judging split of solved_deals.bdl" in facts["source"]
    rows = json.loads(json.dumps(result.rows()))
    assert [row["board"] for row in rows] == list(range(1, 251))
    assert sum(row["imps"] for row in rows) / 250 == facts["mean_imps"]
    assert [row["dealer"] for row in rows[:5]] == ["N", "E", "S", "W", "N"]
    assert [row["vulnerability"] for row in rows[:5]] == ["None", "NS", "EW", "Both", "NS"]


def test_clustered_standard_error():
    values, distinct = np.array([3.0, -1, 4, 1, -5, 9]), np.arange(6)
    assert standard_error(values, distinct) == pytest.approx(values.std(ddof=1) / 6**0.5)
    pairs = np.array([7, 7, 5, 5, 1, 1])  # each deal twice: the mean of the two counts once
    means = values.reshape(3, 2).mean(axis=1)
    assert standard_error(values, pairs) == pytest.approx(means.std(ddof=1) / 3**0.5)
    assert math.isnan(standard_error(values, np.zeros(6)))
    assert math.isnan(standard_error(values[:0], distinct[:0]))


@pytest.mark.parametrize(
    ("arguments", "kind", "reason"),
    [
        (("nobody", "pass"), SpecError, "no such system is shipped"),
        (("pass", "system:nowhere"), SpecError, "there is no such file"),
        (("pass", "pass", 0), ValueError, "a match needs at least one board, not 0"),
    ],
)
def test_faulty_arguments_are_named(arguments, kind, reason):
    with pytest.raises(kind, match=reason):
        duplicate.match(*arguments)
    with pytest.raises(ValueError, match="at least one worker"):
        duplicate.match("pass", "pass", 4, workers=0)


WORDS = {
    "raises": r"Unruly .*KeyError: 'the third suit'",
    "out_of_range": r"board \d+: .*99",
    "negative": r"board \d+: .*-1",
    "illegal": r"board \d+: .*XX",
    "says_nothing": r"Unruly .*object \(\)",
    "miscounts": r"Unruly .*int64",
}


def unruly(name):
    return f"python:support.unruly:{name}"


@pytest.mark.parametrize("name", WORDS)
def test_the_first_fault_ends_a_match(name):
    with pytest.raises(BidderError, match=WORDS[name]):
        match(unruly(name), "pass", library_boards(40, 1))


def test_the_board_of_a_fault_is_named():
    boards = library_boards(40, 1)
    row = next(
        row for row in range(40) if any((boards.owner[row] == seat) @ np.arange(1, 53) % 8 == 0 for seat in (1, 3))
    )
    with pytest.raises(BidderError, match=rf"board {row + 1}: .*KeyError"):
        match("pass", unruly("raises"), boards.take(slice(row, row + 1)))
    with pytest.raises(BidderError, match=r"board \d+: .*Always.*XX"):  # of a pair, by name
        match("pass", f"pair:system:sayc,{unruly('cheat')}", 8, 13)


@pytest.mark.slow
def test_a_bidder_that_ends_its_process_ends_the_match_with_a_hint():
    with pytest.raises(ChildProcessError, match=r"a worker process ended by itself.* if __name__ == '__main__':$"):
        match(unruly("dies"), unruly("dies"), library_boards(40, 1), workers=2)


def test_a_panel_keeps_its_lines(tmp_path, capsys):
    against = ("doubler", unruly("illegal"), "random")
    command = ["panel", "pass", "--against", *against, "--boards", "8", "--out", str(tmp_path)]
    assert "against python:support.unruly:illegal" in refused(capsys, *command)
    assert len(json.loads((tmp_path / "panel.json").read_text())) == 1


def test_bid_prints_no_call_that_is_not_legal(capsys):
    hand = hand_text(next(hand for hand in hands(random_deals(1, 0, 99), 0) if hand @ np.arange(1, 53) % 8 == 0))
    for name, says in (("illegal", "XX is not legal after no call"), ("boasts", "XX is not"), ("raises", "third suit")):
        assert main(["bid", unruly(name), "--hand", hand]) == 2
        told = capsys.readouterr()
        assert not told.out
        assert says in told.err
