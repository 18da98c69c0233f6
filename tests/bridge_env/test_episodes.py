"""Episodes drawn ahead: nothing changes but the time it takes."""

import numpy as np
from support.envs import Unsolved

from bridge_env.envs.config import EnvConfig
from bridge_env.envs.episodes import EpisodeBuffer, draw_episodes, episode_key, seed_base
from bridge_env.envs.table import Tables
from bridge_env.envs.vector import BiddingVectorEnv


def test_the_buffer_has_the_episodes_that_would_be_drawn():
    config = EnvConfig.of(learner="NS", opponents="random", control="random")
    buffer, tables = EpisodeBuffer(config, 20), Tables(20, config.table, config)
    rng, state = np.random.default_rng(0), tables.state
    state.base[:] = seed_base(np.arange(20))
    for turn in range(700):  # more than are drawn at once
        rows = np.flatnonzero(rng.random(20) < 0.4)
        if turn == 30:
            state.base[:7], state.number[:7] = seed_base(np.arange(100, 107)), 0  # seeded anew
        base, number = state.base[rows], state.number[rows]
        block, at = buffer.deal(tables, rows)
        np.testing.assert_array_equal(state.number[rows], number + 1)
        if turn % 10 == 0:
            expected = draw_episodes(config, episode_key(base, number), number)
            for drawn in (state.key[rows], block.key[at]):
                np.testing.assert_array_equal(drawn, expected.key)
            np.testing.assert_array_equal(state.reference[rows], expected.reference)
            np.testing.assert_array_equal(state.owner[rows], expected.boards.owner)
            np.testing.assert_array_equal(tables.auctions.dealer[rows], expected.boards.dealer)
            np.testing.assert_array_equal(block.control.bid[at], expected.control.bid)


def test_boards_of_slow_bidders_and_unsolved_ones_are_drawn_when_they_are_played():
    class Slow:
        slow = True

        def bid(self, view, key):
            boards.append(len(view))
            return np.zeros(len(view), np.int8)

    boards = []
    BiddingVectorEnv(3, learner="NS", opponents="pass", control=Slow()).reset(seed=1)
    assert max(boards) <= 3
    deals = Unsolved()
    BiddingVectorEnv(3, learner="all", deals=deals).reset(seed=1)
    assert deals.asked == [3 * 20]


def test_only_the_contracts_reached_are_solved():
    deals = Unsolved()
    env = BiddingVectorEnv(4, learner="all", reward="points", deals=deals, dealer="N", autoreset_mode="SameStep")
    env.reset(seed=1)
    for calls in ([3, 4, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]):
        env.step(np.array(calls))
        assert deals.asked == []
    reward = env.step(np.zeros(4, int))[1]
    assert deals.asked == [2]
    assert (reward != 0).tolist() == [True, True, False, False]
