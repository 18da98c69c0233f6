"""Value alternative calls by the judgement of a player that bids by the system's book.

``play_out`` scores a call on the one deal that lay there, so its labels are mostly luck. A network that learned by the
book has met a hundred million calls: its preference for one call over another depends little on luck. A label is
the average of play-outs of calls that it prefers as much, and a share of the play-out itself. So rules come from hands
that the player distinguishes, at the prices that the system's own play-outs set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.networks.bidder import NetworkBidder
from bridge_env.bidders.registry import SpecError, make
from bridge_env.bidders.view import view_of
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import first_calls
from training.evolution.refine.decisions import UNTRIED, Index, Table, play_out
from training.runtime.speed import use_fast_matmul

SHARE = 0.8  # of a label that is the player's judgement
LEAST, MOST = -8.0, 12.0  # preferences (log odds) are clipped to these
UNIT = 64  # labels are multiples of 1/64 IMP: so that sums of them are exact in any order


def network_by_book(spec: str) -> NetworkBidder:
    """Return the network that ``policy:NAME`` or ``policy:FILE`` names, which bids by a book.

    Raises:
        SpecError: it is another kind of player, or bids by no book.
    """
    bidder = make(spec)
    if not isinstance(bidder, NetworkBidder) or bidder.networks.book is None:
        raise SpecError(f"{spec} bids by no book; write policy:FILE of a network that 'train league --book' made")
    return bidder


def by_judgement(spec: str, at: Table, board: Index, number: Index, tried: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Label calls by the player ``spec``; other arguments and the result are as in ``play_out``."""
    played = play_out(at, board, number, tried)
    made = at.history[board, number].astype(np.int64)
    preferred = preferences(spec, at, board, number)
    preferred -= preferred[np.arange(len(board)), made][:, None]
    labelled = (played != UNTRIED) & (np.arange(played.shape[1]) != made[:, None])
    x = np.clip(preferred[labelled], LEAST, MOST)
    y = played[labelled].astype(np.float64)
    out = played.astype(np.float32)
    out[labelled] = np.round((SHARE * _line(x, y) + (1 - SHARE) * y) * UNIT) / UNIT
    return out


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the line of least squares of ``y`` over ``x``, at each ``x``."""
    if not len(x):
        return y
    spread = x - x.mean()
    slope = float(spread @ (y - y.mean())) / max(float(spread @ spread), 1e-9)
    fitted: NDArray[np.float64] = y.mean() + slope * spread
    return fitted


def preferences(spec: str, at: Table, board: Index, number: Index) -> NDArray[np.float64]:
    """Return the logarithms of the player's chances of every call at decisions: float64 (N, 38)."""
    use_fast_matmul()
    boards, calls = at.boards, first_calls(at.history[board], number)
    auctions = Auctions.replay(calls, boards.dealer[board], boards.vulnerability[board])
    chances = network_by_book(spec).probabilities(view_of(auctions, boards.owner[board]))
    logs: NDArray[np.float64] = np.log(np.maximum(chances, 1e-12))
    return logs


def departs_from_system(spec: str, at: Table, board: Index, number: Index) -> NDArray[np.bool_]:
    """Return at which decisions the player would not make the call that was made: bool (N,)."""
    preferred = preferences(spec, at, board, number).argmax(axis=1)
    return np.asarray(preferred != at.history[board, number], np.bool_)
