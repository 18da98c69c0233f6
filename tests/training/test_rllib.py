"""Registering with Ray's Tune, without RLlib."""

import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from training.integrations.rllib import ENV_ID, make_env, register_with_ray

CONFIG = {"learner": "N", "partner": "pass", "opponents": "random", "reward": "points"}


def test_in_the_registry_of_ray():
    registry = pytest.importorskip("ray.tune.registry", reason="could not import ray.tune", exc_type=ImportError)
    register_with_ray()
    env = registry._global_registry.get(registry.ENV_CREATOR, ENV_ID)(CONFIG)
    seen, _ = env.reset(seed=1)
    assert seen in env.observation_space
    assert isinstance(env.observation_space, gymnasium.spaces.Box)


def test_without_tune_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray.tune.registry", None)
    with pytest.raises(ImportError, match=r"pip install 'ray\[tune\]'"):
        register_with_ray()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_masks_may_be_among_the_observations():
    env = make_env(CONFIG | {"masked": True})
    check_env(env, skip_render_check=True)
    seen, info = env.reset(seed=1)
    np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
    seen, *_, info = env.step(4)
    np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
