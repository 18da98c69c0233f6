"""Write a bidder of your own and measure it in IMPs a board.

    python examples/evaluate_your_own_bidder.py

Any object with ``bid(view, key)`` is a bidder. On the command line, in the folder ``examples``:

    bridge-env match python:evaluate_your_own_bidder:Timid system:sayc --boards 5000
"""

import numpy as np

import agents
from training.evaluation import match

PASS, ONE_NOTRUMP = 0, 7


class Timid:
    """A bidder that bids as sayc up to one no trump, and then passes."""

    def __init__(self):
        self.sayc = agents.make("system:sayc")

    def bid(self, view, key):
        """Return one legal call for every row of ``view``, int8 (N,)."""
        calls = self.sayc.bid(view, key)
        return np.where(calls <= ONE_NOTRUMP, calls, PASS).astype(np.int8)


def main(boards: int = 2_000):
    """Return a match of a timid pair against sayc, on boards that training never saw."""
    return match(Timid(), "system:sayc", boards, seed=1)


if __name__ == "__main__":
    result = main()
    print(f"{result.mean_imps:+.2f} ± {result.standard_error:.2f} IMPs a board over {len(result.boards):,} boards")
