"""Convention cards describe what the system does; which calls count as artificial."""

import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from agents.systems.bidder import Hierarchy, bid_out, deal_features
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.shipped import read_system
from bridge_env.hands.deals import parse_deal
from bridge_env.rules.calls import parse_call
from training.book.card import convention_card
from training.book.measure import random_boards
from training.book.survey import SystemSurvey
from training.book.system_book import make_book
from training.evaluation.duplicate import match
from training.evaluation.situations import artificial_calls, of_match

SAYC = read_system("sayc")


def card_of(system, hands=6_000):
    boxes = convention_card(SystemSurvey(Hierarchy(system), hands))
    return {label: text for box in boxes for labels, text in box["rows"] for label in labels.split(", ")}


@lru_cache(maxsize=1)
def sayc_card():
    return card_of(SAYC)


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
    text = text.replace("  2D    5+ H, H > S or H >= S and 8-9 hcp  ", "  2D    5+ D  ")
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


WEAK = parse_system(system_text(SAYC).replace("15-17 hcp", "12-14 hcp"), name="weak")


def test_the_book_counts_artificial_calls_of_both_sides():
    book = make_book(WEAK, 500, 1)
    owner, dealer, vulnerability = random_boards(1, 0, 500)
    history = bid_out((Hierarchy(WEAK),) * 4, deal_features(owner), dealer, vulnerability).history
    both = artificial_calls(history, dealer, owner)[1]
    assert book.measured.artificial[0] == pytest.approx(100 * np.mean(both))
    assert f"{book.measured.artificial[0]:.1f} ± " in book.facts()[2]


def test_the_card_reads_answers_to_four_notrump():
    asks = "4NT with spades agreed"
    assert card_of(read_system("two-over-one"), 8_000)[asks].startswith(
        "key cards: 5♣ 1 or 4, 5♦ 0 or 3, 5♥ 2, 5♠ 2 with the queen (after 1"
    )
    assert card_of(SAYC, 8_000)[asks].startswith("aces: 5♣ 0 or 4, 5♦ 1, 5♥ 2, 5♠ 3 (after 1♠")


LAYOUT = "N:AKQ2.T98.J7.A543 J43.KJ7.AQ65.K72 T98.AQ6542.K.QJ6 765.3.T98432.T98"  # N 4-3-2-4, E 3-3-4-3, S 3-6-1-3


def counted(auction, side):
    history = np.array([[parse_call(word) for word in auction.split()]], np.int8)
    return int(artificial_calls(history, np.zeros(1, np.int16), parse_deal(LAYOUT)[None])[1][0, side])


@pytest.mark.parametrize(
    ("auction", "ours", "theirs"),
    [
        ("1C P 1H P 1S P P P", 0, 0),  # all on four cards and more
        ("1H P P P", 1, 0),  # three hearts
        ("1S P 2S P P P", 0, 0),  # a raise on three
        ("1H P 1S P 2S P P P", 2, 0),  # three hearts; three spades; a raise on four
        ("1D P 2D P P P", 2, 0),  # two diamonds; a raise on one
        ("P 1D P 1N P P P", 0, 0),
        ("P 1C P P P", 0, 1),
        ("1C X P 1D P P P", 0, 1),  # a low double
        ("1C X XX P P P", 1, 1),  # and a redouble
        ("4N X P P P", 0, 0),  # a double above the three level
        ("3N X P P P", 0, 1),
        ("2C P 2H P P P", 1, 0),  # opens on four clubs
        ("1N P 2C P P P", 1, 0),  # answers 1NT on three clubs: short too, but one call
        ("P 1N P 2D P P P", 0, 0),
        ("P P P P", 0, 0),
    ],
)
def test_artificial_calls_by_hand(auction, ours, theirs):
    assert (counted(auction, 0), counted(auction, 1)) == (ours, theirs)


def test_our_systems_are_counted_as_a_quick_count_of_others_has_them():
    """24 of the sayc from which the first champion grew, for each 100 auctions of a side."""
    then = f"system:{Path(__file__).parents[1] / 'data' / 'champion_start.bidding'}"
    found, error = of_match(match(then, "system:sayc", 1_000, 5))
    assert abs(found - 24) < 3 * error + 1
