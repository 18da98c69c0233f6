"""Several nodes: ``--address`` joins a running cluster, and the packages travel to its nodes."""

import threading
from types import SimpleNamespace

import pytest

from bridge_env.double_dummy import ExactDoubleDummy
from training import deals
from training.runtime.cluster import Cluster, ClusterError

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.weekly]


def test_no_cluster_at_an_address_is_an_error():
    ray.shutdown()
    with pytest.raises(ClusterError, match="no Ray cluster on"):
        Cluster(None, "127.0.0.1:1").__enter__()


@pytest.fixture(scope="module")
def nodes():
    """Three nodes of a core each, and a cluster that has joined them.

    ``change`` removes one of them, and adds another meanwhile.
    """
    from ray.cluster_utils import Cluster as Nodes

    ray.shutdown()  # what a test of another file has left in this process would be joined instead
    # Not at exit: that needs signals, which only the main thread may set.
    made = Nodes(initialize_head=True, shutdown_at_exit=False, head_node_args={"num_cpus": 1})
    others = [made.add_node(num_cpus=1) for _ in range(2)]
    changing: list[threading.Thread] = []

    def add():
        others.append(made.add_node(num_cpus=1))

    def change():
        made.remove_node(others.pop(0), allow_graceful=False)
        changing.append(threading.Thread(target=add))
        changing[-1].start()

    try:
        made.wait_for_nodes()
        with Cluster(None, made.address) as cluster:
            yield SimpleNamespace(
                address=made.address,
                cluster=cluster,
                change=change,
                changed=lambda: changing[-1].join(),  # noqa: PLW0108 - there is none yet
            )
    finally:
        for thread in changing:
            thread.join()
        made.shutdown()


def test_nodes_get_the_code_and_solve_the_same(tmp_path, nodes, monkeypatch):
    def where(number):
        """The node that runs this task, and which of our packages came to it with the run."""
        import sys
        import time
        from pathlib import Path

        import ray as here

        (meeting / str(number)).touch()
        until = time.monotonic() + 300
        while len([*meeting.iterdir()]) < 3 and time.monotonic() < until:
            time.sleep(0.05)  # another node's worker may start late: this one keeps its only core until then
        sent = [Path(folder) for folder in sys.path if "py_modules_files" in folder]
        names = ("agents", "bridge_env", "training")
        return here.get_runtime_context().get_node_id(), tuple(n for n in names if any((s / n).is_dir() for s in sent))

    meeting = tmp_path / "meeting"
    meeting.mkdir()
    assert nodes.cluster.workers == 3
    seen = [place for _, place in nodes.cluster.map(where, [(0,), (1,), (2,)])]
    assert len({node for node, _ in seen}) == 3
    assert {sent for _, sent in seen} == {("agents", "bridge_env", "training")}
    monkeypatch.setattr(deals, "TASK", 2)
    for name, cluster in (("three", Cluster(None, nodes.address)), ("one", None)):
        deals.solve_random(tmp_path / f"{name}.bdl", 7, seed=1, start=0, solver=ExactDoubleDummy(1), cluster=cluster)
    assert (tmp_path / "one.bdl").read_bytes() == (tmp_path / "three.bdl").read_bytes()


def test_the_league_is_the_same_where_a_node_is_lost_and_another_comes(tmp_path, nodes):
    pytest.importorskip("torch")
    from tests.support.learners import random_networks, run_league, same
    from training.configs import LeagueConfig
    from training.league.league import IMPS, League

    config = LeagueConfig(
        start="policy:somebody", iterations=4, boards=90, estimated=0, batch=480, shard=64, evaluate=2, judged=40,
        panel="pass", rollouts=3,
    )  # fmt: skip
    start = random_networks(widths=(32, 16))
    (tmp_path / "three").mkdir()
    three = League(tmp_path / "three", config, start)

    def change_once(*_):
        if three.state.iteration == 1:
            nodes.change()

    for _ in three.run(nodes.cluster, lambda: False, change_once):
        pass
    nodes.changed()
    one = run_league(tmp_path / "one", config, start)
    same(one, three)
    for a, b in zip(one.state.metrics, three.state.metrics, strict=True):
        assert a[f"{IMPS}pass"] == b[f"{IMPS}pass"]
