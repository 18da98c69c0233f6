"""The textbook exam's key, checked as far as rules can: hands, points named in reasons, earlier calls, sense."""

import re
import tomllib
from fnmatch import fnmatch

import pytest
from support.exam_sense import LEAST, Hand, fault
from support.places import DATA, ROOT

from bridge_env.calls import PASS, call_text
from bridge_env.cards import SEATS, parse_hand
from training.exam.positions import ALL, FULL, KEYS, textbook

EXAM = textbook()
FOLDER = ROOT / "training" / "exam" / "textbook"


def name(position):
    return position.where


def test_there_are_enough_positions_in_every_area():
    assert len(EXAM.titles) >= 18
    for key in (*KEYS, ALL):
        asked = EXAM.asked(key)
        assert len(asked) >= 450
        for area in EXAM.titles:
            assert sum(p.area == area for p in asked) >= 12, (key, area)


def test_all_seats_and_vulnerabilities_are_asked():
    for what in ("dealer", "vulnerability", "seat"):
        counts = [sum(getattr(p, what) == value for p in EXAM.positions) for value in range(4)]
        assert min(counts) >= 60, what


def test_passes_are_asked_for_too():
    """Who always acts must not do well."""
    passes = sum(p.points(PASS) == FULL for p in EXAM.positions)
    assert 0.08 < passes / len(EXAM.positions) < 0.2


@pytest.mark.parametrize("position", EXAM.positions, ids=name)
def test_hand_points_and_answers(position):
    assert parse_hand(position.hand).sum() == 13
    hand = Hand(position.hand)
    for told in re.findall(r"(\d+) HCP", position.reason):
        assert int(told) == hand.hcp, f"the hand has {hand.hcp} HCP"
    best = [call for call, points in position.answers if points == FULL]
    assert 1 <= len(best) <= 3
    assert len(position.answers) <= 4
    assert {points for _, points in position.answers} <= {5, FULL}


@pytest.mark.parametrize("position", EXAM.positions, ids=name)
def test_earlier_calls_and_best_calls_make_sense(position):
    hand = Hand(position.hand)
    own = range(len(position.auction) % 4, len(position.auction), 4)
    for i in own:
        wrong = fault(hand, position.auction[:i], position.auction[i])
        assert wrong is None, f"{wrong} earlier, with {position.hand}"
    if position.key == ALL:
        faults = [fault(hand, position.auction, call) for call, points in position.answers if points == FULL]
        assert None in faults, f"{faults} with {position.hand}"


@pytest.mark.parametrize("position", EXAM.positions, ids=name)
def test_the_table_holds_no_more_than_forty_points(position):
    shown = {position.seat: Hand(position.hand).hcp}
    for i, call in enumerate(position.auction):
        seat = (position.dealer + i) % 4
        if all(c == PASS for c in position.auction[:i]) and seat != position.seat:
            shown[seat] = LEAST.get(call_text(call), 0)
        elif call_text(call) == "X" and seat != position.seat:
            shown.setdefault(seat, 8)
    assert sum(shown.values()) <= 40, {SEATS[seat]: points for seat, points in shown.items()}


def test_a_wheel_holds_the_exam():
    with open(ROOT / "pyproject.toml", "rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["training"]
    held = sorted(path for path in FOLDER.iterdir())
    assert len(held) == len(EXAM.titles)
    for path in held:
        inside = path.relative_to(ROOT / "training").as_posix()
        assert any(fnmatch(inside, pattern) for pattern in patterns)
    assert "training/exam/textbook" in (DATA / "README.md").read_text(encoding="utf-8")
