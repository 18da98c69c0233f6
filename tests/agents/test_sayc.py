"""``system:sayc`` against the books: hands with the call that every textbook of the system gives."""

from __future__ import annotations

import pytest

import agents
from bridge_env.bidders.registry import make
from training.evaluation import duplicate

# hand (spades first), calls so far from the dealer North on, the call
OPENINGS = [
    ("AQ765.K4.K83.942", "", "1S"),
    ("K4.AQ765.K83.942", "", "1H"),
    ("AQ765.KJ942.K8.4", "", "1S"),  # five-five: the higher
    ("KJ7.A4.AQ83.K942", "", "1NT"),
    ("KJ7.A4.KQ763.KJ9", "", "1NT"),  # a five-card minor is no hindrance
    ("KJ7.AQ.AQ83.KJ92", "", "2NT"),
    ("KJ73.A4.K83.Q942", "", "1C"),
    ("KJ73.A4.KQ83.942", "", "1D"),
    ("AK73.QJ84.K83.94", "", "1D"),  # four-four majors, three diamonds, two clubs
    ("KQ73.A854.83.A94", "", "1C"),  # and the better minor otherwise
    ("A4.73.KJ83.KQ942", "", "1C"),
    ("A4.7.KQJ83.AQ942", "", "1D"),  # five-five in the minors
    ("KJ732.A4.AQ83.A9", "", "1S"),  # eighteen, too strong for no trump
    ("KQJ976.83.T94.72", "", "2S"),
    ("83.KQJ976.T94.72", "", "2H"),
    ("83.72.KQJ976.T94", "", "2D"),
    ("8.72.KQJ9763.T94", "", "3D"),
    ("KQJ97632.8.T94.7", "", "4S"),
    ("AK4.AKQ763.AK.J9", "", "2C"),
    ("AKQ.AQ4.AK83.KJ9", "", "3NT"),
    ("AKQ.AQ4.AK83.Q93", "", "2C"),
    ("J8.72.KQ976.T942", "", "Pass"),
    ("QJ84.K72.KQ97.42", "", "Pass"),  # eleven, no shape
    ("AJ984.KQJ72.7.42", "", "1S"),  # light, with shape
]
RESPONSES = [
    ("AQ65.K43.83.9742", "1C P", "1S"),
    ("K843.Q765.83.A42", "1C P", "1H"),  # four-four: up the line
    ("KQ843.AJ765.8.42", "1C P", "1S"),  # five-five: the higher
    ("84.76.Q853.97642", "1D P", "Pass"),
    ("843.76.A853.K964", "1H P", "1NT"),
    ("A43.Q762.8532.94", "1H P", "2H"),
    ("AQ3.Q762.K532.94", "1H P", "3H"),  # limit raise
    ("5.QJ7632.K8532.9", "1H P", "4H"),
    ("AQ3.KQ62.K532.94", "1H P", "2NT"),  # Jacoby
    ("843.K6.AQ853.K96", "1S P", "2D"),
    ("84.AQ763.A85.K96", "1S P", "2H"),
    ("84.AQ7632.85.K96", "1C P", "1H"),
    ("KJ4.QJ6.AQ8.T962", "1C P", "2NT"),  # thirteen to fifteen, forcing to game
    ("843.Q6.KT853.QJ6", "1D P", "2D"),
]
REBIDS = [
    ("KQ73.A4.843.KQ42", "1C P 1H P", "1S"),
    ("K73.Q4.A843.KJ42", "1C P 1H P", "1NT"),
    ("J73.Q843.4.AKJ42", "1C P 1H P", "2H"),
    ("KJ3.KQ84.4.AQ942", "1C P 1H P", "3H"),
    ("AQ3.KQ84.4.AK942", "1C P 1H P", "4H"),
    ("AQ3.K4.AJ84.KQ92", "1D P 1H P", "2NT"),
    ("3.KQ4.AJ9843.K92", "1D P 1S P", "2D"),
    ("3.KQ4.AQJ984.K92", "1D P 1S P", "3D"),
    ("K3.AQJ76.4.KJ984", "1H P 1S P", "2C"),
    ("A3.AKJ763.842.92", "1H P 2H P", "Pass"),
    ("A3.AKQ763.8.KJ92", "1H P 2H P", "4H"),
]
NOTRUMP = [
    ("KJ73.84.Q843.K42", "1N P", "2C"),  # Stayman
    ("Q4.A87.KJ94.AQ82", "1N P 2C P", "2D"),
    ("Q4.AJ87.KJ9.AQ82", "1N P 2C P", "2H"),
    ("AQ42.AJ87.K9.Q82", "1N P 2C P", "2H"),
    ("AQ42.A87.K9.QJ82", "1N P 2C P", "2S"),
    ("K4.AJ873.843.942", "1N P", "2D"),  # transfers, weak or strong
    ("AJ873.K4.843.942", "1N P", "2H"),
    ("9.T87653.843.942", "1N P", "2D"),
    ("AQ42.K7.KJ94.Q82", "1N P 2D P", "2H"),
    ("Q4.A87.KJ94.AQ82", "1N P 2H P", "2S"),
    ("9.T87653.843.942", "1N P 2D P 2H P", "Pass"),
    ("K4.AJ873.K43.942", "1N P 2D P 2H P", "3NT"),
    ("K74.A83.K843.942", "1N P", "3NT"),
    ("K74.Q83.K843.942", "1N P", "2NT"),
    ("K74.983.Q843.942", "1N P", "Pass"),
    ("J874.983.Q843.94", "2N P", "Pass"),
    ("KJ74.983.Q843.94", "2N P", "3C"),
    ("74.KJ983.Q84.942", "2N P", "3D"),
]
STRONG = [
    ("74.9832.Q843.942", "2C P", "2D"),
    ("AK4.AKQ763.AK.J9", "2C P 2D P", "2H"),
    ("AKQ.AQ4.AK83.Q93", "2C P 2D P", "2NT"),
    ("AQJ.AQ4.AK83.KJ9", "2C P 2D P", "2NT"),
    ("A764.KQ83.8.KJ42", "1S P 3S P 4N P", "5D"),  # Blackwood: one ace
    ("A764.AQ83.8.9742", "1S P 3S P 4N P", "5H"),
    ("KQ64.KQ83.8.9742", "1S P 3S P 4N P", "5C"),
]
COMPETITION = [
    ("AQJ76.84.K93.742", "1C", "1S"),
    ("84.AQJ76.K93.742", "1D", "1H"),
    ("84.K93.7.AQJT762", "1H", "3C"),  # weak jump
    ("84.K93.742.AQJ76", "1S", "Pass"),
    ("84.K9.A42.AQJ976", "1S", "2C"),
    ("AJ3.KQ4.AQ93.J42", "1D", "1NT"),
    ("AQ74.K984.K762.4", "1C", "X"),  # take-out
    ("KQ74.3.AJ84.KJ76", "1H", "X"),
    ("AKQ74.A3.AQ84.76", "1H", "X"),  # too strong to overcall
    ("Q74.8543.K42.J76", "1C X P", "1H"),  # answers to the double
    ("KJ74.A3.QT42.J76", "1C X P", "2S"),
    ("A7642.Q4.KJ73.85", "1C 1H", "1S"),
    ("A764.Q43.J73.852", "1C 1H", "X"),  # negative doubles
    ("62.AJ43.KJ73.852", "1D 1S", "X"),
    ("84.Q764.A53.K952", "1D 1S", "X"),
    ("K42.Q4.QJ93.9752", "1C 1S", "1NT"),
    ("K62.A843.7.97532", "1H 1S", "2H"),
]


