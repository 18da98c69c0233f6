"""Play boards from the lead to the last card, all tables of a batch together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView, play_view
from bridge_env.bidders.protocols import CardPlayer
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, Contracts
from bridge_env.rules.play import Plays

Play = Callable[[CardPlayer, PlayView, NDArray[np.uint64], NDArray[np.int64]], NDArray[np.int8]]


def play_out(
    plays: Plays,
    contracts: Contracts,
    vulnerability: NDArray[np.int16],
    auctions: Auctions | None,
    players: Sequence[CardPlayer],
    seats: NDArray[np.int64],
    keys: NDArray[np.uint64],
    play: Play | None = None,
) -> None:
    """Play ``plays`` to the end, in place. The stream of a card depends on its table's key and its number.

    Args:
        seats: int64 (N, 4), the number of the player at N E S W of each table.
        keys: uint64 (N,), the tables' streams.
        play: returns a player's cards at tables ``rows``; None: ``player.play``.
    """
    while not plays.done.all():
        rows = np.flatnonzero(~plays.done)
        chooser = seats[rows, plays.decider[rows]]
        for number, player in enumerate(players):
            mine = rows[chooser == number]
            if mine.size:
                view = play_view(plays, contracts, vulnerability, auctions, mine)
                key = streams.key(keys[mine], plays.length[mine])
                plays.step(player.play(view, key) if play is None else play(player, view, key, mine), mine)
