"""Estimated tricks: the numpy network, what follows from its distributions, its file, and boards made with it."""

import json

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import estimator as reference
from reference.symmetries import permute_suits

from bridge_env.double_dummy import builtin_library
from bridge_env.double_dummy.estimator import (
    OUTCOMES,
    TrickEstimator,
    builtin_estimator,
    expected_scores,
    layer_names,
    load_estimator,
    quantile,
    save_estimator,
)
from bridge_env.envs.deals import EstimatedDeals
from bridge_env.hands.deals import random_deals, rotate_deals
from bridge_env.io.files import FileError
from bridge_env.rules.cards import DealError
from bridge_env.rules.scoring import score

DEPTH, BLOCKS, HIDDEN, WIDTH = 3, 2, 6, 8


def random_weights(seed=1, scale=0.25):
    rng = np.random.default_rng(seed)
    out = {}
    for name in layer_names(DEPTH, BLOCKS):
        role, _, number = name.rpartition("_")
        encoder = role not in ("", "block")
        inputs = 13 if encoder and number == "0" else HIDDEN if encoder else WIDTH
        outputs = OUTCOMES if name == "read" else WIDTH if not encoder or number == str(DEPTH - 1) else HIDDEN
        out[name] = rng.normal(size=(4, inputs, outputs)).astype(np.float32) * scale
        out[name + "_bias"] = rng.normal(size=outputs).astype(np.float32) * scale
    return out


@pytest.fixture(scope="module")
def small():
    return TrickEstimator(random_weights())


def test_it_equals_the_slow_reference(small):
    deals = random_deals(3, 0, 5)
    chances = small.distribution(deals)
    assert chances.shape == (5, 4, 5, 14)
    assert chances.dtype == np.float32
    np.testing.assert_allclose(chances.sum(-1), 1, atol=1e-5)
    for deal, found in zip(deals, chances, strict=True):
        np.testing.assert_allclose(found, reference.distribution(small.weights, DEPTH, BLOCKS, deal), atol=2e-5)


@settings(max_examples=20)
@given(st.permutations(range(4)), st.integers(0, 3), st.integers(0, 1000))
def test_suits_and_seats_may_be_exchanged(order, steps, start):
    estimator = TrickEstimator(random_weights(2))
    deals = random_deals(5, start, 3)
    plain = estimator.distribution(deals)
    turned = estimator.distribution(rotate_deals(deals, steps))
    np.testing.assert_allclose(turned, np.roll(plain, steps, axis=1), atol=1e-5)
    permuted = estimator.distribution(permute_suits(deals, order))
    back = plain[:, :, [*order, 4]]  # suit i is what suit order[i] was
    np.testing.assert_allclose(permuted, back, atol=1e-5)


def test_results_do_not_depend_on_threads_and_hardly_on_the_batch(small):
    deals = random_deals(6, 0, 200)
    one = TrickEstimator(small.weights, threads=1).distribution(deals)
    np.testing.assert_array_equal(TrickEstimator(small.weights, threads=3).distribution(deals), one)
    np.testing.assert_allclose(np.concatenate([small.distribution(deal[None]) for deal in deals]), one, atol=1e-5)


def test_quantiles_by_hand():
    chances = np.zeros((3, 14), np.float32)
    chances[0, 7] = 1
    chances[1, [6, 9]] = 0.5
    chances[2, 12:] = 0.25, 0.75
    np.testing.assert_array_equal(quantile(chances, 0.5), [7, 6, 13])
    np.testing.assert_array_equal(quantile(chances, [0.0, 0.51, 0.2]), [0, 9, 12])
    np.testing.assert_array_equal(quantile(chances, 1.0), [7, 9, 13])
    assert quantile(chances, 0.5).dtype == np.int8


def test_expected_scores_are_means_of_scores(small):
    chances = small.distribution(random_deals(8, 0, 4)).astype(np.float64)
    codes = np.array([0, 1, 2, 3])
    found = expected_scores(chances, codes)
    assert found.shape == (4, 4, 35, 3)
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, declarer, bid, doubling = (int(rng.integers(top)) for top in (4, 4, 35, 3))
        points = score(np.full(14, bid), doubling, declarer, codes[n], np.arange(14)) * (-1 if declarer & 1 else 1)
        mean = (chances[n, declarer, bid % 5] * points).sum()
        assert found[n, declarer, bid, doubling] == pytest.approx(mean, abs=0.02, rel=1e-4)


