"""What the envs show on request, deals and rewards of one's own, pools of opponents, and evaluation."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from support.bidders import ID, QUIET, some_deals

from agents.outputs import Outputs
from bridge_env.bidders.observation import OBSERVATION_SIZE, hand_of, observe
from bridge_env.envs.compiled.steps import sample_legal
from bridge_env.envs.evaluation import evaluate
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.hands.deals import hands
from bridge_env.hands.features import hand_features
from bridge_env.rng import streams
from bridge_env.rules.scoring import imps
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match

MODES = pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])


def steps(env, count=40, seed=1):
    """Make random legal calls; yield what each step returned, the reset first."""
    obs, info = env.reset(seed=seed)
    yield obs, np.zeros(env.num_envs), np.zeros(env.num_envs, bool), info
    for step in range(count):
        calls = sample_legal(info["action_mask"], streams.key("calls", step)[0])
        obs, reward, over, _, info = env.step(calls)
        yield obs, reward, over, info
        if env.autoreset_mode.value == "Disabled" and over.any():
            obs, info = env.reset(options={"reset_mask": over})


@MODES
@pytest.mark.parametrize("setting", [{"learner": "all"}, {"learner": "NS", "opponents": "random", "reward": "points"}])
def test_it_says_whose_turn_it_is_and_what_that_seat_knows(setting, mode):
    env = gymnasium.make_vec(ID, num_envs=50, autoreset_mode=mode, **setting)
    for obs, _, _, info in steps(env):
        view, deals = env.view(), env.deals()
        assert set(info["seat"].tolist()) <= (set(range(4)) if setting["learner"] == "all" else {0, 2})
        assert info["seat"].dtype == np.int8
        np.testing.assert_array_equal(view.seat, info["seat"])
        np.testing.assert_array_equal(view.mask, info["action_mask"])
        np.testing.assert_array_equal(observe(view), obs)
        np.testing.assert_array_equal(hand_of(obs), hands(deals.owner, info["seat"]))


def test_tricks_are_those_that_the_contract_was_scored_at():
    env = BiddingVectorEnv(30, learner="all", autoreset_mode="NextStep")
    seen = 0
    for _, _, over, info in steps(env):
        at = np.flatnonzero(over & (info["bid"] >= 0))
        tricks = env.deals().tricks[at, info["declarer"][at], info["bid"][at] % 5]
        np.testing.assert_array_equal(tricks, info["tricks"][at])
        seen += len(at)
    assert seen > 30


def learned(seat_of, rollouts=300, tables=1024, steps=16, rate=0.02):
    """Return a bidder whose outputs are linear in the observation, after self-play by REINFORCE with Adam.

    Each call is paid what the seat of ``seat_of`` gets.
    """
    env = BiddingVectorEnv(tables, learner="all", autoreset_mode="SameStep")
    rng, rows, count = np.random.default_rng(1), np.arange(tables), np.zeros(tables, int)
    weight, mean, square = np.zeros((3, OBSERVATION_SIZE + 1, 38), np.float32)
    weight[-1, 1:3], weight[-1, 3:] = -2, -0.3 * np.arange(1, 36)  # at first it prefers low bids
    seen, info = env.reset(seed=1)
    for number in range(1, rollouts + 1):
        played = []
        for _ in range(steps):
            inputs = np.append(seen, np.ones((tables, 1)), axis=1).astype(np.float32)
            outputs = np.where(info["action_mask"] == 1, inputs @ weight, -1e9)
            chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            calls, seat = (outputs + rng.gumbel(size=outputs.shape)).argmax(axis=1), seat_of(info, count)
            seen, _, over, _, info = env.step(calls)
            played.append((inputs, np.eye(38)[calls] - chances, seat, over, info["seat_rewards"]))
            count = np.where(over, 0, count + 1)
        paid, gradient = np.zeros((tables, 4)), np.zeros_like(weight)
        for inputs, direction, seat, over, rewards in reversed(played):
            paid[over] = rewards[over]
            gradient += inputs.T @ (direction * paid[rows, seat][:, None]) / (tables * steps)
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient**2 - square)
        weight += rate * mean / (1 - 0.9**number) / (np.sqrt(square / (1 - 0.99**number)) + 1e-8)
    return Outputs(lambda observations: observations @ weight[:-1] + weight[-1])


@pytest.mark.weekly
@pytest.mark.slow
def test_who_trains_by_the_natural_loop_learns_to_bid():
    right, wrong = learned(lambda info, count: info["seat"]), learned(lambda info, count: count % 4)
    boards = library_boards(2000, 1, "training")
    assert match(right, "pass", boards).mean_imps > 0.5
    assert match(wrong, "pass", boards).mean_imps < -1


def mine(view):
    return np.stack([view.hand.sum(axis=1), view.length], axis=1).astype(np.float32)


OBSERVATIONS = [
    {"masked": True}, {"dtype": "float32"}, {"observation": "hand"}, {"observation": mine, "masked": True},
    {"observation": "shown:sayc", "dtype": "float32", "masked": True},
]  # fmt: skip


@pytest.mark.parametrize("setting", OBSERVATIONS, ids="-".join)
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_the_checkers_take_other_observations(setting):
    check_env(gymnasium.make(ID, learner="NS", opponents="pass", reward="points", **setting), skip_render_check=True)


def test_what_the_seats_have_shown():
    env = BiddingVectorEnv(200, learner="all", observation="shown:sayc")
    env.reset(seed=1)
    seen, *_ = env.step(np.full(200, 7))  # 1NT: 15 to 17
    shown = seen[:, 480:].reshape(200, 4, 6, 2)
    assert (shown[:, 3, 0] == [15, 17]).all()  # by the right-hand opponent
    assert (shown[:, 0, 0] == [0, 37]).all()  # nothing yet
    np.testing.assert_array_equal(seen[:, :480], observe(env.view()))


def test_other_arrays_hold_no_hands_of_observations():
    obs, _ = BiddingVectorEnv(20, learner="all").reset(seed=1)
    np.testing.assert_array_equal(hand_of(obs[3]), hand_of(obs)[3])
    with pytest.raises(TypeError, match=r"another order: bridge_env\.bidders\.observation\.hand_of"):
        hand_features(obs[:, 428:])
    with pytest.raises(ValueError, match="observations have 480 numbers"):
        hand_of(obs[:, 428:])


def first_deals(order, tables=3, episodes=9):
    """Return which of eleven deals each of three tables is dealt."""
    deals = some_deals()
    env = BiddingVectorEnv(tables, learner="all", deals=deals, order=order, autoreset_mode="Disabled")
    out = []
    for number in range(episodes):
        env.reset(**({"seed": 5} if number == 0 else {}))
        same = (env.deals().owner[:, None] == deals.boards.owner[None]).all(axis=2)
        out.append(same.argmax(axis=1))
    return np.array(out).T


def test_each_table_begins_at_another_deal():
    number = np.arange(9)
    np.testing.assert_array_equal(first_deals("next"), (np.arange(3)[:, None] + number) % 11)
    np.testing.assert_array_equal(first_deals("spread"), (np.arange(3)[:, None] + 3 * number) % 11)
    shuffled = first_deals("shuffle", episodes=22)
    for table in shuffled:
        assert sorted(table[:11]) == sorted(table[11:]) == list(range(11))
        assert list(table[:11]) != list(table[11:])
    assert len({tuple(table) for table in shuffled}) == 3
    np.testing.assert_array_equal(shuffled, first_deals("shuffle", episodes=22))


@pytest.mark.parametrize("setting", [{"learner": "all"}, {"learner": "NS", "opponents": "random", "control": "pass"}])
def test_an_evaluation_plays_each_deal_once(setting):
    deals = some_deals()

    def policy(seen, mask):
        return np.where(mask[:, 10] == 1, 10, 0)

    rows = evaluate(policy, deals=deals, seed=4, **setting)
    assert {len(column) for column in rows.values()} == {11}
    one = gymnasium.make(ID, deals=deals, **setting)
    for row in range(11):
        seen, info = one.reset(**({"seed": 4} if row == 0 else {}))
        over = False
        while not over:
            seen, reward, over, _, info = one.step(int(policy(seen[None], info["action_mask"][None])[0]))
        reward = info["seat_rewards"][0] if "seat_rewards" in info else reward
        assert rows["reward"][row] == reward
        assert {name: rows[name][row] for name in rows if name != "reward"} == {n: info[n] for n in rows if n in info}


def test_an_evaluation_of_library_deals_needs_a_number():
    with pytest.raises(ValueError, match="say how many boards"):
        evaluate(lambda seen, mask: np.zeros(len(mask), int), **QUIET)
    rows = evaluate(lambda seen, mask: np.zeros(len(mask), int), 5000, **QUIET)
    assert len(rows["reward"]) == 5000
    assert not rows["reward"].any()
    with pytest.raises(ValueError, match="38 is not a call"):
        evaluate(lambda seen, mask: np.full(len(mask), 38), 5, **QUIET)


def test_each_episode_has_an_opponent_of_the_pool():
    setting = {"learner": "S", "partner": "pass", "control": "pass", "opponents": ["pass", "system:sayc", "doubler"]}
    many, again = (BiddingVectorEnv(60, **setting, autoreset_mode="SameStep") for _ in range(2))
    met = np.zeros(3, int)
    for (_, _, over, info), (*_, other) in zip(steps(many), steps(again), strict=True):
        np.testing.assert_array_equal(info["opponent"], other["opponent"])
        if over.any():
            met += np.bincount(info["final_info"]["opponent"][over], minlength=3)
    assert (met > met.sum() / 5).all()
    alone = BiddingVectorEnv(60, **setting | {"opponents": "system:sayc"}, autoreset_mode="Disabled")
    pool = BiddingVectorEnv(60, **setting, autoreset_mode="Disabled")
    seen, there = alone.reset(seed=3)[0], pool.reset(seed=3)
    same = there[1]["opponent"] == 1
    np.testing.assert_array_equal(there[0][same], seen[same])
    mine, theirs = pool.step(np.zeros(60, int)), alone.step(np.zeros(60, int))
    for a, b in zip(mine[:3], theirs[:3], strict=True):
        np.testing.assert_array_equal(a[same], b[same])


def test_weights_of_an_opponent_can_be_swapped():
    weights = np.zeros(38)
    opponent = Outputs(lambda seen: np.tile(weights, (len(seen), 1)))
    env = BiddingVectorEnv(20, learner="NS", opponents=[opponent, "pass"], control="pass", dealer="E")
    _, info = env.reset(seed=1)
    assert (info["action_mask"][:, 10] == 1).all()
    weights[10] = 1
    _, info = env.reset()
    np.testing.assert_array_equal(info["action_mask"][:, 10] == 0, info["opponent"] == 0)
    weights[10] = 0
    rewards = env.step(np.zeros(20, int))[1]
    assert rewards.shape == (20,)


def test_envs_with_seeds_side_by_side_share_no_table():
    first, second = (BiddingVectorEnv(50, learner="all").reset(seed=seed)[0] for seed in (1, 2))
    assert not ({row.tobytes() for row in first} & {row.tobytes() for row in second})


RANDOM = {"partner": "random", "opponents": "random", "control": "random"}


def by_par(score, par):
    """The reward ``imps_vs_par``."""
    return imps(score.astype(int) - par)


def by_control(score, control_score):
    """The reward ``imps``."""
    return imps(score.astype(int) - control_score)


def by_points(score):
    """The reward ``points``."""
    return score


AGAIN = {"imps_vs_par": by_par, "imps": by_control, "points": by_points}


def rounds(reward, count=40, **setting):
    """Rewards, and the seats' if there are any, of random calls at seven tables."""
    env = BiddingVectorEnv(7, reward=reward, illegal_penalty=24, autoreset_mode="SameStep", **setting)
    _, info = env.reset(seed=5)
    out = []
    for step in range(count):
        calls = sample_legal(info["action_mask"], streams.key("calls", step)[0])
        if step % 9 == 0:
            calls[step % 7] = 37 if info["action_mask"][step % 7, 37] == 0 else 1  # mostly illegal
        _, paid, over, _, info = env.step(calls)
        out.append((paid, over, info.get("seat_rewards", paid)))
    return [np.array(part) for part in zip(*out, strict=True)]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("imps_vs_par", {"learner": "all"}),
        ("points", {"learner": "all"}),
        ("imps_vs_par", {"learner": "E", **RANDOM}),
        ("points", {"learner": "NS", **RANDOM}),
        ("imps", {"learner": "S", **RANDOM}),
        ("imps", {"learner": "EW", **RANDOM}),
    ],
)
def test_a_function_can_be_each_of_the_rewards_that_there_are(name, setting):
    mine, there = rounds(AGAIN[name], **setting), rounds(name, **setting)
    for one, other in zip(mine, there, strict=True):
        np.testing.assert_array_equal(one, other)
    assert mine[1].sum() > 10
    assert np.abs(mine[0]).max() > 1


