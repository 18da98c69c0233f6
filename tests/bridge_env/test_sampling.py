"""Sampled deals: against all deals of small worlds, against plain rejection, and at their limits."""

import doctest
from functools import cache

import numpy as np
import pytest
from support.bidders import MINE, differ, holding_mine, kinds_of

from bridge_env.hands.deals import parse_deal, parse_hand, random_deals
from bridge_env.hands.features import FEATURES, hand_features
from bridge_env.rng import streams
from bridge_env.rules.cards import check_deals
from bridge_env.sampling import KnownCards, KnownCardsError, hand, sample_deals
from bridge_env.sampling.bits import to_bits, to_hands
from bridge_env.sampling.constraints import hull
from bridge_env.sampling.drawing import COUNTED, SHUFFLED, DealSpace, all_classes

KEY = streams.key("test of sampling", 1)
ME = KnownCards.seen({"S": MINE})

OPENING = hand(hcp=(11, 21), S=(5, 13))
OVERCALL = hand(hcp=(10, 17), H=(5, 13))

SMALL = [51, 50, 49, 48, 40, 38, 37, 25, 24, 23, 12, 0]  # AKQJ T? of spades, some hearts, diamonds, clubs


def small_world(may_hold=None, four=False):
    """Make twelve hidden cards, four with each of N, E and W; or eight, two with each seat."""
    owner = np.full(52, 255)
    hidden = SMALL[2:10] if four else SMALL
    rest = [c for c in range(52) if c not in hidden]
    owner[rest] = np.arange(44) % 4 if four else np.append(np.arange(36) % 4, [2] * 4)
    places = KnownCards.of(owner)
    if may_hold is not None:
        allowed = places.may_hold.copy()
        for card, seats in may_hold.items():
            allowed[:, card] = [s in seats for s in range(4)]
        places = KnownCards(allowed).propagated()
    return places


def bit_of(card):
    return to_bits(np.arange(52) == card)


def all_deals(places):
    """Return every deal of a small world, bits (D, 4), by plain enumeration, a card after the other."""
    own = places.may_hold & (places.may_hold.sum(axis=0) == 1)
    deals = [[int(to_bits(own[seat])) for seat in range(4)]]
    for card in np.flatnonzero(places.may_hold.sum(axis=0) > 1):
        deals = [
            [bits | int(bit_of(card)) * (seat == holder) for seat, bits in enumerate(deal)]
            for deal in deals
            for holder in np.flatnonzero(places.may_hold[:, card])
            if deal[holder].bit_count() < 13
        ]
    return np.array(deals, np.uint64)


def fits_all(bits, constraints):
    fit = np.ones(len(bits), bool)
    for seat, constraint in constraints.items():
        fit &= constraint.fits(to_hands(bits[:, seat]))
    return fit


PARTLY = {51: (0, 1), 24: (1, 3), 12: (0, 3), 40: (0, 1)}
PARTLY_OF_FOUR = {49: (0, 1, 2), 24: (1, 3), 25: (2, 3)}
WORLDS = {"even": (None, False), "partly": (PARTLY, False), "four seats": (PARTLY_OF_FOUR, True)}
SMALL_CONSTRAINTS = [
    {},
    {0: hand(hcp=(8, 14)), 1: hand(S=(0, 4))},
    {0: hand(hcp=(10, 14)) | hand(hcp=(0, 7)), 1: hand(H=(3, 5), hcp=(0, 12)), 3: hand(hcp=(9, 30))},
]


@cache
def world_and_deals(which):
    places = small_world(*WORLDS[which])
    deals = all_deals(places)
    return places, deals, {tuple(deal): i for i, deal in enumerate(deals.tolist())}


@pytest.mark.parametrize("way", [SHUFFLED, COUNTED])
@pytest.mark.parametrize(
    ("which", "constraints"),
    [*((world, SMALL_CONSTRAINTS[2]) for world in WORLDS), *(("partly", some) for some in SMALL_CONSTRAINTS[:2])],
)
def test_every_deal_of_a_small_world_has_its_chance(which, constraints, way):
    places, deals, names = world_and_deals(which)
    fitting = deals[fits_all(deals, constraints)]
    assert len(fitting) > 100
    classes = np.stack([constraints[s].classes() if s in constraints else all_classes() for s in range(4)])
    space = DealSpace.of(places, classes)
    assert space.even == (which == "even")
    drawn, weights, _, _ = space.draw(np.uint64(7), way, 0.0, 0, 40_000, 40_000)
    kinds = np.array([names[tuple(deal)] for deal in drawn.tolist()])
    fit = fits_all(drawn, constraints)
    assert fit.all()  # these constraints are of points and lengths alone
    coarse = (np.arange(len(deals)) * 97) % 211  # kinds that are large enough to count
    wanted = np.tile(np.flatnonzero(fits_all(deals, constraints)), 1000)
    off = [differ(weights, coarse[kinds], coarse[wanted])]
    for card in SMALL:  # its holder
        seats = ((deals & bit_of(card)) != 0).argmax(axis=1)
        off.append(differ(weights, seats[kinds], seats[wanted]))
    assert max(off) < 4


