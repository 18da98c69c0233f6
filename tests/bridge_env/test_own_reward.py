"""A reward that is a function: the built-in ones by functions, in all envs, and refused results."""

import gymnasium
import numpy as np
import pytest

from bridge_env.envs.compiled.rounds import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rng import streams
from bridge_env.rules.scoring import imps

RANDOM = {"partner": "random", "opponents": "random", "control": "random"}


def by_par(score, par):
    """The reward ``imps_vs_par``."""
    return imps(score.astype(int) - par)


def by_control(score, control_score):
    """The reward ``imps``."""
    return imps(score.astype(int) - control_score)


def by_points(score):
    """The reward ``points``."""
    return score


AGAIN = {"imps_vs_par": by_par, "imps": by_control, "points": by_points}


def rounds(reward, count=40, **setting):
    """Rewards, and the seats' if there are any, of random calls at seven tables."""
    env = BiddingVectorEnv(7, reward=reward, illegal_penalty=24, autoreset_mode="SameStep", **setting)
    _, info = env.reset(seed=5)
    out = []
    for step in range(count):
        calls = sample_legal(info["action_mask"], streams.key("calls", step)[0])
        if step % 9 == 0:
            calls[step % 7] = 37 if info["action_mask"][step % 7, 37] == 0 else 1  # mostly illegal
        _, paid, over, _, info = env.step(calls)
        out.append((paid, over, info.get("seat_rewards", paid)))
    return [np.array(part) for part in zip(*out, strict=True)]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("imps_vs_par", {"learner": "all"}),
        ("points", {"learner": "all"}),
        ("imps_vs_par", {"learner": "E", **RANDOM}),
        ("points", {"learner": "NS", **RANDOM}),
        ("imps", {"learner": "S", **RANDOM}),
        ("imps", {"learner": "EW", **RANDOM}),
    ],
)
def test_a_function_can_be_each_of_the_rewards_that_there_are(name, setting):
    mine, there = rounds(AGAIN[name], **setting), rounds(name, **setting)
    for one, other in zip(mine, there, strict=True):
        np.testing.assert_array_equal(one, other)
    assert mine[1].sum() > 10
    assert np.abs(mine[0]).max() > 1


def test_a_function_is_called_with_what_its_parameters_name():
    def bold(contract, tricks, score, side):
        declares = (contract.declarer & 1) == side
        return np.where(declares, contract.bid + tricks / 16, -1) + score / 1000

    env = BiddingEnv(learner="W", reward=bold, illegal_penalty=1, **RANDOM)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        _, paid, over, _, info = env.step(int(legal[-1]))
    assert info["declarer"] & 1 == 1
    assert paid == pytest.approx(info["bid"] + info["tricks"] / 16 + info["score"] / 1000)
    assert "par" not in info  # no parameter has its name


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda score: 0.0, r"shape \(\) for 1 finished auctions; it must return one number for each, \(1,\)"),
        (lambda score: np.zeros((1, 2)), r"shape \(1, 2\)"),
        (lambda score: score / np.zeros(1), r"returned \[nan\]; rewards are finite"),
        (lambda score: ["much"], r"could not convert string to float"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_other_results_are_refused(function, words):
    settings = {"learner": "all", "reward": function, "illegal": "raise"}
    for env, call in ((BiddingEnv(**settings), 0), (BiddingVectorEnv(1, **settings), [0])):
        env.reset(seed=1)
        for _ in range(3):
            env.step(call)
        with pytest.raises(ValueError, match=words):
            env.step(call)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(call)
        env.reset()


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"reward": lambda money: money}, "has the parameter 'money'; its parameters are some of contract, tricks"),
        ({"reward": lambda: 0}, "has none of the parameters; its parameters are some of"),
        ({"reward": lambda par, control_score: par}, "takes par and control_score"),
        ({"reward": lambda control_score: control_score, "learner": "all"}, "does not work with learner='all'"),
        ({"reward": lambda score: score}, "say what an illegal call costs, such as illegal_penalty=24"),
    ],
)
def test_other_parameters_are_refused_at_once(setting, words):
    with pytest.raises(ValueError, match=words):
        BiddingEnv(**setting)
