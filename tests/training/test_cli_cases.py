"""``bridge-env fit cases`` as its user types it, on a small record and with a random metric."""

import importlib.util

import numpy as np
import pytest
from support.cases import record, small_base

from agents.cases.file import load, save
from training.cli import cases as cli_cases
from training.cli.entry import main


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A record of 40 boards of the judging part and 160 others, and a base with a random metric and random forests."""
    folder = tmp_path_factory.mktemp("known")
    path = record(folder, 40, 160)
    base = folder / "random.npz"
    save(small_base(tmp_path_factory.mktemp("base")), base)
    return str(path), str(base)


@pytest.mark.slow
def test_forests_grown_on_a_metric(known, tmp_path, capsys):
    pytest.importorskip("sklearn")
    record_of, other = known
    words = ["fit", "cases", record_of, "--metric", other]
    assert main([*words, "--trees", "9", "--out", str(tmp_path / "a")]) == 0
    base = load(tmp_path / "a" / "cases.npz")
    assert ([len(forest) for forest in base.forests], base.k) == ([9, 9], 5)
    page = (tmp_path / "a" / "README.md").read_text(encoding="utf-8")
    assert "9 trees for openings, and as many for other" in page
    assert "The 5 nearest cases vote" in page
    assert "--trees 9" in page
    assert base.fitted["growing"]["trees"] == 9
    # The same seed grows the same trees; the forests of that base serve another one.
    assert main([*words, "--trees", "9", "--out", str(tmp_path / "b")]) == 0
    assert (tmp_path / "a" / "cases.npz").read_bytes() == (tmp_path / "b" / "cases.npz").read_bytes()
    again = ["fit", "cases", record_of, "--metric", str(tmp_path / "a" / "cases.npz"), "--out", str(tmp_path / "c")]
    assert main(again) == 0
    np.testing.assert_array_equal(load(tmp_path / "c" / "cases.npz").point, base.point)
    assert "openings: " in capsys.readouterr().out


def test_a_record_of_which_nothing_can_be_learned(known, tmp_path, capsys):
    path = record(tmp_path, 5)
    assert main(["fit", "cases", str(path), "--metric", known[1], "--out", str(tmp_path)]) == 2
    assert "all 5 boards are for judging" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--trees", "300"], "--trees is 300; it must be 1 to 250"),
        (["--trees", "-1"], "--trees is -1; it must be 1 to 250"),
        (["--trees", "5", "--retain", "system:sayc"], "--trees does not go with --retain"),
    ],
)
def test_words_that_do_not_go_together(known, capsys, words, says):
    assert main(["fit", "cases", known[0], *words]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "missing", "says"),
    [
        ([], "torch", "torch is not installed"),
        ([], "sklearn", "scikit-learn is not installed"),
        (["--metric", "KNOWN", "--trees", "9"], "sklearn", "scikit-learn is not installed"),
        (["--metric", "KNOWN"], "sklearn", ""),
        (["--metric", "KNOWN"], "torch", ""),
    ],
)
def test_a_missing_library_is_told_where_it_is_needed(known, tmp_path, monkeypatch, capsys, words, missing, says):
    monkeypatch.setattr(
        cli_cases, "find_spec", lambda name: None if name == missing else importlib.util.find_spec("numpy")
    )
    words = [known[1] if word == "KNOWN" else word for word in words]
    assert main(["fit", "cases", known[0], *words, "--out", str(tmp_path)]) == (2 if says else 0)
    error = capsys.readouterr().err
    assert says in error
    assert ('pip install "bridge-env[rl]"' in error) == bool(says)