COMPETITIONS = {
    "one no trump": ({0: hand(hcp=(15, 17), balanced=True)}, "shuffled"),
    "three passes": ({s: hand(hcp=(0, 11), rule20=(0, 19)) for s in (0, 1, 3)}, "shuffled"),
    "overcall": ({0: OPENING, 1: OVERCALL}, "shuffled"),
    "crowded": ({0: OPENING, 1: OVERCALL, 3: hand(H=(3, 13), hcp=(2, 8), S=(0, 2))}, "counted"),
    "honours": ({0: hand({"top5:H": (2, 5)}, H=6, hcp=(5, 10)), 3: hand(aces=(1, 4)) | hand(hcp=(0, 5))}, "shuffled"),
}


@pytest.fixture(scope="module")
def deals_with_mine():
    return holding_mine(300_000, seed=11)


@pytest.mark.parametrize("name", COMPETITIONS)
def test_frequencies_are_those_of_plain_rejection(name, deals_with_mine):
    shown, way = COMPETITIONS[name]
    fit = np.ones(len(deals_with_mine), bool)
    for seat, constraint in shown.items():
        rows = np.flatnonzero(fit)
        fit[rows] = constraint.fits(deals_with_mine[rows] == seat)
    rejection = deals_with_mine[fit]
    assert len(rejection) > 50
    sample = sample_deals(ME, shown, 5000, KEY)
    assert (sample.method, sample.fitting) == (way, 5000)
    assert sample.effective > 4500
    assert sample.weight.sum() == pytest.approx(1)
    check_deals(sample.owner)
    assert ((sample.owner == 2) == parse_hand(MINE)).all()
    off = [
        differ(sample.weight, a, b)
        for seat in (0, 1, 3)
        for a, b in zip(kinds_of(sample.owner, seat), kinds_of(rejection, seat), strict=True)
    ]
    assert max(off) < 4


def test_the_key_alone_decides_and_fewer_are_the_first_of_more():
    shown = {0: OPENING, 1: OVERCALL, 3: hand(H=(3, 13))}
    many, few = (sample_deals(ME, shown, count, KEY) for count in (500, 60))
    again, other = sample_deals(ME, shown, 500, KEY), sample_deals(ME, shown, 500, streams.key("another"))
    assert (many.owner == again.owner).all()
    assert (many.weight == again.weight).all()
    assert (few.owner == many.owner[:60]).all()
    assert few.tried < many.tried
    assert (many.owner != other.owner).any(axis=1).all()


