"""Self-organizing maps: the published update by hand, many examples at a time, situations, inputs, the metric."""

import numpy as np
import pytest

from agents.maps.inputs import COLUMNS, rows_of
from agents.maps.situations import SITUATIONS, situation
from agents.text_api import read_states
from bridge_env.bidders import registry
from training.maps.learning import (
    batch_step,
    best_matching,
    discriminant,
    first_units,
    neighbourhood,
    published_metric,
    train_units,
)

HAND = "AKQ2.T98.J7.A543"


def states(*auctions, hand=HAND):
    return read_states([{"hand": hand, "auction": auction.split()} for auction in auctions])[0]


def updated_by_one(units, grid, example, rate, radius):
    """Return the units (U, E) after one example (E,), as published."""
    best = int(((units - example) ** 2).sum(axis=1).argmin())
    row, column = best // grid[1], best % grid[1]
    near = np.outer(
        neighbourhood(np.arange(grid[0]) - row, radius), neighbourhood(np.arange(grid[1]) - column, radius)
    ).ravel()
    return units + rate * near[:, None] * (example - units)


# --- learning ----------------------------------------------------------------------------------------------


def test_a_batch_is_its_examples_in_turn_where_they_are_equal():
    """One example, and the same example twice: as published, once or twice."""
    rng = np.random.default_rng(1)
    units, example = rng.normal(size=(20, 3)), rng.normal(size=3)
    for radius in (0.5, 3.0):
        once = updated_by_one(units, (4, 5), example, 0.3, radius)
        np.testing.assert_allclose(batch_step(units, (4, 5), example[None], 0.3, radius), once, atol=1e-9)
    twice = updated_by_one(once, (4, 5), example, 0.3, 3.0)
    np.testing.assert_allclose(batch_step(units, (4, 5), np.stack([example] * 2), 0.3, 3.0), twice, atol=1e-9)


def test_first_units_span_the_main_directions():
    rng = np.random.default_rng(3)
    examples = rng.normal(size=(500, 3)) * [1.0, 10.0, 0.1]
    units = first_units(examples, (4, 7)).reshape(4, 7, 3)
    assert np.ptp(units[0, :, 1]) > 30  # the longer side goes with the greater spread
    assert np.ptp(units[:, 0, 0]) > 3
    assert np.ptp(units[:, :, 2]) < 0.5
    assert first_units(np.ones((5, 1)), (2, 2)).tolist() == [[1.0]] * 4


@pytest.mark.parametrize("batch", [1, 64])
def test_a_map_unfolds(batch):
    """Two groups of points end in different halves of the grid, and near units are alike."""
    rng = np.random.default_rng(4)
    examples = np.concatenate([rng.normal(-5, 1, (300, 2)), rng.normal(5, 1, (300, 2))])
    decay = (0.5, 0.05), (3.0, 0.5)
    units = train_units(examples, (6, 6), *decay, passes=3, batch=batch, key=1)
    best = best_matching(units, examples)
    assert not set(best[:300].tolist()) & set(best[300:].tolist())
    assert np.sqrt(((units[best] - examples) ** 2).sum(axis=1)).mean() < 0.7
    again = train_units(examples, (6, 6), *decay, passes=3, batch=batch, key=1)
    np.testing.assert_array_equal(again, units)
    assert (train_units(examples, (6, 6), *decay, passes=3, batch=batch, key=2) != units).any()


# --- which map, and what it sees ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auction", "name"),
    [
        ("", "openings"), ("P P P", "openings"),
        ("1NT P", "responses to no trump"), ("P P 2NT X", "responses to no trump"),
        ("1S P", "responses to suits"), ("1S 2H", "responses to suits"), ("P P 3D P", "responses to suits"),
        ("1S", "overcalls"), ("1S P 2S", "overcalls"), ("1S P P", "overcalls"), ("P 1NT", "overcalls"),
        ("1S P P P P".replace(" P P P P", " P 2S P P"), "overcalls"),
        ("1S P 2S P", "opener's rebids"), ("1NT X P P", "opener's rebids"), ("1S 2H P P", "opener's rebids"),
        ("1C P 1S P 2S P", "responder's rebids"), ("1C P 1H 1S 2C X", "responder's rebids"),
        ("1S X P", "advances"), ("1S 2H P", "advances"), ("1S P 2S X P", "advances"),
        ("1C P 1S P 2S P 3S P", "later calls"), ("1S 2H 2S P P", "later calls"),
    ],
)  # fmt: skip
def test_situations(auction, name):
    assert SITUATIONS[situation(states(auction))[0]] == name


def test_published_inputs_by_hand():
    view = states("1H 2D P 3D")
    shown = registry.make("system:sayc").meaning(view)
    row = dict(zip(COLUMNS, rows_of(view, shown, "published")[0].tolist(), strict=True))
    assert [row[name] for name in ("C", "D", "H", "S", "hcp")] == [4, 2, 3, 4, 14]
    assert [row["last level"], row["last D"], row["last H"], row["ours"]] == [3, 1, 0, 0]
    assert [row["mine level"], row["mine H"], row["partner level"]] == [1, 1, 0]
    assert row["shown H"] == 5
    assert row["they show D"] >= 5
    assert row["doubled"] == 0
    assert dict(zip(COLUMNS, rows_of(states("1H X"), shown, "published")[0], strict=True))["doubled"] == 1


def test_the_metric_separates_calls():
    """Of twenty columns of noise and one that decides the call, that one counts."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 20, (2000, 21)).astype(np.int16)
    called = np.where(rows[:, 7] > 9, 3, 0).astype(np.int8)
    metric = discriminant(rows, called, 8)
    assert metric.shape == (21, 1)
    assert np.abs(metric[:, 0]).argmax() == 7
    assert np.abs(metric[7]) > 10 * np.delete(np.abs(metric), 7, 0).max()
    assert published_metric().shape[0] == len(COLUMNS)
    assert discriminant(rows, np.zeros(2000, np.int8), 8).shape == (21, 1)  # always the same call
