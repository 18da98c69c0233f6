"""The solver against DDS, the cache of exact tricks, threads, the library before the solver."""

import multiprocessing
import os
import time

import numpy as np
import pytest
from reference.dds import dds_cards, dds_tables
from reference.symmetries import permute_suits, permute_tricks, rotate_tricks
from support.boards import dds_list

from bridge_env.double_dummy import ExactDoubleDummy, builtin_library
from bridge_env.double_dummy import exact as exact_module
from bridge_env.double_dummy.positions import ALL_BEST, NOT_LEGAL, ONE_BEST, card_tricks
from bridge_env.double_dummy.solver.solve import WorkspacePool, hand_bits, solve_deals
from bridge_env.double_dummy.solver.state import STOP, Workspace
from bridge_env.hands.deals import random_deals, rotate_deals
from bridge_env.rules import cards

TABLES = int(os.environ.get("BRIDGE_ENV_SOLVER_TABLES", "20"))
"""Whole tables of the slow tests; a fifth as many hard ones, and 40 times as many endings. 20,000 take two hours."""


@pytest.fixture(scope="module")
def solver():
    return ExactDoubleDummy()


def hard_deals(count, seed):
    """Long suits and voids: cards are dealt in runs of a suit, three to eight at a time."""
    rng = np.random.default_rng(seed)
    deals = []
    while len(deals) < count:
        owner, room, at = np.full(52, 255, np.uint8), [13] * 4, 0
        while at < 52:
            run = min(int(rng.integers(3, 9)), 13 - at % 13)
            seat = int(rng.choice([p for p in range(4) if room[p]]))
            run = min(run, room[seat])
            owner[at : at + run] = seat
            room[seat] -= run
            at += run
        turn = np.concatenate([13 * suit + rng.permutation(13) for suit in range(4)])
        deals.append(owner[turn])
    return np.stack(deals)


