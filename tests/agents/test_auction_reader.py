"""What each seat has shown, by hands on which all seats make their calls."""

import numpy as np
import pytest
from support.bidders import boards

from agents.registry import make_system
from agents.systems.bidder import bid_out, deal_features
from agents.systems.explain.auction_reader import shown_by_seats
from agents.text_api import read_states
from bridge_env.bidders.view import public_view
from bridge_env.hands.deals import parse_hand
from bridge_env.hands.features import HCP_AND_LENGTHS
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS


def shown(auction, hand=None, system="sayc"):
    """What the seats have shown after an auction that North begins, in words."""
    view = public_view(one_auction([parse_call(call) for call in auction.split()], 0, 0))
    own = None if hand is None else (int(view.seat[0] + 2) & 3, parse_hand(hand))
    found = shown_by_seats(make_system(system), view, hand=own)
    return {SEATS[seat]: str(one) for seat, one in found.items()}


@pytest.mark.parametrize(
    ("auction", "seat", "words"),
    [
        ("1N", "N", "15-17 HCP, balanced"),
        ("1S P 3S P 4N P 5H", "S", "2 aces"),
        ("1N P 2C P 2D", "N", "2-3 spades, 2-3 hearts"),
        ("P 1D P 1H", "E", "10-21 HCP, 3+ diamonds"),
        ("1N P 3N", "E", "0-11 HCP"),  # what the others' strength leaves a seat that passed
    ],
)
def test_calls_show_what_the_book_says(auction, seat, words):
    assert words in shown(auction)[seat]


def test_seats_without_a_call_show_nothing():
    assert list(shown("1S P")) == ["N", "E"]


def test_a_cue_bid_that_no_line_makes_shows_no_length():
    assert "clubs" not in shown("1H 3C 4C P")["S"]


def test_a_bid_read_as_more_cards_than_anyone_shows_so_is_natural():
    assert shown("1D P 1S 2H 3C P P", system="champion")["N"].endswith("3+ diamonds, 4+ clubs")


def test_the_hand_that_is_known_lies_in_what_its_calls_show():
    found = shown("2C P 2D P 2N P 3H P 3S P 4S P", "KT8743.J83.K6.93", "two-over-one")["S"]
    assert found == "3-8 HCP, 6+ spades"


def test_nineteen_in_twenty_hands_lie_in_each_range():
    owner, dealer, vulnerability = boards(60, seed=71)
    system = make_system("sayc")
    features = deal_features(owner)
    auctions = bid_out((system.own,) * 4, features, dealer, vulnerability)
    inside = []
    for row in range(60):
        calls = [int(call) for call in auctions.history[row] if call >= 0][:7]
        view = public_view(one_auction(calls, int(dealer[row]), int(vulnerability[row])))
        for seat, found in shown_by_seats(system, view).items():
            values = features[row, seat, HCP_AND_LENGTHS].tolist()
            inside.append([low <= n <= high for n, (low, high) in zip(values, found.ranges.values(), strict=True)])
    assert len(inside) > 200
    assert np.mean(inside, axis=0).min() > 0.93


def test_reading_of_a_board_fits_a_deal():
    view = read_states([{"hand": "AKQ2.T98.J7.A543", "auction": ["1H", "X", "2N", "3S"]}])[0]
    found = shown_by_seats(make_system("sayc"), view)
    assert sum(one.hcp[0] for one in found.values()) <= 40
    assert all(sum(one.lengths[suit][0] for one in found.values()) <= 13 for suit in range(4))
