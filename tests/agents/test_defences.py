"""Defences to artificial openings, and the words by which their lines know them."""

import numpy as np
import pytest

from agents.systems.bidder import Hierarchy, HierarchyBidder, seen_rows
from agents.systems.changes.mutation import moves
from agents.systems.language.text import parse_system
from agents.systems.language.tree import Atom
from agents.systems.language.vocabulary import WORDS
from agents.systems.library.shipped import hierarchy_of
from agents.text_api import read_states
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.calls import call_text, parse_call

BY_BOOKS = ("sayc", "two-over-one", "champion")
TRANSFERS = """\
system: transfers
1C    12-21 hcp, 2+ C
  1D    4+ H, 5+ hcp                      ; hearts !forcing !artificial
  1H    4+ S, 5+ hcp                      ; spades !forcing !artificial
"""


def against(name, opponents):
    them = hierarchy_of(opponents) if isinstance(opponents, str) else opponents
    return HierarchyBidder(hierarchy_of(name), opponents=(them, them))


def call_of(bidder, hand, auction):
    view = read_states([{"hand": hand, "auction": auction.split(), "dealer": "N"}])[0]
    return call_text(int(bidder.call(view)[0]))


def shown_by_last(bidder, auction):
    """Strength, hearts and spades that the last call has shown, as its partner reads it."""
    state = {"hand": "5432.5432.543.32", "auction": [*auction.split(), "P"], "dealer": "N"}
    seat = (len(auction.split()) - 1) % 4
    return bidder.meaning(read_states([state])[0])[0, seat][[0, 3, 4]].tolist()


def they_show(opponents, auction):
    """``they-min`` and ``they-max`` as the seat to call sees them."""
    seats = (hierarchy_of(opponents), hierarchy_of("sayc")) * 2
    zero, calls = np.zeros(1, np.int64), np.array([[parse_call(call) for call in auction.split()]], np.int8)
    features, quiet = np.zeros((1, 4, NUM_FEATURES), np.int16), zero.astype(np.int16)
    row = seen_rows(seats, features, zero, quiet, quiet, calls.reshape(1, -1), zero + calls.size)[0][0]
    return int(row[WORDS["they-min"]]), int(row[WORDS["they-max"]])


def test_what_they_have_shown_is_what_the_stronger_of_them_has():
    assert they_show("acol", "P") == (0, 11)
    assert they_show("acol", "1N") == (12, 14)
    assert they_show("acol", "1N P 2C P 2D") == (12, 14)  # opener's, whatever the answer to Stayman shows
    assert they_show("acol", "1N P P") == (12, 14)  # responder has shown less
    assert they_show("sayc", "1N") == (15, 17)
    assert they_show("precision", "1C")[0] == 16
    assert they_show("precision", "1C P 1D") == they_show("precision", "1C")
    assert they_show("sayc", "1C")[0] == 10


def test_evolving_leaves_them_alone():
    assert moves(Atom("they-min", 15, 99)) == moves(Atom("they-max", 0, 15)) == ()


def test_two_diamonds_without_diamonds_is_not_defended_as_a_weak_two():
    """A double shows a balanced opening, and three diamonds are diamonds."""
    multi = Hierarchy(parse_system("2D  4-10 hcp, 6 H or 6 S ; a weak two in a major !artificial\n"))
    for hand, artificial, weak in (("K84.QJ5.AQ7.K983", "X", "2NT"), ("A4.K5.AQJ974.J62", "3D", "Pass")):
        assert call_of(against("sayc", multi), hand, "2D") == artificial
        assert call_of(against("sayc", "sayc"), hand, "2D") == weak


def test_the_double_of_a_strong_club_is_read_as_both_majors_alone():
    strength, hearts, spades = shown_by_last(against("sayc", "precision"), "1C X")
    assert (strength, hearts[0], spades[0]) == ([5, 15], 4, 4)
    strength, hearts, spades = shown_by_last(against("sayc", "sayc"), "1C X")
    assert strength[1] == 37
    assert (hearts[0], spades[0]) == (0, 0)


@pytest.mark.parametrize("name", BY_BOOKS)
def test_over_transfers(name):
    bidder = against(name, Hierarchy(parse_system(TRANSFERS)))
    assert call_of(bidder, "J4.72.AQJ974.K98", "1C P 1D") == "X"
    assert call_of(bidder, "AQ74.2.AJ97.K982", "1C P 1D") == "1H"
    assert call_of(bidder, "74.AQJ72.J974.K9", "1C P 1H") == "X"
    assert call_of(bidder, "7.AQ72.AJ974.K98", "1C P 1H") == "1S"
    assert call_of(against(name, name), "AQ74.2.AJ97.K982", "1C P 1D") != "1H"


def test_a_line_that_takes_every_hand_keeps_those_below_it_out_of_what_calls_show():
    text = "system: gate\n(1C)\n  X     4+ H, 4+ S, 5-15 hcp, 15+ they-min\n  {}\n  X     12+ hcp, 0-2 C\n"
    without, gated = (
        HierarchyBidder(Hierarchy(parse_system(text.format(line))), opponents=(hierarchy_of("precision"),) * 2)
        for line in ("2S    6+ S, 15+ they-min", "P     15+ they-min")
    )
    assert shown_by_last(without, "1C X") == [[5, 37], [0, 13], [0, 13]]
    assert shown_by_last(gated, "1C X") == [[5, 15], [4, 9], [4, 9]]
