"""Kinds of situations: a table of auctions and what the next call is."""

import numpy as np
import pytest

from bridge_env.rules.calls import parse_call
from training.evaluation.situations import KINDS, kinds_of


def kind(auction):
    calls = [parse_call(word) for word in auction.split()]
    return KINDS[kinds_of(np.array([[*calls, -1]], np.int8), [len(calls)])[0]]


@pytest.mark.parametrize(
    ("auction", "expected"),
    [
        ("", "opening"),
        ("P P", "opening"),
        ("1H P", "response to one of a suit, undisturbed"),
        ("P P 1C P", "response to one of a suit, undisturbed"),
        ("1N P", "response to another opening, undisturbed"),
        ("2C P", "response to another opening, undisturbed"),
        ("1H P 2H P", "later calls of the opening side, undisturbed"),
        ("1H P 2H P 4H P", "later calls of the opening side, undisturbed"),
        ("1H", "directly over their one-level opening"),
        ("P 1N", "directly over their one-level opening"),
        ("2H", "over their higher opening"),
        ("1H P P", "they opened: later"),
        ("1H P 2H", "they opened: later"),
        ("1H 1S P", "advancing partner's overcall or double"),
        ("1H X 2H", "advancing partner's overcall or double"),
        ("1H P 2H X P", "advancing partner's overcall or double"),
        ("1H 1S 2H 2S P", "they opened: later"),
        ("1H 1S", "we opened, they came in: our first call after it"),
        ("1H X", "we opened, they came in: our first call after it"),
        ("1H P 1S 2C", "we opened, they came in: our first call after it"),
        ("1H 1S 2H P", "we opened, they came in: later"),
        ("1H 1S P P", "we opened, they came in: later"),
    ],
)
def test_golden(auction, expected):
    assert kind(auction) == expected
