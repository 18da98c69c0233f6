"""Deals that fit what was shown: against all deals of small worlds, against plain rejection, and at their limits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bridge_env import streams
from bridge_env.cards import check_deals, deal_text, deals_of, hand_text, parse_hand, random_deals
from bridge_env.features import FEATURES, hand_features
from bridge_env.sampling import Places, PlacesError, hand, sample_deals
from bridge_env.sampling.bits import to_bits, to_hands
from bridge_env.sampling.constraints import hull, relaxed, shape_features
from bridge_env.sampling.drawing import COUNTED, SHUFFLED, World, everything

KEY = streams.key("test of sampling", 1)
MINE = "AKQ2.T98.J7.A543"
ME = Places.seen({"S": MINE})

OPENING = hand(hcp=(11, 21), S=(5, 13))
OVERCALL = hand(hcp=(10, 17), H=(5, 13))


def surprise(weights, kinds, expected):
    """How many standard deviations the frequencies of ``kinds`` in weighted draws are off (Pearson, Wilson-Hilferty)."""
    total = weights.sum()
    effective = total**2 / (weights**2).sum()
    observed = np.bincount(kinds, weights=weights, minlength=len(expected)) / total
    assert observed[expected == 0].sum() == 0
    likely = expected * effective >= 5
    observed = np.append(observed[likely], observed[~likely].sum())
    wanted = np.append(expected[likely], expected[~likely].sum())
    keep = wanted > 0
    degrees = max(int(keep.sum()) - 1, 1)
    statistic = (effective * (observed[keep] - wanted[keep]) ** 2 / wanted[keep]).sum()
    return ((statistic / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / np.sqrt(2 / (9 * degrees))


# --- all deals of a small world -----------------------------------------------------------------------------

SMALL = [51, 50, 49, 48, 40, 38, 37, 25, 24, 23, 12, 0]  # AKQJ T? of spades, some hearts, diamonds, clubs


def small_world(may_hold=None):
    """Twelve hidden cards, four with each of N, E and W."""
    owner = np.full(52, 255)
    rest = [c for c in range(52) if c not in SMALL]
    owner[rest] = np.append(np.arange(36) % 4, [2] * 4)
    places = Places.of(owner)
    if may_hold is not None:
        allowed = places.may_hold.copy()
        for card, seats in may_hold.items():
            allowed[:, card] = [s in seats for s in range(4)]
        places = Places(allowed, places.sizes).settled()
    return places


def all_deals(places):
    """Every deal of the small world, bits (D, 4), by plain enumeration."""
    fixed = [int(to_bits(places.may_hold[s] & (places.may_hold.sum(axis=0) == 1))) for s in range(4)]
    hidden = np.flatnonzero(places.may_hold.sum(axis=0) > 1)
    needs = [int(places.sizes[s]) - fixed[s].bit_count() for s in range(4)]
    out = []
    for north in combinations(hidden, needs[0]):
        if not places.may_hold[0, list(north)].all():
            continue
        left = [c for c in hidden if c not in north]
        for east in combinations(left, needs[1]):
            west = [c for c in left if c not in east]
            if places.may_hold[1, list(east)].all() and places.may_hold[3, west].all():
                bits = [sum(1 << int(c) for c in part) for part in (north, east, (), west)]
                out.append([f | b for f, b in zip(fixed, bits, strict=True)])
    return np.array(out, np.uint64)


def fits_all(bits, constraints):
    fit = np.ones(len(bits), bool)
    for seat, constraint in constraints.items():
        fit &= constraint.fits(to_hands(bits[:, seat]))
    return fit


PARTLY = {51: (0, 1), 24: (1, 3), 12: (0, 3), 40: (0, 1)}
SMALL_CONSTRAINTS = [
    {},
    {0: hand(hcp=(8, 14)), 1: hand(S=(0, 4))},
    {0: hand(hcp=(10, 14)) | hand(hcp=(0, 7)), 1: hand(H=(3, 5), hcp=(0, 12)), 3: hand(hcp=(9, 30))},
]


@pytest.mark.parametrize("way", [SHUFFLED, COUNTED])
@pytest.mark.parametrize("partly", [None, PARTLY])
@pytest.mark.parametrize("constraints", SMALL_CONSTRAINTS)
def test_every_deal_of_a_small_world_has_its_chance(constraints, partly, way):
    places = small_world(partly)
    deals = all_deals(places)
    fitting = deals[fits_all(deals, constraints)]
    assert len(fitting) > 300
    classes = np.stack([constraints[s].classes(13) if s in constraints else everything() for s in range(4)])
    world = World.of(places, classes)
    assert world.even == (partly is None)
    drawn, weights, _, _ = world.tries(np.uint64(7), way, 0.0, 0, 60_000, 60_000)
    names = {tuple(deal): i for i, deal in enumerate(deals.tolist())}
    kinds = np.array([names[tuple(deal)] for deal in drawn.tolist()])
    fit = fits_all(drawn, constraints)
    assert fit.all()  # these constraints are of points and lengths alone
    expected = np.zeros(len(deals))
    expected[fits_all(deals, constraints)] = 1 / len(fitting)
    coarse = (np.arange(len(deals)) * 97) % 211  # kinds that are large enough to count
    off = [surprise(weights, coarse[kinds], np.bincount(coarse, weights=expected))]
    for card in SMALL:  # who holds it
        seats = ((deals >> np.uint64(card)) & np.uint64(1)).argmax(axis=1)
        off.append(surprise(weights, seats[kinds], np.bincount(seats, weights=expected, minlength=4)))
    assert max(off) < 4
