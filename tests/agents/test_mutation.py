"""Changes to systems: every one is a legal tree, does what it says, and leaves its parent alone."""

from support.bidders import with_constraint

from agents.systems.changes.mutation import SeededRandom, line_at, placed, with_lines
from agents.systems.changes.variation import threshold_move
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.shipped import read_system

SAYC = read_system("sayc")
TOY = parse_system("system: toy\n1N  15-17 hcp, balanced\n  2C  8+ hcp, 4 H or 4 S\nwhen ours\n  P  0-20 hcp\n")


def test_addresses_name_every_line_once():
    found = {address: line for address, _, line in placed(SAYC)}
    assert all(line_at(SAYC, address) is line for address, line in found.items())
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
