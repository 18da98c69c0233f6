"""Files of maps; the bidder, why it calls, what judges it, the pages, and the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.command import refused
from support.learners import CONFIG, record, small_atlas

from agents.maps.atlas import around, load, save
from agents.maps.bidder import MapBidder, read_atlas
from agents.maps.situations import ADVANCES, LATER, SITUATIONS
from agents.text_api import read_states
from bridge_env.hands.features import FEATURES
from bridge_env.rules.calls import call_text
from studies import maps_2007 as study
from studies.tables import run_study
from training.evaluation.boards import library_boards
from training.maps import fit, judge


@pytest.fixture(scope="module")
def atlas():
    return small_atlas()


@pytest.fixture(scope="module")
def held():
    return judge.teacher_examples("system:sayc", "system:sayc", "system:sayc", library_boards(60, 2, "judging"), 2)


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


# --- bidding -----------------------------------------------------------------------------------------------


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
    elsewhere = np.isin(passes.situation, (ADVANCES, LATER))
    assert elsewhere.any()
    assert (passes.call[elsewhere] == 0).all()
    assert (sayc.call[elsewhere] == held.called[elsewhere]).all()
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


# --- judging, pictures, the study --------------------------------------------------------------------------


def test_judgements_add_up(atlas, held):
    rows = {row.name: row for row in judge.calls_by_map(atlas, held)}
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


# --- the command -------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--side", "0"], "--side is 0: expected int >= 1"),
        (["--system", "nobody"], "no such system"),
    ],
)
def test_faulty_words(words, reason, capsys, tmp_path):
    assert reason in refused(capsys, "fit", "maps", *words, "--out", tmp_path)
