"""Leagues that run in this process."""

import numpy as np
from support.here import Here

from training.league.league import League


def run_league(folder, config, start=None, stop=lambda: False, eager=False):
    folder.mkdir(exist_ok=True)
    league = League(folder, config, start)
    league.load()
    for _ in league.run(Here(eager), stop, lambda *_: None):
        pass
    return league


def same(a, b):
    np.testing.assert_equal(a.learner.arrays(), b.learner.arrays())
