"""Weigh deals by the cards played so far: how likely the hidden hands of each would have played so.

A hand plays the card of the rules of thumb (``rule``: conventional leads, second hand low, third hand high, the
cheapest card last, low discards from long suits) with a chance that depends on the place in the trick, and else any
other legal card: a false card, or one that a deeper thought found. So no card rules a deal out, and no statement is
dropped.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.rule import RulePlayer
from agents.cardplay.table import declares
from bridge_env.play_view import PlayView

OPENING, LEAD, SECOND, THIRD, FOURTH, VOID = range(6)
KINDS = ("opening lead", "later lead", "second hand", "third hand", "last hand", "void")

USUAL = np.array([[0.5, 0.6, 0.75, 0.8, 0.93, 0.75], [0.4, 0.5, 0.8, 0.8, 0.93, 0.8]])
"""float64 (2, 6), the chance of the card of the rules, where there is a choice: declarer's hand, a defender's.

Counted on 59 boards of the training split that ``montecarlo`` played throughout (0.70 0.79 0.89 0.99 0.86 from
declarer's hand, 0.39 0.57 0.89 0.90 0.99 0.92 from a defender's), and lowered: others play otherwise."""

_RULE = RulePlayer()
_Number = TypeVar("_Number", bound=np.generic)


def log_likelihood(view: PlayView, row: int, seats: list[int], owner: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How likely the hands of ``seats`` in each deal uint8 (S, 52) play as they did in one row: its logarithm, (S,)."""
    total = np.zeros(len(owner))
    at = [k for k in range(int(view.length[row])) if view.players[row, k] in seats]
    if not at or not len(owner):
        return total
    past = past_views(view, row, at, owner)
    choices = past.mask.sum(axis=1)
    cards = np.repeat(view.cards[row, at], len(owner))
    usual = _RULE.play(past, np.zeros(len(past), np.uint64)) == cards
    kinds = np.repeat([kind_of(view, row, k) for k in at], len(owner))
    chance = USUAL[(~declares(past)).astype(np.int64), kinds]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(choices == 1, 1.0, np.where(usual, chance, (1 - chance) / (choices - 1)))
    total += np.log(each).reshape(len(at), len(owner)).sum(axis=0)
    return total


def kind_of(view: PlayView, row: int, k: int) -> int:
    """Which of ``KINDS`` the ``k``-th card of a row was."""
    if k == 0:
        return OPENING
    if k & 3 == 0:
        return LEAD
    if view.cards[row, k] // 13 != view.cards[row, k & ~3] // 13:
        return VOID
    return (SECOND, THIRD, FOURTH)[(k & 3) - 1]


def past_views(view: PlayView, row: int, at: list[int], owner: NDArray[np.uint8]) -> PlayView:
    """What the players of the cards number ``at`` saw in each deal uint8 (S, 52): rows by card, then by deal."""
    number, deals = np.repeat(at, len(owner)), np.tile(np.arange(len(owner)), len(at))
    n, seat = len(number), view.players[row, np.repeat(at, len(owner))].astype(np.int16)
    played = np.zeros((len(at), 52), np.bool_)
    cards = np.full((len(at), 52), -1, np.int8)
    follow = np.ones((len(at), 52), np.bool_)
    for i, k in enumerate(at):
        before = view.cards[row, :k].astype(np.int64)
        cards[i, :k] = before
        played[i, before] = True
        if k & 3:
            follow[i] = np.arange(52) // 13 == before[k & ~3] // 13
    each = np.repeat(np.arange(len(at)), len(owner))
    hand = owner[deals] == seat[:, None].astype(np.uint8)
    left = hand & ~played[each]
    same = left & follow[each]
    mask = np.where(same.any(axis=1)[:, None], same, left)

    def alike(values: NDArray[_Number]) -> NDArray[_Number]:
        return np.repeat(values[[row]], n, axis=0)

    return PlayView(
        seat, seat, hand, np.where((number > 0)[:, None], view.dummy[[row]], False), mask, cards[each],
        alike(view.players), number.astype(np.int16), np.zeros(n, np.int16), alike(view.bid), alike(view.doubling),
        alike(view.declarer), alike(view.history), alike(view.dealer), alike(view.vulnerability),
    )  # fmt: skip
