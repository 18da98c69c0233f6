"""The shipped systems against their books, and the champion against others."""

from pathlib import Path

import numpy as np
import pytest

import agents
from agents.systems.library.shipped import read_system
from agents.text_api import read_states
from bridge_env.bidders.registry import DEFAULT_BIDDER, make
from bridge_env.rules.calls import parse_call
from training.book.system_book import make_book
from training.evaluation import duplicate
from training.evaluation.partnership_match import BoardRange, Partnership, duel

SECTIONS = (Path(__file__).parents[1] / "data" / "textbook_calls.txt").read_text().split("\n[")[1:]
IMPS = {  # against silent opponents, and against Standard American, which doubles weak no trumps
    "acol": (3.3, -0.4), "polish": (3.3, -0.4), "precision": (3.3, -0.4), "preempts": (3.3, -0.4),
    "two-over-one": (3.3, -0.4), "sayc": (3.5, -0.1),
}  # fmt: skip


def sections():
    """Yield system, opponents' system or an empty text, and rows (hand, auction, call)."""
    for section in SECTIONS:
        head, *lines = section.splitlines()
        names, _, opponents = head.strip("]").partition(" against ")
        rows = [[cell.strip() for cell in line.split("|")[:3]] for line in lines if line.strip()]
        for name in names.split():
            yield pytest.param(name, opponents, rows, id=f"{name}-{opponents or 'any'}-{rows[0][0]}")


@pytest.mark.parametrize(("system", "opponents", "rows"), list(sections()))
def test_calls_are_those_of_the_books(system, opponents, rows):
    bidder = agents.make(f"system:{system}", opponents=f"system:{opponents}" if opponents else None)
    made = agents.calls(bidder, [{"hand": hand, "auction": auction.split()} for hand, auction, _ in rows])
    wrong = [
        (*row, call)
        for row, call in zip(rows, made, strict=True)
        if (call == row[2].removeprefix("not ")) == row[2].startswith("not ")
    ]
    assert not wrong


@pytest.mark.parametrize("system", IMPS)
def test_a_sound_pair_wins(system):
    silent, standard = IMPS[system]
    assert duplicate.match(f"system:{system}", "pass", 4000).mean_imps >= silent  # strong programs: 4.1 to 4.4
    assert duplicate.match(f"system:{system}", "system:sayc", 4000).mean_imps >= standard


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
    now, then = (np.mean([duel(pair(s), g, BOARDS).imps for g in GATEKEEPERS], axis=0) for s in ("champion", START))
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
