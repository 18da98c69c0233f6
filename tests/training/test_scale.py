"""What is foretold of a league on many cores, from what its parts cost."""

import time
from dataclasses import replace

import pytest

from training.bench.scale import CORES, Costs, curve, foretold, markdown, settings_for
from training.bench.tasks import Recorded, Timed
from training.networks.configs import LeagueConfig

FREE = Costs(
    rollout=1.0, policy=0.4, critic=0.1, add=0.0, step=0.0, send=0.0, fetch=0.0, cut=0.0, players=0.0,
    decisions=8192, rewards=4096,
)  # fmt: skip


def test_one_core_does_one_thing_after_the_other():
    assert foretold(FREE, 1, LeagueConfig(rollouts=1, batch=8192)) == pytest.approx(1.0 + 2 * 0.4 + 0.1)
    dear = replace(FREE, step=0.3, players=0.2, add=0.05)
    two_steps = LeagueConfig(rollouts=1, batch=4096)  # of a shard each
    assert foretold(dear, 1, two_steps) == pytest.approx(1.9 + 2 * 0.3 + 0.2)


def test_two_cores_play_and_learn_at_once():
    """Learning takes less than playing: the core that plays sets the pace."""
    assert foretold(FREE, 2, LeagueConfig(rollouts=1, batch=1024)) == pytest.approx(1.0, rel=0.1)


def test_no_number_of_cores_does_more_than_its_work():
    rows = curve(FREE)
    assert [row[0] for row in rows] == list(CORES)
    for cores, config, speed, share in rows:
        assert config == settings_for(cores)
        assert speed <= cores * rows[0][2] * 1.001
        assert share == pytest.approx(speed / cores / rows[0][2])
    assert rows[3][3] > 0.6  # eight cores, where handing out costs nothing


def test_what_one_process_must_do_alone_bends_the_curve():
    slow = replace(FREE, fetch=0.05, send=0.05, add=0.01, cut=0.01)
    shares = [row[3] for row in curve(slow)]
    assert shares[-1] < 0.5 * shares[3]


def test_the_page_tells_costs_runs_and_the_curve():
    page = markdown(FREE, curve(FREE), [(1, 2.0, 1.9), (2, 1.2, 1.1)], "here", "bridge-env bench --scale")
    assert "| 2 | 1.20 | 1.10 |" in page
    assert "| 1 | 1 | 1,024 |" in page
    assert page.count("\n| 256 |") == 1


def test_tasks_are_laid_out_beside_what_one_process_does_alone():
    done = Recorded(20.0, [[4.0, 2.0, 2.0], [1.0] * 8])  # 4 seconds are no task's
    assert done.foretold(1) == pytest.approx(20.0)
    assert done.foretold(2) == pytest.approx(4.0 + 4.0 + 4.0)
    assert done.foretold(64) == pytest.approx(4.0 + 4.0 + 1.0)


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
def test_what_tasks_take_is_written_down(one_ray):
    def _sleep(seconds):  # sent as it stands: a worker knows no module of tests
        time.sleep(seconds)
        return seconds

    with Timed(1, cut_for=5) as cluster:
        assert cluster.workers == 5
        assert sorted(result for _, result in cluster.map(_sleep, [(0.2,), (0.1,), (0.0,)])) == [0.0, 0.1, 0.2]
    ((first, second, third),) = cluster.recorded.maps
    assert first >= 0.2
    assert second >= 0.1
    assert third < 0.1
