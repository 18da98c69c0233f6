"""Whole sets of opening bids, drawn by chance."""

import numpy as np
import pytest

from agents.hierarchy.bidder import Hierarchy, bid_out, deal_features
from agents.hierarchy.changes import openings
from agents.hierarchy.changes.mutation import Chance
from agents.hierarchy.shipped import read_system
from agents.hierarchy.sound.sound import newly_unsound
from bridge_env.features import FEATURES
from training.match.boards import library_boards

EMPTY = read_system("empty")


def sets(count: int) -> list[openings.Genes]:
    chance = Chance("sets", 1)
    return [openings.drawn(chance) for _ in range(count)]


@pytest.mark.parametrize("genes", sets(3))
def test_a_set_is_sound_and_opens_every_strong_hand(genes):
    system = openings.edit(genes).apply(EMPTY)
    assert not newly_unsound(EMPTY, system)
    assert system.blocks == EMPTY.blocks
    boards = library_boards(2000, 1, "training")
    features = deal_features(boards.owner)
    first = bid_out([Hierarchy(system)] * 4, features, boards.dealer, boards.vulnerability).history[:, 0]
    points = features[np.arange(2000), boards.dealer, FEATURES["hcp"]]
    assert (first[points >= 13] > 0).all()
    assert (first[points < 3] == 0).all()


def test_a_child_has_each_choice_from_a_parent_or_anew():
    one, other = (0,) * len(openings.drawn(Chance(1))), openings.drawn(Chance(2))
    children = [openings.crossed(one, other, Chance("cross", k)) for k in range(400)]
    inherited = np.mean([child[k] in (one[k], other[k]) for child in children for k in range(len(one))])
    assert 0.85 < inherited < 0.99
    assert len(set(children)) > 300
    assert {child[0] for child in children} == set(range(7))


def test_another_set_takes_the_place_of_the_first_alone():
    one, other = sets(2)
    once = openings.edit(one).apply(EMPTY)
    assert openings.edit(other).apply(once) == openings.edit(other).apply(EMPTY) != once
