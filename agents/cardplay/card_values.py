"""Value tricks for the side to play, and find the cards that are equal in worth within the error.

Tricks count as such, as points, or as IMPs against the par of each deal; they are known on sampled deals only. Of cards
that are equal in worth, those that take more tricks count: IMPs against par saturate. The error is that of the paired
difference, deal by deal, so it is 0 where one card is always as good as the other.

Of opening leads double dummy says less, as both sides see everything: nothing is gained by leading an ace to look at
dummy, defenders find every shift, and declarer never misguesses a suit that was not led. ``DOUBLE_DUMMY_BIAS`` holds
what that is worth by kind of lead: tricks that defenders took less than double dummy after the lead, compared with
leads of other kinds. Counted on 4,000 boards of championships (their deals in the training split), where leads from
king and queen, queen and jack, low from an honour or from none came to +0.18 ± 0.02 tricks more than double dummy
against a suit, from ace and king to +0.03 ± 0.03, of other aces to +0.12 ± 0.04, of singletons to +0.09 ± 0.06, of
trumps to +0.10 ± 0.05; against no trump from ace and king to -0.10 ± 0.12, others to +0.30 ± 0.03. Experts lead an ace
where the auction calls for it, so the count says at least how much it is flattered. The numbers are the differences,
taken nearer to 0 by their errors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.options import IMPS, POINTS, TRICKS
from agents.cardplay.rule import lead_from
from agents.lookahead.valuation import estimator
from bridge_env.bidders.play_view import PlayView
from bridge_env.rules.calls import NOTRUMP
from bridge_env.rules.par import par
from bridge_env.rules.scoring import SCORE_TABLE, imps

_SAME = 1e-9
_TRICK_SLACK = 0.25


class Worth:
    """Of the contract in one row of a view, on deals ``owner`` uint8 (S, 52), whose par is estimated, never solved."""

    def __init__(self, view: PlayView, row: int, owner: NDArray[np.uint8], score: str) -> None:
        self.score = score
        self.declares = bool((view.turn[row] ^ view.declarer[row]) & 1 == 0)
        self.won, self.left = int(view.won[row]), 13 - int(view.length[row]) // 4
        self.level = int(view.bid[row]) // 5 + 1
        side = int(view.declarer[row]) & 1
        vulnerable = int(view.vulnerability[row]) >> side & 1
        self.points = SCORE_TABLE[view.bid[row], view.doubling[row], vulnerable].astype(np.int64)
        self.par = np.zeros(len(owner), np.int64)
        if score == IMPS:
            table = estimator().tricks(owner)
            north_south = par(
                table, np.full(len(owner), view.dealer[row]), np.full(len(owner), view.vulnerability[row])
            )
            self.par = north_south.astype(np.int64) * (1 - 2 * side)

    def declarers(self, tricks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return declarer's tricks at the end, where the side that plays takes ``tricks`` from here on."""
        t = tricks.astype(np.int64)
        return self.won + (t if self.declares else self.left - t)

    def of(self, tricks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Value taking ``tricks`` (S, ...) from here on, for the side to play, deal by deal."""
        if self.score == TRICKS:
            return tricks.astype(np.float64)
        points = self.points[self.declarers(tricks)]
        if self.score == IMPS:
            points = imps(points - self.par.reshape(-1, *[1] * (points.ndim - 1)))
        return points.astype(np.float64) * (1 if self.declares else -1)

    def between(self, tricks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Value tricks that are no integers (S, C): what lies between the values of the two next to them."""
        tricks = np.clip(tricks, 0, self.left)
        below = np.minimum(np.floor(tricks), self.left - 1).astype(np.int8)
        less, more, part = self.of(below), self.of(below + np.int8(1)), tricks - below
        return less * (1 - part) + more * part


def behind(weight: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much each column of values (S, C) is behind the best on average, and the standard error: (C,) each."""
    average = weight @ values
    less = values[:, [int(average.argmax())]] - values
    mean = weight @ less
    several = 1.0 - float(np.square(weight).sum())
    if several <= 0:
        return mean, np.zeros(len(mean))
    return mean, np.sqrt(np.square(weight) @ np.square(less - mean) / several)


def equals(
    weight: NDArray[np.float64], worth: NDArray[np.float64], tricks: NDArray[np.int8], tie: float, slack: float
) -> NDArray[np.int64]:
    """Return the cards, by position, that count as equal to the best.

    Args:
        weight: float64 (S,), what the deals count for; they add up to 1.
        worth: float64 (S, C), what the cards are worth; tricks: int8 (S, C).
        tie: standard errors within which worth, then tricks, count as equal; 0: only the best averages do.
        slack: no card that is worth more than this less is equal, nor one of a quarter of a trick less.
    """
    mean, error = behind(weight, worth)
    at = np.flatnonzero(mean <= np.minimum(tie * error, slack) + _SAME)
    mean, error = behind(weight, tricks[:, at].astype(np.float64))
    return at[mean <= np.minimum(tie * error, _TRICK_SLACK) + _SAME]


ACE_KING, ACE, SINGLETON, TRUMP, OTHER = "ace and king", "ace", "singleton", "trump", "other"
DOUBLE_DUMMY_BIAS = {ACE_KING: 0.12, ACE: 0.06, SINGLETON: 0.05, TRUMP: 0.05, OTHER: 0.0}
"""Tricks by which double dummy flatters a lead."""

LEAD_SLACK = {TRICKS: 0.25, POINTS: 25.0, IMPS: 1.0}
"""What a lead may be worth less and still count as equal to the best, if it is within the error. It is more than for
other cards, because double dummy says less of leads, and because partner reads them."""

LEAD_TIE = 2.0
"""Standard errors within which leads count as equal; of other cards only the best averages do."""


def double_dummy_bias(hand: NDArray[np.bool_], cards: NDArray[np.int64], strain: int) -> NDArray[np.float64]:
    """Return tricks by which double dummy flatters leading each of the cards from ``hand`` bool (52,): float64 (C,)."""
    return np.array([DOUBLE_DUMMY_BIAS[kind_of_lead(hand, int(card), strain)] for card in cards])


def kind_of_lead(hand: NDArray[np.bool_], card: int, strain: int) -> str:
    """Return which kind of ``DOUBLE_DUMMY_BIAS`` leading ``card`` is."""
    suit = card // 13
    held = hand[13 * suit : 13 * suit + 13]
    if suit == strain:
        return TRUMP
    if held[12] and held[11]:
        return ACE_KING
    if card % 13 == 12:
        return ACE
    return SINGLETON if held.sum() == 1 and strain != NOTRUMP else OTHER


def conventional_lead(view: PlayView, row: int, equal: NDArray[np.int64], best: int) -> int:
    """Return the lead from the suit of the best card: the conventional one if it is among the equal ones."""
    card = int(lead_from(view.hand[row], best // 13, int(view.strain[row])))
    if card in equal:
        return card
    return int(equal[equal // 13 == best // 13].min())
