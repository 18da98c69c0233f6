"""Play deceptively: choose the best card if the next opponent plays for the deals that it believes in.

Algorithm 2 of Kobayashi and Uehara (2002). For each candidate card m and each deal d that I think possible, the
next opponent to decide imagines deals D' after m: he sees his own hand as in d, dummy, and the cards played, and what
m suggests; my hand he does not know. The line is followed with a real value in d and an imaginary one in each d' of D'
(``paired``, beside this file). s(m, d) is the mean over D', each deal with its weight, of the real values; the m with
the greatest sum over D is played: here only where it surely gains on the plain card and risks little
(``sure=0&risk=1000``: as published).

Lines end with exact double dummy, and what the options score is summed. (The paper ends them with 0 if the contract
fails, else with top tricks.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.card_values import Worth
from agents.cardplay.deception.lookahead import Lookahead, SearchDeals, SearchResult, Size, sizes
from agents.cardplay.montecarlo import CardDecision, MonteCarlo, solve_cards
from agents.cardplay.options import ALWAYS, NEEDED, Options
from agents.cardplay.table import distinct_legal
from agents.options import Amount, Count
from bridge_env.bidders.play_view import PlayView

_SAME = 1e-9


@dataclass(frozen=True)
class DeceptiveOptions(Options):
    """Options of the search, beyond those of ``montecarlo``."""

    real: Count = 8  # deals, the heaviest ones, in which the opponent's belief is modelled
    imagined: Count = 5  # deals that the opponent imagines in each of them
    depth: Count = 2  # tricks that are looked ahead, more while the opponents have the lead
    lines: Count = 3000  # the most lines of a level of the search: it goes no deeper where there would be more
    # what the choice of a card may cost in positions solved: one of up to seven tricks counts as 1, one of thirteen as
    # much as a hundred. A small search of depth 1 is always done, then larger ones; the last one within this counts
    solves: Count = 10_000
    # a card other than the plain one has to be worth more by so many standard errors, from deal to deal
    sure: Amount = 1.0
    # what such a card may cost at most if the opponent sees through it, in the units of ``score``: with points, more
    # than 0.3. ``sure=0&risk=1000`` (of points, 10000) is as published: the greatest sum, whatever it costs then
    risk: Amount = 0.3
    # NEEDED: only where no card makes (a defender: beats) the contract double dummy on most deals; or ALWAYS
    when: str = NEEDED


@dataclass(frozen=True, eq=False)
class Deception:
    """A chosen card, with what an opponent's belief is worth."""

    plain_decision: CardDecision  # of ``montecarlo``
    card: int
    # the candidates; none where the plain card was played without such thought
    cards: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    result: SearchResult | None = None  # their worth, in the units of the options; None without such thought


class Deceptive:
    """A ``CardPlayer`` that models what the next opponent will believe; ``reader``: of the auction, by all systems."""

    def __init__(self, reader: AuctionReader | None = None, options: DeceptiveOptions | None = None) -> None:
        self.reader, self.options = reader or AuctionReader(), options or DeceptiveOptions()
        self.montecarlo = MonteCarlo(self.reader, self.options)

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.array([found.card for found in self.think(view, key)], np.int8)

    def think(self, view: PlayView, key: NDArray[np.uint64]) -> list[Deception]:
        """Find each row's card, with the reasons."""
        decisions = self.montecarlo.think(view, key)
        thoughts = [self._thought(view, row, key[row], decision) for row, decision in enumerate(decisions)]
        always = self.options.when == ALWAYS
        return [
            self._deceive(view, row, key[row], thought)
            if thought.belief is not None and (always or success(view, row, thought) < 0.5)
            else Deception(thought, thought.card)
            for row, thought in enumerate(thoughts)
        ]

    def in_deal(
        self, view: PlayView, row: int, key: np.uint64, deal: NDArray[np.uint8], cards: NDArray[np.int64]
    ) -> SearchResult:
        """Return the worth of ``cards`` in one deal, uint8 (52,), such as the true one, if he imagines deals there."""
        (tricks,) = solve_cards(view, np.array([row]), [deal[None]])
        tricks = tricks[:, cards]
        average = Worth(view, row, deal[None], self.options.score).of(tricks)[0]
        return self._search(view, row, key, cards, SearchDeals(deal[None], np.ones(1), tricks, average))

    def _thought(self, view: PlayView, row: int, key: np.uint64, decision: CardDecision) -> CardDecision:
        """Return the plain decision, with averages even where all cards touch, and differ only in what they show."""
        dummy = int(view.declarer[row]) ^ 2
        if decision.belief is not None or view.turn[row] == dummy or len(candidates(view, row)) < 2:
            return decision
        return self.montecarlo.decide_anyway(view, row, key, decision.card)

    def _deceive(self, view: PlayView, row: int, key: np.uint64, thought: CardDecision) -> Deception:
        options, cards = self.options, candidates(view, row)
        deals = SearchDeals.of(thought, cards, key)
        result = self._search(view, row, key, cards, deals)
        at = chosen(result, deals.average, candidate_for(cards, thought.card), options)
        return Deception(thought, int(cards[at]), cards, result)

    def _search(
        self, view: PlayView, row: int, key: np.uint64, cards: NDArray[np.int64], deals: SearchDeals
    ) -> SearchResult:
        """Return the largest search that the options allow; the first, of depth 1, always is done."""
        options = self.options
        search = Lookahead(view, row, key, cards, deals, self.reader, options.inference, options.score)
        first, *more = sizes(Size(options.real, options.imagined, options.depth))
        done = search.exact(first, options.lines)
        assert done is not None
        search.solver.most = options.solves  # only now: the first search is done whatever it costs
        for size in more:
            found = search.exact(size, options.lines)
            if found is None:  # the solves are spent
                break
            done = found
        return done


def candidates(view: PlayView, row: int) -> NDArray[np.int64]:
    """List the legal cards that differ for an opponent: all from the nine up, and one of each low run."""
    return np.flatnonzero(distinct_legal(view)[row] | (view.mask[row] & (np.arange(52) % 13 >= 7)))


def candidate_for(cards: NDArray[np.int64], card: int) -> int:
    """Find the candidate that represents ``card``: itself, or the next lower card of its low run."""
    below = np.where((cards <= card) & (cards // 13 == card // 13), cards, -1)
    return int(below.argmax())


def chosen(result: SearchResult, average: NDArray[np.float64], plain_at: int, options: DeceptiveOptions) -> int:
    """Choose the candidate with the greatest sure gain that does not risk too much, or the plain card.

    Of equal ones it takes the one of least risk, then the better one by ``montecarlo``.

    Args:
        average: what each is worth to ``montecarlo``, float64 (C,).
        plain_at: the number of the plain card's candidate.
    """
    risky = result.seen < result.seen[plain_at] - options.risk - _SAME
    more = np.where(risky, -np.inf, result.surely(plain_at, options.sure))
    best = np.flatnonzero(more >= more.max() - _SAME)
    best = best[result.seen[best] >= result.seen[best].max() - _SAME]
    best = best[average[best] >= average[best].max() - _SAME]
    return plain_at if plain_at in best else int(best[0])


def success(view: PlayView, row: int, thought: CardDecision) -> float:
    """Return the share of deals on which the best card makes the contract (for a defender: beats it) double dummy."""
    belief = thought.belief
    assert belief is not None
    worth = Worth(view, row, belief.owner, "tricks")
    made = worth.declarers(thought.tricks) >= worth.level + 6
    reached = made if worth.declares else ~made
    return float((belief.weight @ reached).max())
