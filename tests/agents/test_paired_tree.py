"""The published leaf, and the tree that follows lines to it, beside a slow one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reference import paired_tree as slow
from support.cardplay import cards, keys
from support.clock import set_clock
from support.plays import contracts_of, random_plays

from agents.cardplay import montecarlo
from agents.cardplay.deception import deceptive, lookahead
from agents.cardplay.deception.bits import Standing
from agents.cardplay.deception.deceptive import Deceptive, DeceptiveOptions, deception_text
from agents.cardplay.deception.lookahead import Size
from agents.cardplay.deception.paired import Line, Solver, real_values
from agents.cardplay.deception.paired_tree import Tree
from agents.cardplay.deception.top_tricks import published_leaf
from agents.cardplay.options import parse_options
from agents.cardplay.registry import make_player
from bridge_env.bidders import SpecError
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.play_view import play_view

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


@pytest.mark.parametrize(("count", "left"), [(300, range(2, 4)), (40, range(4, 5)), (10, range(5, 6))])
def test_the_tree_is_the_rule(count, left):
    for number, (real, imagined, at, strain, goal) in enumerate(endings(count, len(left) + count, left)):
        depth, longest = 1 + number % 3, number % 4
        tree = Tree(strain, 14 - goal)
        rule = slow.Rule(strain, at.side, goal, at.won + at.lost + depth, longest)
        slow.real.cache_clear()
        slow.imaginary.cache_clear()
        position, beliefs = slow_position(real, at), [slow_position(row, at) for row in imagined]
        assert tree.mean(real, imagined, at, depth, longest) == pytest.approx(slow.mean(position, beliefs, rule))
        weight = [3.0, 1.0][: len(imagined)]
        found = tree.mean(real, imagined, at, depth, longest, np.array(weight))
        assert found == pytest.approx(slow.mean(position, beliefs, rule, weight))
        assert not tree.spent


def test_one_opponent_has_one_answer_whether_the_search_solves_or_looks():
    """To the end, the tree and the lines that are solved choose alike for all that he imagines, by weight."""
    weight, compared, joint = np.array([3.0, 1.0]), 0, 0
    for seed in range(400):
        plays, _ = random_plays(1, seed, 52 - 4 * (2 + seed % 2))
        real, strain, turn = plays.left[0], int(plays.strain[0]), int(plays.turn[0])
        at = Standing(turn, (), turn & 1, 5, 6 - seed % 2)  # my side leads; he answers
        imagined = np.tile(real, (2, 1))
        mine, rng = np.flatnonzero((real == turn) | (real == turn ^ 2)), np.random.default_rng(seed)
        for row in imagined:  # what my side holds, dealt in two other ways
            row[mine] = rng.permutation(row[mine])
        roots = [Line(real, row, turn, ()) for row in imagined]
        left = int((real == turn).sum())
        apart, together = (
            weight @ real_values(roots, groups, turn & 1, Solver(strain, 1), left, 10**6, 0, weight) / 4
            for groups in ([0, 1], [0, 0])
        )
        assert Tree(strain, 14).mean(real, imagined, at, left, 0, weight) == pytest.approx(at.won + together)
        compared += 1
        joint += abs(apart - together) > 1e-9
    assert compared == 400
    assert joint > 0  # one answer for all is another than the best for each


def test_to_the_end_it_is_double_dummy_and_a_belief_never_costs_my_side():
    """Where nothing is fatal: believed truth gives what DDS says, another belief no less."""
    more = 0
    for real, imagined, at, strain, _ in endings(40, 3, range(2, 5)):
        trick = np.array([*at.trick, -1, -1, -1][:3], np.int8)
        best = int(card_tricks(real, strain, at.leader, trick, threads=1).max())
        turn = (at.leader + len(at.trick)) & 3
        left = int((real == turn).sum())
        mine = best if (turn ^ at.side) & 1 == 0 else left - best
        tree = Tree(strain, 14)
        assert tree.mean(real, real[None], at, left, 0) == at.won + mine
        believing = tree.mean(real, imagined, at, left, 0)
        assert believing >= at.won + mine
        more += believing > at.won + mine
        theirs = (real != 255) & ((real ^ at.side) & 1 == 1)
        if (imagined[0] == real)[theirs].all():  # else they may hold nothing that can be played in both deals
            line = Line(real, imagined[0], at.leader, at.trick)
            (exact,) = real_values([line], [0], at.side, Solver(strain, 1), left, 10**6)
            assert tree.mean(real, imagined[:1], at, left, 0) == at.won + exact
    assert more > 1


def test_a_budget_of_positions_ends_the_search():
    real, imagined, at, strain, goal = next(endings(1, 5, range(6, 7)))
    tree = Tree(strain, 14 - goal)
    tree.limit(3)
    tree.mean(real, imagined, at, 3, 3)
    assert tree.spent
    assert tree.nodes < 100  # one look at each answer that is left, at once over


@pytest.mark.parametrize("length", [32, 37])
def test_the_player_with_the_published_leaf(length):
    plays, _ = random_plays(2, length, length)
    view = play_view(plays, contracts_of(plays), 0)
    options = DeceptiveOptions(deals=5, real=3, imagined=2, depth=3, when="always", leaf="published")
    player = Deceptive(options=options, threads=1)
    few = Deceptive(options=replace(options, nodes=1), threads=1)
    for row, (found, cut) in enumerate(zip(player.think(view, keys(2)), few.think(view, keys(2)), strict=True)):
        at = np.array([row])
        assert player.play(view.take(at), keys(2)[at]).tolist() == [found.card]
        assert view.mask[row, cut.card]
        if len(found.cards):
            assert (found.average >= found.double_dummy - 1e-9).all()
            assert (found.size, found.short) == (Size(3, 2, 3, 3), False)
            assert (cut.size, cut.short) == (Size(3, 2, 1, 1), True)
            assert "depth 1+1, less than asked for" in deception_text(cut, view, row, "imps")
            assert "0 where the goal is lost" in deception_text(found, view, row, "imps")


@pytest.mark.parametrize("leaf", ["exact", "published"])
def test_seconds_are_kept_and_depth_one_always_is_done(monkeypatch, leaf):
    plays, _ = random_plays(1, 5, 33)
    view = play_view(plays, contracts_of(plays), 0)
    sizes = []
    for step in (1.0, 1e-3):  # the budget is spent at once, or only after many a look
        player = make_player(f"deceptive?seconds=0.6&when=always&leaf={leaf}")
        set_clock(monkeypatch, step, montecarlo, deceptive, lookahead)
        sizes.append(player.think(view, keys(1))[0].size)
    hasty, patient = sizes
    assert hasty.depth == 1
    assert (patient.depth, patient.real) > (hasty.depth, hasty.real)


def test_specs():
    player = make_player("deceptive?leaf=published&depth=3")
    assert (player.options.leaf, player.options.depth) == ("published", 3)
    assert parse_options(str(player.options), "spec", DeceptiveOptions()) == player.options
    with pytest.raises(SpecError, match="leaf must be exact or published"):
        make_player("deceptive?leaf=other")
