"""The single env: Gymnasium's and SB3's contracts, seeds, options, and rewards computed by hand."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from support.bidders import ID, PART, QUIET, SLAM, Unsolved

from bridge_env.bidders import registry
from bridge_env.bidders.observation import hand_of
from bridge_env.bidders.view import view_of
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.single import BiddingEnv
from bridge_env.hands.deals import deal_text, parse_deal
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import PASS, Contract, parse_call

in_every_setting = pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"learner": "NS", "reward": "points", **QUIET},
        {"learner": "E", "reward": "imps_vs_par", "partner": "random", "opponents": "random"},
        {"learner": "EW", "opponents": "doubler", "control": "random", "deals": "judging"},
    ],
    ids=lambda k: ",".join(f"{a}={b}" for a, b in k.items()) or "defaults",
)


def play(env, calls, **reset):
    """Reset and make the learner's calls, which must end the auction; the observation, reward and info."""
    env.reset(**reset)
    for number, call in enumerate(calls):
        obs, reward, terminated, truncated, info = env.step(parse_call(call))
        assert not truncated
        assert terminated == (number == len(calls) - 1)
        assert terminated or reward == 0
    return obs, reward, info


def random_episode(env, rng, **reset):
    """Return all that a random learner sees in an episode."""
    obs, info = env.reset(**reset)
    story = [(obs, info["action_mask"])]
    terminated = False
    while not terminated:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        obs, reward, terminated, _, info = env.step(action)
        story.append((obs, reward, terminated, info))
    return story


def same(a, b):
    return gymnasium.utils.env_checker.data_equivalence(a, b, exact=True)


@pytest.mark.filterwarnings("error::UserWarning", "ignore:.*no window can be opened:UserWarning")
def test_check_env_of_gymnasium():
    check_env(gymnasium.make(ID).unwrapped)


@in_every_setting
@pytest.mark.filterwarnings("error::UserWarning")
def test_check_env_of_sb3(kwargs):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(BiddingEnv(**kwargs))


def test_importing_the_package_is_light_and_registers_the_env():
    code = """
import sys, gymnasium, bridge_env
heavy = {"numba", "torch", "ray", "stable_baselines3", "matplotlib", "agents"} & set(sys.modules)
assert not heavy, heavy
assert "show" in dir(bridge_env) and "show" not in vars(bridge_env)
env = gymnasium.make("bridge_env/Bidding-v0", opponents="pass", partner="pass", control="pass")
env.reset(seed=1)
env.step(0)
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_constructor_opens_nothing(monkeypatch):
    def opened(*args):
        raise AssertionError("data opened")

    for name in ("builtin_library", "read_boards"):
        monkeypatch.setattr(f"bridge_env.envs.deals.{name}", opened)
    env = BiddingEnv()
    BiddingEnv(deals=LibraryDeals())
    with pytest.raises(AssertionError, match="data opened"):
        env.reset(seed=1)


def test_rendering():
    env = BiddingEnv(learner="EW", render_mode="ansi", **QUIET)
    with pytest.raises(ResetNeeded):
        env.render()
    options = {"deal": SLAM, "dealer": "E", "vulnerability": "EW"}
    env.reset(seed=1, options=options)
    text = env.render()
    assert "S K96" in text
    assert "EW vul" in text
    assert "Bidding" not in text
    play(env, ["3NT", "P"], options=options)
    assert env.render().splitlines()[-1] == "3NT by E, 12 tricks, +3: -690"
    assert "3NT" in env.render()


def test_an_episode_with_options_leaves_the_next_ones_as_they_would_be():
    plain, other = BiddingEnv(**QUIET), BiddingEnv(**QUIET)
    for env in (plain, other):
        env.reset(seed=3)
        env.reset()
    plain.reset()
    other.reset(options={"deal": SLAM})
    for _ in range(5):
        assert same(plain.reset(), other.reset())


# learner, dealer, vulnerability, opponents, calls: contract, tricks, score; par; IMPs against a passed-out board
# and IMPs against par.
WORKED = [
    # 3NT by East makes 12: 400 + 3 * 30; vulnerable 600 + 90. Par is 6NT making, 990 or 1440, to EW.
    ("EW", "E", "None", "pass", "3NT P", "3NT E", 12, 490, 990, 10, -11),
    ("E", "E", "EW", "pass", "3NT", "3NT E", 12, 690, 1440, 12, -13),
    ("W", "W", "NS", "pass", "6NT", "6NT W", 12, 990, 990, 14, 0),
    ("W", "W", "Both", "pass", "7NT", "7NT W", 12, -100, 1440, -3, -17),
    # 2NT by North takes one trick: seven down, doubled, 100 + 2 * 200 + 4 * 300; vulnerable 200 + 6 * 300;
    # twice that redoubled.
    ("NS", "N", "None", "doubler", "2NT P P", "2NTX N", 1, -1700, -990, -17, -12),
    ("NS", "N", "NS", "doubler", "2NT P P", "2NTX N", 1, -2000, -990, -19, -14),
    ("NS", "N", "EW", "doubler", "2NT P XX P", "2NTXX N", 1, -3400, -1440, -22, -18),
    # The board is passed out.
    ("S", "S", "None", "pass", "P", "Pass", -1, 0, -990, 0, 14),
]


@pytest.mark.parametrize("worked", WORKED, ids=lambda w: f"{w[0]} {w[2]} {w[5]}")
@pytest.mark.parametrize("reward", ["points", "imps", "imps_vs_par"])
def test_rewards_of_hand_worked_boards(worked, reward):
    learner, dealer, vulnerability, opponents, calls, contract, tricks, score, par, imps, imps_vs_par = worked
    env = BiddingEnv(
        learner=learner, partner="pass", opponents=opponents, control="pass", reward=reward, dealer=dealer,
        vulnerability=vulnerability, text=True,
    )  # fmt: skip
    _, paid, info = play(env, calls.split(), options={"deal": SLAM})
    assert (info["contract"], info["tricks"], info["score"]) == (contract, tricks, score)
    assert paid == {"points": score, "imps": imps, "imps_vs_par": imps_vs_par}[reward]
    if reward == "imps":
        assert (info["control_contract"], info["control_score"]) == ("Pass", 0)
    if reward == "imps_vs_par":
        assert info["par"] == par
    assert ("par" in info, "control_score" in info) == (reward == "imps_vs_par", reward == "imps")
    assert info["auction"].startswith(dealer + ": ")


def test_the_other_table_is_bid_by_the_control_pair():
    # Its cheapest bid each time: 1C, 1D ... 7NT, all by the control pair, over silent opponents; 7NT has 8 tricks.
    class Climber:
        def bid(self, view, key):
            bids = view.mask[:, 3:]
            return np.where(bids.any(axis=1), bids.argmax(axis=1) + 3, PASS).astype(np.int8)

    env = BiddingEnv(learner="NS", opponents="pass", control=Climber(), dealer="N", vulnerability="NS", text=True)
    _, paid, info = play(env, ["1H", "P"], options={"deal": PART})
    # 1H makes 9 tricks: 30 * 3 + 50 = 140. 7NT by North, who named no trump first, is five down vulnerable: -500.
    assert (info["contract"], info["score"]) == ("1H N", 140)
    assert (info["control_contract"], info["control_score"]) == ("7NT N", -500)
    assert paid == 12  # 640 points


def episode_of(env, bidder):
    """Play an episode with a bidder in the learner's place; return the reward and the last info."""
    env.reset()
    terminated = False
    while not terminated:
        view = env.view()
        _, reward, terminated, _, info = env.step(bidder.bid(view, streams.key(env._tables.state.key, view.length))[0])
    return reward, info


