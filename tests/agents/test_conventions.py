"""Conventions by the notes of lines: what a system plays, and the system without some of them."""

import pytest

import agents
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.conventions import CONVENTIONS, conventions_of, shows, without
from agents.systems.library.shipped import hierarchy_of, read_system
from bridge_env.bidders.registry import SpecError

BOOKLET = "system:sayc?without=splinter+new-minor-forcing+support+responsive"
SMALL = """\
system: small
1S    12+ hcp, 5+ S
  4C    9+ hcp, 4+ S, 0-1 C                                ; splinter !gf !artificial
    4N    18+ hcp                                          ; Gerber !forcing
  4H    9+ hcp, 4+ S, 0-1 H                                ; splinter !gf !artificial
  4H    0-9 hcp, 7+ H                                      ; to play
  2S    6-9 hcp, 3+ S
after 1S-4C
  4S    0-14 hcp
after 1S-4H
  4S    6+ S
after 1S-2S
  4S    17+ hcp
when 0-7 last-level
  X     15+ hcp                                            ; splinter of a kind
  P
"""


def test_notes_name_the_conventions():
    assert conventions_of(parse_system(SMALL)) == {"splinter", "Gerber"}
    assert {"splinter", "Stayman", "weak-Stayman", "Jacoby", "support"} <= conventions_of(read_system("sayc"))
    assert "Lebensohl" not in conventions_of(read_system("sayc"))
    assert "Lebensohl" in conventions_of(read_system("two-over-one"))
    assert conventions_of(read_system("silent")) <= set(CONVENTIONS)


@pytest.mark.parametrize(
    ("note", "convention", "is_shown"),
    [
        ("fourth suit", "fourth-suit", True),
        ("fourth suit: weak", "fourth-suit", False),
        ("negative and responsive doubles", "negative", False),
        ("values there are wasted", "splinter", False),
        ("supports hearts", "support", False),
    ],
)
def test_a_note_names_its_convention_first(note, convention, is_shown):
    assert shows(note, convention) == is_shown


def test_without_a_convention_its_calls_go_and_what_follows_them():
    left = without(parse_system(SMALL), ["splinter"])
    text = system_text(left)
    assert "splinter" not in text
    assert "Gerber" not in text
    assert "1S-4C" not in text
    assert "1S-4H" in text, "another line still makes this call"
    assert "to play" in text
    assert [line.name for block in left.blocks for line in block.lines] == ["P"]


def test_a_spec_leaves_conventions_out():
    splinter = {"hand": "KQ84.5.A962.QJ73", "auction": ["1S", "P"]}
    assert agents.call("system:sayc", **splinter) == "4H"
    assert agents.call(BOOKLET, **splinter) == "2NT"  # Jacoby instead
    support = {"hand": "84.KJ3.AQ962.A73", "auction": ["1D", "P", "1H", "1S"]}
    assert agents.call("system:sayc", **support) == "X"
    assert agents.call(BOOKLET, **support) != "X"
    assert conventions_of(hierarchy_of(BOOKLET.removeprefix("system:")).system) == conventions_of(
        read_system("sayc")
    ) - {"splinter", "new-minor-forcing", "support", "responsive"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("without=splinters", "'splinters' is no convention; there are Bergen"),
        ("without=Bergen", "sayc does not play Bergen; it plays "),
        ("with=splinter", "'with' is not an option of a system; its options are without"),
    ],
)
def test_errors_say_what_there_is(options, text):
    with pytest.raises(SpecError) as error:
        read_system(f"sayc?{options}")
    assert text in str(error.value)
    with pytest.raises(SpecError):
        without(parse_system(SMALL), ["Drury"])
