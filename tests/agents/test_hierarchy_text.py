"""Bidding systems as text: a written system reads back the same, and faults name their line."""

import contextlib
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.systems.engine.compiler import compile_system
from agents.systems.explain.language_reference import words_markdown, words_text
from agents.systems.language.text import (
    FLAGS,
    SystemTextError,
    constraint_text,
    load_system,
    parse_constraint,
    parse_system,
    system_text,
)
from agents.systems.language.tree import INFINITE, Atom, Block, Line, Score, Step, System, Term, walk
from agents.systems.language.vocabulary import CALL_WORDS, FLAG_WORDS, MEANINGS, SCORE_WORDS, SUIT_WORDS, WORDS
from agents.systems.library.shipped import read_system, shipped_systems
from bridge_env.hands import features

EXAMPLE = """\
# Whose system this is.
system: example

# opens
1N    15-17 hcp, balanced                                  ; strong !invite
  # after no trump
  2C    8+ hcp, 4 H or 4 S and 5+ C                        ; Stayman !forcing !artificial
  (2x)
    X     3+ theirs:x, not vul
(1x)                                                       ; they open
  jump:y 6+ y, y > x

# elsewhere
when ours, partner-called:4N                               ; general
  game:M 8+ fit:M, H = S+1
"""


def numbers_aside(line):
    """Everything that is written of a line, also what does not count when lines are compared."""
    return (line.name, line.constraint, line.flags, line.note, line.comments)


def everything(system):
    """All that the text of a system holds, in order."""
    blocks = [(b.when, b.note, b.comments, [numbers_aside(line) for line in walk(b.lines)]) for b in system.blocks]
    return [system, system.comments, [numbers_aside(line) for line in walk(system.lines)], blocks]


@pytest.mark.parametrize("name", [*shipped_systems(), "general"])
def test_shipped_systems_read_back_the_same(name):
    system = read_system(name) if name != "general" else System("general", (), read_system("sayc").blocks)
    again = parse_system(system_text(system))
    assert everything(again) == everything(system)
    assert system_text(again) == system_text(system)


def test_the_text_of_the_example_is_the_example():
    assert system_text(parse_system(EXAMPLE)) == EXAMPLE


def test_example_means_what_it_says():
    system = parse_system(EXAMPLE)
    assert (system.name, system.comments) == ("example", ("Whose system this is.",))
    notrump, overcalls = system.lines
    assert notrump.comments == ("opens",)
    assert notrump.note == "strong"
    assert notrump.flags == ("invite",)
    assert notrump.constraint == (((Atom("hcp", 15, 17),),), ((Atom("balanced", 1, 1),),))
    stayman, overcalled = notrump.lines
    assert stayman.comments == ("after no trump",)
    assert stayman.number == 7
    assert stayman.constraint[1] == ((Atom("H", 4, 4),), (Atom("S", 4, 4), Atom("C", 5, INFINITE)))
    assert overcalled.after
    assert overcalled.path == (Step("2x", theirs=True),)
    assert overcalled.lines[0].constraint == (((Atom("theirs:x", 3, INFINITE),),), ((Atom("vul", 0, 0),),))
    assert overcalls.lines[0].constraint == (((Atom("y", 6, INFINITE),),), ((Atom("y-x", 1, INFINITE),),))
    (block,) = system.blocks
    assert block.comments == ("elsewhere",)
    assert block.when == (((Atom("ours", 1, 1),),), ((Atom("partner-called", 22, 22),),))
    assert block.lines[0].constraint[1] == ((Atom("H-S", 1, 1),),)


@pytest.mark.parametrize(
    ("written", "short"),
    [("1NT 5+ S", "1N    5+ S"), ("1C-Pass-1D", "1C-P-1D"), ("Dbl", "X"), ("Rdbl", "XX"), ("1C  4-4 S", "1C    4 S")],
)
def test_other_spellings(written, short):
    assert system_text(parse_system(written)).splitlines()[-1] == short


suit = st.sampled_from(["C", "D", "H", "S", "M", "oM", "m", "om", "x", "y"])
stems = sorted({word.partition(":")[0] for word in WORDS if len(word) > 1} - SCORE_WORDS)


@st.composite
def atoms(draw):
    word = draw(st.sampled_from([*stems, "length", "difference"]))
    low = draw(st.integers(0, 40))
    high = draw(st.one_of(st.just(INFINITE), st.integers(low, 60)))
    if word == "length":
        return Atom(draw(suit), low, high)
    if word == "difference":
        return Atom(f"{draw(suit)}-{draw(suit)}", low, draw(st.sampled_from([low, INFINITE])))
    if word in CALL_WORDS:
        call = draw(st.integers(0, 37))
        return Atom(word, call, call)
    if word in SUIT_WORDS and not (word == "hcp" and draw(st.booleans())):
        word = f"{word}:{draw(suit)}"
    if word.partition(":")[0] in FLAG_WORDS:
        low = high = draw(st.integers(0, 1))
    return Atom(word, low, high)


