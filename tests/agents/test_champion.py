"""The champion that ships: better than what it grew from, abroad and on unseen boards, and as its book says."""

import numpy as np
import pytest

from agents.systems.library.shipped import read_system
from agents.text_api import read_states
from bridge_env.bidders.registry import DEFAULT_BIDDER, make
from bridge_env.rules.calls import parse_call
from training.book.system_book import make_book
from training.evaluation.network_opponents import Stranger
from training.evaluation.partnership_match import BoardRange, Partnership, duel

BOARDS = BoardRange(9, "judging", 0, 2500)
START = "two-over-one"
GATEKEEPERS = ("policy:humans", "policy:polish", "policy:wbridge5")


def pair(name):
    system = read_system(name)
    return Partnership(system, system)


def test_it_is_the_default():
    assert DEFAULT_BIDDER == "system:two-over-one"
    view, key = read_states([{"hand": "AKQ2.T98.J7.A543"}])
    assert make(DEFAULT_BIDDER).bid(view, key)[0] == parse_call("1C")


@pytest.mark.weekly
@pytest.mark.slow
def test_it_gains_abroad():
    """Against gatekeepers, whom training never met, on boards that it never saw, over what it grew from."""
    now, then = (
        np.mean([duel(pair(s), Stranger(g), BOARDS).imps for g in GATEKEEPERS], axis=0) for s in ("champion", START)
    )
    gain = now - then
    assert gain.mean() > 2 * gain.std(ddof=1) / len(gain) ** 0.5
    assert gain.mean() > 0.1


@pytest.mark.parametrize("opponent", [START, "sayc", "polish"])
def test_it_wins_at_home(opponent):
    imps = duel(pair("champion"), pair(opponent), BOARDS).imps
    assert imps.mean() > 2 * imps.std(ddof=1) / len(imps) ** 0.5


def test_its_calls_show_what_its_book_says():
    book = make_book(read_system("champion"), 2000, 1, levels=3, tick=lambda _deals: None)
    assert book.coverage.share >= 0.98
