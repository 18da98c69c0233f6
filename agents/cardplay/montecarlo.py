"""Play cards by Monte Carlo: choose the best card on average over sampled deals, each solved double dummy.

Algorithm 1 of Kobayashi and Uehara (2002), which is Ginsberg's (GIB, 2001): draw D deals that are consistent with the
auction and the play; take the double-dummy value s(m, d) of every legal card m in each; play the m with the greatest
sum over D. Of cards with the same sum it takes the one with more tricks, then the one that rules would play, so that
equals look as they should. Opening leads are valued as conventions would (``card_values``); ``montecarlo?lead=solved``
values them as any other card.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.card_values import LEAD_SLACK, LEAD_TIE, Worth, conventional_lead, double_dummy_bias, equals
from agents.cardplay.deals import BelievedDeals, believed_deals
from agents.cardplay.options import CONVENTION, Options
from agents.cardplay.rule import RulePlayer
from agents.cardplay.table import current_trick, distinct_legal, trick_leader
from bridge_env.bidders.play_view import PlayView
from bridge_env.double_dummy.positions import card_tricks

_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class CardDecision:
    """A chosen card with the reasons for it."""

    card: int
    cards: NDArray[np.int64]  # (C,), the legal cards
    # (S, C), tricks from here on for the side that plays, double dummy on each deal; S is 0 where there was nothing to
    # think about
    tricks: NDArray[np.int8]
    worth: NDArray[np.float64]  # (S, C), what they are worth, in the units of the options
    average: NDArray[np.float64]  # (C,), the weighted mean of ``worth``
    belief: BelievedDeals | None  # the deals; None where there was nothing to think about


Request = tuple[int, np.uint64, int]
"""A row to think about: which, its random stream, and the card that rules would play."""


class MonteCarlo:
    """A ``CardPlayer`` that thinks over sampled deals; ``reader``: of the auction, by the systems of all seats."""

    def __init__(self, reader: AuctionReader | None = None, options: Options | None = None) -> None:
        self.reader, self.options = reader or AuctionReader(), options or Options()
        self._rule = RulePlayer()

    def play(self, view: PlayView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.array([thought.card for thought in self.think(view, key)], np.int8)

    def think(self, view: PlayView, key: NDArray[np.uint64]) -> list[CardDecision]:
        """Find each row's card, with the reasons; solve the positions of all rows together."""
        usual = self._rule.play(view, key)
        thoughts = [forced(view, row, int(usual[row])) for row in range(len(view))]
        requests = [(int(row), key[row], int(usual[row])) for row in np.flatnonzero(has_choice(view))]
        for (row, _, _), thought in zip(requests, self._decide(view, requests), strict=True):
            thoughts[row] = thought
        return thoughts

    def decide_anyway(self, view: PlayView, row: int, key: np.uint64, usual: int) -> CardDecision:
        """Find one row's card, with averages, even where all cards are equal double dummy and ``think`` skips them."""
        return self._decide(view, [(row, key, usual)])[0]

    def _decide(self, view: PlayView, requests: list[Request]) -> list[CardDecision]:
        inference, count = self.options.inference, self.options.deals
        beliefs = [believed_deals(view, row, self.reader, count, key, inference) for row, key, _ in requests]
        rows = np.array([row for row, _, _ in requests])
        values = solve_cards(view, rows, [belief.owner for belief in beliefs])
        return [
            self._choose(view, row, belief, tricks, usual)
            for (row, _, usual), belief, tricks in zip(requests, beliefs, values, strict=True)
        ]

    def _choose(
        self, view: PlayView, row: int, belief: BelievedDeals, tricks: NDArray[np.int8], usual: int
    ) -> CardDecision:
        cards = np.flatnonzero(view.mask[row])
        tricks = tricks[:, cards]
        value = Worth(view, row, belief.owner, self.options.score)
        lead = self.options.lead == CONVENTION and view.length[row] == 0
        worth = value.of(tricks)
        if lead:
            worth = value.between(tricks - double_dummy_bias(view.hand[row], cards, int(view.strain[row])))
        average = belief.weight @ worth
        tie, slack = LEAD_TIE if lead else 0.0, LEAD_SLACK[self.options.score]
        at = equals(belief.weight, worth, tricks, tie, slack)
        best = cards[at[average[at] >= average[at].max() - _SAME]]
        if usual in cards[at]:
            card = usual
        elif lead:
            card = conventional_lead(view, row, cards[at], lowest(best))
        else:
            card = lowest(best)
        return CardDecision(card, cards, tricks, worth, average, belief)


def solve_cards(view: PlayView, rows: NDArray[np.int64], owners: list[NDArray[np.uint8]]) -> list[NDArray[np.int8]]:
    """Return double-dummy tricks of every card at ``rows``, int8 (S, 52) each, on a row's own deals uint8 (S, 52)."""
    if not len(rows):
        return []
    count = [len(owner) for owner in owners]
    at = np.repeat(rows, count)
    left = np.where(view.played[at], 255, np.concatenate(owners)).astype(np.uint8)
    values = card_tricks(left, view.strain[at], trick_leader(view)[at], current_trick(view)[at])
    return np.split(values, np.cumsum(count)[:-1])


def has_choice(view: PlayView) -> NDArray[np.bool_]:
    """Return where there is a choice, bool (N,). Touching cards of a suit count as one, across cards already played."""
    return distinct_legal(view).sum(axis=1) > 1


def forced(view: PlayView, row: int, card: int) -> CardDecision:
    """Return the decision for a card that needs no search."""
    cards = np.flatnonzero(view.mask[row])
    nothing = np.zeros((0, len(cards)))
    return CardDecision(card, cards, nothing.astype(np.int8), nothing, np.zeros(len(cards)), None)


def lowest(cards: NDArray[np.int64]) -> int:
    """Return the card of lowest rank; among equals, that of the lowest suit."""
    return int(cards[np.lexsort((cards, cards % 13))[0]])
