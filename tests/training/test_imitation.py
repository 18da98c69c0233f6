"""Recorded auctions: how far a bidder agrees with them, and ``bridge-env fit policy``, which learns them."""

import json

import numpy as np
import pytest
import torch
from support.places import SHARED

from agents.networks import file as networks_file
from agents.networks.network import Network
from agents.networks.shipped import role
from bridge_env.hands.canonical import is_judging
from bridge_env.hands.deals import random_deals
from bridge_env.records.board import Board
from bridge_env.records.pbn import write_boards
from training.cli.app import main
from training.configs import ImitationConfig
from training.evaluation.boards import BoardsError
from training.evaluation.duplicate import match
from training.evaluation.recorded_calls import agreement, share_table
from training.networks.fit_policy import calls_of, fit_policy, held_out, imitate, read_auctions


def test_held_out_deals_are_the_judging_ones_and_some_more():
    owner = random_deals(1, 0, 4_000)
    out = held_out(owner)
    assert out[is_judging(owner)].all()
    assert 0.03 < out[~is_judging(owner)].mean() < 0.07


def test_calls_are_what_was_recorded():
    read = read_auctions(["system:sayc"], boards=50)
    calls = calls_of(read)
    assert len(calls) == (read.history >= 0).sum()
    np.testing.assert_array_equal(calls.called, read.history[read.history >= 0])
    assert calls.mask[np.arange(len(calls)), calls.called].all()


def test_records_and_a_bidder_join(tmp_path):
    read = read_auctions(["system:sayc"], boards=20)
    boards = [
        Board(read.owner[i], int(read.dealer[i]), int(read.vulnerability[i]), i + 1,
              tuple(int(c) for c in read.history[i] if c >= 0))
        for i in range(20)
    ]  # fmt: skip
    write_boards(tmp_path / "b.pbn", boards)
    (tmp_path / "empty.pbn").write_text("% nothing here\n")
    joined = read_auctions([str(tmp_path / "b.pbn"), "system:sayc", str(tmp_path / "empty.pbn")], boards=30)
    assert len(joined) == 50
    np.testing.assert_array_equal(joined.owner[:20], read.owner)
    assert any("empty.pbn" in problem for problem in joined.problems)
    with pytest.raises(BoardsError, match="no board"):
        read_auctions([str(tmp_path / "empty.pbn")])


@pytest.mark.slow
def test_a_network_learns_the_calls_of_a_system(tmp_path):
    """A small network from 1,500 boards of sayc: most of its openings are sayc's, on deals held out."""
    config = ImitationConfig(layers="32", epochs=3, batch=128, learning_rate=0.005)
    result = fit_policy(config, ["system:sayc"], tmp_path, boards=1500)
    found = {share.name: share for share in result.rows}
    assert found["openings"].right > 0.7 * found["openings"].calls
    assert found["all calls"].calls > 300
    assert isinstance(networks_file.load(result.policy).policy, Network)
    assert "| openings |" in result.report.read_text()


def test_a_stopped_fit_goes_on_to_the_same_weights(tmp_path):
    torch.set_num_threads(1)
    calls = calls_of(read_auctions(["system:sayc"], boards=200))
    config = ImitationConfig(layers="16", epochs=3, batch=256)
    once, part = tmp_path / "once", tmp_path / "part"
    once.mkdir(), part.mkdir()
    one, _ = imitate(config, calls, once)

    class Stop(Exception):
        pass

    def stop(share, loss):
        if share > 0.5:
            raise Stop

    with pytest.raises(Stop):
        imitate(config, calls, part, progress=stop)
    shares = []
    again, _ = imitate(config, calls, part, progress=lambda share, loss: shares.append(share))
    assert shares[0] == 2 / 3  # two of three epochs were done
    for a, b in zip(one.layers, again.layers, strict=True):
        np.testing.assert_array_equal(a.weight, b.weight)
        np.testing.assert_array_equal(a.bias, b.bias)
    with pytest.raises(ValueError, match="other settings"):
        imitate(ImitationConfig(layers="16", epochs=4, batch=256), calls, part)


def test_the_command_prints_the_agreement_and_the_file_names_the_command(tmp_path, capsys):
    words = ["fit", "policy", "system:sayc", "--boards", "100", "--out", str(tmp_path), "--layers", "32"]
    assert main([*words, "--role", "gatekeeper"]) == 0
    assert "| openings |" in capsys.readouterr().out
    networks = networks_file.load(tmp_path / "policy.npz")
    assert role(networks) == "gatekeeper"
    assert networks.trained["by"].startswith("bridge-env fit policy system:sayc --boards 100 --role gatekeeper")
    assert str(tmp_path) not in json.dumps(dict(networks.trained))


WBRIDGE5 = SHARED / "wbridge5.pbn.gz"


@pytest.fixture
def sayc_record(tmp_path):
    """Sixty boards as ``system:sayc`` bids them at all four seats."""
    result = match("system:sayc", "system:sayc", 60, 4)
    boards = result.boards
    history = result.tables[0].history
    path = tmp_path / "sayc.pbn"
    write_boards(
        path,
        [
            Board(boards.owner[i], int(boards.dealer[i]), int(boards.vulnerability[i]), number=i + 1,
                  auction=tuple(int(c) for c in history[i] if c >= 0))
            for i in range(60)
        ],
    )  # fmt: skip
    return path, history


@pytest.mark.parametrize("rounds", ["openings", "all"])
def test_a_bidder_agrees_with_itself(sayc_record, rounds):
    found, problems = agreement("system:sayc", [sayc_record[0]], rounds)
    assert found[0].right == found[0].calls >= 60
    assert found[0].right_bids == found[0].bids > 0
    assert "| 100.0 ± 0.0 |" in share_table(found)[2]
    assert not problems


def test_positions_are_counted(sayc_record):
    path, history = sayc_record
    calls = int((history >= 0).sum())
    passes = int((history == 0).sum())
    found = agreement("pass", [path], "all")[0][0]
    assert (found.calls, found.right, found.bids, found.right_bids) == (calls, passes, calls - passes, 0)
    (opened,) = agreement("pass", [path], "openings")[0]
    first_bid = np.where((history >= 3).any(axis=1), (history >= 3).argmax(axis=1), 3)
    assert opened.calls == int((first_bid + 1).sum())


def test_a_file_without_an_auction_is_an_error(tmp_path):
    path = tmp_path / "deals.pbn"
    write_boards(path, [Board(random_deals(0, 0, 1)[0], 0, 0, number=1)])
    with pytest.raises(BoardsError, match="no board has both"):
        agreement("pass", [path])


@pytest.mark.weekly
@pytest.mark.slow
@pytest.mark.skipif(not WBRIDGE5.exists(), reason="the recorded boards of WBridge5 are not at hand")
def test_sayc_opens_as_wbridge5_does():
    (found,) = agreement("system:sayc", [WBRIDGE5])[0]
    assert found.calls > 14_000
    assert found.right > 0.89 * found.calls
