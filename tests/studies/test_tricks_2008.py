"""The study of 2008: what its networks see, blocks, Rprop, and a study of a few deals, stopped and resumed."""

import json

import numpy as np
import pytest

from bridge_env.hands.deals import parse_deal, rotate_deals
from studies.tricks_2008 import blocks, codings
from studies.tricks_2008 import rows as study_rows
from studies.tricks_2008.evaluation import DISTRIBUTIONAL, POINT_COUNTS, distributional, point_counts

pytest.importorskip("torch")

import torch

from bridge_env.double_dummy import builtin_library
from studies.tables import run_study
from studies.tricks_2008 import study
from training.runtime import runs

FEW = {"deals": 60, "epochs": 6}


@pytest.mark.parametrize("name", study_rows.ROWS)
def test_every_row_makes_a_network(name):
    row = study_rows.ROWS[name]
    network = blocks.BlockNetwork(row.architecture, row.tanh, seed=0)
    given = [torch.from_numpy(part) for part in codings.code(builtin_library().owners([0, 1, 2]), 3, row.parts)]
    assert network(given).shape == (3,)
    assert row.tanh == any((part < 0).any() for part in given)


def test_no_weight_goes_across_hands():
    """Units of a group change with their own hand's cards alone, up to the first layer that sees all."""
    network = blocks.BlockNetwork("(52x4)-(26x4)-(7x4)-13-1", tanh=False, seed=0)
    cards = torch.zeros(4, 1, 52)
    other = cards.clone()
    other[2] = 1.0
    for layer in network.layers[:2]:
        cards, other = (torch.sigmoid(layer([given])[0]) for given in (cards, other))
        changed = (cards != other).flatten(1)
        assert changed[2].all()
        assert not changed[[0, 1, 3]].any()
    assert (network.layers[2]([cards])[0] != network.layers[2]([other])[0]).all()
    assert not torch.equal(network.layers[0].weights[0][0], network.layers[0].weights[0][1])


def test_a_layer_that_sees_all_equals_a_dense_layer():
    network = blocks.BlockNetwork("(3x2+4)-5-1", tanh=True, seed=1)
    hands, beside = torch.randn(2, 7, 3), torch.randn(1, 7, 4)
    layer = network.layers[0]
    dense = torch.cat([layer.weights[0].flatten(0, 1), layer.weights[1][0]])
    flat = torch.cat([hands.transpose(0, 1).flatten(1), beside[0]], dim=1)
    torch.testing.assert_close(layer([hands, beside])[0][0], flat @ dense + layer.biases[0][0])


def test_rprop_solves_a_toy_and_keeps_the_best_weights():
    """Exclusive or of two inputs, which no network without a hidden layer can say."""
    inputs = np.array([[[0, 0], [0, 1], [1, 0], [1, 1]]], np.float32)
    toy = blocks.Examples([torch.from_numpy(inputs)], torch.tensor([0.1, 0.9, 0.9, 0.1]))
    network = blocks.BlockNetwork("2-4-1", tanh=False, seed=0)
    fit = blocks.train(network, toy, toy, epochs=400)
    outputs = blocks.predict(network, toy)
    torch.testing.assert_close(outputs, toy.outputs, atol=0.05, rtol=0)
    assert fit.best_error == pytest.approx(float((outputs - toy.outputs).square().mean()), rel=1e-3)


def test_tricks_go_out_and_back():
    tricks = np.arange(14)
    outputs = study.outputs_of(tricks)
    np.testing.assert_allclose(outputs[[0, 13]], [0.1, 0.9], rtol=1e-6)
    np.testing.assert_array_equal(study.tricks_of(outputs + 0.03), tricks)
    np.testing.assert_array_equal(study.tricks_of([-1.0, 1.0]), [0, 13])


def test_figures_by_hand():
    estimates, truth = np.array([7, 7, 7, 7], np.int8), np.array([7, 8, 5, 10], np.int8)
    plain = study.figures(estimates, truth, 4)
    assert (plain["within_two"], plain["within_one"], plain["exact"]) == (75, 50, 25)
    assert plain["exact_error"] == pytest.approx(100 * np.sqrt(0.25 * 0.75 / 3))
    pairs = study.figures(estimates, truth, 2)  # deals 7, 8 and, turned, 5, 10
    assert pairs["exact"] == 25
    assert pairs["exact_error"] == pytest.approx(25)


