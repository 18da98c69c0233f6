"""Changes to systems: single lines, thresholds, chapters that another takes over, and rules that a pair can say."""

from dataclasses import replace

import pytest
from support.bidders import line_at, with_constraint

from agents.systems.changes.chapters import GENERAL, OPENINGS, chapter_of, chapters
from agents.systems.changes.complexity_limits import faults, new_faults
from agents.systems.changes.edits import Insert, differences, sub_hierarchies
from agents.systems.changes.mutation import SeededRandom, placed, with_lines
from agents.systems.changes.variation import threshold_move
from agents.systems.engine.compiler import compile_system
from agents.systems.language.text import parse_constraint, parse_system, system_text
from agents.systems.language.tree import Line, Step
from agents.systems.library.shipped import read_system

MINE = """system: mine
1N    15-17 hcp, balanced
1M    5+ M, 11+ hcp
P
after 1M
  2M    3+ M
after 1H-2H
  4H    16+ hcp
1M-(X)
  2M    3+ M
(1x)
  X     12+ hcp
when 0-7 last-level
  P
"""
THEIRS = MINE.replace("system: mine", "system: theirs").replace("15-17", "12-14").replace("  4H    16+", "  4H    17+")


@pytest.fixture
def pair():
    return parse_system(MINE), parse_system(THEIRS)


def test_lines_of_the_same_auctions_are_of_one_chapter(pair):
    names = [chapter_of(line) for line in pair[0].lines]
    assert names == [OPENINGS] * 3 + ["1M", "1M", "1M in competition", "over (1x)"]


def test_a_chapter_brings_all_that_differs_there_and_nothing_else(pair):
    mine, theirs = pair
    found = {edit.chapter: edit for edit in chapters(mine, theirs)}
    assert set(found) == {OPENINGS, "1M"}
    taken = found["1M"].apply(mine)
    assert taken is not None
    assert [line for line in taken.lines if chapter_of(line) == "1M"] == [
        line for line in theirs.lines if chapter_of(line) == "1M"
    ]
    assert {edit.chapter for edit in chapters(taken, theirs)} == {OPENINGS}
    assert taken.lines[0] == mine.lines[0]  # the opening stays as it was


def test_general_rules_are_a_chapter(pair):
    mine, theirs = pair
    other = parse_system(THEIRS.replace("0-7 last-level\n  P", "0-7 last-level\n  X     15+ hcp\n  P"))
    found = {edit.chapter: edit for edit in chapters(mine, other)}
    taken = found[GENERAL].apply(mine)
    assert taken is not None
    assert taken.blocks == other.blocks
    assert taken.lines == mine.lines
    assert GENERAL not in {edit.chapter for edit in chapters(mine, theirs)}


def test_a_chapter_that_was_not_there_comes_last(pair):
    mine, _ = pair
    other = parse_system(MINE.replace("(1x)\n", "1N-(X)\n  P\n(1x)\n"))
    found = {edit.chapter: edit for edit in chapters(mine, other)}
    taken = found["1N in competition"].apply(mine)
    assert taken is not None
    assert chapter_of(taken.lines[-1]) == "1N in competition"


@pytest.mark.slow
def test_shipped_systems_swap_their_chapters():
    """All chapters of another system make it that system, whose every part compiles on the way."""
    mine, theirs = read_system("sayc"), read_system("two-over-one")
    now = mine
    for edit in chapters(mine, theirs):
        alone = edit.apply(mine)
        assert alone is not None
        compile_system(alone)
        now = edit.apply(now) or now
    assert not list(chapters(now, theirs))


def test_all_that_differs_below_a_heading_can_be_taken_at_once():
    """A line that comes in place of one's own drops that one: it is not dropped once more."""
    mine, theirs = read_system("sayc"), read_system("two-over-one")
    together = list(sub_hierarchies(list(differences(mine, theirs))))
    assert len(together) > 5
    assert all(edit.apply(mine) is not None for edit in together)


SAYC = read_system("sayc")
TOY = parse_system("system: toy\n1N  15-17 hcp, balanced\n  2C  8+ hcp, 4 H or 4 S\nwhen ours\n  P  0-20 hcp\n")


def test_addresses_name_every_line_once():
    found = [address for address, _, _ in placed(SAYC)]
    assert len(set(found)) == len(found)
    assert line_at(TOY, ("lines", 0, 0)).name == "2C"
    assert line_at(TOY, ("blocks", 0, 0)).name == "P"
    assert line_at(TOY, ("lines", 7)) is None
    assert line_at(TOY, ("blocks", 3, 0)) is None


def test_with_line_changes_one_line_and_nothing_else():
    address, line = ("lines", 0, 0), line_at(TOY, ("lines", 0, 0))
    other = with_constraint(TOY, address, ())
    assert line_at(other, address).constraint == ()
    assert with_lines(other, address, (line,)) == TOY
    assert parse_system(system_text(TOY)) == TOY  # the parent is as it was


def test_moves_are_single_steps_of_one_threshold():
    seen = set()
    for k in range(300):
        edit = threshold_move(TOY, SeededRandom("t", k), {})
        old, new = edit.old.constraint, edit.new[0].constraint
        changed = [
            (a, b)
            for x, y in zip(old, new, strict=True)
            for u, v in zip(x, y, strict=True)
            for a, b in zip(u, v, strict=True)
            if a != b
        ]
        assert len(changed) == 1
        (before, after) = changed[0]
        assert before.word == after.word != "balanced"
        assert max(abs(before.lo - after.lo), abs(before.hi - after.hi)) == 1
        assert 0 <= after.lo <= after.hi
        seen.add(edit.what)
    assert "1N: 15-17 hcp -> 14-16 hcp" in seen
    assert "2C: 8+ hcp -> 9+ hcp" in seen
    assert "P: 0-20 hcp -> 0-21 hcp" in seen


def test_often_used_lines_are_moved_more_often():
    line = line_at(TOY, ("lines", 0, 0))
    hits = sum(threshold_move(TOY, SeededRandom("u", k), {line.number: 10_000}).old == line for k in range(200))
    assert hits > 170


def line_of(call, constraint):
    return Line((Step(call),), parse_constraint(constraint))


def steps_of(text):
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
    assert faults(steps_of(before), line_of(call, constraint)) == []


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
    assert any(why in fault for fault in faults(steps_of(before), line_of(call, constraint)))


def test_a_general_rule_may_take_its_strength_from_its_context():
    double = line_of("X", "3+ in-theirs")
    assert faults((), double)
    assert faults((), double, parse_constraint("25+ combined")) == []


def test_only_what_is_new_is_looked_at():
    before = parse_system("system: toy\n1S    5+ S\nwhen 0-7 last-level\n  P\n")
    assert new_faults(before, before) == []
    edit = Insert(steps_of("1S-(2x)"), line_of("X", "5+ hcp, 0-3 zar"), "")
    after = edit.apply(before)
    assert new_faults(before, after) == ["X: zar has an upper bound"]
    assert new_faults(after, replace(after, blocks=())) == []


def test_books_say_little_that_learning_may_not():
    system = read_system("sayc")
    tree = replace(system, blocks=())
    assert len(new_faults(replace(tree, lines=()), tree)) <= 16
