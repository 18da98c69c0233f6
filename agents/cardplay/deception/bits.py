"""Represent positions as bits and play one card: the kernels of ``levels``.

Hands are bits of an int64: card ``13 * suit + rank`` is bit ``16 * suit + rank``, and the bits above the ace of each
suit stay free. Four hands follow in turn, the hand to play first. The rest of a position is ``at``, nine numbers:

- ``mine``: is the hand to play of my side? ``led``: the bits of the suit led, 0 at the start of a trick; ``best``: the
  card that wins so far, ``ago``: the hand that it came from, counted from the hand to play on; ``place``: how many
  cards are in the ``trick``, their bits;
- ``won``, ``lost``: tricks so far; ``left``: tricks until the depth is reached.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.jit import njit

SUIT = 0x1FFF
_CARD = np.arange(52, dtype=np.int64)
BITS: NDArray[np.int64] = np.int64(1) << (16 * (_CARD // 13) + _CARD % 13)
"""int64 (52,): the bit of each card."""


def hand_bits(left: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the hands N E S W as bits, int64 (..., 4), of the seats that still hold each card, uint8 (..., 52)."""
    held = left[..., None] == np.arange(4, dtype=np.uint8)
    out: NDArray[np.int64] = (held * BITS[:, None]).sum(axis=-2)
    return out


_GAPS = 1 << 13 | 1 << 29 | 1 << 45 | 1 << 61  # between suits


@njit(forceinline=True)
def suit_of(card):  # type: ignore[no-untyped-def]
    """Return the bits of the suit of a card."""
    if card < 1 << 32:
        return SUIT if card < 1 << 16 else SUIT << 16
    return SUIT << 32 if card < 1 << 48 else SUIT << 48


@njit(forceinline=True)
def distinct_cards(cards, elsewhere):  # type: ignore[no-untyped-def]
    """Return the lowest card of each run of ``cards`` without any of ``elsewhere`` in between."""
    out, rest, last = 0, cards, 0
    elsewhere |= _GAPS
    while rest:
        card = rest & -rest
        rest ^= card
        if last == 0 or elsewhere & (card - 1) & ~((last << 1) - 1):
            out |= card
        last = card
    return out


@njit(forceinline=True)
def takes_over(card, best, strain):  # type: ignore[no-untyped-def]
    suit = suit_of(card)
    if best & suit:
        return card > best
    return strain < 4 and suit == SUIT << 16 * strain


@njit(forceinline=True)
def without(hands, card):  # type: ignore[no-untyped-def]
    """Return the hands once the first has played ``card``; where another holds it, that one gets a card for it."""
    hand, b, c, d = hands
    if hand & card:
        return hand ^ card, b, c, d
    suit = suit_of(card)
    gift = 0
    same = hand & suit
    if same:
        for distance in range(1, 13):
            gift = same & (card >> distance)
            if gift == 0:
                gift = same & (card << distance)
            if gift:
                break
    else:
        for rank in range(13):
            gift = hand & (0x0001000100010001 << rank)
            if gift:
                gift &= -gift
                break
    hand ^= gift
    if b & card:
        b ^= card | gift
    elif c & card:
        c ^= card | gift
    else:
        d ^= card | gift
    return hand, b, c, d


@njit(forceinline=True)
def turned(hands, by):  # type: ignore[no-untyped-def]
    """Return the hands from another one on."""
    a, b, c, d = hands
    if by == 0:
        return a, b, c, d
    if by == 1:
        return b, c, d, a
    if by == 2:
        return c, d, a, b
    return d, a, b, c


@njit(forceinline=True)
def step(at, card, strain):  # type: ignore[no-untyped-def]
    """Return how far the hands turn when ``card`` is played, and the rest of the new position."""
    mine, led, best, ago, place, trick, won, lost, left = at
    if place == 0 or takes_over(card, best, strain):
        best, ago = card, 0
    if place < 3:
        return 1, (
            1 - mine,
            led if place else suit_of(card),
            best,
            (ago - 1) & 3,
            place + 1,
            trick | card,
            won,
            lost,
            left,
        )
    ours = mine ^ (ago & 1)
    return ago, (ours, 0, 0, 0, 0, 0, won + ours, lost + 1 - ours, left - 1)


@njit(forceinline=True)
def ends(hands, at, longest):  # type: ignore[no-untyped-def]
    """Return whether the start of a trick is a leaf: at the depth, unless theirs have the lead, or without cards."""
    return hands[0] == 0 or (at[8] <= 0 and (at[0] or at[8] <= -longest))


@njit(forceinline=True)
def legal(hand, led):  # type: ignore[no-untyped-def]
    cards = hand & led
    return cards if cards else hand
