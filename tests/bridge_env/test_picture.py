"""Pictures of a table, in the three envs."""

from itertools import pairwise

import numpy as np
import pytest
from support.bidders import SLAM

from bridge_env.envs.episodes import table_seeds
from bridge_env.envs.picture import HEIGHT, WIDTH
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv


def started(**setting):
    env = BiddingEnv(learner="all", **setting)
    env.reset(seed=1, options={"deal": SLAM, "dealer": "E", "vulnerability": "NS"})
    return env


def test_a_frame_changes_with_every_call_and_only_there():
    env, frames = started(render_mode="rgb_array"), []
    for call in (7, 0, 8, 0, 0, 0):
        frames.append(env.render())
        env.step(call)
    frames.append(env.render())
    for frame in frames:
        assert (frame.shape, frame.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
    inside = np.s_[24:140, 170:290]  # North's hand
    for one, other in pairwise(frames):
        assert (one != other).any(axis=2)[:, 460:].any()
        assert (one != other).any(axis=2)[:, :460].any()  # whose turn it is
        np.testing.assert_array_equal(one[inside], other[inside])
    np.testing.assert_array_equal(frames[-1], env.render())
    assert (frames[-1] != frames[-2]).any(axis=2)[400:, 460:].any()  # the result


def test_long_auctions_show_their_last_rounds():
    env = started(render_mode="rgb_array")
    for bid in range(3, 38):
        env.step(bid)
        env.step(0)
        env.step(0)
    assert env.render().shape == (HEIGHT, WIDTH, 3)


def test_the_vector_env_draws_every_table():
    env = BiddingVectorEnv(3, learner="all", render_mode="rgb_array")
    env.reset(seed=1)
    frames = env.render()
    assert len(frames) == 3
    single = BiddingEnv(learner="all", render_mode="rgb_array")
    for seed, frame in zip(table_seeds(1, 3).tolist(), frames, strict=True):
        single.reset(seed=seed)
        np.testing.assert_array_equal(single.render(), frame)


def test_a_window_is_renewed_by_reset_and_step_and_closed(monkeypatch):
    import matplotlib.pyplot as plt

    shown = []
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "pause", lambda seconds: shown.append((seconds, len(plt.get_fignums()))))
    env = started(render_mode="human")
    assert env.render() is None
    for call in (7, 0, 0, 0):
        env.step(call)
    assert shown == [(1.0, 1)] * 6
    env.close()
    assert plt.get_fignums() == []


def test_pettingzoo_draws_too():
    aec = pytest.importorskip("bridge_env.envs.aec", exc_type=ImportError)
    env = aec.raw_env(render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (HEIGHT, WIDTH, 3)
