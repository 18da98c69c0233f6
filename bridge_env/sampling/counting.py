"""Draw one seat's hand from the remaining cards by counting, without rejection.

The hands of a class (``bridge_env.sampling.constraints``) are counted suit by suit: so many ways to hold ``l`` cards
and ``h`` points of the cards that a suit has left. Two suits are folded into one table, and two tables into the count
of every shape. Read backwards, the same tables draw a hand, each that fits with the same chance; the idea is that of
redeal's SmartStack, with points and shapes together, and tables that are made anew for every deal. Where one seat
alone remains behind, its classes are looked at too, so that each hand drawn fits both.

The counts lie in scratch memory that ``count_hands`` fills and ``draw_hand`` reads:

- ``pair`` float64 (2, 14, 14, 22): of clubs and diamonds, by the cards of each, the ways to hold ``h`` points; of
  hearts and spades the ways to hold fewer than ``h``.
- ``shapes`` int64 (560, 3): clubs, diamonds and hearts of the shapes that fit; ``within`` uint64 (560,): their points;
  ``sums`` float64 (560,): their ways, added up.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.intrinsics import highest, lowest, ones
from bridge_env.compiled.jit import njit
from bridge_env.sampling.bits import HONOUR_POINTS, holding, random_below, uniform

_ZERO, _ONE, _NINE, _SPOTS = np.uint64(0), np.uint64(1), np.uint64(9), np.uint64(0x1FF)
_TOP = 37
HONOUR_CARDS = np.array([bin(m).count("1") for m in range(16)], np.int64)
#: The one or two sets of honours of a suit that have so many points; -1: there is no second.
_PARTS = np.array([([m for m in range(16) if HONOUR_POINTS[m] == h] + [-1])[:2] for h in range(11)], np.int64)


BINOMIALS = np.array([[comb(n, k) for k in range(53)] for n in range(53)], np.float64)


def _ways() -> NDArray[np.float64]:
    """Count by honours (a mask) and spots left the ways to hold l cards with h points: float64 (16, 10, 14, 11)."""
    out = np.zeros((16, 10, 14, 11))
    for mask in range(16):
        for part in range(16):
            if part & mask == part:
                cards = HONOUR_CARDS[part]
                for spots in range(10):
                    out[mask, spots, cards : cards + spots + 1, HONOUR_POINTS[part]] += BINOMIALS[spots, : spots + 1]
    return out


def _choices() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the choices of k out of n begin, int64 (10, 10), and all choices as bits."""
    first = np.zeros((10, 10), np.int64)
    all_of_them: list[int] = []
    for n in range(10):
        for k in range(n + 1):
            first[n, k] = len(all_of_them)
            all_of_them += [bits for bits in range(1 << n) if bin(bits).count("1") == k]
    return first, np.array(all_of_them, np.int64)


class Tables(NamedTuple):
    """Hold the tables that the kernels look up."""

    ways: NDArray[np.float64]
    first_choice: NDArray[np.int64]
    choices: NDArray[np.int64]
    binomials: NDArray[np.float64]


TABLES = Tables(_ways(), *_choices(), BINOMIALS)


class Scratch(NamedTuple):
    """Hold the counts that ``count_hands`` writes and ``draw_hand`` reads."""

    pair: NDArray[np.float64]
    shapes: NDArray[np.int64]
    within: NDArray[np.uint64]
    sums: NDArray[np.float64]
    most: NDArray[np.int64]


def scratch() -> Scratch:
    return Scratch(
        np.zeros((2, 14, 14, 22)), np.zeros((560, 3), np.int64), np.zeros(560, np.uint64), np.zeros(560),
        np.zeros((4, 2), np.int64),
    )  # fmt: skip


@njit(forceinline=True)
def _fold(first, second, low_1, high_1, low_2, high_2, top_1, top_2, before, pair):  # type: ignore[no-untyped-def]
    """Fold two suits into one; with ``before`` the ways to hold fewer points, and not as many."""
    end = top_1 + top_2 + 1 + before
    for i in range(low_1, high_1 + 1):
        for j in range(low_2, high_2 + 1):
            for h in range(end):
                pair[i, j, h] = 0.0
            for h in range(top_1 + 1):
                if first[i, h] > 0:
                    for g in range(top_2 + 1):
                        pair[i, j, h + g + before] += first[i, h] * second[j, g]
            if before:
                for h in range(1, end):
                    pair[i, j, h] += pair[i, j, h - 1]


