"""Explain a network's call: the calls it considered, the result of each, and its belief."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.networks import belief
from agents.networks.meaning import auction_keys
from agents.networks.reader import call_of_network
from agents.networks.sampled_meanings import HANDS, sampled_meanings
from agents.systems.explain.explain import symbol_text
from agents.systems.explain.player_terms import under
from agents.systems.explain.shown_text import measured_text
from bridge_env.bidders.view import BidView
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, SUITS

if TYPE_CHECKING:  # it imports this module to explain itself
    from agents.networks.bidder import NetworkBidder

_MOST_CALLS = 5  # calls that are named
_LEAST = 0.005  # with at least this chance
_HCP = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])


def explain(bidder: NetworkBidder, view: BidView) -> str:
    """Explain the call of ``bidder`` for the one row of ``view``."""
    chances = bidder.probabilities(view)[0]
    order = [int(c) for c in np.argsort(-chances, kind="stable")[:_MOST_CALLS] if chances[c] >= _LEAST]
    considered = ", ".join(f"{call_text(c)} {100 * chances[c]:.1f}%" for c in order)
    says = f"  says      {symbol_text(order[0])}: {call_of_network(bidder, view, order[0])}"
    lines = [call_text(order[0]), f"  considers {considered}", says, *under("shown", shown(bidder, view))]
    if bidder.networks.belief is not None:
        held = belief.chances(bidder.networks.belief, view)[0]
        lines += under("believes", average_hands(held, int(view.seat[0])))
    return "\n".join(lines)


def shown(bidder: NetworkBidder, view: BidView) -> list[str]:
    """Describe what other seats have shown before the one row of ``view``, measured, else by hands drawn now."""
    meanings, calls = bidder.meanings(), view.history[:1, : int(view.length[0])]
    rows = np.full(calls.shape[1], -1) if meanings is None else meanings.find(auction_keys(calls)[0])
    state = tuple(calls[0].tolist()), int(view.dealer[0]), int(view.vulnerability[0])
    out = []
    for offset in (1, 2, 3):
        seat = (int(view.seat[0]) + offset) & 3
        last = rows[(seat - state[1]) & 3 :: 4][-1:]
        if not len(last):
            text = "no call yet"
        elif meanings is not None and last[0] >= 0:
            text = measured_text(meanings.ranges[last[0]])
        else:
            found = sampled_meanings((bidder.networks.player,) * 4, *state)
            text = f"{measured_text(found.ranges(seat))} (of {HANDS} hands drawn now)"
        out.append(f"{SEATS[seat]}  {text}")
    return out


def average_hands(held: NDArray[np.float64], seat: int) -> list[str]:
    """Return average points and lengths of left, partner and right, of the chances (52, 3) that they hold each card."""
    out = []
    for which in range(3):
        suits = held[:, which].reshape(4, 13)
        cards = " ".join(f"{suits[suit].sum():.1f} {SUITS[suit]}" for suit in (3, 2, 1, 0))
        out.append(f"{SEATS[(seat + which + 1) % 4]}  on average {(suits * _HCP).sum():.1f} hcp, {cards}")
    return out
