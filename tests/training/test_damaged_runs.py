"""Run folders whose files are damaged: every reader raises a RunError that names the file."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from training.evaluation import panel
from training.evaluation.verdict import VERDICT, Row
from training.evolution import generations, report
from training.evolution.config import EvolveConfig
from training.runtime import runs


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a run of self-play, of which nothing was ever played."""
    folder = tmp_path_factory.mktemp("run")
    config = EvolveConfig(start="silent", control="silent", league="", gatekeepers="")
    state = generations.begin(config)
    row = {"generation": 0, "mean_imps": 0.5, "standard_error": float("nan"), "seconds": 2.0, "accepted": [], "best": 0}
    state.metrics.append(row)
    generations.save(folder, state)
    runs.write_manifest(folder, runs.manifest(asdict(config)) | {"kind": "evolve"})
    verdict = {"champion": 0, "rows": [Row("evolved - system:sayc, duplicate", 0.5, 0.1, 9000, "pass").as_json()]}
    (folder / VERDICT).write_text(json.dumps(verdict))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(files, tmp_path):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


READERS = {
    runs.MANIFEST: lambda folder: runs.resume_config(folder, EvolveConfig),
    runs.METRICS: report.read_run,
    VERDICT: report.read_run,
    runs.CHECKPOINT: generations.load,
}


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        (
            runs.MANIFEST,
            '"seed": 1',
            '"seed": "1"',
            r"config: Expected `int`, got `str` - at `\$\.seed`",
        ),
        (runs.MANIFEST, '"seed": 1', '"sead": 1', r"manifest\.json: config: not of a run of this kind: .*sead"),
        (runs.METRICS, '"generation": 0, ', "", r"metrics\.jsonl:1: .*missing required field `generation`"),
        (
            VERDICT,
            '"boards": 9000',
            '"boards": []',
            r"verdict\.json: Expected `int`, got `array` - at `\$\.rows",
        ),
        (VERDICT, '"rows"', '"row"', r"verdict\.json: .*missing required field `rows`"),
    ],
)
def test_the_field_is_named(folder, files, name, old, new, why):
    changed = files[name].decode().replace(old, new, 1)
    assert changed != files[name].decode()
    (folder / name).write_text(changed)
    with pytest.raises(runs.RunError, match=why):
        READERS[name](folder)


def test_lines_of_a_panel(tmp_path):
    log = tmp_path / "panel.json"
    line, key = panel.Line("start", "pass", 0.5, 0.1, 20, 30.5), '["start", "", "pass", "", 20, 1]'
    log.write_text(json.dumps({key: asdict(line)}))
    assert panel.read(log) == {key: line}
    for change in ({"boards": "20"}, {"mean_imps": None}):
        log.write_text(json.dumps({key: asdict(line) | change}))
        with pytest.raises(runs.RunError, match=r"panel\.json: Expected"):
            panel.read(log)
