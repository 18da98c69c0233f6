"""Draw deals seat by seat, each try from its own stream, with importance weights.

The first seat is drawn by counting (``bridge_env.sampling.counting``), each hand of its classes with the same chance.
The others follow in one of two ways:

- ``SHUFFLED``: at random from the cards that are left; a try in which a hand is of no class that fits is dropped.
- ``COUNTED``: by counting too, among the cards that are left. A deal has the chance 1 / (hands that were to choose
  from), so it counts for the product of these numbers: its weight.

Where cards may lie with some of the hidden seats only, the choices differ from try to try, and weights do the rest.
Weights are made equal by keeping a deal of weight w < cap with chance w / cap, and then at weight cap (rejection
control: Liu, Chen and Wong, "Rejection control and sequential importance sampling", 1998). That is exact for any cap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.intrinsics import ones
from bridge_env.compiled.jit import njit
from bridge_env.rng.streams_numba import row_draw
from bridge_env.sampling.bits import holding, points, random_subset, to_bits, uniform
from bridge_env.sampling.constraints import ALL_POINTS, MOST_POINTS, SHAPES, hull
from bridge_env.sampling.counting import TABLES, Scratch, count_hands, draw_hand, scratch
from bridge_env.sampling.known_cards import HAND, KnownCards

UInt64Array = NDArray[np.uint64]

SHUFFLED, COUNTED = 0, 1
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@dataclass(eq=False)
class DealSpace:
    """The space to draw deals from: where cards may lie, and the classes of every seat's hand."""

    order: NDArray[np.int64]  # (K,), the seats with hidden cards, the rarest hand first
    fixed: UInt64Array  # (4,), cards that a seat has for certain
    allowed: UInt64Array  # (4,), cards that it may have besides
    needs: NDArray[np.int64]  # (4,), how many of ``allowed`` a seat has
    classes: UInt64Array  # (4, 2744)
    reversed_classes: UInt64Array  # (4, 2744), with bit ``37 - h`` for ``h``
    bounds: NDArray[np.int64]  # (4, 4, 2), the lengths that ``classes`` allow
    even: bool  # every hidden seat may hold every hidden card
    feasible: bool  # each seat alone has hands that fit
    _first: Scratch = field(default_factory=scratch)
    _later: Scratch = field(default_factory=scratch)
    _shapes: int = 0

    @classmethod
    def of(cls, known: KnownCards, classes: UInt64Array) -> DealSpace:
        """Make the space of deals with known cards and the classes uint64 (4, 2744) of the four seats."""
        owners = known.may_hold.sum(axis=0)
        own = known.may_hold & (owners == 1)
        may = known.may_hold & (owners > 1)
        needs = (HAND - own.sum(axis=1)).astype(np.int64)
        hidden = np.flatnonzero(needs > 0)
        bounds = np.stack([hull(of_seat)[1] for of_seat in classes])
        space = cls(
            hidden, to_bits(own), to_bits(may), needs, np.ascontiguousarray(classes), _reversed(classes), bounds,
            bool((may[hidden] == may.any(axis=0)).all()), True,
        )  # fmt: skip
        space._arrange()
        return space

    def _arrange(self) -> None:
        """Put the seat whose hand is rarest first, and count its hands; see whether all seats have some."""
        if len(self.order) == 0:
            self.feasible = all(_of_class(self.fixed[s], s, self.classes) for s in range(4))
            return
        for seat in range(4):  # hands that are known
            if self.needs[seat] == 0 and not _of_class(self.fixed[seat], seat, self.classes):
                self.feasible = False
        share = [self._count(seat, -1, self._later)[1] for seat in self.order]
        of_all = [TABLES.binomials[int(self.allowed[s]).bit_count(), self.needs[s]] for s in self.order]
        rarity = np.array(share) / np.array(of_all)
        self.order = self.order[np.argsort(rarity, kind="stable")]
        last = int(self.order[1]) if len(self.order) == 2 else -1
        self._shapes, hands = self._count(int(self.order[0]), last, self._first)
        self.feasible = self.feasible and bool((rarity > 0).all()) and hands > 0

    def _count(self, seat: int, last: int, into: Scratch) -> tuple[int, float]:
        """Count shapes and hands of ``seat`` from all hidden cards; ``last``, if it is no -1, takes the rest."""
        other = max(last, 0)
        base, base_points = _summary(self.fixed[seat])
        rest, rest_points = _summary(self.fixed[other] | self.allowed[other])
        counted: tuple[int, float] = count_hands(
            self.allowed[seat], self.needs[seat], base, base_points, self.classes[seat], self.bounds[seat],
            rest, rest_points, self.reversed_classes[other], self.bounds[other], last >= 0, TABLES.ways, into,
        )  # fmt: skip
        return counted

    def draw(
        self, key: np.uint64, method: int, cap: float, first: int, stop: int, most: int
    ) -> tuple[UInt64Array, NDArray[np.float64], NDArray[np.int64], int]:
        """Draw deals by tries ``first`` to ``stop - 1``, until ``most`` are accepted.

        Returns:
            bits (M, 4), weights (M,), the numbers of the tries (M,), and the number of the next try. Try ``i`` draws
            from ``streams.draws(key)[i]`` alone.
        """
        bits, weights = np.empty((most, 4), np.uint64), np.empty(most)
        numbers = np.empty(most, np.int64)
        accepted, after = draw_deals(
            key, method, cap, first, stop, bits, weights, numbers, self.order, self.fixed, self.allowed, self.needs,
            self.classes, self.reversed_classes, self.bounds, self.even, self._shapes, self._first, self._later, TABLES,
        )  # fmt: skip
        return bits[:accepted], weights[:accepted], numbers[:accepted], after


