"""A hierarchy of case bases for openings: by shape, suits and strength, merged where there are few cases.

A hand's node is the finest with enough cases: its shape (one of 39), its longest suit and its strength; without the
suit; the kind of shape and strength; strength alone. A node's cases are a base of their own, in which only its hands
are looked up. Thin nodes can be filled with constrained deals that a given system opens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from agents.cases.base import CaseBase
from agents.cases.bidder import CaseBidder
from agents.cases.similarity import majority
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.features import FEATURES, hand_features
from bridge_env.sampling import Places, Ranges, hand, sample_deals
from bridge_env.view import view_of
from training.cases.fit import described
from training.cases.states import States, joined

BANDS = ((0, 7), (8, 11), (12, 14), (15, 17), (18, 37))
KINDS = ("balanced", "one suit", "two suits", "three suits")
ENOUGH = 100  # cases that make a node
LEVELS = ("shape, suit, strength", "shape, strength", "kind of shape, strength", "strength")
_BANDS = [most for _, most in BANDS]
#: The 39 shapes, longest suit first.
SHAPES = [
    (a, b, c, 13 - a - b - c) for a in range(13, 3, -1) for b in range(min(a, 13 - a), -1, -1)
    for c in range(min(b, 13 - a - b), -1, -1) if 13 - a - b - c <= c
]  # fmt: skip


@dataclass(frozen=True)
class Node:
    """A node of the hierarchy and what it knows.

    Attributes:
        level: 0 the finest, an index of ``LEVELS``.
        name: in words.
        cases, filled: recorded cases, and those of constrained deals.
        asked, right_whole, right_own, right_filled: held-out openings of the node, how many of them the whole base
            calls as recorded, the node's own cases, and these with those of constrained deals.
    """

    level: int
    name: str
    cases: int
    filled: int
    asked: int
    right_whole: int
    right_own: int
    right_filled: int


def keys(hands: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The nodes that hands bool (N, 52) can belong to, finest first: int64 (N, 4), comparable within a column."""
    f = hand_features(hands)
    lengths = f[:, FEATURES["length:C"] : FEATURES["length:C"] + 4].astype(np.int64)
    ordered = np.sort(lengths, axis=1)[:, ::-1]
    band = np.searchsorted(_BANDS, f[:, FEATURES["hcp"]])
    shape = ordered @ np.array([14**3, 14**2, 14, 1])
    suit = 3 - lengths[:, ::-1].argmax(axis=1)  # of several longest the highest
    kind = np.where(ordered[:, 2] >= 4, 3, np.where(ordered[:, 1] >= 4, 2, 1))
    kind = np.where(f[:, FEATURES["balanced"]] == 1, 0, kind)
    return np.stack([(shape * 5 + band) * 4 + suit, shape * 5 + band, kind * 5 + band, band], axis=1)