@pytest.mark.parametrize(("hand", "auction", "call"), OPENINGS + RESPONSES + REBIDS + NOTRUMP + STRONG + COMPETITION)
def test_textbook_hand(hand, auction, call):
    assert agents.call("system:sayc", hand=hand, dealer="N", auction=auction.split()) == call


MENDED = [
    ("AQ732.5.A4.KQJ84", "", "1S"),
    ("AQ732.5.4.KQJ843", "", "1S"),  # twelve points: the major first
    ("AQ732.5.A.KQJ843", "", "1C"),  # the longer suit first, with enough to reverse
    ("AJ84.K3.Q5.AQ963", "1H P", "2C"),
    ("J974.QT63.Q9852.", "1NT P", "2C"),  # short in clubs: pass any answer
    ("J974.QT63.Q9852.", "1NT P 2C P 2D P", "Pass"),
    ("82.Q5.A96.AKJ973", "1NT P", "2S"),  # then three hearts: slam in clubs
    ("82.Q5.A96.AKJ973", "1NT P 2S P 3C P", "3H"),
    ("AQ74.K76.K8.AQ84", "1NT P 2S P 3C P 3H P", "4C"),
    ("82.A5.A96.AKJ973", "1NT P 2S P 3C P 3H P 4C P", "4D"),  # the cheapest control
    ("84.KQJ963.Q75.92", "1NT P 2D P 2H P", "3H"),
    ("84.KQJ973.A62.73", "1S", "2H"),  # ten points are too many for a weak jump
    ("KJ4.843.AQ62.AK3", "1H", "X"),  # seventeen and no stopper
    ("Q4.6.KQJ984.AQ73", "1H 1NT", "3D"),  # a suit and no wish to defend: forcing
    ("K5.84.AQJ974.KQ3", "1S 1NT P", "3NT"),
    ("AQJ4.5.AK62.Q973", "2H 2S", "X"),
    ("84.53.KQJ973.932", "1S P 3S P 4NT P 5D", "X"),  # for the lead
    ("AQJ984..KQ62.Q73", "1S 2H 3H 4H", "4S"),  # a void does not ask for aces
]


