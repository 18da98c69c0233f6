"""What lines deny by standing behind others, against the hands that make their calls."""

from __future__ import annotations

import numpy as np
import pytest

from agents.hierarchy.bidder import Hierarchy, HierarchyBidder
from agents.hierarchy.engine.compiled import compile_system
from agents.hierarchy.language.text import SystemTextError, parse_system
from agents.hierarchy.shipped import read_system
from agents.hierarchy.telling.phrases import shown_text
from agents.wire import read_states
from bridge_env.auction import Auctions
from bridge_env.calls import parse_call
from bridge_env.cards import random_deals
from bridge_env.features import FEATURES, hand_features
from bridge_env.view import view_of

OPENINGS = """\
1N    15-17 hcp, balanced
2N    20-21 hcp, balanced or semibalanced
2C    22+ hcp
1S    5+ S, 12-21 hcp or 10-21 hcp and 20+ rule20
  3S    4+ S, 10-12 support:S
    4S    14+ hcp
    4S    7+ S
    P                                      ; !denies
1H    5+ H, 12-21 hcp
1D    4+ D, 12-21 hcp
2x    6+ x, 6-10 hcp, 2+ top3:x
3x    7+ x, 5-9 hcp
1C    12-21 hcp
1C    11+ hcp, 3+ C, position 4
P                                          ; !denies
""".replace("position 4", "4 position")


def bidder_of(text):
    return HierarchyBidder(Hierarchy(parse_system(text)))


def shown_after(bidder, auction, seat):
    view = read_states([{"hand": "5432.5432.543.32", "auction": auction.split(), "dealer": "N"}])[0]
    return bidder.meaning(view)[0, "NESW".index(seat)]


def calls_of(bidder, owner, calls=""):
    """What North calls after some calls, on hands of his."""
    numbers = np.array([[parse_call(call) for call in calls.split()]] * len(owner), np.int8).reshape(len(owner), -1)
    zero = np.zeros(len(owner), np.int16)
    return bidder.decide(view_of(Auctions.replay(numbers, zero, zero), owner))


def test_a_pass_shows_less_than_an_opening_and_every_hand_that_passes_lies_within():
    bidder, owner = bidder_of(OPENINGS), random_deals(3, 0, 20_000)
    calls, _, _ = calls_of(bidder, owner)
    passes = hand_features(owner[calls == 0] == 0)
    shown = shown_after(bidder, "P", "N")
    assert shown_text(shown).startswith("strength 0-11")
    hcp = passes[:, FEATURES["hcp"]]
    assert hcp.max() == shown[0, 1]  # and not more than that
    assert hcp.min() == shown[0, 0] == 0
    for suit, name in enumerate("CDHS"):
        held = passes[:, FEATURES[f"length:{name}"]]
        assert (shown[1 + suit, 0] <= held).all()
        assert (shown[1 + suit, 1] >= held).all()


def test_the_flag_changes_no_call():
    owner = random_deals(4, 0, 5000)
    flagged, plain = bidder_of(OPENINGS), bidder_of(OPENINGS.replace("; !denies", ""))
    for auction in ("", "1S P 3S P"):
        assert (calls_of(flagged, owner, auction)[0] == calls_of(plain, owner, auction)[0]).all()
    assert shown_text(shown_after(plain, "P", "N")) == "nothing"


def test_a_pass_of_an_invitation_shows_a_minimum():
    bidder = bidder_of(OPENINGS)
    assert shown_text(shown_after(bidder, "1S P 3S", "N")) == "strength 10-21, 5+ spades"
    assert shown_text(shown_after(bidder, "1S P 3S P P", "N")) == "strength 10-13, 5-6 spades"


def test_what_cards_or_the_auction_decide_denies_nothing():
    for above in ("1S 12+ hcp, stopper:S", "1S 12+ hcp, vul", "1S 12+ hcp, 2+ top3:H", "1S 12+ hcp, 2 position"):
        assert shown_text(shown_after(bidder_of(f"{above}\nP  ; !denies\n"), "P", "N")) == "nothing"
    assert shown_text(shown_after(bidder_of("1S 12+ hcp\nP  ; !denies\n"), "P", "N")) == "strength 0-11"
    either = bidder_of("1S 5+ S or 12+ hcp\nP  ; !denies\n")
    assert shown_text(shown_after(either, "P", "N")) == "strength 0-11, 0-4 spades"


def test_any_call_may_deny():
    bidder = bidder_of("1N 15-17 hcp, balanced\n1S 5+ S, 12+ hcp\n1C 12+ hcp ; !denies\n")
    assert shown_text(shown_after(bidder, "1C", "N")) == "strength 12+, 0-4 spades"


def test_a_general_rule_cannot():
    with pytest.raises(SystemTextError, match="stands in the tree"):
        compile_system(parse_system("1C 12+ hcp\nwhen 0-7 last-level\n  P  ; !denies\n"))


@pytest.mark.parametrize("name", ["sayc", "two-over-one"])
def test_openings_of_a_whole_system(name):
    """A pass behind all openings of a shipped system: sound for every hand."""
    system = read_system(name)
    with_pass = parse_system("P  ; !denies\n").lines
    first = next((i for i, line in enumerate(system.lines) if line.path[0].theirs), len(system.lines))
    openings = tuple(line for line in system.lines[:first] if line.path[0].token != "P" and len(line.path) == 1)
    bidder = HierarchyBidder(Hierarchy(type(system)(name, (*openings, *with_pass))))
    owner = random_deals(8, 0, 20_000)
    calls, _, _ = calls_of(bidder, owner)
    hcp = hand_features(owner[calls == 0] == 0)[:, FEATURES["hcp"]]
    shown = shown_after(bidder, "P", "N")
    assert hcp.max() <= shown[0, 1] <= 14
    assert hcp.min() >= shown[0, 0]
