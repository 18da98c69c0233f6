"""``bridge-env fit cases`` as its user types it, on a small record."""

import importlib.util
import json

import pytest
from support.command import refused
from support.learners import record

from agents.cases.base import load
from bridge_env.io import optional_dependencies as extras
from training.cli.app import main

SMALL = ["--epochs", "1", "--members", "1", "--trees", "9"]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A record of 40 boards of the judging part and 160 others."""
    return str(record(tmp_path_factory.mktemp("known"), 40, 160))


@pytest.mark.weekly
@pytest.mark.slow
def test_a_base_that_is_fitted(known, tmp_path, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    words = ["fit", "cases", known, *SMALL]
    assert main([*words, "--out", str(tmp_path / "a")]) == 0
    base = load(tmp_path / "a" / "cases.npz")
    assert ([len(forest) for forest in base.forests], base.k) == ([9, 9], 5)
    assert (base.fitted["trees"], base.fitted["epochs"]) == (9, 1)
    rows = json.loads((tmp_path / "a" / "results.json").read_text())["rows"]
    assert [row["name"] for row in rows][:2] == ["all calls", "openings"]
    # The same seed learns and grows the same.
    assert main([*words, "--out", str(tmp_path / "b")]) == 0
    assert (tmp_path / "a" / "cases.npz").read_bytes() == (tmp_path / "b" / "cases.npz").read_bytes()
    assert "| openings | " in capsys.readouterr().out


def test_a_record_of_which_nothing_can_be_learned(tmp_path, capsys):
    path = record(tmp_path, 5)
    assert "all 5 boards are for judging" in refused(capsys, "fit", "cases", path, *SMALL, "--out", tmp_path)


@pytest.mark.parametrize(("missing", "name"), [("torch", "torch"), ("sklearn", "scikit-learn")])
def test_a_missing_library_is_named(known, tmp_path, monkeypatch, capsys, missing, name):
    found = importlib.util.find_spec("numpy")
    monkeypatch.setattr(extras, "find_spec", lambda library: None if library == missing else found)
    assert main(["fit", "cases", known, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert f"{name} is not installed" in error
    assert extras.how_to_install("rl") in error
