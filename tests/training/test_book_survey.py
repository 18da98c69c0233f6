"""Convention cards describe what the system does, surprises differ from the base, code words are counted."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest

from agents.systems.bidder import Hierarchy
from agents.systems.explain.player_terms import symbols
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.shipped import read_system
from bridge_env.hands.features import HCP, LENGTH
from bridge_env.rules.calls import parse_call
from training.book.card import Section, convention_card
from training.book.card_slam import slam
from training.book.model import card_model
from training.book.surprises import CallTable, hand_distance, surprises
from training.book.survey import SystemSurvey
from training.book.system_book import make_book
from training.cli.app import main
from training.evaluation.artificial_calls import count_artificial, of_itself

SAYC = read_system("sayc")


def calls(text):
    return tuple(parse_call(word) for word in text.split())


def card_of(system, hands=6_000):
    sections = convention_card(SystemSurvey(Hierarchy(system), hands))
    return {label: symbols(text) for section in sections for label, text in section.rows}


@lru_cache(maxsize=1)
def sayc_card():
    return card_of(SAYC)


# --- the card ----------------------------------------------------------------------------------------------


def test_equal_rows_of_the_card_become_one():
    (box,) = card_model([Section("Openings", (("2!d", "weak"), ("2!h", "weak"), ("2!s", "5+!s"), ("2NT", "weak")))])
    assert box == {"title": "Openings", "rows": [["2♦, 2♥", "weak"], ["2♠", "5+♠"], ["2NT", "weak"]]}


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
    survey = SystemSurvey(Hierarchy(SAYC), 4_000)
    hands = survey.made("1H P 2H P 4H")
    assert len(hands) > 10
    assert (hands.length(2) >= 5).all()
    alone = survey.made("1H")
    assert len(hands) < len(alone)
    assert survey.forces(calls("1H P"), parse_call("2C"))
    assert not survey.forces(calls("1H P"), parse_call("2H"))


# --- surprises ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def made():
    """A book of 3,000 deals, and its calls."""
    changed = parse_system(system_text(SAYC).replace("15-17 hcp", "12-14 hcp"), name="weak")
    book = make_book(changed, 3_000, 1)
    return book, CallTable(Hierarchy(book.graph.system), book.measured.walker, 1, 3_000)


def test_a_changed_call_is_a_surprise_and_an_unchanged_one_is_none():
    found = surprises(made()[1], SAYC)
    first = found[0]
    assert symbols(first.group.auction) == "1NT"
    assert symbols(first.shows).startswith("12-14 HCP")
    assert symbols(first.instead).startswith("15-17 HCP")
    assert not any(one.group.before[:1] == calls("1N") for one in found)  # they follow from it
    assert not any(one.group.auction == "1!s" for one in found)
    scores = [one.per_deal * one.distance for one in found]
    assert scores == sorted(scores, reverse=True)
    same = make_book(SAYC, 400, 1)
    assert surprises(CallTable(Hierarchy(same.graph.system), same.measured.walker, 1, 400), SAYC) == []


def test_distance_is_measured_on_hands():
    hands = np.zeros((50, 5), np.int8)
    more = hands.copy()
    more[:, 0] += 4  # four points: as much as two cards
    longer = hands.copy()
    longer[:, 3] += 1
    assert hand_distance(hands, hands) == 0
    assert hand_distance(hands, more) == pytest.approx(2)
    assert hand_distance(hands, longer) == pytest.approx(1)


def test_groups_hold_the_hands_that_called():
    table = made()[1]
    deals = table.deals
    group = next(g for g in table.groups(20) if g.before == calls("1N P"))
    assert symbols(group.auction).startswith("1NT - ")
    features = deals.features[deals.calls.board[group.rows], deals.calls.seat[group.rows]]
    assert (table.hands[group.rows, 0] == features[:, HCP]).all()
    assert (table.hands[group.rows, 1:5] == features[:, LENGTH : LENGTH + 4]).all()
    for row in group.rows[:20]:
        auction = [int(c) for c in deals.history[deals.calls.board[row]] if c >= 0]
        opening = next(i for i, call in enumerate(auction) if call)
        assert auction[opening : opening + 3] == [*group.before, group.call]
        assert deals.calls.number[row] == opening + 2


def test_auctions_of_surprises_are_as_the_caller_sees_them():
    table = made()[1]
    names = {symbols(group.auction) for group in table.groups(10)}
    assert {"1♥", "(1♥) - 1♠", "1♥ - 2♥", "(1♥) - Pass", "1♥ - (1♠) - Pass"} <= names


# --- code words --------------------------------------------------------------------------------------------


def test_the_book_counts_code_words_of_both_sides():
    book, table = made()
    deals = table.deals
    both = [count_artificial(deals.history, deals.dealer, deals.owner, np.full(len(deals), side)) for side in (0, 1)]
    assert book.measured.code_words[0] == pytest.approx(100 * np.mean(both))
    assert f"{book.measured.code_words[0]:.1f} ± " in book.facts()[2]


def test_code_words_of_any_bidder(capsys):
    words = of_itself("system:sayc", 200, 1)
    assert 15 < words[0] < 45
    assert of_itself("pass", 50, 1)[0] == 0
    assert main(["book", "--artificial-calls", "system:sayc", "pass", "--boards", "200"]) == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if line.startswith("| `")]
    assert rows == ["| `pass` | 0.0 ± 0.0 |", f"| `system:sayc` | {words[0]:.1f} ± {words[1]:.1f} |"]
    assert main(["book", "sayc", "--artificial-calls", "pass"]) == 2


def test_the_card_reads_answers_to_four_notrump():
    rows = dict(slam(SystemSurvey(Hierarchy(read_system("two-over-one")), 8_000)))
    assert rows["4NT with spades agreed"].startswith(
        "key cards: 5!c 1 or 4, 5!d 0 or 3, 5!h 2, 5!s 2 with the queen (after 1!"
    )
    rows = dict(slam(SystemSurvey(Hierarchy(SAYC), 8_000)))
    assert rows["4NT with spades agreed"].startswith("aces: 5!c 0 or 4, 5!d 1, 5!h 2, 5!s 3 (after 1!")