def endings(count, left, seed):
    """Positions of so many cards a hand, of which the present trick has up to three: left, strain, leader, trick."""
    rng = np.random.default_rng(seed)
    owner, trick = np.full((count, 52), 255, np.uint8), np.full((count, 3), -1, np.int8)
    strain, leader = rng.integers(5, size=count), rng.integers(4, size=count)
    for row in range(count):
        owner[row, rng.permutation(52)[: 4 * left]] = np.repeat(np.arange(4), left)
        for k in range(int(rng.integers(4))):
            mine = np.flatnonzero(owner[row] == (leader[row] + k) & 3)
            follows = mine[mine // 13 == trick[row, 0] // 13]
            trick[row, k] = rng.choice(follows if k and len(follows) else mine)
            owner[row, trick[row, k]] = 255
    return owner, strain, leader, trick


def test_tables_of_the_dds_project(solver):
    deals, tables = dds_list()
    np.testing.assert_array_equal(solver.tricks(deals[:6]), tables[:6])


def test_contracts_of_solved_deals(solver):
    rows, declarer, strain = np.arange(20), np.arange(20) % 4, np.arange(20) % 5
    owner, tricks = builtin_library().owners(rows), builtin_library().tricks_at(rows)
    np.testing.assert_array_equal(solver.tricks_for(owner, declarer, strain), tricks[rows, declarer, strain])


def test_hard_tables(solver):
    deals = hard_deals(4, seed=2)
    np.testing.assert_array_equal(solver.tricks(deals), dds_tables(deals))


def test_a_suit_in_every_hand(solver):
    """The side with the trumps takes all; at no trump the leader does."""
    table = solver.tricks(np.repeat(np.arange(4), 13)[None])[0]
    for declarer in range(4):
        for strain in range(4):
            assert table[declarer, strain] == (13 if (strain ^ declarer) & 1 == 0 else 0)
        assert table[declarer, 4] == 0


@pytest.mark.parametrize("left", range(1, 11))
def test_cards_of_endings(left):
    position = endings(80 if left < 8 else 15, left, seed=left)
    np.testing.assert_array_equal(card_tricks(*position), dds_cards(*position))
    best, one = (card_tricks(*position, wanted=wanted) for wanted in (ALL_BEST, ONE_BEST))
    np.testing.assert_array_equal(best, dds_cards(*position, ALL_BEST))
    theirs = dds_cards(*position, ONE_BEST)
    np.testing.assert_array_equal(one.max(axis=1), theirs.max(axis=1))
    assert ((one == NOT_LEGAL) | (one == best)).all()


@pytest.mark.weekly
@pytest.mark.slow
@pytest.mark.parametrize("left", range(2, 12))
def test_many_endings(left):
    position = endings(4 * TABLES, left, seed=100 + left)
    np.testing.assert_array_equal(card_tricks(*position), dds_cards(*position))


@pytest.mark.weekly
@pytest.mark.slow
def test_many_tables(solver):
    deals, tables = (part[: TABLES // 4] for part in dds_list())
    np.testing.assert_array_equal(solver.tricks(deals), tables)
    for start in range(0, TABLES, 50):
        rows = np.arange(start, min(start + 50, TABLES))
        np.testing.assert_array_equal(solver.tricks(builtin_library().owners(rows)), builtin_library().tricks_at(rows))
        print(f"{rows[-1] + 1} tables are right", flush=True)


def test_earlier_positions_and_threads_change_nothing():
    position = endings(60, 7, seed=4)
    single = [card_tricks(*(part[row : row + 1] for part in position), threads=1)[0] for row in range(60)]
    for threads in (1, 3):
        np.testing.assert_array_equal(card_tricks(*position, threads=threads), single)


@pytest.mark.parametrize(("shapes", "entries"), [(1 << 16, 200), (1 << 6, 1 << 20), (1 << 5, 64)])
def test_a_full_table_of_positions_is_begun_anew(shapes, entries):
    owner, _, _, _ = endings(20, 6, seed=6)
    owner = owner[(owner != 255).sum(axis=1) == 24]
    hands, wanted = hand_bits(owner), np.ones((len(owner), 4, 5), bool)
    found, usual = np.zeros((2, len(owner), 4, 5), np.int8)
    assert solve_deals(Workspace(shapes, entries).arrays, hands, wanted, found) == len(owner) > 3
    solve_deals(Workspace().arrays, hands, wanted, usual)
    np.testing.assert_array_equal(found, usual)


def test_an_error_in_one_thread_stops_the_others():
    deals = hand_bits(hard_deals(400, seed=5))
    found, done = np.zeros((len(deals), 4, 5), np.int8), []

    def work(workspace, part):
        if part.start == 0:
            time.sleep(0.3)
            raise KeyboardInterrupt
        done.append(solve_deals(workspace.arrays, deals, np.ones((400, 4, 5), bool), found))
        return 0

    solve_deals(Workspace().arrays, deals[:1], np.zeros((1, 4, 5), bool), found[:1])  # compiled
    began, pool = time.monotonic(), WorkspacePool(2)
    with pytest.raises(KeyboardInterrupt):
        pool.share(2, work)
    assert time.monotonic() - began < 20  # 400 hard deals take minutes
    assert all(n < 400 for n in done)
    stops = []
    pool.share(1, lambda workspace, part: stops.append(int(workspace.state[STOP])) or 0)  # the next call begins afresh
    assert stops == [0]


@pytest.mark.parametrize(
    ("change", "message"),
    [({"strain": 5}, "a strain is 0..4"), ({"leader": -1}, "a leader"), ({"trick": [7, 7, -1]}, "position 0")],
)
def test_impossible_positions_are_refused(change, message):
    left, strain, leader, _ = endings(1, 4, seed=1)
    arguments = {"strain": strain, "leader": leader, "trick": [-1, -1, -1]} | change
    with pytest.raises(ValueError, match=message):
        card_tricks(left, **arguments)


def test_only_the_wanted_contracts_are_solved():
    deals, tables = dds_list()
    rows = np.array([0, 1, 2, 0, 3, 4, 0, 1])  # the first row again at the fourth and seventh
    declarer = np.array([0, 1, 2, 0, 3, 0, 2, 1])
    strain = np.array([3, 4, 0, 3, 1, 2, 3, 0])
    solver = ExactDoubleDummy()
    found = solver.tricks_for(deals[rows], declarer, strain)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, tables[rows, declarer, strain])


def test_other_deals_and_contracts_are_refused(solver):
    deal = random_deals(0, 0, 1)
    assert solver.tricks(deal[:0]).shape == (0, 4, 5)
    assert solver.tricks_for(deal[:0], [], []).shape == (0,)
    with pytest.raises(cards.DealError, match="not a deal"):
        solver.tricks(np.where(deal == 3, 255, deal))
    with pytest.raises(cards.DealError, match="shape"):
        solver.tricks_for(deal[:, :51], 0, 0)
    with pytest.raises(ValueError, match="declarer"):
        solver.tricks_for(deal, 4, 0)
    with pytest.raises(ValueError, match="strain"):
        solver.tricks_for(deal, 0, -1)
    with pytest.raises(ValueError):
        solver.tricks_for(deal, [0, 1], [0, 1])


def test_default_threads(monkeypatch):
    monkeypatch.delenv("BRIDGE_ENV_SOLVER_THREADS", raising=False)
    monkeypatch.delenv("RAY_RAYLET_PID", raising=False)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    assert exact_module.default_threads() >= 1
    monkeypatch.setattr(multiprocessing, "parent_process", object)
    assert exact_module.default_threads() == 1
    monkeypatch.setenv("BRIDGE_ENV_SOLVER_THREADS", "3")
    assert ExactDoubleDummy().threads == 3
    assert ExactDoubleDummy(threads=2).threads == 2
    monkeypatch.setenv("BRIDGE_ENV_SOLVER_THREADS", "many")
    with pytest.raises(ValueError, match="many"):
        exact_module.default_threads()
    with pytest.raises(ValueError, match="thread"):
        ExactDoubleDummy(threads=0)


def test_only_deals_that_the_library_lacks_are_solved(monkeypatch):
    library, solved = builtin_library(), []

    def sevens(deals, missing, tricks):
        solved.append(int(missing.sum()))
        tricks[missing] = 7

    source = ExactDoubleDummy(1, library=True)
    monkeypatch.setattr(source, "_solve", sevens)
    known = permute_suits(rotate_deals(library.owners([3, 9]), 1), (2, 0, 3, 1))
    deals = np.concatenate([known[:1], random_deals(7, 0, 2), known[1:]])
    tables = permute_tricks(rotate_tricks(library.tricks_at([3, 9]), 1), (2, 0, 3, 1))
    some = source.tricks_for(deals, [0, 1, 2, 3], [4, 3, 2, 1])
    np.testing.assert_array_equal(some, [tables[0, 0, 4], 7, 7, tables[1, 3, 1]])
    found = source.tricks(deals)
    np.testing.assert_array_equal(found[[0, 3]], tables)
    assert (found[1:3] == 7).all()
    assert solved == [2, 38]
