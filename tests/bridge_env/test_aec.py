"""The PettingZoo env: PettingZoo's own tests, and the same boards as the vector env's."""

import importlib
import re
import sys
from functools import partial

import numpy as np
import pytest
from support.bidders import SLAM

from bridge_env.envs.episodes import table_seeds
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rules.calls import PASS, parse_call

pytest.importorskip("pettingzoo")

import pettingzoo
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from bridge_env.envs import aec
from bridge_env.io.optional_dependencies import how_to_install

IN_OBSERVATION_OR_REWARDS = {"action_mask", "seat_rewards"}

SETTINGS = [
    {}, {"reward": "points", "deals": "judging", "dealer": "E"}, {"observation": "hand", "text": True},
    {"observation": "shown:sayc"},
]  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_the_tests_of_pettingzoo(setting):
    api_test(aec.raw_env(**setting), num_cycles=40)
    api_test(aec.env(**setting), num_cycles=40)
    seed_test(partial(aec.env, **setting), num_cycles=20)
    parallel_api_test(aec.parallel_env(**setting), num_cycles=40)
    parallel_seed_test(partial(aec.parallel_env, **setting), num_cycles=20)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_render_of_pettingzoo():
    render_test(aec.env, custom_tests={"ansi": lambda text: isinstance(text, str)})


def test_the_boards_are_those_of_the_vector_env():
    """Random auctions, with an illegal call here and there, at both envs."""
    count, ended = 20, 0
    many, envs = BiddingVectorEnv(count, learner="all", autoreset_mode="SameStep"), [aec.env() for _ in range(count)]
    obs, info = many.reset(seed=3)
    rng = np.random.default_rng(0)
    for one, seed in zip(envs, table_seeds(3, count).tolist(), strict=True):
        one.reset(seed=seed)
    while ended < 200:
        calls = (rng.random((count, 38)) * (info["action_mask"] + 0.002)).argmax(axis=1)
        for i, one in enumerate(envs):
            seen, reward, _, _, mine = one.last()
            assert mine["seat"] == info["seat"][i]
            np.testing.assert_array_equal(seen["observation"], obs[i])
            np.testing.assert_array_equal(seen["action_mask"], info["action_mask"][i])
            assert reward == 0
            one.step(int(calls[i]))
        obs, _, terminated, _, info = many.step(calls)
        for i, one in enumerate(envs):
            assert all(one.terminations.values()) == terminated[i]
            there = info["final_info"] if terminated[i] else info
            for name, value in one.infos["N"].items():
                assert value == there[name][i], name
            assert (
                set(one.infos["N"])
                == {n for n in there if n[0] != "_" and "final" not in n} - IN_OBSERVATION_OR_REWARDS
            )
            if terminated[i]:
                assert list(one.rewards.values()) == info["seat_rewards"][i].tolist()
                one.reset()
                ended += 1


def test_they_are_in_the_registries_of_pettingzoo():
    assert pettingzoo.make("aec", aec.ID, dealer="E").possible_agents == list("NESW")
    together = pettingzoo.make("parallel", aec.ID)
    seen, _ = together.reset(seed=1)
    for _ in range(4):
        seen, _, ended, _, _ = together.step({agent: 0 for agent in seen})
    assert all(ended.values())
    assert all(seen[agent]["action_mask"].any() for agent in seen)


def test_an_auction_by_hand():
    env = aec.env(reward="points", dealer="E", vulnerability="None", render_mode="ansi", text=True)
    env.reset(seed=1, options={"deal": SLAM})
    assert env.agent_selection == "E"
    with pytest.raises(ValueError, match="it is the turn of E"):
        env.unwrapped.step(None)
    assert env.observe("S")["observation"][428:].sum() == 13
    assert np.flatnonzero(env.observe("S")["action_mask"]).tolist() == [PASS]  # which is ignored
    for call in ("3NT", "P", "P", "P"):
        env.step(parse_call(call))
    assert env.rewards == {"N": -490, "E": 490, "S": -490, "W": 490}
    assert (env.infos["W"]["score"], env.infos["N"]["score"], env.infos["N"]["contract"]) == (490, -490, "3NT E")
    assert "3NT by E" in env.render()
    seen = []
    for agent in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        assert terminated
        seen.append((agent, reward))
        env.step(None)
    assert sorted(seen) == [("E", 490), ("N", -490), ("S", -490), ("W", 490)]
    assert env.agents == []


def test_without_pettingzoo_the_error_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "bridge_env.envs.aec")
    with pytest.raises(ImportError, match=re.escape(how_to_install("pettingzoo"))):
        importlib.import_module("bridge_env.envs.aec")
