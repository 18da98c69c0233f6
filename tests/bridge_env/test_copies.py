"""Copies and pickles of envs: they go on as the env would, in memory of their own, here or in another process."""

import copy
import pickle

import numpy as np
import pytest
from support.bidders import some_deals

from bridge_env.envs.compiled.steps import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rng import streams

STEPS = 60


def half(score):
    """Half of the points, as a reward."""
    return score / 2


SETTINGS = {
    "all": {"learner": "all"},
    "random": {"learner": "S", "partner": "random", "opponents": "random", "reward": "imps_vs_par"},
    "imps": {"learner": "NS", "opponents": "doubler", "control": "random"},
    "own deals, own reward": {"learner": "all", "deals": some_deals(), "reward": half, "illegal_penalty": 12},
    "systems": {"learner": "NS", "opponents": "system:acol", "control": "pass"},
}


def through_shared_memory(env):
    """Pickle and unpickle as Ray does, so that the arrays lie in memory that cannot be written to."""
    buffers = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(b.raw()) for b in buffers])


WAYS = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "shared": through_shared_memory,
}
# What a setting holds is pickled alike by all ways: one way for each setting, and all ways for one.
CASES = [(name, "shared", True) for name in SETTINGS]
CASES += [
    ("systems", "deepcopy", True),
    ("random", "pickle", True),
    ("systems", "deepcopy", False),
    ("imps", "pickle", False),
]


def flat(value):
    """Return everything in a result, as bytes and words in order."""
    if isinstance(value, dict):
        return [part for name in sorted(value) for part in (name, *flat(value[name]))]
    if isinstance(value, tuple | list):
        return [part for one in value for part in flat(one)]
    return [value.tobytes() if isinstance(value, np.ndarray) else repr(value)]


def played(env, steps, first, last=None):
    """Make random calls, now and then an illegal one; return all results, and the last one, to go on with."""
    single, out = isinstance(env, BiddingEnv), []
    for step in range(first, first + steps):
        if last is None or (single and last[2]):
            seen, info = env.reset(**({"seed": 3} if last is None else {}))
            last = (seen, 0.0, False, False, info)
        else:
            calls = sample_legal(np.atleast_2d(last[-1]["action_mask"]), streams.key("copies", step)[0])
            calls[step % 41 :: 41] = 2
            last = env.step(int(calls[0]) if single else calls)
        out += flat(last)
    return out, last


@pytest.mark.parametrize(("name", "way", "many"), CASES)
def test_a_copy_goes_on_as_the_env_would(name, way, many):
    env = BiddingVectorEnv(12, **SETTINGS[name]) if many else BiddingEnv(**SETTINGS[name])
    way, last, at = WAYS[way], None, 0
    copies = [(way(env), 0, None)]
    for steps in (1, 20):  # after the reset, and at more or less far in an episode
        _, last = played(env, steps, at, last)
        at += steps
        copies.append((way(env), at, last))
    expected, _ = played(env, STEPS, at, last)
    for copied, begun, seen in copies:  # the first ones have not been touched by all the later calls
        again, _ = played(copied, at - begun + STEPS, begun, seen)
        assert again[-len(expected) :] == expected


def play_in_turn(env, steps, first):
    out = []
    for step in range(first, first + steps):
        if step == 0 or not env.agents:
            env.reset(seed=3 if step == 0 else None)
        seen, reward, over, _, info = env.last()
        out += [env.agent_selection, *flat((seen, reward, over, info))]
        legal = np.flatnonzero(seen["action_mask"])
        env.step(None if over else int(legal[int(streams.key("copies", step)[0]) % len(legal)]))
    return out


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_a_copy_of_the_aec_env_goes_on_as_it_would(way):
    aec = pytest.importorskip("bridge_env.envs.aec", exc_type=ImportError)
    for env, played in ((aec.BiddingAEC(), 0), (aec.env(reward="points"), 33)):
        play_in_turn(env, played, 0)
        other, twin = way(env), way(env)
        expected = play_in_turn(env, STEPS, played)
        assert play_in_turn(other, STEPS, played) == expected
        again = play_in_turn(twin, 50, played)
        assert again == expected[: len(again)]
