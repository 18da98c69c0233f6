"""A cluster that fails: where the work is saved, and the command that resumes it; faults that are found before."""

import pytest
from support.learners import Here

from training.cli.app import main
from training.evolution import run
from training.runtime.cluster import ClusterError


class NoCluster(Here):
    """Starts nothing; its tasks fail."""

    def __init__(self, workers=None, address=None):
        super().__init__()

    def map(self, function, tasks):
        raise ClusterError("Ray could not finish a task")
        yield


def test_a_cluster_that_fails(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run, "Cluster", NoCluster)
    words = ["--start", "silent", "--control", "silent", "--league=", "--gatekeepers=", "--operators", "evolution"]
    small = ["--boards", "20", "--study", "20", "--confirm", "20", "--partnerships", "1", "--generations", "1"]
    assert main(["evolve", "--out", str(tmp_path), "--name", "x", *words, *small]) == 2
    folder = tmp_path / "evolve" / "x"
    error = capsys.readouterr().err
    assert "bridge-env: error: Ray could not finish a task" in error
    assert f"what was done is in {folder}; go on: bridge-env evolve --resume {folder}" in error


class NoStart(NoCluster):
    """Refuses to start."""

    def __enter__(self):
        raise AssertionError("the cluster was started before the fault was found")


def test_any_bidder_may_be_a_gatekeeper(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Cluster", NoStart)
    with pytest.raises(AssertionError, match="started before"):  # so far nothing was wrong
        main(["evolve", "--out", str(tmp_path), "--gatekeepers", "pass,sayc,policy:acol", "--start", "silent",
              "--control", "silent", "--league", "", "--validators", ""])  # fmt: skip