def test_a_study_goes_on_where_it_stopped(tmp_path, monkeypatch):
    study.run(tmp_path, ["1-1"], 1, **FEW)
    first = study.results(tmp_path)
    assert [job.name for job in first] == ["1-1-nt", "1-1-spades"]
    assert next(iter(first.values()))["figures"]["deals"] == len(builtin_library().split("judging"))
    trained = []
    train = study.train
    monkeypatch.setattr(study, "train", lambda *args: trained.append(args) or train(*args))
    study.run(tmp_path, ["1-1", "4-1"], 1, **FEW)
    assert list(study.results(tmp_path).items())[:2] == list(first.items())
    assert len(trained) == 2  # both of 4-1
    with pytest.raises(runs.RunError, match="name another"):  # a table must not mix settings
        study.run(tmp_path, ["20-1"], 1, deals=60, epochs=7)


@pytest.mark.weekly
@pytest.mark.slow
def test_workers_do_not_change_figures(tmp_path):
    found = []
    for workers in (1, 2):
        study.run(tmp_path / str(workers), ["1-1", "52x4-13"], workers, **FEW)
        found.append(list(study.results(tmp_path / str(workers)).values()))
    for record in (*found[0], *found[1]):
        del record["fit"]["seconds"]
    assert found[0] == found[1]


