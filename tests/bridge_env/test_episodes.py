"""Episodes drawn ahead, and boards solved ahead: nothing changes but the time it takes."""

import time

import numpy as np
from support.envs import Unsolved

from bridge_env.envs.episodes import EpisodeStock, draw_episodes, episode_key, seed_base
from bridge_env.envs.vector import BiddingVectorEnv


def test_what_is_drawn_ahead_is_what_would_be_drawn():
    env = BiddingVectorEnv(20, learner="NS", opponents="random", control="random")
    setup = env._setup
    stock = EpisodeStock(setup, 20)
    rng = np.random.default_rng(0)
    base, number = seed_base(np.arange(20)), np.zeros(20, np.int64)
    for turn in range(60):
        rows = np.flatnonzero(rng.random(20) < 0.4)
        if turn == 30:
            base[:7], number[:7] = seed_base(np.arange(100, 107)), 0  # seeded anew
        block, at = stock.take(rows, base[rows], number[rows])
        told = draw_episodes(setup, episode_key(base[rows], number[rows]), number[rows])
        np.testing.assert_array_equal(block.key[at], told.key)
        np.testing.assert_array_equal(block.reference[at], told.reference)
        np.testing.assert_array_equal(block.boards.owner[at], told.boards.owner)
        np.testing.assert_array_equal(block.boards.dealer[at], told.boards.dealer)
        np.testing.assert_array_equal(block.control.bid[at], told.control.bid)
        number[rows] += 1


def test_the_next_boards_are_solved_in_a_thread_where_par_is_asked():
    deals = Unsolved()
    env = BiddingVectorEnv(20, learner="all", deals=deals)
    env.reset(seed=1)
    for _ in range(200):
        if any(not main for main, _ in deals.asked):
            break
        time.sleep(0.01)
    assert deals.asked[0] == (True, 20 * 20)
    assert {count for main, count in deals.asked if not main} <= {20 * 8, 20 * 4}
    env.close()


def test_only_the_contracts_reached_are_solved_otherwise():
    deals = Unsolved()
    env = BiddingVectorEnv(4, learner="all", reward="points", deals=deals, dealer="N", autoreset_mode="SameStep")
    env.reset(seed=1)
    for calls in ([3, 4, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]):
        env.step(np.array(calls))
        assert deals.asked == []
    reward = env.step(np.zeros(4, int))[1]
    assert deals.asked == [(True, 2)]
    assert (reward != 0).tolist() == [True, True, False, False]
