"""Boards, as the envs and matches have them."""

import pickle

import numpy as np
import pytest

from bridge_env.double_dummy import builtin_library
from bridge_env.double_dummy.boards import Boards, boards_of, contract_tricks
from bridge_env.hands.deals import random_deals
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import parse_call
from training.evaluation.boards import library_boards

NAMES = ("owner", "dealer", "vulnerability", "number", "base", "tricks")


class Counted:
    """Finds nine tricks in every contract, and keeps how many it was asked for."""

    def __init__(self):
        self.asked = []

    def tricks_for(self, owner, declarer, strain):
        self.asked.append(len(owner))
        return np.full(len(owner), 9, np.int8)


def test_what_is_left_out_has_a_meaning():
    boards = Boards(random_deals(1, 0, 3), np.zeros(3, np.int8), np.ones(3, np.int8))
    assert (boards.number.tolist(), boards.base.tolist()) == ([1, 2, 3], [0, 1, 2])
    assert ((boards.tricks == -1).all(), boards.solved, boards.source, boards.problems) == (True, False, "", ())
    assert [len(boards.take(slice(1, 3))), len(boards.take(np.array([2, 2, 0, 1])))] == [2, 4]
    assert boards.take(np.array([2, 0])).number.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("name", "array"), [("dealer", np.zeros(2)), ("tricks", np.zeros((3, 20))), ("owner", np.zeros((3, 13)))]
)
def test_arrays_that_do_not_fit_are_named(name, array):
    told = {"owner": random_deals(1, 0, 3), "dealer": np.zeros(3), "vulnerability": np.zeros(3)} | {name: array}
    with pytest.raises(ValueError, match=f"3 boards have a {name} of shape"):
        Boards(**told)


def test_boards_of_a_match_may_be_an_envs_and_travel_as_pickles():
    boards = library_boards(40, 3)
    again = pickle.loads(pickle.dumps(boards))
    for name in NAMES:
        np.testing.assert_array_equal(getattr(again, name), getattr(boards, name))
    assert again.source == boards.source
    assert boards.solved
    assert boards.share_in_training() == 0
    assert 0 < boards_of(random_deals(1, 0, 100)).share_in_training() < 1


def test_known_tricks_are_read_and_only_the_others_are_asked_for():
    owner = random_deals(2, 0, 4)
    tricks = np.full((4, 4, 5), -1, np.int8)
    tricks[:2] = 7
    declarer, strain, solver = np.array([0, -1, 3, 2]), np.array([4, 0, 1, 2]), Counted()
    assert contract_tricks(owner, tricks, declarer, strain, solver).tolist() == [7, 0, 9, 9]
    assert solver.asked == [2]
    assert (tricks[2:] == -1).all()
    contract_tricks(owner[:2], tricks[:2], declarer[:2], strain[:2], solver)
    assert solver.asked == [2]


def test_points_are_north_souths():
    library = builtin_library()
    boards = boards_of(library.owners([3, 3]), library.tricks_at([3, 3]), dealer=[0, 1], vulnerability=0)
    calls = np.array([[parse_call(c) for c in ("1NT", "P", "P", "P")], [parse_call("P")] * 4])
    points = boards.points(Auctions.replay(calls, boards.dealer, boards.vulnerability))
    took = int(boards.tricks[0, 0, 4])
    assert points.tolist() == [90 + 30 * (took - 7) if took >= 7 else 50 * (took - 7), 0]
    assert boards.take(slice(1)).points(one_auction(calls[0], 0)).tolist() == points.tolist()[:1]
