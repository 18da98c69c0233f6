"""Sources of the env's boards, and boards."""

import pickle

import numpy as np
import pytest
from support.bidders import QUIET

from bridge_env.double_dummy import boards as boards_module
from bridge_env.double_dummy import builtin_library, write_library
from bridge_env.double_dummy.boards import UNKNOWN, Boards, boards_of, contract_tricks
from bridge_env.envs.deals import LibraryDeals, pbn_deals, resolve
from bridge_env.envs.single import BiddingEnv
from bridge_env.hands.canonical import canonical_key, is_judging
from bridge_env.hands.deals import deal_text, parse_deal, random_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import DealError, check_deals
from training.evaluation.boards import library_boards

KEYS = streams.key("test", np.arange(500))
NUMBERS = np.arange(500)


def pbn(path, *boards):
    """A PBN file of (deal text, dealer, vulnerable)."""
    path.write_text("\n".join(f'[Board "{i + 1}"]\n[Dealer "{d}"]\n[Vulnerable "{v}"]\n[Deal "{t}"]\n'
                              for i, (t, d, v) in enumerate(boards)))  # fmt: skip
    return path


def same_boards(a, b):
    for name in ("owner", "tricks", "dealer", "vulnerability"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("name", ["training", "judging", "library", "random", "array", "pbn", "bdl"])
def test_every_source_is_a_function_of_keys_and_numbers(name, tmp_path):
    texts = [(deal_text(owner), "E", "NS") for owner in random_deals(1, 0, 3)]
    some = builtin_library().owners(np.arange(5)), builtin_library().tricks_at(np.arange(5))
    write_library(tmp_path / "mine.bdl", *some, {"made": "by a test"})
    files = {"pbn": pbn(tmp_path / "a.pbn", *texts), "bdl": tmp_path / "mine.bdl"}
    argument = {"array": random_deals(1, 0, 7), **files}.get(name, name)
    source = resolve(argument)
    drawn = source.draw(KEYS, NUMBERS)
    check_deals(drawn.owner)
    assert (drawn.owner.dtype, drawn.tricks.dtype, drawn.tricks.shape) == (np.uint8, np.int8, (500, 4, 5))
    assert (drawn.dealer.dtype, drawn.vulnerability.dtype) == (np.int8, np.int8)
    order = np.random.default_rng(1).permutation(500)
    for rows in np.array_split(order, 9):
        same_boards(source.draw(KEYS[rows], NUMBERS[rows]), drawn.take(rows))
    same_boards(pickle.loads(pickle.dumps(source)).draw(KEYS, NUMBERS), drawn)
    assert source.draw(KEYS[:0], NUMBERS[:0]).owner.shape == (0, 52)
    assert source.solved == (drawn.tricks >= 0).all()


def test_deals_of_the_library_have_its_tables_and_split():
    for split, judging in (("training", False), ("judging", True)):
        boards = LibraryDeals(split).draw(KEYS, NUMBERS)
        assert (is_judging(boards.owner) == judging).all()
        np.testing.assert_array_equal(builtin_library().tables_of(boards.owner), boards.tricks)
        assert len(np.unique(canonical_key(boards.owner))) > 450
        known = {deal.tobytes() for deal in builtin_library().owners(builtin_library().split(split))}
        here = np.mean([deal.tobytes() in known for deal in boards.owner])
        assert (here < 0.1) != judging  # images, unless for judging
        assert (boards.dealer == UNKNOWN).all()
    both = is_judging(LibraryDeals("all").draw(KEYS, NUMBERS).owner)
    assert 0.15 < both.mean() < 0.35


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tricks": np.full((2, 4, 5), 8)}, r"need tricks .* of shape \(3, 4, 5\)"),
        ({"tricks": np.full((3, 4, 5), 14)}, "need tricks 0..13"),
        ({"dealer": 4}, "dealer must be 0..3"),
        ({"vulnerability": [0, 1, -2]}, "vulnerability must be 0..3"),
    ],
)
def test_boards_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        boards_of(random_deals(1, 0, 3), **arguments)


def test_no_boards_at_all(tmp_path):
    with pytest.raises(ValueError, match="no board among the deals"):
        resolve(np.zeros((0, 52), np.uint8))
    with pytest.raises(DealError):
        resolve(np.zeros((1, 52)))
    write_library(tmp_path / "empty.bdl", np.zeros((0, 52), np.uint8), np.zeros((0, 4, 5), np.int8), {})
    with pytest.raises(ValueError, match=r"empty\.bdl.*no deals for 'training'"):
        LibraryDeals("training", tmp_path / "empty.bdl").draw(KEYS, NUMBERS)


