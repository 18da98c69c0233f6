"""Rules that a pair can say, and rules that it cannot."""

from dataclasses import replace

import pytest

from agents.systems.changes.complexity_limits import faults, new_faults
from agents.systems.changes.edits import Insert
from agents.systems.language.text import parse_constraint, parse_system
from agents.systems.language.tree import Line, Step
from agents.systems.library.shipped import read_system


def line(call, constraint):
    return Line((Step(call),), parse_constraint(constraint))


def path(text):
    return tuple(Step(t.strip("()"), t.startswith("(")) for t in text.split("-") if t)


@pytest.mark.parametrize(
    ("before", "call", "constraint"),
    [
        ("", "1S", "11-21 hcp, 5+ S"),
        ("", "1S", "20+ rule20, 5+ S, S >= H"),
        ("", "2S", "5-10 hcp, 6 S, 2+ top5:S, 0-3 H"),
        ("(1D)", "X", "12+ hcp, 0-2 D, 3+ H, 3+ S"),
        ("(1D)", "1N", "15-18 hcp, balanced, stopper:D"),
        ("1M", "3M", "10-12 support:M, 4+ M"),
        ("1N-(2x)", "3N", "10+ hcp, stopper:x"),
        ("1S-4N", "5D", "1 keycards:S"),
        ("", "P", ""),
        ("1N-2C", "2D", "0-3 H, 0-3 S"),
        ("1N-3N", "4H", "H > S"),
    ],
)
def test_agreements_of_people_are_sayable(before, call, constraint):
    assert faults(path(before), line(call, constraint)) == []


@pytest.mark.parametrize(
    ("before", "call", "constraint", "why"),
    [
        ("", "1S", "5+ S", "least strength"),
        ("", "1S", "0-23 rule20, 11+ hcp, 5+ S", "rule20 has an upper bound"),
        ("", "1S", "11+ hcp, 5+ S, 0-2 top5:D", "top5:D: a suit that has not come up"),
        ("(1D)", "X", "10+ hcp, 4+ C", "C: a suit that has not come up"),
        ("(1D)", "1S", "8+ hcp, 5+ S, balanced, 0-4 losers, 0-3 H, not vul", "4 conditions"),
        ("(1D)", "X", "10+ hcp, C > S", "C-S: a suit that has not come up"),
    ],
)
def test_what_nobody_would_agree_on_is_not(before, call, constraint, why):
    assert any(why in fault for fault in faults(path(before), line(call, constraint)))


def test_a_general_rule_may_take_its_strength_from_its_context():
    double = line("X", "3+ in-theirs")
    assert faults((), double)
    assert faults((), double, parse_constraint("25+ combined")) == []


def test_only_what_is_new_is_looked_at():
    before = parse_system("system: toy\n1S    5+ S\nwhen 0-7 last-level\n  P\n")
    assert new_faults(before, before) == []
    edit = Insert(path("1S-(2x)"), line("X", "5+ hcp, 0-3 zar"), "")
    after = edit.apply(before)
    assert new_faults(before, after) == ["X: zar has an upper bound"]
    assert new_faults(after, replace(after, blocks=())) == []


def test_books_say_little_that_learning_may_not():
    system = read_system("sayc")
    tree = replace(system, blocks=())
    assert len(new_faults(replace(tree, lines=()), tree)) <= 16
