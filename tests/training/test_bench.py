"""The benchmark measures what it says, and its command writes what it measured."""

import json
from functools import lru_cache

import pytest

from training.bench import measures, peers
from training.cli.app import main


def test_rates_are_counts_over_time(monkeypatch):
    monkeypatch.setattr(measures, "SECONDS", 0.01)
    found = measures.rate("nothing", "things/s", lambda: 7, 3)
    assert found.repetitions == 3
    assert 0 < found.least <= found.median <= found.most


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_plot(tmp_path, monkeypatch, capsys):
    """Everything is done once, in part on fewer tables."""

    def once(what, unit, work, repetitions, remark="", warm_up=0.0):
        done = work()
        return measures.Rate(what, unit, done, done, done, repetitions, remark)

    for module in (measures, peers):
        monkeypatch.setattr(module, "rate", once)
    monkeypatch.setattr(measures, "SECONDS", 0.0)
    for name, size in (("TABLES", 64), ("STEPS", 512)):
        monkeypatch.setattr(measures, name, size)
    pgx = lru_cache(peers.pgx)  # which compiles as long for any batch
    monkeypatch.setattr(peers, "pgx", lambda _batch, repetitions: pgx(128, repetitions))
    assert main(["bench", "--repetitions", "1", "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "bench.json").read_text())
    assert all(rate["median"] > 0 for rate in written["rates"])
    assert any("batch 4,096" in rate["what"] for rate in written["rates"])
    assert "bridge-env, one env" in (tmp_path / "bench.md").read_text()
    assert (tmp_path / "bench.png").stat().st_size > 0
    assert "written:" in capsys.readouterr().out
