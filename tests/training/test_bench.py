"""The benchmark measures what it says, and its command writes what it measured."""

import json
from contextlib import nullcontext
from functools import lru_cache
from types import SimpleNamespace

import pytest

from bridge_env.kernels import FOLDER
from training.bench import doors, own, peers
from training.cli.entry import main


def test_rates_are_counts_over_time(monkeypatch):
    monkeypatch.setattr(own, "SECONDS", 0.01)
    found = own.rate("nothing", "things/s", lambda: 7, 3)
    assert found.repetitions == 3
    assert 0 < found.least <= found.median <= found.most


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_plot(tmp_path, monkeypatch, capsys):
    """Everything is done once, in part on fewer tables, and the cache of the first step is not cold."""

    def once(what, unit, work, repetitions, remark=""):
        done = work()
        return own.Rate(what, unit, done, done, done, repetitions, remark)

    for module in (own, peers):
        monkeypatch.setattr(module, "rate", once)
    monkeypatch.setattr(own, "SECONDS", 0.0)
    for name, size in (("_TABLES", 64), ("_ROUNDS", 8), ("_STEPS", 50)):
        monkeypatch.setattr(own, name, size)
    pgx = lru_cache(peers.pgx)  # which compiles as long for any batch
    monkeypatch.setattr(peers, "pgx", lambda _batch, repetitions: pgx(128, repetitions))
    cached = SimpleNamespace(TemporaryDirectory=lambda: nullcontext(str(FOLDER.parent)))
    monkeypatch.setattr(own, "tempfile", cached)
    assert main(["bench", "--repetitions", "1", "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "bench.json").read_text())
    assert all(rate["median"] > 0 for rate in written["rates"])
    assert any("batch 4,096" in rate["what"] for rate in written["rates"])
    assert "bridge-env, one env" in (tmp_path / "bench.md").read_text()
    assert (tmp_path / "bench.png").stat().st_size > 0
    assert "written:" in capsys.readouterr().out


@pytest.mark.slow
def test_both_servers_are_measured(monkeypatch):
    """By a board that ends with its auction."""
    pytest.importorskip("uvicorn")
    monkeypatch.setattr(doors, "_PLAYED", 0)
    monkeypatch.setattr(doors, "_SILENT", 200)  # more than a server takes
    boards = []
    found = {row.what: row.found for row in doors.rows(1, 48, boards.append)}
    assert boards == [1]
    assert float(found["serve, one client: answers a second"]) > 1
    cards = [told for what, told in found.items() if "a card" in what]
    assert cards == ["none met"]
    assert all(any(letter.isdigit() for letter in told) for told in found.values() if told not in cards), found
