"""The adapter to SB3 beside SB3's own vector envs, and PPO, which must learn a toy in seconds."""

import subprocess
import sys
from functools import partial

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor
from support.bidders import ID, PART, SLAM

from agents.registry import make_policy
from bridge_env.double_dummy.boards import boards_of
from bridge_env.double_dummy.exact import library_then_solver
from bridge_env.envs.deals import FixedDeals
from bridge_env.envs.episodes import table_seeds
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.hands.deals import parse_deal
from training.cli.app import main
from training.configs import widths
from training.evaluation.duplicate import match
from training.integrations.sb3 import PPOConfig, SB3VecEnv, make_env, make_model, policy_of
from training.networks import ppo
from training.runtime import runs
from training.runtime.runs import Progress

TABLES = 6
SETTING = {"learner": "NS", "opponents": "random", "control": "pass", "reward": "points"}
TINY = ["--minutes", "0", "--tables", "16", "--rollout", "8", "--batch", "64", "--layers", "16", "--evaluate", "20",
        "--judge", "20"]  # fmt: skip


class Seeded(gymnasium.Wrapper):
    """A single env with the seed of a table of the vector env, whose seed is the one that SB3 names for table 0."""

    def __init__(self, table):
        super().__init__(BiddingEnv(**SETTING))
        self.table = table

    def reset(self, *, seed=None, options=None):
        seed = seed if seed is None else int(table_seeds(seed - self.table, TABLES)[self.table])
        return self.env.reset(seed=seed, options=options)

    def action_masks(self):
        return self.env.action_masks()


def adapter(count=TABLES, **setting):
    return SB3VecEnv(BiddingVectorEnv(count, autoreset_mode="SameStep", **SETTING | setting))


def story(env):
    """All that SB3 sees of an env under a random player that keeps to the masks."""
    rng = np.random.default_rng(3)
    env.seed(11)
    seen = [env.reset()]
    endings = []
    for _ in range(60):
        masks = get_action_masks(env)
        actions = (masks * rng.random(masks.shape)).argmax(axis=1)
        observation, rewards, dones, infos = env.step(actions)
        seen += [masks, observation, rewards, dones]
        endings += [(info["terminal_observation"], info["score"]) for info, d in zip(infos, dones, strict=True) if d]
        assert not any("terminal_observation" in info for info, d in zip(infos, dones, strict=True) if not d)
        np.testing.assert_array_equal(rewards[~dones], 0)
        np.testing.assert_array_equal(rewards[dones], [i["score"] for i, d in zip(infos, dones, strict=True) if d])
    env.close()
    assert len(endings) > 60
    return seen, endings


def test_sb3_sees_the_same_as_through_its_own_vector_env():
    """Observations, masks, rewards, ends, last observations, last rewards."""
    ours, theirs = story(adapter()), story(DummyVecEnv([partial(Seeded, table) for table in range(TABLES)]))
    for a, b in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(ours[1]) == len(theirs[1])
    for (seen_a, score_a), (seen_b, score_b) in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_array_equal(seen_a, seen_b)
        assert score_a == score_b


def test_observations_are_not_written_to_again():
    env = adapter(copy=False)
    env.seed(1)
    first = env.reset()
    copy = first.copy()
    second, _, _, _ = env.step(np.zeros(TABLES, np.int64))
    third, *_ = env.step(get_action_masks(env).argmax(axis=1))
    np.testing.assert_array_equal(first, copy)
    assert not np.shares_memory(second, third)


def test_masks_come_in_one_call():
    env = adapter()
    env.reset()
    requests = []
    masks = env.env.action_masks
    env.env.action_masks = lambda: requests.append(1) or masks()
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (TABLES, 38)
    assert len(requests) == 1
    assert [mask.shape for mask in env.env_method("action_masks", indices=[1, 4])] == [(38,), (38,)]


