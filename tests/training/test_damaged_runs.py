"""Run folders whose files were damaged: every reader tells one kind of error, which names the file."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from training.evolve import generations, report
from training.evolve.config import EvolveConfig
from training.match import panel
from training.match.verdict import VERDICT, Row
from training.running import runs


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a run of self-play, of which nothing was ever played."""
    folder = tmp_path_factory.mktemp("run")
    config = EvolveConfig(start="silent", control="silent", league="", gatekeepers="")
    state = generations.begin(config)
    row = {
        "generation": 0,
        "mean_imps": 0.5,
        "standard_error": float("nan"),
        "seconds": 2.0,
        "kept": ["a (+0.1 ± 0.0)"],
    }
    state.metrics.append(row)
    generations.save(folder, config, state)
    runs.write_manifest(folder, runs.manifest(asdict(config), "0" * 64) | {"kind": "evolve"})
    verdict = {"champion": 0, "rows": [Row("evolved - system:sayc, duplicate", 0.5, 0.1, 9000, "pass").as_json()]}
    (folder / VERDICT).write_text(json.dumps(verdict))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(files, tmp_path):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (runs.MANIFEST, '"seed": 1', '"seed": "1"', r"manifest\.json: config: seed: '1' is no whole number"),
        (runs.MANIFEST, '"seed": 1', '"sead": 1', r"manifest\.json: config: not of a run of this kind: .*sead"),
        (runs.METRICS, '"seconds": 2.0', '"seconds": -1', r"metrics\.jsonl:1: seconds: -1 is not from 0"),
        (runs.METRICS, '"generation": 0, ', "", r"metrics\.jsonl:1: generation: is missing"),
        (VERDICT, '"boards": 9000', '"boards": []', r"verdict\.json: rows\[0\]\.boards: \[\] is no whole number"),
        (VERDICT, '"rows"', '"row"', r"verdict\.json: rows: is missing"),
    ],
)
def test_the_field_is_named(folder, files, name, old, new, why):
    changed = files[name].decode().replace(old, new, 1)
    assert changed != files[name].decode()
    (folder / name).write_text(changed)
    read = (lambda f: runs.config_of(f, EvolveConfig)) if name == runs.MANIFEST else report.read_run
    with pytest.raises(runs.RunError, match=why):
        read(folder)


def test_a_checkpoint_with_a_wrong_state(folder):
    state = runs.load_checkpoint(folder, {})
    for change, why in (
        ({"generation": -1}, "generation: -1 is not from 0"),
        ({"population": [["system: x"]]}, r"population\[0\]: it has 1 items"),
        ({"population": [["1C ?", "1C"]]}, "is of another version of this program"),
        ({"systems": {"no such": "x"}}, "is of another version of this program"),
        ({"config": {"boards": 0}}, "config: not of a run of this kind: --boards is 0"),
    ):
        (folder / runs.CHECKPOINT).unlink(missing_ok=True)
        runs.save_checkpoint(folder, state | change)
        with pytest.raises(runs.RunError, match=why):
            generations.load(folder)


def test_lines_of_a_panel(tmp_path):
    log = tmp_path / "panel.json"
    line, key = panel.Line("start", "pass", 0.5, 0.1, 20, 30.5), '["start", "", "pass", "", 20, 1]'
    log.write_text(json.dumps({key: asdict(line)}))
    assert panel.read(log) == {key: line}
    for change in ({"boards": "20"}, {"mean_imps": None}):
        log.write_text(json.dumps({key: asdict(line) | change}))
        with pytest.raises(runs.RunError, match=r"panel\.json: Expected"):
            panel.read(log)