def all_classes() -> UInt64Array:
    """Return the classes of all hands, uint64 (2744,)."""
    return np.full(SHAPES, ALL_POINTS)


def _reversed(classes: UInt64Array) -> UInt64Array:
    out = np.zeros_like(classes)
    for h in range(MOST_POINTS + 1):
        out |= ((classes >> np.uint64(h)) & _ONE) << np.uint64(MOST_POINTS - h)
    return out


@njit
def _summary(bits):  # type: ignore[no-untyped-def]
    """Return the lengths, int64 (4,), and the points of a hand."""
    lengths = np.empty(4, np.int64)
    for suit in range(4):
        lengths[suit] = ones(holding(bits, suit))
    return lengths, points(bits)


@njit
def _of_class(bits, seat, classes):  # type: ignore[no-untyped-def]
    """Return whether the hand's class is one of the seat's."""
    clubs, diamonds, hearts = ones(holding(bits, 0)), ones(holding(bits, 1)), ones(holding(bits, 2))
    return (classes[seat, (clubs * 14 + diamonds) * 14 + hearts] >> np.uint64(points(bits))) & _ONE != _ZERO


@njit(forceinline=True)
def _one_deal(  # type: ignore[no-untyped-def]
    stream, method, left, order, fixed, allowed, needs, classes, reversed_classes, bounds, even,
    first_shapes, first, later, tables, room, deal,
):  # fmt: skip
    """Draw one deal into ``deal`` uint64 (4,). Returns its weight, 0 if there is none."""
    last, weight = len(order) - 1, 1.0
    for i in range(last + 1):
        seat = order[i]
        theirs = _ZERO
        for j in range(i + 1, last + 1):
            theirs |= allowed[order[j]]
        forced = left & ~theirs  # nobody after this seat may have them
        if forced & ~allowed[seat]:
            return 0.0
        free = left & theirs & allowed[seat]
        need = needs[seat] - ones(forced)
        if need < 0 or need > ones(free):
            return 0.0
        if i == 0 and last > 0:
            chosen = draw_hand(stream, free, need, first_shapes, tables, first)
        elif i < last and method == COUNTED:
            base, base_points = _summary(fixed[seat] | forced)
            other = order[last]
            rest, rest_points = _summary(fixed[other] | (left & allowed[other]))
            n, hands = count_hands(free, need, base, base_points, classes[seat], bounds[seat], rest, rest_points,
                                   reversed_classes[other], bounds[other], i == last - 1, tables.ways,
                                   later)  # fmt: skip
            if n == 0:
                return 0.0
            weight *= hands
            chosen = draw_hand(stream, free, need, n, tables, later)
        else:
            if not even:
                weight *= tables.binomials[ones(free), need]
            chosen = random_subset(stream, free, need, room)
        chosen |= forced
        deal[seat] = fixed[seat] | chosen
        if not _of_class(deal[seat], seat, classes):
            return 0.0
        left &= ~chosen
    return weight


@njit
def draw_deals(  # type: ignore[no-untyped-def]
    key, method, cap, start, stop, out, weights, numbers, order, fixed, allowed, needs,
    classes, reversed_classes, bounds, even, first_shapes, first, later, tables,
):  # fmt: skip
    """Draw as ``DealSpace.draw``; return how many were accepted, and the number of the next try."""
    stream, room, deal = np.empty(1, np.uint64), np.empty(52, np.int64), fixed.copy()
    hidden = np.uint64(0)
    for seat in order:
        hidden |= allowed[seat]
    accepted, number = 0, start
    while number < stop and accepted < len(out):
        stream[0] = row_draw(key, number)
        weight = _one_deal(
            stream, method, hidden, order, fixed, allowed, needs, classes, reversed_classes, bounds, even,
            first_shapes, first, later, tables, room, deal,
        )  # fmt: skip
        if 0.0 < weight < cap:
            weight = cap if uniform(stream) * cap < weight else 0.0
        if weight > 0.0:
            for seat in range(4):
                out[accepted, seat] = deal[seat]
            weights[accepted], numbers[accepted] = weight, number
            accepted += 1
        number += 1
    return accepted, number
