"""Self-organizing maps: learning, situations, inputs; files, the bidder, the pages, the study and the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.learners import CONFIG, record, small_atlas

from agents.maps.atlas import around, load, save
from agents.maps.bidder import MapBidder, read_atlas
from agents.maps.inputs import ADVANCES, COLUMNS, LATER, SITUATIONS, rows_of, situation
from agents.text_api import read_states
from bridge_env.bidders import registry
from bridge_env.hands.features import FEATURES
from bridge_env.rules.calls import call_text
from studies import maps_2007 as study
from studies.tables import run_study
from training.evaluation.boards import library_boards
from training.maps import fit
from training.maps.learning import (
    batch_step,
    best_matching,
    discriminant,
    first_units,
    neighbourhood,
    published_metric,
    train_units,
)


@pytest.fixture(scope="module")
def atlas():
    return small_atlas()


@pytest.fixture(scope="module")
def held():
    return fit.teacher_examples("system:sayc", "system:sayc", "system:sayc", library_boards(60, 2, "judging"), 2)


def test_the_same_seed_makes_the_same_bytes(atlas, tmp_path):
    save(atlas, tmp_path / "a.npz")
    save(fit.from_system(CONFIG), tmp_path / "b.npz")
    save(load(tmp_path / "a.npz"), tmp_path / "c.npz")
    save(fit.from_system(replace(CONFIG, seed=2)), tmp_path / "d.npz")
    first = (tmp_path / "a.npz").read_bytes()
    assert (tmp_path / "b.npz").read_bytes() == first == (tmp_path / "c.npz").read_bytes()
    assert (tmp_path / "d.npz").read_bytes() != first
    assert read_atlas(tmp_path / "a.npz") is read_atlas(tmp_path / "a.npz")


def test_units_hold_the_examples(atlas, held):
    """Each hand is counted once, at its best-matching unit."""
    for k, one in atlas.maps.items():
        assert one.calls.sum() <= fit.MOST
        assert one.unit.shape[0] == one.rows * one.columns <= CONFIG.side**2
        total = one.calls.sum(axis=1)
        np.testing.assert_allclose(one.hand[total > 0, :4].sum(axis=1), 13, atol=1e-4)
        assert (one.hand[total == 0] == 0).all()
        assert k in range(len(SITUATIONS))
    naive = atlas.maps[0]
    place = naive.unit[[3, 1]] + np.array([[1], [0]], np.int16)
    squared = ((naive.unit[None].astype(int) - place[:, None]) ** 2).sum(axis=2)
    assert naive.best(place).tolist() == squared.argmin(axis=1).tolist()


def test_calls_are_the_units_legal_majority(atlas, held):
    found = MapBidder(atlas).consult(held.view)
    assert held.view.mask[np.arange(len(held)), found.call].all()
    for row in range(0, len(held), 17):
        count = atlas.maps[int(found.situation[row])].calls[found.unit[row]] * held.view.mask[row]
        if count.any():
            assert count[found.call[row]] == count.max()  # ties: by the units around
            assert found.share[row] == count.max() / atlas.maps[int(found.situation[row])].calls[found.unit[row]].sum()
        else:
            assert np.isnan(found.share[row])
    assert (found.call == held.called).mean() > 0.55


def test_neighbours_speak_for_an_empty_unit(atlas):
    one = atlas.maps[0]
    calls = np.zeros((9, 38), np.int32)
    calls[0, 5], calls[8, 7], calls[4, 3] = 2, 3, 1
    small = replace(one, rows=3, columns=3, unit=one.unit[:9], calls=calls, hand=one.hand[:9])
    assert small.votes.argmax(axis=1)[[0, 4, 8, 5]].tolist() == [5, 3, 7, 7]
    assert around(calls, 3, 3)[4, [3, 5, 7]].tolist() == [0, 2, 3]


def test_a_fallback_calls_where_there_is_no_map(atlas, held):
    six = {k: one for k, one in atlas.maps.items() if k not in (ADVANCES, LATER)}
    passes = MapBidder(replace(atlas, maps=six)).consult(held.view)
    sayc = MapBidder(replace(atlas, maps=six, fallback="system:sayc")).consult(held.view)
    drawn = MapBidder(replace(atlas, maps=six, fallback="random")).consult(held.view)  # any bidder will do
    elsewhere = np.isin(passes.situation, (ADVANCES, LATER))
    assert elsewhere.any()
    assert (passes.call[elsewhere] == 0).all()
    assert (sayc.call[elsewhere] == held.called[elsewhere]).all()
    assert held.view.mask[elsewhere, drawn.call[elsewhere]].all()
    assert (passes.unit[elsewhere] == -1).all()
    np.testing.assert_array_equal(passes.call[~elsewhere], sayc.call[~elsewhere])


def test_why(atlas, tmp_path):
    view, key = read_states([{"hand": "AKQ2.T98.J7.A543"}])
    bidder = MapBidder(atlas)
    call, because, hands, sure = bidder.explain(view, key).splitlines()
    assert call == call_text(int(bidder.bid(view, key)[0]))
    assert "the map of openings" in because
    assert f"{call} {sure.split(chr(58))[-1].split()[0]}" in hands.partition("calls: ")[2]
    none = MapBidder(replace(atlas, maps={LATER: atlas.maps[LATER]})).explain(view, key)
    assert none.splitlines()[0] == "Pass"
    assert "no map of openings" in none


def test_judgements_add_up(atlas, held):
    rows = {row.name: row for row in fit.calls_by_map(atlas, held)}
    bins = study.by_sureness(atlas, held, "system:two-over-one")
    assert rows["all calls"].calls == len(held) == sum(b.calls for b in bins)
    assert sum(rows[name].calls for name in SITUATIONS if name in rows) == len(held)
    assert sum(b.right for b in bins) == rows["all calls"].right
    stated = [b.stated for b in bins if b.stated]
    assert stated == sorted(stated)


def test_boards_of_the_study():
    boards = study.no_trump_boards(150, 1)
    f = study.deal_features(boards.owner)[np.arange(150), boards.dealer]
    assert ((f[:, FEATURES["hcp"]] >= 15) & (f[:, FEATURES["hcp"]] <= 17) & (f[:, FEATURES["balanced"]] == 1)).all()
    assert boards.share_in_training() == 0
    assert len(set(boards.dealer.tolist())) == 4
    np.testing.assert_array_equal(study.no_trump_boards(24, 1).owner, boards.owner[:24])
    from bridge_env.double_dummy.library import builtin_library

    np.testing.assert_array_equal(builtin_library().tables_of(boards.owner[:40]), boards.tricks[:40])


def test_a_fit_and_the_study(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(study.no_trump_matches, "__defaults__", (60,))
    config = replace(CONFIG, side=6)
    result = fit.fit_maps(config, [record(tmp_path, 40, 80)], tmp_path / "recorded")
    assert result.calls[0].name == "all calls"
    assert [match.opponent for match in result.matches] == ["pass", "system:sayc"]
    text = (tmp_path / "recorded" / "results.json").read_text()
    assert json.loads(text)["calls"][0]["right"] == result.calls[0].right
    assert str(tmp_path) not in text
    save(small_atlas(), tmp_path / "taught.npz")
    out = tmp_path / "study"
    files = [str(result.file), str(tmp_path / "taught.npz")]
    run_study("studies.maps_2007", study.repeat, [*files, "--match-boards", "10", "--out", str(out)])
    page = (out / "tables.md").read_text()
    assert "| recorded auctions | published | system:sayc |" in page
    assert "| six maps, else pass against system:sayc |" in page
    assert (out / "maps-2.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(SystemExit):
        run_study("studies.maps_2007", study.repeat, [str(tmp_path / "none.npz")])
    assert "there is no such file" in capsys.readouterr().err


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
