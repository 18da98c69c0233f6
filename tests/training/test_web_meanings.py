"""What calls show at the table: conditions on both hands are told as conditions on the hand that calls."""

from __future__ import annotations

from agents.hierarchy.shipped import lend_system
from bridge_env.calls import parse_call
from training.web.meanings import Reader

TEXT = """\
system: pair
1N    15-17 hcp, balanced
when 1+ partner-bid, 0-3 last-level, ours
  3N    25+ combined, 0-7 fit-major
when 0-7 last-level
  P
"""


def test_points_of_both_hands_are_told_as_points_of_this_one():
    spec = lend_system("pair-for-meanings", TEXT)
    found = Reader(spec, spec).call((parse_call("1N"), 0), 0, 0, parse_call("3N"))
    assert found.lines == ("10+ HCP, 0-5♥ and 0-5♠",)
    assert "general rules" in found.how
