"""Search lines of play against an opponent that believes in another deal: each node has a real and an imaginary value.

Kobayashi and Uehara (2002), Algorithm 2. A pair of deals is looked at together: d, in which the cards really fall, and
d', in which the opponents believe. At nodes of my side each of the two values is maximized by itself. At theirs the
smaller imaginary value decides and carries its real value along; on an imaginary tie it is the smaller real value.

With exact double dummy at the leaves, the imaginary value of a node is what DDS says of d' there: that is what the
same rule yields when it is followed to the end. So only the real values need a tree, and d' is solved once at each node
of theirs. What the published rule leaves open: a card that is played in d and not held in d' is given to its player
there, for the nearest card of the suit (else for his lowest one), as the opponent too would think again. Theirs choose
among cards that can be played in both; where there is none, the worst for my side of those of d is played. Touching
cards are played once, the lowest; at theirs cards between that lie elsewhere in d or in d' separate them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.deception.lines import Cards, Lines
from bridge_env.double_dummy.positions import ALL_BEST, ALL_CARDS, ONE_BEST, SOLVING_COST, card_tricks

LONGEST = 3  # tricks beyond the depth, while their side has the lead
_SOLVED_AT_ONCE = 200  # positions, before the budget is looked at again
_UNSOLVED = np.zeros(52, np.int8)


class Solver:
    """Double-dummy values of positions, each solved once, and what they cost.

    Attributes:
        cost: of all that was solved, about in fifths of a millisecond.
        most: the cost from which on ``spent``: searches that are under way end then, and mean nothing.
    """

    def __init__(self) -> None:
        self.cost, self.most = 0, 1 << 62
        self._known: dict[bytes, NDArray[np.int8]] = {}

    @property
    def spent(self) -> bool:
        return self.cost > self.most

    def solve(self, left: NDArray[np.uint8], lines: Lines, wanted: int = ALL_CARDS) -> NDArray[np.int8]:
        """Return tricks for the side to play from here on, int8 (N, 52), in a deal of ``lines``; 0 if ``spent``."""
        rows = np.column_stack([left, lines.leader, lines.trick, np.full(len(lines), wanted)]).astype(np.uint8)
        keys = [row.tobytes() for row in rows]
        missing = list({key: at for at, key in enumerate(keys) if key not in self._known}.values())
        for start in range(0, len(missing), _SOLVED_AT_ONCE):
            if self.spent:
                break
            at = np.array(missing[start : start + _SOLVED_AT_ONCE])
            self.cost += int(SOLVING_COST[wanted][lines.cards_left[at]].sum())
            values = card_tricks(left[at], lines.strain, lines.leader[at], lines.trick[at], wanted=wanted)
            self._known |= {keys[number]: found for number, found in zip(at, values, strict=True)}
        return np.array([self._known.get(key, _UNSOLVED) for key in keys], np.int8).reshape(-1, 52)


def real_values(
    roots: Lines,
    groups: Sequence[int] | NDArray[np.int64],
    solver: Solver,
    most: int,
    longest: int = LONGEST,
    weight: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return my side's tricks from each root on, in the real deal, against opponents that believe in the imagined one.

    Args:
        groups: roots of the same number are the same position, with deals that one opponent thinks possible. His first
            card, at the root or after a card of mine there, is the same for all of them: the best for him on average.
        most: lines of a level; a level with more is not looked at further.
        longest: tricks that are looked at beyond the depth while their side has the lead.
        weight: float64 (R,), what each root counts for in its group; None: all the same.

    The values mean nothing once ``solver`` is spent.
    """
    levels = [roots]
    together = [_Together(np.asarray(groups, np.int64), np.ones(len(roots)) if weight is None else weight)]
    values: list[NDArray[np.float64]] = []
    while len(levels[-1]) and not solver.spent:
        level = levels[-1]
        leaf = level.ended(longest) | (len(level) > most)
        worth = np.where(level.mine, -np.inf, np.inf)
        worth[leaf] = _leaves(level.take(np.flatnonzero(leaf)), solver)
        values.append(worth)
        cards = _moves(level, ~leaf, solver, together[-1])
        levels.append(level.children(cards))
        together.append(together[-1].after(level, levels[-1]))
    if solver.spent:
        return np.zeros(len(roots))
    for number in range(len(values) - 1, 0, -1):
        above, parent, mine = values[number - 1], levels[number].parent, levels[number - 1].mine
        np.maximum.at(above, parent[mine[parent]], values[number][mine[parent]])
        found = together[number - 1].one_choice(levels[number - 1], levels[number], values[number])
        np.minimum.at(above, parent[~mine[parent]], found[~mine[parent]])
    return values[0]


