"""Deal at random; check, turn, read and write deals and hands, as PBN writes them: spades and high cards first."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.rng import streams
from bridge_env.rules.cards import RANKS, SEATS, UNKNOWN, BoolArray, DealError, UInt8Array, card_text, plain_suits

_NO_CARDS = re.compile("[-\u2010-\u2015\u2212_?*]+|VOID")  # dashes of all lengths


def random_deals(seed: int, start: int, count: int) -> UInt8Array:
    """Deal hands at random: deals ``start .. start + count - 1`` of the endless sequence of ``seed``.

    Every deal is a function of (seed, its number) alone, so every cut of the sequence has the same deals.

    Returns:
        owner, uint8 (count, 52).
    """
    return deals_of(streams.key("deal", seed, np.arange(start, start + count)))


def deals_of(keys: NDArray[np.uint64]) -> UInt8Array:
    """Deal at random by every stream: owner uint8 (N, 52) of keys uint64 (N,)."""
    order = np.argsort(streams.draws(keys, 52), axis=-1, kind="stable")
    owner = np.empty((len(keys), 52), np.uint8)
    np.put_along_axis(owner, order, np.repeat(np.arange(4, dtype=np.uint8), 13)[None], axis=-1)
    return owner


def hands(owner: ArrayLike, seat: ArrayLike) -> BoolArray:
    """Return the cards of ``seat`` (scalar or (N,)): bool (N, 52)."""
    return np.asarray(owner) == np.asarray(seat)[..., None]


def rotate_deals(owner: ArrayLike, steps: int) -> UInt8Array:
    """Move every hand ``steps`` seats clockwise (1: N's hand to E, -1: to W); unknown stays unknown."""
    a = np.asarray(owner, np.uint8)
    return np.where(a == UNKNOWN, a, (a + steps % 4) & 3).astype(np.uint8)


def parse_hand(text: str) -> BoolArray:
    """Parse ``"AKQ2.T98.J7.A543"`` (spades.hearts.diamonds.clubs) to bool (52,). ``10`` may be written for ``T``.

    Raises:
        DealError: not four suits of distinct ranks with 13 cards in all.
    """
    suits = text.strip().upper().replace("10", "T").split(".")
    if len(suits) != 4:
        raise DealError(f"hand {text!r} must have four suits (S.H.D.C) divided by dots; it has {len(suits)}")
    held = np.zeros(52, bool)
    for suit, ranks in zip((3, 2, 1, 0), suits, strict=True):
        for rank in ranks if ranks != "-" else "":
            if rank not in RANKS:
                raise DealError(f"hand {text!r}: {rank!r} is not a rank; use {RANKS[::-1]}")
            card = suit * 13 + RANKS.index(rank)
            if held[card]:
                raise DealError(f"hand {text!r} holds {card_text(card)} twice")
            held[card] = True
    if int(held.sum()) != 13:
        raise DealError(f"hand {text!r} has {int(held.sum())} cards, not 13")
    return held


def suit_ranks(held: ArrayLike) -> list[str]:
    """Return the ranks that a hand bool (52,) holds of S H D C, high cards first: ``["AKQ2", "T98", "J7", "A543"]``."""
    h = np.asarray(held, bool).reshape(4, 13)
    return ["".join(RANKS[r] for r in range(12, -1, -1) if h[s, r]) for s in (3, 2, 1, 0)]


def hand_text(held: ArrayLike) -> str:
    """Write a hand, bool (52,), as ``"AKQ2.T98.J7.A543"``."""
    return ".".join(suit_ranks(held))


def parse_deal(text: str, partial: bool = False) -> UInt8Array:
    """Parse a PBN deal, ``"N:hand hand hand hand"`` clockwise from the named seat, to owner uint8 (52,).

    Args:
        partial: whether hands may be left out, as :func:`deal_of_hands` has it.

    Raises:
        DealError: not four hands of 13 distinct cards.
    """
    first, colon, rest = text.strip().partition(":")
    seat, hands = first.strip().upper(), rest.split()
    if not colon or seat not in tuple(SEATS):
        raise DealError(f"deal {text!r} must begin with the first seat and a colon, as in 'N:AK... ...'")
    if not partial and len(hands) != 4:
        raise DealError(f"deal {text!r} must have four hands; it has {len(hands)}")
    return deal_of_hands(hands, SEATS.index(seat), text, partial)


def deal_of_hands(hands: Sequence[str], first: int, text: str, partial: bool = True) -> UInt8Array:
    """Return owner uint8 (52,) of hands such as ``"AKQ2.T98.J7.A543"`` clockwise from seat ``first``.

    Where ``partial``, a hand may be left out: it is empty, or has dashes only, or the last ones are missing. One that
    is left out has the cards that nobody else has; of several their cards stay unknown, 255.

    Args:
        text: the deal as it was written, for errors.

    Raises:
        DealError: a hand that is there has not 13 cards, two have the same card, or there is no hand or a fifth.
    """
    owner = np.full(52, UNKNOWN, np.uint8)
    if len(hands) > 4:
        raise DealError(f"deal {text!r} must have four hands; it has {len(hands)}")
    for place, hand in enumerate(hands):
        cards = _NO_CARDS.sub("", plain_suits(hand)) if partial else hand
        if partial and not cards.strip("."):
            continue
        held = parse_hand(cards)
        twice = np.flatnonzero(held & (owner != UNKNOWN))
        if twice.size:
            raise DealError(f"deal {text!r} has {card_text(int(twice[0]))} in two hands")
        owner[held] = (first + place) & 3
    unknown = [seat for seat in range(4) if not (owner == seat).any()]
    if len(unknown) == 4:
        raise DealError(f"deal {text!r} has no hand")
    if len(unknown) == 1:
        owner[owner == UNKNOWN] = unknown[0]
    return owner


def deal_text(owner: ArrayLike, first: int = 0) -> str:
    """Write owner (52,) as a PBN deal that starts at seat ``first``."""
    o = np.asarray(owner)
    return f"{SEATS[first]}:" + " ".join(hand_text(o == (first + i) % 4) for i in range(4))
