"""Runs beside each other: as their folders tell it, and a clear word where a folder is none of a run."""

import json

import pytest
from support.command import refused

from training.cli.app import main
from training.evaluation.verdict import VERDICT, Row
from training.evolution import report
from training.runtime import runs


def write_run(folder, operators, means, verdict=(), seed=1):
    folder.mkdir()
    runs.write_manifest(folder, {"config": {"operators": operators, "seed": seed, "generations": 9}})
    rows = [
        {"generation": g, "mean_imps": mean, "standard_error": 0.1, "seconds": 90.0, "kept": ["a | b"] * g}
        for g, mean in enumerate(means)
    ]
    runs.write_metrics(folder, rows)
    if verdict:
        (folder / VERDICT).write_text(json.dumps({"rows": [row.as_json() for row in verdict]}))
    return folder


@pytest.fixture
def folders(tmp_path):
    verdict = [
        Row("evolved - system:sayc, duplicate", 0.5, 0.03, 9000),
        Row("gain against pass (never met): +4.00 instead of +3.90", 0.1, 0.02, 9000, "pass"),
    ]
    return [
        write_run(tmp_path / "both", "evolution,swapping", [0, 0.2, 0.4], verdict),
        write_run(tmp_path / "one|half", "evolution", [0, 0.1]),
    ]


def test_only_what_differs_is_told(folders):
    head, rows = report.table([report.read_run(folder) for folder in folders])
    assert head == ["run", "operators", "generations", "minutes", "accepted", "IMPs/board", "gain: pass"]
    assert rows[0] == ["both", "evolution,swapping", "3", "4.5", "3", "+0.500 ± 0.030", "+0.100 ± 0.020"]
    assert rows[1] == ["one|half", "evolution", "2", "3.0", "1", "", ""]


def test_a_page_and_a_plot(folders, tmp_path, capsys):
    assert main(["report", *map(str, folders), "--out", str(tmp_path / "page")]) == 0
    page = (tmp_path / "page" / "README.md").read_text()
    assert "one\\|half" in page
    assert "over 9,000 boards that training never saw" in page
    assert (tmp_path / "page" / report.CURVES).read_bytes().startswith(b"\x89PNG")
    assert "evolution,swapping" in capsys.readouterr().out


def test_a_run_is_a_row(folders, capsys):
    assert main(["report", *map(str, folders)]) == 0
    head, both, one = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["run", "operators", "generations"]
    assert both.split()[0] == "both"
    assert one.split()[:5] == ["one|half", "evolution", "2", "3.0", "1"]


@pytest.mark.parametrize("broken", ["{", '{"generation": 0}\n', "[]\n"])
def test_what_is_no_run_is_told(folders, capsys, broken):
    (folders[0] / runs.METRICS).write_text(broken)
    assert "metrics.jsonl:1: " in refused(capsys, *["report", str(folders[0])])
    assert f"holds no {runs.METRICS}" in refused(capsys, *["report", str(folders[0].parent)])


def test_runs_that_differ_in_the_seed_share_a_row(tmp_path, folders, capsys):
    """Means 1 and 2 on seeds 1 and 2 against -1 and 2: the difference is taken seed by seed."""
    for operators, means in (("tuning", (-1.0, 2.0)), ("swapping", (1.0, 2.0))):
        for seed, mean in enumerate(means, 1):
            row = Row("evolved - system:sayc, duplicate", mean, 0.3, 100)
            write_run(tmp_path / f"{operators}-{seed}", operators, [0], [row], seed)
    found = [report.read_run(tmp_path / f"{name}-{seed}") for name in ("tuning", "swapping") for seed in (1, 2)]
    head, rows = report.seeds_table(found)
    assert head == ["operators", "seeds", "IMPs/board"]
    assert rows == [
        ["tuning", "2", "+0.500 ± 0.212, spread 2.121"],
        ["swapping", "2", "+1.500 ± 0.212, spread 0.707, difference +1.000 ± 1.000"],
    ]
    assert "## Over seeds" in report.markdown(found, "x")
    assert report.text(found).endswith("difference +1.000 ± 1.000")
    assert "## Over seeds" not in report.markdown([report.read_run(folder) for folder in folders], "x")