@pytest.mark.parametrize("system", ["sayc", "two-over-one"])
@pytest.mark.parametrize(("hand", "auction", "call"), MENDED)
def test_what_both_standard_systems_have_by_the_books(system, hand, auction, call):
    assert agents.call(f"system:{system}", hand, auction=auction.split()) == call


@pytest.mark.parametrize(
    ("hand", "auction", "call"),
    [
        ("QJ84.K53.A962.73", "1S P 3S P 4NT X", "Pass"),  # one key card
        ("QJ84.K53.Q962.73", "1S P 3S P 4NT X", "XX"),  # none
        ("AKJ84.A5.KQJ2.73", "1S P 3S P 4NT 5D P P", "6S"),  # partner has shown one over their bid
        ("AKJ84.A5.KQJ2.73", "1S P 3S P 4NT 5D X P", "Pass"),  # and now none
        ("QJ84.KJ5.A962.73", "1S P 3S P 4NT P 5C P 5D P", "5H"),  # queen and jack are no king
        ("AKJ84.5.KQ62.K73", "1S P 2C 4H", "Pass"),  # forcing
        ("AKJ84.Q52.K6.K73", "1S P 2C 4H", "X"),
    ],
)
def test_what_two_over_one_has_over_interference(hand, auction, call):
    assert agents.call("system:two-over-one", hand, auction=auction.split()) == call


def test_two_diamonds_without_diamonds_is_not_defended_as_a_weak_two(tmp_path):
    """A double shows a balanced opening, and three diamonds are diamonds."""
    multi = tmp_path / "multi.bidding"
    multi.write_text("system: multi\n2D  4-10 hcp, 6 H or 6 S ; a weak two in a major !artificial\n", encoding="utf-8")
    against = make("system:sayc", opponents=f"system:{multi}")
    natural = make("system:sayc", opponents="system:sayc")
    for hand, artificial, weak in (("K84.QJ5.AQ7.K983", "X", "2NT"), ("A4.K5.AQJ974.J62", "3D", "Pass")):
        assert agents.call(against, hand, auction=["2D"]) == artificial
        assert agents.call(natural, hand, auction=["2D"]) == weak


def test_a_control_pair_worth_beating():
    assert duplicate.match("system:sayc", "pass", 5000).mean_imps >= 3.5  # strong programs: 4.1 to 4.4
    against_random = duplicate.match("system:sayc", "random", 1000)
    assert against_random.mean_imps > duplicate.match("pass", "random", 1000).mean_imps > 12
