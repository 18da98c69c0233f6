"""Copies and pickles of envs: they go on as the env would, in memory of their own, here or in another process."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from support.envs import some_deals

from bridge_env.envs.compiled.rounds import sample_legal
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rng import streams

STEPS = 250
TABLES = 12


SETTINGS = {
    "all": {"learner": "all"},
    "random": {"learner": "S", "partner": "random", "opponents": "random", "reward": "imps_vs_par"},
    "imps": {"learner": "NS", "opponents": "doubler", "control": "random"},
    "own deals": {"learner": "all", "deals": some_deals()},
    "systems": {"learner": "NS", "opponents": "system:acol", "control": "pass"},
}
in_every_setting = pytest.mark.parametrize("kwargs", SETTINGS.values(), ids=SETTINGS.keys())


def through_shared_memory(env):
    """Pickled as Ray does it: the arrays come back over memory that cannot be written to."""
    buffers = []
    data = pickle.dumps(env, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(b.raw()) for b in buffers])


def through_a_pickle(env):
    return pickle.loads(pickle.dumps(env))


WAYS = {"deepcopy": copy.deepcopy, "pickle": through_a_pickle, "shared": through_shared_memory}
in_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


def flat(value):
    """Everything that is told, as bytes and words in order."""
    if isinstance(value, dict):
        return [part for name in sorted(value) for part in (name, *flat(value[name]))]
    if isinstance(value, tuple | list):
        return [part for one in value for part in flat(one)]
    return [value.tobytes() if isinstance(value, np.ndarray) else repr(value)]


# --- one table ----------------------------------------------------------------------------------------------


def play_one(env, steps, first, told=None):
    """Random calls, now and then an illegal one; what is told, and the last of it, with which to go on."""
    out = []
    for step in range(first, first + steps):
        if told is None or told[-3]:
            obs, info = env.reset(**({"seed": 3} if told is None else {}))
            told = (obs, info["action_mask"], False, False, info)
        else:
            chance = int(streams.key("copies", step)[0])
            calls = np.flatnonzero(told[-1]["action_mask"] if chance % 41 else told[-1]["action_mask"] == 0)
            told = env.step(int(calls[chance // 41 % len(calls)]) if len(calls) else 0)
        out += flat(told)
    return out, told


@in_every_way
@in_every_setting
def test_a_copy_of_the_single_env_goes_on_as_it_would(kwargs, way):
    env, told = BiddingEnv(**kwargs), None
    played, copies = 0, [(way(env), 0, None)]
    for steps in (1, 1, 5, 38):  # after the reset, and at more or less far in an episode
        _, told = play_one(env, steps, played, told)
        played += steps
        copies.append((way(env), played, told))
    expected, _ = play_one(env, STEPS, played, told)
    ours = copies.pop()
    assert play_one(ours[0], STEPS, *ours[1:])[0] == expected
    for other, at, seen in copies:  # the copies made before have not been touched by all that
        again, _ = play_one(other, played - at + STEPS, at, seen)
        assert again[-len(expected) :] == expected


# --- many tables --------------------------------------------------------------------------------------------


def play_many(env, steps, first, info):
    """Random calls, now and then illegal ones; a digest of all that is told, and the last of it."""
    out = []
    for step in range(first, first + steps):
        if info is None:
            told = env.reset(seed=3)
        else:
            calls = sample_legal(info["action_mask"], streams.key("copies", step)[0])
            calls[step % 41 :: 41] = 2
            told = env.step(calls)
        info = told[-1]
        over = told[2] if len(told) > 2 else np.zeros(env.num_envs, bool)
        if env.metadata["autoreset_mode"].value == "Disabled" and over.any():
            info = env.reset(options={"reset_mask": over})[-1]
        out.append(hash(tuple(flat(masked(told)))))
    return out, {"action_mask": info["action_mask"].copy()}


def masked(told):
    """What is told, without what the masks in ``info`` say means nothing."""
    if not isinstance(told[-1], dict):
        return told
    info = {}
    for name, value in told[-1].items():
        if isinstance(value, dict):
            value = masked((value,))[0]
        elif "_" + name in told[-1] and value.shape[:1] == told[-1]["_" + name].shape:
            value = value[told[-1]["_" + name]]
        info[name] = value
    return (*told[:-1], info)


@pytest.mark.parametrize(("mode", "way"), [*zip(["NextStep", "SameStep", "Disabled"], WAYS.values(), strict=True)])
@in_every_setting
def test_a_copy_of_the_vector_env_goes_on_as_it_would(kwargs, mode, way):
    env = BiddingVectorEnv(TABLES, autoreset_mode=mode, **kwargs)
    untouched = way(env)
    _, info = play_many(env, 1, 0, None)
    _, info = play_many(env, 30, 1, info)
    other, early = way(env), way(env)
    expected, _ = play_many(env, STEPS, 31, info)
    assert play_many(other, STEPS, 31, info)[0] == expected
    assert play_many(early, 10, 31, info)[0] == expected[:10]
    _, info = play_many(untouched, 1, 0, None)
    assert play_many(untouched, 30 + STEPS, 1, info)[0][30:] == expected


@in_every_way
def test_a_copy_has_arrays_of_its_own(way):
    env = BiddingVectorEnv(70, learner="all", copy=False)
    _, info = play_many(env, 1, 0, None)
    _, info = play_many(env, 20, 1, info)
    other = way(env)
    expected, _ = play_many(env, 60, 21, info)
    assert play_many(other, 60, 21, info)[0] == expected
    assert other.action_masks().tolist() == env.action_masks().tolist()


def test_it_goes_on_in_another_process():
    env = BiddingVectorEnv(TABLES, learner="all", reward="imps_vs_par")
    _, info = play_many(env, 1, 0, None)
    _, info = play_many(env, 30, 1, info)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    child = context.Process(target=_digests, args=(pickle.dumps(env), info, results))
    child.start()
    here = np.array(_sums(env, info))
    np.testing.assert_array_equal(results.get(timeout=120), here)
    child.join(timeout=60)
    assert child.exitcode == 0


def _sums(env, info):
    """What is told in some steps, as numbers that every process gives alike."""
    out = []
    for step in range(STEPS):
        obs, reward, over, _, info = env.step(sample_legal(info["action_mask"], streams.key("copies", step)[0]))
        out.append([int((obs.astype(np.int64) @ np.arange(480)).sum()), int(reward.sum()), int(over.sum())])
    return out


def _digests(pickled, info, results):
    results.put(np.array(_sums(pickle.loads(pickled), info)))


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
@pytest.mark.parametrize("played", [0, 1, 33])
def test_a_copy_of_the_aec_env_goes_on_as_it_would(way, played):
    aec = pytest.importorskip("bridge_env.envs.aec", exc_type=ImportError)
    for env in (aec.BiddingAEC(), aec.env(reward="points")):
        play_in_turn(env, played, 0)
        other, kept = way(env), way(env)
        expected = play_in_turn(env, STEPS, played)
        assert play_in_turn(other, STEPS, played) == expected
        again = play_in_turn(kept, 100, played)
        assert again == expected[: len(again)]
