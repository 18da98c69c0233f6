"""Find what a hand would have called had it been a little different: the calls of all hands one card away."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.player_terms import SUIT_NAMES
from agents.systems.explain.position import Position
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import HCP, LENGTH, hand_features

_HALF = 0.5  # of the hands that are so changed make the call that is named
_MOST = 0.9  # the same, where any other suit may be the shorter one


@dataclass(frozen=True)
class Counterfactual:
    """Another call, and the change of the hand that leads to it."""

    call: int  # that most of the hands changed in this way make
    points: int  # HCP more (or less than 0: fewer)
    gained: int  # the suit of which the hand has one card more, -1 none
    lost: int  # the suit of which it has one less, -1 none: with a suit gained, any may be the shorter one
    hand: str  # one hand so changed, which makes the call
    share: float  # of the hands one card away that are changed in this way: how many make it
    rule: int  # the rule that makes it there, -1 none

    @property
    def cost(self) -> float:
        """Return how large the change is: a point counts as much as a card."""
        return abs(self.points) if self.gained < 0 else 1.0 + 0.5 * (self.lost >= 0)

    def __str__(self) -> str:
        names = list(SUIT_NAMES.values())
        if self.gained < 0:
            return f"{abs(self.points)} HCP {'more' if self.points > 0 else 'less'}"
        one = f"one more {names[self.gained].removesuffix('s')}"
        return f"{one} in place of a {names[self.lost].removesuffix('s')}" if self.lost >= 0 else one


def find_counterfactuals(position: Position, hand: NDArray[np.bool_], call: int) -> list[Counterfactual]:
    """Return the calls other than ``call`` that the smallest changes of ``hand`` (52,) lead to, the smallest first.

    A change is one card for another: of the same suit, so that only points change, or of another suit and worth as
    many points. Changed hands make those of the seat's earlier calls that the hand makes. Each call is named once.
    """
    held = np.asarray(hand, np.bool_)
    lost_cards, new_cards = np.meshgrid(np.flatnonzero(held), np.flatnonzero(~held), indexing="ij")
    changed = np.repeat(held[None], lost_cards.size, axis=0)
    rows = np.arange(len(changed))
    changed[rows, lost_cards.ravel()], changed[rows, new_cards.ravel()] = False, True
    features, before = hand_features(changed), hand_features(held[None])[0]
    possible = position.equally_possible(np.concatenate([before[None], features]))[1:]
    changed, features = changed[possible], features[possible]
    calls, rules = position.decide(features)
    gain = (features[:, HCP] - before[HCP]).astype(int)
    lengths = features[:, LENGTH : LENGTH + 4].astype(int) - before[LENGTH : LENGTH + 4]
    same_shape = (lengths == 0).all(axis=1)
    groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row in range(len(changed)):
        if same_shape[row] and gain[row]:
            groups[(int(gain[row]), -1, -1)].append(row)
        elif not same_shape[row] and gain[row] == 0:
            gained, lost = int(lengths[row].argmax()), int(lengths[row].argmin())
            groups[(0, gained, -1)].append(row)
            groups[(0, gained, lost)].append(row)
    found: list[Counterfactual] = []
    for (points, gained, lost), members in groups.items():
        counts = np.bincount(calls[members])
        best = int(counts.argmax())
        share = float(counts[best] / len(members))
        if best != call and share >= (_MOST if gained >= 0 > lost else _HALF):
            row = next(row for row in members if calls[row] == best)
            found.append(Counterfactual(best, points, gained, lost, hand_text(changed[row]), share, int(rules[row])))
    first: dict[int, Counterfactual] = {}
    for nearly in sorted(found, key=lambda nearly: (nearly.cost, -nearly.share, nearly.call)):
        first.setdefault(nearly.call, nearly)
    return list(first.values())
