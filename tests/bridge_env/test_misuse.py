"""Errors of callers and of bidders, in both envs."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from support.bidders import QUIET

from bridge_env.bidders.builtin import RandomBidder
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.hands.deals import random_deals
from bridge_env.rules.auction import IllegalCall
from bridge_env.rules.cards import DealError

NO_CALLS = [2.5, 2.0, "3", "Pass", 1j, -1, 38, 10**30, None, True, np.float32(0.5), np.int64(-7), np.uint64(2**63), [0]]


@pytest.mark.parametrize("action", NO_CALLS, ids=repr)
def test_other_actions_are_refused_and_change_nothing(action):
    one, many = BiddingEnv(learner="NS", **QUIET), BiddingVectorEnv(2, learner="NS", **QUIET)
    one.reset(seed=1)
    many.reset(seed=1)
    message = "is not a call; actions go from 0 .Pass. to 37 .7NT., and are whole numbers"
    with pytest.raises(ValueError, match=message):
        one.step(action)
    with pytest.raises(ValueError, match=r"whole numbers|inhomogeneous"):
        many.step([action, action] if action is True else [0, action])  # [0, True] is [0, 1] to numpy
    assert one.step(3)[1:3] == (0.0, False)
    assert many.step([3, 3])[1].tolist() == [0, 0]


@pytest.mark.parametrize("action", [3, np.int8(3), np.uint64(3), np.array(3), np.array(3, np.uint8)], ids=repr)
def test_whole_numbers_of_any_kind_are_calls(action):
    one, many = BiddingEnv(learner="all"), BiddingVectorEnv(3, learner="all")
    one.reset(seed=1)
    many.reset(seed=1)
    assert one.step(action)[-1]["action_mask"][:5].tolist() == [1, 1, 0, 0, 1]
    assert many.step(np.full(3, action))[-1]["action_mask"][:, :5].tolist() == [[1, 1, 0, 0, 1]] * 3
    mask = many.step(np.array([4, 0, 5, 0, 6, 0])[::2])[-1]["action_mask"]  # not in one piece
    assert mask.sum(axis=1).tolist() == [35, 34, 33]


@pytest.mark.parametrize("seed", [1.9, "2", -1], ids=repr)
def test_seeds_are_whole_numbers(seed):
    env = BiddingVectorEnv(2, learner="all")
    with pytest.raises((TypeError, ValueError), match=r"seeds are whole numbers|integer"):
        env.reset(seed=[1, seed])
    env.reset(seed=[np.int64(1), 2])


def test_deals_are_the_callers_to_write_to():
    deals = random_deals(1, 0, 2)
    env = BiddingEnv(learner="all", deals=deals, reward="points")
    first, _ = env.reset(seed=1)
    deals[:] = deals[:, ::-1]
    env.reset()
    np.testing.assert_array_equal(env.reset(seed=1)[0], first)


@pytest.mark.parametrize("actions", [3, [3], [[3, 3]], [], np.zeros((2, 1), int)], ids=repr)
def test_other_shapes_of_actions_are_refused(actions):
    env = BiddingVectorEnv(2, learner="all")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions are one call for each table, \(2,\)"):
        env.step(actions)


def test_before_the_first_reset():
    quiet = {"learner": "NS", "dealer": "N", "reward": "points", "opponents": "pass"}
    one, many = BiddingEnv(**quiet), BiddingVectorEnv(2, **quiet)
    for env in (one, many):
        for ask in (env.action_masks, env.view, env.deals):
            with pytest.raises(ResetNeeded, match="reset"):
                ask()
        with pytest.raises(ResetNeeded, match="reset"):
            env.step(0 if env is one else [0, 0])
    with pytest.raises(ResetNeeded, match="reset"):
        one.seen_by(0)
    one.reset(seed=1)
    many.reset(seed=1)
    assert one.action_masks().sum() == 36
    assert many.action_masks().sum(axis=1).tolist() == [36, 36]


class Moody(RandomBidder):
    """Calls at random until its mood changes."""

    mood = "good"

    def bid(self, view, key):
        if self.mood == "bad":
            raise RuntimeError("not today")
        calls = super().bid(view, key)
        return np.full_like(calls, 2) if self.mood == "mad" else calls


@pytest.mark.parametrize("mood", ["bad", "mad"])
@pytest.mark.parametrize("within", ["reset", "step"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled", None])
def test_after_a_failure_an_env_goes_on_with_a_reset_only(mood, within, mode):
    """Without a mode it is the single env."""

    def made(bidder):
        setting = {"learner": "S", "dealer": "W", "partner": bidder, "opponents": bidder, "reward": "points"}
        return BiddingEnv(**setting) if mode is None else BiddingVectorEnv(6, autoreset_mode=mode, **setting)

    bidder = Moody()
    env, passes = made(bidder), 0 if mode is None else np.zeros(6, int)
    env.reset(seed=1)
    bidder.mood = mood
    with pytest.raises(IllegalCall):
        env.reset() if within == "reset" else env.step(passes)
    bidder.mood = "good"
    for _ in range(2):
        with pytest.raises(ResetNeeded, match="failed halfway" if mode else None):
            env.step(passes)
        with pytest.raises(ResetNeeded):
            env.action_masks()
        if mode:
            with pytest.raises(ResetNeeded, match="of all tables"):
                env.reset(options={"reset_mask": np.arange(6) < 3})
    np.testing.assert_array_equal(env.reset(seed=1)[0], made("random").reset(seed=1)[0])
    assert env.action_masks()[..., 0].all()
    env.step(passes)


@pytest.mark.parametrize("reset", [{"options": {"board": 1}}, {"options": {"dealer": "Z"}}], ids=str)
def test_a_wrong_option_changes_nothing(reset):
    one, many = [BiddingEnv(learner="all") for _ in range(2)], [BiddingVectorEnv(3, learner="all") for _ in range(2)]
    for (env, other), calls in ((one, (3, 0, 0)), (many, ([3, 4, 5], [0, 0, 0], [0, 0, 0]))):
        env.reset(seed=1)
        other.reset(seed=1)
        env.step(calls[0])
        other.step(calls[0])
        with pytest.raises(ValueError, match=r"unknown option|not a seat"):
            env.reset(seed=9, **reset)
        for call in calls[1:]:
            for mine, theirs in zip(env.step(call)[:3], other.step(call)[:3], strict=True):
                np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(env.reset()[0], other.reset()[0])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"learner": "X"}, "learner='X': use one of N, E, S, W, NS, EW"),
        ({"learner": 2}, "learner=2: use one of"),
        ({"learner": "all", "reward": "imps"}, "reward='imps' does not work with learner='all'"),
        ({"reward": "money"}, "reward='money': use one of imps, imps_vs_par, points"),
        ({"order": "random"}, "order='random': use one of next, spread, shuffle"),
        ({"order": "shuffle"}, "order='shuffle' is for deals of your own"),
        ({"opponents": []}, r"opponents=\[\] is empty"),
        ({"observation": "cards"}, "observation='cards': use bits, hand, shown:SYSTEM or a function"),
        ({"observation": "shown:pass"}, "only calls of a system show ranges"),
        ({"observation": len}, r"shape \(\) for 2 seats"),
        ({"dtype": "float64"}, "dtype='float64': use one of int8, float32"),
        ({"illegal": "ignore"}, "illegal='ignore': use one of end, raise"),
        ({"illegal_penalty": -1}, "illegal_penalty=-1"),
        ({"dealer": "Q"}, "'Q' is not a seat; use one of N, E, S, W"),
        ({"vulnerability": "all of us"}, "'all of us' is not a vulnerability; use one of None, NS, EW, Both"),
        ({"render_mode": "film"}, "render_mode='film': use None, 'ansi', 'rgb_array'"),
        ({"opponents": "nobody"}, "no such system is shipped"),
        ({"opponents": 3}, "3 is neither a spec string nor a Bidder"),
        ({"deals": "some"}, 'deals=\'some\': use one of "training", "judging", "library", "random"'),
        ({"deals": np.zeros((3, 52))}, "deal 0 is not a deal"),
        ({"deals": []}, "shape"),
        ({"deals": "no/such.pbn"}, "no/such.pbn"),
    ],
)
def test_bad_arguments_are_named_with_the_choices(kwargs, message):
    for make in (BiddingEnv, BiddingVectorEnv):
        with pytest.raises((ValueError, FileNotFoundError), match=message):
            make(**QUIET | kwargs)


def test_bad_arguments_of_the_vector_env_are_named():
    for kwargs, message in (
        ({"num_envs": 0}, "num_envs=0"), ({"render_mode": "human"}, "render_mode='human'"),
        ({"autoreset_mode": "sometimes"}, "sometimes"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            BiddingVectorEnv(**kwargs)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"board": 3}, ValueError, "unknown option 'board'; reset takes deal, dealer, vulnerability"),
        ({"deal": "N:AK"}, DealError, "must have four hands"),
        ({"deal": np.zeros(52)}, DealError, "is not a deal"),
        ({"deal": random_deals(1, 0, 2)}, DealError, "one deal"),
        ({"dealer": "Z"}, ValueError, "'Z' is not a seat"),
        ({"vulnerability": "Q"}, ValueError, "'Q' is not a vulnerability"),
    ],
)
def test_bad_options_are_named(options, error, message):
    env = BiddingEnv(**QUIET)
    with pytest.raises(error, match=message):
        env.reset(seed=1, options=options)
    env.reset()