@njit(forceinline=True)
def _ways_within(low, within, upper, top_low, top_high):  # type: ignore[no-untyped-def]
    """Count the ways of a shape to have points in ``within``: ``low`` ways to hold h, ``upper`` to hold fewer."""
    first = lowest(within)
    total = 0.0
    if ((within >> np.uint64(first)) + _ONE) & (within >> np.uint64(first)) == _ZERO:  # a range
        last = highest(within)
        for h in range(top_low + 1):
            a, b = max(first - h, 0), min(last - h, top_high)
            if a <= b:
                total += low[h] * (upper[b + 1] - upper[a])
        return total
    left = within
    while left:
        points = lowest(left)
        left &= left - _ONE
        for h in range(max(points - top_high, 0), min(top_low, points) + 1):
            total += low[h] * (upper[points - h + 1] - upper[points - h])
    return total


@njit
def count_hands(  # type: ignore[no-untyped-def]
    free, need, base, base_points, classes, bounds, rest, rest_points, rest_reversed, rest_bounds, two, ways, into,
):  # fmt: skip
    """Count the hands that ``need`` of the cards ``free`` make with those the seat has. Returns shapes and hands.

    Args:
        free: bits of the cards to choose from.
        base: int64 (4,), cards of each suit that the seat has anyway, with ``base_points``.
        classes: uint64 (2744,) that its whole hand must be of; bounds int64 (4, 2), the lengths they allow.
        rest, rest_points: lengths and points of the last seat if it gets all of ``free``.
        rest_reversed: its classes, bit ``37 - h`` for h points; rest_bounds as bounds. All looked at only if ``two``.
        ways: of ``TABLES``; into: the ``Scratch`` to write to.
    """
    pair, shapes, within, sums, most = into
    for suit in range(4):
        cards = holding(free, suit)
        low, high = max(0, bounds[suit, 0] - base[suit]), min(ones(cards), bounds[suit, 1] - base[suit])
        if two:
            low, high = max(low, rest[suit] - rest_bounds[suit, 1]), min(high, rest[suit] - rest_bounds[suit, 0])
        most[suit, 0], most[suit, 1] = low, high
        if low > high:
            return 0, 0.0
    held = (holding(free, 0), holding(free, 1), holding(free, 2), holding(free, 3))
    honours = (held[0] >> _NINE, held[1] >> _NINE, held[2] >> _NINE, held[3] >> _NINE)
    for half in range(2):
        a, b = 2 * half, 2 * half + 1
        first = ways[honours[a], ones(held[a] & _SPOTS)]
        second = ways[honours[b], ones(held[b] & _SPOTS)]
        _fold(first, second, most[a, 0], most[a, 1], most[b, 0], most[b, 1],
              HONOUR_POINTS[honours[a]], HONOUR_POINTS[honours[b]], half, pair[half])  # fmt: skip
    top_low = HONOUR_POINTS[honours[0]] + HONOUR_POINTS[honours[1]]
    top_high = HONOUR_POINTS[honours[2]] + HONOUR_POINTS[honours[3]]
    possible = (_ONE << np.uint64(top_low + top_high + 1)) - _ONE
    n, total = 0, 0.0
    for c in range(most[0, 0], most[0, 1] + 1):
        for d in range(most[1, 0], most[1, 1] + 1):
            for h in range(max(most[2, 0], need - c - d - most[3, 1]), min(most[2, 1], need - c - d - most[3, 0]) + 1):
                s = need - c - d - h
                points = classes[((base[0] + c) * 14 + base[1] + d) * 14 + base[2] + h] >> np.uint64(base_points)
                if two:
                    theirs = rest_reversed[((rest[0] - c) * 14 + rest[1] - d) * 14 + rest[2] - h]
                    if rest_points <= _TOP:
                        points &= theirs >> np.uint64(_TOP - rest_points)
                    else:
                        points &= theirs << np.uint64(rest_points - _TOP)
                points &= possible
                if points == _ZERO:
                    continue
                hands = _ways_within(pair[0, c, d], points, pair[1, h, s], top_low, top_high)
                if hands > 0:
                    total += hands
                    shapes[n, 0], shapes[n, 1], shapes[n, 2] = c, d, h
                    within[n], sums[n] = points, total
                    n += 1
    return n, total


