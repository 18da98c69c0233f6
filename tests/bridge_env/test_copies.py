"""Copies and pickles of envs: they go on as the env would, in memory of their own, here or in another process."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from support.bidders import some_deals

from bridge_env.envs.compiled.rounds import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rng import streams

STEPS = 60
TABLES = 12


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
in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
# What a setting holds is pickled alike by all ways: one way for each setting, and all ways for one.
CASES = [(name, "shared") for name in SETTINGS] + [("systems", "deepcopy"), ("random", "pickle")]
in_every_case = pytest.mark.parametrize(("name", "way"), CASES)


def flat(value):
    """Return everything in a result, as bytes and words in order."""
    if isinstance(value, dict):
        return [part for name in sorted(value) for part in (name, *flat(value[name]))]
    if isinstance(value, tuple | list):
        return [part for one in value for part in flat(one)]
    return [value.tobytes() if isinstance(value, np.ndarray) else repr(value)]


# --- one table ----------------------------------------------------------------------------------------------


def play_one(env, steps, first, last=None):
    """Make random calls, now and then an illegal one; return all results, and the last one, to go on with."""
    out = []
    for step in range(first, first + steps):
        if last is None or last[2]:
            obs, info = env.reset(**({"seed": 3} if last is None else {}))
            last = (obs, info["action_mask"], False, False, info)
        else:
            chance = int(streams.key("copies", step)[0])
            calls = np.flatnonzero(last[-1]["action_mask"] if chance % 41 else last[-1]["action_mask"] == 0)
            last = env.step(int(calls[chance // 41 % len(calls)]) if len(calls) else 0)
        out += flat(last)
    return out, last


@in_every_case
def test_a_copy_of_the_single_env_goes_on_as_it_would(name, way):
    env, way, last = BiddingEnv(**SETTINGS[name]), WAYS[way], None
    played, copies = 0, [(way(env), 0, None)]
    for steps in (1, 1, 5, 38):  # after the reset, and at more or less far in an episode
        _, last = play_one(env, steps, played, last)
        played += steps
        copies.append((way(env), played, last))
    expected, _ = play_one(env, STEPS, played, last)
    for copied, at, seen in copies:  # the first ones have not been touched by all the later calls
        again, _ = play_one(copied, played - at + STEPS, at, seen)
        assert again[-len(expected) :] == expected


# --- many tables --------------------------------------------------------------------------------------------


def play_many(env, steps, first, info=None):
    """Make random calls, now and then illegal ones; return a digest of each step, and the last legal calls."""
    out = []
    for step in range(first, first + steps):
        if info is None:
            result = env.reset(seed=3)
        else:
            calls = sample_legal(info["action_mask"], streams.key("copies", step)[0])
            calls[step % 41 :: 41] = 2
            result = env.step(calls)
        info = result[-1]
        if env.metadata["autoreset_mode"].value == "Disabled" and len(result) > 2 and result[2].any():
            info = env.reset(options={"reset_mask": result[2]})[-1]
        out.append([part.tobytes() for part in (*result[:-1], result[-1]["action_mask"])])
    return out, {"action_mask": info["action_mask"].copy()}


@in_every_case
def test_a_copy_of_the_vector_env_goes_on_as_it_would(name, way):
    mode, way = {"shared": "Disabled", "deepcopy": "SameStep", "pickle": "NextStep"}[way], WAYS[way]
    env = BiddingVectorEnv(TABLES, autoreset_mode=mode, copy=mode != "SameStep", **SETTINGS[name])
    untouched = way(env)
    _, info = play_many(env, 31, 0)
    other, early = way(env), way(env)
    expected, _ = play_many(env, STEPS, 31, info)
    assert play_many(other, STEPS, 31, info)[0] == expected
    assert play_many(early, 10, 31, info)[0] == expected[:10]
    assert play_many(untouched, 31 + STEPS, 0)[0][31:] == expected


def _play_pickled(pickled, info, results):
    results.put(play_many(pickle.loads(pickled), STEPS, 31, info)[0])


def test_it_goes_on_in_another_process():
    env = BiddingVectorEnv(TABLES, learner="all", reward="imps_vs_par")
    _, info = play_many(env, 31, 0)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    child = context.Process(target=_play_pickled, args=(pickle.dumps(env), info, results))
    child.start()
    assert results.get(timeout=120) == play_many(env, STEPS, 31, info)[0]
    child.join(timeout=60)
    assert child.exitcode == 0


# --- PettingZoo's -------------------------------------------------------------------------------------------


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


@in_every_way
def test_a_copy_of_the_aec_env_goes_on_as_it_would(way):
    aec = pytest.importorskip("bridge_env.envs.aec", exc_type=ImportError)
    for env, played in ((aec.BiddingAEC(), 0), (aec.env(reward="points"), 33)):
        play_in_turn(env, played, 0)
        other, twin = way(env), way(env)
        expected = play_in_turn(env, STEPS, played)
        assert play_in_turn(other, STEPS, played) == expected
        again = play_in_turn(twin, 50, played)
        assert again == expected[: len(again)]
