"""The pages of a book for players: the card is what the system does, surprises differ, notes hold what they say."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.language.text import parse_system, system_text
from agents.hierarchy.shipped import read_system
from agents.hierarchy.telling.phrases import hull, unite
from bridge_env.calls import parse_call
from bridge_env.features import HCP, LENGTH
from training.book.asking import Asker
from training.book.auctions import Spoken, name, title
from training.book.book import PAGE_WIDTH, make_book, pages, printed
from training.book.card import convention_card
from training.book.card_slam import slam
from training.book.measure import entry_of
from training.book.notes import Note, NoteCall, Notes, make_notes, words
from training.book.printed import Printed, _side_by_side
from training.book.shows import Shows
from training.book.surprise import apart, surprises
from agents.hierarchy.telling.wording import symbols
from training.cli.entry import main
from training.match.code_words import code_words, of_itself

SAYC = read_system("sayc")
GENERAL = """\
system: tiny
1N    15-17 hcp, balanced
1M    12-20 hcp, 5+ M
when 1+ partner-bid, 0-3 last-level, ours
  3N    25+ combined, 0-7 fit-major
  game:M 26+ total:M, 8+ fit:M
when 0-7 last-level
  P
"""


def calls(text):
    return tuple(parse_call(word) for word in text.split())


def card_of(system, hands=6_000):
    sections = convention_card(Asker(Hierarchy(system), hands))
    return {label: symbols(text) for section in sections for label, text in section.rows}


@lru_cache(maxsize=1)
def sayc_card():
    return card_of(SAYC)


# --- the card ----------------------------------------------------------------------------------------------


def test_the_card_names_conventions_by_the_hands_that_make_them():
    card = sayc_card()
    assert card["1NT"].startswith("15-17 HCP, balanced or nearly so")
    assert card["1!s"].startswith("5+ cards, 10-")
    assert card["2!c"].startswith("Stayman, 8+ HCP")
    assert card["2!d"].startswith("transfer, 5+♥")
    assert card["2!h"].startswith("transfer, 5+♠")
    assert card["1!s - 2NT"].startswith("Jacoby, a raise to game")
    assert "forcing" in card["1!s - 2!c"]
    assert card["double raise"].startswith("limit")
    assert "negative through" in card["double after 1!d-(overcall)"]
    assert card["(1!s)-2NT"].startswith("both minors (unusual)")
    assert card["cue (1!c)-2!c"].startswith("both majors (Michaels)")


def bare(system):
    """The system without a word for people: notes and comments gone."""
    text = system_text(system)
    lines = [re.sub(r";[^!\n]*", ";", line) for line in text.splitlines() if not line.lstrip().startswith("#")]
    return parse_system("\n".join(lines) + "\n", name="bare")


def test_the_card_does_not_read_comments():
    without = bare(SAYC)
    assert "Stayman" not in system_text(without)
    assert card_of(without) == sayc_card()


def test_the_card_follows_a_changed_system():
    text = system_text(SAYC).replace("15-17 hcp", "12-14 hcp")
    text = text.replace("  2D    5+ H, H >= S  ", "  2D    5+ D  ")
    card = card_of(parse_system(text, name="weak"), hands=4_000)
    assert card["1NT"].startswith("12-14 HCP")
    assert card["1NT"] != sayc_card()["1NT"]
    assert not card["2!d"].startswith("transfer")


def test_hands_behind_a_call_made_the_earlier_ones_too():
    asker = Asker(Hierarchy(SAYC), 4_000)
    hands = asker.made("1H P 2H P 4H")
    assert len(hands) > 10
    assert (hands.length(2) >= 5).all()
    alone = asker.made("1H")
    assert len(hands) < len(alone)
    assert asker.forces(calls("1H P"), parse_call("2C"))
    assert not asker.forces(calls("1H P"), parse_call("2H"))


# --- surprises ---------------------------------------------------------------------------------------------


def test_a_changed_call_is_a_surprise_and_an_unchanged_one_is_none():
    changed = parse_system(system_text(SAYC).replace("15-17 hcp", "12-14 hcp"), name="weak")
    book = make_book(changed, 3_000, 1)
    spoken = Spoken(Hierarchy(book.points.system), book.measured.walker, 1, 3_000)
    found = surprises(spoken, SAYC)
    first = found[0]
    assert symbols(first.auction) == "1NT"
    assert symbols(first.shows).startswith("12-14 HCP")
    assert symbols(first.instead).startswith("15-17 HCP")
    assert not any(one.group.before[:1] == calls("1N") for one in found)  # they follow from it
    assert not any(one.auction == "1!s" for one in found)
    scores = [one.per_deal * one.distance for one in found]
    assert scores == sorted(scores, reverse=True)
    same = make_book(SAYC, 1_000, 1)
    assert surprises(Spoken(Hierarchy(same.points.system), same.measured.walker, 1, 1_000), SAYC) == []


def test_distance_is_measured_on_hands():
    hands = np.zeros((50, 5), np.int8)
    more = hands.copy()
    more[:, 0] += 4  # four points: as much as two cards
    longer = hands.copy()
    longer[:, 3] += 1
    assert apart(hands, hands) == 0
    assert apart(hands, more) == pytest.approx(2)
    assert apart(hands, longer) == pytest.approx(1)


# --- notes -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def tiny():
    book = make_book(parse_system(GENERAL), 4_000, 3)
    spoken = Spoken(Hierarchy(book.points.system), book.measured.walker, 3, 4_000)
    return book, spoken, make_notes(book, spoken)


def test_what_both_hands_need_is_told_as_what_this_one_needs():
    """25 with partner's 15 is 10; no fit with partner's two cards at least is no six-card major."""
    _, _, notes = tiny()
    note = next(note for note in notes.notes if note.title == "1NT-?")
    game = next(call for call in note.calls if call.name == "3NT")
    assert game.words.startswith("10")
    assert "HCP in both hands" not in symbols(str(note))
    major = next(note for note in notes.notes if note.title == "1!s-?")
    raised = next(call for call in major.calls if call.name == "4!s")
    assert re.search(r"3(-\d|\+)!s", raised.words)
    assert "14+ points in support of !s" in raised.words


def test_notes_hold_the_share_of_calls_that_they_say():
    book, spoken, notes = tiny()
    entries = np.array([-1, *entry_of(book.points)])[spoken.table.lines(spoken.table.calls) + 1]
    for least in (0.0, 0.0001, 0.001):
        kept = notes.kept(least)
        told_of = {call.entry for note in kept for call in note.calls}
        at = {(note.title, call.name) for note in kept for call in note.calls if call.group >= 0}
        told = 0
        for group in spoken.groups(1):
            in_group = (group.title, name(group.call)) in at
            general = np.array([e < 0 or book.points.entries[e].point is None for e in entries[group.rows]])
            told += int((np.isin(entries[group.rows], list(told_of)) | (in_group & general)).sum())
        assert notes.held(kept) == pytest.approx(told / len(spoken))
    assert notes.held(notes.kept(0.0)) > 0.97
    assert notes.held(notes.kept(0.001)) < notes.held(notes.kept(0.0))


def test_short_room_keeps_what_is_told_in_few_words():
    short, long = NoteCall("1!h", "5+!h", "8%", 0.08, 1), NoteCall("1!s", "5+!s" * 40, "8%", 0.08, 2)
    seldom = NoteCall("2!c", "strong", "0.1%", 0.001, 3)
    notes = Notes([Note("1!c-?", calls=[short, seldom]), Note("1!d-?", calls=[long])], {1: 0.5, 2: 0.5}, [])
    assert [call for note in notes.kept(notes.levels[0]) for call in note.calls] == [short]
    assert {call.name for note in notes.kept(notes.levels[1]) for call in note.calls} == {"1!h", "1!s"}
    assert notes.held(notes.kept(notes.levels[1])) == 1
    worths = [worth for worth, _ in notes.notes[0].worth]
    assert worths[0] == 0.08 / (len("**1!h** 5+!h (8%)") + len("1!c-?"))


def test_what_was_shown_before_is_not_told_again():
    text = "system: again\n1N    15-17 hcp, balanced\n  2C\n    2D    0-3 H, 0-3 S ; artificial\n    2H\nP\n"
    book = make_book(parse_system(text + "when 0-7 last-level\n  P\n"), 4_000, 3)
    notes = make_notes(book, Spoken(Hierarchy(book.points.system), book.measured.walker, 3, 4_000))
    told = {call.name: call.words for note in notes.notes if note.title == "1NT-2!c-?" for call in note.calls}
    assert "HCP" not in told["2!d"]
    assert "3!h" in told["2!d"]  # new: 1NT may hold more
    assert next(call.words for call in notes.notes[0].calls if call.name == "1NT").startswith("15-17 HCP")


def test_conditions_that_all_lines_share_are_told_once():
    lines = parse_system("system: s\n1S    5+ S, S >= H, 12-21 hcp\n1S    5+ S, S >= H, 10+ hcp ; light\nP\n").lines[:2]
    said = words(unite(hull(line.constraint) for line in lines), Shows((("hcp", 10, 21), ("S", 5, 13))), list(lines))
    assert said == "10-21 HCP, 5+!s, !s not shorter than !h: 12-21 HCP / 10+ HCP (light)"
    assert words({}, None, [lines[0]]) == "any other hand"


def test_figures_of_groups_are_of_the_hands_that_called():
    _, spoken, _ = tiny()
    group = next(g for g in spoken.groups(20) if g.before == calls("1N P"))
    table = spoken.table
    rows = group.rows
    features = table.features[table.calls.board[rows], table.calls.seat[rows]]
    assert (spoken.held[rows, 0] == features[:, HCP]).all()
    assert (spoken.held[rows, 1:5] == features[:, LENGTH : LENGTH + 4]).all()
    for row in rows[:20]:
        board = table.calls.board[row]
        made = [int(c) for c in table.history[board] if c >= 0]
        opening = next(i for i, call in enumerate(made) if call)
        assert made[opening : opening + 3] == [*group.before, group.call]
        assert table.calls.number[row] == opening + 2


def test_titles_are_auctions_as_the_caller_sees_them():
    assert title(()) == "Opening"
    assert symbols(title(calls("1H 2C"))) == "1♥-(2♣)-?"
    assert symbols(title(calls("1H"))) == "(1♥)-?"
    assert symbols(title(calls("1H P 2H"))) == "(1♥)-P-(2♥)-?"
    assert symbols(title(calls("1H X XX"))) == "(1♥)-X-(XX)-?"
    assert symbols(title(calls("1N P"))) == "1NT-?"


# --- pages -------------------------------------------------------------------------------------------------


def test_pages_are_full_and_no_more():
    book, _, notes = tiny()
    leaves = Printed(book, [], [], "", notes, most=1)
    text = leaves.text()
    assert pages(text) == 1
    sizes = [len(Printed(book, [], [], "", notes, most)._pages(notes.kept(notes.levels[0]))) for most in (1, 2)]
    assert sizes[0] == sizes[1] < len(text)
    assert text.splitlines()[-1].endswith(
        f"These notes hold {leaves.share:.2%} of the {book.measured.calls:,} calls made."
    )
    assert (
        text.index("## Convention card") < text.index("## What would surprise you") < text.index("## Notes by auction")
    )


def test_short_notes_stand_side_by_side():
    """A note goes where it fits into what is left of a line; no line of the print grows longer by it."""

    def of(title, length):
        return Note(title, calls=[NoteCall("1!h", "x" * length, "8%", 0.1)])

    notes = [of("first-?", 70), of("long-?", 200), of("second-?", 10), of("third-?", 130)]
    lines = _side_by_side(notes)
    assert len(lines) == 3
    assert lines[0] == f"{notes[0]} — {str(notes[2]).removeprefix('- ')}"
    assert lines[1:] == [str(notes[1]), str(notes[3])]
    assert len(printed(symbols(lines[0]))) <= PAGE_WIDTH
    assert _side_by_side([]) == []


def test_the_command_prints_the_pages(capsys, tmp_path):
    file = tmp_path / "tiny.bidding"
    file.write_text(GENERAL)
    assert main(["book", str(file), "--deals", "600", "--rare", "0", "--pages", "3", "--base", str(file)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# tiny\n")
    assert "|1NT|15-17 HCP, balanced" in out
    assert "Nothing: this is the system that others are compared with" in out
    assert re.search(r"These notes hold \d+\.\d\d% of the [\d,]+ calls made\.$", out.strip())
    assert "as Markdown: 2;" in err or "as Markdown: 3;" in err or "as Markdown: 1;" in err


# --- code words --------------------------------------------------------------------------------------------


def test_the_book_counts_code_words_of_both_sides():
    book, spoken, _ = tiny()
    table = spoken.table
    both = [code_words(table.history, table.dealer, table.owner, np.full(len(table), side)) for side in (0, 1)]
    assert book.measured.code_words[0] == pytest.approx(100 * np.mean(both))
    assert f"{book.measured.code_words[0]:.1f} ± " in book.facts()[2]


def test_code_words_of_any_bidder(capsys):
    words = of_itself("system:sayc", 200, 1)
    assert 15 < words[0] < 45
    assert of_itself("pass", 50, 1)[0] == 0
    assert main(["book", "--code_words", "system:sayc", "pass", "--boards", "200"]) == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if line.startswith("| `")]
    assert rows == ["| `pass` | 0.0 ± 0.0 |", f"| `system:sayc` | {words[0]:.1f} ± {words[1]:.1f} |"]
    assert main(["book", "sayc", "--code_words", "pass"]) == 2


def test_lines_with_names_of_their_own_are_told_one_by_one():
    system = parse_system(
        "system: s\n1M  12-20 hcp, 5+ M\n  2C  i-passed, 9+ hcp, 3+ M  ; Drury !artificial\n"
        "  2C  12+ hcp, 4+ C  ; natural\nwhen 0-7 last-level\n  P\n"
    )
    book = make_book(system, 3_000, 3)
    spoken = Spoken(Hierarchy(book.points.system), book.measured.walker, 3, 3_000)
    note = next(note for note in make_notes(book, spoken).notes if note.title == "1M-?")
    two = next(call for call in note.calls if call.name == "2!c")
    assert "by a passed hand, 9+ HCP, 3+ M (Drury, artificial) / 12+ HCP, 4+!c (natural)" in two.words


def test_the_card_reads_answers_to_four_notrump():
    rows = dict(slam(Asker(Hierarchy(read_system("two-over-one")), 8_000)))
    assert rows["4NT with spades agreed"].startswith(
        "key cards: 5!c 1 or 4, 5!d 0 or 3, 5!h 2, 5!s 2 with the queen (after 1!"
    )
    rows = dict(slam(Asker(Hierarchy(SAYC), 8_000)))
    assert rows["4NT with spades agreed"].startswith("aces: 5!c 0 or 4, 5!d 1, 5!h 2, 5!s 3 (after 1!")