@njit(forceinline=True)
def _pick(stream, sums, n):  # type: ignore[no-untyped-def]
    """Draw a place below ``n``, by its share of ``sums``, which are added up."""
    at = uniform(stream) * sums[n - 1]
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        if at < sums[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@njit(forceinline=True)
def _split(stream, first, second, points, top_first, top_second):  # type: ignore[no-untyped-def]
    """Return how many of ``points`` the first of two suits has."""
    low, high = max(0, points - top_second), min(points, top_first)
    total = 0.0
    for h in range(low, high + 1):
        total += first[h] * second[points - h]
    at = uniform(stream) * total
    last = low
    for h in range(low, high + 1):
        share = first[h] * second[points - h]
        if share > 0:
            last = h
            at -= share
            if at < 0:
                break
    return last


@njit(forceinline=True)
def _ways_of_part(part, honours, length, n, binomials):  # type: ignore[no-untyped-def]
    """Count the ways to hold just ``part`` of the honours and ``length`` cards with the help of ``n`` spot cards."""
    k = length - HONOUR_CARDS[part]
    return binomials[n, k] if part & honours == part and 0 <= k <= n else 0.0


@njit(forceinline=True)
def _draw_suit(stream, cards, length, points, tables):  # type: ignore[no-untyped-def]
    """Draw ``length`` of the 13 bits ``cards`` that have so many ``points``."""
    honours, spots = np.int64(cards >> _NINE), cards & _SPOTS
    n = ones(spots)
    chosen, other = _PARTS[points, 0], _PARTS[points, 1]
    if other >= 0:
        second = _ways_of_part(other, honours, length, n, tables.binomials)
        if second > 0:
            first = _ways_of_part(chosen, honours, length, n, tables.binomials)
            if uniform(stream) * (first + second) >= first:
                chosen = other
    k = length - HONOUR_CARDS[chosen]
    out = np.uint64(chosen) << _NINE
    if k == n:
        return out | spots
    if k > 0:
        choice = tables.choices[tables.first_choice[n, k] + random_below(stream, np.int64(tables.binomials[n, k]))]
        while choice:
            bit = spots & (~spots + _ONE)
            if choice & 1:
                out |= bit
            spots ^= bit
            choice >>= 1
    return out


@njit
def draw_hand(stream, free, need, n, tables, counted):  # type: ignore[no-untyped-def]
    """Draw the bits of a hand that ``count_hands`` counted (``n`` shapes), each with the same chance."""
    pair, shapes, within, sums, _ = counted
    ways = tables.ways
    place = _pick(stream, sums, n)
    c, d, h = shapes[place, 0], shapes[place, 1], shapes[place, 2]
    s = need - c - d - h
    lengths = (c, d, h, s)
    held = (holding(free, 0), holding(free, 1), holding(free, 2), holding(free, 3))
    honours = (held[0] >> _NINE, held[1] >> _NINE, held[2] >> _NINE, held[3] >> _NINE)
    top = (HONOUR_POINTS[honours[0]], HONOUR_POINTS[honours[1]], HONOUR_POINTS[honours[2]], HONOUR_POINTS[honours[3]])
    low, upper = pair[0, c, d], pair[1, h, s]
    total = sums[place] - (sums[place - 1] if place else 0.0)
    low_points, high_points = _points_of_halves(
        stream, low, upper, within[place], top[0] + top[1], top[2] + top[3], total
    )
    first = ways[honours[0], ones(held[0] & _SPOTS), c]
    second = ways[honours[1], ones(held[1] & _SPOTS), d]
    third = ways[honours[2], ones(held[2] & _SPOTS), h]
    fourth = ways[honours[3], ones(held[3] & _SPOTS), s]
    clubs = _split(stream, first, second, low_points, top[0], top[1])
    hearts = _split(stream, third, fourth, high_points, top[2], top[3])
    points = (clubs, low_points - clubs, hearts, high_points - hearts)
    hand = _ZERO
    for suit in range(4):
        part = _draw_suit(stream, held[suit], lengths[suit], points[suit], tables)
        hand |= part << np.uint64(16 * suit)
    return hand


@njit(forceinline=True)
def _points_of_halves(stream, low, upper, within, top_low, top_high, total):  # type: ignore[no-untyped-def]
    """Draw the points in the minors and in the majors of a shape, together in ``within``."""
    at = uniform(stream) * total
    low_points, high_points = -1, -1
    for h in range(top_low + 1):
        if low[h] == 0:
            continue
        left = within >> np.uint64(h)
        while left:
            g = lowest(left)
            if g > top_high:
                break
            left &= left - _ONE
            share = low[h] * (upper[g + 1] - upper[g])
            if share > 0:
                low_points, high_points = h, g
                at -= share
                if at < 0:
                    return low_points, high_points
    return low_points, high_points
