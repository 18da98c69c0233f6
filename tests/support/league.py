"""Leagues that run in this process."""

import numpy as np

from training.networks.league import League


class Here:
    """A cluster of this process: tasks run when their result is asked for, or at once."""

    def __init__(self, eager, workers=2):
        self.eager, self.workers = eager, workers

    def put(self, value):
        return value

    def submit(self, function, *task):
        if self.eager:
            done = function(*task)
            return lambda: done
        return lambda: function(*task)

    def ready(self, reference):
        return self.eager

    def result(self, reference):
        return reference()


def run_league(folder, config, start=None, stop=lambda: False, eager=False):
    folder.mkdir(exist_ok=True)
    league = League(folder, config, start)
    league.load()
    for _ in league.run(Here(eager), stop, lambda *heard: None):
        pass
    return league


def same(a, b):
    ours, theirs = a.learner.arrays(), b.learner.arrays()
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)
