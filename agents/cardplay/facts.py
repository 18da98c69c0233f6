"""Derive the facts of a card player: which seats may hold each card, given all cards seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.play_view import PlayView
from bridge_env.sampling import Places


def places_of(view: PlayView, row: int) -> Places:
    """Return where each card may lie, as seen by the player to choose in one row of ``view``.

    His own hand and dummy are known, as are the cards that the others have played. Who did not follow suit holds no
    further card of it. Hands have thirteen cards: played ones stay with those who played them, because calls and leads
    were made with whole hands.
    """
    may_hold = np.ones((4, 52), bool)
    length = int(view.length[row])
    cards, players = view.cards[row, :length].astype(np.int64), view.players[row, :length].astype(np.int64)
    for suit, seat in voids(cards, players):
        may_hold[seat, 13 * suit : 13 * suit + 13] = False
    may_hold[:, cards] = False
    may_hold[players, cards] = True
    for seat, hand in known_hands(view, row):
        may_hold[seat] = hand
        may_hold[np.ix_(np.arange(4) != seat, hand)] = False
    return Places(may_hold, np.full(4, 13)).settled()


def known_hands(view: PlayView, row: int) -> list[tuple[int, NDArray[np.bool_]]]:
    """The seats whose thirteen cards the player knows, with the cards, bool (52,)."""
    known = [(int(view.seat[row]), view.hand[row])]
    if view.dummy[row].any():
        known.append((int(view.declarer[row]) ^ 2, view.dummy[row]))
    return known


def hidden_seats(view: PlayView, row: int) -> list[int]:
    """The seats whose hands the player does not see."""
    known = {seat for seat, _ in known_hands(view, row)}
    return [seat for seat in range(4) if seat not in known]


def voids(cards: NDArray[np.int64], players: NDArray[np.int64]) -> list[tuple[int, int]]:
    """(suit, seat) wherever a seat did not follow suit; cards (L,) in order, and who played them (L,)."""
    led = cards[np.arange(len(cards)) & ~3] // 13
    off = np.flatnonzero(cards // 13 != led)
    return [(int(led[k]), int(players[k])) for k in off]
