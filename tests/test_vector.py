"""The vector env: the single env table by table, whatever the autoreset, the number of tables and of threads."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from bridge_env import streams
from bridge_env.auction import IllegalCall
from bridge_env.bidders import RandomBidder
from bridge_env.calls import parse_call
from bridge_env.cards import random_deals
from bridge_env.double_dummy import is_judging
from bridge_env.envs.boards import boards_of
from bridge_env.envs.deals import FixedDeals
from bridge_env.envs.rounds import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv

ID = "bridge_env:bridge_env/Bidding-v0"
SEED = 40
MODES = list(AutoresetMode)


class Slow(RandomBidder):
    """Not compiled in, because it is not RandomBidder itself."""


def some_deals():
    owner = random_deals(3, 0, 11)
    tricks = np.arange(11 * 20).reshape(11, 4, 5) % 14
    return FixedDeals(boards_of(owner, tricks, np.arange(11) % 5 - 1, np.arange(11) % 5 - 1), shuffle=True)


SETTINGS = {
    "all": {"learner": "all"},
    "all, points, fixed": {"learner": "all", "reward": "points", "dealer": "E", "vulnerability": "NS"},
    "random": {"learner": "S", "partner": "random", "opponents": "random", "reward": "imps_vs_par"},
    "pair": {"learner": "EW", "opponents": "doubler", "reward": "points", "deals": "judging"},
    "imps": {"learner": "NS", "opponents": "random", "control": "random"},
    "injected": {"learner": "W", "partner": Slow(), "opponents": Slow(), "reward": "imps_vs_par"},
    "injected, imps": {"learner": "N", "partner": "pass", "opponents": Slow(), "control": Slow()},
    "own deals": {"learner": "all", "deals": some_deals()},
}
in_every_setting = pytest.mark.parametrize("kwargs", SETTINGS.values(), ids=SETTINGS.keys())
in_every_mode = pytest.mark.parametrize("mode", MODES, ids=lambda m: m.value)


def call_of(mask, seed, number, step):
    """A legal call that depends on nothing but the table's seed, its episode and the call's number.

    Now and then, an illegal one.
    """
    chance = int(streams.key("caller", seed, number, step)[0])
    calls = np.flatnonzero(mask if chance % 61 else mask == 0)
    return int(calls[chance // 61 % len(calls)]) if len(calls) else 0


def single_episodes(kwargs, seed, count):
    """What a caller sees in the first episodes of a single env."""
    env = BiddingEnv(**kwargs)
    out = []
    for number in range(count):
        obs, info = env.reset(**({"seed": seed} if number == 0 else {}))
        story, terminated = [(obs, info["action_mask"])], False
        while not terminated:
            action = call_of(info["action_mask"], seed, number, len(story))
            obs, reward, terminated, truncated, info = env.step(action)
            assert not truncated
            story.append((obs, info["action_mask"], reward, info))
        out.append(story)
    return out


def same_end(expected, infos, row):
    """Is the info of a single env's last step that of the vector env's row?"""
    for name in ("score", "par", "control_score", "tricks", "seat_rewards", "illegal_action"):
        assert (name in expected) == bool(name in infos and infos["_" + name][row]), name
        if name in expected:
            np.testing.assert_array_equal(expected[name], infos[name][row], err_msg=name)


def check_against_single(env, stories, seed):
    """Play ``stories[table][episode]`` of single envs on a vector env, and compare all that is seen."""
    n, mode = env.num_envs, env.metadata["autoreset_mode"]
    obs, info = env.reset(seed=seed)
    number, step = np.zeros(n, int), np.zeros(n, int)
    waits = np.zeros(n, bool)  # for a next-step reset
    while (number < len(stories[0])).any():
        live = [t for t in range(n) if number[t] < len(stories[t])]
        actions = np.zeros(n, np.int64)
        for t in live:
            seen = stories[t][number[t]][step[t]]
            np.testing.assert_array_equal(obs[t], seen[0])
            np.testing.assert_array_equal(info["action_mask"][t], seen[1])
            actions[t] = call_of(info["action_mask"][t], seed + t, number[t], step[t] + 1) if not waits[t] else 37
        obs, reward, terminated, truncated, info = env.step(actions)
        assert not truncated.any()
        ended = np.zeros(n, bool)
        for t in live:
            if waits[t]:  # its action was ignored, and it has a new deal
                assert (reward[t], terminated[t], step[t]) == (0, False, 0)
                waits[t] = False
                continue
            step[t] += 1
            story = stories[t][number[t]]
            ended[t] = step[t] + 1 == len(story)
            assert (reward[t], terminated[t]) == (story[step[t]][2], ended[t])
            if not ended[t]:
                continue
            same_end(story[-1][3], info, t)
            if mode == AutoresetMode.SAME_STEP:
                assert info["_final_obs"][t]
                np.testing.assert_array_equal(info["final_obs"][t], story[-1][0])
                same_end({k: v for k, v in story[-1][3].items() if k != "seat_rewards"}, info["final_info"], t)
            else:
                np.testing.assert_array_equal(obs[t], story[-1][0])
                np.testing.assert_array_equal(info["action_mask"][t], story[-1][1])
            number[t], step[t] = number[t] + 1, 0
        over = terminated
        if mode == AutoresetMode.DISABLED and over.any():
            obs, info = env.reset(options={"reset_mask": over.copy()})
        if mode == AutoresetMode.NEXT_STEP:
            waits = ended.copy()
            for t in np.flatnonzero(waits):
                if number[t] < len(stories[t]):
                    obs, info["action_mask"] = obs.copy(), info["action_mask"].copy()
                    obs[t], info["action_mask"][t] = stories[t][number[t]][0][:2]  # comes with the next step


# --- equality -----------------------------------------------------------------------------------------------


@in_every_setting
@in_every_mode
def test_every_table_is_a_single_env(kwargs, mode):
    tables, episodes = 13, 10
    stories = [single_episodes(kwargs, SEED + t, episodes) for t in range(tables)]
    check_against_single(BiddingVectorEnv(tables, autoreset_mode=mode, **kwargs), stories, SEED)