@dataclass(frozen=True, eq=False)
class _Together:
    """The rows of a level that are the same to the next opponent to decide."""

    group: NDArray[np.int64]  # (N,), rows of the same number are; -1: no other row is
    weight: NDArray[np.float64]  # (N,), what a row counts for in its group

    def after(self, level: Lines, children: Lines) -> _Together:
        """Return the grouping of the level below: rows stay together where my side played the same card."""
        parent = children.parent
        alone = (self.group[parent] < 0) | ~level.mine[parent]
        if alone.all():
            return _Together(np.full(len(parent), -1), np.ones(len(parent)))
        return _Together(np.where(alone, -1, self._same_card(level, children)), self.weight[parent])

    def one_choice(self, level: Lines, children: Lines, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of the children, infinite for cards that the one opponent of a group does not play.

        Of the cards that look equal to him he plays the worst one for my side on average.
        """
        parent = children.parent
        joint = np.flatnonzero((self.group[parent] >= 0) & ~level.mine[parent])
        if not len(joint):
            return values
        number, weight = self._same_card(level, children)[joint], self.weight[parent[joint]]
        mean = np.bincount(number, weight * values[joint]) / np.maximum(np.bincount(number, weight), 1e-300)
        least = np.full(int(self.group.max()) + 1, np.inf)
        np.minimum.at(least, self.group[parent[joint]], mean[number])
        out = values.copy()
        out[joint] = np.where(mean[number] <= least[self.group[parent[joint]]] + 1e-9, values[joint], np.inf)
        return out

    def _same_card(self, level: Lines, children: Lines) -> NDArray[np.int64]:
        """Return numbers that are the same where the parents are together and the same card was played: int64 (N,)."""
        parent = children.parent
        card = (level.left[parent] != children.left).argmax(axis=1)
        _, number = np.unique(np.column_stack([self.group[parent], card]), axis=0, return_inverse=True)
        return number.ravel()


def _leaves(lines: Lines, solver: Solver) -> NDArray[np.float64]:
    """Return tricks of my side from the root to the end of ``lines``: the rest double dummy."""
    won: NDArray[np.float64] = lines.won.astype(np.float64)
    rows = np.flatnonzero(lines.cards_left)
    rest = lines.take(rows)
    best = solver.solve(rest.left, rest, ONE_BEST).max(axis=1, initial=0)
    won[rows] += np.where(rest.mine, best, rest.cards_left - best)
    return won


def _moves(level: Lines, open_: NDArray[np.bool_], solver: Solver, together: _Together) -> Cards:
    """Return the cards to look at in each line: all that differ at mine, at theirs those that look best to them."""
    cards = level.choices() & open_[:, None]
    theirs = open_ & ~level.mine
    group = together.group
    for number in np.unique(group[theirs & (group >= 0)]):
        rows = np.flatnonzero(theirs & (group == number))
        if (cards[rows].sum(axis=1) > 1).any():
            values = _values_to_them(level, rows, solver, ALL_CARDS)
            share = together.weight[rows] / together.weight[rows].sum()
            everywhere = (values >= 0).all(axis=0)  # he sees his hand: a card is legal in all that he imagines
            mean = np.where(everywhere if everywhere.any() else True, share @ values, -1.0)
            best, _ = level.best(rows, np.tile(mean, (len(rows), 1)))
            cards[rows] = best.any(axis=0)
    rows = np.flatnonzero((cards.sum(axis=1) > 1) & theirs & (group < 0))
    if not len(rows):
        return cards
    cards[rows], found = level.best(rows, _values_to_them(level, rows, solver, ALL_BEST))
    rows = rows[~found]  # none of the best in d' is legal in d: the best of those that are
    cards[rows], _ = level.best(rows, _values_to_them(level, rows, solver, ALL_CARDS))
    return cards


def _values_to_them(level: Lines, rows: NDArray[np.int64], solver: Solver, wanted: int) -> NDArray[np.float64]:
    """Return the tricks that each card at ``rows`` is worth to them in the imagined deal, float64 (R, 52)."""
    part = level.take(rows)
    return solver.solve(part.imagined, part, wanted).astype(np.float64)
