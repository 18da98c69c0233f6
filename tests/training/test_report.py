"""Runs compared and tracked: tables, page and plot, errors for folders that hold no run, and the verdict's rows."""

import json
import sys
import types
from dataclasses import asdict, fields

import numpy as np
import pytest

from training.cli.app import main
from training.evaluation import match
from training.evaluation.boards import library_boards
from training.evaluation.verdict import VERDICT, VerdictRow, verdict
from training.evolution import report
from training.evolution.run import EvolveResult
from training.runtime import runs
from training.runtime.tracking import tracked


def write_run(folder, operators, means, verdict=(), seed=1):
    folder.mkdir()
    runs.write_manifest(folder, {"config": {"operators": operators, "seed": seed, "generations": 9}})
    rows = [
        {"generation": g, "mean_imps": mean, "standard_error": 0.1, "seconds": 90.0, "accepted": ["a | b"] * g}
        for g, mean in enumerate(means)
    ]
    runs.write_metrics(folder, rows)
    if verdict:
        (folder / VERDICT).write_text(json.dumps({"rows": [asdict(row) for row in verdict]}))
    return folder


@pytest.fixture
def folders(tmp_path):
    verdict = [
        VerdictRow("evolved - system:sayc, duplicate", 0.5, 0.03, 9000),
        VerdictRow("gain against pass (never met): +4.00 instead of +3.90", 0.1, 0.02, 9000, "pass"),
    ]
    return [
        write_run(tmp_path / "both", "evolution,swapping", [0, 0.2, 0.4], verdict),
        write_run(tmp_path / "one|half", "evolution", [0, 0.1]),
    ]


def test_a_run_is_a_row_with_the_settings_that_differ(folders, tmp_path, capsys):
    assert main(["report", *map(str, folders), "--out", str(tmp_path / "page")]) == 0
    lines = [
        "| run | operators | generations | minutes | accepted | IMPs/board | gain: pass |",
        "| both | evolution,swapping | 3 | 4.5 | 3 | +0.500 ± 0.030 | +0.100 ± 0.020 |",
        "| one/half | evolution | 2 | 3.0 | 1 |  |  |",
    ]
    page = (tmp_path / "page" / "README.md").read_text()
    for text in (page, capsys.readouterr().out):
        assert [line for line in text.splitlines() if line.startswith("|") and "---" not in line] == lines
    assert "over 9,000 boards that training never saw" in page
    assert (tmp_path / "page" / report.CURVES).read_bytes().startswith(b"\x89PNG")


def test_folders_without_a_run_are_left_out(folders, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "begun").mkdir()
    runs.write_manifest(tmp_path / "begun", {"config": {"seed": 1}})
    assert main(["report", *(str(path) for path in (folders[0], tmp_path / "empty", tmp_path / "begun"))]) == 0
    printed = capsys.readouterr()
    assert "begun" not in printed.out
    assert printed.err.count("note: ") == 2
    assert main(["report", str(tmp_path / "empty"), str(tmp_path / "begun")]) == 2


def test_runs_that_differ_in_the_seed_share_a_row(tmp_path, folders):
    """Means 1 and 2 on seeds 1 and 2 against -1 and 2: the difference is taken seed by seed."""
    for operators, means in (("tuning", (-1.0, 2.0)), ("swapping", (1.0, 2.0))):
        for seed, mean in enumerate(means, 1):
            row = VerdictRow("evolved - system:sayc, duplicate", mean, 0.3, 100)
            write_run(tmp_path / f"{operators}-{seed}", operators, [0], [row], seed)
    found = [report.read_run(tmp_path / f"{name}-{seed}") for name in ("tuning", "swapping") for seed in (1, 2)]
    assert report.text(found).splitlines()[-4:] == [
        "| operators | seeds | IMPs/board |",
        "| --- | --- | --- |",
        "| tuning | 2 | +0.500 ± 0.212, spread 2.121 |",
        "| swapping | 2 | +1.500 ± 0.212, spread 0.707, difference +1.000 ± 1.000 |",
    ]
    assert "seeds |" not in report.text([report.read_run(folder) for folder in folders])


@pytest.mark.weekly
@pytest.mark.slow
def test_rows_do_not_depend_on_the_number_of_processes():
    def judged(workers):
        return verdict(
            "system:acol", "system:sayc", "system:sayc", 40, 3, ["system:doubler"], ["system:silent"], workers
        )

    rows = judged(1)
    assert rows == judged(2)
    assert [row.opponent for row in rows] == ["abroad", "", "system:doubler", "system:silent", "pass"]
    abroad, silent = rows[0], rows[3]
    assert abroad.mean_imps == pytest.approx(silent.mean_imps)
    assert any(row.mean_imps for row in rows if row.opponent)


def test_an_evolved_pair_brings_its_verdict_as_a_frame():
    pytest.importorskip("pandas")
    rows = [VerdictRow("gain", 0.3, 0.02, 20_000, "policy:humans"), VerdictRow("duplicate", 0.1, 0.02, 20_000)]
    result = EvolveResult(**{field.name: rows if field.name == "rows" else None for field in fields(EvolveResult)})
    assert result.to_dataframe()["mean_imps"].tolist() == [0.3, 0.1]
    assert list(result.to_dataframe()["opponent"]) == ["policy:humans", ""]


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
