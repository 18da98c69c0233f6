"""The shipped systems against their books: ``tests/data/textbook_calls.txt``, and matches that a sound pair wins."""

from pathlib import Path

import pytest

import agents
from training.evaluation import duplicate

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
