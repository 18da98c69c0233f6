"""The pages of a book read back: words and their inverse agree, and pages bid as the system that printed them."""

from __future__ import annotations

import re

import pytest
from support.pages import BOOK

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.engine.last_resort import LAST_RESORT
from agents.hierarchy.language.text import SystemTextError, parse_constraint, parse_system
from agents.hierarchy.language.tree import INFINITE, Atom, Block, Line, Step, System, walk
from agents.hierarchy.language.vocabulary import CALL_WORDS, FLAG_WORDS, SUIT_LETTERS, SUIT_WORDS, WORDS
from agents.hierarchy.shipped import read_system, shipped_systems
from agents.hierarchy.telling import pages, wording
from agents.registry import make_pages, system_of
from bridge_env.bidders import SpecError


def lines_of(system: System) -> list[Line]:
    return [*walk(system.lines), *(line for block in system.blocks for line in block.lines)]


@pytest.mark.parametrize("name", shipped_systems())
def test_every_word_of_the_shipped_systems_is_read_as_it_is_printed(name):
    system = read_system(name)
    asked = [line.constraint for line in lines_of(system)] + [block.when for block in (*system.blocks, *LAST_RESORT)]
    for constraint in [*asked, *(line.constraint for block in LAST_RESORT for line in block.lines)]:
        printed = wording.symbols(wording.promise(constraint))
        assert wording.read_promise(wording.marks(printed)) == constraint, printed
    for line in lines_of(system):
        for step in line.path:
            assert wording.read_call(wording.call(step)) == step
        (read,) = pages.read_row(pages.row(line.path[-1], [line], "7.5%: 4-9 HCP, 0-2!s"))
        assert (read.path[-1], read.constraint) == (line.path[-1], line.constraint)
        assert read.flags == line.flags


def atoms() -> list[Atom]:
    """Every word of the language, with ranges of all kinds."""
    out = []
    for word in sorted({name.partition(":")[0] if ":" in name else name for name in WORDS} | {"M", "oM", "m", "om"}):
        named = [word]
        if word in SUIT_WORDS:
            named = [f"{word}:{suit}" for suit in (*SUIT_LETTERS, "M", "oM", "m", "om", "x", "y")]
        if word == "hcp":
            named += ["hcp"]
        for name in named:
            if word in FLAG_WORDS:
                out += [Atom(name, 0, 0), Atom(name, 1, 1)]
            elif word in CALL_WORDS:
                out += [Atom(name, call, call) for call in (0, 1, 2, 3, 22, 37)]
            else:
                spans = ((0, 0), (0, 3), (1, 1), (1, INFINITE), (4, INFINITE), (2, 7), (0, INFINITE))
                out += [Atom(name, *span) for span in spans]
    out += [Atom(f"{a}-{b}", lo, hi) for a, b in (("H", "S"), ("M", "oM"), ("m", "C"), ("x", "y"))
            for lo, hi in ((0, 0), (0, INFINITE), (1, INFINITE), (1, 1), (2, INFINITE))]  # fmt: skip
    return out


def test_every_word_of_the_language_is_read_as_it_is_printed():
    for atom in atoms():
        text = wording.condition(atom)
        assert wording.read_condition(text) == atom, text
        assert not re.search(r" or | and |[,;:/()*]", text), text  # signs between conditions


def test_every_word_of_the_language_has_a_phrase():
    stems = {name.partition(":")[0] for name in WORDS} - {*SUIT_LETTERS} - CALL_WORDS
    assert stems <= {*wording._PHRASES, *wording._YES_NO}
    phrases = [*wording._PHRASES.values(), *wording._RANGES.values()]
    assert len(set(phrases)) == len(phrases)


def test_phrases_of_a_whole_clause_are_read_back():
    ways = " or ".join(f"{mine}+ shown:H and {his}+ partner:H" for mine, his in ((5, 3), (4, 4), (3, 5), (2, 6)))
    agreed = parse_constraint(f"{ways}, ours")
    assert wording.symbols(wording.promise(agreed)) == "♥ agreed; the last bid is ours"
    assert wording.read_promise("!h agreed; the last bid is ours") == agreed