def void_in(known, seat, suit):
    """Return the places after ``seat`` showed out of ``suit``; cards known to be its own stay."""
    may_hold = known.may_hold.copy()
    may_hold[seat] &= (np.arange(52) // 13 != suit) | (may_hold.sum(axis=0) == 1)
    return KnownCards(may_hold).propagated()


def test_dummy_played_cards_and_voids():
    deal = parse_deal("N:AKQ2.T98.J7.A543 J98.AKQ.T98.KQ76 T76.J76.AKQ.T982 543.5432.65432.J")
    me, dummy = deal == 0, deal == 2
    played = (deal == 1) & (np.cumsum(deal == 1) <= 3)
    table = void_in(KnownCards.seen({"N": me, "S": dummy, "E": played}), 3, 0)
    sample = sample_deals(table, {"E": hand(hcp=(10, 37))}, 200, KEY)
    assert sample.fitting == 200
    check_deals(sample.owner)
    assert ((sample.owner == 0) == me).all()
    assert ((sample.owner == 2) == dummy).all()
    assert (sample.owner[:, played] == 1).all()
    assert (sample.owner[:, :13] != 3).all()
    assert (hand_features(sample.owner == 1)[:, FEATURES["hcp"]] >= 10).all()
    assert len(np.unique(sample.owner, axis=0)) > 150


def test_all_four_hands_can_be_drawn_and_none():
    open_table = KnownCards.seen({})
    sample = sample_deals(open_table, {"N": hand(hcp=(20, 37)), "S": hand(S=(6, 13))}, 100, KEY)
    assert sample.fitting == 100
    check_deals(sample.owner)
    deal = random_deals(1, 0, 1)[0]
    assert (sample_deals(KnownCards.of(deal), {}, 3, KEY).owner == deal).all()
    assert len(sample_deals(open_table, {}, 0, KEY)) == 0
    unfit = sample_deals(KnownCards.of(deal), {"N": hand(hcp=99)}, 3, KEY)
    assert unfit.fitting == 0
    assert len(unfit) == 3


def test_places_that_no_deal_has_are_refused():
    with pytest.raises(KnownCardsError, match="two seats hold A"):
        KnownCards.seen({"N": np.arange(52) == 51, "S": np.arange(52) == 51})
    with pytest.raises(KnownCardsError, match="room for 13"):
        KnownCards.seen({"N": np.arange(52) < 14})
    with pytest.raises(KnownCardsError, match="no seat may hold C2"):
        KnownCards(np.arange(52) * np.ones((4, 1)) > 0).propagated()
    short = void_in(void_in(KnownCards.seen({"S": MINE}), 0, 3), 0, 2)
    with pytest.raises(KnownCardsError, match="room for"):
        void_in(void_in(void_in(void_in(short, 1, 0), 1, 1), 3, 0), 3, 1)


def test_where_nothing_fits_the_least_violating_are_drawn():
    shown = {"N": hand(hcp=(20, 37)), "E": hand(hcp=(20, 37))}  # I hold 14 points, so 26 are left
    sample = sample_deals(ME, shown, 200, KEY)
    assert (len(sample), sample.fitting, sample.method) == (200, 0, "relaxed")
    hcp = hand_features((sample.owner[None] == np.array([0, 1])[:, None, None]).reshape(-1, 52))[:, 0].reshape(2, -1)
    away = np.maximum(20 - hcp, 0).sum(axis=0)
    assert (sample.violation == away).all()
    assert (away.min(), away.max() <= 17) == (14, True)  # with all points at these two: no deal is nearer than 14
    assert ((sample.owner == 2) == parse_hand(MINE)).all()
    assert sample.weight.sum() == pytest.approx(1)
    partner_first = sample_deals(ME, shown, 200, KEY, weights={"N": 2, "E": 1})
    pair = [hand_features(partner_first.owner == seat)[:, 0].mean() for seat in (0, 1)]
    assert pair[0] > pair[1] + 3
    assert len(sample_deals(ME, shown, 200, KEY, nearest=False)) == 0


def test_deals_that_fit_come_first_and_count_for_more():
    rare = hand({"top5:D": 4}, D=5, hcp=(10, 37))  # found by testing alone, seldom
    sample = sample_deals(ME, {"N": rare, "W": hand(aces=1)}, 400, KEY, limit=4000)
    assert 0 < sample.fitting < 400
    assert (np.diff(sample.violation) >= 0).all()
    assert sample.weight[0] > 1.2 * sample.weight[-1]
    fitting = sample_deals(ME, {"N": rare, "W": hand(aces=1)}, 400, KEY, limit=4000, nearest=False)
    assert (fitting.owner == sample.owner[: sample.fitting]).all()
    assert len(fitting) == sample.fitting


@pytest.mark.parametrize(
    "nonsense", [hand(S=(8, 13), H=(8, 13)), hand(hcp=99), hand(aces=9), hand({"keycards:S": (5, 5)}, hcp=(0, 3))]
)
def test_nonsense_neither_hangs_nor_fails(nonsense):
    sample = sample_deals(ME, {"N": nonsense, "E": OVERCALL}, 50, KEY)
    assert (len(sample), sample.fitting) == (50, 0)
    assert sample.violation.min() > 0
    check_deals(sample.owner)


KINDS_OF_RANGES = [
    OPENING,
    hand(points=(12, 14), shortest=(0, 1)) | hand({"support:H": (10, 12)}, hcp=(0, 9)),
    hand({"difference:HS": (1, 13)}, rule20=(20, 99), losers=(0, 7)),
    hand({"top5:S": (2, 5)}, semibalanced=1, longest=(4, 6)),
]


@pytest.mark.parametrize("ranges", KINDS_OF_RANGES)
def test_classes_hold_all_hands_that_fit(ranges):
    held = (random_deals(4, 0, 5000)[:, None] == np.arange(4)[:, None]).reshape(-1, 52)
    fit = ranges.fits(held)
    lengths = held.reshape(-1, 4, 13).sum(axis=2)
    points = hand_features(held)[:, FEATURES["hcp"]].astype(np.uint64)
    row = (lengths[:, 0] * 14 + lengths[:, 1]) * 14 + lengths[:, 2]
    in_class = ((ranges.classes()[row] >> points) & np.uint64(1)).astype(bool)
    assert in_class[fit].all()
    assert fit.sum() > 100
    if ranges in KINDS_OF_RANGES[:2]:  # of points and lengths alone
        assert (in_class == fit).all()
    (low, high), most = hull(ranges.classes())
    assert (points[fit].min() >= low) & (points[fit].max() <= high)
    assert ((lengths[fit] >= most[:, 0]) & (lengths[fit] <= most[:, 1])).all()


def test_a_violation_grows_with_distance():
    held = np.stack([parse_hand(text) for text in ("AKQ2.T98.J7.A543", "KQ32.T98.J7.A543", "32.T98.J765.A543")])
    assert hand(hcp=(15, 17), S=(4, 5)).violation(held).tolist() == [1, 5, 12]  # 14, 10, 5 points; 4, 4, 2 spades
    assert (hand(hcp=(15, 17)) | hand(S=2, hcp=(0, 7))).violation(held).tolist() == [1, 5, 0]
    with pytest.raises(ValueError, match="'spades' is no feature"):
        hand(spades=5)


def test_the_examples_of_the_docs():
    import bridge_env.sampling.constraints as c
    import bridge_env.sampling.known_cards as p
    import bridge_env.sampling.sampler as s

    for module in (c, p, s):
        result = doctest.testmod(module, extraglobs={"KnownCards": KnownCards, "hand": hand})
        assert result.failed == 0
        assert result.attempted > 0