def test_pbn_boards_in_order_with_their_dealers_and_vulnerabilities(tmp_path):
    texts = [deal_text(owner) for owner in random_deals(5, 0, 3)]
    path = pbn(tmp_path / "three.pbn", (texts[0], "E", "NS"), (texts[1], "S", "All"), (texts[2], "W", "None"))
    env = BiddingEnv(deals=path, reward="points", **QUIET)
    for number in range(7):
        env.reset(**({"seed": 1} if number == 0 else {}))
        view = env.view()
        np.testing.assert_array_equal(env.deals().owner[0], parse_deal(texts[number % 3]))
        assert (int(view.dealer[0]), int(view.vulnerability[0])) == [(1, 1), (2, 3), (3, 0)][number % 3]
    fixed = BiddingEnv(deals=str(path), dealer="N", vulnerability="EW", **QUIET)
    fixed.reset(seed=1)
    view = fixed.view()
    assert (int(view.dealer[0]), int(view.vulnerability[0])) == (0, 2)


def test_a_bad_pbn_board_is_left_out_with_a_warning(tmp_path):
    good = deal_text(random_deals(5, 0, 1)[0])
    path = pbn(tmp_path / "some.pbn", (good, "N", "None"), ("N:AK", "N", "None"))
    with pytest.warns(UserWarning, match=r"left out 1 .*some\.pbn:\d+: .*must have four suits"):
        boards = pbn_deals(path).draw(KEYS, NUMBERS)
    assert (boards.owner == parse_deal(good)).all()
    bad = pbn(tmp_path / "bad.pbn", ("N:AK", "N", "None"))
    left_out = pytest.warns(UserWarning, match="left out 1")
    with left_out, pytest.raises(ValueError, match=r"bad\.pbn has no board that can be read"):
        resolve(bad)


def test_a_pbn_files_own_table_counts(tmp_path):
    deal = deal_text(random_deals(5, 0, 1)[0])
    path = tmp_path / "table.pbn"
    path.write_text(
        f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{deal}"]\n[DoubleDummyTricks "{"7" * 20}"]\n'
    )
    boards = pbn_deals(path).draw(KEYS, NUMBERS)
    assert (boards.tricks == 7).all()


NAMES = ("owner", "dealer", "vulnerability", "number", "base", "tricks")


class Counted:
    """Finds nine tricks in every contract, and counts the contracts of each request."""

    def __init__(self):
        self.requests = []

    def tricks_for(self, owner, declarer, strain):
        self.requests.append(len(owner))
        return np.full(len(owner), 9, np.int8)


def test_defaults():
    boards = Boards(random_deals(1, 0, 3), np.zeros(3, np.int8), np.ones(3, np.int8))
    assert (boards.number.tolist(), boards.base.tolist()) == ([1, 2, 3], [0, 1, 2])
    assert ((boards.tricks == -1).all(), boards.solved, boards.source, boards.problems) == (True, False, "", ())
    assert [len(boards.take(slice(1, 3))), len(boards.take(np.array([2, 2, 0, 1])))] == [2, 4]
    assert boards.take(np.array([2, 0])).number.tolist() == [3, 1]


def test_boards_of_a_match_may_be_an_envs_and_travel_as_pickles():
    boards = library_boards(40, 3)
    again = pickle.loads(pickle.dumps(boards))
    for name in NAMES:
        np.testing.assert_array_equal(getattr(again, name), getattr(boards, name))
    assert again.source == boards.source
    assert boards.solved
    assert boards.share_in_training() == 0
    assert 0 < boards_of(random_deals(1, 0, 100)).share_in_training() < 1


def test_known_tricks_are_read_and_only_the_others_solved(monkeypatch):
    owner = random_deals(2, 0, 4)
    tricks = np.full((4, 4, 5), -1, np.int8)
    tricks[:2] = 7
    declarer, strain, solver = np.array([0, -1, 3, 2]), np.array([4, 0, 1, 2]), Counted()
    monkeypatch.setattr(boards_module, "library_then_solver", lambda: solver)
    assert contract_tricks(owner, tricks, declarer, strain).tolist() == [7, 0, 9, 9]
    assert solver.requests == [2]
    assert (tricks[2:] == -1).all()
    contract_tricks(owner[:2], tricks[:2], declarer[:2], strain[:2])
    assert solver.requests == [2]


def test_points_are_north_souths():
    library = builtin_library()
    boards = boards_of(library.owners([3, 3]), library.tricks_at([3, 3]), dealer=[0, 1], vulnerability=0)
    calls = np.array([[parse_call(c) for c in ("1NT", "P", "P", "P")], [parse_call("P")] * 4])
    points = boards.points(Auctions.replay(calls, boards.dealer, boards.vulnerability))
    took = int(boards.tricks[0, 0, 4])
    assert points.tolist() == [90 + 30 * (took - 7) if took >= 7 else 50 * (took - 7), 0]
    assert boards.take(slice(1)).points(one_auction(calls[0], 0)).tolist() == points.tolist()[:1]
