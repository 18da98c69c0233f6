"""The example scripts run, small, and give what they promise."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from support.places import ROOT


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_of_them_are_tried_here():
    tried = {name.removeprefix("test_") for name in globals()}
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} <= tried


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


def test_train_with_maskable_ppo():
    pytest.importorskip("sb3_contrib")
    reward = example("train_with_maskable_ppo").main(4_096, 64)
    assert -24 <= reward <= 24


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
def test_evolve_on_a_cluster(tmp_path):
    pytest.importorskip("ray")
    small = ["--generations", "1", "--proposals", "4", "--boards", "200", "--judge", "100", "--workers", "1"]
    assert example("evolve_on_a_cluster").main(None, tmp_path, *small) == 0
    assert list((tmp_path / "evolve").iterdir())


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
def test_sweep_with_ray_tune(tmp_path):
    pytest.importorskip("sb3_contrib")
    pytest.importorskip("ray.tune")
    small = {"tables": 64, "evaluate": 50, "every": 0.0, "layers": "16", "critic": "16"}
    module = example("sweep_with_ray_tune")
    best = module.main(2, 2_048, tmp_path, **small)
    ended = [json.loads(file.read_text()) for file in tmp_path.glob("train/*/manifest.json")]
    assert len({run["config"]["learning_rate"] for run in ended}) == 2
    curve = best.metrics_dataframe
    assert curve["calls"].max() >= 2_048
    assert best.metrics["imps"] == curve["imps"].iloc[-1]
    assert (Path(best.metrics["folder"]) / "policy.npz").is_file()
