"""Natural systems, drawn by chance from the parts of a file."""

import numpy as np
import pytest

from agents.systems.audit import audit
from agents.systems.bidder import Hierarchy, bid_out, deal_features
from agents.systems.changes.mutation import SeededRandom
from agents.systems.changes.natural import sets
from agents.systems.language.text import system_text
from agents.systems.library.shipped import read_system
from bridge_env.hands.features import FEATURES
from training.evaluation.boards import library_boards

EMPTY = read_system("empty")
PARTS = sets().parts


def drawn(count):
    chance = SeededRandom("sets", 1)
    return [sets().drawn(chance) for _ in range(count)]


def built(genes, parts=PARTS):
    return sets().edit(genes, parts).apply(EMPTY)


@pytest.mark.slow
@pytest.mark.parametrize("genes", drawn(1))
def test_a_drawn_system_is_sound_and_opens_every_strong_hand(genes, monkeypatch):
    system = built(genes)
    monkeypatch.setattr(audit, "_dead", lambda *_: ())  # some lines of a drawn system are
    assert not audit.audit_system(Hierarchy(system))
    assert system.blocks == EMPTY.blocks
    boards = library_boards(2000, 1, "training")
    features = deal_features(boards.owner)
    first = bid_out([Hierarchy(system)] * 4, features, boards.dealer, boards.vulnerability).history[:, 0]
    points = features[np.arange(2000), boards.dealer, FEATURES["hcp"]]
    assert (first[points >= 13] > 0).all()
    assert (first[points < 3] == 0).all()


def test_every_drawn_system_can_be_read_with_any_of_its_parts():
    for k, genes in enumerate(drawn(10)):
        complete, system = built(genes), built(genes, PARTS[: 1 + k % len(PARTS)])
        assert Hierarchy(complete).compiled
        assert len(system.lines) < len(complete.lines) or k % len(PARTS) == len(PARTS) - 1


def test_choices_decide_the_lines_and_their_numbers():
    names = list(sets().choices)
    genes = list(drawn(1)[0])

    def text(**chosen):
        now = list(genes)
        for name, value in chosen.items():
            name = name.replace("_", " ")
            now[names.index(name)] = sets().choices[name].index(value)
        return system_text(built(tuple(now)))

    five, four = text(majors=5), text(majors=4)
    assert "5+ S, S >= H" in five
    assert "4+ S, S >= H, S >= D, S >= C" not in five
    assert "4+ S, S >= H, S >= D, S >= C" in four
    assert "1N    13-15 hcp, balanced" in text(no_trump=13, span=2)
    assert "transfer" in text(transfers=1)
    without = text(transfers=0)
    assert "transfer" not in without
    assert "3N    5 H" not in without  # nor what follows one
    assert "15-17 support:M" in text(**{"try": 15, "big": 18})
    assert "2N    9 hcp" in text(invite=9, game=10)
    assert "2N    {" not in text(invite=11, game=8)  # nobody invites with more than game needs


def test_a_child_has_each_choice_of_a_part_from_a_parent_or_anew():
    one, other = (0,) * len(sets().choices), drawn(1)[0]
    part = PARTS[0]
    children = [sets().crossed(one, other, part, SeededRandom("cross", k)) for k in range(400)]
    inherited = np.mean([child[k] in (one[k], other[k]) for child in children for k in range(part.end)])
    assert 0.85 < inherited < 0.99
    assert len(set(children)) > 250
    assert {child[0] for child in children} == set(range(7))
    assert {child[part.end :] for child in children} == {one[part.end :]}


def test_another_system_takes_the_place_of_the_openings():
    one, other = drawn(2)
    openings = PARTS[:1]
    once = built(one, openings)
    assert sets().edit(other, openings).apply(once) == built(other, openings) != once
