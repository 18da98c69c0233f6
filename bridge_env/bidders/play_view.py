"""Define the knowledge of a player that chooses a card: hand, dummy after the lead, auction, cards played."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.bidders.view import Rows
from bridge_env.hands.deals import hands
from bridge_env.rules.auction import Auctions, Contracts
from bridge_env.rules.play import Plays


@dataclass(frozen=True)
class PlayView:
    """Views of the players to choose the next card at N tables. Declarer chooses for dummy."""

    seat: NDArray[np.int16]  # (N,), the seat that chooses
    turn: NDArray[np.int16]  # (N,), the hand that the card comes from: ``seat``, or dummy where declarer chooses for it
    hand: NDArray[np.bool_]  # (N, 52), the thirteen cards that were dealt to ``seat``
    dummy: NDArray[np.bool_]  # (N, 52), the thirteen cards that were dealt to dummy; none before the opening lead
    mask: NDArray[np.bool_]  # (N, 52), the legal cards
    cards: NDArray[np.int8]  # (N, 52), the cards played so far, in order, padded with -1
    players: NDArray[np.int8]  # (N, 52), the seats that played them
    length: NDArray[np.int16]  # (N,), how many
    won: NDArray[np.int16]  # (N,), tricks of declarer's side so far
    bid: NDArray[np.int8]  # (N,), of the contract
    doubling: NDArray[np.int8]  # (N,), the same
    declarer: NDArray[np.int8]  # (N,), the same
    history: NDArray[np.int8]  # (N, L), the calls, padded with -1; L is 0 where the auction is not known
    dealer: NDArray[np.int16]  # (N,)
    vulnerability: NDArray[np.int16]  # (N,)

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def strain(self) -> NDArray[np.int8]:
        """Return the strain, 0..4 (C D H S NT), int8 (N,)."""
        return self.bid % 5

    @cached_property
    def played(self) -> NDArray[np.bool_]:
        """Return the cards played so far as a set: bool (N, 52), read-only."""
        out = np.zeros((len(self), 53), np.bool_)
        most = int(self.length.max(initial=0))
        out[np.arange(len(self))[:, None], self.cards[:, :most]] = True  # padding, -1, falls into the last column
        out.flags.writeable = False
        return out[:, :52]

    def take(self, rows: Rows) -> PlayView:
        """Return some of the rows."""
        return PlayView(*(getattr(self, f.name)[rows] for f in fields(self)))


def play_view(
    plays: Plays,
    contracts: Contracts,
    vulnerability: ArrayLike,
    auctions: Auctions | None = None,
    rows: Rows | None = None,
) -> PlayView:
    """Make the view of the player who chooses the next card at ``rows`` (default all) of ``plays``.

    Args:
        contracts: those of all tables, int8 (N,) each.
        vulnerability: codes 0..3, scalar or (N,).
        auctions: those that led to the contracts, if they are known.
    """
    r = np.arange(len(plays)) if rows is None else np.arange(len(plays))[rows]
    part = plays.take(r)
    n, seat = len(part), part.decider
    calls = np.empty((n, 0), np.int8)
    dealer = np.zeros(n, np.int16)
    if auctions is not None:
        longest = int(auctions.length[r].max(initial=0))
        calls, dealer = auctions.history[r, :longest], auctions.dealer[r].astype(np.int16)
    return PlayView(
        seat=seat,
        turn=part.turn.copy(),
        hand=hands(part.owner, seat),
        dummy=hands(part.owner, part.dummy) & (part.length > 0)[:, None],
        mask=part.legal(),
        cards=part.history,
        players=part.players,
        length=part.length.copy(),
        won=part.won.copy(),
        bid=contracts.bid[r],
        doubling=contracts.doubling[r],
        declarer=contracts.declarer[r],
        history=calls,
        dealer=dealer,
        vulnerability=np.broadcast_to(np.asarray(vulnerability, np.int16), len(plays))[r],
    )
