"""The benchmark measures what it says, and its command writes what it measured."""

import pytest

from training.bench import measures
from training.cli.app import main


def test_rates_are_counts_over_time(monkeypatch):
    monkeypatch.setattr(measures, "SECONDS", 0.01)
    found = measures.rate("nothing", "things/s", lambda: 7, 3)
    assert 0 < found.least <= found.median <= found.most


@pytest.mark.weekly
@pytest.mark.slow
def test_the_command_writes_a_table(tmp_path, monkeypatch, capsys):
    """Everything is done once, in part on fewer tables."""
    monkeypatch.setattr(measures, "SECONDS", 1e-9)
    for name, size in (("TABLES", 64), ("STEPS", 512)):
        monkeypatch.setattr(measures, name, size)
    assert main(["bench", "--repetitions", "1", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "bench.md").read_text()
    assert "batch 4,096" in page
    assert "bridge-env, one env" in page
    assert " 0.0 |" not in page
    assert "written:" in capsys.readouterr().out
