"""Place the cards that a player does not see, by the points and lengths that the calls have shown.

Declarer expects each opponent to hold as much as an even split makes likely within the ranges shown, and a missing
honour with the one who has more points and more cards of the suit to come. Defenders lead what partner has shown.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.play_view import PlayView

_MOST = 40  # points of a pack
_HCP = np.tile([0] * 9 + [1, 2, 3, 4], 4)
_COUNTS = np.concatenate([_HCP[:, None], np.repeat(np.eye(4, dtype=np.int64), 13, axis=0)], axis=1)  # (52, 5)
_SHOWN = 3  # cards of a suit from which on the length that was shown counts for a lead
_PARTNERS, _DECLARERS = 20, -20  # what each further card is worth


def _even_splits() -> NDArray[np.float64]:
    """Return what one of two hands holds on average of ``n``, if that is ``lo`` to ``hi``: (n, lo, hi)."""
    out = np.zeros((_MOST + 1,) * 3)
    for n in range(_MOST + 1):
        ways = np.array([comb(n, k) for k in range(n + 1)], np.float64)
        for lo in range(n + 1):
            out[n, lo, lo : n + 1] = (ways * np.arange(n + 1))[lo:].cumsum() / ways[lo:].cumsum()
    return out


_EVEN_SPLITS = _even_splits()


def chances_of_next(view: PlayView, ranges: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return the chance that each unseen card lies in the next hand, not in the other opponent's: float32 (N, 52).

    Args:
        view: of declarers, after the opening lead.
        ranges: int16 (N, 4, 5, 2), the least and most points and cards of C D H S that N E S W have shown.
    """
    rows, following = np.arange(len(view)), (view.turn.astype(np.int64) + 1) & 3
    hidden = np.stack([following, following ^ 2])  # (2, N)
    played = _played(view, hidden)  # (2, N, 5)
    rest = _COUNTS.sum(axis=0) - (view.hand | view.dummy) @ _COUNTS - played.sum(axis=0)  # (N, 5), of both hands
    shown = ranges[rows, hidden].astype(np.int64)
    least = np.clip(shown[..., 0] - played, 0, rest)
    most = np.where(_void(view, hidden), 0, np.clip(shown[..., 1] - played, 0, rest))
    least, most = np.maximum(least[0], rest - most[1]), np.minimum(most[0], rest - least[1])
    denied = least > most  # the calls were misleading
    least, most = np.where(denied, 0, least), np.where(denied, rest, most)
    share = _EVEN_SPLITS[rest, least, most] / np.maximum(rest, 1)  # (N, 5), in the next hand
    by_length = np.repeat(share[:, 1:], 13, axis=1)
    by_points = np.where(_HCP > 0, share[:, :1], 0.5)
    near, far = by_length * by_points, (1 - by_length) * (1 - by_points)
    return (near / np.maximum(near + far, 1e-6)).astype(np.float32)


def _played(view: PlayView, seats: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return points and cards of each suit that seats, int64 (K, N), have played: int64 (K, N, 5)."""
    counts = _COUNTS[view.cards]  # of the padding, -1, too, which no seat has played
    return np.stack([((view.players == seat[:, None])[..., None] * counts).sum(axis=1) for seat in seats])


def _void(view: PlayView, seats: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which suits, C D H S after a column for the points, seats have failed to follow: bool (K, N, 5)."""
    led = np.repeat(view.cards[:, ::4], 4, axis=1) // 13
    off = (view.cards >= 0) & (view.cards // 13 != led)
    suits = np.arange(-1, 4)
    return np.stack([
        ((off & (view.players == seat[:, None]))[..., None] & (led[..., None] == suits)).any(axis=1) for seat in seats
    ])  # fmt: skip


def leads_shown(view: PlayView, ranges: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return what the calls say for a defender's lead of C D H S, in the points of the rule player: int64 (N, 4)."""
    rows, declarer = np.arange(len(view)), view.declarer
    length = np.maximum(ranges[..., 1:, 0].astype(np.int64) - _SHOWN, 0)  # (N, 4 seats, 4 suits)
    theirs = np.maximum(length[rows, declarer], length[rows, declarer ^ 2])
    return _PARTNERS * length[rows, view.seat ^ 2] + _DECLARERS * theirs
