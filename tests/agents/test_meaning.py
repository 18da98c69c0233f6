"""What a network's calls mean: ranges that are what the hands hold, found again after any auction."""

from dataclasses import replace

import numpy as np
import pytest
from support.command import refused
from support.learners import random_networks

from agents.networks import explain, meaning
from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.shipped import read_networks, shipped_networks
from agents.text_api import read_states
from bridge_env.io.weights import WeightsError
from training.cli.app import main
from training.networks import meaning_fit


@pytest.fixture(scope="module")
def measured():
    bidder = NetworkBidder(read_networks("standard"))
    return bidder, meaning_fit.measure(bidder, 6_000, 1)


def test_keys_are_those_of_the_auction_and_no_other():
    keys = meaning.auction_keys(np.array([[3, 0, 8], [3, 0, 8], [3, 8, 0]], np.int8))
    np.testing.assert_array_equal(keys[0], keys[1])
    assert keys[0, 0] == keys[2, 0]
    assert len(np.unique(keys)) == 5
    np.testing.assert_array_equal(meaning.auction_keys(np.array([[3, 0]], np.int8))[0], keys[0, :2])


def test_nine_hands_in_ten_keep_to_the_ranges(measured):
    bidder, found = measured
    assert (np.diff(found.key.astype(object)) > 0).all()
    assert (found.count >= meaning_fit.LEAST).all()
    assert (found.ranges[..., 0] <= found.ranges[..., 1]).all()
    known, inside = meaning_fit.coverage(bidder, found, 3_000, 9)
    assert known > 0.1
    assert inside > 0.88


def test_an_opening_shows_what_it_promises(measured, tmp_path):
    """One spade by Standard American: five spades and an opening hand."""
    bidder, found = measured
    view, _ = read_states([{"hand": "K84.AQ94.T72.J65", "auction": ["1S", "Pass"]}])
    bidder = replace(bidder, path=tmp_path / "n.npz")
    meaning.save(found, meaning.path_beside(bidder.path))
    left, partner, right = explain.shown(bidder, view)
    assert "no call yet" in left
    low, _ = partner.split()[1].split("-")
    assert int(low) >= 10
    assert ", 5-" in partner
    assert right != left


def test_the_file(tmp_path, measured):
    _, found = measured
    meaning.save(found, tmp_path / "n.meanings.npz")
    again = meaning.load(tmp_path / "n.meanings.npz")
    np.testing.assert_array_equal(again.ranges, found.ranges)
    assert again.measured == {"boards": 6_000, "seed": 1}
    assert meaning.path_beside(tmp_path / "n.npz") == tmp_path / "n.meanings.npz"
    assert meaning.meanings_of(tmp_path / "other.npz") is None
    (tmp_path / "n.meanings.npz").write_bytes(b"PK nothing")
    with pytest.raises(WeightsError):
        meaning.load(tmp_path / "n.meanings.npz")


def test_the_command_and_the_explanation_after_it(tmp_path, capsys):
    networks_file.save(random_networks(), tmp_path / "n.npz")
    spec = f"policy:{tmp_path / 'n.npz'}"
    assert main(["fit", "meanings", spec, "--boards", "300"]) == 0
    assert "n.meanings.npz" in capsys.readouterr().out
    for name in (spec, f"pair:{spec},pass"):
        assert main(["bid", name, "--hand", "AQT72.A4.Q2.T753", "--auction", "1S P"]) == 0
    output = capsys.readouterr().out
    assert "considers" in output
    assert "shown     W" in output
    assert "system:sayc" in refused(capsys, "fit", "meanings", "system:sayc")
    assert "--boards" in refused(capsys, "fit", "meanings", spec, "--boards", "0")


def test_meanings_are_no_networks():
    assert not any("meanings" in name for name in shipped_networks())
