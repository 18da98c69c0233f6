"""Several nodes: ``--address`` joins a running cluster, and the packages travel to its nodes."""

import pytest

from training import selfplay
from training.cluster import Cluster, ClusterError
from training.evolve_config import EvolveConfig

ray = pytest.importorskip("ray")

pytestmark = pytest.mark.slow
CONFIG = EvolveConfig(seed=3, generations=1, partnerships=1, proposals=3, boards=256, confirm=256, judge=64)


def _where(_number: int) -> tuple[str, str]:
    """The node that runs this task, and where it has our code from."""
    import ray as here

    import training

    return here.get_runtime_context().get_node_id(), training.__file__


def _population(folder, cluster: Cluster) -> list:
    state = selfplay.begin(CONFIG)
    for after in selfplay.evolve(folder, CONFIG, state, cluster, lambda _boards: None):
        state = after
    return state.as_json()["population"]


def test_two_nodes_give_the_same_and_get_the_code(tmp_path):
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        nodes.add_node(num_cpus=1)
        nodes.wait_for_nodes()
        with Cluster(None, nodes.address) as cluster:
            assert cluster.workers == 2
            seen = [place for _, place in cluster.map(_where, [(k,) for k in range(40)])]
            assert len({node for node, _ in seen}) == 2
            assert all("runtime_resources" in file for _, file in seen)  # from the runtime environment
            both = _population(tmp_path, cluster)
    finally:
        nodes.shutdown()
    with Cluster(1) as cluster:
        assert _population(tmp_path, cluster) == both


def test_no_cluster_is_told():
    with pytest.raises(ClusterError, match="no Ray cluster on"):
        Cluster(None, "127.0.0.1:1").__enter__()
