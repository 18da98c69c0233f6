"""Sample deals that contain the known cards and fit the constraints.

1. Deals are drawn whose hands are of classes that can fit (``drawing``): the rarest hand by counting, the others at
   random where that succeeds often enough, and by counting with weights where it does not.
2. They are tested exactly, seat by seat; those that pass are the sample. Each deal that fits all constraints has the
   same chance, or a weight that makes up for it: the frequencies are those of plain rejection.
3. Where too few pass, the least violating of a pool are added: deals that failed the test, then deals
   of classes ever further from those that fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.rng import streams
from bridge_env.rules.cards import parse_seat
from bridge_env.sampling.bits import to_hands, to_owner
from bridge_env.sampling.constraints import Constraint, relaxed
from bridge_env.sampling.drawing import COUNTED, SHUFFLED, DealSpace, all_classes
from bridge_env.sampling.known_cards import KnownCards

UInt64Array = NDArray[np.uint64]
T = TypeVar("T")
BySeat = Mapping[str, T] | Mapping[int, T] | Mapping[str | int, T]  # a mapping is strict about its keys

_PILOT = 1024  # tries that decide how to draw
_COST = 8  # what a counted try costs, in shuffled ones
_STEEPEST = 8.0  # deals of more than so many times the mean weight keep a greater weight
_RELAXATIONS = (1, 2, 4, 8, 16)  # steps away from the classes that fit
_TOLERANCE = 2.0  # a deal that violates this much counts for 1/e
_WIDER = 20_000  # tries at each of them


@dataclass(frozen=True, eq=False)
class Sample:
    """Deals drawn by ``sample_deals``.

    Attributes:
        owner: uint8 (n, 52), the seat that holds each card.
        violation: float32 (n,), 0 where all constraints hold.
        weight: float64 (n,), the weight of each deal; they add up to 1. Take averages with these. Deals that
            violate something count for ``exp(-violation / 2)`` of one that fits.
        tried: the number of deals drawn.
        method: ``"shuffled"``, ``"counted"``, or ``"relaxed"`` where no deal of the right classes was found.
    """

    owner: NDArray[np.uint8]
    violation: NDArray[np.float32]
    weight: NDArray[np.float64]
    tried: int
    method: str

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def fitting(self) -> int:
        """Count the deals that fit all constraints."""
        return int((self.violation == 0).sum())

    @property
    def effective(self) -> float:
        """Return the effective sample size: 1 / (sum of the squared weights)."""
        return float(1.0 / np.square(self.weight).sum()) if len(self) else 0.0


def sample_deals(
    known: KnownCards,
    constraints: BySeat[Constraint],
    count: int,
    key: ArrayLike,
    *,
    weights: BySeat[float] | None = None,
    limit: int | None = None,
    nearest: bool = True,
) -> Sample:
    """Draw deals.

    Args:
        known: which seats may hold each card: ``KnownCards.seen({"S": "AKQ2.T98.J7.A543"})``.
        constraints: seat -> the constraint on its hand, such as ``{"N": hand(hcp=(15, 17), balanced=True)}``.
        count: deals wanted. Where enough fit, a smaller count draws the first of the same deals.
        key: uint64, the stream that the deals are drawn from (``bridge_env.rng.streams.key``).
        weights: seat -> the weight of a violation of its constraint (default 1), where deals must be chosen
            that do not fit.
        limit: deals to try at most; default 500 for each that is wanted, and 100,000 at least.
        nearest: where too few deals fit, add those that violate least; else the sample is smaller, or empty.

    >>> from bridge_env.rng import streams
    >>> me = KnownCards.seen({"S": "AKQ2.T98.J7.A543"})
    >>> deals = sample_deals(me, {"N": hand(hcp=(15, 17), balanced=True)}, 1000, streams.key("example"))
    >>> deals.fitting, round(deals.effective)
    (1000, 1000)
    """
    wanted = {parse_seat(seat): constraint for seat, constraint in constraints.items()}
    importance = {parse_seat(seat): float(weight) for seat, weight in (weights or {}).items()}
    most = limit if limit is not None else max(500 * count, 100_000)
    stream = np.uint64(np.ravel(key)[0])
    return _Search(known.propagated(), wanted, importance, count, stream, most, nearest).run()


@dataclass(eq=False)
class _Search:
    known: KnownCards
    constraints: dict[int, Constraint]
    importance: dict[int, float]
    count: int
    key: np.uint64
    limit: int
    nearest: bool
    tried: int = 0
    fitting: list[UInt64Array] = field(default_factory=list)
    fitting_weights: list[NDArray[np.float64]] = field(default_factory=list)
    failed: list[UInt64Array] = field(default_factory=list)

    def run(self) -> Sample:
        if self.count <= 0:
            return Sample(np.empty((0, 52), np.uint8), np.empty(0, np.float32), np.empty(0), 0, "shuffled")
        classes = np.stack([all_classes()] * 4)
        for seat, constraint in self.constraints.items():
            classes[seat] = constraint.classes()
        space = DealSpace.of(self.known, classes)
        method, cap = self._choose_method(space) if space.feasible else (-1, 0.0)
        if method >= 0:
            self._collect(space, method, cap)
        found = sum(len(f) for f in self.fitting)
        bits = np.concatenate([*self.fitting, np.empty((0, 4), np.uint64)])[: self.count]
        weight = np.concatenate([*self.fitting_weights, np.empty(0)])[: self.count]
        violation = np.zeros(len(bits), np.float32)
        if found < self.count and self.nearest:
            more, distance = self._least_violating(classes, self.count - found)
            usual = float(weight.mean()) if found else 1.0
            bits, violation = np.concatenate([bits, more]), np.concatenate([violation, distance])
            least = 0.0 if found else float(distance.min())  # their shares stay, and exp(-800) would be 0
            share = np.exp((least - distance.astype(np.float64)) / _TOLERANCE)
            weight = np.concatenate([weight, usual * share])
        name = {SHUFFLED: "shuffled", COUNTED: "counted"}.get(method, "relaxed")
        return Sample(to_owner(bits), violation, weight / weight.sum(), self.tried, name)

    def _choose_method(self, space: DealSpace) -> tuple[int, float]:
        """Return how to draw, and the weight up to which deals are evened out; (-1, 0) if no try succeeds."""
        pilot = self._stream("pilot")
        _, weights, _, _ = space.draw(pilot, SHUFFLED, 0.0, 0, _PILOT, _PILOT)
        if len(space.order) <= 2:
            return (SHUFFLED, _cap(weights)) if len(weights) else (-1, 0.0)
        shuffled = len(weights) / _PILOT * (_evenness(weights) if len(weights) else 0.0)
        if shuffled * _COST > 1:
            return SHUFFLED, _cap(weights)
        _, counted_weights, _, _ = space.draw(pilot, COUNTED, 0.0, 0, _PILOT // 4, _PILOT)
        if len(counted_weights) * 4 / _PILOT * _evenness(counted_weights) > shuffled * _COST:
            return COUNTED, _cap(counted_weights)
        if len(weights):
            return SHUFFLED, _cap(weights)
        _, weights, _, _ = space.draw(pilot, COUNTED, 0.0, _PILOT // 4, 8 * _PILOT, 64)
        return (COUNTED, _cap(weights)) if len(weights) else (-1, 0.0)

    def _stream(self, purpose: str) -> np.uint64:
        return np.uint64(streams.key(self.key, purpose)[0])

    def _collect(self, space: DealSpace, method: int, cap: float) -> None:
        """Draw and test until enough deals fit, or the limit is reached."""
        found = tested = failed = 0
        while found < self.count and self.tried < self.limit and tested < max(100 * self.count, 10_000):
            rate = (found + 1) / (tested + 2)
            most = int(min(max((self.count - found) / rate * 1.1 + 16, 256), 16_384))
            bits, weights, numbers, after = space.draw(self.key, method, cap, self.tried, self.limit, most)
            passed = self._passing(bits)
            found, tested = found + int(passed.sum()), tested + len(bits)
            self.fitting.append(bits[passed])
            self.fitting_weights.append(weights[passed])
            if failed < 8 * self.count:
                self.failed.append(bits[~passed])
                failed += len(bits) - int(passed.sum())
            self.tried = after
            if found >= self.count:
                self.tried = int(numbers[passed][self.count - found - 1]) + 1  # the last that is returned

    def _passing(self, bits: UInt64Array) -> NDArray[np.bool_]:
        """Return which deals pass every seat's test, bool (N,)."""
        alive = np.arange(len(bits))
        for seat, constraint in self.constraints.items():
            if len(alive):
                alive = alive[constraint.fits(to_hands(bits[alive, seat]))]
        passed = np.zeros(len(bits), np.bool_)
        passed[alive] = True
        return passed

    def _least_violating(self, classes: UInt64Array, count: int) -> tuple[UInt64Array, NDArray[np.float32]]:
        """Return the ``count`` least violating deals of a pool: deals uint64 (count, 4), and their violations.

        Classes grow step by step, at each step first those of the seats that weigh less, then all.
        """
        pool = [*self.failed, np.empty((0, 4), np.uint64)]
        enough, most = 4 * self.count, max((self.importance.get(seat, 1.0) for seat in self.constraints), default=1.0)
        lighter = [seat for seat in self.constraints if self.importance.get(seat, 1.0) < most]
        wider, steps = classes.copy(), 0
        for number, upto in enumerate(_RELAXATIONS):
            if sum(len(part) for part in pool) >= enough:
                break
            for seat in self.constraints:
                for _ in range(steps, upto):
                    wider[seat] = relaxed(wider[seat])
            steps, fewer = upto, classes.copy()
            fewer[lighter] = wider[lighter]
            for which, trial in enumerate((fewer, wider)):
                missing = enough - sum(len(part) for part in pool)
                if missing > 0 and (which or lighter):
                    pool.append(self._of_wider(trial, min(missing, self.count), 2 * number + which))
        anything = self._of_wider(np.stack([all_classes()] * 4), max(enough - sum(len(part) for part in pool), 0), -1)
        return self._best([*pool, anything], count)

    def _best(self, parts: list[UInt64Array], count: int) -> tuple[UInt64Array, NDArray[np.float32]]:
        """Return the ``count`` least violating deals, the first of equals; repeated where there are fewer."""
        pool = np.concatenate(parts)
        violation = np.zeros(len(pool), np.float32)
        for seat, constraint in self.constraints.items():
            violation += self.importance.get(seat, 1.0) * constraint.violation(to_hands(pool[:, seat]))
        best = np.argsort(violation, kind="stable")
        best = np.resize(best, count) if len(best) < count else best[:count]
        return pool[best], violation[best]

    def _of_wider(self, classes: UInt64Array, wanted: int, number: int) -> UInt64Array:
        """Return up to ``wanted`` deals of wider classes; ``number`` names their stream, -1: of all classes."""
        space = DealSpace.of(self.known, classes)
        if wanted == 0 or not space.feasible:
            return np.empty((0, 4), np.uint64)
        key, method, stop = self._stream(f"relaxed {number}"), SHUFFLED, _WIDER
        if number < 0:
            stop = max(_WIDER, 10 * wanted)
        elif not len(space.draw(key, SHUFFLED, 0.0, 0, _PILOT, 16)[0]):
            method, stop = COUNTED, _WIDER // _COST
        bits, _, _, after = space.draw(key, method, 0.0, 0, stop, wanted)
        self.tried += after
        return bits


def _evenness(weights: NDArray[np.float64]) -> float:
    """Return the share of deals that is left when their weights are made equal."""
    return float(np.minimum(weights / _cap(weights), 1.0).mean()) if len(weights) else 0.0


def _cap(weights: NDArray[np.float64]) -> float:
    """Return the weight below which deals are accepted with the chance that evens them out."""
    return float(min(weights.max(), _STEEPEST * weights.mean())) if len(weights) else 0.0
