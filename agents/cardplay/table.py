"""Derive from a view the state of the table: the hands left, the trick in progress."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView


def current_trick(view: PlayView) -> NDArray[np.int8]:
    """Return the cards of the trick in progress, in order: int8 (N, 3), padded with -1."""
    start = view.length.astype(np.int64) & ~3
    columns = start[:, None] + np.arange(3)
    padded = np.concatenate([view.cards, np.full((len(view), 3), -1, np.int8)], axis=1)
    return np.take_along_axis(padded, columns, axis=1)


def trick_leader(view: PlayView) -> NDArray[np.int64]:
    """Return the leader of the trick in progress: int64 (N,)."""
    return (view.turn.astype(np.int64) - (view.length & 3)) & 3


def hand_to_play(view: PlayView) -> NDArray[np.bool_]:
    """Return the cards left in the hand that the card comes from: bool (N, 52)."""
    own = (view.turn == view.seat)[:, None]
    return np.where(own, view.hand, view.dummy) & ~view.played


def hand_opposite(view: PlayView) -> NDArray[np.bool_]:
    """Return the cards left in partner's hand where it can be seen: bool (N, 52), none for a defender."""
    other = np.where((view.turn == view.seat)[:, None], view.dummy, view.hand)
    return other & ~view.played & (view.seat == view.declarer)[:, None]


def dummy_left(view: PlayView) -> NDArray[np.bool_]:
    """Return the cards left in dummy where it can be seen: bool (N, 52)."""
    return view.dummy & ~view.played


def declares(view: PlayView) -> NDArray[np.bool_]:
    """Return whether declarer's side is to play: bool (N,)."""
    return (view.turn ^ view.declarer) & 1 == 0


def distinct_legal(view: PlayView) -> NDArray[np.bool_]:
    """Return the lowest of each run of legal cards that touch, across cards of earlier tricks: bool (N, 52)."""
    elsewhere, trick = ~(view.mask | view.played), current_trick(view)
    rows, places = np.nonzero(trick >= 0)
    elsewhere[rows, trick[rows, places]] = True
    return distinct_cards(view.mask, elsewhere)


def distinct_cards(cards: NDArray[np.bool_], elsewhere: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the lowest card of each run of ``cards`` without any of ``elsewhere`` in between: bool (N, 52)."""
    suits, others = cards.reshape(-1, 4, 13), elsewhere.reshape(-1, 4, 13)
    up_to = others.cumsum(axis=2)
    below = np.maximum.accumulate(np.where(suits, up_to, -1), axis=2)
    below = np.concatenate([np.full_like(below[..., :1], -1), below[..., :-1]], axis=2)
    out: NDArray[np.bool_] = suits & (up_to - others > below)
    return out.reshape(-1, 52)
