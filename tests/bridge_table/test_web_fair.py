"""Calls judged over deals that fit what the player knew."""

import pytest

pytest.importorskip("starlette")

from bridge_env.hands.deals import parse_deal
from bridge_env.rules.calls import parse_call
from bridge_table.board.dealing import Deal
from bridge_table.board.hints import compare_call
from bridge_table.board.review import review
from bridge_table.board.table import Setup
from bridge_table.session import Session

STRONG = "N:AKQ2.AK8.AJ7.A54 J97.QJ2.9853.K82 T864.9543.KQ2.Q6 53.T76.T64.JT973"
SPECS = ("system:sayc", "policy:champion")


def over(spec, first, rest="Pass Pass Pass"):
    """A table at which North, a person, made the first call, and the board is over."""
    table = Session(seed=1).open(Setup((0,), spec, spec, spec, "rule"), Deal(parse_deal(STRONG), 0, 0, 1, "a test"))
    table.begin_with([parse_call(word) for word in (first, *rest.split())])
    if table.phase != "over":
        table.show()
    return table


@pytest.mark.parametrize("spec", SPECS)
def test_passing_a_giant_is_a_mistake_over_all_deals_that_fit(spec):
    found = compare_call(over(spec, "Pass"), 0, [parse_call("1C"), parse_call("2NT")])
    assert found.sure
    assert found.call != parse_call("Pass")
    assert found.gain > 2
    assert found.deals >= 8
    assert found == compare_call(over(spec, "Pass"), 0, [parse_call("1C"), parse_call("2NT")])


@pytest.mark.parametrize("spec", SPECS)
def test_opening_a_giant_is_none_beside_passing(spec):
    found = compare_call(over(spec, "2NT"), 0, [parse_call("Pass")])
    assert found.call != parse_call("Pass")
    assert found.gain >= 0


def test_a_bidder_without_look_ahead_compares_nothing():
    assert compare_call(over("random", "1C"), 0, [parse_call("Pass")]) is None


def test_the_review_names_the_better_call():
    found = review(over("policy:champion", "Pass"))["calls"][0]
    assert found["costly"]
    assert found["better"] == found["fair"]["call"]
    assert found["fair"]["gain"] > 2
    assert found["lost"] >= 3
