"""Lines of play with the published leaf: a real and an imaginary value of every node, by a search of its own.

The rule is that of ``paired``; with the published leaf (``top_tricks``) a node's imaginary value is not known from
DDS, so both values need a tree. It is followed thus:

- At my side's nodes the real value is the greatest over the cards that I can play in d, the imaginary one over those
  that I can play in d': each by itself. So the imaginary value of a node is what d' alone gives there, searched with
  open hands to the same depth. (A card of mine that he does not imagine in my hand must not count in what he imagines.)
- At theirs the card with the smallest imaginary value is played, and its real value counts; of equal ones the smallest
  real value. They choose among cards that can be played in both deals; where there is none, among those of d.
- A card that is played in d and not held in d' is given to its player there, as ``paired`` does.
- The opponent who is to play next has one choice for all of D', where the root is theirs, and after each card of mine
  where the root is mine: the card with the smallest mean imaginary value, of equal ones the one with the smallest mean
  real value. Means are taken with the weights of the deals of D'.
- Touching cards are played once, the lowest: at mine as d has them; at theirs cards between that lie elsewhere in d or
  in d' keep them apart.

Both searches go depth first with bounds, and keep what they know of positions at the start of a trick. What positions
are made of: ``bits``; ``won`` and ``lost`` are the tricks of the whole board. The searches call
themselves, and numba's cache on disk gives such functions back broken (they crash): they are compiled in each process
that first uses them, about ten seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.deception.bits import (
    Standing,
    distinct_cards,
    ends,
    hand_bits,
    legal,
    step,
    suit_of,
    turned,
    without,
)
from agents.cardplay.deception.top_tricks import leaf_value
from bridge_env.kernels import njit
from bridge_env.memory import copy

# Words of ``work``, before its table of positions.
NODES, LIMIT, STAGE, FATAL, STRAIN, LONGEST = range(6)
_TABLE = 8
_SLOTS = 1 << 16
LOWEST, HIGHEST = 0, 13  # of all values
_SAME = 1e-9
_GOLDEN, _STIR = -7046029254386353131, -4658895280553007687


@njit(forceinline=True)
def _next(cards, others, led, best):  # type: ignore[no-untyped-def]
    """A card to look at early: on lead the top of a suit, then any; later what beats ``best``, lowest first."""
    if led == 0:
        rest = cards
        while rest:
            card = rest & -rest
            rest ^= card
            if others & suit_of(card) & ~((card << 1) - 1) == 0:
                return card
        return cards & -cards
    above = cards & suit_of(best) & ~((best << 1) - 1)
    if above:
        return above & -above
    return cards & -cards


@njit(forceinline=True)
def _leaf(hands, at, work):  # type: ignore[no-untyped-def]
    a, b, c, d = hands
    return leaf_value(a, b, c, d, work[STRAIN], at[0], at[6], at[7], work[FATAL])


@njit(forceinline=True)
def _mixed(key, hands):  # type: ignore[no-untyped-def]
    for hand in hands:
        key = (key ^ hand) * _GOLDEN
        key = (key ^ (key >> 29 & 0x7FFFFFFFF)) * _STIR
    return key


@njit(forceinline=True)
def _slot(work, key):  # type: ignore[no-untyped-def]
    return _TABLE + 2 * ((key ^ key >> 32) & (len(work) - _TABLE) // 2 - 1)


@njit(cache=False)
def _open(hands, at, low, high, work):  # type: ignore[no-untyped-def]
    """A deal's value with open hands, to my side; outside of ``low`` and ``high`` only a bound of it."""
    work[NODES] += 1
    mine, led, best, _, place, trick, won, lost, _ = at
    if lost >= work[FATAL] or work[NODES] > work[LIMIT]:
        return 0
    slot, key, least, most = 0, 0, LOWEST, HIGHEST
    if place == 0:
        if ends(hands, at, work[LONGEST]):
            return _leaf(hands, at, work)
        key = _mixed(work[STAGE] + 4 * won + 2 * mine, hands)
        slot = _slot(work, key)
        if work[slot] == key:
            least, most = work[slot + 1] & 15, work[slot + 1] >> 4
            if least >= high or least == most:
                return least
            if most <= low:
                return most
            low, high = max(low, least), min(high, most)
    others = hands[1] | hands[2] | hands[3]
    cards = distinct_cards(legal(hands[0], led), others | trick)
    value = LOWEST - 1 if mine else HIGHEST + 1
    alpha, beta = low, high
    while cards:
        card = _next(cards, others, led, best)
        cards ^= card
        by, then = step(at, card, work[STRAIN])
        a, b, c, d = hands
        found = _open(turned((a ^ card, b, c, d), by), then, alpha, beta, work)
        if mine:
            value, alpha = max(value, found), max(alpha, found)
        else:
            value, beta = min(value, found), min(beta, found)
        if alpha >= beta:
            break
    if place == 0 and work[NODES] <= work[LIMIT]:
        least = value if value > low else least
        most = value if value < high else most
        work[slot], work[slot + 1] = key, least | most << 4
    return value


