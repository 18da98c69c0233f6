"""The textbook exam's key: its extent, points named in reasons, and that a wheel holds it."""

import re
import tomllib
from fnmatch import fnmatch

import numpy as np
from support.places import DATA, ROOT

from bridge_env.hands.deals import parse_hand
from bridge_env.hands.features import HCP, hand_features
from bridge_env.rules.calls import PASS
from training.exam.positions import ALL, FULL, KEYS, read_exam, textbook

EXAM = textbook()
FOLDER = ROOT / "training" / "exam" / "textbook"


def test_there_are_enough_positions_in_every_area():
    assert len(EXAM.titles) >= 18
    for key in (*KEYS, ALL):
        selected = EXAM.select(key)
        assert len(selected) >= 450
        for area in EXAM.titles:
            assert sum(p.area == area for p in selected) >= 12, (key, area)


def test_passes_are_best_calls_too():
    """A bidder that always acts must not do well, nor one that always passes."""
    passes = sum(p.points(PASS) == FULL for p in EXAM.positions)
    assert 0.08 < passes / len(EXAM.positions) < 0.2
    for area in EXAM.titles:
        selected = EXAM.select(ALL, [area])
        assert sum(p.points(PASS) for p in selected) < 0.4 * FULL * len(selected), area


def test_reasons_count_the_points_of_the_hand():
    positions = [*EXAM.positions, *read_exam([ROOT / "results" / "exam" / "unseen.exam"]).positions]
    points = hand_features(np.stack([parse_hand(p.hand) for p in positions]))[:, HCP]
    named = 0
    for p, hcp in zip(positions, points, strict=True):
        found = re.findall(r"(\d+) HCP", p.reason)
        assert all(int(text) == hcp for text in found), p.where
        named += len(found)
    assert named > 200


def test_points_are_ten_or_five_and_few_calls_get_them():
    for p in EXAM.positions:
        points = [points for _, points in p.answers]
        assert set(points) <= {5, FULL}, p.where
        assert 1 <= points.count(FULL) <= 3, p.where
        assert len(points) <= 4, p.where


def test_a_wheel_holds_the_exam():
    with open(ROOT / "pyproject.toml", "rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["training"]
    held = sorted(path for path in FOLDER.iterdir())
    assert len(held) == len(EXAM.titles)
    for path in held:
        inside = path.relative_to(ROOT / "training").as_posix()
        assert any(fnmatch(inside, pattern) for pattern in patterns)
    assert "training/exam/textbook" in (DATA / "README.md").read_text(encoding="utf-8")
