"""Explain a call in a player's words: what it shows, what passes deny, and what a slightly other hand would call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder
from agents.systems.engine.auction_state import FORCED, GAME_BIDS
from agents.systems.engine.compiled import RULE_LINE, first_general_rule
from agents.systems.explain.counterfactuals import Counterfactual, find_counterfactuals
from agents.systems.explain.pass_inference import DeniedCall, infer_from_pass
from agents.systems.explain.player_terms import ANY, FLAG_TEXT, of_call, sentence, symbols, under
from agents.systems.explain.position import Position, line_of
from agents.systems.explain.ranges import Ranges, distinct, hull, unite
from agents.systems.explain.shown_text import shown_text
from agents.systems.explain.statements import usual_statement
from agents.systems.explain.sums import Sum, sums_of
from agents.systems.language.text import constraint_text
from agents.systems.language.tree import Line, place_of
from bridge_env.bidders.view import BidView, public_view
from bridge_env.hands.features import hand_features
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, PASS, call_text
from bridge_env.rules.cards import SEATS

_NEARLY = 3  # other calls in the text
_SUMS = 3  # of calls that were weighed, in the text
_OTHERS = 2  # calls that another seat's pass denies in the text


@dataclass(frozen=True)
class PassInference:
    """A pass, and what it denies."""

    seat: int
    number: int  # how many calls came before it
    denied: tuple[DeniedCall, ...]  # calls that were passed over, with hands that would have made them


@dataclass(frozen=True)
class Explanation:
    """One call of a system."""

    call: int
    system: str
    line: Line | None  # the line that made the call; None where none fitted, which is a pass
    general: bool  # the line is one of the general rules, not of the tree
    seat: int
    # (4, QUANTITIES, 2), what each seat has shown once the call is made, as ``HierarchyBidder.meaning``
    shown: NDArray[np.int16]
    rule: int  # the rule of the system that made the call, -1 none
    position: Position = field(repr=False, compare=False)
    hand: NDArray[np.bool_] = field(repr=False, compare=False)  # (52,), on which the call was made

    def __str__(self) -> str:
        lines = [call_text(self.call), f"  says      {self.says}", f"  because   {self.because}"]
        lines += under("sums", map(str, self.sums[:_SUMS]))
        if self.nearly:
            others = "; ".join(f"with {nearly}: {symbol_text(nearly.call)}" for nearly in self.nearly[:_NEARLY])
            lines.append(f"  nearly    {others}")
        return "\n".join([*lines, *under("denies", self._denied()), *under("shown", self._shown())])

    @cached_property
    def ranges(self) -> Ranges:
        """Return what the call shows, by word of the language with its suit: least and most."""
        return ranges_of(self.position, self.rule, self.general, self.call)

    @cached_property
    def force(self) -> str:
        """Return ``forcing``, ``not forcing`` ...; empty where it is obvious."""
        return force_of(self.position, self.line, self.call)

    @cached_property
    def nearly(self) -> tuple[Counterfactual, ...]:
        """Return the other calls that the hand nearly makes, the smallest change first."""
        return tuple(find_counterfactuals(self.position, self.hand, self.call))

    @cached_property
    def passed(self) -> tuple[PassInference, ...]:
        """Return what passes deny: the call if it is one, then the last pass of each other seat."""
        return tuple(_passes(self.position, self.call))

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """Return the sums by which scorecards chose, the highest first; empty where rules alone decided."""
        if not self.general or (self.line is not None and self.line.number < 0):
            return ()
        return tuple(sums_of(self.position, hand_features(self.hand[None])[0]))

    @property
    def says(self) -> str:
        """Return the call with what it shows: ``2♥: five or more hearts, 10 to 15 HCP, not forcing``."""
        return f"{symbol_text(self.call)}: {self.text}"

    @property
    def text(self) -> str:
        """Return what the call shows, its name and its force."""
        hand = sentence(self.ranges)
        if not hand and not self.general:
            hand = "; or ".join(map(sentence, ways(self.position, self.rule, self.call)))
        if not hand and self.sums:
            hand = shown_text(self.shown[self.seat])
        if not hand and (usual := usual_statement(self.position, self.call)):
            hand = f"{ANY}, {usual}"
        return call_words(hand, self.line, self.force)

    @property
    def because(self) -> str:
        """Describe the line that made the call."""
        if self.line is None:
            return f"no line of {self.system} fits: pass"
        if self.line.number < 0:
            rule = f"{self.line.name}  {constraint_text(self.line.constraint)}".rstrip()
            return f"no line of {self.system} fits, and a pass would end a forcing auction: {rule}"
        kind = "general rules" if self.line.score is None else "scorecards"
        where = f"{kind if self.general else self.system}, {place_of(self.line)}"
        note = f"  ({self.line.note})" if self.line.note else ""
        return f"{where}: {self.line.name}  {constraint_text(self.line.constraint)}".rstrip() + note

    def as_json(self) -> dict[str, object]:
        """Return all of it, for JSON; calls as text."""
        return {
            "call": call_text(self.call), "says": self.says, "text": self.text, "force": self.force,
            "note": self.line.note if self.line else "", "system": self.system, "because": self.because,
            "ranges": {word: list(bounds) for word, bounds in self.ranges.items()},
            "nearest": [
                {
                    "call": call_text(n.call), "with": str(n), "hand": n.hand, "share": round(n.share, 3),
                    "line": int(self.position.compiled.rules[n.rule, RULE_LINE]) if n.rule >= 0 else None,
                }
                for n in self.nearly
            ],
            "denied": [
                {
                    "seat": SEATS[passed.seat], "number": passed.number,
                    "calls": [{"call": call_text(d.call), "text": str(d)} for d in passed.denied],
                }
                for passed in self.passed
            ],
            "shown": {SEATS[seat]: shown_text(self.shown[seat]) for seat in range(4)},
        }  # fmt: skip

    def _denied(self) -> Iterator[str]:
        for passed in self.passed:
            player = f"{SEATS[passed.seat]}{' (me)' if passed.seat == self.seat else ''}"
            calls = "; ".join(f"no {symbol_text(one.call)} ({one})" for one in passed.denied)
            yield f"{player} passed: {calls}"

    def _shown(self) -> Iterator[str]:
        for offset in range(4):
            seat = (self.seat + offset) % 4
            yield f"{SEATS[seat]}{' (me)' if not offset else '':<5} {shown_text(self.shown[seat])}"


def symbol_text(call: int) -> str:
    """Write a call with a suit symbol: ``2♥``, ``3NT``, ``Pass``, ``X``."""
    return symbols(of_call(call))


def call_words(hand: str, line: Line | None, force: str) -> str:
    """Return the hand that a call shows, the call's name and its force, in a row."""
    artificial = "artificial" if line and "artificial" in line.flags else ""
    words = [hand or ANY, line.note if line else "", force, artificial]
    return ", ".join(dict.fromkeys(filter(None, words)))


