"""Trackers: each row of a run's metrics is sent once, flat; a match minus another."""

import sys
import types

import numpy as np
import pytest

from training.evaluation import match
from training.evaluation.boards import library_boards
from training.runtime import runs
from training.runtime.tracking import tracked


class Recorder(types.ModuleType):
    """Stands in for wandb and mlflow: records what it is called with."""

    def __init__(self, name):
        super().__init__(name)
        self.__spec__ = types.SimpleNamespace(name=name)  # for find_spec
        self.calls = []

    def init(self, **words):
        self.calls.append(("begin", words["name"], words["config"]))
        run = types.SimpleNamespace(finish=lambda: self.calls.append("end"))
        run.log = lambda row, step: self.calls.append((step, row))
        return run

    def set_experiment(self, name):
        pass

    def start_run(self, run_name):
        self.name = run_name

    def log_params(self, config):
        self.calls.append(("begin", self.name, config))

    def log_metrics(self, row, step):
        self.calls.append((step, row))

    def end_run(self):
        self.calls.append("end")


ROWS = [{"iteration": 100, "imps/pass": 1.5, "best": {"gain": 2}, "text": "x"}, {"iteration": 200, "imps/pass": 2.5}]


@pytest.mark.parametrize("kind", ["wandb", "mlflow"])
def test_each_row_is_sent_once(kind, tmp_path, monkeypatch):
    recorder = Recorder(kind)
    monkeypatch.setitem(sys.modules, kind, recorder)
    first, second = tmp_path / "run-001", tmp_path / "run-002"
    for folder in (first, second):
        folder.mkdir()
        runs.write_manifest(folder, {"config": {"seed": 1}})
    with tracked(kind):
        runs.write_metrics(first, ROWS[:1])
        runs.write_metrics(first, ROWS)
        runs.write_metrics(second, ROWS[:1])
    runs.write_metrics(second, ROWS)
    name = f"{tmp_path.name}/run-00"
    sent = (100, {"iteration": 100.0, "imps/pass": 1.5, "best/gain": 2.0})
    assert recorder.calls == [
        ("begin", name + "1", {"seed": 1}), sent, (200, {"iteration": 200.0, "imps/pass": 2.5}), "end",
        ("begin", name + "2", {"seed": 1}), sent, "end",
    ]  # fmt: skip


def test_tensorboard_reads_them(tmp_path):
    pytest.importorskip("torch")
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with tracked("tensorboard"):
        runs.write_metrics(tmp_path, ROWS)
    events = reader.EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(e.step, e.value) for e in events.Scalars("imps/pass")] == [(100, 1.5), (200, 2.5)]


def test_a_tracker_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(runs, "missing", lambda extra, *packages: f"{packages[0]} is not installed: {extra}")
    with pytest.raises(runs.RunError, match="mlflow is not installed: track"), tracked("mlflow"):
        pass


def test_a_match_minus_another():
    boards = library_boards(300, 1)
    better, worse = (match(spec, "pass", boards) for spec in ("system:sayc", "doubler"))
    gain = better.minus(worse)
    assert gain.mean_imps == pytest.approx(better.mean_imps - worse.mean_imps)
    assert gain.standard_error == pytest.approx(np.std(better.imps - worse.imps, ddof=1) / np.sqrt(300), rel=0.01)
    assert better.minus(better).standard_error == 0
    assert str(gain).endswith("IMPs per board over 300 boards")
    with pytest.raises(ValueError, match="different boards"):
        better.minus(match("pass", "pass", library_boards(300, 2)))