@njit(cache=False)
def _looks(imagined, at, card, high, work):  # type: ignore[no-untyped-def]
    """The imaginary value of a line once ``card`` is played; from ``high`` on only a bound of it."""
    by, then = step(at, card, work[STRAIN])
    return _open(turned(without(imagined, card), by), then, LOWEST, high, work)


@njit(cache=False)
def _real(hands, imagined, at, low, high, work):  # type: ignore[no-untyped-def]
    """The real value of a line; outside of ``low`` and ``high`` only a bound of it."""
    work[NODES] += 1
    mine, led, best, _, place, trick, won, lost, _ = at
    if lost >= work[FATAL] or work[NODES] > work[LIMIT]:
        return 0
    slot, key, least, most = 0, 0, LOWEST, HIGHEST
    if place == 0:
        if ends(hands, at, work[LONGEST]):
            return _leaf(hands, at, work)
        key = _mixed(_mixed(work[STAGE] + 4 * won + 2 * mine + 1, hands), imagined)
        slot = _slot(work, key)
        if work[slot] == key:
            least, most = work[slot + 1] & 15, work[slot + 1] >> 4
            if least >= high or least == most:
                return least
            if most <= low:
                return most
            low, high = max(low, least), min(high, most)
    others = hands[1] | hands[2] | hands[3]
    cards = legal(hands[0], led)
    if mine:
        cards = distinct_cards(cards, others | trick)
    else:
        believed = cards & legal(imagined[0], led)
        apart = others | imagined[1] | imagined[2] | imagined[3] | trick
        cards = distinct_cards(believed if believed else cards, apart)
        if cards & (cards - 1):
            cards = _smallest(cards, others, imagined, at, work)
    value = LOWEST - 1 if mine else HIGHEST + 1
    alpha, beta = low, high
    while cards:
        card = _next(cards, others, led, best)
        cards ^= card
        by, then = step(at, card, work[STRAIN])
        a, b, c, d = hands
        rest = turned((a ^ card, b, c, d), by)
        found = _real(rest, turned(without(imagined, card), by), then, alpha, beta, work)
        if mine:
            value, alpha = max(value, found), max(alpha, found)
        else:
            value, beta = min(value, found), min(beta, found)
        if alpha >= beta:
            break
    if place == 0 and work[NODES] <= work[LIMIT]:
        least = value if value > low else least
        most = value if value < high else most
        work[slot], work[slot + 1] = key, least | most << 4
    return value


@njit(cache=False)
def _smallest(cards, others, imagined, at, work):  # type: ignore[no-untyped-def]
    """Those of ``cards`` with the smallest imaginary value."""
    chosen, least = 0, HIGHEST - at[7]
    while cards:
        card = _next(cards, others, at[1], at[2])
        cards ^= card
        found = _looks(imagined, at, card, least + 1, work)
        if found < least:
            chosen, least = card, found
        elif found == least:
            chosen |= card
    return chosen


@njit(cache=False)
def _smallest_together(cards, imagined, weight, at, work):  # type: ignore[no-untyped-def]
    """Those of ``cards`` with the smallest imaginary value on average over the rows of ``imagined``."""
    chosen, least = 0, HIGHEST + 1.0
    while cards:
        card = cards & -cards
        cards ^= card
        found = 0.0
        for i in range(len(imagined)):
            found += weight[i] * _looks(_row(imagined, i), at, card, HIGHEST + 1, work)
        if found < least - _SAME:
            chosen, least = card, found
        elif found < least + _SAME:
            chosen |= card
    return chosen


@njit(forceinline=True)
def _row(hands, i):  # type: ignore[no-untyped-def]
    return hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3]


@njit(forceinline=True)
def _shared(hands, imagined, at):  # type: ignore[no-untyped-def]
    """The cards that an opponent who is to play may play in d and in all of D', touching ones once."""
    cards = legal(hands[0], at[1])
    both, apart = cards, hands[1] | hands[2] | hands[3] | at[5]
    for i in range(len(imagined)):
        both &= legal(imagined[i, 0], at[1])
        apart |= imagined[i, 1] | imagined[i, 2] | imagined[i, 3]
    return distinct_cards(both if both else cards, apart)


