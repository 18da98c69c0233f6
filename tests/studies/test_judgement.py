"""A system that lets a network decide in some positions: which positions those are, and that no others are touched."""

from __future__ import annotations

import numpy as np
import pytest

from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.calls import parse_call
from bridge_env.view import view_of
from studies.judgement import KINDS, Mixed, _position
from training.match.boards import library_boards
from training.match.match import play


def kinds_of(calls, general=False, system="P", network="P"):
    """The kinds of the position after some calls, North the dealer."""
    auctions = Auctions(np.zeros(1, np.int16), np.zeros(1, np.int16))
    for call in calls.split():
        auctions.step(np.array([parse_call(call)], np.int8), np.arange(1))
    view = view_of(auctions, library_boards(1, 1, "training").owner, np.arange(1))
    made_by = np.array([2 if general else 1], np.int8)
    called = (np.array([parse_call(call)], np.int8) for call in (system, network))
    position = _position(view, made_by, *called)
    return {name for name, kind in KINDS.items() if kind(position)[0]} - {"all", "a line of the tree would call"}


def test_kinds():
    assert kinds_of("") == {"openings"}
    assert kinds_of("P P P") == {"openings"}
    assert kinds_of("1H P") == {"first responses, they pass"}
    assert kinds_of("1H P 2H P") == {"later calls, they pass"}
    assert kinds_of("1H") == {"they opened, our first call"}
    assert kinds_of("1H 1S") == {"we opened, they came in"}
    assert kinds_of("1H X P") == {"they opened, later calls"}
    assert kinds_of("1H", system="P", network="X") == {
        "they opened, our first call", "the system passes, the network acts", "either doubles"
    }  # fmt: skip
    told = kinds_of("1H 1S", general=True, system="X", network="P")
    assert {"a general rule would call", "a general rule would call, and they have bid"} <= told
    assert "the system acts, the network passes" in told


@pytest.mark.parametrize(("kind", "same"), [(None, "system:champion"), ("all", "policy:by-the-book")])
def test_with_no_kind_it_is_the_system_and_with_all_the_network(kind, same):
    mixed = Mixed(make("policy:by-the-book"), KINDS[kind] if kind else None)
    result = play(mixed, make(same), library_boards(200, 5, "training"))
    assert not result.imps.any()
    assert (mixed.left > 0) == (kind is not None)


def test_elsewhere_it_bids_as_its_system():
    mixed = Mixed(make("policy:by-the-book"), KINDS["openings"])
    boards = library_boards(300, 6, "training")
    result = play(mixed, make("system:champion"), boards)
    alike = np.abs(result.imps) == 0
    assert alike.mean() > 0.8  # few openings differ
    assert mixed.left < 0.2 * 4 * len(boards)