def test_other_arrays_are_refused(small):
    assert small.distribution(np.empty((0, 52), np.uint8)).shape == (0, 4, 5, 14)
    with pytest.raises(DealError):
        small.distribution(np.zeros((1, 52), np.uint8))
    with pytest.raises(ValueError, match=r"\(N, 4, 5, 14\)"):
        expected_scores(np.zeros((4, 5, 14)), 0)
    with pytest.raises(ValueError, match=r"0\.\.3"):
        expected_scores(np.zeros((1, 4, 5, 14)), 4)


def test_saved_estimators_load_the_same(tmp_path, small):
    path = tmp_path / "e.npz"
    save_estimator(TrickEstimator(small.weights, {"deals": 3}), path)
    again = load_estimator(path)
    assert again.trained == {"deals": 3}
    deals = random_deals(9, 0, 70)
    np.testing.assert_array_equal(again.distribution(deals), small.distribution(deals))
    first = path.read_bytes()
    save_estimator(again, path)
    assert path.read_bytes() == first


def test_other_files_are_refused(tmp_path, small):
    path = tmp_path / "e.npz"
    save_estimator(small, path)
    with np.load(path) as members:
        content = dict(members)
    header = json.loads(content["header"].tobytes())
    for change, message in (
        ({"format": "bridge-env policy"}, "not a bridge-env trick estimator file"),
        ({"version": 9}, "version is 9"),
    ):
        np.savez(path, **(content | {"header": np.frombuffer(json.dumps(header | change).encode(), np.uint8)}))
        with pytest.raises(FileError, match=rf"e\.npz: .*{message}"):
            load_estimator(path)
    with pytest.raises(FileError, match=r"none: there is no such file"):
        load_estimator(tmp_path / "none")


@pytest.fixture(scope="module")
def shipped():
    library = builtin_library()
    rows = library.split("judging")[:2000]
    return builtin_estimator().distribution(library.owners(rows)), library.tricks_at(rows)


def test_the_shipped_estimator_is_accurate(shipped):
    chances, tricks = shipped
    off = np.abs(quantile(chances, 0.5) - tricks)
    assert (off[:, :, :4] == 0).mean() > 0.65
    assert (off[:, :, :4] <= 1).mean() > 0.985
    assert (off[:, :, 4] == 0).mean() > 0.50
    assert (off[:, :, 4] <= 1).mean() > 0.92


def test_its_chances_are_calibrated(shipped):
    chances, tricks = shipped
    so = np.arange(14) == tricks[..., None]
    for low in np.arange(0, 1, 0.1):
        here = (chances >= low) & (chances < low + 0.1)
        assert here.sum() > 1000
        assert so[here].mean() == pytest.approx(chances[here].mean(), abs=0.03)


def test_estimated_boards_are_random_deals_with_the_estimators_distributions(small, monkeypatch):
    monkeypatch.setattr("bridge_env.envs.deals.builtin_estimator", lambda: small)
    key = np.repeat(np.uint64(5), 1)
    source = EstimatedDeals()
    one = source.draw(key, np.zeros(1, np.int64))
    again = source.draw(key, np.ones(1, np.int64))
    np.testing.assert_array_equal(one.tricks, again.tricks)
    assert one.tricks.shape == (1, 4, 5)
    keys = np.arange(4000, dtype=np.uint64)
    boards = source.draw(keys, np.zeros(4000, np.int64))
    chances = small.distribution(boards.owner)
    expected = chances.mean(axis=0)
    for declarer in range(4):
        for strain in range(5):
            seen = np.bincount(boards.tricks[:, declarer, strain], minlength=14) / 4000
            np.testing.assert_allclose(seen, expected[declarer, strain], atol=0.04)


def test_estimated_rewards_are_marked():
    for deals in ("estimated", "training"):
        single = gymnasium.make("bridge_env/Bidding-v0", learner="all", deals=deals)
        vector = gymnasium.make_vec("bridge_env/Bidding-v0", num_envs=3, learner="all", deals=deals)
        single.reset(seed=3)
        vector.reset(seed=3)
        for _ in range(4):
            _, reward, _, _, info = single.step(0)
            _, rewards, _, _, infos = vector.step(np.zeros(3, np.int64))
        assert rewards[0] == reward
        assert ("estimated" in info, "estimated" in infos) == (deals == "estimated",) * 2
