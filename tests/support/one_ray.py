"""A Ray that tests share. Starting one, and loading what its workers need, takes longer than most of these tests."""

from training.runtime.cluster import Cluster

_held = []


def begin():
    """Start it, unless it is there: clusters that are started from now on join it."""
    if not _held:
        _held.append(Cluster(2).__enter__())


def end():
    """End it, for a test that needs none, or another one."""
    while _held:
        _held.pop().__exit__()
