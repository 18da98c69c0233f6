"""Bidders that fail: the message names bidder, board and auction, and what was done before is kept."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from support import unruly
from support.command import refused

import agents
from bridge_env.auction import Auctions
from bridge_env.bidders import PassBidder
from bridge_env.calls import DOUBLE
from bridge_env.cards import hand_text
from bridge_env.faults import BidderFault, Failed, explained, legal_answer_of
from bridge_env.view import BidView, view_of
from training.cli.entry import main
from training.match import match, panel
from training.match.boards import library_boards
from training.match.faults import Allowance

COUNT = 40
LEAVE = Allowance(leave=True)
WORDS = {
    "raises": r"bidder support\.unruly\.Unruly failed .*KeyError: 'the third suit' \(unruly\.py, line \d+, in _raise\)",
    "leaves": r"bidder support\.unruly\.Unruly failed .*SystemExit: 3 \(unruly\.py, line \d+, in _leave\)",
    "gives_up": r"bidder support\.unruly\.Unruly failed .*Gone: \?\[2J\? \(unruly\.py, line \d+, in _give_up\)",
    "out_of_range": r"bidder support\.unruly\.Unruly: 99 is not legal on board",
    "illegal": r"bidder support\.unruly\.Unruly: XX is not legal on board",
    "says_nothing": r"bidder support\.unruly\.Unruly was asked for \d+ calls and gave object \(\)",
    "miscounts": r"bidder support\.unruly\.Unruly was asked for \d+ calls and gave int64",
}


def spec(name):
    return f"python:support.unruly:{name}"


@pytest.fixture(scope="module")
def boards():
    return library_boards(COUNT, 1)


@pytest.fixture(scope="module")
def unlucky(boards):
    """The numbers of the boards on which ``illegal`` does what is not legal: North passes first, and so on."""
    found = []
    for row in range(COUNT):
        hands = [boards.owner[row] == seat for seat in range(4)]
        bad = [int(hand @ np.arange(1, 53)) % 8 == 0 for hand in hands]
        if any(bad):
            found.append(int(boards.number[row]))
    return found


@pytest.mark.parametrize("name", WORDS)
def test_the_first_fault_ends_a_match_and_is_told(name, boards):
    with pytest.raises(BidderFault, match=WORDS[name]):
        match.play(spec(name), "pass", boards)


@pytest.mark.parametrize("name", WORDS)
def test_boards_with_a_fault_are_left_out(name, boards, unlucky):
    assert 5 < len(unlucky) < COUNT - 5
    found = match.play(spec(name), spec(name), boards, allowance=LEAVE)
    assert sorted({*range(1, COUNT + 1)} - {*found.boards.number.tolist()}) == unlucky
    assert len(found.boards.problems) == len(unlucky)
    for number, told in zip(unlucky, found.boards.problems, strict=True):
        assert f"on board {number}" in told
    usual = match.play("pass", "pass", boards)
    kept = np.isin(usual.boards.number, found.boards.number)
    assert (found.tables[0].score == usual.tables[0].score[kept]).all()


def test_the_board_of_one_fault_is_named(boards, unlucky):
    with pytest.raises(BidderFault, match=r"on board (\d+), bidder .* failed after \w: .*Pass|after no call") as caught:
        match.play("pass", spec("raises"), boards.take(slice(unlucky[0] - 1, unlucky[0])))
    assert f"on board {unlucky[0]}" in str(caught.value)


def test_where_every_board_is_left_out_there_is_no_result(boards, unlucky):
    bad = boards.take(np.array(unlucky) - 1)
    with pytest.raises(BidderFault, match="no board was bid to its end: "):
        match.play(spec("illegal"), spec("illegal"), bad, allowance=LEAVE)


def test_boards_before_the_fault_are_kept(boards, monkeypatch, unlucky):
    monkeypatch.setattr(match, "CHUNK", unlucky[0] - 1 if unlucky[0] > 1 else 1)
    order = np.argsort(np.isin(boards.number, unlucky), kind="stable")
    with pytest.raises(BidderFault) as caught:
        match.play(spec("illegal"), spec("illegal"), boards.take(order))
    done = caught.value.done
    assert 0 < len(done.boards) <= COUNT - len(unlucky)
    assert done.boards.number.tolist() == boards.number[order][: len(done.boards)].tolist()


# --- too late, and gone ------------------------------------------------------------------------------------


def test_who_hangs_is_given_up(boards, unlucky):
    began = time.monotonic()
    allowance = Allowance(patience=0.1)
    says = r"on board \d+, bidder support\.unruly\.Unruly gave no call within 0\.1 seconds after "
    with pytest.raises(BidderFault, match=says):
        match.play(spec("hangs"), "pass", boards, allowance=allowance)
    few = boards.take(slice(0, unlucky[2]))
    found = match.play(spec("hangs"), spec("hangs"), few, allowance=Allowance(0.1, leave=True))
    assert sorted({*range(1, len(few) + 1)} - {*found.boards.number.tolist()}) == unlucky[:3]
    with pytest.raises(BidderFault, match="it was late 3 times before, so the match ends here"):
        match.play(spec("hangs"), "pass", boards, allowance=Allowance(0.1, leave=True))
    assert time.monotonic() - began < 60


def test_who_is_slow_with_many_boards_is_asked_about_one_at_a_time(boards):
    class Slow:
        def bid(self, view, key):
            time.sleep(0.02 * len(view))
            return np.zeros(len(view), int)

    few = boards.take(slice(0, 6))
    found = match.play(Slow(), "pass", few, allowance=Allowance(patience=0.06))
    assert len(found.boards) == 6


@pytest.mark.slow
def test_who_ends_its_process_is_found(boards, unlucky):
    says = rf"on board {unlucky[0]}, bidder support\.unruly\.Unruly ended its process \(with exit code 7\) after "
    few = boards.take(slice(0, unlucky[1]))
    with pytest.raises(BidderFault, match=says):
        match.play(spec("dies"), spec("dies"), few, workers=2)
    found = match.play(spec("dies"), spec("dies"), few, workers=2, allowance=LEAVE)
    assert sorted({*range(1, len(few) + 1)} - {*found.boards.number.tolist()}) == unlucky[:2]
    assert "ended its process" in found.boards.problems[0]


def test_a_script_without_a_main_guard_is_told_so(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text("from training.match.match import play\nplay('pass', 'pass', 40, workers=2)\n")
    told = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True, timeout=120).stderr
    assert "if __name__ == '__main__':" in told.splitlines()[-1]
    assert "NoWorkers" in told.splitlines()[-1]


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
    with pytest.raises(BidderFault, match="Unruly: XX is not legal after no call"):
        legal_answer_of(unruly.illegal, view, key)
    with pytest.raises(Failed, match=r"failed after no call: KeyError"):
        legal_answer_of(unruly.raises, view, key)
    with pytest.raises(BidderFault, match="Boasts: XX is not legal after no call"):
        explained(unruly.boasts, view, key)


def test_bid_prints_no_call_that_is_not_legal(capsys):
    hand = hand_text(_unlucky_hand().hand[0])
    for name, says in (("illegal", "XX is not legal after no call"), ("boasts", "XX is not"), ("raises", "third suit")):
        assert main(["bid", spec(name), "--hand", hand]) == 2
        told = capsys.readouterr()
        assert not told.out
        assert says in told.err


# --- the commands ------------------------------------------------------------------------------------------


def test_match_tells_what_it_left_out(capsys, tmp_path, unlucky):
    out = tmp_path / "m.json"
    command = ["match", spec("illegal"), spec("illegal"), "--boards", str(COUNT)]
    assert main([*command, "--faults", "leave-out", "--json", str(out)]) == 0
    told = capsys.readouterr()
    assert told.err.count("left out: ") == len(unlucky)
    written = json.loads(out.read_text())
    assert (written["boards"], len(written["problems"])) == (COUNT - len(unlucky), len(unlucky))
    assert "is not legal on board" in refused(capsys, *command)
    with pytest.raises(SystemExit):
        main([*command, "--patience", "0"])


def test_a_panel_keeps_its_lines_and_goes_on(tmp_path, capsys):
    against = ("doubler", spec("illegal"), "random")
    command = ["panel", "pass", "--against", *against, "--boards", "8", "--out", str(tmp_path)]
    assert "against python:support.unruly:illegal" in refused(capsys, *command)
    assert len(json.loads((tmp_path / "panel.json").read_text())) == 1
    assert main([*command, "--faults", "leave-out"]) == 0
    told = capsys.readouterr()
    assert "doubler" in told.out
    assert "random" in told.out
    assert "left out: python:support.unruly:illegal: " in told.err


def test_a_gain_is_counted_on_the_boards_of_both(boards):
    whole = match.play("doubler", "random", boards)
    fewer = match.play("pass", "random", boards).take(np.arange(COUNT - 7))
    gain, _ = panel._gain(whole, fewer)
    assert gain == pytest.approx((whole.imps[: COUNT - 7] - fewer.imps).mean())


class Forger:
    """Declares every call legal in what it was handed, then doubles before anybody bid."""

    def bid(self, view, key):
        view.mask[:] = True
        view.history[:] = 5
        view.length[:] = 0
        return np.full(len(view), DOUBLE, np.int8)


def test_legality_is_not_looked_up_in_what_a_bidder_could_write_to():
    with pytest.raises(BidderFault, match="not legal"):
        match.play(Forger(), PassBidder(), boards=8, seed=1)
    with pytest.raises(BidderFault, match=r"not legal"):
        match.play(Forger(), PassBidder(), boards=8, seed=1, allowance=LEAVE)
    with pytest.raises(BidderFault, match="not legal"):
        agents.call(Forger(), hand="AKQ2.T98.J7.A543")
    auctions, owner = Auctions(np.zeros(4, int), np.zeros(4, int)), np.stack([np.arange(52, dtype=np.uint8) % 4] * 4)
    Forger().bid(view_of(auctions, owner), None)
    assert (auctions.length == 0).all()
    assert not auctions.legal()[:, DOUBLE].any()


class Untrue(PassBidder):
    """Says that it has systems, and a way to think that nobody may look at."""

    systems = "sayc"

    @property
    def slow(self):
        raise RuntimeError("nobody looks at me")


def test_attributes_of_bidders_are_no_promises():
    assert len(match.play(Untrue(), Untrue(), boards=8, seed=1).boards) == 8


class Shy:
    """Does not show how it bids."""

    @property
    def bid(self):
        raise LookupError("not now")


def test_a_bid_that_cannot_be_had_is_the_bidders_fault():
    with pytest.raises(BidderFault, match=r"bidder test_faults\.Shy failed after no call: LookupError: not now"):
        agents.call(Shy(), hand="AKQ2.T98.J7.A543")
