"""``agents.call`` and ``agents.calls``: states, refusals, and a batch equal to its rows."""

from dataclasses import dataclass

import numpy as np
import pytest
from support.bidders import positions

import agents
from agents.pair import PairBidder
from agents.systems.library.shipped import shipped_systems
from bridge_env.bidders.builtin import PassBidder
from bridge_env.bidders.registry import player_at
from bridge_env.hands.deals import hand_text
from bridge_env.rules.auction import IllegalCall
from bridge_env.rules.calls import CallError, call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES, DealError

HAND = "AKQ2.T98.J7.A543"


@dataclass(frozen=True)
class Witness:
    """Passes and remembers what it was shown."""

    seen: list

    def bid(self, view, key):
        self.seen.append(view)
        return np.zeros(len(view), np.int8)


@dataclass(frozen=True)
class SecondSeat:
    """Bids 7NT as the dealer's left-hand opponent, else passes: a user's own bidder."""

    def bid(self, view, key):
        return np.where(view.length == 1, 37, 0).astype(np.int8)


def test_answers_are_in_one_spelling():
    ours = agents.call("system:sayc", "KJ7.A4.AQ83.K942", auction=[])
    assert ours == "1NT"
    assert agents.call("pass", HAND) == "Pass"
    for auction in (["2NT"], "2NT", "p-p-2n", "P, (2NT)", "2nt!"):
        assert agents.call("doubler", HAND, auction=auction) == "X"


def test_the_bidder_sees_its_own_cards_alone():
    witness = Witness([])
    agents.calls(witness, [{"hand": HAND, "auction": ["1C"] * n} for n in (0, 1)])
    assert (witness.seen[0].hand.sum(axis=1) == 13).all()
    assert witness.seen[0].mask.sum(axis=1).tolist() == [36, 36]  # no doubles, then no 1C and no redouble


GOOD = {"hand": HAND, "dealer": "N", "vulnerability": "None", "auction": []}
FAULTS = [
    ({"hand": "AKQ2.T98.J7.A54"}, DealError, "has 12 cards, not 13"),
    ({"dealer": "Q"}, ValueError, "'Q' is not a seat"),
    ({"vulnerability": "some"}, ValueError, "'some' is not a vulnerability; use one of None, NS, EW, Both"),
    ({"auction": ["8C"]}, CallError, "'8C' is not a call"),
    ({"auction": ["1C", "1C"]}, IllegalCall, "1C is not legal at table 0 after N: 1C"),
    ({"auction": ["1C", "P", "P", "P"]}, IllegalCall, "is over; there is no call to make"),
    ({"auction": ["1C", "P", "P", "P", "1D"]}, IllegalCall, "1D comes after the end of the auction N: 1C Pass"),
    ({"auction": 7}, ValueError, "the auction is a string or a list of calls, not 7"),
]


@pytest.mark.parametrize(("change", "kind", "reason"), FAULTS)
def test_faulty_states_are_refused(change, kind, reason):
    with pytest.raises(kind) as caught:
        agents.call("pass", **(GOOD | change))
    assert reason in str(caught.value)
    with pytest.raises(kind) as caught:  # in a batch the message has the number
        agents.calls("pass", [GOOD, GOOD | change])
    assert str(caught.value).startswith("state 1: ")
    assert reason in str(caught.value)


def test_unknown_and_missing_keys_are_refused():
    with pytest.raises(ValueError, match="unknown key 'vul'; a state has hand, dealer, vulnerability, auction"):
        agents.calls("pass", [GOOD | {"vul": "NS"}])
    with pytest.raises(ValueError, match="a state needs a hand"):
        agents.calls("pass", [{"dealer": "N"}])


def test_specs_of_all_kinds(tmp_path):
    path = tmp_path / "mine.bidding"
    path.write_text("7N\n")
    assert "sayc" in shipped_systems()
    assert "general" not in shipped_systems()
    assert agents.call(f"system:{path}", HAND) == "7NT"
    path.write_text("6N  \n# longer now\n")
    assert agents.call(f"system:{path}", HAND) == "6NT"  # an edited file is read again
    assert agents.call("python:test_text_api:SecondSeat", HAND, auction=["P"]) == "7NT"
    assert agents.call(SecondSeat(), HAND) == "Pass"
    assert agents.call("pair:system:sayc,pass", HAND) == "1C"
    assert agents.call("pair:pass,system:sayc", HAND) == "Pass"
    assert agents.call("pair:pass,system:sayc", HAND, dealer="W") == "1C"


def test_a_pair_reads_each_partner_by_its_own_system(tmp_path):
    path = tmp_path / "odd.bidding"
    path.write_text("1C  5+ S\n  1S  3+ S\nwhen 0-7 last-level\n  P\n")
    pair = agents.make(f"pair:system:{path},system:sayc", opponents="system:sayc")
    first, second = pair.systems
    assert (first.own.system.name, second.own.system.name) == ("odd", "sayc")
    assert (first.partner, second.partner) == (second.own, first.own)
    assert player_at(pair, 1) is first
    assert player_at(pair, 3) is second
    assert player_at(second, 0) is second
    assert PairBidder(PassBidder(), second).systems is None


def states_in_many_auctions(count):
    """Return real positions after random calls, as states."""
    auctions, owner, _ = positions(count, 8)
    return [
        {
            "hand": hand_text(owner[row] == auctions.turn[row]),
            "dealer": SEATS[auctions.dealer[row]],
            "vulnerability": VULNERABILITIES[auctions.vulnerability[row]],
            "auction": [call_text(call) for call in auctions.calls(row)],
        }
        for row in range(count)
    ]


@pytest.mark.parametrize("spec", ["pass", "random", "doubler", "system:sayc", "pair:system:sayc,random"])
def test_a_batch_equals_its_rows(spec):
    states = states_in_many_auctions(60)
    together = agents.calls(spec, states)
    assert together == [agents.call(spec, **state) for state in states]
    assert together[::-1] == agents.calls(spec, states[::-1])
    assert agents.calls(spec, []) == []
