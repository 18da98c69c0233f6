"""Which calls count as artificial."""

from pathlib import Path

import numpy as np
import pytest

from bridge_env.hands.deals import parse_deal
from bridge_env.rules.calls import parse_call
from training.evaluation.duplicate import match
from training.evaluation.situations import count_artificial, of_match

DEAL = "N:AKQ2.T98.J7.A543 J43.KJ7.AQ65.K72 T98.AQ6542.K.QJ6 765.3.T98432.T98"  # N 4-3-2-4, E 3-3-4-3, S 3-6-1-3


def counted(auction, side):
    history = np.array([[parse_call(word) for word in auction.split()]], np.int8)
    return int(count_artificial(history, np.zeros(1, np.int16), parse_deal(DEAL)[None], np.array([side]))[0])


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
def test_golden(auction, ours, theirs):
    assert (counted(auction, 0), counted(auction, 1)) == (ours, theirs)


def test_our_systems_are_counted_as_a_quick_count_of_others_has_them():
    """24 of the sayc from which the first champion grew, for each 100 auctions of a side."""
    then = f"system:{Path(__file__).parents[1] / 'data' / 'champion_start.bidding'}"
    found, error = of_match(match(then, "system:sayc", 1_000, 5))
    assert abs(found - 24) < 3 * error + 1
