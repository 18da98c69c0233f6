"""The study of the league's rewards: what it scores twice, and that it prints figures of a network."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from agents.networks.tables import Deals
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.calls import PASS, parse_call
from studies import rewards
from training.match.boards import library_boards


def test_rewards_are_imps_of_the_side_that_drew():
    boards = library_boards(40, 1, "training")
    deals = Deals.of(boards.owner, np.full((40, 4, 5), 9, np.int8), np.zeros(40, np.int16), np.zeros(40, np.int16))
    best, drawn = (
        Auctions.replay(np.array([[parse_call(bid), PASS, PASS, PASS]] * 40), deals.dealer, deals.vulnerability)
        for bid in ("1NT", "3NT")
    )
    side = (np.arange(40) % 2).astype(np.int8)
    np.testing.assert_array_equal(rewards._rewards(deals, best, drawn, side), np.where(side == 0, 6, -6))


def test_estimated_tricks_are_near_the_exact_ones():
    boards = library_boards(400, 1, "training")
    zero = np.zeros(400, np.int16)
    exact = Deals.of(boards.owner, boards.tricks, zero, zero)
    guessed = rewards._estimated(exact, streams.key("test", np.arange(400)))
    assert guessed.shape == exact.tricks.shape
    assert np.abs(guessed.astype(int) - exact.tricks).mean() < 1.2


def test_it_tells_of_networks_alone(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rewards", "policy:two-over-one", "--boards", "400"])
    rewards.main()
    assert "correlation 0." in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["rewards", "system:sayc"])
    with pytest.raises(SystemExit):
        rewards.main()
    assert "system:sayc is no network" in capsys.readouterr().err
