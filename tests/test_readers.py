"""Readers of files: what is damaged is refused with one kind of error, and what is read is possible."""

import contextlib
import gzip
import io
import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.boards import ARRAY_WORDS, JSON_WORDS, RECORD_WORDS, SYSTEM_WORDS, damaged

import agents
import bridge_env
from agents.networks.file import load as load_network
from agents.systems.engine.compiler import compile_system
from agents.systems.language.text import SystemTextError, parse_system, system_text
from agents.text_api import calls
from bridge_env.bidders.registry import SpecError, make
from bridge_env.double_dummy.estimator import load_estimator
from bridge_env.hands.deals import random_deals
from bridge_env.io.files import FileError
from bridge_env.records.board import Board
from bridge_env.records.lin import read_lin
from bridge_env.records.lin_writer import lin_text
from bridge_env.records.links import LinkError, board_of_link
from bridge_env.records.pbn import board_text, read_boards
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import board_dealer, board_vulnerability
from training.evaluation import panel
from training.evaluation.verdict import VERDICT, VerdictRow
from training.evolution import generations, report
from training.evolution.config import EvolveConfig
from training.exam.positions import ExamError, read_exam
from training.runtime import runs

FEW = settings(max_examples=40, deadline=None)
_SYSTEMS = Path(agents.__file__).parent / "systems" / "library"
_WEIGHTS = {
    load_network: Path(agents.__file__).parent / "networks" / "shipped" / "standard.npz",
    load_estimator: Path(bridge_env.__file__).parent / "data" / "estimator.npz",
}
_SPECS = (
    "system:sayc", "pair:system:sayc,pass", "reason:sayc?samples=8&looks=2", "policy:champion", "pass",
    "cases:nothing.npz", "som:nothing.npz", "seat:http://127.0.0.1:9?form=ben&tries=1", "python:no_such_module:thing",
)  # fmt: skip
_STATE = {"hand": "AKQ2.T98.J7.A543", "dealer": "N", "vulnerability": "None", "auction": ["1C", "Pass"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


def _boards():
    numbers = np.arange(1, 4)
    dealer, vulnerability = board_dealer(numbers).tolist(), board_vulnerability(numbers).tolist()
    rows = zip(random_deals(3, 0, 3), dealer, vulnerability, numbers.tolist(), strict=True)
    return [Board(deal, d, v, n, auction=(3 + n, 0, 0, 0)) for deal, d, v, n in rows]


_PBN = "".join(board_text(board) + "\n" for board in _boards()).encode()
_LIN = "\n".join(map(lin_text, _boards())).encode()
_RECORDS = [
    (read, packed) for read, text in ((read_boards, _PBN), (read_lin, _LIN)) for packed in (text, gzip.compress(text))
]


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_boards_of_damaged_records_are_possible(data):
    read, content = data.draw(st.sampled_from(_RECORDS))
    for board in read(io.BytesIO(data.draw(damaged(content, RECORD_WORDS)))).boards:
        assert (np.bincount(board.owner, minlength=4) == 13).all()
        Auctions.replay(np.array([board.auction or ()], np.int8), [board.dealer], [board.vulnerability])
        text = board_text(replace(board, sections={}))
        assert read_boards(io.StringIO(text)).boards == [replace(board, sections={})]


@FEW
@given(damaged(b"https://www.bridgebase.com/tools/handviewer.html?lin=" + _LIN.splitlines()[0], RECORD_WORDS))
def test_damaged_links(link):
    with contextlib.suppress(LinkError):
        board_of_link(link.decode("latin-1"))


@FEW
@given(data=st.data())
def test_damaged_systems_read_back_the_same_or_name_their_source(data):
    name = data.draw(st.sampled_from(("acol", "polish", "preempts", "sayc")))
    text = (_SYSTEMS / f"{name}.bidding").read_bytes()[:3000]
    try:
        system = parse_system(data.draw(damaged(text, SYSTEM_WORDS)).decode("utf-8", "replace"), source="mine")
    except SystemTextError as error:
        message = str(error)
        assert message.startswith("mine:")
        return
    again = parse_system(system_text(system))
    assert (again.lines, again.blocks) == (system.lines, system.blocks)
    with contextlib.suppress(SystemTextError):
        compile_system(system)


@FEW
@given(spec=st.sampled_from(_SPECS).flatmap(lambda spec: damaged(spec.encode(), RECORD_WORDS)))
def test_damaged_specs(spec):
    with contextlib.suppress(SpecError, OSError):
        make(spec.decode("latin-1"))


@FEW
@given(data=st.data())
def test_damaged_states(data):
    name = data.draw(st.sampled_from(sorted(_STATE)))
    value = _STATE[name] if isinstance(_STATE[name], str) else " ".join(_STATE[name])
    text = data.draw(damaged(value.encode(), RECORD_WORDS)).decode("latin-1")
    with contextlib.suppress(ValueError):
        calls("system:sayc", [_STATE | {name: text.split() if name == "auction" else text}])


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_damaged_weights(folder, data):
    """Most of a file is weights, so the ends are damaged, with the header and the names of arrays."""
    load, source = data.draw(st.sampled_from(list(_WEIGHTS.items())))
    content, path = source.read_bytes(), folder / "weights.npz"
    head, tail = content[:600], content[-1500:]
    if data.draw(st.booleans()):
        head = data.draw(damaged(head, ARRAY_WORDS))
    else:
        tail = data.draw(damaged(tail, ARRAY_WORDS))
    path.write_bytes(head + content[600:-1500] + tail)
    with contextlib.suppress(FileError):
        load(path)


@FEW
@given(content=damaged(b"area: opening bids\nNone N | - | AKQ2.T98.J7.A543 | 1C | a minor\n", RECORD_WORDS))
def test_damaged_exams(folder, content):
    path = folder / "mine.exam"
    path.write_bytes(content)
    with contextlib.suppress(ExamError, FileError):
        read_exam([path])


@pytest.fixture(scope="module")
def run(folder):
    """A run folder with every file that commands read back."""
    config = EvolveConfig(start="silent", control="silent", league="", gatekeepers="")
    state = generations.begin(config)
    state.metrics.append({
        "generation": 0, "mean_imps": 0.5, "standard_error": float("nan"), "seconds": 2.0, "accepted": ["a"],
        "best": 0,
    })  # fmt: skip
    run = folder / "run"
    run.mkdir()
    generations.save(run, state)
    runs.write_manifest(run, runs.manifest(asdict(config)) | {"kind": "evolve"})
    verdict = {"rows": [asdict(VerdictRow("evolved - system:sayc, duplicate", 0.5, 0.1, 9000, "pass"))]}
    (run / VERDICT).write_text(json.dumps(verdict))
    line = panel.PanelRow("start", "pass", 0.5, 0.1, 20, 30.5)
    (run / "panel.json").write_text(json.dumps({"key": asdict(line)}))
    return run


_RUN_READERS = {
    runs.MANIFEST: lambda run: runs.resume_config(run, EvolveConfig),
    runs.METRICS: report.read_run,
    VERDICT: lambda run: report.text([report.read_run(run)]),
    runs.CHECKPOINT: generations.load,
    "panel.json": lambda run: panel.read(run / "panel.json"),
}


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_files_of_runs_are_named(run, data):
    name = data.draw(st.sampled_from(sorted(_RUN_READERS)))
    content = (run / name).read_bytes()
    (run / name).write_bytes(data.draw(damaged(content, JSON_WORDS)))
    try:
        _RUN_READERS[name](run)
    except runs.RunError as error:
        message = str(error)
        assert str(run) in message
    finally:
        (run / name).write_bytes(content)


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        (runs.MANIFEST, '"seed": 1', '"seed": "1"', "config: Expected `int`, got `str` - at `$.seed`"),
        (runs.MANIFEST, '"seed": 1', '"sead": 1', "manifest.json: config: not of a run of this kind: it has sead"),
        (runs.METRICS, '"generation": 0, ', "", "metrics.jsonl:1: Object missing required field `generation`"),
        (VERDICT, '"boards": 9000', '"boards": []', "verdict.json: Expected `int`, got `array` - at `$.rows"),
        (VERDICT, '"rows"', '"row"', "verdict.json: Object missing required field `rows`"),
    ],
)
def test_a_wrong_field_is_named(run, name, old, new, reason):
    content = (run / name).read_text()
    assert old in content
    (run / name).write_text(content.replace(old, new, 1))
    try:
        with pytest.raises(runs.RunError, match=re.escape(reason)):
            _RUN_READERS[name](run)
    finally:
        (run / name).write_text(content)


class _Bomb:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("load", list(_WEIGHTS), ids=["network", "estimator"])
def test_no_code_of_a_file_is_run(tmp_path, load):
    mark, bomb = tmp_path / "mark", np.empty(1, object)
    bomb[0] = _Bomb(mark)
    np.savez(tmp_path / "bomb.npz", header=bomb, allow_pickle=True)
    with pytest.raises(FileError):
        load(tmp_path / "bomb.npz")
    assert not mark.exists()
