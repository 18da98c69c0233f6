"""Lines of play against an opponent who believes in another deal: every node has a real and an imaginary value.

Kobayashi and Uehara (2002), Algorithm 2. A pair of deals is looked at together: d, in which the cards really fall, and
d', in which the opponents believe. At nodes of my side each of the two values is maximized by itself. At theirs the
smaller imaginary value decides and carries its real value along; on an imaginary tie it is the smaller real value.

With exact double dummy at the leaves, the imaginary value of a node is what DDS says of d' there: that is what the
same rule gives when it is followed to the end. So only the real values need a tree, and d' is solved once at each node
of theirs. What the published rule leaves open: a card that is played in d and not held in d' is given to its player
there, for the nearest card of the suit (else for his lowest one), as the opponent too would think again. Theirs choose
among cards that can be played in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import UNKNOWN
from bridge_env.double_dummy.exact import BOARDS_PER_CALL
from bridge_env.double_dummy.positions import ALL_BEST, ALL_CARDS, NOT_LEGAL, ONE_BEST, card_tricks
from bridge_env.play import beats

LONGEST = 3  # tricks beyond the depth, while their side has the lead
_UNSOLVED = np.zeros(52, np.int8)
# About what DDS takes on one core for a position of 0..13 tricks, in fifths of a millisecond.
_COST = {
    ALL_CARDS: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 6, 18, 40, 120]),
    ALL_BEST: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 12, 24, 70]),
    ONE_BEST: np.array([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 10, 18, 60]),
}


class Pair(NamedTuple):
    """The values of a node to my side."""

    real: float
    imaginary: float


def my_node(children: Sequence[Pair]) -> Pair:
    """Each maximized independently."""
    return Pair(max(c.real for c in children), max(c.imaginary for c in children))


def their_node(children: Sequence[Pair]) -> Pair:
    """The smaller imaginary value decides; of equal ones the smaller real value."""
    return min(children, key=lambda c: (c.imaginary, c.real))


@dataclass(eq=False)
class Line:
    """A position in both deals.

    Attributes:
        real, imagined: uint8 (52,), the seat that still holds each card, 255 once it is played.
        leader: of the trick in progress; ``trick`` its cards.
        won: tricks of my side since the root; ``gone`` tricks of both.
        parent: the line that led here, in the level above.
    """

    real: NDArray[np.uint8]
    imagined: NDArray[np.uint8]
    leader: int
    trick: tuple[int, ...]
    won: int = 0
    gone: int = 0
    parent: int = -1

    @property
    def turn(self) -> int:
        return (self.leader + len(self.trick)) & 3


class Solver:
    """Double-dummy values of positions, each solved once, and what they cost.

    Attributes:
        cost: of all that was solved, about in fifths of a millisecond.
        most: the cost from which on ``spent``: searches that are under way end then, and mean nothing.
    """

    def __init__(self, strain: int, threads: int | None) -> None:
        self.strain, self.threads = strain, threads
        self.cost, self.most = 0, 1 << 62
        self._known: dict[tuple[bytes, int, tuple[int, ...], int], NDArray[np.int8]] = {}

    @property
    def spent(self) -> bool:
        return self.cost > self.most

    def solve(
        self, asked: Sequence[tuple[NDArray[np.uint8], int, tuple[int, ...]]], wanted: int = ALL_CARDS
    ) -> list[NDArray[np.int8]]:
        """Tricks for the side to play from here on, int8 (52,), of positions (cards left, leader, trick)."""
        keys = [(left.tobytes(), leader, trick, wanted) for left, leader, trick in asked]
        missing = {key: at for at, key in enumerate(keys) if key not in self._known}
        new = list(missing.values())
        for start in range(0, len(new), BOARDS_PER_CALL):
            part = new[start : start + BOARDS_PER_CALL]
            if self.spent:
                return [self._known.get(key, _UNSOLVED) for key in keys]
            left = np.stack([asked[at][0] for at in part])
            leader = np.array([asked[at][1] for at in part])
            trick = np.full((len(part), 3), -1, np.int8)
            for row, at in enumerate(part):
                trick[row, : len(asked[at][2])] = asked[at][2]
            self.cost += int(_COST[wanted][((left != UNKNOWN).sum(axis=1) + 3) // 4].sum())
            values = card_tricks(left, self.strain, leader, trick, self.threads, wanted)
            for at, found in zip(part, values, strict=True):
                self._known[keys[at]] = found
        return [self._known[key] for key in keys]


def legal_cards(left: NDArray[np.uint8], turn: int, trick: tuple[int, ...]) -> NDArray[np.bool_]:
    """bool (52,)."""
    held: NDArray[np.bool_] = left == turn
    if trick:
        suit = trick[0] // 13
        same = held & (np.arange(52) // 13 == suit)
        if same.any():
            return same
    return held


def distinct(cards: NDArray[np.bool_], left: NDArray[np.uint8], turn: int, trick: tuple[int, ...]) -> list[int]:
    """The lowest of each run of touching cards; cards between are those left elsewhere, and those of the trick."""
    chosen, last = [], -1
    for card in range(52):
        if card % 13 == 0:
            last = -1
        if cards[card]:
            if last < 0:
                chosen.append(card)
            last = card
        elif (left[card] != UNKNOWN and left[card] != turn) or card in trick:
            last = -1
    return chosen


def after(line: Line, card: int, strain: int, side: int, parent: int) -> Line:
    """The line once ``card`` is played in both deals; ``side`` is mine."""
    turn = line.turn
    imagined = line.imagined if line.imagined[card] == turn else _given(line.imagined, card, turn)
    real, imagined = line.real.copy(), imagined.copy()
    real[card] = imagined[card] = UNKNOWN
    trick = (*line.trick, card)
    if len(trick) < 4:
        return Line(real, imagined, line.leader, trick, line.won, line.gone, parent)
    best = 0
    for k in (1, 2, 3):
        best = k if beats.py_func(trick[k], trick[best], strain) else best
    taker = (line.leader + best) & 3
    return Line(real, imagined, taker, (), line.won + ((taker ^ side) & 1 == 0), line.gone + 1, parent)


def _given(imagined: NDArray[np.uint8], card: int, seat: int) -> NDArray[np.uint8]:
    """The deal in which ``seat`` holds ``card``, in exchange for its nearest card of the suit, else its lowest."""
    out, holder = imagined.copy(), imagined[card]
    own = np.flatnonzero(imagined == seat)
    same = own[own // 13 == card // 13]
    given = same[np.abs(same - card).argmin()] if len(same) else own[(own % 13).argmin()]
    out[card], out[given] = seat, holder
    return out


def real_values(
    roots: Sequence[Line],
    groups: Sequence[int],
    side: int,
    solver: Solver,
    depth: int,
    most: int,
    longest: int = LONGEST,
) -> NDArray[np.float64]:
    """My side's tricks from each root on, in the real deal, against opponents who believe in the imagined one.

    Args:
        groups: roots of the same number are the same position, with deals that one opponent thinks possible: where it
            is his turn, his first card is the same for all of them, the best for him on average.
        side: mine.
        depth: tricks that are looked ahead; while their side has the lead, up to ``longest`` more.
        most: lines of a level; a level with more is not looked at further.

    The values mean nothing once ``solver`` is spent.
    """
    levels: list[list[Line]] = [list(roots)]
    values: list[NDArray[np.float64]] = []
    choice: list[NDArray[np.bool_]] = []  # at which lines of a level it is my side that chooses
    while levels[-1]:
        if solver.spent:
            return np.zeros(len(roots))
        level = levels[-1]
        last = len(level) > most
        leaf = np.array([last or _ends(line, side, depth, longest) for line in level])
        worth = np.full(len(level), np.nan)
        at = np.flatnonzero(leaf)
        leaves = [(level[i].real, level[i].leader, level[i].trick) for i in at if _cards_left(level[i])]
        solved = solver.solve(leaves, ONE_BEST)
        found = iter(solved)
        for i in at:
            worth[i] = level[i].won + (_mine(next(found), level[i], side) if _cards_left(level[i]) else 0)
        mine = np.array([(line.turn ^ side) & 1 == 0 for line in level])
        moves = _moves(level, leaf, mine, solver, groups if len(levels) == 1 else None)
        children = []
        for i, cards in enumerate(moves):
            children += [after(level[i], card, solver.strain, side, i) for card in cards]
        values.append(worth)
        choice.append(mine)
        levels.append(children)
    for number in range(len(values) - 1, 0, -1):
        for line, value in zip(levels[number], values[number], strict=True):
            above, i = values[number - 1], line.parent
            better = max if choice[number - 1][i] else min
            above[i] = value if np.isnan(above[i]) else better(above[i], value)
    return values[0]


def _cards_left(line: Line) -> bool:
    return bool((line.real != UNKNOWN).any())


def _ends(line: Line, side: int, depth: int, longest: int) -> bool:
    """Is this a leaf? At the depth, unless they have the lead; or where no card is left."""
    if line.trick:
        return False
    theirs = (line.leader ^ side) & 1 == 1
    return not _cards_left(line) or line.gone >= depth + (longest if theirs else 0)


def _mine(values: NDArray[np.int8], line: Line, side: int) -> int:
    """Double-dummy tricks of my side from here on, of the values of all cards for the side to play."""
    best = int(values.max())
    left = (int((line.real != UNKNOWN).sum()) + len(line.trick)) // 4
    return best if (line.turn ^ side) & 1 == 0 else left - best


def _moves(
    level: list[Line], leaf: NDArray[np.bool_], mine: NDArray[np.bool_], solver: Solver, groups: Sequence[int] | None
) -> list[list[int]]:
    """The cards to look at in each line: all that differ at nodes of mine, at theirs those that look best to them."""
    moves: list[list[int]] = []
    doubtful: list[int] = []
    for i, line in enumerate(level):
        cards = [] if leaf[i] else distinct(
            legal_cards(line.real, line.turn, line.trick), line.real, line.turn, line.trick
        )  # fmt: skip
        moves.append(cards)
        if len(cards) > 1 and not mine[i]:
            doubtful.append(i)
    asked = [(level[i].imagined, level[i].leader, level[i].trick) for i in doubtful]
    looks = dict(zip(doubtful, solver.solve(asked, ALL_BEST if groups is None else ALL_CARDS), strict=True))
    if groups is not None:
        means = _together({i: values.astype(np.float64) for i, values in looks.items()}, groups)
        return [_best_of(level[i], means[i]) if i in means else cards for i, cards in enumerate(moves)]
    for i in doubtful:  # none of the best in d' is legal in d: then the best of those that are
        if not (legal_cards(level[i].real, level[i].turn, level[i].trick) & (looks[i] > NOT_LEGAL)).any():
            (looks[i],) = solver.solve([(level[i].imagined, level[i].leader, level[i].trick)])
    return [_best_of(level[i], looks[i]) if i in looks else cards for i, cards in enumerate(moves)]


def _best_of(line: Line, looks: NDArray[np.float64] | NDArray[np.int8]) -> list[int]:
    """The cards that can be played in both deals and look best; where there is none, those of the real one."""
    cards = legal_cards(line.real, line.turn, line.trick)
    both = cards & (looks > NOT_LEGAL)
    if both.any():
        cards = both & (looks >= looks[both].max() - 1e-9)
    return distinct(cards, line.real, line.turn, line.trick)


def _together(looks: dict[int, NDArray[np.float64]], groups: Sequence[int]) -> dict[int, NDArray[np.float64]]:
    """The mean of what cards look like over all lines of a group."""
    out = {}
    for group in {groups[i] for i in looks}:
        rows = [i for i in looks if groups[i] == group]
        mean = np.mean([looks[i] for i in rows], axis=0)
        out |= dict.fromkeys(rows, mean)
    return out
