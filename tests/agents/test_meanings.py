"""What calls show at the table: conditions on both hands become conditions on the hand that calls."""

from __future__ import annotations

from agents.meanings import Reader
from agents.systems.library.shipped import register_system
from bridge_env.rules.calls import parse_call

TEXT = """\
system: pair
1N    15-17 hcp, balanced
when 1+ partner-bid, 0-3 last-level, ours
  3N    25+ combined, 0-7 fit-major
when 0-7 last-level
  P
"""


def test_points_of_both_hands_become_points_of_this_one():
    spec = register_system("pair-for-meanings", TEXT)
    found = Reader(spec, spec).call((parse_call("1N"), 0), 0, 0, parse_call("3N"))
    assert found.lines == ("10+ HCP, 0-5♥ and 0-5♠",)
    assert "general rules" in found.how


def test_rare_calls_of_a_network_by_hands_drawn_now():
    """Too rare to have been measured: a raise after a response at the three level, and what it forces to."""
    calls = [parse_call(call) for call in ("1H", "P", "3D", "P")]
    read = Reader("policy:champion-plain", "policy:champion-plain")
    found = read.call(calls, 0, 0, parse_call("4D"))
    assert found.known
    assert "hands drawn now" in found.how
    assert found.note in ("forcing", "not forcing")
    assert "partner passes" in found.how
    assert "HCP" in read.seats(calls, 0, 0)[2]
    quick = Reader("policy:champion-plain", "policy:champion-plain", draws=False)
    assert not quick.call(calls, 0, 0, parse_call("4D")).known


def test_every_legal_call_of_a_network():
    read = Reader("policy:standard", "policy:standard")
    every = read.every([parse_call("1N"), 0], 0, 0)
    assert len(every) == 38 - 2 - 5
    assert "HCP" in every[0].text
    assert every[parse_call("7C")].text == "Hardly ever made here."
    assert not every[parse_call("7C")].known


def test_a_network_by_a_book_shows_calls_outside_its_book():
    """No line of the book makes this call, so its hands are drawn."""
    read = Reader("policy:by-the-book", "policy:by-the-book")
    found = [read.call([], 0, 0, call) for call in (parse_call("1N"), parse_call("4N"))]
    assert "line" in found[0].how
    assert "hardly ever" in found[1].text or "drawn" in found[1].how
