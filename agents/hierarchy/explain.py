"""Explain a call: the line of the system that made it, and what every seat has shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.bidder import HierarchyBidder
from agents.hierarchy.engine.compiled import RULE_LINE
from agents.hierarchy.engine.context import STRENGTH, SUIT
from agents.hierarchy.engine.walk import is_general
from agents.hierarchy.language.columns import QUANTITY, TOP
from agents.hierarchy.language.text import constraint_text
from agents.hierarchy.language.tree import Line, System, walk
from bridge_env.auction import Auctions
from bridge_env.calls import call_text
from bridge_env.cards import SEATS, UNKNOWN
from bridge_env.view import BidView, view_of

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


@dataclass(frozen=True)
class Explanation:
    """One call of a system.

    Attributes:
        call: what the system calls.
        system: its name.
        line: the line that made the call; None where none fitted, which is a pass.
        general: the line is one of the general rules, not of the tree.
        seat: who calls.
        shown: int16 (4, 6, 2), what each seat has shown once the call is made, as ``HierarchyBidder.meaning``.
    """

    call: int
    system: str
    line: Line | None
    general: bool
    seat: int
    shown: NDArray[np.int16]

    def __str__(self) -> str:
        return "\n".join([call_text(self.call), f"  because   {self.because}", *self._shown()])

    @property
    def because(self) -> str:
        """Describe the line that made the call."""
        if self.line is None:
            return f"no line of {self.system} fits: pass"
        where = f"{'general rules' if self.general else self.system}, line {self.line.number}"
        note = f"  ({self.line.note})" if self.line.note else ""
        return f"{where}: {self.line.name}  {constraint_text(self.line.constraint)}".rstrip() + note

    def _shown(self) -> Iterator[str]:
        head = "shown"
        for offset in range(4):
            seat = (self.seat + offset) % 4
            yield f"  {head:<9} {SEATS[seat]}{' (me)' if not offset else '':<5} {shown_text(self.shown[seat])}"
            head = ""


def explain(bidder: HierarchyBidder, view: BidView) -> Explanation:
    """Explain the call of ``bidder`` for the one row of ``view``."""
    calls, rules, shown = bidder.decide(view)
    call, rule, seat = int(calls[0]), int(rules[0]), int(view.seat[0])
    compiled = bidder.own.compiled  # its rules are the first of the pool's, so they have the same numbers
    general = bool(is_general(compiled, rule, 0))
    system = bidder.own.system
    line = None if rule < 0 else line_of(system, general, int(compiled.rules[rule, RULE_LINE]))
    after = Auctions.replay(view.history, view.dealer, view.vulnerability)
    after.step(call)
    if not after.done[0]:
        nobodys_cards = np.full((1, 52), UNKNOWN, np.uint8)
        shown = _next_seat(bidder, seat).meaning(view_of(after, nobodys_cards))
    return Explanation(call, system.name, line, general, seat, shown[0])


def line_of(system: System, general: bool, number: int) -> Line:
    """The line of a system, or of its general rules, that stands at ``number`` in the text."""
    lines = (line for block in system.blocks for line in block.lines) if general else walk(system.lines)
    return next(line for line in lines if line.number == number)


def _next_seat(bidder: HierarchyBidder, seat: int) -> HierarchyBidder:
    """The same four systems as the seat after ``seat`` sees them."""
    ours = (bidder.own, bidder.partner) if seat < 2 else (bidder.partner, bidder.own)
    own, partner = bidder.opponents if (seat + 1) % 4 < 2 else bidder.opponents[::-1]
    return HierarchyBidder(own, partner, ours)


def shown_text(shown: NDArray[np.int16]) -> str:
    """Describe what one seat has shown, int16 (6, 2): ``strength 12-21, 5+ spades``."""
    parts = []
    low, high = (int(n) for n in shown[STRENGTH])
    if strength := _range(low, high, int(TOP[STRENGTH])):
        parts.append(f"strength {strength}")
    least = shown[SUIT : SUIT + 4, 0]
    for suit in (3, 2, 1, 0):
        others = int(least.sum()) - int(least[suit])  # what they leave room for need not be said
        if cards := _range(int(least[suit]), int(shown[SUIT + suit, 1]), 13 - others):
            parts.append(f"{cards} {_SUIT_NAMES[suit]}")
    for name in list(QUANTITY)[SUIT + 4 :]:
        low, high = (int(n) for n in shown[QUANTITY[name]])
        if count := _range(low, high, int(TOP[QUANTITY[name]])):
            parts.append(f"{count} {name.removesuffix('s') if count == '1' else name}")
    return ", ".join(parts) or "nothing"


def _range(low: int, high: int, top: int) -> str:
    """``12-21``, ``5+`` or ``4``; empty if it says nothing."""
    if high >= top:
        return f"{low}+" if low > 0 else ""
    return f"{low}" if low == high else f"{low}-{high}"
