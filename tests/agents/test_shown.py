"""What calls show, exactly: against asking the bidder itself, and deals drawn by it against plain rejection."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.bidders import differ, holding_mine, kinds_of

from agents.registry import make_system
from agents.systems.bidder import Hierarchy, HierarchyBidder, bid_out, deal_features
from agents.systems.inference.hand_classes import DENIED, EXACT, NATURAL, UNDENIED
from agents.systems.inference.shown import sample_view, shown_by_calls
from agents.systems.language.text import parse_system
from agents.text_api import read_states
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import parse_hand, random_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import SEATS, check_deals

KEY = streams.key("test of what calls show")
MINE = "KJ42.87.AQ4.KJ92"


@pytest.fixture(scope="module")
def sayc():
    return make_system("sayc")


def view_after(auction, mine=MINE):
    """The view of the seat to call after ``auction``, North dealer."""
    return read_states([{"hand": mine, "auction": auction.split()}])[0]


def makes_its_calls(bidder, view, seat, held):
    """Would ``seat``, holding each of ``held``, have called as it did? By asking the bidder, call by call."""
    history, dealer = view.history[:1, : int(view.length[0])], int(view.dealer[0])
    fit = np.ones(len(held), bool)
    for length in range((seat - dealer) & 3, history.shape[1], 4):
        so_far = Auctions.replay(np.repeat(history[:, :length], len(held), axis=0), dealer, int(view.vulnerability[0]))
        tested = replace(view_of(so_far, np.zeros((len(held), 52), np.uint8)), hand=held)
        fit &= bidder.call(tested) == history[0, length]
    return fit


def auctions_of(bidder, count, seed):
    """Views along auctions that the bidder's system bids, and the deals."""
    numbers = np.arange(count)
    owner = random_deals(seed, 0, count)
    dealer, vulnerability = (numbers % 4).astype(np.int16), (numbers // 4 % 4).astype(np.int16)
    auctions = bid_out((bidder.own,) * 4, deal_features(owner), dealer, vulnerability)
    for length in range(1, 9):
        rows = np.flatnonzero(auctions.length > length)[length::3]
        so_far = Auctions.replay(auctions.history[rows, :length], dealer[rows], vulnerability[rows])
        yield owner[rows], view_of(so_far, owner[rows])


def in_classes(classes, held):
    lengths = held.reshape(-1, 4, 13).sum(axis=2)
    points = (held.reshape(-1, 4, 13)[:, :, 9:] * np.array([1, 2, 3, 4])).sum(axis=(1, 2)).astype(np.uint64)
    return ((classes[(lengths[:, 0] * 14 + lengths[:, 1]) * 14 + lengths[:, 2]] >> points) & np.uint64(1)).astype(bool)


def test_hands_fit_if_the_bidder_makes_these_calls_with_them(sayc):
    others = (random_deals(9, 0, 40)[:, None] == np.arange(4)[:, None]).reshape(-1, 52)
    tested = fitted = 0
    for owner, views in auctions_of(sayc, 40, seed=51):
        for row in range(0, len(views), 2):
            view = views.take(np.array([row]))
            for seat, shown in shown_by_calls(sayc, view).items():
                assert (shown.readings == EXACT).all()
                held = np.concatenate([owner[row][None] == seat, others])
                expected = makes_its_calls(sayc, view, seat, held)
                assert expected[0]  # it did make them
                assert (shown.fits(held) == expected).all()
                assert ((shown.violation(held) == 0) == expected).all()
                assert in_classes(shown.classes(), held[expected]).all()
                tested, fitted = tested + len(held), fitted + int(expected.sum())
    assert tested > 6_000
    assert fitted > 1_000


@cache
def deals_with_mine(seat):
    return holding_mine(100_000, seed=13, mine=MINE, seat=seat)


@pytest.mark.parametrize("auction", ["1N P", "P P", "1C P 1H P", "1S 2H", "1D 1S P 2S", "1N P 2C P 2H P"])
def test_frequencies_are_those_of_plain_rejection(sayc, auction):
    view = view_after(auction)
    me = int(view.seat[0])
    deals = deals_with_mine(me)
    for seat in ((me + 2) % 4, (me + 1) % 4, (me + 3) % 4):
        deals = deals[makes_its_calls(sayc, view, seat, deals == seat)]
    assert len(deals) >= 25
    sample = sample_view(sayc, view, 3000, KEY)
    assert sample.fitting == 3000
    assert sample.effective > 2700
    check_deals(sample.owner)
    assert ((sample.owner == me) == parse_hand(MINE)).all()
    assert len(np.unique(sample.owner, axis=0)) > 2900
    off = [
        differ(sample.weight, a, b)
        for seat in range(4)
        if seat != me
        for a, b in zip(kinds_of(sample.owner, seat), kinds_of(deals, seat), strict=True)
    ]
    assert max(off) < 4


def test_a_batch_equals_its_rows(sayc):
    states = [{"hand": MINE, "auction": auction.split()} for auction in ("1N P", "1S 2H", "P P P")]
    views, _ = read_states(states)
    for row, state in enumerate(states):
        together = sample_view(sayc, views, 50, KEY, row=row)
        alone = sample_view(sayc, read_states([state])[0], 50, KEY)
        assert (together.owner == alone.owner).all()
        assert (together.weight == alone.weight).all()


def violations(bidder, auction, seat, *hands):
    shown = shown_by_calls(bidder, view_after(auction))[SEATS.index(seat)]
    return shown, shown.violation(np.stack([parse_hand(hand) for hand in hands])).tolist()


def test_how_far_a_hand_is_from_a_call(sayc):
    balanced = ("AQ42.K87.AQ4.J92", "AQ42.K87.A74.J92", "AQ42.K87.AQ4.AK2", "Q542.K87.QJ4.J92")
    shown, away = violations(sayc, "1N P", "N", *balanced)  # 16, 14, 22, 9 points
    assert (shown.points, shown.lengths.tolist()) == ((15, 17), [[2, 6], [2, 6], [2, 5], [2, 5]])
    assert away == [0, 1, 5 + DENIED, 6]  # with 22 points it would have opened 2C
    # After 2C was passed over, a pass shows less than an opening bid; whoever has one denied it.
    _, away = violations(sayc, "P P", "N", "Q542.K87.QJ4.J92", "AQ42.K87.AQ4.J92")
    assert away[0] == 0
    assert away[1] >= DENIED


LONELY = """\
1C    12+ hcp
1S    15+ hcp, 5+ S
(1H)
  P     0-9 hcp
when 1-7 last-level
  1S  8+ hcp
"""


def test_calls_that_no_hand_makes_and_that_no_rule_explains():
    lonely = HierarchyBidder(Hierarchy(parse_system(LONELY, name="lonely")))
    spades, none = "AKQ42.K87.A4.J92", "432.KQ87.KQ4.K92"
    shown, away = violations(lonely, "1S P", "N", spades, none)  # its 1C takes all hands that might bid 1S
    assert shown.readings.tolist() == [UNDENIED]
    assert away == [0, 2 + 2]  # 13 points, three spades
    shown, away = violations(lonely, "1D P", "N", spades, none)
    assert shown.readings.tolist() == [NATURAL]
    assert away == [2, 1]
    assert violations(lonely, "X".replace("X", "1C X"), "E", spades, none)[1] == [0, 0]  # a double shows nothing
    sample = sample_view(lonely, view_after("1S P 2D P"), 50, KEY)
    assert len(sample) == 50


def test_contradictions_and_impossible_auctions_are_survived(sayc):
    for auction in ("1N 2N 3N 4N 5N", "1S P 7N X XX P P", "2C 2D 2H 2S 3C 3D 3H 3S"):
        view = view_after(auction)
        sample = sample_view(sayc, view, 100, KEY)
        check_deals(sample.owner)
        assert ((sample.owner == view.seat[0]) == parse_hand(MINE)).all()
        assert (np.diff(sample.violation) >= 0).all()
        assert 1 <= sample.effective <= 100