def test_the_rest_of_vec_env():
    env = adapter()
    assert env.get_attr("num_envs", indices=0) == [TABLES]
    assert not env.has_attr("nothing")
    env.set_attr("mine", 3)
    with pytest.raises(ValueError, match="set it for all"):
        env.set_attr("mine", 4, indices=[0])
    assert env.get_attr("mine") == [3] * TABLES
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * TABLES
    env.set_options({"dealer": "N"})
    with pytest.raises(ValueError, match="options"):
        env.reset()
    with pytest.raises(ValueError, match="autoreset mode SAME_STEP"):
        SB3VecEnv(BiddingVectorEnv(2, **SETTING))
    with pytest.raises(ValueError, match="one learner"):
        adapter(learner="all", reward="imps_vs_par")
    with pytest.raises(ValueError, match="leave masked=True out"):
        adapter(masked=True)
    with pytest.raises(ValueError, match="one seat for another's calls"):
        MaskablePPO("MlpPolicy", gymnasium.make(ID, learner="all"), n_steps=8).learn(8)


def test_infos_hold_episodes_as_a_monitor_adds_them():
    """In the env's unit whatever the scale."""
    ours = SB3VecEnv(BiddingVectorEnv(TABLES, autoreset_mode="SameStep", **SETTING), 0.01)
    theirs = VecMonitor(adapter())
    episodes = []
    for env in (ours, theirs):
        env.seed(5)
        env.reset()
        rng, found = np.random.default_rng(4), []
        for _ in range(40):
            masks = get_action_masks(env)
            _, _, dones, infos = env.step((masks * rng.random(masks.shape)).argmax(axis=1))
            assert ["episode" in info for info in infos] == dones.tolist()
            found += [(info["episode"]["r"], info["episode"]["l"]) for info in infos if "episode" in info]
        episodes.append(found)
    assert episodes[0] == episodes[1]
    assert len({calls for _, calls in episodes[0]}) > 1


@pytest.mark.slow
def test_ppo_learns_when_to_bid_what():
    """Two deals: on one, hearts make nine tricks for North-South; on the other every bid of theirs costs."""
    owner = np.stack([parse_deal(SLAM), parse_deal(PART)])
    tricks = library_then_solver().tricks(owner)
    assert tricks[1, 0, 2] == 9
    deals = FixedDeals(boards_of(owner, tricks))
    config = PPOConfig(tables=64, rollout=16, batch=256, layers="32", learning_rate=5e-3)
    setting = {"learner": "NS", "opponents": "pass", "reward": "points", "deals": deals, "dealer": "N"}
    env = SB3VecEnv(BiddingVectorEnv(64, autoreset_mode="SameStep", **setting), 0.01)
    torch.set_num_threads(1)
    model = make_model(config, env)
    model.learn(30_000)
    assert len(model.ep_info_buffer)
    bidder = policy_of(model, {})
    table = BiddingEnv(text=True, **setting)
    paid = {}
    for _ in range(8):
        observation, info = table.reset()
        over = False
        while not over:
            outputs = np.where(info["action_mask"], bidder.outputs(observation[None])[0], -np.inf)
            observation, reward, over, _, info = table.step(int(outputs.argmax()))
        paid[info["auction"]] = reward
    assert set(paid.values()) == {0, 140}, paid


def test_the_exported_policy_calls_as_the_model_does():
    env = make_env(PPOConfig(tables=256))
    model = make_model(PPOConfig(tables=256, rollout=2), env)
    torch.nn.init.normal_(model.policy.action_net.weight, std=0.5)
    env.seed(1)
    observation, masks = env.reset(), get_action_masks(env)
    theirs, _ = model.predict(observation, action_masks=masks, deterministic=True)
    outputs = np.where(masks, policy_of(model, {}).outputs(observation), -np.inf)
    assert (outputs.argmax(axis=1) == theirs).mean() > 0.99


def test_a_callback_of_the_user_is_called(tmp_path):
    calls = []

    class Mine(BaseCallback):
        def _on_step(self):
            calls.append(self.num_timesteps)
            return len(calls) < 3

    config = PPOConfig(
        minutes=0, steps=6400, tables=16, rollout=8, batch=64, layers="16", evaluate=20, judge=20
    )  # fmt: skip
    ppo.train_ppo(config, out=tmp_path, callbacks=[Mine()])
    assert len(calls) == 3  # the third ended the learning


