"""Correct double-dummy values of opening leads by kind of lead, and choose the conventional card of a suit.

Double dummy both sides see everything: nothing is gained by leading an ace to look at dummy, defenders find every
shift, and declarer never misguesses a suit that was not led. ``DOUBLE_DUMMY_BIAS`` holds what that is worth by kind of
lead: tricks that defenders took less than double dummy after the lead, compared with leads of other kinds. Counted on
4,000 boards of championships (their deals in the training split), where leads from king and queen, queen and jack, low
from an honour or from none came to +0.18 ± 0.02 tricks more than double dummy against a suit, from ace and king to
+0.03 ± 0.03, of other aces to +0.12 ± 0.04, of singletons to +0.09 ± 0.06, of trumps to +0.10 ± 0.05; against no trump
from ace and king to -0.10 ± 0.12, others to +0.30 ± 0.03. Experts lead an ace where the auction calls for it, so the
count says at least how much it is flattered. The numbers are the differences, taken nearer to 0 by their errors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.card_values import Slack
from agents.cardplay.options import IMPS, POINTS, TRICKS
from agents.cardplay.rule import lead_from
from bridge_env.bidders.play_view import PlayView
from bridge_env.rules.calls import NOTRUMP

ACE_KING, ACE, SINGLETON, TRUMP, OTHER = "ace and king", "ace", "singleton", "trump", "other"
DOUBLE_DUMMY_BIAS = {ACE_KING: 0.12, ACE: 0.06, SINGLETON: 0.05, TRUMP: 0.05, OTHER: 0.0}
"""Tricks by which double dummy flatters a lead."""

LEAD_SLACK = {TRICKS: Slack(0.25, 0.25), POINTS: Slack(25.0, 0.25), IMPS: Slack(1.0, 0.25)}
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
