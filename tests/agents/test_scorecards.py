"""Scorecards: which call their sums choose, what it shows, and how it is explained."""

from functools import cache

import pytest

from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.explain.explain import explain
from agents.systems.language.text import SystemTextError, parse_system
from agents.systems.library.shipped import read_system
from agents.text_api import read_states
from bridge_env.bidders.registry import SpecError
from bridge_env.rules.calls import call_text

SUIT_AGAIN = """\
base: two-over-one
weigh when 1+ they-bid, 1+ i-bid, 0 partner-bid, not ours   ; they bid on, partner is silent
  P       scores 0, 11 if book
  X       scores -60, 4 for each hcp                        ; double
  bid:x   4+ shown:x{conditions} scores -19, 12 if book, 4 for each x less shown:x, 8 if 6+ x, 2 for each support:x, -22 if jump ; my suit
"""  # noqa: E501
THEY_RAISE = "1H 1S 2H P P"


@cache
def bidder_of(text):
    return HierarchyBidder(Hierarchy(parse_system(text)))


def explained(text, hand, auction=THEY_RAISE):
    state = {"hand": hand, "dealer": "N", "vulnerability": "None", "auction": auction.split()}
    return explain(bidder_of(text), read_states([state])[0])


@pytest.mark.parametrize(
    ("hand", "call", "sums"),
    [
        # six spades: -19 + 4 for one more than shown + 8 + 2 * 16; the rules pass
        ("AKQ865.K4.Q32.86", "2S", {"2S": 25, "Pass": 11, "3S": 3, "X": -4}),
        ("AKQ86.K43.Q62.86", "Pass", {"2S": 11, "Pass": 11, "3S": -11, "X": -4}),  # a tie: the rules' call
        ("AKQ86.AQ3.AQJ.86", "X", {"X": 28, "2S": 27, "3S": 5}),
    ],
)
def test_the_highest_sum_calls(hand, call, sums):
    found = explained(SUIT_AGAIN.format(conditions=""), hand)
    assert call_text(found.call) == call
    assert {call_text(one.call): one.total for one in found.sums if call_text(one.call) in sums} == sums
    assert all(one.total == one.start + sum(points for _, points in one.parts) for one in found.sums)


def test_the_tree_comes_first_and_elsewhere_rules_decide():
    text, plain = SUIT_AGAIN.format(conditions=""), "base: two-over-one\n"
    for auction in (
        "1H",
        "1H 1S 2H",
        "1H P 2H P P",
        "P P",
    ):  # where the block's context does not hold, or the tree calls
        for hand in ("AKQ865.K4.Q32.86", "AKQ86.AQ3.AQ2.86"):
            assert explained(text, hand, auction).call == explained(plain, hand, auction).call


@pytest.mark.parametrize(
    ("auction", "weighed"), [("1S P 3S P 4N X", False), ("1S 2H 3S P 4N 5C", False), ("1S 2H 3S P 4S 5C", True)]
)
def test_answers_to_four_notrump_are_the_rules_alone(auction, weighed):
    cards = "base: sayc\nweigh when 1+ they-bid\n  X  scores 0\n  P  scores 500\n"
    found = explained(cards, "K865.KQ4.Q432.86", auction)
    assert found.because.startswith("scorecards") == weighed


def test_a_call_shows_what_its_card_says_and_without_that_what_the_rules_show():
    for conditions in ("", ", 10-17 hcp, 6+ x"):
        bare = explained(SUIT_AGAIN.format(conditions=conditions), "AKQ865.K4.Q32.86")
        assert call_text(bare.call) == "2S"
        assert bare.shown[1].lengths[3][0] == 5  # by the overcall
    for conditions in (", 10-17 hcp, 6+ x shows 1+ aces", " shows 10-17 hcp, 6+ x"):
        asking = explained(SUIT_AGAIN.format(conditions=conditions), "AKQ865.K4.Q32.86")
        assert asking.shown[1].lengths[3][0] == 6
        assert "six or more spades" in asking.text
    weak = explained(SUIT_AGAIN.format(conditions=" shows 16-17 hcp"), "AKQ865.K4.Q32.86")
    assert call_text(weak.call) == "2S"  # what it shows does not keep it from being made


def test_conditions_keep_a_call_out_of_the_choice():
    found = explained(SUIT_AGAIN.format(conditions=", 7+ x"), "AKQ865.K4.Q32.86")
    assert call_text(found.call) == "Pass"
    assert "2S" not in [call_text(one.call) for one in found.sums]


def test_the_explanation_adds_up():
    lines = str(explained(SUIT_AGAIN.format(conditions=""), "AKQ865.K4.Q32.86")).splitlines()
    sums = next(line for line in lines if line.startswith("  sums"))
    assert sums.split(None, 1)[1].startswith("2♠ 25 (-19, 16 points in support of ♠ +32, 6+♠ +8, ")
    assert "Pass 11 (the book's call +11)" in lines[lines.index(sums) + 1]
    assert not explained(SUIT_AGAIN.format(conditions=""), "AKQ865.K4.Q32.86", "1H").sums
    assert not explained(
        SUIT_AGAIN.format(conditions="").replace("  P ", "  XX"), "AKQ86.K43.Q62.86"
    ).sums  # rules pass


def test_a_block_with_the_same_words_changes_single_cards():
    base = SUIT_AGAIN.format(conditions="")
    when = base.splitlines()[1].partition(";")[0]
    changed = base + f"{when}\n  X  scores 40\n"
    assert call_text(explained(changed, "AKQ865.K4.Q32.86").call) == "X"
    (cards,) = [block for block in parse_system(changed).blocks if block.weighs]
    assert [line.name for line in cards.lines] == ["P", "X", "bid:x"]
    dropped = explained(base + f"{when}\n  drop bid:x\n", "AKQ865.K4.Q32.86")
    assert call_text(dropped.call) == "Pass"


def test_a_system_takes_the_scorecards_of_another():
    taken, cards, plain = (read_system(name) for name in ("sayc?cards=champion-strong", "champion-strong", "sayc"))
    assert [block for block in taken.blocks if block.weighs] == [block for block in cards.blocks if block.weighs] != []
    assert [block for block in taken.blocks if not block.weighs] == list(plain.blocks)
    assert taken.lines == plain.lines
    assert read_system("champion-strong?cards=sayc").blocks == read_system("champion-rules").blocks
    with pytest.raises(SpecError, match="nobody"):
        read_system("sayc?cards=nobody")


def test_contexts_may_not_ask_about_the_hand():
    with pytest.raises(SystemTextError, match="known to all"):
        explained("base: sayc\nweigh when 12+ hcp\n  P scores 0\n", "AKQ865.K4.Q32.86")
