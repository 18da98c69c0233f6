"""The vector env: the single env table by table, in all modes and for any number of tables; episodes drawn ahead."""

from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from support.bidders import ID, SLAM, Unsolved, some_deals

from bridge_env.envs import episodes
from bridge_env.envs.compiled.steps import sample_legal
from bridge_env.envs.deals import FixedDeals
from bridge_env.envs.episodes import table_seeds
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rng import streams
from bridge_env.rules.auction import IllegalCall
from bridge_env.rules.calls import parse_call

SEED, MOST = 40, 300
SEEDS = table_seeds(SEED, MOST).tolist()
MODES = list(AutoresetMode)


def mine(view):
    return np.stack([view.hand.sum(axis=1), view.length], axis=1).astype(np.float32)


def by_contract(contract, tricks, score, par):
    return contract.bid + tricks / 16 + (score - par) / 1000


SETTINGS = {
    "all": {"learner": "all"},
    "all, points, fixed": {"learner": "all", "reward": "points", "dealer": "E", "vulnerability": "NS"},
    "random": {"learner": "S", "partner": "random", "opponents": "random", "reward": "imps_vs_par"},
    "pair": {"learner": "EW", "opponents": "doubler", "reward": "points", "deals": "judging"},
    "imps": {"learner": "NS", "opponents": "random", "control": "random"},
    "pass": {"learner": "W", "partner": "pass", "opponents": "pass", "reward": "imps_vs_par"},
    "pass, imps": {"learner": "N", "partner": "pass", "opponents": "pass", "control": "random"},
    "own deals": {"learner": "all", "deals": some_deals()},
    "text, a pool": {"learner": "NS", "opponents": ["doubler", "random"], "control": "pass", "text": True},
    "hands, masks": {"learner": "NS", "opponents": "random", "control": "pass", "observation": "hand", "masked": True},
    "own reward": {"learner": "EW", "opponents": "random", "reward": by_contract, "illegal_penalty": 1},
    "a function": {"learner": "all", "observation": mine, "masked": True},
    "shown, floats": {"learner": "all", "observation": "shown:sayc", "dtype": "float32"},
}
in_every_mode = pytest.mark.parametrize("mode", MODES, ids=lambda m: m.value)


