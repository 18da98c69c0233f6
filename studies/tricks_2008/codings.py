"""Code deals as inputs of the networks of 2008: four codings of the cards, and the counts of players.

Every part of an input is an array float32 (groups, N, width); a part of one group for each hand has 4 groups, in the
order N E S W, any other part 1. North-South's tricks are to be estimated, with West on lead.

=========  ===============================================================================================
part       inputs
=========  ===============================================================================================
26x4       each hand's 13 cards, spades first, high cards first, each as two numbers: its rank, 0.1 (a two) to
           0.9 (an ace) in equal steps, and its suit, 0.3 spades, 0.5 hearts, 0.7 diamonds, 0.9 clubs
52a        each card's owner: N 1.0, S 0.8, W -1.0, E -0.8
52b        N 1.0, S 0.8, W and E -1.0
52c        N and S 1.0, W and E -1.0
104        two numbers a card: 1 if North-South hold it, else 0; then 1 if the first of the pair (N or W) does, else 0
52x4       for each hand 52 numbers, 1 for the cards that it holds
work       Work points of the four hands
20         the same, and the lengths of their four suits (4 x 4), C D H S
work NS    Work points of North and South together
points     the nine point counts of the four hands (4 x 9)
shape      the eight methods that see shape, of the four hands (4 x 8), for the strain that is played
methods    both, hand by hand (4 x 17)
pairs      both, of the four hands and of the two pairs, NS and EW (6 x 17); a pair's value is the sum of its hands'
84         both and the lengths, hand by hand (4 x 21)
=========  ===============================================================================================

The study's own text was not at hand, so some details are chosen here: which suit is 0.3, which of two
hands is 1.0 and which 0.8, the two numbers of ``104``, and the scale of counts. A hand's value is divided by
``SCALES`` (point counts by half of what the pack holds), a pair's by twice as much, a length by 13: nearly all are then
in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.deals import hands, rotate_deals
from bridge_env.rules import cards
from studies.tricks_2008.evaluation import DISTRIBUTIONAL, POINT_COUNTS, distributional, point_counts

Float32Array = NDArray[np.float32]
Part = Callable[[cards.UInt8Array, int], Float32Array]

#: Divisors of the methods: about the value of a good hand.
SCALES = MappingProxyType(
    {name: 2 * sum(values) for name, values in POINT_COUNTS.items()}
    | dict(zip(DISTRIBUTIONAL, (4.0, 10.0, 12.0, 20.0, 20.0, 6.0, 4.0, 4.0), strict=True))
)
_SUIT_VALUES = np.array([0.9, 0.7, 0.5, 0.3], np.float32)  # C D H S
_RANK_VALUES = np.linspace(0.1, 0.9, 13, dtype=np.float32)
_WORK = list(POINT_COUNTS).index("work")
_OWNER_VALUES = {  # N E S W
    "52a": (1.0, -0.8, 0.8, -1.0),
    "52b": (1.0, -1.0, 0.8, -1.0),
    "52c": (1.0, -1.0, 1.0, -1.0),
}


def ranks_and_suits(owner: cards.UInt8Array) -> Float32Array:
    """Return deals (N, 52) as 26x4: float32 (4, N, 26)."""
    count = len(owner)
    held = 51 - np.argsort(owner[:, ::-1], axis=1, kind="stable")  # by owner; within a hand from the ace of spades down
    pairs = np.stack([_RANK_VALUES[held % 13], _SUIT_VALUES[held // 13]], axis=2)
    return np.ascontiguousarray(pairs.reshape(count, 4, 26).transpose(1, 0, 2))


def owner_values(owner: cards.UInt8Array, coding: str) -> Float32Array:
    """Return deals (N, 52) as 52a, 52b or 52c: float32 (1, N, 52)."""
    return np.array(_OWNER_VALUES[coding], np.float32)[owner][None]


def pair_and_hand(owner: cards.UInt8Array) -> Float32Array:
    """Return deals (N, 52) as 104: float32 (1, N, 104)."""
    north_south = owner % 2 == 0
    first = (owner == 0) | (owner == 3)
    return np.concatenate([north_south, first], axis=1).astype(np.float32)[None]


def one_hot(owner: cards.UInt8Array) -> Float32Array:
    """Return deals (N, 52) as 52x4: float32 (4, N, 52)."""
    return _held(owner).astype(np.float32)


def lengths(owner: cards.UInt8Array) -> Float32Array:
    """Return suit lengths of the hands of deals (N, 52), of 13: float32 (4, N, 4)."""
    counted: NDArray[np.int64] = _held(owner).reshape(4, len(owner), 4, 13).sum(axis=3)
    return counted.astype(np.float32) / np.float32(13)


def _held(owner: cards.UInt8Array) -> NDArray[np.bool_]:
    held: NDArray[np.bool_] = owner[None] == np.arange(4)[:, None, None]
    return held


def counts(owner: cards.UInt8Array) -> Float32Array:
    """Return the nine point counts of the hands of deals (N, 52), to scale: float32 (4, N, 9)."""
    scales = np.array([SCALES[name] for name in POINT_COUNTS], np.float32)
    return np.stack([point_counts(hands(owner, seat)) for seat in range(4)]) / scales


def shape(owner: cards.UInt8Array, strain: int) -> Float32Array:
    """Return the methods that see shape, of the hands of deals (N, 52), to scale: float32 (4, N, 8)."""
    scales = np.array([SCALES[name] for name in DISTRIBUTIONAL], np.float32)
    return np.stack([distributional(hands(owner, seat), strain) for seat in range(4)]) / scales


def _methods(owner: cards.UInt8Array, strain: int) -> Float32Array:
    return np.concatenate([counts(owner), shape(owner, strain)], axis=2)


def _pairs(owner: cards.UInt8Array, strain: int) -> Float32Array:
    hands = _methods(owner, strain)
    return _flat(np.concatenate([hands, (hands[:2] + hands[2:]) / 2]))


def _work_ns(owner: cards.UInt8Array, strain: int) -> Float32Array:
    work = counts(owner)[:, :, _WORK : _WORK + 1]
    return (work[:1] + work[2:3]) / np.float32(2)


def _flat(grouped: Float32Array) -> Float32Array:
    """Return groups (G, N, W) side by side: (1, N, G * W)."""
    groups, count, width = grouped.shape
    return np.ascontiguousarray(grouped.transpose(1, 0, 2)).reshape(1, count, groups * width)


#: Name -> the part of the input, of deals (N, 52) and the strain that is played.
PARTS: MappingProxyType[str, Part] = MappingProxyType(
    {
        "26x4": lambda owner, strain: ranks_and_suits(owner),
        "52a": lambda owner, strain: owner_values(owner, "52a"),
        "52b": lambda owner, strain: owner_values(owner, "52b"),
        "52c": lambda owner, strain: owner_values(owner, "52c"),
        "104": lambda owner, strain: pair_and_hand(owner),
        "52x4": lambda owner, strain: one_hot(owner),
        "work": lambda owner, strain: _flat(counts(owner)[:, :, _WORK : _WORK + 1]),
        "work NS": _work_ns,
        "20": lambda owner, strain: np.concatenate([PARTS["work"](owner, strain), _flat(lengths(owner))], axis=2),
        "points": lambda owner, strain: _flat(counts(owner)),
        "shape": lambda owner, strain: _flat(shape(owner, strain)),
        "methods": lambda owner, strain: _flat(_methods(owner, strain)),
        "pairs": _pairs,
        "84": lambda owner, strain: _flat(np.concatenate([_methods(owner, strain), lengths(owner)], axis=2)),
    }
)


def code(owner: cards.UInt8Array, strain: int, parts: Sequence[str]) -> list[Float32Array]:
    """Return the parts of the input of deals (N, 52), each float32 (groups, N, width), ``strain`` played."""
    return [np.ascontiguousarray(PARTS[part](owner, strain)) for part in parts]


def examples(
    owner: cards.UInt8Array, tricks: NDArray[np.int8], strain: int, exchange: bool
) -> tuple[cards.UInt8Array, NDArray[np.int8]]:
    """Return deals (M, 52) as inputs, and North-South's tricks in ``strain``, West leading, as outputs (M,).

    Args:
        owner: deals uint8 (N, 52).
        tricks: their tables int8 (N, 4, 5).
        strain: 0 to 4.
        exchange: after the N deals the same N turned by half: East, who leads against North, sits West. M is 2N.
    """
    south = tricks[:, 2, strain]
    if not exchange:
        return owner, south
    return np.concatenate([owner, rotate_deals(owner, 2)]), np.concatenate([south, tricks[:, 0, strain]])
