"""The lines that can have made a call: the one that did is among them, whatever the hand; and systems that are lent."""

from __future__ import annotations

import numpy as np
import pytest

from agents.registry import system_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.explain import explain
from agents.systems.explain.position import Position, rules_for
from agents.systems.library.shipped import register_system
from bridge_env.bidders.registry import SpecError, make
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import PASS, call_text, parse_call
from bridge_env.rules.cards import UNKNOWN

NOBODYS = np.full((1, 52), UNKNOWN, np.uint8)


@pytest.mark.slow
def test_the_line_that_made_a_call_is_among_those_that_can_have():
    bidder = make("system:champion-rules")
    assert isinstance(bidder, HierarchyBidder)
    explained = general = 0
    for owner in random_deals(5, 0, 20):
        auctions = Auctions(0, 0)
        while not auctions.done[0]:
            found = explain(bidder, view_of(auctions, owner[None]))
            rules = [rule for rule in Position(bidder, view_of(auctions, NOBODYS)).rules if rule.call == found.call]
            if found.line is None:
                assert found.call == PASS
            else:
                assert found.rule in [rule.number for rule in rules], (auctions.text(0), call_text(found.call))
                assert found.line in [rule.line for rule in rules if rule.tree != found.general]
                explained += 1
                general += found.general
            auctions.step(found.call)
    assert explained > 100
    assert 0 < general < explained


def test_suits_are_filled_in_and_conventions_marked():
    bidder = make("system:sayc")
    auctions = Auctions(0, 0)

    def rules(word):
        return rules_for(bidder, view_of(auctions, NOBODYS), parse_call(word))

    spade = rules("1S")[0]
    words = {atom.word for clause in spade.needs for together in clause for atom in together}
    assert "S" in words
    assert not words & {"M", "oM", "x"}
    assert all(rule.artificial for rule in rules("2C"))
    assert rules("6C") == []
    auctions.step([parse_call("1N")])
    auctions.step([PASS])
    assert {(rule.artificial, rule.line.note.split()[0]) for rule in rules("2C")} == {(True, "Stayman")}


def test_a_registered_system_is_a_system_like_others():
    spec = register_system("lent-here", "system: x\n7N  12+ hcp\n")
    assert register_system("lent-here", "system: x\n7N  12+ hcp\n") == spec
    other = register_system("lent-here", "system: x\n6N  12+ hcp\n")
    assert other != spec
    assert system_of(spec).system.blocks  # the general rules, as with files that have none
    strong = view_of(Auctions(0, 0), random_deals(1, 0, 40)[:1])
    strong.hand[0] = np.isin(np.arange(52) % 13, (10, 11, 12)) | (np.arange(52) == 0)
    assert call_text(int(make(spec).bid(strong, np.zeros(1, np.uint64))[0])) == "7NT"
    assert call_text(int(make(other).bid(strong, np.zeros(1, np.uint64))[0])) == "6NT"
    with pytest.raises(SpecError, match=":2:"):
        register_system("faulty", "system: x\n1C 5+ quokkas\n")
