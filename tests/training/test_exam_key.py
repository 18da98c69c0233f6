"""The textbook exam's key, checked as far as rules can: hands, points named in reasons, earlier calls, sense."""

import re
import tomllib
from fnmatch import fnmatch

import pytest
from reference.exam_sense import Hand, fault
from support.places import DATA, ROOT

from bridge_env.rules.calls import PASS, parse_call
from training.exam.positions import ALL, FULL, KEYS, textbook

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
    wrong = [
        f"{p.where}: {named} HCP, and {p.hand} has {Hand(p.hand).hcp}"
        for p in EXAM.positions
        for named in re.findall(r"(\d+) HCP", p.reason)
        if int(named) != Hand(p.hand).hcp
    ]
    assert not wrong, "\n".join(wrong)
    assert sum("HCP" in p.reason for p in EXAM.positions) > 200


def test_points_are_ten_or_five_and_few_calls_get_them():
    for p in EXAM.positions:
        points = [points for _, points in p.answers]
        assert set(points) <= {5, FULL}, p.where
        assert 1 <= points.count(FULL) <= 3, p.where
        assert len(points) <= 4, p.where


def test_earlier_calls_keep_to_the_hand():
    wrong = [
        f"{p.where}: {named} earlier, with {p.hand}"
        for p in EXAM.positions
        for i in range(len(p.auction) % 4, len(p.auction), 4)
        if (named := fault(Hand(p.hand), p.auction[:i], p.auction[i]))
    ]
    assert not wrong, "\n".join(wrong)


def test_a_best_call_keeps_to_the_hand():
    wrong = []
    for p in EXAM.positions:
        faults = [fault(Hand(p.hand), p.auction, call) for call, points in p.answers if points == FULL]
        if p.key == ALL and None not in faults:
            wrong.append(f"{p.where}: {faults} with {p.hand}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("auction", "hand", "call"),
    [
        ("", "AJ843.K72.K5.Q92", "1H"),
        ("", "KQ72.A65.K84.J93", "1D"),
        ("", "KQ72.A65.KQ4.J93", "1C"),
        ("", "KQJ96.73.854.J42", "2S"),
        ("", "AJ843.K72.K5.Q92", "P"),
        ("1C P", "K943.AQ62.73.852", "1S"),
        ("1H P", "K943.72.A73.8652", "1NT"),
        ("1NT P", "KQ943.72.A73.865", "2D"),
        ("1D", "AJ8.K72.K52.QJ93", "X"),
        ("1S", "AJ84.K72.92.QJ93", "1NT"),
    ],
)
def test_slips_would_be_found(auction, hand, call):
    assert fault(Hand(hand), tuple(parse_call(word) for word in auction.split()), parse_call(call))


def test_a_wheel_holds_the_exam():
    with open(ROOT / "pyproject.toml", "rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["training"]
    held = sorted(path for path in FOLDER.iterdir())
    assert len(held) == len(EXAM.titles)
    for path in held:
        inside = path.relative_to(ROOT / "training").as_posix()
        assert any(fnmatch(inside, pattern) for pattern in patterns)
    assert "training/exam/textbook" in (DATA / "README.md").read_text(encoding="utf-8")
