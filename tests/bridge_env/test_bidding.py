"""The bidding loop of envs and matches, and its errors."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from bridge_env.bidders.bidding import ask, bid_round, complete_auctions
from bridge_env.bidders.builtin import DoublerBidder, PassBidder, RandomBidder
from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, IllegalCall
from bridge_env.rules.calls import parse_call

COUNT = 40
OWNER = random_deals(4, 0, COUNT)
KEY = streams.key("bidding", np.arange(COUNT))
BIDDERS = (RandomBidder(), PassBidder(), DoublerBidder())


def fresh():
    return Auctions(np.arange(COUNT) % 4, np.arange(COUNT) // 4 % 4)


class Counted(RandomBidder):
    """Counts the rows of each call."""

    def __init__(self):
        self.rows = []

    def bid(self, view, key):
        self.rows.append(len(view))
        return super().bid(view, key)


@dataclass(frozen=True)
class Fixed:
    """Returns the same in all positions."""

    answer: object

    def bid(self, view, key):
        return np.array(self.answer)


def one_by_one(row, seats, first):
    """Bid an auction call by call, a table at a time."""
    auction = first.take(np.array([row]))
    while not auction.done[0]:
        bidder = BIDDERS[seats[row, auction.turn[0]]]
        key = streams.key(KEY[row : row + 1], auction.length)
        auction.step(bidder.bid(view_of(auction, OWNER[row : row + 1]), key))
    return auction.calls(0)


def test_all_tables_are_bid_as_each_would_be_from_anywhere():
    seats = np.random.default_rng(1).integers(0, 3, (COUNT, 4))
    auctions = fresh()
    for turn in range(5):  # auctions of different lengths
        rows = np.flatnonzero(~auctions.done & (np.arange(COUNT) % 5 >= turn))
        bid_round(auctions, OWNER, KEY, rows, np.zeros(len(rows), int), BIDDERS)
    begun = auctions.take(np.arange(COUNT))
    assert len(np.unique(begun.length)) > 3
    complete_auctions(auctions, OWNER, KEY, seats, BIDDERS)
    assert [auctions.calls(row) for row in range(COUNT)] == [one_by_one(row, seats, begun) for row in range(COUNT)]


def test_a_bidder_is_called_once_a_round_for_all_its_seats():
    ours, theirs = Counted(), Counted()
    auctions = fresh()
    complete_auctions(auctions, OWNER, KEY, np.tile([0, 1, 0, 1], (COUNT, 1)), (ours, theirs))
    longest = int(auctions.length.max())
    assert len(ours.rows) <= longest
    assert len(theirs.rows) <= longest
    assert sum(ours.rows) + sum(theirs.rows) == auctions.length.sum()
    assert ours.rows[0] + theirs.rows[0] == COUNT


def test_an_illegal_call_names_bidder_table_and_auction():
    auctions, rows = fresh(), np.arange(COUNT)
    bid_round(auctions, OWNER, KEY, rows, np.zeros(COUNT, int), (Fixed([parse_call("2H")] * COUNT),))
    calls = np.zeros(COUNT, int)
    calls[7] = parse_call("2D")
    message = r"the bidder Fixed\(.*\) made an illegal call: 2D is not legal at table 7 after W: 2H"
    with pytest.raises(BidderError, match=message) as caught:
        bid_round(auctions, OWNER, KEY, rows, np.zeros(COUNT, int), (Fixed(calls.tolist()),))
    fault = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(fault, IllegalCall)
    assert (fault.row, fault.call, str(fault)) == (7, parse_call("2D"), str(caught.value))
    assert (auctions.length == 1).all()
    assert str(auctions.illegal_call_error(7, 99)) == "99 is not legal at table 7 after W: 2H"
    assert str(auctions.illegal_call_error(7, 4, "")) == "1D is not legal after W: 2H"


@pytest.mark.parametrize("answer", [0, [0.0, 0.0], [0], [[0, 0]], ["P", "P"], [False, False]])
def test_output_that_is_no_row_of_calls_is_named(answer):
    message = r"bidder test_bidding\.Fixed returned .* for 2 calls; bid\(view, key\) returns one whole number"
    with pytest.raises(BidderError, match=message) as caught:
        ask(Fixed(answer), fresh(), OWNER, np.array([3, 5]), KEY[:2])
    assert caught.value.row is None
