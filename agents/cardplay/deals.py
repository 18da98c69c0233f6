"""Sample the deals that a card player considers: they fit the facts and the auction, and what the play suggests.

ALL: deals fit the hypotheses that are kept. A hypothesis is discarded where it contradicts the facts; if not, where it
contradicts what else is believed: the auction, and the hypotheses before it.

LIKELY: of a pool of deals that fit facts and auction, those are taken that would likely have been played so
(``likelihood``), each with its weight. Hypotheses are only told, with the weight of the deals that they fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.facts import hidden_seats, places_of
from agents.cardplay.hypotheses import Hypothesis, hypotheses
from agents.cardplay.likelihood import log_likelihood
from bridge_env import streams
from bridge_env.cards import SEATS
from bridge_env.play_view import PlayView
from bridge_env.sampling import Constraint, Places, PlacesError, Sample, sample_deals
from bridge_env.sampling.drawing import everything

FACTS, AUCTION, ALL, LIKELY = "facts", "auction", "all", "likely"
AGAINST_FACTS, AGAINST_OTHERS = "contradicts the cards seen", "contradicts what else is believed"

_TRIES = 2_000  # deals to try, and for each that is wanted
_TRIES_EACH = 100
_PROBE = 4_000  # tries that decide whether a hypothesis leaves any deal
_POOL, _LARGEST_POOL = 500, 2_000  # deals that are weighed: the first, and the most
_EFFECTIVE = 120.0  # the pool is large enough where its weights are worth so many equal ones
_ENOUGH = 20  # of a pool, deals that violate something are left out where so many fit


@dataclass(frozen=True, eq=False)
class Belief:
    """Sampled deals, with the evidence behind them.

    Attributes:
        owner: uint8 (S, 52), the thirteen cards that each seat was dealt; no deal twice.
        weight: float64 (S,), what each counts for; they add up to 1.
        sample: how they were drawn.
        kept: hypotheses that all of them fit (but those that violate something); with LIKELY, those that most fit.
        discarded: the others, each with the reason; with LIKELY, how many fit.
        read: the seats whose calls were read.
    """

    owner: NDArray[np.uint8]
    weight: NDArray[np.float64]
    sample: Sample
    kept: list[Hypothesis] = field(default_factory=list)
    discarded: list[tuple[Hypothesis, str]] = field(default_factory=list)
    read: tuple[int, ...] = ()

    def __str__(self) -> str:
        violation = float(self.sample.violation @ self.sample.weight)
        off = "" if self.sample.fitting == len(self.sample) else f", off by {violation:.1f} on average"
        calls = f"calls of {''.join(SEATS[s] for s in self.read)} read" if self.read else "no calls read"
        told = f"{len(self.kept)} hypotheses kept, {len(self.discarded)} discarded"
        return f"{self.sample}{off}; {len(self.owner)} of them different; {calls}, {told}"


@dataclass(frozen=True, eq=False)
class _Held:
    """What a seat's calls show, and hypotheses about its hand, as one constraint of the sampler."""

    shown: Constraint | None
    told: tuple[Hypothesis, ...]

    def classes(self, size: int) -> NDArray[np.uint64]:
        return everything() if self.shown is None else self.shown.classes(size)

    def fits(self, hands: NDArray[np.bool_]) -> NDArray[np.bool_]:
        out = np.ones(len(hands), np.bool_) if self.shown is None else self.shown.fits(hands)
        for hypothesis in self.told:
            out &= hypothesis.violation(hands) == 0
        return out

    def violation(self, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
        out = np.zeros(len(hands), np.float32) if self.shown is None else self.shown.violation(hands)
        for hypothesis in self.told:
            out = out + hypothesis.violation(hands)
        return out


def believed_deals(
    view: PlayView, row: int, reader: AuctionReader, count: int, key: np.uint64, inference: str = ALL
) -> Belief:
    """``count`` deals for the player who chooses in one row of ``view``.

    Args:
        reader: of the auction.
        key: the stream they are drawn from.
        inference: FACTS alone, or with the AUCTION, or ALL, with hypotheses from the play.
    """
    if inference == LIKELY:
        return Pool.of(view, row, reader, key, count).believed(count)
    hidden = hidden_seats(view, row)
    told = hypotheses(view, row, hidden) if inference == ALL else []
    return _search(view, row, reader, key, inference).believed(told, count)


def _search(view: PlayView, row: int, reader: AuctionReader, key: np.uint64, inference: str) -> _Search:
    hidden = hidden_seats(view, row)
    shown: dict[int, Constraint] = {}
    if inference != FACTS:
        shown = {seat: said for seat, said in reader.shown(view, row).items() if seat in hidden}
    return _Search(places_of(view, row), shown, key)


@dataclass(frozen=True, eq=False)
class Pool:
    """Deals that fit the facts and the auction, each with the weight that the play so far gives it.

    Attributes:
        sample: the deals; ``weight`` float64 (S,), adding up to 1.
        told: hypotheses from the play, which weigh nothing here, and are only told.
        read: the seats whose calls were read.
        enough: up to so many deals may be taken from it.
        key: the stream of the choice.
    """

    sample: Sample
    weight: NDArray[np.float64]
    told: list[Hypothesis]
    read: tuple[int, ...]
    enough: int
    key: np.uint64

    @classmethod
    def of(cls, view: PlayView, row: int, reader: AuctionReader, key: np.uint64, count: int) -> Pool:
        """A pool from which ``count`` deals can be taken."""
        hidden, search = hidden_seats(view, row), _search(view, row, reader, key, LIKELY)
        size, most = max(_POOL, 2 * count), max(_LARGEST_POOL, 2 * count)
        while True:
            sample = search.pool(size)
            log = log_likelihood(view, row, hidden, sample.owner)
            weight = sample.weight * np.exp(log - log.max())
            weight /= weight.sum()
            if size >= most or 1.0 / np.square(weight).sum() >= _EFFECTIVE or len(sample) < size:
                break
            size *= 2
        told = hypotheses(view, row, hidden)
        return cls(sample, weight, told, tuple(sorted(search.shown)), max(_POOL // 2, count), key)

    def believed(self, count: int) -> Belief:
        """``count`` of the deals. A smaller count takes some of the same."""
        at, share = prioritized(self.weight, count, self.key)
        owner, which = np.unique(self.sample.owner[at], axis=0, return_inverse=True)
        weight = np.bincount(which.ravel(), weights=share, minlength=len(owner)).astype(np.float64)
        kept: list[Hypothesis] = []
        rest: list[tuple[Hypothesis, str]] = []
        for hypothesis in self.told:
            fits = float(weight @ (hypothesis.violation(owner == hypothesis.seat) == 0))
            if fits >= 0.5:
                kept.append(hypothesis)
            else:
                rest.append((hypothesis, f"fits {fits:.0%} of the deals, by weight"))
        return Belief(owner, weight, self.sample, kept, rest, self.read)


def prioritized(
    weight: NDArray[np.float64], count: int, key: np.uint64
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose ``count`` of the deals, with new weights that add up to 1; a smaller count chooses some of the same.

    Priority sampling (Duffield, Lund and Thorup, 2007): those with the greatest weight over a uniform number are taken.
    A weight below the next such quotient becomes that quotient: on average sums come out as over all deals.
    """
    if len(weight) <= count:
        return np.arange(len(weight)), weight / weight.sum()
    chance = 1.0 - streams.uniforms(streams.key(key, "priority"), len(weight))[0]
    priority = weight / chance
    order = np.argsort(-priority, kind="stable")
    at, next_one = order[:count], priority[order[count]]
    share = np.maximum(weight[at], next_one)
    return at, share / share.sum()


@dataclass(frozen=True, eq=False)
class _Search:
    places: Places
    shown: Mapping[int, Constraint]
    key: np.uint64

    def pool(self, size: int) -> Sample:
        """Deals that fit facts and auction; where too few do, no more than are looked at otherwise."""
        limit = _TRIES + _TRIES_EACH * size // 4
        sample = sample_deals(self.places, self.shown, size, self.key, limit=limit)
        fits = sample.violation == 0
        few = np.flatnonzero(fits) if fits.sum() >= _ENOUGH else np.arange(min(len(sample), 2 * _ENOUGH))
        if len(few) == len(sample):
            return sample
        weight = sample.weight[few]
        return Sample(sample.owner[few], sample.violation[few], weight / weight.sum(), sample.tried, sample.way)

    def believed(self, told: Sequence[Hypothesis], count: int) -> Belief:
        possible = [h for h in told if h.possible(self.places)]
        discarded = [(h, AGAINST_FACTS) for h in told if h not in possible]
        kept, rest = self._placed_together(possible)
        sample = self._sample(kept, count)
        if kept and not sample.fitting and self._feasible([]):
            kept, rest = self._one_by_one(possible)
            sample = self._sample(kept, count)
        discarded += [(h, AGAINST_OTHERS) for h in rest]
        owner, which = np.unique(sample.owner, axis=0, return_inverse=True)
        weight = np.bincount(which.ravel(), weights=sample.weight, minlength=len(owner)).astype(np.float64)
        return Belief(owner, weight, sample, kept, discarded, tuple(sorted(self.shown)))

    def _placed_together(self, told: Sequence[Hypothesis]) -> tuple[list[Hypothesis], list[Hypothesis]]:
        """The hypotheses for which there are places, one after the other, and the others."""
        kept: list[Hypothesis] = []
        rest: list[Hypothesis] = []
        for hypothesis in told:
            (kept if self._placed([*kept, hypothesis]) is not None else rest).append(hypothesis)
        return kept, rest

    def _one_by_one(self, told: Sequence[Hypothesis]) -> tuple[list[Hypothesis], list[Hypothesis]]:
        """The hypotheses that leave some deal, one after the other, and the others."""
        kept: list[Hypothesis] = []
        rest: list[Hypothesis] = []
        for hypothesis in told:
            (kept if self._feasible([*kept, hypothesis]) else rest).append(hypothesis)
        return kept, rest

    def _feasible(self, told: Sequence[Hypothesis]) -> bool:
        if self._placed(told) is None:
            return False
        return bool(self._sample(told, 1, np.uint64(streams.key(self.key, "feasible")[0]), _PROBE).fitting)

    def _placed(self, told: Sequence[Hypothesis]) -> Places | None:
        """The places less the cards that seats do not hold; None where no deal is left."""
        may_hold = self.places.may_hold.copy()
        for hypothesis in told:
            may_hold[hypothesis.seat, hypothesis.lacking() or []] = False
            if not hypothesis.possible(Places(may_hold, self.places.sizes)):
                return None
        if not may_hold.any(axis=0).all():
            return None
        try:
            return Places(may_hold, self.places.sizes).settled()
        except PlacesError:
            return None

    def _sample(self, told: Sequence[Hypothesis], count: int, key: np.uint64 | None = None, limit: int = 0) -> Sample:
        places = self._placed(told)
        assert places is not None
        tests = [h for h in told if h.lacking() is None]
        constraints: dict[str | int, Constraint] = {}
        for seat in range(4):
            about = tuple(h for h in tests if h.seat == seat)
            if about or seat in self.shown:
                constraints[seat] = _Held(self.shown.get(seat), about)
        stream = self.key if key is None else key
        return sample_deals(places, constraints, count, stream, limit=limit or _TRIES + _TRIES_EACH * count)