def call_of(mask, seed, number, step):
    """A legal call that depends on nothing but the table's seed, its episode and the call's number.

    Now and then, an illegal one.
    """
    chance = int(streams.key("caller", seed, number, step)[0])
    calls = np.flatnonzero(mask if chance % 61 else mask == 0)
    return int(calls[chance // 61 % len(calls)]) if len(calls) else 0


@cache
def single_episodes(setting, table, count):
    """Return the results of the first episodes of a single env, as those of a table of the vector env."""
    seed, kwargs = SEEDS[table], SETTINGS[setting]
    deals = kwargs.get("deals")
    if isinstance(deals, FixedDeals):
        kwargs = kwargs | {"deals": FixedDeals(deals.boards.take(np.roll(np.arange(len(deals)), -table)))}
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


def row_of(seen, row):
    return {name: array[row] for name, array in seen.items()} if isinstance(seen, dict) else seen[row]


def same_info(expected, infos, row):
    """Compare the info of a single env with that of the vector env's row."""
    names = {name for name in infos if not name.startswith(("_", "final"))}
    assert set(expected) == names
    for name in names:
        assert infos["_" + name][row], name
        np.testing.assert_array_equal(expected[name], infos[name][row], err_msg=name)


def check_against_single(env, stories):
    """Play ``stories[table][episode]`` of single envs on a vector env, and compare all that is seen."""
    n, mode = env.num_envs, env.metadata["autoreset_mode"]
    obs, info = env.reset(seed=SEED)
    number, step = np.zeros(n, int), np.zeros(n, int)
    waits = np.zeros(n, bool)  # for a next-step reset
    while (number < len(stories[0])).any():
        live = [t for t in range(n) if number[t] < len(stories[t])]
        actions = np.zeros(n, np.int64)
        for t in live:
            if waits[t]:
                actions[t] = 37  # which is ignored
                continue
            seen = stories[t][number[t]][step[t]]
            np.testing.assert_equal(row_of(obs, t), seen[0])
            np.testing.assert_array_equal(info["action_mask"][t], seen[1])
            actions[t] = call_of(info["action_mask"][t], SEEDS[t], number[t], step[t] + 1)
        obs, reward, terminated, truncated, info = env.step(actions)
        assert not truncated.any()
        ended = np.zeros(n, bool)
        for t in live:
            if waits[t]:  # it has a new deal
                assert (reward[t], terminated[t], step[t]) == (0, False, 0)
                waits[t] = False
                continue
            step[t] += 1
            story = stories[t][number[t]]
            ended[t] = step[t] + 1 == len(story)
            assert (reward[t], terminated[t]) == (story[step[t]][2], ended[t])
            if not ended[t] or mode != AutoresetMode.SAME_STEP:
                same_info(story[step[t]][3], info, t)
            if not ended[t]:
                continue
            if mode == AutoresetMode.SAME_STEP:
                assert info["_final_obs"][t]
                np.testing.assert_equal(row_of(info["final_obs"], t), story[-1][0])
                same_info(story[-1][3], info["final_info"], t)
            else:
                np.testing.assert_equal(row_of(obs, t), story[-1][0])
                np.testing.assert_array_equal(info["action_mask"][t], story[-1][1])
            number[t], step[t] = number[t] + 1, 0
        over = terminated
        if mode == AutoresetMode.DISABLED and over.any():
            obs, info = env.reset(options={"reset_mask": over.copy()})
        if mode == AutoresetMode.NEXT_STEP:
            waits = ended.copy()


@pytest.mark.parametrize("setting", SETTINGS)
@in_every_mode
def test_every_table_is_a_single_env(setting, mode):
    tables, episodes = 6, 5
    stories = [single_episodes(setting, table, episodes) for table in range(tables)]
    check_against_single(BiddingVectorEnv(tables, autoreset_mode=mode, **SETTINGS[setting]), stories)


def rollout(steps, seed=SEED, rows=None, **kwargs):
    """Return the results of random calls that depend on the table and the step alone."""
    env = BiddingVectorEnv(**kwargs)
    obs, info = env.reset(seed=seed)
    chance = streams.uniforms(streams.key("rollout", np.arange(env.num_envs)), steps)
    out = [(obs.copy(), info["action_mask"].copy())]
    for step in range(steps):
        mask = info["action_mask"]
        rank = (chance[:, step] * mask.sum(axis=1)).astype(int)
        calls = (np.cumsum(mask, axis=1) == rank[:, None] + 1).argmax(axis=1)
        obs, reward, terminated, _, info = env.step(calls)
        seats = info.get("seat_rewards", reward)
        out.append([a.copy() for a in (obs, info["action_mask"], reward, terminated, seats)])
    env.close()
    return [[a[rows] for a in step] for step in out] if rows is not None else out


def assert_same(a, b):
    for left, right in zip(a, b, strict=True):
        for x, y in zip(left, right, strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", ["all", "imps", "random"])
def test_a_table_does_not_depend_on_how_many_there_are(name):
    few = rollout(60, num_envs=8, **SETTINGS[name])
    assert_same(few, rollout(60, num_envs=64, rows=slice(8), **SETTINGS[name]))
    assert_same(few, rollout(60, num_envs=300, rows=slice(8), copy=False, **SETTINGS[name]))


def test_returned_arrays_are_written_to_again_only_without_copies():
    for copy in (True, False):
        env = BiddingVectorEnv(4, learner="all", copy=copy)
        obs, info = env.reset(seed=1)
        mask, before = info["action_mask"], obs.copy()
        again, *_ = env.step(np.full(4, 3))
        assert (again is obs) != copy
        assert np.array_equal(before, obs) == copy
        assert np.shares_memory(mask, env.step(np.zeros(4, int))[4]["action_mask"]) != copy


def test_random_calls_are_legal_and_each_has_its_share():
    mask = np.zeros((3, 30_000, 38), np.int8)  # the legal bids are always the highest ones
    mask[:, :, [0, 36, 37]] = 1
    mask[1, :, 1], mask[2, :, 2] = 1, 1
    mask[2, :, 3:] = 0
    for legal in mask:
        calls = sample_legal(legal, streams.key("test")[0])
        shares = np.bincount(calls, minlength=38) / len(calls)
        np.testing.assert_allclose(shares, legal[0] / legal[0].sum(), atol=0.02)
        assert (shares[legal[0] == 0] == 0).all()


def test_seat_rewards_sum_to_nothing_and_the_last_caller_is_paid():
    env = BiddingVectorEnv(64, learner="all", autoreset_mode="SameStep")
    _, info = env.reset(seed=1)
    paid = 0
    for step in range(40):
        _, reward, terminated, _, info = env.step(sample_legal(info["action_mask"], streams.key("calls", step)[0]))
        seats = info["seat_rewards"]
        assert seats.dtype == np.float32
        assert (seats[~terminated] == 0).all()
        np.testing.assert_array_equal(seats[:, 0], seats[:, 2])
        np.testing.assert_array_equal(seats[:, 1], -seats[:, 0])
        np.testing.assert_array_equal(seats[:, 3], seats[:, 1])
        np.testing.assert_array_equal(np.abs(seats[:, 0]), np.abs(reward))
        paid += int(terminated.sum())
    assert paid > 100


def test_an_illegal_call_costs_its_seat_alone():
    env = BiddingVectorEnv(3, learner="all", dealer="E", autoreset_mode="Disabled")
    env.reset(seed=1)
    env.step(np.full(3, parse_call("3H")))
    _, reward, terminated, _, info = env.step(np.array([0, parse_call("2H"), 0]))
    assert reward.tolist() == [0, -24, 0]
    assert terminated.tolist() == info["illegal_action"].tolist() == [False, True, False]
    assert info["seat_rewards"].tolist() == [[0] * 4, [0, 0, -24, 0], [0] * 4]
    with pytest.raises(ResetNeeded, match="table 1 is over"):
        env.step(np.zeros(3, int))
    _, info = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert info["action_mask"].sum(axis=1).tolist() == [23, 36, 23]
    assert not info["illegal_action"].any()
    assert not env.step(np.zeros(3, int))[2].any()


def test_an_illegal_call_may_raise_and_then_changes_nothing():
    env = BiddingVectorEnv(3, learner="all", illegal="raise")
    first = env.reset(seed=1)[0].copy()
    with pytest.raises(IllegalCall, match="X is not legal at table 2 after no call"):
        env.step(np.array([3, 4, 1]))
    np.testing.assert_array_equal(env.reset(options={"reset_mask": np.array([False, False, True])})[0][:2], first[:2])


def test_make_vec_picks_it():
    env = gymnasium.make_vec(ID, num_envs=5, learner="all", autoreset_mode=AutoresetMode.SAME_STEP)
    assert type(env.unwrapped) is BiddingVectorEnv
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert BiddingVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    obs, info = env.reset(seed=1)
    assert obs in env.observation_space
    assert env.action_space.sample() in env.action_space
    assert (obs.shape, obs.dtype, info["action_mask"].shape) == ((5, 480), np.int8, (5, 38))
    assert env.action_masks().dtype == np.bool_
    wrapped = gymnasium.wrappers.vector.DictInfoToList(gymnasium.wrappers.vector.RecordEpisodeStatistics(env))
    wrapped.reset(seed=1)
    for _ in range(4):
        *_, infos = wrapped.step(np.zeros(5, int))
    assert [len(i["seat_rewards"]) for i in infos] == [4] * 5
    wrapped.close()
    env.close()


def test_seeds_may_be_listed_and_resets_go_on():
    env, other = BiddingVectorEnv(3, learner="all"), BiddingVectorEnv(3, learner="all")
    seeds = table_seeds(7, 3).tolist()
    assert seeds[0] == 7
    np.testing.assert_array_equal(env.reset(seed=seeds)[0], other.reset(seed=7)[0])
    np.testing.assert_array_equal(env.reset()[0], other.reset()[0])
    np.testing.assert_array_equal(env.reset(seed=[None, seeds[1], None])[0][1], other.reset(seed=7)[0][1])
    with pytest.raises(ValueError, match="2 seeds for 3 tables"):
        env.reset(seed=[1, 2])
    assert not np.array_equal(BiddingVectorEnv(3, learner="all").reset()[0], env.reset(seed=1)[0])


def test_options_settle_all_the_tables():
    options = {"deal": SLAM, "dealer": "W", "vulnerability": "EW"}
    env, single = BiddingVectorEnv(3, learner="all", render_mode="ansi"), BiddingEnv(learner="all", render_mode="ansi")
    obs, _ = env.reset(seed=1, options=options)
    np.testing.assert_array_equal(obs, np.repeat(single.reset(seed=1, options=options)[0][None], 3, axis=0))
    assert env.render() == (single.render(),) * 3
    np.testing.assert_array_equal(env.reset()[0][0], single.reset()[0])
    with pytest.raises(ValueError, match="unknown option 'board'"):
        env.reset(options={"board": 1})
    for mask in (np.zeros(3, bool), [True, False, False], np.ones(2, bool)):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})


def test_episodes_are_the_same_however_many_are_drawn_at_once():
    """Four of each of a thousand tables, and all that four tables need here; they are seeded anew in between."""
    few, many = (BiddingVectorEnv(n, learner="NS", opponents="random", control="random") for n in (4, 1024))
    for number in range(11):
        seed = SEED if number in (0, 6) else None
        np.testing.assert_array_equal(few.reset(seed=seed)[0], many.reset(seed=seed)[0][:4])
        np.testing.assert_array_equal(few.deals().owner, many.deals().owner[:4])
        np.testing.assert_array_equal(few.view().dealer, many.view().dealer[:4])


def test_boards_of_slow_bidders_and_unsolved_ones_are_drawn_when_they_are_played(monkeypatch):
    class Slow:
        slow = True

        def bid(self, view, key):
            boards.append(len(view))
            return np.zeros(len(view), np.int8)

    boards = []
    BiddingVectorEnv(3, learner="NS", opponents="pass", control=Slow()).reset(seed=1)
    assert max(boards) <= 3
    deals = Unsolved()
    monkeypatch.setattr(episodes, "library_then_solver", lambda: deals)
    BiddingVectorEnv(3, learner="all", deals=deals).reset(seed=1)
    assert deals.requests == [3 * 20]
