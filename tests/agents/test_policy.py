"""``policy:FILE`` of a network over the env's observations: its outputs, its calls, its file."""

import subprocess
import sys

import numpy as np
import pytest
from support.learners import observation_policy, outputs_of_integers, random_networks, views

from agents.networks import file as networks_file
from agents.registry import make_policy
from bridge_env.bidders.observation import observe


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.npz"
    networks_file.save(observation_policy().networks, path)
    return path


def test_outputs_are_those_of_the_perceptron():
    policy = observation_policy(seed=3)
    seen = observe(views(300, seed=3)[0])
    np.testing.assert_array_equal(policy.outputs(seen), outputs_of_integers(policy.networks.policy, seen))


def test_a_saved_policy_bids_alike(file):
    view, key = views(300, seed=6)
    again = make_policy(str(file))
    assert again.networks.trained == {"by": "nobody"}
    np.testing.assert_array_equal(again.bid(view, key), observation_policy().bid(view, key))
    networks_file.save(random_networks(), file)  # of the other layout
    np.testing.assert_array_equal(
        make_policy(str(file)).networks.policy.layers[0].weight, random_networks().policy.layers[0].weight
    )


@pytest.mark.weekly
@pytest.mark.slow
def test_it_needs_neither_torch_nor_sb3(file):
    code = f"""
import sys
sys.modules.update(torch=None, stable_baselines3=None, sb3_contrib=None)
from training.evaluation.duplicate import match
assert len(match("policy:{file}", "pass", 50).imps) == 50
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
