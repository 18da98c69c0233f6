"""Define the knowledge of a seat when it calls: its own hand and the public auction, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.deals import hands
from bridge_env.rules.auction import DEALER, LENGTH, VULNERABILITY, Auctions
from bridge_env.rules.calls import NUM_CALLS, first_calls
from bridge_env.rules.cards import UNKNOWN

Rows = NDArray[np.int64] | NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BidView:
    """The acting seats of N tables.

    Attributes:
        hand: bool (N, 52), the acting seat's cards.
        history: int8 (N, L), the calls so far, padded with -1; L is the longest of the batch.
        length: int16 (N,), the number of calls so far.
        dealer: int16 (N,), seat 0..3.
        vulnerability: int16 (N,), code 0..3 (bit 0 NS, bit 1 EW).
        seat: int16 (N,), the acting seat.
        mask: bool (N, 38), the legal calls.
    """

    hand: NDArray[np.bool_]
    history: NDArray[np.int8]
    length: NDArray[np.int16]
    dealer: NDArray[np.int16]
    vulnerability: NDArray[np.int16]
    seat: NDArray[np.int16]
    mask: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.seat)

    def take(self, rows: Rows) -> BidView:
        """Take some of the rows."""
        return BidView(
            self.hand[rows], self.history[rows], self.length[rows], self.dealer[rows],
            self.vulnerability[rows], self.seat[rows], self.mask[rows],
        )  # fmt: skip


def views_before(
    owner: NDArray[np.uint8], history: NDArray[np.int8], number: NDArray[np.int64], dealer: NDArray[np.signedinteger],
    vulnerability: NDArray[np.signedinteger],
) -> BidView:  # fmt: skip
    """Return the views before call ``number`` of each auction int8 (N, L); every call counts as legal."""
    seat = ((dealer + number) & 3).astype(np.int16)
    return BidView(
        hands(owner, seat), first_calls(history, number), number.astype(np.int16), dealer.astype(np.int16),
        vulnerability.astype(np.int16), seat, np.ones((len(number), NUM_CALLS), np.bool_),
    )  # fmt: skip


def view_of(auctions: Auctions, owner: NDArray[np.uint8], rows: Rows | None = None) -> BidView:
    """Return the view of the seat to call at ``rows`` (default all) of ``auctions`` on the deals ``owner``.

    It holds copies, to which a bidder may write.
    """
    rows = np.arange(len(auctions)) if rows is None else rows
    chosen, deals = auctions.take(rows), owner[rows]
    longest = int(chosen.length.max(initial=0))
    seat = chosen.turn
    return BidView(
        hands(deals, seat), chosen.history[:, :longest], chosen.state[:, LENGTH], chosen.state[:, DEALER],
        chosen.state[:, VULNERABILITY], seat, chosen.legal(),
    )  # fmt: skip


def public_view(auctions: Auctions) -> BidView:
    """Return the view of every row for somebody who sees no hand."""
    return view_of(auctions, np.full((len(auctions), 52), UNKNOWN, np.uint8))
