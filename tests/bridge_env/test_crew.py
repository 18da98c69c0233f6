"""The helpers of a vector env: the same results, however many there are, and no way to hang."""

import multiprocessing
import threading
import time

import numpy as np
import pytest

from bridge_env import streams
from bridge_env.auction import IllegalCall
from bridge_env.envs.kernels.crew import (
    PATIENCE,
    SHARES,
    Crew,
    call_crew,
    gather,
    next_round,
    report,
    take_share,
)
from bridge_env.envs.kernels.rounds import sample_legal
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.kernels import njit

TABLES = 1600  # enough for three threads


def helpers():
    return [thread for thread in threading.enumerate() if thread.name.startswith("bridge_env helper")]


def digest(env, steps, pause=0.0):
    """A number that all that is returned in some steps goes into."""
    obs, info = env.reset(seed=5)
    total = 0
    for step in range(steps):
        calls = sample_legal(info["action_mask"], streams.key("crew", step)[0])
        obs, reward, terminated, _, info = env.step(calls)
        weights = np.arange(1, len(calls) + 1)
        seen = obs.astype(np.int64) @ np.arange(480) + info["action_mask"].astype(np.int64) @ np.arange(38)
        new = (weights * (seen + 7 * reward.astype(np.int64) + 3 * terminated)).sum()
        total = (total * 31 + int(new)) % 1_000_000_007
        time.sleep(pause)
    return total


@njit
def count_shares(posts, helper):
    while True:
        share = take_share(posts, helper)
        if share < 0:
            return
        report(posts, share, 1)


@njit(nogil=True)
def count_round(posts):
    call_crew(posts)
    count_shares(posts, False)
    return gather(posts, PATIENCE)


@njit(nogil=True)
def help_to_count(posts):
    seen = np.int64(0)
    while True:
        seen = next_round(posts, seen, PATIENCE)
        if seen <= 0:
            return
        count_shares(posts, True)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_share_is_done_once_in_each_of_many_short_rounds(count):
    crew = Crew(count, 50, help_to_count)
    for _ in range(3_000):
        crew.rouse()
        first, second, late = count_round(crew.posts)
        if late:
            first, second = crew.gather_late()
        assert (first, second) == (50 * 49 // 2, 50)
    crew.close()


@pytest.mark.parametrize("threads", [2, 3])
def test_the_results_are_the_same_awake_or_after_a_sleep(threads):
    one = BiddingVectorEnv(TABLES, learner="all", reward="imps_vs_par")
    env = BiddingVectorEnv(TABLES, learner="all", reward="imps_vs_par", threads=threads)
    assert digest(env, 100) == digest(one, 100)
    assert digest(env, 30, pause=0.01) == digest(one, 30)  # ten times longer than a helper looks for a round
    assert len(helpers()) >= threads - 1
    env.close()


def test_threads_end_with_the_env():
    before = len(helpers())
    env = BiddingVectorEnv(TABLES, learner="all", threads=3)
    digest(env, 2)
    assert len(helpers()) == before + 2
    env.close()
    env.close_extras()
    assert len(helpers()) == before


def test_bad_calls_are_refused_before_anybody_makes_one():
    env = BiddingVectorEnv(TABLES, learner="all", illegal="raise", threads=3)
    env.reset(seed=1)
    calls = np.full(TABLES, 3)
    calls[TABLES - 1] = 38
    with pytest.raises(ValueError, match=f"38 at table {TABLES - 1} is not a call"):
        env.step(calls)
    calls[TABLES - 1] = 1
    with pytest.raises(IllegalCall):
        env.step(calls)
    assert (env._tables.auctions.length == 0).all()
    env.close()


def test_an_error_of_a_helper_reaches_the_caller_and_ends_the_crew():
    def fails(posts):
        assert take_share(posts, True) == 9
        raise RuntimeError("no way")

    crew = Crew(0, 10, fails)
    call_crew(crew.posts)
    crew._threads = [threading.Thread(target=crew._attend)]  # begins when a round has been called
    crew._threads[0].start()
    with pytest.raises(RuntimeError, match="no way"):
        crew.gather_late()
    assert not crew.here
    with pytest.raises(RuntimeError, match="no way"):
        crew.rouse()
    assert crew.posts[SHARES] == 10


def _digest_in_a_child(env, steps, results):
    results.put(digest(env, steps))


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_child_process_has_helpers_of_its_own():
    env = BiddingVectorEnv(TABLES, learner="all", reward="imps_vs_par", threads=2)
    expected = digest(env, 20)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_digest_in_a_child, args=(env, 20, results))
    child.start()
    assert results.get(timeout=60) == expected
    child.join(timeout=60)
    assert child.exitcode == 0
    env.close()
