"""Gradients in shards: their sum is the step's, and the same bits wherever shards are computed."""

from functools import partial

import numpy as np
import pytest
import torch

from tests.support.learners import Here
from training.configs import LeagueConfig
from training.league.deal_pool import solved_deals
from training.league.learner import (
    Gradients,
    Learner,
    RayGradients,
    Step,
    critic_gradient,
    policy_gradient,
    split_shards,
)
from training.league.rollout import Opponent, concatenate_experience, rollout
from training.networks.model import Perceptron, random_layers, summed_rows

CONFIG = LeagueConfig(
    start="nothing", iterations=3, boards=96, estimated=0, layers="24,16", batch=400, shard=90, evaluate=2, judged=20,
    panel="pass", rollouts=3, decision_fraction=0.8, double_failing=0.0,
)  # fmt: skip
POLICY_GRADIENT = partial(policy_gradient, entropy=0.01)


@pytest.fixture(scope="module")
def rollouts():
    players = Learner(CONFIG, None).players()
    return [rollout(*players, [Opponent(1.0, None)], CONFIG, number, solved_deals()) for number in range(2)]


@pytest.fixture(scope="module")
def experience(rollouts):
    return concatenate_experience(rollouts)


def test_experience_of_rollouts_is_one_behind_the_other(rollouts, experience):
    first, second = (part.policy for part in rollouts)
    assert len(experience.policy) == len(first) + len(second)
    rows = np.array([0, 3, len(second) - 1])
    joined, own = experience.policy.take(len(first) + rows), second.take(rows)
    for a, b in zip(joined.rows, own.rows, strict=True):
        np.testing.assert_array_equal(a, b)
    for name, array in own.arrays().items():
        np.testing.assert_array_equal(array, joined.arrays()[name])
    assert experience.figures["boards"] == 192


def test_shards_add_up_to_the_step(experience):
    learner, order = Learner(CONFIG, None), np.arange(len(experience.policy))
    step = Step(POLICY_GRADIENT, learner.policy, experience.policy, np.array_split(order, 7))
    gradient, figures = step.compute(order)
    parts = [step.compute(rows) for rows in step.shards]
    for number, array in enumerate(gradient):
        np.testing.assert_allclose(array, sum(part[number].astype(np.float64) for part, _ in parts), atol=2e-6)
        assert np.abs(array).max() > 1e-4  # a gradient of nothing would add up, too
    np.testing.assert_allclose(figures, sum(part for _, part in parts), rtol=1e-5, atol=1e-5)
    assert all(np.abs(part).max() > 0 for part in critic_gradient(learner.critic, experience.critic, 10)[0])


def test_steps_and_shards_hold_every_decision_once():
    steps = split_shards(np.arange(1000)[::-1], 300, 64)
    assert [len(step) for step in steps] == [6, 6, 6]
    assert max(len(shard) for step in steps for shard in step) <= 64
    assert np.concatenate([shard for step in steps for shard in step]).tolist() == list(range(999, -1, -1))


@pytest.mark.parametrize("backend", [RayGradients(Here(True, 1)), RayGradients(Here(False, 5)), Gradients("cpu")])
def test_weights_do_not_depend_on_where_gradients_are_computed(experience, backend):
    alone, spread = Learner(CONFIG, None), Learner(CONFIG, None)
    figures = alone.learn(experience, 0, Gradients())
    assert figures == spread.learn(experience, 0, backend)
    np.testing.assert_equal(alone.snapshot(), spread.snapshot())
    torch.testing.assert_close(alone.policy.state_dict(), spread.policy.state_dict(), rtol=0, atol=0)
    assert figures["steps"] > 1


def test_sums_of_rows_by_torch_are_nearly_those_on_the_cpu(experience):
    """A CUDA device sums them by torch's own functions."""
    rows = experience.policy.rows
    ((weight, bias),) = random_layers([int(rows[0].max()) + 1, 8], 1)
    model, by_torch = Perceptron([(weight, bias)]), [torch.tensor(a, requires_grad=True) for a in (weight, bias)]
    outputs = model(rows), summed_rows(*by_torch, rows)
    for output in outputs:
        output.square().sum().backward()
    torch.testing.assert_close(*outputs, atol=1e-5, rtol=1e-5)
    for ours, theirs in zip(model.parameters(), by_torch, strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-2, rtol=1e-4)


def test_a_run_is_settled_for_its_cores_once():
    assert LeagueConfig().for_cores(4).rollouts == 1
    many = LeagueConfig().for_cores(16)
    assert (many.rollouts, many.batch) == (8, 16 * 4096)
    assert many.for_cores(2) == many  # another cluster, the same run
    few = LeagueConfig(batch=500).for_cores(32)
    assert (few.rollouts, few.batch) == (16, 500)
