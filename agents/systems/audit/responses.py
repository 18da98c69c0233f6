"""Record what hands have called in probes, with what checks need: their cards, and what the auction has shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.probes import Hands, ProbeAuction
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import HCP, LENGTH
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS

NO_TRUMP = 4
_STRENGTH, _SUITS = 0, slice(1, 5)


@dataclass(eq=False)
class Responses:
    """What hands have called in some probes; a row is a hand in a probe."""

    probes: Sequence[ProbeAuction]  # of these calls
    calls: NDArray[np.int8]  # (probes, L), their calls, -1 beyond them
    length: NDArray[np.int64]  # (probes,), how many
    shown: NDArray[np.int16]  # (probes, 4, QUANTITIES, 2), what the seats have shown there
    forced: NDArray[np.bool_]  # (probes,), does partner's call force?
    hands: Hands  # that came
    probe: NDArray[np.int64]  # (N,), which of the probes
    hand: NDArray[np.int64]  # (N,), which of the hands
    call: NDArray[np.int64]  # (N,), what it called
    rule: NDArray[np.int64]  # (N,), by which rule; -1 none

    def where(self, chosen: NDArray[np.bool_]) -> Responses:
        """Return some of the rows."""
        rows = self.probe[chosen], self.hand[chosen], self.call[chosen], self.rule[chosen]
        return replace(self, probe=rows[0], hand=rows[1], call=rows[2], rule=rows[3])

    def __len__(self) -> int:
        return len(self.probe)

    def example(self, row: int) -> str:
        """Write the hand of a row with its auction."""
        return f"{hand_text(self.hands.held[self.hand[row]])} after {self.probes[self.probe[row]]}"

    @property
    def likely(self) -> NDArray[np.bool_]:
        """Return whether chance might deal the hand."""
        return self.hands.likely[self.hand]

    @property
    def strain(self) -> NDArray[np.int64]:
        """Return the strain of the call; of no use where that is no bid."""
        return (self.call - FIRST_BID) % 5

    @property
    def level(self) -> NDArray[np.int64]:
        """Return the level of the call; 0 where that is no bid."""
        return np.where(self.call >= FIRST_BID, (self.call - FIRST_BID) // 5 + 1, 0)

    def feature(self, column: int) -> NDArray[np.int16]:
        return self.hands.features[self.hand, 0, column]

    @property
    def hcp(self) -> NDArray[np.int16]:
        return self.feature(HCP)

    @cached_property
    def cards(self) -> NDArray[np.int16]:
        """Return the cards of C D H S: (N, 4)."""
        return self.hands.features[self.hand, 0, LENGTH : LENGTH + 4]

    def cards_of(self, suit: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the cards of a suit that differs from row to row."""
        return of_suit(self.cards, suit)

    def _shown(self, by: int, what: int | slice, end: int) -> NDArray[np.int16]:
        """Return what I (0), the next (1), partner (2) or the one before (3) have shown."""
        seat = (self.length + by) % 4
        return self.shown[np.arange(len(seat)), seat, what, end][self.probe]

    @cached_property
    def _bids(self) -> NDArray[np.bool_]:
        """Return which calls of the probes are bids: (probes, L)."""
        return self.calls >= FIRST_BID

    @cached_property
    def _last_bids(self) -> NDArray[np.int64]:
        """Return the last bid of each probe; -1 before any."""
        last: NDArray[np.int8] = np.where(self._bids, self.calls, -1).max(axis=1, initial=-1)
        return last.astype(np.int64)

    def _call_before(self, turns: int) -> NDArray[np.int8]:
        """Return the call that each probe saw so many turns ago; -1 where there was none."""
        calls = np.pad(self.calls, ((0, 0), (turns, 0)), constant_values=-1)
        return calls[np.arange(len(calls)), self.length]

    @cached_property
    def partner(self) -> NDArray[np.int16]:
        """Return the cards that partner has shown at least: (N, 4)."""
        return self._shown(2, _SUITS, 0)

    @cached_property
    def theirs(self) -> NDArray[np.int16]:
        """Return the cards that one of the opponents has shown at least: (N, 4)."""
        return np.maximum(self._shown(1, _SUITS, 0), self._shown(3, _SUITS, 0))

    @cached_property
    def partner_least(self) -> NDArray[np.int16]:
        """Return the least strength that partner has shown."""
        return self._shown(2, _STRENGTH, 0)

    @cached_property
    def my_least(self) -> NDArray[np.int16]:
        """Return the least strength that I have shown."""
        return self._shown(0, _STRENGTH, 0)

    @cached_property
    def forced_to_act(self) -> NDArray[np.bool_]:
        """Return whether partner's last call forces me."""
        return self.forced[self.probe]

    @cached_property
    def raises_to_game(self) -> NDArray[np.bool_]:
        """Return whether the call raises the suit that partner has just bid to four of a major or five of a minor."""
        partner = self._call_before(2)[self.probe].astype(np.int64)
        game = self.level == np.where(self.strain >= 2, 4, 5)
        same = (partner >= FIRST_BID) & ((partner - FIRST_BID) % 5 == self.strain) & (partner < self.call)
        return np.asarray(game & (self.strain < NO_TRUMP) & same & (of_suit(self.partner, self.strain) >= 4))

    @cached_property
    def coming_in(self) -> NDArray[np.bool_]:
        """Return whether they have bid, and our side has not."""
        turns = np.arange(self.calls.shape[1]) - self.length[:, None]
        ours = (turns % 2 == 0) & (self.calls > PASS)
        came: NDArray[np.bool_] = np.asarray(self._bids.any(axis=1) & ~ours.any(axis=1))
        return came[self.probe]

    @cached_property
    def opening(self) -> NDArray[np.bool_]:
        """Return whether nobody has bid."""
        nobody: NDArray[np.bool_] = np.asarray((self.calls <= PASS).all(axis=1))
        return nobody[self.probe]

    @cached_property
    def doubled_by_partner(self) -> NDArray[np.bool_]:
        """Return whether partner has doubled their last bid for take-out, and the next hand passed."""
        doubled = (self._call_before(2) == DOUBLE) & (self._call_before(1) == PASS)
        return np.asarray(doubled & self.forced)[self.probe]

    @cached_property
    def last_bid(self) -> NDArray[np.int64]:
        """Return the call that is the last bid; -1 before any."""
        return self._last_bids[self.probe]

    @cached_property
    def their_suit(self) -> NDArray[np.int64]:
        """Return the suit of their last bid, if it is the last of all and they mean the suit; else -1."""
        last = np.where(self._bids, np.arange(self._bids.shape[1]), -1).max(axis=1, initial=-1)
        strain = (self._last_bids - FIRST_BID) % 5
        theirs = (last >= 0) & (strain < NO_TRUMP) & ((self.length - last) % 2 == 1)
        suit = np.where(theirs, strain, -1)[self.probe]
        meant = of_suit(self.theirs, suit) >= 3
        return np.where(meant, suit, -1)

    @cached_property
    def in_theirs(self) -> NDArray[np.int16]:
        """Return my cards in that suit; 0 where there is none."""
        return np.where(self.their_suit >= 0, self.cards_of(self.their_suit), 0).astype(np.int16)

    @cached_property
    def unbid(self) -> NDArray[np.bool_]:
        """Return the suits of which nobody has shown three cards: (N, 4)."""
        return np.asarray(np.max([self._shown(seat, _SUITS, 0) for seat in range(4)], axis=0) < 3)


def of_suit(cards: NDArray[np.int16], suit: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return a suit's column of (N, 4), another one for each row; of no use where the suit is none."""
    return np.take_along_axis(cards, np.clip(suit, 0, 3)[:, None], 1)[:, 0]