@pytest.mark.parametrize("spec", ["doubler", "random", "system:sayc"])
@pytest.mark.parametrize(("learner", "opponents"), [("S", "random"), ("NS", "doubler"), ("W", "system:sayc")])
def test_a_learner_that_calls_as_the_control_pair_scores_0(spec, learner, opponents):
    env = BiddingEnv(learner=learner, partner=spec, opponents=opponents, control=spec, text=True)
    guest = registry.make(spec, partner=spec, opponents=opponents)
    env.reset(seed=1)
    for _ in range(15):
        reward, info = episode_of(env, guest)
        assert reward == 0
        assert (info["contract"], info["score"]) == (info["control_contract"], info["control_score"])


@pytest.mark.parametrize(
    ("kwargs", "paid"),
    [
        ({"reward": "imps"}, -24),
        ({"reward": "imps_vs_par"}, -24),
        ({"reward": "points"}, -7600),
        ({"illegal_penalty": 3.5}, -3.5),
        ({"illegal_penalty": 0}, 0),
    ],
)
def test_an_illegal_call_ends_the_episode_at_a_price(kwargs, paid):
    env = BiddingEnv(learner="NS", dealer="N", **QUIET, **kwargs)
    env.reset(seed=1)
    env.step(parse_call("2H"))
    obs, reward, terminated, truncated, info = env.step(parse_call("2D"))
    assert (reward, terminated, truncated, info["illegal_action"]) == (paid, True, False, True)
    assert obs in env.observation_space
    assert (info["bid"], info["tricks"]) == (-1, -1)
    with pytest.raises(ResetNeeded):
        env.step(PASS)
    _, info = env.reset()
    assert info["action_mask"][PASS]
    assert not info["illegal_action"]


def test_a_bidder_that_is_not_needed_is_not_made():
    BiddingEnv(learner="NS", partner="nobody", opponents="pass", control="pass")
    BiddingEnv(partner="pass", opponents="pass", control="nobody", reward="points")


def test_a_deal_is_text_or_owners():
    env = BiddingEnv(**QUIET)
    owner = parse_deal(PART)
    seen = [env.reset(seed=1, options={"deal": deal})[0] for deal in (PART, deal_text(owner, 2), owner, owner[None])]
    for other in seen[1:]:
        np.testing.assert_array_equal(other, seen[0])
    held = view_of(one_auction([], 2), owner[None]).hand[0]
    np.testing.assert_array_equal(hand_of(seen[0]), held)


@pytest.mark.parametrize("reward", ["points", "imps", "imps_vs_par"])
def test_only_the_contracts_reached_are_solved(reward, monkeypatch):
    deals, random = Unsolved(), {"partner": "random", "opponents": "random", "control": "random"}
    for module in ("double_dummy.boards", "envs.episodes"):
        monkeypatch.setattr(f"bridge_env.{module}.library_then_solver", lambda: deals)
    env = BiddingEnv(deals=deals, reward=reward, text=True, **random)
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    for _ in range(30):
        deals.requests.clear()
        info = random_episode(env, rng)[-1][3]
        contracts = [Contract.parse(info[name]) for name in ("contract", "control_contract") if name in info]
        needed = {(c.declarer, c.strain) for c in contracts if not c.passed_out}
        assert sum(deals.requests) == (20 if reward == "imps_vs_par" else len(needed))
