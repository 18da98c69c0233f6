"""The solver of our own against DDS, and what it promises beside the right tricks."""

from __future__ import annotations

import os
import pickle
import threading
import time

import numpy as np
import pytest
from support.dds import dds_cards, dds_tables
from support.dds_deals import SLIDES_DEAL, SLIDES_TABLE, dds_list

from bridge_env.double_dummy import ExactDoubleDummy, builtin_library
from bridge_env.double_dummy.positions import ALL_BEST, ALL_CARDS, NOT_LEGAL, ONE_BEST, card_tricks
from bridge_env.double_dummy.solver.solve import WorkspacePool, hand_bits, solve_deals
from bridge_env.double_dummy.solver.state import STOP, Workspace
from bridge_env.hands.deals import parse_deal

TABLES = int(os.environ.get("BRIDGE_ENV_SOLVER_TABLES", "20"))
"""Whole tables of the slow tests; a fifth as many hard ones, and 40 times as many endings. 20,000 take two hours."""


@pytest.fixture(scope="module")
def own() -> ExactDoubleDummy:
    return ExactDoubleDummy()


def hard_deals(count: int, seed: int) -> np.ndarray:
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


def endings(count: int, left: int, seed: int) -> tuple[np.ndarray, ...]:
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


def both(position, wanted):
    """The values of cards by our solver, and by DDS."""
    return card_tricks(*position, wanted=wanted), dds_cards(*position, wanted)


def test_tables_of_the_dds_project(own):
    deals, tables = dds_list()
    np.testing.assert_array_equal(own.tricks(deals[:6]), tables[:6])


def test_the_sample_deal_of_the_2009_slides(own):
    np.testing.assert_array_equal(own.tricks(parse_deal(SLIDES_DEAL)), [SLIDES_TABLE])


def test_contracts_of_solved_deals(own):
    rows, declarer, strain = np.arange(40), np.arange(40) % 4, np.arange(40) % 5
    owner, tricks = builtin_library().owners(rows), builtin_library().tricks_at(rows)
    np.testing.assert_array_equal(own.tricks_for(owner, declarer, strain), tricks[rows, declarer, strain])


def test_hard_tables(own):
    deals = hard_deals(6, seed=2)
    np.testing.assert_array_equal(own.tricks(deals), dds_tables(deals))


def test_a_suit_in_every_hand(own):
    """Who has trumps takes all; at no trump the leader does."""
    table = own.tricks(np.repeat(np.arange(4), 13)[None])[0]
    for declarer in range(4):
        for strain in range(4):
            assert table[declarer, strain] == (13 if (strain ^ declarer) & 1 == 0 else 0)
        assert table[declarer, 4] == 0


@pytest.mark.parametrize("left", range(1, 11))
def test_cards_of_endings(left):
    position = endings(120 if left < 8 else 25, left, seed=left)
    ours, theirs = both(position, ALL_CARDS)
    np.testing.assert_array_equal(ours, theirs)
    best, theirs = both(position, ALL_BEST)
    np.testing.assert_array_equal(best, theirs)
    one, theirs = both(position, ONE_BEST)
    np.testing.assert_array_equal(one.max(axis=1), theirs.max(axis=1))
    assert ((one == NOT_LEGAL) | (one == best)).all()


@pytest.mark.slow
@pytest.mark.parametrize("left", range(2, 12))
def test_many_endings(left):
    ours, theirs = both(endings(4 * TABLES, left, seed=100 + left), ALL_CARDS)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
def test_many_hard_tables(own):
    deals = hard_deals(TABLES // 5, seed=7)
    np.testing.assert_array_equal(own.tricks(deals), dds_tables(deals))


@pytest.mark.slow
def test_many_tables(own):
    deals, tables = (part[: TABLES // 4] for part in dds_list())
    np.testing.assert_array_equal(own.tricks(deals), tables)
    for start in range(0, TABLES, 50):
        rows = np.arange(start, min(start + 50, TABLES))
        np.testing.assert_array_equal(own.tricks(builtin_library().owners(rows)), builtin_library().tricks_at(rows))
        print(f"{rows[-1] + 1} tables are right", flush=True)


def test_what_was_solved_before_and_on_how_many_threads_changes_nothing():
    position = endings(60, 7, seed=4)
    apart = [card_tricks(*(part[row : row + 1] for part in position), threads=1)[0] for row in range(60)]
    for threads in (1, 3):
        np.testing.assert_array_equal(card_tricks(*position, threads=threads), apart)


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
    began, crew = time.monotonic(), WorkspacePool(2)
    with pytest.raises(KeyboardInterrupt):
        crew.share(2, work)
    assert time.monotonic() - began < 20  # 400 hard deals take minutes
    assert all(n < 400 for n in done)
    whole = threading.Event()
    crew.share(1, lambda workspace, part: whole.set() or int(workspace.state[STOP]))  # the next call begins afresh
    assert whole.is_set()


def test_it_pickles_as_its_settings():
    copy = pickle.loads(pickle.dumps(ExactDoubleDummy(threads=2)))
    assert (type(copy), copy.threads) == (ExactDoubleDummy, 2)


@pytest.mark.parametrize(
    ("change", "told"),
    [({"strain": 5}, "a strain is 0..4"), ({"leader": -1}, "a leader"), ({"trick": [7, 7, -1]}, "position 0")],
)
def test_what_is_no_position_is_refused(change, told):
    left, strain, leader, _ = endings(1, 4, seed=1)
    asked = {"strain": strain, "leader": leader, "trick": [-1, -1, -1]} | change
    with pytest.raises(ValueError, match=told):
        card_tricks(left, **asked)
