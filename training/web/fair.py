"""Judge a call by what the player could know: over deals that fit the hand and the auction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.reasoning.doubting import Doubter
from agents.seats import spec_at
from bridge_env.auction import Auctions
from bridge_env.view import view_of
from training.web.hints import thinker
from training.web.table import Table

_LEAST = 0.5  # IMPs on average that another call must gain; less is a matter of taste


@dataclass(frozen=True)
class Fair:
    """The best of some calls over deals that fit.

    Attributes:
        call: the best, by IMPs.
        gain, error: how many IMPs it gains on average over the call that was made, and the standard error.
        deals: how many were looked at; of a network's, those that weigh something.
    """

    call: int
    gain: float
    error: float
    deals: int

    @property
    def sure(self) -> bool:
        """Is it better by more than taste and chance?"""
        return self.gain > max(_LEAST, self.error)


def fair(table: Table, number: int, others: list[int]) -> Fair | None:
    """Weigh a person's call against ``others``, and what the side's bidder considers, as the seat could then.

    Args:
        number: of the call in the auction.

    Returns:
        None where the side's bidder is one that cannot think.
    """
    deal, setup = table.deal, table.setup
    before = Auctions.replay(np.array(table.calls[:number], np.int64).reshape(1, -1), deal.dealer, deal.vulnerability)
    seat = int(before.turn[0])
    ours, theirs = setup.north_south, setup.east_west
    player = thinker(spec_at(ours, theirs, seat), theirs if seat & 1 == 0 else ours)
    if player is None:
        return None
    view, key = view_of(before, deal.owner[None]), table.key(number, "fair")
    calls = list(dict.fromkeys([table.calls[number], *others]))
    if isinstance(player, Doubter):
        weighed = player.compare(view, key, (calls, np.zeros(len(calls))))
        deals = 0 if weighed.drawn is None else len(weighed.drawn.owner)
        found, gain, error = weighed.calls, weighed.gain, weighed.error
    else:
        thought = player.compare(view, key, calls)
        deals = 0 if thought.sample is None else len(thought.sample)
        found, gain, error = thought.calls, thought.gain, thought.error
    if not deals:
        return None
    best = int(np.nanargmax(gain))
    return Fair(found[best], float(gain[best]), float(error[best]), deals)
