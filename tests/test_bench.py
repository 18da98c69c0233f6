"""The benchmark measures what it says, and its command writes what it measured."""

import json

import numpy as np
import pytest

from bridge_env import streams
from training import bench
from training.cli import main


def test_rates_are_counts_over_time(monkeypatch):
    monkeypatch.setattr(bench, "SECONDS", 0.01)
    found = bench.rate("nothing", "things/s", lambda: 7, 3)
    assert found.repetitions == 3
    assert 0 < found.least <= found.median <= found.most


def test_random_calls_are_legal_and_each_has_its_share():
    mask = np.zeros((30_000, 38), np.int8)
    mask[:, [0, 5, 37]] = 1
    calls = np.empty(len(mask), np.int64)
    bench.sample_legal(0, 10_000, mask, streams.key("test")[0], 1, calls)
    bench.sample_legal(10_000, len(mask), mask, streams.key("test")[0], 1, calls)
    shares = np.bincount(calls, minlength=38) / len(mask)
    assert np.allclose(shares[[0, 5, 37]], 1 / 3, atol=0.02)
    assert shares.sum() == pytest.approx(shares[[0, 5, 37]].sum())


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_plot(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "SECONDS", 0.01)
    assert main(["bench", "--repetitions", "1", "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "bench.json").read_text())
    assert all(rate["median"] > 0 for rate in written["rates"])
    assert any("batch 4,096" in rate["what"] for rate in written["rates"])
    assert "bridge-env, one env" in (tmp_path / "bench.md").read_text()
    assert (tmp_path / "bench.png").stat().st_size > 0
    assert "written:" in capsys.readouterr().out
