"""The published leaf, and the tree that follows lines to it, beside a slow one."""

from __future__ import annotations

import numpy as np
import pytest
from reference import paired_tree as slow
from test_cardplay import cards
from test_play import random_plays

from agents.cardplay.paired_tree import Standing, Tree
from agents.cardplay.top_tricks import published_leaf

NT, SPADES, HEARTS = 4, 3, 2


def position(*hands: str) -> np.ndarray:
    left = np.full(52, 255, np.uint8)
    for seat, hand in enumerate(hands):
        left[cards(hand)] = seat
    return left


@pytest.mark.parametrize(
    ("hands", "strain", "tricks"),
    [
        (("SA SK S2", "SQ SJ ST", "S3 H2 H3", "S4 S5 HA"), NT, 2),  # tops only
        (("SA SK S2", "SQ SJ H4", "S3 H2 H3", "S4 S5 H5"), NT, 3),  # the two is good once the others are out
        (("SA S2", "S3 S4", "SK HA", "S5 S6"), NT, 2),  # the king falls on another card than the ace: two rounds
        (("SA SK", "H3 H4", "SQ SJ", "H5 H6"), NT, 2),  # never more than the longer holding
        (("SA H2", "H3 H4", "SK HA", "H5 H6"), NT, 2),  # and never more than are left
        (("S3 S2", "SA SK", "S5 S4", "S7 S6"), NT, 0),
        (("HA HK HQ", "H2 S2 D2", "C2 C3 C4", "H3 H4 H5"), SPADES, 1),  # E ruffs the second round
        (("HA HK SA", "H2 S2 D2", "C2 C3 C4", "H3 H4 H5"), SPADES, 3),  # not once his trump is drawn
        (("HA HK SA", "H2 S2 S3", "C2 C3 C4", "H3 H4 H5"), SPADES, 2),
        (("HA HK HQ", "C5 C6 D2", "C2 C3 C4", "H3 H4 H5"), SPADES, 3),
    ],
)
def test_top_tricks(hands, strain, tricks):
    left = position(*hands)
    count = len(hands[0].split())
    won, lost = 13 - count - 1, 1
    assert published_leaf(left, 0, strain, 0, won, lost, 1) == won + tricks
    deal = tuple(frozenset(cards(hand)) for hand in hands)
    assert slow.top_tricks(deal, 0, strain) == tricks


def test_a_side_that_has_failed_gets_nothing():
    left = position("SA S2", "S3 S4", "SK HA", "S5 S6")  # N-S cash two
    assert published_leaf(left, 0, NT, 0, 7, 4, 9) == 9
    assert published_leaf(left, 0, NT, 0, 6, 5, 9) == 0  # five lost: nine cannot be made
    assert published_leaf(left, 0, NT, 1, 4, 7, 5) == 0  # the defenders: N-S cash to nine
    assert published_leaf(left, 0, NT, 1, 5, 6, 5) == 5  # they have theirs: no more at once
    assert published_leaf(left, 1, NT, 0, 7, 4, 9) == 7  # E leads and cashes nothing: the contract can be made


def endings(count: int, seed: int, left: range):
    """Random positions with ``left`` cards in the fullest hand, any number in the trick, and d' dealt in three ways."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        length = 52 - 4 * int(rng.integers(left.start, left.stop)) + int(rng.integers(4))
        plays, _ = random_plays(1, int(rng.integers(1 << 30)), length)
        real, side = plays.left[0], int(rng.integers(2))
        hidden = [(side, side + 2), (side, 3 - side), (0, 1, 2, 3)][number % 3]
        imagined = np.tile(real, (1 + number % 2, 1))
        for row in imagined[int(number % 4 == 0) :]:  # the truth first, now and then
            at = np.flatnonzero(np.isin(real, hidden))
            row[at] = rng.permutation(row[at])
        won = int(rng.integers(length // 4 + 1))
        standing = Standing(int(plays.leader[0]), tuple(plays.cards(0)[length & ~3 :]), side, won, length // 4 - won)
        yield real, imagined, standing, int(plays.strain[0]), int(rng.integers(1, 14))


def slow_position(left: np.ndarray, at: Standing) -> slow.Position:
    deal = tuple(frozenset(np.flatnonzero(left == seat).tolist()) for seat in range(4))
    return deal, at.leader, tuple(int(c) for c in at.trick), at.won, at.lost


@pytest.mark.parametrize(("count", "left"), [(400, range(2, 4)), (80, range(4, 5)), (8, range(5, 6))])
def test_the_tree_is_the_rule(count, left):
    for number, (real, imagined, at, strain, goal) in enumerate(endings(count, len(left) + count, left)):
        depth, longest = 1 + number % 3, number % 4
        tree = Tree(strain, 14 - goal)
        rule = slow.Rule(strain, at.side, goal, at.won + at.lost + depth, longest)
        slow.real.cache_clear()
        slow.imaginary.cache_clear()
        wanted = slow.mean(slow_position(real, at), [slow_position(row, at) for row in imagined], rule)
        assert tree.mean(real, imagined, at, depth, longest) == pytest.approx(wanted)
        assert not tree.spent
