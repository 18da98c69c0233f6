"""Kinds of situations: a table of auctions and what the next call is."""

import numpy as np
import pytest

from bridge_env.rules.calls import parse_call
from training.evaluation.situations import KINDS, kinds_of

NEXT = {
    "opening": ["", "P P"],
    "response to one of a suit, undisturbed": ["1H P", "P P 1C P"],
    "response to another opening, undisturbed": ["1N P", "2C P"],
    "later calls of the opening side, undisturbed": ["1H P 2H P", "1H P 2H P 4H P"],
    "directly over their one-level opening": ["1H", "P 1N"],
    "over their higher opening": ["2H"],
    "they opened: later": ["1H P P", "1H P 2H", "1H 1S 2H 2S P"],
    "advancing partner's overcall or double": ["1H 1S P", "1H X 2H", "1H P 2H X P"],
    "we opened, they came in: our first call after it": ["1H 1S", "1H X", "1H P 1S 2C"],
    "we opened, they came in: later": ["1H 1S 2H P", "1H 1S P P"],
}


@pytest.mark.parametrize("kind", NEXT)
def test_kinds_of_the_next_call(kind):
    for auction in NEXT[kind]:
        calls = [parse_call(word) for word in auction.split()]
        assert KINDS[kinds_of(np.array([[*calls, -1]], np.int8), [len(calls)])[0]] == kind, auction