def test_the_command_writes_the_table(tmp_path, capsys):
    words = ["--out", str(tmp_path), "--deals", "60", "--epochs", "6", "--workers", "1"]
    run_study("studies.tricks_2008", study.repeat, [*words, "--rows", "1-1", "20-10-5-1"])
    assert "of 5 networks are exact as often as published" in capsys.readouterr().out
    page = (tmp_path / "tables.md").read_text()
    for job in study_rows.jobs(["1-1", "20-10-5-1"]):
        assert f"| {job.row.inputs} |" in page
        assert f"{job.published[2]:.2f} |" in page
    assert (tmp_path / "study.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "results.json").read_text())["networks"] == list(study.results(tmp_path).values())


# North holds the spades, East the hearts, South the diamonds, West the clubs.
SUITS = parse_deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")[None]
DEAL = parse_deal("N:K96.J53.75.QJ765 AQ7.KQT.932.K943 T54.A9762.KJ6.T2 J832.84.AQT84.A8")[None]
SPADES, CLUB_TWO, SPADE_ACE, HEART_ACE, DIAMOND_ACE = 3, 0, 51, 38, 25


def code(part, owner=DEAL, strain=SPADES):
    return codings.code(owner, strain, [part])[0]


def test_26x4_is_each_hands_cards_as_rank_and_suit():
    one = code("26x4", SUITS)
    assert one.shape == (4, 1, 26)
    assert one.dtype == np.float32
    ranks = np.linspace(0.9, 0.1, 13)
    for seat, suit in enumerate((0.3, 0.5, 0.7, 0.9)):
        np.testing.assert_allclose(one[seat, 0, 0::2], ranks, atol=1e-6)
        np.testing.assert_allclose(one[seat, 0, 1::2], suit)
    north = code("26x4")[0, 0]  # K96.J53.75.QJ765
    np.testing.assert_allclose(north[:6:2], [0.9 - 0.8 / 12, 0.1 + 7 * 0.8 / 12, 0.1 + 4 * 0.8 / 12], atol=1e-6)
    np.testing.assert_allclose(north[1::2], [0.3] * 3 + [0.5] * 3 + [0.7] * 2 + [0.9] * 5)


@pytest.mark.parametrize(
    ("part", "nesw"), [("52a", (1, -0.8, 0.8, -1)), ("52b", (1, -1, 0.8, -1)), ("52c", (1, -1, 1, -1))]
)
def test_52_is_a_number_for_each_owner(part, nesw):
    one = code(part, SUITS)
    assert one.shape == (1, 1, 52)
    for card, value in zip((SPADE_ACE, HEART_ACE, DIAMOND_ACE, CLUB_TWO), nesw, strict=True):
        assert one[0, 0, card] == np.float32(value)


def test_104_has_the_pair_and_the_hand_of_it():
    one = code("104", SUITS)[0, 0]
    pairs, hands = one[:52], one[52:]
    aces = [SPADE_ACE, HEART_ACE, DIAMOND_ACE, CLUB_TWO]  # of N E S W
    np.testing.assert_array_equal(pairs[aces], [1, 0, 1, 0])
    np.testing.assert_array_equal(hands[aces], [1, 0, 0, 1])


def test_52x4_has_a_group_for_each_hand():
    one = code("52x4")
    assert one.shape == (4, 1, 52)
    np.testing.assert_array_equal(one.sum(axis=2), 13)
    np.testing.assert_array_equal(one.argmax(axis=0)[0], DEAL[0])


def test_methods_are_the_hands_values_to_scale():
    north = (DEAL == 0).astype(bool)
    work = code("work")[0, 0] * 20
    np.testing.assert_allclose(work, [7, 14, 8, 11], atol=1e-5)  # K J QJ; AQ KQ K; A KJ; J AQ A
    np.testing.assert_allclose(code("work NS")[0, 0] * 40, [15], atol=1e-5)
    lengths = code("20")[0, 0, 4:].reshape(4, 4) * 13  # C D H S
    np.testing.assert_allclose(lengths, [[5, 2, 3, 3], [4, 3, 3, 3], [2, 3, 5, 3], [2, 5, 2, 4]], atol=1e-5)
    points = code("points")[0, 0, :9] * [codings.SCALES[name] for name in POINT_COUNTS]
    np.testing.assert_allclose(points, point_counts(north)[0], rtol=1e-6)
    for strain in (3, 4):
        shape = code("shape", strain=strain)[0, 0, :8] * [codings.SCALES[name] for name in DISTRIBUTIONAL]
        np.testing.assert_allclose(shape, distributional(north, strain)[0], rtol=1e-6)


def test_the_exchange_turns_each_deal_by_half():
    """East's hand comes to West, who leads; the tricks are North's, who then declares in South's place."""
    tricks = np.arange(20, dtype=np.int8).reshape(1, 4, 5) % 14
    plain, wanted = codings.examples(DEAL, tricks, SPADES, exchange=False)
    np.testing.assert_array_equal(plain, DEAL)
    assert wanted.tolist() == [tricks[0, 2, SPADES]]
    both, wanted = codings.examples(DEAL, tricks, SPADES, exchange=True)
    np.testing.assert_array_equal(both, np.concatenate([DEAL, rotate_deals(DEAL, 2)]))
    assert wanted.tolist() == [tricks[0, 2, SPADES], tricks[0, 0, SPADES]]
    hands = code("52x4", both)
    np.testing.assert_array_equal(hands[3, 1], hands[1, 0])  # West, turned, is East
    np.testing.assert_array_equal(hands[2, 1], hands[0, 0])


def test_architectures_are_read():
    assert blocks.parse("(52x4+84)-(13x4+21)-26-1") == [((4, 52), (1, 84)), ((4, 13), (1, 21)), ((1, 26),), ((1, 1),)]
    for wrong in ("52x-1", "52-(13x4)-1", "(52x4)-(13x3)-1"):
        with pytest.raises(ValueError, match="52"):
            blocks.parse(wrong)


def test_the_table_of_the_study():
    wanted = study_rows.jobs()
    assert len(wanted) == 16 * 2 + 3 + 8
    assert len({job.name for job in wanted}) == len(wanted)
    best = next(job for job in wanted if job.name == "52x4-26-spades-exchanged")
    assert best.published == (99.88, 96.48, 53.11)
    assert [job.name for job in study_rows.jobs(["104+68"])] == ["104+68-spades", "104+68-spades-exchanged"]


def test_a_wrong_row_is_refused_with_a_list_of_rows():
    with pytest.raises(ValueError, match="no row '52x5'; choose among: 26x4, 52a"):
        study_rows.jobs(["52x5"])
