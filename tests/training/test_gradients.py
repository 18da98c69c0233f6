"""Gradients in shards: the sum is that of the whole step, and the same bits wherever shards are computed."""

import numpy as np
import pytest

from tests.support.here import Here
from tests.support.league import run_league, same
from training.league import contract_pretraining, league
from training.league.config import LeagueConfig
from training.league.deal_pool import solved_deals
from training.league.gradients import (
    CriticShard,
    DeviceGradients,
    GradientBackend,
    PolicyShard,
    RayGradients,
    shard_gradient,
    split_shards,
)
from training.league.learner import Learner
from training.league.rollout import Opponent, RolloutConfig, concatenate_experience, rollout

CONFIG = LeagueConfig(
    start="nothing", iterations=3, boards=96, estimated=0, layers="24,16", batch=400, shard=90, evaluate=2, judged=20,
    panel="pass", rollouts=3,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """What a league does for hundreds of iterations, it does here for one or two."""
    monkeypatch.setattr(contract_pretraining, "ROLLOUTS", 1)
    monkeypatch.setattr(league, "SILENT_ITERATIONS", 1)
    monkeypatch.setattr(league, "ADD_VERSION_EVERY", 2)


@pytest.fixture(scope="module")
def experience():
    learner = Learner(CONFIG, None)
    told = (*learner.players(), [Opponent("silent", 1.0, None)], RolloutConfig(200, 4, 0.8, 0.0), 1)
    return concatenate_experience([rollout(*told, number, solved_deals()) for number in range(2)])


def shards_of(e, rows):
    return PolicyShard.of(e, rows, 0.01)


def test_rollouts_together_are_one_behind_the_other(experience):
    learner = Learner(CONFIG, None)
    told = (*learner.players(), [Opponent("silent", 1.0, None)], RolloutConfig(200, 4, 0.8, 0.0), 1)
    parts = [rollout(*told, number, solved_deals()) for number in range(2)]
    numbers, starts = experience.rows
    assert starts[-1] == len(numbers)
    assert len(experience.call) == sum(len(part.call) for part in parts) == len(starts) - 1
    first = len(parts[0].call)
    own, begins = parts[1].rows
    for row in (0, 3, len(begins) - 2):
        assert (
            numbers[starts[first + row] : starts[first + row + 1]].tolist()
            == own[begins[row] : begins[row + 1]].tolist()
        )
    assert experience.figures["boards"] == 400


def test_shards_add_up_to_the_step(experience):
    learner, order = Learner(CONFIG, None), np.arange(len(experience.call))
    (whole, told) = shards_of(experience, order).gradient(learner.policy, len(order))
    parts = [shards_of(experience, rows).gradient(learner.policy, len(order)) for rows in np.array_split(order, 7)]
    for number, array in enumerate(whole):
        total = sum(part[number].astype(np.float64) for part, _ in parts)
        np.testing.assert_allclose(array, total, atol=2e-6)
        assert np.abs(array).max() > 1e-4  # a gradient of nothing would add up, too
    np.testing.assert_allclose(told, sum(figures for _, figures in parts), rtol=1e-5, atol=1e-5)
    critic = CriticShard.of(experience, np.arange(len(experience.target)))
    assert all(np.abs(part).max() > 0 for part in critic.gradient(learner.critic, 10)[0])


def test_a_task_computes_what_this_process_does(experience):
    learner = Learner(CONFIG, None)
    shard = shards_of(experience, np.arange(50))
    here, there = shard.gradient(learner.policy, 99), shard_gradient(learner.policy.floats(), shard, 99)
    for a, b in zip(here[0], there[0], strict=True):
        np.testing.assert_array_equal(a, b)


def test_steps_and_shards_hold_every_decision_once():
    steps = split_shards(np.arange(1000)[::-1], 300, 64)
    assert [len(step) for step in steps] == [6, 6, 6]
    assert max(len(shard) for step in steps for shard in step) <= 64
    assert np.concatenate([shard for step in steps for shard in step]).tolist() == list(range(999, -1, -1))


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_weights_do_not_depend_on_who_computes(experience, workers):
    alone, spread = Learner(CONFIG, None), Learner(CONFIG, None)
    one = alone.learn(experience, 0, GradientBackend())
    other = spread.learn(experience, 0, RayGradients(Here(workers % 2 == 0, workers)))
    assert one == other
    for name, array in alone.arrays().items():
        np.testing.assert_array_equal(array, spread.arrays()[name])
    assert one["steps"] > 1


def test_a_run_of_many_shards_is_the_same_stopped_and_at_once(tmp_path):
    whole = run_league(tmp_path / "whole", CONFIG)
    turns = iter([False, False, True])
    run_league(tmp_path / "parts", CONFIG, stop=lambda: next(turns), eager=True)
    parts = run_league(tmp_path / "parts", CONFIG)
    same(whole, parts)
    assert [row["iteration"] for row in parts.state.metrics] == [0, 2, 3]
    for ours, theirs in zip(whole.state.metrics, parts.state.metrics, strict=True):
        assert ours["pass"] == theirs["pass"]


def test_a_device_computes_the_same_gradients_nearly(experience):
    """torch's own sums of rows, which a CUDA device computes, on the CPU: the same to a rounding, step after step."""
    alone, other = Learner(CONFIG, None), Learner(CONFIG, None)
    order = np.arange(len(experience.call))
    shard, by_torch = shards_of(experience, order), DeviceGradients("cpu", by_torch=True)
    for learner in (alone, other):
        learner.learn(experience, 0, GradientBackend() if learner is alone else by_torch)
    for ours, theirs in zip(alone.policy.parameters(), other.policy.parameters(), strict=True):
        assert float((ours - theirs).detach().abs().max()) < 2e-4
    (((found, _),),) = by_torch.gradients([(other.policy, [shard], len(order))])
    wanted, _ = shard.gradient(
        other.policy, len(order)
    )  # of the weights as they are now, not as they were copied first
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-6)


def test_a_run_is_settled_for_its_cores_once():
    assert LeagueConfig().for_cores(4).rollouts == 1
    many = LeagueConfig().for_cores(16)
    assert (many.cores, many.rollouts, many.batch) == (16, 8, 16 * 4096)
    assert many.for_cores(2) == many  # another cluster, the same run
    assert LeagueConfig(cores=32, batch=500).for_cores(2).rollouts == 16
    assert LeagueConfig(cores=32, batch=500).for_cores(2).batch == 500