def test_a_function_is_called_with_what_its_parameters_name():
    def bold(contract, tricks, score, side):
        declares = (contract.declarer & 1) == side
        return np.where(declares, contract.bid + tricks / 16, -1) + score / 1000

    env = BiddingEnv(learner="W", reward=bold, illegal_penalty=1, **RANDOM)
    _, info = env.reset(seed=3)
    over = False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        _, paid, over, _, info = env.step(int(legal[-1]))
    assert info["declarer"] & 1 == 1
    assert paid == pytest.approx(info["bid"] + info["tricks"] / 16 + info["score"] / 1000)
    assert "par" not in info  # no parameter has its name


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda score: 0.0, r"shape \(\) for 1 finished auctions; it must return one number for each, \(1,\)"),
        (lambda score: np.zeros((1, 2)), r"shape \(1, 2\)"),
        (lambda score: score / np.zeros(1), r"returned \[nan\]; rewards are finite"),
        (lambda score: ["much"], r"could not convert string to float"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_other_results_are_refused(function, words):
    settings = {"learner": "all", "reward": function, "illegal": "raise"}
    for env, call in ((BiddingEnv(**settings), 0), (BiddingVectorEnv(1, **settings), [0])):
        env.reset(seed=1)
        for _ in range(3):
            env.step(call)
        with pytest.raises(ValueError, match=words):
            env.step(call)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(call)
        env.reset()


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"reward": lambda money: money}, "has the parameter 'money'; its parameters are some of contract, tricks"),
        ({"reward": lambda: 0}, "has none of the parameters; its parameters are some of"),
        ({"reward": lambda par, control_score: par}, "takes par and control_score"),
        ({"reward": lambda control_score: control_score, "learner": "all"}, "does not work with learner='all'"),
        ({"reward": lambda score: score}, "say what an illegal call costs, such as illegal_penalty=24"),
    ],
)
def test_other_parameters_are_refused_at_once(setting, words):
    with pytest.raises(ValueError, match=words):
        BiddingEnv(**setting)
