"""A cluster that fails, a full disk: where the work is kept, and the command that goes on."""

from __future__ import annotations

import errno

import pytest
from support.command import refused

from training.cli.app import main
from training.evolution import run
from training.runtime.cluster import ClusterError
from training.runtime.result_log import ResultLog


class NoCluster:
    """Starts nothing; its tasks fail."""

    def __init__(self, workers=None, address=None):
        self.workers = 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def put(self, value):
        return value

    def map(self, function, tasks):
        raise ClusterError("Ray could not finish a task")
        yield


def test_a_cluster_that_fails(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run, "Cluster", NoCluster)
    words = [
        "--start",
        "silent",
        "--control",
        "silent",
        "--league",
        "",
        "--gatekeepers",
        "",
        "--operators",
        "evolution",
    ]
    small = ["--boards", "20", "--study", "20", "--confirm", "20", "--partnerships", "1", "--generations", "1"]
    assert main(["evolve", "--out", str(tmp_path), "--name", "x", *words, *small]) == 2
    folder = tmp_path / "evolve" / "x"
    said = capsys.readouterr().err
    assert "bridge-env: error: Ray could not finish a task" in said
    assert f"what was done is in {folder}; go on: bridge-env evolve --resume {folder}" in said


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device", "the file")


def test_a_disk_that_is_full(tmp_path, capsys, monkeypatch):
    keep = tmp_path / "kept rows.jsonl"
    monkeypatch.setattr(ResultLog, "add", full)
    words = ["match", "pass", "doubler", "--boards", "3", "--play", "rule", "--keep", str(keep)]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "the file: No space left on device" in said
    assert f"what was done is in {keep}; go on: bridge-env match pass doubler" in said
    assert f"--keep '{keep}'" in said


@pytest.mark.parametrize("name", ["nobody", "pass:x"])
def test_what_was_asked_wrongly_is_not_gone_on_with(tmp_path, capsys, name):
    (tmp_path / "x.jsonl").write_text("")
    words = ["match", name, "pass", "--boards", "3", "--play", "rule", "--keep", str(tmp_path / "x.jsonl")]
    assert "go on:" not in refused(capsys, *words)


class NoStart(NoCluster):
    """Nobody may come so far."""

    def __enter__(self):
        raise AssertionError("the cluster was started before the fault was told")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--resume", "nowhere"], "nowhere"),
        (["--resume", "nowhere", "--name", "x"], "--name is for a new run"),
        (["--gatekeepers", "nonsense"], "nonsense"),
    ],
)
def test_evolve_tells_what_is_wrong_before_it_starts_anything(tmp_path, capsys, monkeypatch, words, says):
    monkeypatch.setattr(run, "Cluster", NoStart)
    assert says in refused(capsys, "evolve", "--out", tmp_path, *words)
    assert not list(tmp_path.iterdir())


def test_any_bidder_may_be_a_gatekeeper(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Cluster", NoStart)
    with pytest.raises(AssertionError, match="started before"):  # so far nothing was wrong
        main(["evolve", "--out", str(tmp_path), "--gatekeepers", "pass,sayc,policy:acol", "--start", "silent",
              "--control", "silent", "--league", "", "--validators", ""])  # fmt: skip