def explain(bidder: HierarchyBidder, view: BidView) -> Explanation:
    """Explain the call of ``bidder`` for the one row of ``view``."""
    calls, rules, shown = bidder.decide(view)
    call, rule, seat = int(calls[0]), int(rules[0]), int(view.seat[0])
    general = rule >= first_general_rule(bidder.own.compiled)
    line = line_of_rule(bidder, rule)
    after = Auctions.replay(view.history, view.dealer, view.vulnerability)
    after.step(call)
    if not after.done[0]:
        shown = as_seat(bidder, seat, (seat + 1) & 3).meaning(public_view(after))
    return Explanation(
        call, bidder.own.system.name, line, general, seat, shown[0], rule, Position(bidder, view), view.hand[0]
    )  # fmt: skip


def ranges_of(position: Position, number: int, general: bool, call: int) -> Ranges:
    """Return what the call shows: by its own line, or by all of the tree that make it where these have its words."""
    own = next((hull(rule.needs) for rule in position.rules if rule.number == number), None)
    if own is None:  # a scorecard, or no rule
        own = hull(position.conditions(number, call)) if number >= 0 else {}
    if general or not own:
        return own
    together = unite(hull(rule.needs) for rule in position.rules if rule.tree and rule.call == call)
    return together if set(own) <= set(together) else own


def ways(position: Position, number: int, call: int) -> list[Ranges]:
    """List the ranges of each line of the tree that makes the call, ``number`` first; none lies in another."""
    lines = [rule for rule in position.rules if rule.tree and rule.call == call]
    return distinct(hull(rule.needs) for rule in sorted(lines, key=lambda rule: rule.number != number))


def force_of(position: Position, line: Line | None, call: int) -> str:
    """Return what partner must do: by the line's own words, or as partner's system counts it."""
    for flag in ("gf", "signoff", "invite"):
        if line is not None and flag in line.flags:
            return FLAG_TEXT[flag]
    if call < FIRST_BID and (line is None or "forcing" not in line.flags):
        return ""
    auctions = Auctions.replay(position.calls[None], position.view.dealer, position.view.vulnerability)
    for step in (call, PASS):
        auctions.step(step)
        if auctions.done[0]:
            return ""
    partner = Position(as_seat(position.bidder, position.seat, position.seat ^ 2), public_view(auctions))
    if partner.context[FORCED]:
        return "forcing"
    bid = call - FIRST_BID
    return "not forcing" if bid >= 0 and bid < GAME_BIDS[bid % 5] else ""


def _passes(position: Position, call: int) -> Iterator[PassInference]:
    """Yield what the call denies if it is a pass, and the last pass of each other seat."""
    if call == PASS:
        found = infer_from_pass(position)
        if found:
            yield PassInference(position.seat, len(position.calls), tuple(found))
    for offset in (1, 2, 3):
        number = len(position.calls) - offset  # the right-hand opponent's last call, partner's, the left-hand one's
        if number < 0 or position.calls[number] != PASS:
            continue
        seat = (position.seat - offset) & 3
        auctions = Auctions.replay(position.calls[None, :number], position.view.dealer, position.view.vulnerability)
        found = infer_from_pass(Position(as_seat(position.bidder, position.seat, seat), public_view(auctions)), _OTHERS)
        if found:
            yield PassInference(seat, number, tuple(found))


def line_of_rule(bidder: HierarchyBidder, rule: int) -> Line | None:
    """Return the line behind a rule by which a bidder of one system decided; None of -1."""
    if rule < 0:
        return None
    compiled = bidder.own.compiled
    return line_of(bidder.own.system, rule >= first_general_rule(compiled), int(compiled.rules[rule, RULE_LINE]))


def as_seat(bidder: HierarchyBidder, seat: int, other: int) -> HierarchyBidder:
    """Return the same four systems as ``other`` has them, where ``bidder`` is at ``seat``."""
    at = {seat & 2: bidder.own, (seat & 2) ^ 2: bidder.partner}  # our systems at N or E, and at S or W
    if (seat ^ other) & 1 == 0:
        return HierarchyBidder(at[other & 2], at[(other & 2) ^ 2], bidder.opponents)
    theirs = {0: bidder.opponents[0], 2: bidder.opponents[1]}
    return HierarchyBidder(theirs[other & 2], theirs[(other & 2) ^ 2], (at[0], at[2]))
