"""Several nodes: ``--address`` joins a running cluster, and the packages travel to its nodes."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from bridge_env.double_dummy import ExactDoubleDummy
from training.evolve import generations
from training.evolve.config import EvolveConfig
from training.running.cluster import Cluster, ClusterError
from training.solve import solve_random

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]  # one Ray at a time
TOY = "system: toy\n4S    5+ S, 8+ hcp\nP\nwhen 0-7 last-level\n  P\n"


@pytest.fixture
def config(tmp_path):
    (tmp_path / "toy.bidding").write_text(TOY)
    toy = str(tmp_path / "toy.bidding")
    return EvolveConfig(
        seed=3, start=toy, control=toy, generations=1, partnerships=1, proposals=5, positions=3, study=300, boards=300,
        confirm=300, judge=64, league="acol,doubler,silent", validators="", operators="evolution,refinement,swapping",
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _no_other_ray():
    """A Ray that a test of another file has left in this process would be joined instead of the nodes made here."""
    ray.shutdown()
    yield
    ray.shutdown()


def _evolved(folder, config: EvolveConfig, cluster: Cluster, tick: Callable[[int], object] = lambda _boards: None):
    """What tells one run from another: its partnerships, and what was kept on the way."""
    folder.mkdir()
    state = generations.begin(config)
    for after in generations.evolve(folder, config, state, cluster, tick):
        state = after
    return state.as_json()["population"], [row["kept"] for row in state.metrics]


def _solve(path, cluster: Cluster | None) -> None:
    solve_random(path, 25, seed=1, start=0, solver=ExactDoubleDummy(1), cluster=cluster)


def test_two_nodes_give_the_same_and_get_the_code(tmp_path, config):
    from ray.cluster_utils import Cluster as Nodes

    def where(number: int) -> tuple[str, tuple[str, ...]]:
        """The node that runs this task, and which of our packages came to it with the run."""
        import sys
        import time
        from pathlib import Path

        import ray as here

        (meeting / str(number)).touch()
        until = time.monotonic() + 300
        while not (meeting / str(1 - number)).exists() and time.monotonic() < until:
            time.sleep(0.1)  # the other node's worker may start late: this one keeps its only core until then
        sent = [Path(folder) for folder in sys.path if "py_modules_files" in folder]
        names = ("agents", "bridge_env", "training")
        return here.get_runtime_context().get_node_id(), tuple(n for n in names if any((s / n).is_dir() for s in sent))

    meeting = tmp_path / "meeting"
    meeting.mkdir()
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        nodes.add_node(num_cpus=1)
        nodes.wait_for_nodes()
        with Cluster(None, nodes.address) as cluster:
            assert cluster.workers == 2
            seen = [place for _, place in cluster.map(where, [(0,), (1,)])]
            assert len({node for node, _ in seen}) == 2
            assert {sent for _, sent in seen} == {("agents", "bridge_env", "training")}
            both = _evolved(tmp_path / "both", config, cluster)
        _solve(tmp_path / "two.bdl", Cluster(None, nodes.address))
    finally:
        nodes.shutdown()
    with Cluster(1) as cluster:
        one = _evolved(tmp_path / "one", config, cluster)
    assert one == both
    assert any(one[1])  # else it would say little
    _solve(tmp_path / "one.bdl", None)
    assert (tmp_path / "one.bdl").read_bytes() == (tmp_path / "two.bdl").read_bytes()


def test_no_cluster_is_told():
    with pytest.raises(ClusterError, match="no Ray cluster on"):
        Cluster(None, "127.0.0.1:1").__enter__()


@pytest.fixture
def three_nodes():
    """Three nodes of a core each; what removes one of them at its first call, and adds another beside what goes on."""
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(
        initialize_head=True, shutdown_at_exit=False, head_node_args={"num_cpus": 1}
    )  # signals: not in threads

    changing = threading.Thread(target=nodes.add_node, kwargs={"num_cpus": 1})

    def change_now(*_told: object) -> None:
        if changing.ident is None:
            nodes.remove_node(others[0], allow_graceful=False)
            changing.start()

    try:
        others = [nodes.add_node(num_cpus=1) for _ in range(2)]
        nodes.wait_for_nodes()
        yield nodes.address, change_now, changing
    finally:
        if changing.ident is not None:
            changing.join()
        nodes.shutdown()


def test_evolving_is_the_same_where_a_node_is_lost_and_another_comes(tmp_path, three_nodes, config):
    address, change_now, changing = three_nodes
    config, heard, meeting = replace(config, generations=2), [], tmp_path / "meeting"
    meeting.mkdir()

    def under_way(number: int) -> int:
        """Holds its node until one of the three is done again, elsewhere."""
        import os
        import time

        (meeting / f"{number} by {os.getpid()}").touch()
        until = time.monotonic() + 300
        while len([*meeting.iterdir()]) <= 3 and time.monotonic() < until:
            time.sleep(0.05)
        return number

    def change() -> None:
        while len([*meeting.iterdir()]) < 3:
            time.sleep(0.05)
        change_now()

    def tick(_boards: int) -> None:
        if changing.ident is None:
            changes = threading.Thread(target=change)
            changes.start()
            assert sorted(cluster.map(under_way, [(0,), (1,), (2,)])) == [(0, 0), (1, 1), (2, 2)]
            changes.join()

    with Cluster(3, address, heard.append) as cluster:
        three = _evolved(tmp_path / "three", config, cluster, tick)  # in the middle of the first generation
        changing.join()

        def told() -> bool:
            """Was it said that a node came and, before or after, that one was lost?"""
            lost = any(text.startswith("a node was lost; ") and "done again" in text for text in heard)
            return lost and any(text.startswith("a node joined the cluster: ") for text in heard)

        until = time.monotonic() + 120
        while not told() and time.monotonic() < until:  # Ray may notice either when all is done
            assert dict(cluster.map(len, [("task",)])) == {0: 4}
            time.sleep(0.2)
    assert told(), heard
    with Cluster(1) as cluster:
        assert _evolved(tmp_path / "one", config, cluster) == three


def test_the_league_is_the_same_where_a_node_is_lost_and_another_comes(tmp_path, three_nodes):
    pytest.importorskip("torch")
    from tests.support.league import same
    from training.networks.configs import LeagueConfig
    from training.networks.league import League

    address, change_now, changing = three_nodes
    config = LeagueConfig(
        start="nothing", iterations=6, boards=600, estimated=0, lessons=1, silent=1, layers="64,32", critic="32",
        batch=1200, shard=160, evaluate=3, judged=40, panel="pass", remember=4, lag=2, rollouts=3,
    )  # fmt: skip

    def league(cluster: Cluster, name: str, tell: Callable[..., None] = lambda *_told: None) -> League:
        (tmp_path / name).mkdir()
        run = League(tmp_path / name, config, None)
        for _ in run.run(cluster, lambda: False, tell):
            pass
        return run

    heard: list[str] = []
    with Cluster(3, address, heard.append) as cluster:
        three = league(cluster, "three", change_now)  # after the first iteration
        changing.join()
    with Cluster(1) as cluster:
        one = league(cluster, "one")
    same(one, three)
    for a, b in zip(one.state.metrics, three.state.metrics, strict=True):
        assert a["pass"] == b["pass"]
