"""The benchmark measures what it says, and its command writes what it measured."""

import json

import pytest

from training.bench import own
from training.cli.entry import main


def test_rates_are_counts_over_time(monkeypatch):
    monkeypatch.setattr(own, "SECONDS", 0.01)
    found = own.rate("nothing", "things/s", lambda: 7, 3)
    assert found.repetitions == 3
    assert 0 < found.least <= found.median <= found.most


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_plot(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(own, "SECONDS", 0.01)
    assert main(["bench", "--repetitions", "1", "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "bench.json").read_text())
    assert all(rate["median"] > 0 for rate in written["rates"])
    assert any("batch 4,096" in rate["what"] for rate in written["rates"])
    assert "bridge-env, one env" in (tmp_path / "bench.md").read_text()
    assert (tmp_path / "bench.png").stat().st_size > 0
    assert "written:" in capsys.readouterr().out
