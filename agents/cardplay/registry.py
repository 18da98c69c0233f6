"""Resolve a spec string to a card player.

==============================  ================================================================================
spec                            player
==============================  ================================================================================
``random``                      any legal card
``rule``                        rules of thumb and what the calls have shown, quick
``montecarlo``                  the best card on average over sampled deals, double dummy; options:
                                ``montecarlo?deals=80&score=points`` (``agents.cardplay.options``); the plain algorithm
                                of 2001 is ``montecarlo?lead=solved``
``deceptive``                   the best card if the next opponent plays for the deals he believes in; options:
                                ``deceptive?when=always`` (``agents.cardplay.deception``)
``seat:URL``                    another program over HTTP, as every player of the entry point group
                                ``bridge_env.card_players``
``python:module:factory``       your own: ``factory()`` makes an object with ``play(view, key)``
``SPEC+SPEC``                   the first where its side declares, the second where it defends
==============================  ================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.deception.deceptive import Deceptive, DeceptiveOptions
from agents.cardplay.montecarlo import MonteCarlo
from agents.cardplay.options import CHOICES, Options
from agents.cardplay.rule import RandomPlayer, RulePlayer
from agents.cardplay.table import declares
from agents.options import read_options
from bridge_env.bidders.play_view import PlayView
from bridge_env.bidders.protocols import CardPlayer
from bridge_env.bidders.registry import SpecError, from_python, implements

ENTRY_POINT_GROUP = "bridge_env.card_players"


@dataclass(frozen=True)
class Split:
    """A ``CardPlayer`` that plays by ``declarer`` where its side declares, and by ``defender`` where it defends."""

    declarer: CardPlayer
    defender: CardPlayer

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        ours = declares(view)
        out = np.empty(len(view), np.int8)
        for player, rows in ((self.declarer, np.flatnonzero(ours)), (self.defender, np.flatnonzero(~ours))):
            if rows.size:
                out[rows] = player.play(view.take(rows), key[rows])
        return out


_PLAIN = ("random", "rule")  # players without options


@lru_cache(maxsize=1)
def _published() -> dict[str, EntryPoint]:
    """Return the players that packages publish, by the first word of their specs."""
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def make_player(spec: str | CardPlayer, reader: AuctionReader | None = None) -> CardPlayer:
    """Make the player that ``spec`` names.

    Args:
        spec: a spec string, or a CardPlayer, which is returned as it is.
        reader: of the auctions that led to the contracts, by the systems of all seats; default: calls tell nothing.

    Raises:
        SpecError: the spec names nothing, or its module cannot be used; the message says why.
    """
    if not isinstance(spec, str):
        if implements(spec, CardPlayer):
            return spec
        raise SpecError(f"{spec!r} is neither a spec string nor a CardPlayer (an object with play(view, key))")
    declarer, plus, defender = spec.strip().partition("+")
    if plus:
        return Split(make_player(declarer, reader), make_player(defender, reader))
    name, _, options = spec.strip().partition("?")
    if name in _PLAIN:
        if options:
            raise SpecError(f"{spec!r}: {name!r} has no options")
        return RandomPlayer() if name == "random" else RulePlayer(reader)
    if name == "montecarlo":
        return MonteCarlo(reader, read_options(options, spec, Options(), CHOICES, "this player"))
    if name == "deceptive":
        return Deceptive(reader, read_options(options, spec, DeceptiveOptions(), CHOICES, "this player"))
    head, _, argument = spec.strip().partition(":")
    if head in _published():
        return _published()[head].load()(argument)
    if name.startswith("python:"):
        return from_python(spec.strip(), CardPlayer, "play(view, key)")
    others = [f"{name}:..." for name in sorted(_published())]
    known = ", ".join([*_PLAIN, "montecarlo", "deceptive", *others, "python:module:factory"])
    raise SpecError(f"{spec!r} names no player of cards; there are {known}")
