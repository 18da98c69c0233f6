"""The champion that ships: better than what it grew from, also where training never looked, and as its book says."""

from pathlib import Path

import pytest

from agents.registry import read_system
from agents.wire import read_states
from bridge_env.bidders import DEFAULT_BIDDER, make
from bridge_env.calls import parse_call
from training.book.book import GOAL, make_book
from training.match.duel import Partnership, Stretch, duel

BOARDS = Stretch(9, "judging", 0, 4000)
START = str(Path(__file__).parents[1] / "data" / "champion_start.bidding")  # the sayc of its day


def pair(name):
    system = read_system(name)
    return Partnership(system, system)


def test_it_is_the_default():
    assert DEFAULT_BIDDER == "system:two-over-one"
    view, key = read_states([{"hand": "AKQ2.T98.J7.A543"}])
    assert make(DEFAULT_BIDDER).bid(view, key)[0] == parse_call("1C")


@pytest.mark.parametrize("opponent", [START, "polish", "two-over-one", "doubler", "silent"])
def test_it_gains_on_boards_that_training_never_saw(opponent):
    them = pair(opponent)
    gain = duel(pair("champion"), them, BOARDS).imps.astype(int) - duel(pair(START), them, BOARDS).imps
    assert gain.mean() > 3 * gain.std(ddof=1) / len(gain) ** 0.5
    assert gain.mean() > (0.3 if opponent in (START, "polish", "two-over-one") else 0)


def test_its_auctions_end():
    champion = pair("champion")
    assert duel(champion, champion, BOARDS).history.shape[2] < 60


def test_its_calls_show_what_its_book_says():
    book = make_book(read_system("champion"), 4000, 1, levels=3, examples=0, tick=lambda _deals: None)
    assert book.check.share >= GOAL
