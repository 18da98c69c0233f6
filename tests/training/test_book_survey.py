"""Convention cards describe what the system does, artificial calls are counted."""

import re
from functools import lru_cache

import numpy as np
import pytest

from agents.systems.bidder import Hierarchy, bid_out, deal_features
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.shipped import read_system
from training.book.card import convention_card
from training.book.measure import random_boards
from training.book.survey import SystemSurvey
from training.book.system_book import make_book
from training.evaluation.situations import count_artificial

SAYC = read_system("sayc")


def card_of(system, hands=6_000):
    boxes = convention_card(SystemSurvey(Hierarchy(system), hands))
    return {label: text for box in boxes for labels, text in box["rows"] for label in labels.split(", ")}


@lru_cache(maxsize=1)
def sayc_card():
    return card_of(SAYC)


# --- the card ----------------------------------------------------------------------------------------------


def test_the_card_names_conventions_by_the_hands_that_make_them():
    card = sayc_card()
    assert card["1NT"].startswith("15-17 HCP, balanced or nearly so")
    assert card["1♠"].startswith("5+ cards, 10-")
    assert card["2♣"].startswith("Stayman, 4+ HCP")  # from 8, or weak and short in clubs
    assert card["2♦"].startswith("transfer, 5+♥")
    assert card["2♥"].startswith("transfer, 5+♠")
    assert card["1♠ - 2NT"].startswith("Jacoby, a raise to game")
    assert "forcing" in card["1♠ - 2♣"]
    assert card["double raise"].startswith("limit")
    assert "negative through" in card["double after 1♦-(overcall)"]
    assert card["(1♠)-2NT"].startswith("both minors (unusual)")
    assert card["cue (1♣)-2♣"].startswith("both majors (Michaels)")


def bare(system):
    """The system without a word for people: without notes and comments."""
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
    assert not card["2♦"].startswith("transfer")


def test_hands_behind_a_call_made_the_earlier_ones_too():
    survey = SystemSurvey(Hierarchy(SAYC), 4_000)
    hands = survey.made("1H P 2H P 4H")
    assert len(hands) > 10
    assert (hands.length(2) >= 5).all()
    alone = survey.made("1H")
    assert len(hands) < len(alone)
    assert survey.forced("1H P 2C P")
    assert not survey.forced("1H P 2H P")


# --- artificial calls --------------------------------------------------------------------------------------------

WEAK = parse_system(system_text(SAYC).replace("15-17 hcp", "12-14 hcp"), name="weak")


def test_the_book_counts_artificial_calls_of_both_sides():
    book = make_book(WEAK, 500, 1)
    owner, dealer, vulnerability = random_boards(1, 0, 500)
    history = bid_out((Hierarchy(WEAK),) * 4, deal_features(owner), dealer, vulnerability).history
    both = [count_artificial(history, dealer, owner, np.full(500, side)) for side in (0, 1)]
    assert book.measured.artificial[0] == pytest.approx(100 * np.mean(both))
    assert f"{book.measured.artificial[0]:.1f} ± " in book.facts()[2]


def test_the_card_reads_answers_to_four_notrump():
    asks = "4NT with spades agreed"
    assert card_of(read_system("two-over-one"), 8_000)[asks].startswith(
        "key cards: 5♣ 1 or 4, 5♦ 0 or 3, 5♥ 2, 5♠ 2 with the queen (after 1"
    )
    assert card_of(SAYC, 8_000)[asks].startswith("aces: 5♣ 0 or 4, 5♦ 1, 5♥ 2, 5♠ 3 (after 1♠")