def test_train_writes_a_run_that_plays_and_goes_on(tmp_path, capsys):
    assert main(["train", "ppo", "--steps", "384", "--out", str(tmp_path), "--name", "a", *TINY]) == 0
    folder = tmp_path / "train" / "a"
    assert "abroad: gatekeepers" in capsys.readouterr().out
    for name in ("policy.npz", "learning_curve.png", "report.md", "metrics.jsonl"):
        assert (folder / name).stat().st_size
    assert make_policy(str(folder / "policy.npz")).networks.trained["steps"] == 384
    assert len(match(f"policy:{folder / 'policy.npz'}", "system:sayc", 20).imps) == 20
    assert runs.read_manifest(folder)["versions"]["sb3-contrib"]
    assert main(["train", "ppo", "--resume", str(folder), "--steps", "512"]) == 0
    assert make_policy(str(folder / "policy.npz")).networks.trained["steps"] == 512
    assert [row["steps"] for row in runs.read_result(folder, runs.METRICS)] == [0, 384, 512]
    assert runs.read_manifest(folder)["config"]["steps"] == 512
    for wrong in (["--seed", "2"], ["--name", "b"]):
        assert main(["train", "ppo", "--resume", str(folder), *wrong]) == 2


def test_a_run_that_is_over_before_it_begins_is_saved_and_goes_on(tmp_path):
    folder = tmp_path / "train" / "a"
    assert main(["train", "ppo", "--out", str(tmp_path), "--name", "a", *TINY, "--minutes", "0.0001"]) == 0
    assert make_policy(str(folder / "policy.npz")).networks.trained["steps"] == 0
    assert main(["train", "ppo", "--resume", str(folder), "--minutes", "0", "--steps", "128"]) == 0
    assert make_policy(str(folder / "policy.npz")).networks.trained["steps"] == 128


def test_the_same_seed_and_steps_give_the_same_policy(tmp_path):
    for name in "ab":
        assert main(["train", "ppo", "--steps", "256", "--out", str(tmp_path), "--name", name, *TINY]) == 0
    first, second = (tmp_path / "train" / name / "policy.npz" for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_an_interrupted_run_is_saved(tmp_path):
    config = PPOConfig(minutes=0, steps=10_000, tables=16, rollout=8, batch=64, layers="16", evaluate=20)

    class Stop(Progress):
        def to(self, done):
            if done >= 2.56:  # per cent of the steps
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ppo.train_ppo(config, out=tmp_path, name="a", progress=Stop())
    folder = tmp_path / "train" / "a"
    assert runs.read_result(folder, runs.METRICS)[-1]["steps"] == 256
    path = folder / ppo.MODEL
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(runs.RunError, match="missing or damaged"):
        ppo.train_ppo(config, resume=folder)


def test_configs_that_make_no_sense():
    for change in ({"minutes": 0.0}, {"tables": 0}, {"learning_rate": 0.0}, {"layers": "a"}, {"minutes": float("nan")},
                   {"tables": 1, "rollout": 1}):  # fmt: skip
        with pytest.raises(ValueError, match=r"--|widths"):
            PPOConfig(**change).check()
    assert widths("256, 128") == [256, 128]
    assert widths("") == []


def test_a_model_of_other_layers_is_no_file_of_weights():
    env = gymnasium.make("bridge_env:bridge_env/Bidding-v0", opponents="pass", partner="pass", control="pass")
    with pytest.raises(ValueError, match=r"the policy has Tanh\(\); the file holds ReLU networks alone"):
        policy_of(MaskablePPO("MlpPolicy", env, device="cpu"), {})


def test_without_sb3_the_command_says_what_to_install():
    code = """
import sys
sys.modules.update(torch=None, stable_baselines3=None, sb3_contrib=None)
from training.cli.app import main
code = main(["train", "ppo"])
try:
    import training.networks.sb3
except ImportError as error:
    print(error, file=sys.stderr)
sys.exit(code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count('pip install -e ".[rl]" -c constraints.txt') == 2