def test_a_row_holds_the_lines_of_a_call():
    system = parse_system(
        "system: s\n1S  5+ S, S >= H, 12-21 hcp or 11 hcp and 6+ S\n"
        "1S  5+ S, S >= H, 1-3 position ; light (seat: 3) !gf\nP   ; !denies\n"
    )
    first, second, third = system.lines
    text = pages.row(Step("1S"), [first, second], "8.7%: 10-19 HCP")
    assert wording.symbols(text) == (
        "**1♠** 5+♠, ♠ not shorter than ♥: 12-21 HCP or 11 HCP and 6+♠ / in seat 1-3 "
        "(light [seat: 3], forcing to game) (8.7%: 10-19 HCP)"
    )
    one, two = pages.read_row(text)
    assert set(one.constraint) == set(first.constraint)
    assert set(two.constraint) == set(second.constraint)
    assert (one.flags, two.flags, two.note) == ((), ("gf",), "light [seat: 3]")
    (last,) = pages.read_row(pages.row(Step("P"), [third], "never seen"))
    assert (last.constraint, last.flags) == ((), ("denies",))
    (forcing,) = pages.read_row("**Pass** else; *forcing* (3.0%)")
    assert (forcing.note, forcing.flags) == ("forcing", ())  # no flag makes a pass forcing


def test_heads_name_auctions_and_situations():
    path = (Step("1M"), Step("lowest:y", theirs=True), Step("P"))
    assert pages.auction_head(path) == "**1M-(cheapest y)-P-?**"
    assert pages.read_path("1M-(cheapest y)-P-?") == path
    assert pages.auction_head(()) == "**Opening**"
    assert pages.read_path("Opening") == ()
    block = Block(parse_constraint("forced"), (), "", ("partner waits: for an answer. Not for long",))
    assert pages.general_head(block) == "**Partner waits** *when partner forces us:*"
    assert pages.general_head(Block(parse_constraint("ours"), ())) == "**Then** *when the last bid is ours:*"


def test_pages_are_read_as_a_system():
    told = parse_system(
        "system: tiny\n1N  15-17 hcp, balanced\n1M  12+ hcp, 6+ M\n1M  12+ hcp, 5+ M ; light !forcing\n"
        "after 1N\n  2C  8+ hcp, 4 H or 4 S ; Stayman !forcing !artificial\n  P\n(1x)\n  1y  5+ y\n"
        "when 1+ partner-bid, 0-3 last-level ; Game\n  game:M  8+ fit:M\n"
        "when 5+ shown:S and 3+ partner:S or 4+ shown:S and 4+ partner:S or 3+ shown:S and 5+ partner:S or 2+ shown:S "
        "and 6+ partner:S ; Then\n  P\n"
    )
    assert pages.read_pages(BOOK) == told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("15-17 HCP, balanced (", "15-17 HPC, balanced (", r"book:13: '15-17 HPC' is no condition that a book prints"),
        ("**1M** 12+", "**1Q** 12+", r"book:13: .*'1Q' is no call"),
        ("**1NT-?**", "**1NT**", r"book:14: '1NT' is the title of no note"),
        ("· **Pass** else", "· Pass else", r"book:14: .*is no condition that a book prints"),
        ("## Notes by auction", "## Notes", r"book:\d+: |book: these are no pages"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(old, new, message):
    assert old in BOOK
    text = BOOK.replace(old, new)
    if new == "## Notes":
        text = text.partition("## Where")[0]
    with pytest.raises(SystemTextError, match=message):
        pages.read_pages(text, "book")


def test_the_spec_takes_pages_and_nothing_else(tmp_path):
    book = tmp_path / "tiny.md"
    book.write_text(BOOK)
    bidder = make_pages(str(book))
    assert [line.name for line in bidder.own.system.lines[:2]] == ["1N", "1M"]
    known = system_of(f"pages:{book}")
    assert isinstance(known, Hierarchy)
    assert known.system == bidder.own.system
    with pytest.raises(SpecError, match=r"bridge-env book SYSTEM --out BOOK\.md"):
        make_pages("sayc")
    with pytest.raises(SpecError, match="there is no such file"):
        make_pages(str(tmp_path / "other.md"))
    book.write_text("# nothing\n")
    with pytest.raises(SpecError, match="no pages to bid by"):
        make_pages(str(book))
