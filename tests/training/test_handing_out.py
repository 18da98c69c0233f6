"""What a cluster hands out: no more tasks at a time than ``--workers``, also where others have more cores."""

import pytest

from training.running.cluster import Cluster


class SlowRay:
    """As much of Ray as a cluster asks for when it waits: a task is done when somebody has waited for it."""

    def __init__(self):
        self.under_way, self.done, self.most = [], set(), 0

    def remote(self, *, num_cpus, max_retries):
        return lambda function: SlowTask(self, function)

    def wait(self, references, num_returns=1, timeout=None, fetch_local=True):
        while timeout != 0 and not self.done.intersection(references):
            self.done.add(self.under_way.pop(0))
        ready = [reference for reference in references if reference in self.done]
        return ready[:num_returns], [reference for reference in references if reference not in ready]

    def get(self, reference):
        assert reference in self.done
        return reference.value

    def nodes(self):
        return [{"Alive": True, "NodeID": "a", "Resources": {"CPU": 8.0}}]

    class exceptions:
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            pass


class SlowTask:
    def __init__(self, ray, function):
        self.ray, self.function = ray, function

    def remote(self, *task):
        reference = Reference(self.function(*task))
        self.ray.under_way.append(reference)
        self.ray.most = max(self.ray.most, len(self.ray.under_way))
        return reference


class Reference:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize(("workers", "most"), [(2, 2), (7, 7), (8, 20)])
def test_no_more_tasks_than_workers_are_handed_out(workers, most):
    """With all cores of the cluster, Ray has the whole queue."""
    cluster = Cluster(workers, "head:1")
    cluster.ray = SlowRay()
    cluster._nodes = cluster._nodes_there()
    cluster._check_head = lambda: None
    pending = [cluster.submit(pow, number, 2) for number in range(20)]
    assert not cluster.ready(pending[-1])
    assert [cluster.result(one) for one in reversed(pending)] == [number**2 for number in reversed(range(20))]
    assert cluster.ray.most == most
    assert not cluster.ray.under_way
