"""Hands and what deals hold, for tests of sampling."""

from __future__ import annotations

import numpy as np

from bridge_env.hands.deals import parse_hand
from bridge_env.hands.features import FEATURES, hand_features

MINE = "AKQ2.T98.J7.A543"


def differ(weights, kinds, others):
    """Return by how many standard deviations frequencies of weighted draws differ from those of ``others``."""
    first = weights.sum() ** 2 / (weights**2).sum()
    size = int(max(kinds.max(), others.max())) + 1
    a, b = np.bincount(kinds, weights=weights, minlength=size) / weights.sum(), np.bincount(others, minlength=size)
    pooled = (a * first + b) / (first + len(others))
    some = pooled * min(first, len(others)) >= 5
    terms = (a - b / len(others))[some] ** 2 / (pooled[some] * (1 / first + 1 / len(others)))
    degrees = max(int(some.sum()) - 1, 1)
    return ((terms.sum() / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / np.sqrt(2 / (9 * degrees))


def holding_mine(count, seed, mine=MINE, seat=2):
    """Random deals in which ``seat`` holds ``mine``, without any of the sampler's code."""
    others = np.flatnonzero(~parse_hand(mine))
    seats = np.repeat([s for s in range(4) if s != seat], 13)
    owner = np.full((count, 52), seat, np.uint8)
    owner[:, others] = np.random.default_rng(seed).permuted(np.tile(seats, (count, 1)), axis=1)
    return owner


def kinds_of(owner, seat):
    """Three ways to sort the hands of a seat: by points, by lengths of the majors, by its spades' honours."""
    f = hand_features(owner == seat)
    majors = f[:, FEATURES["length:H"]] * 14 + f[:, FEATURES["length:S"]]
    return f[:, FEATURES["hcp"]], majors, f[:, FEATURES["top5:H"]] * 6 + f[:, FEATURES["aces"]]