@njit(cache=False)
def _answered(hands, imagined, weight, at, work, values):  # type: ignore[no-untyped-def]
    """The real values over D' where one opponent, who does not know which of D' it is, is to play: into ``values``."""
    n = len(imagined)
    cards = _shared(hands, imagined, at)
    if cards & (cards - 1):
        cards = _smallest_together(cards, imagined, weight, at, work)
    least, found = HIGHEST + 1.0, np.empty(n)
    while cards:
        card = cards & -cards
        cards ^= card
        by, then = step(at, card, work[STRAIN])
        a, b, c, d = hands
        rest = turned((a ^ card, b, c, d), by)
        mean = 0.0
        for i in range(n):
            believed = turned(without(_row(imagined, i), card), by)
            found[i] = _real(rest, believed, then, LOWEST, HIGHEST - then[7], work)
            mean += weight[i] * found[i]
        if mean < least - _SAME:
            least = mean
            copy(found, values)


@njit(cache=False)
def _together(hands, imagined, weight, at, work):  # type: ignore[no-untyped-def]
    """The weighted mean of the real values over D', the rows of ``imagined`` int64 (n, 4)."""
    n = len(imagined)
    values = np.zeros(n)
    mine, led, _, _, place, trick, _, lost, _ = at
    if not mine:
        _answered(hands, imagined, weight, at, work, values)
        return (weight * values).sum()
    if lost >= work[FATAL]:
        return 0.0
    if place == 0 and ends(hands, at, work[LONGEST]):
        return weight.sum() * _leaf(hands, at, work)
    cards = distinct_cards(legal(hands[0], led), hands[1] | hands[2] | hands[3] | trick)
    best, believed = np.full(n, LOWEST - 1.0), np.empty((n, 4), np.int64)
    while cards:
        card = cards & -cards
        cards ^= card
        by, then = step(at, card, work[STRAIN])
        a, b, c, d = hands
        rest = turned((a ^ card, b, c, d), by)
        for i in range(n):
            believed[i, 0], believed[i, 1], believed[i, 2], believed[i, 3] = turned(
                without(_row(imagined, i), card), by
            )
        over = then[7] >= work[FATAL] or (then[4] == 0 and ends(rest, then, work[LONGEST]))
        if then[0] or over:
            for i in range(n):
                values[i] = _real(rest, _row(believed, i), then, LOWEST, HIGHEST - then[7], work)
        else:
            _answered(rest, believed, weight, then, work, values)
        best = np.maximum(best, values)
    return (weight * best).sum()


@njit(cache=False)
def _together_of(hands, imagined, weight, at, work):  # type: ignore[no-untyped-def]
    """``_together`` of hands int64 (4,) and a position int64 (9,)."""
    four = (hands[0], hands[1], hands[2], hands[3])
    nine = (at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8])
    return _together(four, imagined, weight, nine, work)


class Tree:
    """The search of one card's lines: what it knows of positions is kept from one to the next.

    Args:
        strain: 0..4.
        fatal: tricks of the other side with which my side has failed.
    """

    def __init__(self, strain: int, fatal: int) -> None:
        self.strain = strain
        self._work = np.zeros(_TABLE + 2 * _SLOTS, np.int64)
        self._work[[LIMIT, FATAL, STRAIN]] = 1 << 62, fatal, strain

    def limit(self, nodes: int) -> None:
        """So many positions may be looked at in all; then it is ``spent``, and values are void."""
        self._work[LIMIT] = nodes

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self._work[NODES])

    @property
    def spent(self) -> bool:
        return bool(self._work[NODES] > self._work[LIMIT])

    def mean(
        self,
        real: NDArray[np.uint8],
        imagined: NDArray[np.uint8],
        at: Standing,
        depth: int,
        longest: int,
        weight: NDArray[np.float64] | None = None,
    ) -> float:
        """The mean over D' of the real values of one position, in tricks of my side on the whole board.

        Args:
            real: uint8 (52,), the seat that still holds each card, 255 once it is played.
            imagined: uint8 (n, 52), the same in each deal of D'.
            depth: tricks that are looked ahead, the present one included.
            longest: so many more while their side has the lead.
            weight: float64 (n,), what each deal of D' counts for; None: all the same.
        """
        share = np.ones(len(imagined)) if weight is None else weight.astype(np.float64)
        self._work[[STAGE, LONGEST]] = 128 * (16 * depth + longest), longest
        turn = (at.leader + len(at.trick)) & 3
        hands = np.roll(hand_bits(real), -turn)
        believed = np.ascontiguousarray(np.roll(hand_bits(imagined), -turn, axis=1))
        numbers = at.numbers(turn, self.strain, depth)
        return float(_together_of(hands, believed, share / share.sum(), numbers, self._work))
