"""Systems that call together at tables: the same calls as each of them alone, wherever they sit."""

import numpy as np
import pytest

from bridge_env.bidders import bidding
from bridge_env.bidders.registry import make
from bridge_env.envs import table
from bridge_env.envs.compiled.steps import sample_legal
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.rng import streams

SETTINGS = {
    "as it comes": {},
    "both of a pair": {"learner": "EW"},
    "systems that differ": {"learner": "N", "partner": "acol", "opponents": "precision", "control": "sayc"},
    "players that differ": {"learner": "NS", "opponents": "pair:system:sayc,system:polish", "control": "acol"},
    "half a pair": {"learner": "W", "opponents": "pair:random,system:polish", "control": "pair:system:acol,doubler"},
    "against strangers": {"learner": "S", "opponents": "random", "control": "doubler"},
    "a network among them": {"learner": "NS", "opponents": "pair:policy:champion-plain,system:sayc"},
}


def played(env, seed, rounds=14):
    """Everything that a run of random legal calls returns."""
    seen = []
    observation, info = env.reset(seed=seed)
    calls = np.zeros(env.num_envs, np.int64)
    for turn in range(rounds):
        sample_legal(info["action_mask"], streams.key("test", seed, np.arange(turn, turn + 1))[0], calls)
        calls[:: 2 + turn % 2] = 0  # auctions that systems know, too
        observation, reward, over, _, info = env.step(calls)
        seen.append((observation, reward, over, info["action_mask"], info.get("score"), info.get("control_score")))
    return seen


def assert_equal(one, other):
    for a, b in zip(one, other, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)


def make_env(settings):
    return BiddingVectorEnv(32, **settings)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_company_calls_as_its_members_would_alone(name, monkeypatch):
    together = make_env(SETTINGS[name])
    assert together._tables._group is not None or name == "against strangers"
    seen = played(together, 3)
    monkeypatch.setattr(table, "bidder_group", lambda seats, tables: None)
    alone = make_env(SETTINGS[name])
    assert alone._tables._group is None
    assert_equal(seen, played(alone, 3))


def test_players_that_can_call_together():
    sayc, pair = make("system:sayc"), make("pair:system:acol,pass")
    assert bidding.bidder_group([None, make("random"), None, make("policy:champion-plain")], 3) is None
    assert bidding.bidder_group([sayc, None, sayc, make("pass")], 3).seats.tolist() == [True, False, True, False]
    assert bidding.bidder_group([pair, None, pair, sayc], 3).seats.tolist() == [True, False, False, True]
