"""Sample the deals that a card player considers: they fit the facts and the auction, and what the play suggests.

ALL: deals fit the accepted hypotheses. A hypothesis is discarded where it contradicts the facts; if not, where it
contradicts what else is believed: the auction, and the hypotheses before it. Where a network bids, deals are weighed
instead, by how likely its calls are and by how far hands are off the hypotheses
(``agents.networks.annealed_sampling``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.hypotheses import Hypothesis, hypotheses
from agents.cardplay.known_cards import hidden_seats, places_of
from agents.networks.annealed_sampling import Evidence, annealed_deals
from agents.networks.book import SystemGuided
from agents.networks.likelihood import Calls
from agents.networks.network import Network
from agents.registry import default_belief
from bridge_env.bidders.play_view import PlayView
from bridge_env.rng import streams
from bridge_env.sampling import Constraint, KnownCards, KnownCardsError, Sample, sample_deals
from bridge_env.sampling.drawing import all_classes

FACTS, AUCTION, ALL = "facts", "auction", "all"

_TRIES = 2_000  # deals to try, and for each that is wanted
_TRIES_EACH = 100
_PROBE = 4_000  # tries that decide whether a hypothesis leaves any deal


@dataclass(frozen=True, eq=False)
class BelievedDeals:
    """Sampled deals, with the evidence behind them."""

    owner: NDArray[np.uint8]  # (S, 52), the thirteen cards that each seat was dealt; no deal twice
    weight: NDArray[np.float64]  # (S,), what each counts for; they add up to 1
    sample: Sample  # how they were drawn
    # hypotheses that all of them fit (but those that violate something)
    accepted: list[Hypothesis] = field(default_factory=list)

    @classmethod
    def of(cls, sample: Sample, accepted: list[Hypothesis]) -> BelievedDeals:
        """Return the deals of ``sample``, each once."""
        owner, which = np.unique(sample.owner, axis=0, return_inverse=True)
        weight = np.bincount(which.ravel(), weights=sample.weight, minlength=len(owner)).astype(np.float64)
        return cls(owner, weight, sample, accepted)


@dataclass(frozen=True, eq=False)
class _Held:
    """What a seat's calls show, and hypotheses about its hand, as one constraint of the sampler."""

    shown: Constraint | None
    statements: tuple[Hypothesis, ...]

    def classes(self) -> NDArray[np.uint64]:
        return all_classes() if self.shown is None else self.shown.classes()

    def fits(self, hands: NDArray[np.bool_]) -> NDArray[np.bool_]:
        out = np.ones(len(hands), np.bool_) if self.shown is None else self.shown.fits(hands)
        for hypothesis in self.statements:
            out &= hypothesis.violation(hands) == 0
        return out

    def violation(self, hands: NDArray[np.bool_]) -> NDArray[np.float32]:
        out = np.zeros(len(hands), np.float32) if self.shown is None else self.shown.violation(hands)
        for hypothesis in self.statements:
            out = out + hypothesis.violation(hands)
        return out


def believed_deals(
    view: PlayView, row: int, reader: AuctionReader, count: int, key: np.uint64, inference: str = ALL
) -> BelievedDeals:
    """Return ``count`` deals for the player to choose in one row of ``view``.

    Args:
        reader: of the auction.
        key: the stream they are drawn from.
        inference: FACTS alone, or with the AUCTION, or ALL, with hypotheses from the play.
    """
    hidden = hidden_seats(view, row)
    statements = hypotheses(view, row, hidden) if inference == ALL else []
    shown: dict[int, Constraint] = {}
    networks: dict[int, Sequence[Network | SystemGuided]] = {}
    if inference != FACTS:
        shown = {seat: constraint for seat, constraint in reader.shown(view, row).items() if seat in hidden}
        networks = {seat: models for seat, models in reader.networks(view, row).items() if seat in hidden}
    if not networks or count <= 0:
        return _Search(places_of(view, row), shown, key).believed(statements, count)
    calls = Calls.of(view.history[row][view.history[row] >= 0], int(view.dealer[row]), int(view.vulnerability[row]))
    return _annealed(view, row, Evidence(calls, networks, shown), statements, count, key)


def _annealed(
    view: PlayView, row: int, evidence: Evidence, statements: Sequence[Hypothesis], count: int, key: np.uint64
) -> BelievedDeals:
    """Return deals by how likely the calls of networks are. What most of them do not fit is discarded."""
    places, seat, hand = places_of(view, row), int(view.seat[row]), view.hand[row]
    possible = [h for h in statements if h.possible(places)]
    sample = annealed_deals(places, seat, hand, replace(evidence, suggestions=possible), default_belief(), count, key)
    off = [h.violation(sample.owner == h.seat) for h in possible]
    accepted = [h for h, violation in zip(possible, off, strict=True) if (violation == 0).mean() > 0.5]
    violation = np.sum([v for h, v in zip(possible, off, strict=True) if h in accepted], axis=0)
    sample = replace(sample, violation=(sample.violation + violation).astype(np.float32))
    return BelievedDeals.of(sample, accepted)


def _one_by_one(statements: Sequence[Hypothesis], compatible: Callable[[list[Hypothesis]], bool]) -> list[Hypothesis]:
    """Return the hypotheses that are compatible, one after the other."""
    accepted = list[Hypothesis]()
    for hypothesis in statements:
        if compatible([*accepted, hypothesis]):
            accepted.append(hypothesis)
    return accepted


@dataclass(frozen=True, eq=False)
class _Search:
    places: KnownCards
    shown: Mapping[int, Constraint]
    key: np.uint64

    def believed(self, statements: Sequence[Hypothesis], count: int) -> BelievedDeals:
        possible = [h for h in statements if h.possible(self.places)]
        accepted = _one_by_one(possible, lambda some: self._placed(some) is not None)
        sample = self._sample(accepted, count)
        if accepted and not sample.fitting and self._feasible([]):
            accepted = _one_by_one(possible, self._feasible)
            sample = self._sample(accepted, count)
        return BelievedDeals.of(sample, accepted)

    def _feasible(self, statements: Sequence[Hypothesis]) -> bool:
        """Return whether any deal is left."""
        if self._placed(statements) is None:
            return False
        return bool(self._sample(statements, 1, np.uint64(streams.key(self.key, "feasible")[0]), _PROBE).fitting)

    def _placed(self, statements: Sequence[Hypothesis]) -> KnownCards | None:
        """Return the places less the cards that seats do not hold; None where no deal is left."""
        may_hold = self.places.may_hold.copy()
        for hypothesis in statements:
            may_hold[hypothesis.seat, hypothesis.lacking() or []] = False
            if not hypothesis.possible(KnownCards(may_hold)):
                return None
        if not may_hold.any(axis=0).all():
            return None
        try:
            return KnownCards(may_hold).propagated()
        except KnownCardsError:
            return None

    def _sample(
        self, statements: Sequence[Hypothesis], count: int, key: np.uint64 | None = None, limit: int = 0
    ) -> Sample:
        places = self._placed(statements)
        assert places is not None
        tests = [h for h in statements if h.lacking() is None]
        constraints: dict[str | int, Constraint] = {}
        for seat in range(4):
            about = tuple(h for h in tests if h.seat == seat)
            if about or seat in self.shown:
                constraints[seat] = _Held(self.shown.get(seat), about)
        stream = self.key if key is None else key
        return sample_deals(places, constraints, count, stream, limit=limit or _TRIES + _TRIES_EACH * count)
