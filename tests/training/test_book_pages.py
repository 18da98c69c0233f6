"""The pages of a book for players: the card is what the system does, surprises differ, notes hold what they say."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest

from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.language.text import parse_system, system_text
from agents.hierarchy.shipped import read_system
from agents.hierarchy.telling.wording import symbols
from bridge_env.calls import parse_call
from bridge_env.features import HCP, LENGTH
from training.book.measured.auctions import Spoken, title
from training.book.measured.measure import HELD, Figures, entries_of
from training.book.measured.shows import Shows
from training.book.printed.asking import Asker
from training.book.printed.card import convention_card
from training.book.printed.notes import Note, Notes, Row, make_notes, measured, share
from training.book.printed.pages import Printed, side_by_side
from training.book.printed.slam import slam
from training.book.printed.surprise import apart, surprises
from training.book.written.book import PAGE_WIDTH, make_book, pages, printed
from training.cli.entry import main
from training.match.artificial_calls import count_artificial, of_itself

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
    assert card["2!c"].startswith("Stayman, 4+ HCP")  # from 8, or weak and short in clubs
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
    same = make_book(SAYC, 400, 1)
    assert surprises(Spoken(Hierarchy(same.points.system), same.measured.walker, 1, 400), SAYC) == []


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


def notes_of(text, deals=3_000):
    book = make_book(parse_system(text), deals, 3)
    return make_notes(book, Spoken(Hierarchy(book.points.system), book.measured.walker, 3, deals)).auctions


def test_rows_stand_in_the_order_in_which_they_are_asked():
    text = "system: s\n1D  12+ hcp, 4+ D\n1C  12+ hcp, 5+ C ; long\n1D  12+ hcp\n1D  11 hcp, 5+ D\nP\n"
    (opening,) = notes_of(text + "when 0-7 last-level\n  P\n")
    said = symbols(str(opening))
    rows = [row.partition(" (")[0] for row in said.removeprefix("**Opening** ").split(" · ")]
    assert rows == [
        "**1♦** 12+ HCP, 4+♦", "**1♣** 12+ HCP, 5+♣; *long*", "**1♦** 12+ HCP / 11 HCP, 5+♦", "**Pass** else"
    ]  # fmt: skip


def test_a_note_stands_before_those_that_are_asked_after_it():
    """2H is asked of spades first, though every other auction with a major comes up more often."""
    text = "system: s\n1M  10+ hcp, 5+ M\nafter 1S\n  2H  5+ H\nafter 1M\n  2M  3+ M\nafter 1H\n  2D  4+ D\nP\n"
    found = notes_of(text + "when 0-7 last-level\n  P\n")
    heads = [symbols(note.head) for note in found]
    assert heads == ["**Opening**", "**1♠-?**", "**1M-?**", "**1♥-?**"]
    assert found[2].per_deal > found[1].per_deal
    assert not found[1].nodes & found[3].nodes
    assert found[1].nodes & found[2].nodes
    again = notes_of(text.replace("2D  4+ D\n", "2D  4+ D\nafter 1M\n  1N\n") + "when 0-7 last-level\n  P\n")
    assert [symbols(note.head) for note in again].count("**1M-?**") == 2  # 1NT comes after hearts' two diamonds


def test_rows_hold_the_shares_that_they_say():
    book, spoken, notes = tiny()
    lines = spoken.table.lines(spoken.table.calls)
    for row in [row for note in (*notes.auctions, *notes.general) for row in note.rows]:
        assert row.figures.made == (lines == row.line.number).sum()
        assert row.figures.per_deal == row.figures.made / 4_000
    kept = [row for note in notes.auctions for row in note.rows]
    tree = entries_of(book.points, lines)
    told = sum(book.points.entries[e].point is not None for e in tree if e >= 0)
    assert share(kept, len(lines)) == pytest.approx(told / len(lines))


def row(text, per_deal):
    line = parse_system(f"system: s\n{text}\n").lines[0]
    return Row(line, line.path[-1], Figures(int(100_000 * per_deal), 100_000, 100_000), general=True)


def test_short_room_keeps_what_is_told_in_few_words():
    short, long = row("1H  5+ H", 0.08), row("1S  " + ", ".join(["5+ S"] * 40), 0.08)
    seldom = row("2C  22+ hcp", 0.001)
    notes = Notes([Note("**1!c-?**", [seldom, short]), Note("**1!d-?**", [long])], [])
    assert [one for note in notes.kept(notes.levels[0]) for one in note.rows] == [short]
    assert {one.step.token for note in notes.kept(notes.levels[1]) for one in note.rows} == {"1H", "1S"}
    worth = notes.auctions[0].worth
    assert worth[short] == 0.08 / (len("**1!h** 5+!h (8.0%)") + len("**1!c-?**"))
    assert worth[seldom] < worth[short]
    assert [one.step.token for one in notes.kept(0.0)[0].rows] == ["2C", "1H"]  # still in order


def test_what_conditions_and_earlier_calls_say_is_not_told_again():
    hands = np.full((500, len(HELD)), -1, np.int8)
    hands[:, 0] = np.linspace(12, 17.99, 500)
    hands[:, 1:5] = (1, 2, 4, 6)
    figures = Figures(500, 500, 500, parts=[hands])
    assert symbols(measured({}, figures)) == "12-17 HCP, 6+♠, 4♥, 2♦, 1♣"
    assert "HCP" not in measured({"hcp": (12, 16)}, figures)  # narrow enough
    assert "HCP" not in measured({"hcp": (11, 17)}, figures)  # no news
    assert "12-17 HCP" in measured({"hcp": (12, 37)}, figures)
    assert "!s" not in measured({"S": (6, 13)}, figures)
    assert "!s" in measured({"S": (4, 13)}, figures)
    assert "!s" not in measured({}, figures, Shows((("S", 6, 13),)))
    assert "HCP" not in measured({}, figures, Shows((("hcp", 12, 17),)))
    assert "!h" in measured({}, figures, None, frozenset("S"))
    assert "!h" not in measured({}, figures, None, frozenset("H"))  # four cards of a suit that was bid before
    assert "!s" in measured({}, figures, None, frozenset("S"))
    assert measured({}, Figures(5, 500, 500, parts=[hands[:5]])) == ""


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
    book = make_book(SAYC, 600, 1)
    notes = make_notes(book, Spoken(Hierarchy(book.points.system), book.measured.walker, 1, 600))
    leaves = Printed(book, [], [], "", notes, most=3)
    text = leaves._main(leaves.kept)
    assert pages(text) == 3
    assert leaves.size().startswith("3 pages of 55 lines of 132 characters, and ")
    held = sum(len(note.rows) for note in leaves.kept)
    assert 100 < held < sum(len(note.rows) for note in notes.auctions)
    level = next(i for i, least in enumerate(notes.levels) if sum(len(n.rows) for n in notes.kept(least)) == held)
    assert pages(leaves._main(notes.kept(notes.levels[level + 1]))) == 4
    assert (
        text.index("## Convention card") < text.index("## What would surprise you") < text.index("## Notes by auction")
    )


def test_short_notes_standside_by_side():
    """A note goes where it fits into what is left of a line; no line of the print grows longer by it."""

    def of(head, length, *nodes):
        line = parse_system(f"system: s\n1H  5+ H ; {'x' * length}\n").lines[0]
        return Note(f"**{head}**", [Row(line, line.path[-1], Figures(1, 1, 1), general=True)], frozenset(nodes))

    notes = [of("first-?", 70), of("long-?", 200, 1), of("second-?", 10), of("third-?", 130)]
    lines = side_by_side(notes)
    assert len(lines) == 3
    assert lines[0] == f"- {notes[0]} — {notes[2]}"
    assert lines[1:] == [f"- {notes[1]}", f"- {notes[3]}"]
    assert len(printed(symbols(lines[0]))) <= PAGE_WIDTH
    assert side_by_side([]) == []
    notes[2].nodes = frozenset((1, 2))  # asked at the same auction as the long one, after it
    assert side_by_side(notes)[0] == f"- {notes[0]}"


def test_the_command_prints_pages(capsys, tmp_path):
    file, out = tmp_path / "tiny.bidding", tmp_path / "tiny.md"
    file.write_text(GENERAL)
    command = ["book", str(file), "--deals", "600", "--rare", "0", "--pages", "3", "--base", str(file)]
    assert main([*command, "--out", str(out)]) == 0
    assert "and 1 of general rules; the notes by auction make" in capsys.readouterr().out
    text = out.read_text()
    assert text.startswith("# tiny\n")
    assert "|1NT|15-17 HCP, balanced" in text
    assert "Nothing: this is the system that others are compared with" in text
    assert re.search(r"The notes by auction make [\d.]+% of the [\d,]+ calls", text)


# --- code words --------------------------------------------------------------------------------------------


def test_the_book_counts_code_words_of_both_sides():
    book, spoken, _ = tiny()
    table = spoken.table
    both = [count_artificial(table.history, table.dealer, table.owner, np.full(len(table), side)) for side in (0, 1)]
    assert book.measured.code_words[0] == pytest.approx(100 * np.mean(both))
    assert f"{book.measured.code_words[0]:.1f} ± " in book.facts()[2]


def test_code_words_of_any_bidder(capsys):
    words = of_itself("system:sayc", 200, 1)
    assert 15 < words[0] < 45
    assert of_itself("pass", 50, 1)[0] == 0
    assert main(["book", "--code-words", "system:sayc", "pass", "--boards", "200"]) == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if line.startswith("| `")]
    assert rows == ["| `pass` | 0.0 ± 0.0 |", f"| `system:sayc` | {words[0]:.1f} ± {words[1]:.1f} |"]
    assert main(["book", "sayc", "--code-words", "pass"]) == 2


def test_the_card_reads_answers_to_four_notrump():
    rows = dict(slam(Asker(Hierarchy(read_system("two-over-one")), 8_000)))
    assert rows["4NT with spades agreed"].startswith(
        "key cards: 5!c 1 or 4, 5!d 0 or 3, 5!h 2, 5!s 2 with the queen (after 1!"
    )
    rows = dict(slam(Asker(Hierarchy(SAYC), 8_000)))
    assert rows["4NT with spades agreed"].startswith("aces: 5!c 0 or 4, 5!d 1, 5!h 2, 5!s 3 (after 1!")
