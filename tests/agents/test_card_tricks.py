"""Double-dummy values of all cards in the middle of the play, against a search of all lines and against tables."""

from __future__ import annotations

import numpy as np
import pytest
from reference.play import best_result
from support.plays import law_card, law_play, random_plays

from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.positions import NOT_LEGAL, card_tricks
from bridge_env.rules.play import Plays


def present_trick(plays: Plays) -> np.ndarray:
    trick = np.full((len(plays), 3), -1, np.int8)
    for row in range(len(plays)):
        cards = plays.cards(row)
        now = cards[len(cards) - len(cards) % 4 :]
        trick[row, : len(now)] = now
    return trick


def values(plays: Plays) -> np.ndarray:
    return card_tricks(plays.left, plays.strain, plays.leader, present_trick(plays), threads=1)


@pytest.mark.parametrize("cards", [40, 41, 42, 43, 44, 47, 48, 50, 51])
def test_values_are_those_of_a_search_of_all_lines(cards):
    plays, _ = random_plays(8, seed=cards, cards=cards)
    found, legal = values(plays), plays.legal()
    assert ((found != NOT_LEGAL) == legal).all()
    for row in range(len(plays)):
        for card in np.flatnonzero(legal[row]).tolist():
            laws = law_play(plays, row)
            for played in (*plays.cards(row), card):
                laws.play(law_card(played))
            total = best_result(laws)
            ours = (plays.turn[row] ^ plays.declarer[row]) & 1 == 0
            so_far = plays.won[row] if ours else plays.tricks[row] - plays.won[row]
            assert found[row, card] == (total if ours else 13 - total) - so_far


def test_the_best_lead_takes_what_the_table_says():
    plays, _ = random_plays(6, seed=3, cards=0)
    table = ExactDoubleDummy(threads=1).tricks_for(plays.owner, plays.declarer, plays.strain)
    assert (13 - values(plays).max(axis=1) == table).all()


def test_hands_of_wrong_sizes_are_refused():
    plays, _ = random_plays(2, seed=5, cards=37)
    trick = present_trick(plays)
    with pytest.raises(ValueError, match=r"position 0: .* all must have the same number"):
        card_tricks(plays.left, plays.strain, plays.leader, np.full((2, 3), -1), threads=1)
    with pytest.raises(ValueError, match="position 0"):
        card_tricks(np.full((1, 52), 255), 4, 0, [-1, -1, -1], threads=1)
    with pytest.raises(ValueError, match="position 0"):
        card_tricks(plays.owner, plays.strain, plays.leader, trick, threads=1)