constraints = st.lists(
    st.lists(st.lists(atoms(), min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple), max_size=3
).map(tuple)
tokens = st.one_of(
    st.sampled_from(["P", "X", "XX"]),
    st.builds(lambda level, strain: f"{level}{strain}", st.integers(1, 7), st.one_of(suit, st.just("N"))),
    st.builds(lambda span, strain: f"{span}:{strain}", st.sampled_from(["lowest", "jump", "game", "slam"]), suit),
)
steps = st.one_of(
    st.builds(Step, tokens), st.builds(Step, st.one_of(tokens, st.sampled_from(["any", "2any"])), st.just(True))
)
words = st.text("abcdefghijkl.()4", min_size=1, max_size=6)
notes = st.lists(words, max_size=3).map(" ".join)
comments = st.lists(st.lists(words, max_size=4).map(" ".join), max_size=2).map(tuple)


@st.composite
def lines(draw, depth=1):
    path = tuple(draw(st.lists(steps, min_size=1, max_size=2)))
    after = path[-1].theirs or draw(st.integers(0, 4)) == 0
    below = draw(st.lists(lines(depth - 1), max_size=3)) if depth else []
    return Line(
        path,
        () if after else draw(constraints),
        () if after else tuple(draw(st.lists(st.sampled_from(FLAGS), unique=True, max_size=2))),
        draw(notes),
        tuple(below),
        after,
        comments=draw(comments),
    )


counted_words = st.sampled_from(["hcp", "x", "support:x", "fit-best", "level"])
terms = st.one_of(
    st.builds(lambda points, atom: Term(points, ((atom,),)), st.integers(-99, 99), atoms()),
    st.builds(lambda points, book: Term(points, ((book,),)), st.integers(-99, 99), st.just(Atom("book", 1, 1))),
    st.builds(lambda points, word: Term(points, (), word), st.integers(-99, 99), counted_words),
    st.builds(lambda points: Term(points, (), "x", "shown:x"), st.integers(-99, 99)),
)


@st.composite
def cards(draw):
    step = Step(draw(st.sampled_from(["P", "X", "bid:x", "bid:N", "lowest:H", "3C"])))
    score = Score(draw(st.integers(-99, 99)), tuple(draw(st.lists(terms, max_size=4))))
    more = {"note": draw(notes), "score": score, "shows": draw(constraints), "comments": draw(comments)}
    return Line((step,), draw(constraints), **more)


blocks = st.one_of(
    st.builds(Block, constraints, st.lists(lines(0), max_size=3).map(tuple), notes, st.just(False), comments),
    st.builds(Block, constraints, st.lists(cards(), max_size=3).map(tuple), notes, st.just(True), comments),
)

systems = st.builds(
    System, words, st.lists(lines(), max_size=4).map(tuple), st.lists(blocks, max_size=2).map(tuple), comments
)


@settings(max_examples=25)
@given(systems)
def test_any_system_reads_back_the_same(system):
    assert everything(parse_system(system_text(system))) == everything(system)


@settings(max_examples=50)
@given(constraints)
def test_any_constraint_reads_back_the_same(constraint):
    assert parse_constraint(constraint_text(constraint)) == constraint


FAULTS = [
    ("1C\n1Z", 2, "'1Z' is no call"),
    ("1C-", 1, "'' is no call"),
    ("1N\n  2any", 2, "'any' stands for calls of the opponents only"),
    ("# c\n\n1C  5+ h", 3, "'h' is no word of the language; did you mean H?; 'bridge-env bid --words' lists them"),
    ("1C  5+ fit", 1, "'fit' needs a suit: fit:S, fit:M or fit:x"),
    ("1C  shape", 1, "'shape' is no constraint; write '15-17 hcp'"),
    ("1C  5+ H,", 1, "'' is no constraint"),
    ("1C  H < S", 1, "'H < S' is no constraint"),
    ("1C  17-15 hcp", 1, "'17-15 hcp': the range is empty"),
    ("1C  100+ hcp", 1, "'100+ hcp': numbers go up to 99"),
    ("1C  partner-called:9X", 1, "'9X' is not a call"),
    ("1C  ; good !strong", 1, "!strong is no flag; there are !forcing, !gf"),
    ("(1C)  5+ H", 1, "only leads on to those below it; it takes no constraint"),
    ("after 1C  ; !forcing", 1, "only leads on to those below it; it takes no constraint and no flag"),
    ("\n  1C", 2, "this line is indented, but nothing above it can lead to it"),
    ("1C\n    1D\n  1H", 3, "this line's indentation fits no line above it"),
    ("1C\n\t1D", 2, "indent with spaces, not tabs"),
    ("1C\n  when ours", 2, "'when' stands at the left margin"),
    ("1C  5+ C, book", 1, "'book' can only be asked for in scores, as in '12 if book'"),
    ("weigh when ours\n  X  9+ hcp", 2, "lines below 'weigh when' have scores, as in 'X scores -4, 9 if book'"),
    ("when ours\n  X  scores 3", 2, "lines below 'weigh when' have scores"),
    ("when ours\n  X  9+ hcp shows 12+ hcp", 2, "only a line that has a score says what it shows"),
    ("when ours\n  bid:x  3+ x", 2, "'bid:' names several bids, which only scores can choose among"),
    ("weigh when ours\n  X  scores much", 2, "'much' is no score; write a start and what is added, as '-19, 12 if"),
    ("weigh when ours\n  X  scores 3 for each fit", 2, "'fit' needs a suit"),
    ("1C\n; a remark", 2, "a line begins with a call; for a comment write '#'"),
]


@pytest.mark.parametrize(("text", "number", "reason"), FAULTS)
def test_faults_name_their_line(text, number, reason):
    with pytest.raises(SystemTextError) as caught:
        parse_system(text, source="mine.bidding")
    assert str(caught.value).startswith(f"mine.bidding:{number}: ")
    assert reason in str(caught.value)


UNREACHABLE = [
    ("1H\n  1C", 2, "no auction leads here: the call is not legal after the lines above it: '1C'"),
    ("XX", 1, "no auction leads here"),
    ("1C\n  7N\n    (X)\n      XX\n        X", 5, "no auction leads here"),
    ("1C  4+ M", 1, "'M' in 'M' stands for no suit here; a call such as 1M must come first"),
    ("1M\n  2N  8+ fit:oM, 3+ x", 2, "'x' in 'x' stands for no suit here"),
    ("weigh when 12+ hcp\n  X scores 3", 1, "what follows 'weigh when' is known to all"),
    ("when ours\n  1C-1D", 2, "a general rule is one call of ours, and no line follows it: '1C-1D'"),
    ("when 8+ fit:x\n  P", 1, "'x' in 'fit:x' stands for no suit here"),
]


@pytest.mark.parametrize(("text", "number", "reason"), UNREACHABLE)
def test_lines_that_cannot_be_compiled(text, number, reason):
    with pytest.raises(SystemTextError) as caught:
        compile_system(parse_system(text, name="mine"))
    assert str(caught.value).startswith(f"system 'mine', line {number}: ")
    assert reason in str(caught.value)


def test_files_that_cannot_be_read_are_named(tmp_path):
    latin = tmp_path / "latin.bidding"
    latin.write_bytes("1C  ; d\xe9but".encode("latin-1"))
    for path in (latin, tmp_path / "missing.bidding", tmp_path):
        with pytest.raises(SystemTextError, match=re.escape(f"{path}: cannot be read")):
            load_system(path)


def test_every_feature_of_a_hand_is_explained():
    assert set(features.MEANINGS) == {name.partition(":")[0] for name in features.FEATURES}


@pytest.mark.parametrize("written", [words_text, words_markdown])
def test_the_page_of_words_holds_them_all(written):
    page = written()
    shown = {word.partition(":")[0] for word in re.findall(r"[a-z][a-z0-9-]*", page)}
    suits_are_written_as_letters = {"C", "D", "H", "S"}
    assert {word.partition(":")[0] for word in WORDS} - suits_are_written_as_letters <= shown
    assert set(MEANINGS) <= shown


def test_other_spaces_do_not_indent_and_are_spaces_in_conditions():
    with pytest.raises(SystemTextError, match=":2: indent with spaces"):
        parse_system("1C    3+ C\n\u00a0\u00a0P   5+ hcp")
    assert parse_system("1C    3+\u00a0C") == parse_system("1C    3+ C")
    with pytest.raises(SystemTextError, match=r"\\u200b"):
        parse_system("1C    3+ C\u200b")


def test_a_byte_order_mark_and_any_line_end_are_read(tmp_path):
    wanted = parse_system("1C    3+ C\n  1D    4+ D\n", name="mine")
    for end in ("\n", "\r\n", "\r"):
        file = tmp_path / "mine.bidding"
        file.write_bytes(f"\ufeff1C    3+ C{end}  1D    4+ D{end}".encode())
        assert load_system(file) == wanted


@pytest.mark.parametrize("line", ["1C  3+{}C", "1C  C {}> D"])
def test_runs_of_spaces_take_no_time(line):
    begun = time.process_time()
    with contextlib.suppress(SystemTextError):
        parse_system("\n".join([line.format(" " * 9000)] * 20))
    assert time.process_time() - begun < 0.5  # quadratic time: 10 seconds