def nodes_of(
    known: NDArray[np.bool_], asked: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return which node known hands (N, 52) and asked ones (M, 52) belong to; and the level of each node.

    Cases of a node that is too thin go on to the next level; at the last, all that is left is one node a strength.
    A hand of which no node has cases is of node -1.
    """
    of_known, of_asked = keys(known), keys(asked)
    node_known, node_asked = np.full(len(known), -1, np.int64), np.full(len(asked), -1, np.int64)
    levels: list[int] = []
    for level in range(len(LEVELS)):
        distinct, count = np.unique(of_known[node_known < 0, level], return_counts=True)
        enough = distinct if level == len(LEVELS) - 1 else distinct[count >= ENOUGH]
        for which, column in ((node_known, of_known[:, level]), (node_asked, of_asked[:, level])):
            there = (which < 0) & np.isin(column, enough)
            which[there] = len(levels) + np.searchsorted(enough, column[there])
        levels += [level] * len(enough)
    return node_known, node_asked, np.array(levels)


def name_of(level: int, hands: NDArray[np.bool_]) -> str:
    """Return what the hands (N, 52) of a node have in common."""
    key = int(keys(hands[:1])[0, level])
    if level == 3:
        return _points(key) + " (merged)"
    if level == 2:
        return f"{KINDS[key // 5]}, {_points(key % 5)} (merged)"
    suit, rest = (", longest " + "CDHS"[key % 4], key // 4) if level == 0 else ("", key)
    shape = "-".join(str(rest // 5 // 14**p % 14) for p in (3, 2, 1, 0))
    return f"{shape}{suit}, {_points(rest % 5)}"


def _points(band: int) -> str:
    low, high = BANDS[band]
    return f"{low}+ points" if high == 37 else f"{low}-{high} points"


# --- thin nodes are filled ---------------------------------------------------------------------------------


def ranges_of(lengths: Sequence[int], points: tuple[int, int]) -> Ranges:
    """Hands of a shape, in any suits, with so many points."""
    out: Ranges | None = None
    for c, d, h, s in sorted(set(permutations(lengths))):
        one = hand(hcp=points, C=c, D=d, H=h, S=s)
        out = one if out is None else out | one
    assert out is not None
    return out


def openings_of(system: str, lengths: Sequence[int], points: tuple[int, int], count: int, seed: int) -> States:
    """The dealer's calls of a system on constrained deals, as recorded states; nobody is vulnerable.

    Raises:
        ValueError: the system's spec is faulty.
    """
    sample = sample_deals(
        Places.seen({}), {"N": ranges_of(lengths, points)}, count, streams.key("fill", seed, *lengths, *points)
    )
    deals = np.arange(len(sample))[sample.violation == 0]
    owner, nobody = sample.owner[deals], np.zeros(len(deals), np.int16)
    view = view_of(Auctions(nobody, nobody), owner)
    called = make(system, partner=system).bid(view, streams.key("fill", seed, np.arange(len(deals))))
    result = np.tile(np.array([-2, 0, 0, -1], np.int16), (len(deals), 1))
    return States(view, called.astype(np.int8), np.arange(len(deals)), owner, result, np.zeros(len(deals), bool), ())


def constrained(openings: NDArray[np.bool_], system: str, seed: int) -> list[States]:
    """Openings on constrained deals, for every shape and strength that fewer than enough hands (N, 52) have."""
    band = keys(openings)[:, 3]
    shapes = np.sort(openings.reshape(-1, 4, 13).sum(axis=2), axis=1)[:, ::-1]
    lacking = ((lengths, n, ENOUGH - int(((shapes == lengths).all(axis=1) & (band == n)).sum()))
               for lengths in SHAPES for n in range(len(BANDS)))  # fmt: skip
    return [openings_of(system, lengths, BANDS[n], count, seed) for lengths, n, count in lacking if count > 0]


# --- the table ------------------------------------------------------------------------------------------------


def report(base: CaseBase, held_out: States, system: str | None, seed: int = 1) -> list[Node]:
    """Every node with its cases and what they get right; merged ones also with constrained deals of ``system``."""
    cases = np.flatnonzero(~base.opened)
    asked = held_out.take(~held_out.opened)
    place, _ = CaseBidder(base).described(asked.view)
    whole = majority(base.calls(base.nearest(place, asked.opened, base.k)[0])) == asked.called
    hands = base.hands(cases)
    known, wanted, levels = nodes_of(hands, asked.view.hand)
    more = joined(constrained(hands, system, seed)) if system is not None else None
    if more is not None:
        points = base.places(described(more, base.reader).astype(np.int16), more.opened)
        _, filling, _ = nodes_of(hands, more.view.hand)
    out = []
    for node, level in enumerate(levels):
        own, rows = cases[known == node], np.flatnonzero(wanted == node)
        if not rows.size:
            continue
        said, there = asked.called[rows], place[rows]
        right = _right(base, base.point[own], base.called[own], there, said)
        filled, right_filled = 0, right
        if more is not None:
            new = np.flatnonzero(filling == node)
            filled = len(new)
            both = np.concatenate([base.point[own], points[new]]), np.concatenate([base.called[own], more.called[new]])
            right_filled = _right(base, *both, there, said) if filled else right
        name = name_of(int(level), hands[known == node])
        out.append(Node(int(level), name, len(own), filled, len(rows), int(whole[rows].sum()), right, right_filled))
    return out


def _right(
    base: CaseBase, points: NDArray[np.int16], calls: NDArray[np.int8], place: NDArray[np.int16], said: NDArray[np.int8]
) -> int:
    """Return how many of the calls ``said`` the nearest of some cases make."""
    found, _ = base.index(points, np.arange(len(points))).nearest(place, min(base.k, len(points)))
    return int((majority(np.where(found >= 0, calls[found], -1).astype(np.int8)) == said).sum())
