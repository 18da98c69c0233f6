"""Case bases: files, how cases are found and votes counted, why, and ``bridge-env fit cases`` on a small record."""

import importlib.util
import json
from dataclasses import replace

import numpy as np
import pytest
from support.command import refused
from support.learners import record, small_base

from agents.cases import actions
from agents.cases.base import Retained, load, save
from agents.cases.bidder import CaseBidder, majority, opened, read_bidder, view_of_cases
from agents.cases.experience import revise, spoken_for
from agents.cases.features import points
from agents.cases.forest import LEAF
from agents.cases.leaf_index import NO_CASE, index_leaves
from agents.text_api import read_states as states_of
from bridge_env.bidders import registry
from bridge_env.hands.deals import hand_text
from bridge_env.io import optional_dependencies as extras
from bridge_env.rules.calls import NUM_CALLS, call_text, parse_call
from training.cases import fit, retain
from training.cli.app import main
from training.configs import CasesConfig
from training.evaluation.recorded_calls import read_states, rounds_and_sides, shares

KEY = np.zeros(1, np.uint64)


@pytest.fixture
def states(tmp_path):
    return read_states([record(tmp_path)])


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return small_base(tmp_path_factory.mktemp("cases"))


def test_states_are_what_was_recorded(states, base):
    assert len(states) == len(base)
    assert (states.called == base.called).all()
    assert (states.opened == base.opened).all()
    view = view_of_cases(base, np.arange(len(base)))
    assert (view.hand == states.view.hand).all()
    assert (view.seat == states.view.seat).all()
    assert (view.mask == states.view.mask).all()
    assert (opened(view) == states.opened).all()


