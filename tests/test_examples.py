"""The example scripts and the notebook run, small, and give what they promise."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from support.page import Page
from support.places import ROOT

import agents
from training.cli import main as command
from training.cli.app import app


def example(name, folder="examples"):
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_of_them_are_tried_here():
    tried = {name.removeprefix("test_") for name in globals()}
    assert {path.stem for pattern in ("*.py", "*.ipynb") for path in (ROOT / "examples").glob(pattern)} <= tried


def test_evaluate_your_own_bidder():
    match = example("evaluate_your_own_bidder").main(400)
    assert match.mean_imps < -1  # games are never bid


def test_write_a_convention():
    module = example("write_a_convention")
    match = module.main(3_000)
    assert abs(match.mean_imps) < 0.5
    assert (match.imps != 0).any()


def test_deal_and_score_your_own_boards():
    contracts, tricks, points = example("deal_and_score_your_own_boards").main(6)
    assert len(contracts.bid) == len(tricks) == len(points) == 6
    assert ((tricks >= 0) & (tricks <= 13)).all()
    assert (np.asarray(points) != 0).any()


def test_look_at_boards():
    pytest.importorskip("mkdocs")
    picture = example("hooks", "docs").picture
    book = json.loads((ROOT / "examples" / "look_at_boards.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)  # nothing that grows stale
    names = {}
    drawn = [Page(picture("".join(cell["source"]).replace(", 200, ", ", 50, "), names)).text for cell in code]
    for text, expected in zip(drawn, ["♠ A K Q 2", "2♣", "Dealer N", "± ", "BBO hand viewer", ""], strict=True):
        assert expected in text
    assert names["made"].boards == 50
    assert names["file"].stat().st_size < 700_000


def test_the_gallery_draws_what_its_snippets_give():
    pytest.importorskip("mkdocs")
    hooks = example("hooks", "docs")
    page = (ROOT / "docs" / hooks.PICTURES).read_text(encoding="utf-8")
    drawn = hooks.with_pictures(page)
    assert drawn.count('<div class="bridge">') == page.count("```python") - 1  # the last one prints
    assert drawn.count("```python") == page.count("```python")
    Page(drawn.partition("## A hand")[2].replace("<>", ""))


def test_train_with_maskable_ppo():
    pytest.importorskip("sb3_contrib")
    reward = example("train_with_maskable_ppo").main(4_096, 64)
    assert -24 <= reward <= 24


@pytest.mark.weekly
@pytest.mark.slow
def test_selfplay_in_one_file(tmp_path):
    pytest.importorskip("torch")
    module = example("selfplay_in_one_file")
    assert len(Path(module.__file__).read_text(encoding="utf-8").splitlines()) <= 250
    small = {"tables": 64, "steps": 8, "batch": 128, "width": 32, "every": 1.0, "boards": 64}
    verdict = module.main(tmp_path / "mine.npz", module.Setting(hours=5 / 3600, lessons=0.5, **small))
    assert [line.opponent for line in verdict.rows][:2] == ["pass", "system:sayc"]
    assert {"policy:humans", "policy:wbridge5"} < {line.opponent for line in verdict.rows}
    assert agents.make(f"policy:{tmp_path / 'mine.npz'}").networks.policy.sizes == [814, 32, 32, 38]


@pytest.mark.weekly
@pytest.mark.slow
def test_evolve_on_a_cluster(one_ray, tmp_path):
    result = example("evolve_on_a_cluster").main(
        None, tmp_path, generations=1, proposals=4, boards=200, judge=100, study=300, confirm=200, start="silent",
        gatekeepers="policy:humans",
    )  # fmt: skip
    assert result.folder.parent == tmp_path / "evolve"
    assert result.rows[0].what.startswith("abroad")
    assert all(path.is_file() for path in (*result.systems, result.report, result.curve))


@pytest.mark.weekly
@pytest.mark.slow
def test_sweep_with_ray_tune(one_ray, tmp_path):
    pytest.importorskip("sb3_contrib")
    pytest.importorskip("ray.tune")
    small = {"tables": 64, "evaluate": 50, "every": 0.0, "layers": "16"}
    module = example("sweep_with_ray_tune")
    best = module.main(2, 2_048, tmp_path, **small)
    ended = [json.loads(file.read_text()) for file in tmp_path.glob("train/*/manifest.json")]
    assert len({run["config"]["learning_rate"] for run in ended}) == 2
    curve = best.metrics_dataframe
    assert curve["calls"].max() >= 2_048
    assert best.metrics["imps"] == curve["imps"].iloc[-1]
    assert (Path(best.metrics["folder"]) / "policy.npz").is_file()


@pytest.mark.weekly
@pytest.mark.slow
def test_train_a_champion(one_ray, tmp_path, monkeypatch):
    """Its commands run in this process, which has torch and Ray loaded; how it runs one by itself is seen at one."""
    pytest.importorskip("torch")
    module, ran = example("train_a_champion"), []
    with pytest.raises(SystemExit) as ended:
        module.bridge_env("deal", "--n", 0)
    assert ended.value.code == 2

    def here(*words):
        ran.append(words[:2])
        assert command(list(map(str, words))) == 0

    monkeypatch.setattr(module, "bridge_env", here)
    for settings in module.LEAGUES.values():
        app.parse_args(["train", "league", "--start", "nothing", *settings], print_error=False, exit_on_error=False)
    monkeypatch.setattr(module, "LEAGUES", {name: module.LEAGUES[name] for name in ("first", "natural")})
    league = "--iterations 2 --boards 64 --estimated 100 --judged 64 --judge 32 --panel pass"
    imitation = "--boards 300 --epochs 1 --layers 32"
    more = {name: league.split() for name in module.LEAGUES}
    more |= {"imitation": imitation.split(), "first": f"{league} --layers 32".split()}
    trained = module.main(tmp_path, ["system:sayc"], more)
    assert ran == [("fit", "policy"), *[("train", "league")] * len(module.LEAGUES)]
    made = trained.stat().st_mtime_ns
    again = module.main(tmp_path, ["system:sayc"], more)  # all has ended: nothing is done
    assert again == trained
    assert trained.stat().st_mtime_ns == made
