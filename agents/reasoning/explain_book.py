"""Explain the call of a network that bids by a book: the book's line, or the judgement that left it, and its worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import HierarchyBidder
from agents.hierarchy.explain import Explanation, explain, symbol_text
from agents.hierarchy.fast.positions import Asked
from agents.hierarchy.inverse.backwards import natural_cards
from agents.hierarchy.inverse.lines import lines_of_call
from agents.hierarchy.telling.phrases import SUIT_NAMES, counted, hull, sentence, shown_text, unite
from agents.networks.bidder import NetworkBidder
from agents.networks.book import ByBook
from agents.reasoning.doubting import Doubter, Weighing
from bridge_env.calls import FIRST_BID, PASS, call_text
from bridge_env.cards import SEATS
from bridge_env.view import BidView


@dataclass(frozen=True)
class BookExplanation:
    """One call of a network that bids by a book.

    Attributes:
        call: what it calls. chance: of that call, by the network.
        book: the explanation of the book's own call.
        tells: what the call shows by the book, in words.
        untruth: points and cards by which the hand misses that.
        weighing: the two calls on sampled deals, the book's first; None where the book is followed.
        shown: what each other seat has shown by the book, in words.
    """

    call: int
    chance: float
    book: Explanation
    tells: str
    untruth: int
    weighing: Weighing | None
    shown: tuple[str, ...]

    @property
    def follows(self) -> bool:
        """Is it the book's own call?"""
        return self.call == self.book.call

    def __str__(self) -> str:
        if self.follows:
            return f"{self.book}\n  follows   the book ({self.chance:.1%} sure)"
        mine, theirs = symbol_text(self.call), symbol_text(self.book.call)
        off = "the hand has it" if not self.untruth else f"the hand is {self.untruth} short of it, in points and cards"
        lines = [
            call_text(self.call),
            f"  judgement the book bids {theirs} here; this hand makes it {mine} ({self.chance:.1%} sure)",
            f"  book      {self.book.says}",
            f"            {self.book.because}",
            f"  tells     {mine} by the book: {self.tells}; {off}",
        ]
        if self.weighing is not None:
            gain, error = self.weighing.gain[-1], self.weighing.error[-1]
            deals = 0 if self.weighing.drawn is None else len(self.weighing.drawn.owner)
            lines.append(
                f"  worth     {gain:+.2f} ± {error:.2f} IMPs over {theirs}, on {deals} deals that fit the auction"
            )
        lines += [f"  {'' if number else 'shown':<9} {text}" for number, text in enumerate(self.shown)]
        return "\n".join(lines)


def explain_by_book(bidder: NetworkBidder, doubter: Doubter, view: BidView, key: NDArray[np.uint64]) -> BookExplanation:
    """Explain the call of ``bidder``, which bids by a book, for the one row of ``view``.

    Args:
        doubter: the same network, thinking: it samples the deals.
    """
    player = bidder.networks.player
    assert isinstance(player, ByBook)
    chances = bidder.probabilities(view)[0]
    call = int(bidder.bid(view, key)[0])
    system = HierarchyBidder(player.book.hierarchy)
    book = explain(system, view)
    weighing, untruth = None, 0
    if call != book.call:
        weighing = doubter.compare(view, key, ([book.call, call], chances[[book.call, call]]))
        untruth = _untruth(player, view, call)
    seat = int(view.seat[0])
    before = system.meaning(view)[0]
    shown = tuple(f"{SEATS[(seat + k) % 4]}  {shown_text(before[(seat + k) % 4])}" for k in (1, 2, 3))
    return BookExplanation(call, float(chances[call]), book, told_by(system, view, call), untruth, weighing, shown)


def told_by(system: HierarchyBidder, view: BidView, call: int) -> str:
    """What a call shows by a book's lines, in words; where it has none for it, what a natural bid shows."""
    lines = lines_of_call(system, view, call)
    if lines:
        words = sentence(unite(hull(telling.constraint) for telling in lines)) or "any hand"
        notes = dict.fromkeys(telling.line.note for telling in lines if telling.line.note)
        return ", ".join([words, *notes])
    if call < FIRST_BID or (call - FIRST_BID) % 5 == 4:
        return "nothing that the book has words for" if call != PASS else "any hand"
    suit = (call - FIRST_BID) % 5
    least = natural_cards(system.meaning(view)[0].astype(np.int16), int(view.seat[0]), call)
    name = SUIT_NAMES["CDHS"[suit]]
    return f"{counted(int(least), 13, 13, name, name)}: the book has no line for it, so it is natural"


def _untruth(player: ByBook, view: BidView, call: int) -> int:
    """By how many points and cards the hand of the one row misses what ``call`` tells."""
    wanted = np.zeros_like(view.mask)
    wanted[0, call] = True
    return int(player.book.untruth(Asked.of_view(view), wanted)[0, call])
