"""The benchmark measures what it says, and its command writes what it measured."""

import json
from pathlib import Path

import pytest

from training.bench import beside, own
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


def test_ratios_are_of_neighbours():
    row = beside.Beside("steps", ours=[10.0, 30.0, 8.0], theirs=[5.0, 10.0, 8.0])
    assert row.ratios() == [1.0, 2.0, 3.0]
    page = beside.markdown([row], "a machine", "a command", "")
    assert "| steps | **2.00** | 1.00 | 3.00 | 10 | 8 |" in page


def test_what_is_no_checkout_is_told(tmp_path, capsys):
    assert main(["bench", "--beside", str(tmp_path)]) == 2
    assert "is no checkout of this project" in capsys.readouterr().err


def test_a_checkout_whose_measures_fail_is_told(tmp_path):
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "__init__.py").write_text("")
    (tmp_path / "training" / "bench.py").write_text("raise RuntimeError('out of order')")
    with pytest.raises(ValueError, match="the measures failed: RuntimeError: out of order"):
        beside.measure(tmp_path, tmp_path, 1)


@pytest.mark.slow
def test_a_checkout_is_as_fast_as_itself(tmp_path, monkeypatch, capsys):
    here = Path(__file__).parents[2]
    monkeypatch.chdir(here)
    monkeypatch.setattr(beside, "SECONDS", 0.01)
    assert main(["bench", "--beside", str(here), "--repetitions", "1", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "beside.md").read_text()
    assert "Both bid with the same system." in page
    assert "full duplicate boards of systems" in page
    assert "deals that fit 1S 2H" in page
    assert "written:" in capsys.readouterr().out
