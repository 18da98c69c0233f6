"""Infer from a pass the hands on which the system would have made another call."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from agents.systems.explain.position import Position
from agents.systems.explain.ranges import Ranges, hull, ranges_of_all
from agents.systems.explain.sentences import sentence
from agents.systems.language.tree import INFINITE, Alternative, Atom, Constraint
from agents.systems.language.vocabulary import WORDS
from bridge_env.hands.features import NUM_FEATURES
from bridge_env.rules.calls import DOUBLE, PASS

MOST = 3  # calls that are named
_SELDOM = 0.01  # of the hands: calls that fewer make are not named
_POINTS = ("hcp", "points")  # what a pass with few of them leaves to the calls after it


@dataclass(frozen=True)
class DeniedCall:
    """A call that was passed over, and hands (not all) on which it would have been made."""

    call: int
    ranges: Ranges

    def __str__(self) -> str:
        return sentence(self.ranges)


def infer_from_pass(position: Position, most: int = MOST) -> list[DeniedCall]:
    """Return what a pass at the position denies: the calls that hands make most often there. Nothing where scorecards
    count, nor where hardly any hand makes the seat's calls so far.

    A hand within the ranges of one of them cannot pass: no rule that passes comes first for it.
    """
    if position.weighed or not position.likely_callers[1]:
        return []
    hands, (_, rules) = position.likely_hands, position.likely_decisions
    passes: list[Ranges] = []
    found: dict[int, list[tuple[int, DeniedCall]]] = {}
    for rule in position.rules:
        if rule.call == PASS:
            passes.append(hull(rule.needs))
            continue
        mine = hands[rules == rule.number]
        if len(mine) < max(1, _SELDOM * len(hands)):
            continue
        ranges = _without_passes(ranges_of_all(_usual_way(rule.needs, mine)), passes)
        if ranges is not None and sentence(ranges):
            found.setdefault(rule.call, []).append((len(mine), DeniedCall(rule.call, ranges)))
    often = sorted(found.values(), key=lambda ways: -sum(count for count, _ in ways))[:most]
    return sorted(map(_most_usual, often), key=lambda one: one.call)


def _most_usual(ways: list[tuple[int, DeniedCall]]) -> DeniedCall:
    """Return the way that most hands make a call; to double, of those half as usual the one on the fewest points, but
    not on a single number of them.
    """
    most = max(count for count, _ in ways)
    usual = [way for way in ways if way[0] == most or (way[1].call == DOUBLE and 2 * way[0] >= most)]

    def weakness(way: tuple[int, DeniedCall]) -> tuple[bool, int, int]:
        low, high = way[1].ranges.get("hcp", (0, INFINITE))
        return low == high, low, -way[0]

    return min(usual, key=weakness)[1]


def _usual_way(needs: Constraint, hands: NDArray[np.int16]) -> Alternative:
    """Return the shortest alternative of each clause that many of ``hands`` meet, half as many as any other, in one.

    Every hand that meets it meets ``needs``.
    """
    out: list[Atom] = []
    for clause in needs:
        met = [(len(alternative), -int(_meets(alternative, hands).sum()), alternative) for alternative in clause]
        most = min(count for _, count, _ in met)
        out += min((way for way in met if 2 * way[1] <= most), key=itemgetter(0, 1))[2]
    return tuple(out)


def _meets(alternative: Alternative, hands: NDArray[np.int16]) -> NDArray[np.bool_]:
    out = np.ones(len(hands), np.bool_)
    for atom in alternative:
        column = WORDS.get(atom.word, NUM_FEATURES)
        if column < NUM_FEATURES:  # differences and what depends on partner as well are taken as met
            out &= (hands[:, column] >= atom.lo) & (hands[:, column] <= atom.hi)
    return out


def _without_passes(ranges: Ranges, passes: list[Ranges]) -> Ranges | None:
    """Narrow ``ranges`` until none of the rules that pass takes such a hand; None where that is impossible."""
    out = dict(ranges)
    for other in passes:
        if any(word in out and (low > out[word][1] or high < out[word][0]) for word, (low, high) in other.items()):
            continue
        word = next(
            (w for w in _POINTS if w in other and other[w][0] <= out.get(w, (0,))[0] and other[w][1] < INFINITE), None
        )
        if word is None:
            return None
        low, high = out.get(word, (0, INFINITE))
        low = max(low, other[word][1] + 1)
        if low > high:
            return None
        out[word] = (low, high)
    return out