def test_a_file_holds_the_same_base(base, tmp_path):
    save(base, tmp_path / "a.npz")
    again = load(tmp_path / "a.npz")
    for name in ("auction", "dealer", "vulnerability", "result", "board", "number", "hand", "point"):
        np.testing.assert_array_equal(getattr(again, name), getattr(base, name))
    assert (again.k, again.reader) == (base.k, base.reader)
    assert again.fitted == json.loads(json.dumps(base.fitted))
    save(again, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert read_bidder(str(tmp_path / "a.npz")) is read_bidder(str(tmp_path / "a.npz"))


def test_the_nearest_are_those_of_a_naive_loop(base, states):
    bidder = CaseBidder(base)
    rows = np.arange(0, len(states), 7)
    place, _ = bidder.described(states.view.take(rows))
    case, similarity = base.nearest(place, states.opened[rows], 5)
    for row, p in enumerate(place.astype(np.int64)):
        same = np.flatnonzero(base.opened == states.opened[rows[row]])
        far = (base.point[same] != p).sum(axis=1)
        order = np.lexsort((same, far))[:5]
        there = far[order] < 12
        assert case[row].tolist() == np.where(there, same[order], -1).tolist()
        np.testing.assert_allclose(similarity[row], np.where(there, 100 * (1 - far[order] / 12), 0))
    assert (similarity[:, 0] == 100).all()  # each is a case itself


def test_votes():
    def of(text):
        return np.array([[-1 if word == "-" else parse_call(word) for word in text.split()]], np.int8)

    for text, elected in (("1S P P", "P"), ("1S P", "1S"), ("- - 1H", "1H"), ("- - -", "P"), ("P 1H 1S 1S 1H", "1H")):
        assert majority(of(text))[0] == parse_call(elected)


def test_too_few_states(states):
    with pytest.raises(ValueError, match="too few"):
        fit.case_base(states.take(np.arange(10)), CasesConfig())


def one(hand, auction):
    view, _ = states_of([{"hand": hand, "auction": auction.split()}])
    return view, registry.make("system:sayc").meaning(view)


@pytest.mark.parametrize(
    ("hand", "auction", "call", "to_hand", "to_auction", "comes_to"),
    [
        ("K832.A54.87.Q432", "1S P", "2S", "832.KJ54.87.Q432", "1H P", "2H"),  # support partner, cheapest
        ("K832.A54.8.KQ432", "1S P", "4S", "832.KJ54.8.AQ432", "1H P", "4H"),  # game in partner's suit
        ("AKQ32.54.87.Q432", "1C", "1S", "32.54.AKQ87.Q432", "1C", "1D"),  # the longest suit
        ("AKQ32.54.87.Q432", "1C", "1S", "32.AKQ54.87.Q432", "1S", "2H"),  # the same, as cheap as it can be
        ("AQ3.KJ4.K87.Q432", "", "1NT", "AQ3.KJ4.K87.Q432", "1H", "1NT"),
        ("32.54.8765.Q9432", "1C", "P", "32.54.8765.Q9432", "1S", "P"),
        ("AQ32.K54.K872.Q2", "1C", "X", "AQ32.K54.K872.Q2", "", None),  # nothing to double
    ],
)
def test_actions_in_other_auctions(hand, auction, call, to_hand, to_auction, comes_to):
    view, shown = one(hand, auction)
    action = actions.action_of(view, shown, np.array([parse_call(call)], np.int8))
    found = int(actions.call_of(action, *one(to_hand, to_auction))[0])
    assert (call_text(found) if found >= 0 else None) == (comes_to and call_text(parse_call(comes_to)))


def test_an_action_comes_back_as_its_own_call_or_in_the_same_strain(states):
    shown = registry.make("system:sayc").meaning(states.view)
    action = actions.action_of(states.view, shown, states.called)
    again = actions.call_of(action, states.view, shown)
    bids = states.called >= 3
    assert (again[~bids] == states.called[~bids]).all()
    assert ((again[bids] - 3) % 5 == (states.called[bids] - 3) % 5).all()
    assert (again == states.called).mean() > 0.97


def test_rounds_and_sides_add_up(base, states):
    made = CaseBidder(base).bid(states.view, np.zeros(len(states), np.uint64))
    rows = {row.name: row for row in shares(rounds_and_sides(states.view), made, states.called)}
    total = rows["all calls"]
    assert (total.calls, total.right) == (len(states), int((made == states.called).sum()))
    parts = [rows[name] for name in ("openings", "opener's side", "other side")]
    assert sum(row.calls for row in parts) == total.calls
    assert sum(row.right_bids for row in parts) == total.right_bids


def test_the_nearest_cases_are_explained(base, states):
    bidder = CaseBidder(base)
    row = int(np.flatnonzero(states.opened)[5])
    text = bidder.explain(states.view.take(np.array([row])), KEY)
    assert text.splitlines()[0] == call_text(int(bidder.bid(states.view.take(np.array([row])), KEY)[0]))
    assert "of the 5 nearest cases" in text
    assert text.splitlines()[2].startswith("  100.0  ")
    assert hand_text(states.view.hand[row]) in text
    assert " dealt, " in text


@pytest.mark.slow
def test_fitting(states):
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    base = fit.case_base(states, CasesConfig(members=2, epochs=12, trees=16))
    made = CaseBidder(base).bid(states.view, np.zeros(len(states), np.uint64))
    assert (made == states.called).mean() > 0.7


@pytest.mark.parametrize(("count", "trees", "k"), [(0, 4, 3), (2, 4, 3), (900, 7, 9), (900, 1, 30)])
def test_cases_by_shared_leaves_are_what_a_sorted_list_has(count, trees, k):
    rng = np.random.default_rng(count + k)
    leaf = rng.integers(0, 9, (count, trees)).astype(np.int16)  # ties abound
    numbers = rng.permutation(2 * count)[:count]
    place = rng.integers(0, 12, (20, trees)).astype(np.int16)  # some come to leaves that no case came to
    case, missing = index_leaves(leaf, numbers).nearest(place, k)
    for row, p in enumerate(place):
        far = (leaf != p).sum(axis=1)
        order = [i for i in np.lexsort((numbers, far))[:k] if far[i] < trees]
        assert case[row].tolist() == numbers[order].tolist() + [-1] * (k - len(order))
        assert missing[row].tolist() == far[order].tolist() + [NO_CASE] * (k - len(order))


def test_leaves_are_those_of_a_walk(base, states):
    rows = fit.described(states).astype(np.int16)
    for kind, forest in enumerate(base.forests):
        seen = np.concatenate([rows, points(base.metric, rows)], axis=1)[states.opened == bool(kind)]
        found = forest.leaves(seen)
        for row in range(0, len(seen), 9):
            for tree in range(len(forest)):
                node = forest.root[tree]
                while forest.feature[node] != LEAF:
                    node = node + 1 if seen[row, forest.feature[node]] <= forest.threshold[node] else forest.go[node]
                assert found[row, tree] == forest.go[node]


@pytest.mark.slow
def test_grown_trees_are_those_of_the_library():
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(3)
    rows = rng.integers(-9, 10, (400, 12)).astype(np.int16)
    rows[:, 5] = 1  # constant
    called = (rows[:, 0] > rows[:, 1]).astype(np.int8) + 2 * (rows[:, 2] > 3)
    forest = fit.fit_forest(rows, called, 9, 1)
    useful = np.delete(rows, 5, axis=1)
    model = ensemble.ExtraTreesClassifier(9, max_features=fit.FEATURES, min_samples_leaf=fit.LEAST, random_state=1)
    nodes = model.fit(useful, called).apply(useful.astype(np.float32))
    leaves = forest.leaves(rows)
    for tree in range(9):
        assert (np.unique(nodes[:, tree], return_inverse=True)[1] == leaves[:, tree]).all()


def test_what_gained_clearly_takes_the_place_of_the_vote(base, states):
    """A thousand states of self-play in which 1S was passed and would have gained two IMPs."""
    bidder = CaseBidder(base)
    row = int(np.flatnonzero(~states.opened & (states.called == 0))[0])
    one_spade = parse_call("1S")
    place, _ = bidder.described(states.view.take(np.array([row])))
    count = 40
    worth = np.full((count, NUM_CALLS), -128, np.int8)
    worth[:, 0], worth[:, one_spade] = 0, np.tile([8, -4], count // 2)
    many = Retained(
        np.repeat(base.board[row], count).astype(np.int32), np.repeat(base.number[row], count).astype(np.int16),
        np.repeat(base.hand[[row]], count, axis=0), np.repeat(place, count, axis=0), worth,
    )  # fmt: skip
    legal = states.view.mask[[row]]

    def revised(retained, legal=legal):
        changed = replace(base, retained=retained)
        return int(revise(changed, place, np.array([False]), np.zeros(1, np.int8), legal).call[0])

    assert revised(many) == one_spade
    assert revised(replace(many, worth=np.minimum(worth, 0))) == revised(base.retained) == 0
    assert revised(Retained(*(getattr(many, f)[:20] for f in ("board", "number", "hand", "point", "worth")))) == 0
    # Where no case speaks for it, nobody has tried it in such a state.
    for votes, call in ((1, 0), (2, one_spade)):
        vote = np.array([[0] * 5 + [one_spade] * votes + [-1]], np.int8)
        spoken = spoken_for(vote, np.zeros(1, np.int8), legal)
        assert spoken.sum() == votes - 1
        assert revised(many, spoken) == call


def test_retaining_is_judged_on_the_same_boards(base, tmp_path):
    save(base, tmp_path / "cases.npz")
    result = retain.retain(tmp_path / "cases.npz", "pass", 12, 20, 3, tmp_path / "new")
    assert result.added == len(result.base.retained) > 0
    assert result.gain[0] == pytest.approx(result.after[0] - result.before[0])
    assert len(load(result.file).retained) == result.added
    assert json.loads((tmp_path / "new" / "results.json").read_text())["gain"] == list(result.gain)


def test_further_cases_may_speak_for_a_call_but_do_not_vote(base, states):
    bidder = CaseBidder(replace(base, k=3))
    alone, wide = (bidder.retrieve(states.view, wide) for wide in (False, True))
    assert (alone.vote.shape[1], alone.voice.shape[1]) == (3, 3)
    assert (wide.vote.shape[1], wide.voice.shape[1]) == (3, 15)
    for name in ("call", "case", "similarity", "vote", "elected"):
        np.testing.assert_array_equal(getattr(wide, name), getattr(alone, name))
    np.testing.assert_array_equal(wide.voice[:, :3], wide.vote)
    assert (wide.voice[:, 3:] >= 0).any()
    assert bidder.retrieve(states.view).voice.shape[1] == 3  # nothing is retained


SMALL = ["--epochs", "1", "--members", "1", "--trees", "9"]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A record of 40 boards of the judging part and 160 others."""
    return str(record(tmp_path_factory.mktemp("known"), 40, 160))


@pytest.mark.weekly
@pytest.mark.slow
def test_a_base_that_is_fitted(known, tmp_path, capsys):
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    words = ["fit", "cases", known, *SMALL]
    assert main([*words, "--out", str(tmp_path / "a")]) == 0
    base = load(tmp_path / "a" / "cases.npz")
    assert ([len(forest) for forest in base.forests], base.k) == ([9, 9], 5)
    assert (base.fitted["trees"], base.fitted["epochs"]) == (9, 1)
    rows = json.loads((tmp_path / "a" / "results.json").read_text())["rows"]
    assert [row["name"] for row in rows][:2] == ["all calls", "openings"]
    # The same seed learns and grows the same.
    assert main([*words, "--out", str(tmp_path / "b")]) == 0
    assert (tmp_path / "a" / "cases.npz").read_bytes() == (tmp_path / "b" / "cases.npz").read_bytes()
    assert "| openings | " in capsys.readouterr().out


def test_a_record_of_which_nothing_can_be_learned(tmp_path, capsys):
    path = record(tmp_path, 5)
    assert "all 5 boards are for judging" in refused(capsys, "fit", "cases", path, *SMALL, "--out", tmp_path)


@pytest.mark.parametrize(("missing", "name"), [("torch", "torch"), ("sklearn", "scikit-learn")])
def test_a_missing_library_is_named(known, tmp_path, monkeypatch, capsys, missing, name):
    found = importlib.util.find_spec("numpy")
    monkeypatch.setattr(extras, "find_spec", lambda library: None if library == missing else found)
    assert main(["fit", "cases", known, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert f"{name} is not installed" in error
    assert extras.how_to_install("rl") in error
