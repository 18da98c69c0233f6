"""Find the rules that may call at a position, and what any hand would call there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import HierarchyBidder, deal_features
from agents.systems.engine.auction_state import OURS, STRENGTH
from agents.systems.engine.compiled import FIRST
from agents.systems.engine.rule_order import (
    call_of,
    cards_that_count,
    conditions_of,
    context_of,
    meaning_of,
    rules_of,
    write_level,
)
from agents.systems.engine.state_cache import Queries
from agents.systems.explain.auction_reader import shown_by_seats
from agents.systems.explain.needs import needs_of
from agents.systems.explain.seat_shown import SeatShown
from agents.systems.inference.shown import shown_by_calls
from agents.systems.language.columns import TOP
from agents.systems.language.text import is_difference
from agents.systems.language.tree import Atom, Constraint, Line
from agents.systems.language.vocabulary import WORDS
from bridge_env.bidders.view import BidView, public_view
from bridge_env.hands.deals import random_deals
from bridge_env.hands.features import HCP, NUM_FEATURES, POINTS, hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import FIRST_BID, PASS
from bridge_env.sampling import KnownCards, sample_deals

_DEALS = 6_000  # whose hands represent any hand
_ENOUGH = 4_000  # hands, of which more are not looked at
_FEW = 30  # hands: what fewer of them meet is left out of account
_DRAWN = 1_000  # hands that are drawn for a seat
_TELLING = 50  # hands that make a call: a line that makes it for none of them hardly ever does
SELDOM = 0.02  # of the hands that make a call: what fewer of them show is left out of account
_SEED = 2_007


@dataclass(frozen=True)
class Rule:
    """A rule that may call at a position."""

    number: int  # in the system
    call: int  # the legal call that it makes
    needs: Constraint  # its conditions on the hand, suits and what the auction says filled in
    line: Line  # as the system has it
    tree: bool  # it belongs to the tree, not to the general rules

    @property
    def artificial(self) -> bool:
        return "artificial" in self.line.flags


class Position:
    """The position of one row of a view, its hand left aside.

    Args:
        bidder: the seat to call.
        view: a batch of one.
    """

    def __init__(self, bidder: HierarchyBidder, view: BidView) -> None:
        self.bidder, self.view, self.seat = bidder, view, int(view.seat[0])
        self.compiled = bidder.own.compiled
        self.states, self.systems = bidder.states(self.seat)
        self.calls = view.history[0, : int(view.length[0])].astype(np.int8)
        bids = self.calls[self.calls >= FIRST_BID]
        self.last_bid = int(bids[-1]) - FIRST_BID if len(bids) else -1

    def after(self, calls: Sequence[int]) -> Position | None:
        """Return the position after other calls, whose seat knows the four systems as this one does; None at an end."""
        auctions = one_auction(calls, int(self.view.dealer[0]), int(self.view.vulnerability[0]))
        if auctions.done[0]:
            return None
        view = public_view(auctions)
        return Position(_as_seat(self.bidder, self.seat, int(view.seat[0])), view)

    def shown_after(
        self, calls: Sequence[int], hand: tuple[int, NDArray[np.bool_]] | None = None
    ) -> dict[int, SeatShown]:
        """Return what each seat that has called has shown after some calls; ``hand`` as for ``shown_by_seats``."""
        view = public_view(one_auction(calls, int(self.view.dealer[0]), int(self.view.vulnerability[0])))
        return shown_by_seats(_as_seat(self.bidder, self.seat, int(view.seat[0])), view, hand=hand)

    @cached_property
    def _context(self) -> tuple[NDArray[np.int16], int]:
        rows, nodes = self.states.feature_rows(self._queries(np.zeros((1, NUM_FEATURES), np.int16)), self.systems)
        return rows[0], int(nodes[0])

    def row(self, hand: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the feature row int16 (NUM_COLUMNS,) of a hand int16 (NUM_FEATURES,) here."""
        return self.rows(hand[None])[0]

    def rows(self, hands: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return the feature rows int16 (N, NUM_COLUMNS) of hands int16 (N, NUM_FEATURES) here."""
        queries = Queries.of_view(self.view.take(np.zeros(len(hands), np.int64)))
        queries.features[:, self.seat] = hands
        return self.states.feature_rows(queries, self.systems)[0]

    @property
    def context(self) -> NDArray[np.int16]:
        """Return a feature row int16 (NUM_COLUMNS,) whose columns of the auction are written; the hand is empty."""
        return self._context[0]

    @cached_property
    def strength(self) -> NDArray[np.int16]:
        """Return the least and the most strength that each seat has shown so far, int16 (4, 2): of calls that disagree
        the earlier count.
        """
        before = self.after(self.calls[:-1].tolist()) if len(self.calls) else None
        if before is None:
            return np.array([[0, TOP[STRENGTH]]] * 4, np.int16)
        out = before.strength.copy()
        low, high = self.bidder.meaning(self.view)[0, before.seat, STRENGTH]
        if out[before.seat, 0] <= low and high <= out[before.seat, 1]:
            out[before.seat] = low, high
        return out

    @property
    def likely_hands(self) -> NDArray[np.int16]:
        """Return the hands of ``likely_callers``."""
        return self.likely_callers[0]

    @cached_property
    def likely_callers(self) -> tuple[NDArray[np.int16], bool]:
        """Return hands, int16 (N, NUM_FEATURES), that fit the strength that all seats have shown and make the seat's
        calls so far, and whether all these calls count: what hardly any does is left out of account. Where hardly any
        of some deals makes the calls, they are drawn.
        """
        deals = any_deals()
        fit = np.ones(deals.shape[:2], np.bool_)
        for offset in range(4):
            low, high = self.strength[(self.seat + offset) & 3]
            strong = (deals[..., [HCP, POINTS]].max(axis=2) >= low) & (deals[..., HCP] <= high)
            condition = fit & np.roll(strong, -offset, axis=1)
            fit = condition if condition.sum() >= _FEW else fit
        hands, complete = self._select_callers(deals[fit][:_ENOUGH])
        if not complete:
            others, complete = self._select_callers(self._draw_hands())
            hands = others if complete else hands
        return hands, complete

    def _select_callers(self, hands: NDArray[np.int16]) -> tuple[NDArray[np.int16], bool]:
        """Return which hands make the seat's calls so far, and whether all calls count: one that few make does not."""
        complete = True
        for before, call in self._own_calls():
            made = before.decide(hands)[0] == call
            if made.sum() >= _FEW:
                hands = hands[made]
            else:
                complete = False
        return hands, complete

    def equally_possible(self, hands: NDArray[np.int16]) -> NDArray[np.bool_]:
        """Return which hands int16 (N, NUM_FEATURES) make the calls so far that the first makes, and have the strength
        that the seat has shown if the first has it: bool (N,).
        """
        low, high = self.strength[self.seat]
        tests = [(hands[:, [HCP, POINTS]].max(axis=1) >= low) & (hands[:, HCP] <= high)]
        tests += [before.decide(hands)[0] == call for before, call in self._own_calls()]
        return np.all([np.ones(len(hands), np.bool_), *(test for test in tests if test[0])], axis=0)

    def _own_calls(self) -> Iterator[tuple[Position, int]]:
        """Yield the seat's calls so far, each with the position before it."""
        for number in range(len(self.calls) % 4, len(self.calls), 4):
            before = self.after(self.calls[:number].tolist())
            assert before is not None
            yield before, int(self.calls[number])

    def _draw_hands(self) -> NDArray[np.int16]:
        """Draw hands on which the seat makes its calls so far, int16 (N, NUM_FEATURES); none where hardly any does."""
        own = range(len(self.calls) % 4, len(self.calls), 4)
        calls = shown_by_calls(self.bidder, self.view, me=True, numbers=own)
        key = streams.key("likely hands")
        return hand_features(sample_deals(KnownCards.seen({}), calls, _DRAWN, key, nearest=False).owner == self.seat)

    @cached_property
    def likely_decisions(self) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Return the calls of the likely hands, and the rules that make them."""
        return self.decide(self.likely_hands)

    def _queries(self, hands: NDArray[np.int16]) -> Queries:
        """Return the position with hands int16 (N, NUM_FEATURES) of the seat to call."""
        features = np.zeros((len(hands), 4, NUM_FEATURES), np.int16)
        features[:, self.seat] = hands
        return Queries.of_view(self.view)._replace(
            features=features, boards=np.arange(len(hands)), begins=np.array([0, len(hands)])
        )

    @cached_property
    def rules(self) -> list[Rule]:
        """Return the rules that may call here, in their order."""
        node = self._context[1]
        blocks = range(int(self.compiled.blocks[0, FIRST]), len(self.compiled.groups))
        out: list[Rule] = []
        for part in [*([node] if node >= 0 else []), *blocks]:
            when = self._bound(context_of(self.compiled, part), PASS)
            if when is None:
                continue
            for number in rules_of(self.compiled, part):
                rule = self._rule(number, when, part == node)
                if rule is not None:
                    out.append(rule)
                    if not rule.needs:
                        return out  # every hand that comes so far makes this call
        return out

    @property
    def weighed(self) -> bool:
        """Return whether scorecards count here."""
        return bool(cards_that_count(self.compiled, 0, self.context) >= 0)

    def makers(self, call: int) -> list[Rule]:
        """Return the rules that may make ``call``, as partner reads it: those of the tree if there are any."""
        rules = [rule for rule in self.rules if rule.call == call]
        return [rule for rule in rules if rule.tree] or rules

    def usual_makers(self, call: int) -> list[Rule]:
        """Return the rules by which likely hands make ``call``, the most usual first, general ones that seldom do left
        out; where too few hands make it, the same as ``makers``.
        """
        calls, numbers = self.likely_decisions
        made = numbers[calls == call]
        if len(made) < _TELLING:
            return self.makers(call)
        shares = {rule: (made == rule.number).mean() for rule in self.rules if rule.call == call}
        usual = [rule for rule, share in shares.items() if share > (0 if rule.tree else SELDOM)]
        return sorted(usual, key=lambda rule: -shares[rule])

    def call_by_rules(self, row: NDArray[np.int16]) -> int:
        """Return the call that the rules alone make, whatever scorecards do, on a full feature row."""
        for rule in self.rules:
            if all(any(all(_meets(row, atom) for atom in way) for way in clause) for clause in rule.needs):
                return rule.call
        return PASS

    def _rule(self, number: int, when: Constraint, tree: bool) -> Rule | None:
        call = int(call_of(self.compiled, number, self.last_bid))
        if call < 0 or not self.view.mask[0, call]:
            return None
        needs = self._bound(conditions_of(self.compiled, number), call)
        if needs is None:
            return None
        line = self.bidder.own.line_of(number)
        assert line is not None
        return Rule(number, call, (*when, *needs), line, tree)

    def conditions(self, number: int, call: int) -> Constraint:
        """Return what a scorecard's call shows of the hand here."""
        return self._bound(meaning_of(self.compiled, number), call) or ()

    def _bound(self, span: tuple[int, int], call: int) -> Constraint | None:
        context = self.context.copy()
        write_level(call, context)
        theirs = self.last_bid >= 0 and self.last_bid % 5 < 4 and not context[OURS]
        return needs_of(self.compiled, span, context, self.last_bid % 5 if theirs else -1)

    def decide(self, hands: NDArray[np.int16]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Return the calls int8 (N,) of hands int16 (N, NUM_FEATURES), and the rules that made them int32 (N,)."""
        return self.states.look(self._queries(hands), self.systems)[:2]


def _as_seat(bidder: HierarchyBidder, seat: int, other: int) -> HierarchyBidder:
    """Return the same four systems as ``other`` has them, where ``bidder`` is at ``seat``."""
    at = {seat & 2: bidder.own, (seat & 2) ^ 2: bidder.partner}  # our systems at N or E, and at S or W
    if (seat ^ other) & 1 == 0:
        return HierarchyBidder(at[other & 2], at[(other & 2) ^ 2], bidder.opponents)
    theirs = {0: bidder.opponents[0], 2: bidder.opponents[1]}
    return HierarchyBidder(theirs[other & 2], theirs[(other & 2) ^ 2], (at[0], at[2]))


def rules_for(bidder: HierarchyBidder, view: BidView, call: int) -> list[Rule]:
    """Return the rules by which ``bidder``, the seat to call in the one row of ``view``, may make ``call``, as partner
    reads it: those of the tree if there are any. The hand of the view plays no part."""
    return Position(bidder, view).makers(call)


@lru_cache(maxsize=1)
def any_deals() -> NDArray[np.int16]:
    """Return the hands of deals at random, int16 (_DEALS, 4, NUM_FEATURES); the same each time."""
    features = deal_features(random_deals(_SEED, 0, _DEALS))
    features.flags.writeable = False
    return features


def word_value(row: NDArray[np.int16], word: str) -> int:
    """Return the value of a word, whose suits are named, in a feature row."""
    first, _, second = word.partition("-")
    return int(row[WORDS[first]] - row[WORDS[second]] if is_difference(word) else row[WORDS[word]])


def _meets(row: NDArray[np.int16], atom: Atom) -> bool:
    """Return whether a feature row meets one condition, whose suits are named."""
    return atom.lo <= word_value(row, atom.word) <= atom.hi
