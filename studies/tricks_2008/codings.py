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

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.hands.deals import hands, rotate_deals
from bridge_env.rules.cards import UInt8Array
from studies.tricks_2008.evaluation import DISTRIBUTIONAL, POINT_COUNTS, distributional, point_counts

Float32Array = NDArray[np.float32]

#: Divisors of the methods: about the value of a good hand.
SCALES = {name: 2 * sum(values) for name, values in POINT_COUNTS.items()}
SCALES |= dict(zip(DISTRIBUTIONAL, (4.0, 10.0, 12.0, 20.0, 20.0, 6.0, 4.0, 4.0), strict=True))
_SUIT_VALUES = np.array([0.9, 0.7, 0.5, 0.3], np.float32)  # C D H S
_RANK_VALUES = np.linspace(0.1, 0.9, 13, dtype=np.float32)
_WORK = list(POINT_COUNTS).index("work")
_OWNER_VALUES = {  # N E S W
    "52a": (1.0, -0.8, 0.8, -1.0),
    "52b": (1.0, -1.0, 0.8, -1.0),
    "52c": (1.0, -1.0, 1.0, -1.0),
}


def code(owner: UInt8Array, strain: int, parts: Sequence[str]) -> list[Float32Array]:
    """Return the parts of the input of deals (N, 52), each float32 (groups, N, width), ``strain`` played."""
    return [np.ascontiguousarray(_part(name, owner, strain), np.float32) for name in parts]


def _part(name: str, owner: UInt8Array, strain: int) -> NDArray[Any]:
    """Return a part of the input, (groups, N, width)."""
    if name == "26x4":
        cards = 51 - np.argsort(owner[:, ::-1], axis=1, kind="stable")  # by owner, each hand from the spade ace down
        pairs = np.stack([_RANK_VALUES[cards % 13], _SUIT_VALUES[cards // 13]], axis=2)
        return pairs.reshape(len(owner), 4, 26).transpose(1, 0, 2)
    if name in _OWNER_VALUES:
        return np.array(_OWNER_VALUES[name], np.float32)[owner][None]
    if name == "104":
        return np.concatenate([owner % 2 == 0, (owner == 0) | (owner == 3)], axis=1)[None]
    held: NDArray[np.bool_] = owner[None] == np.arange(4)[:, None, None]
    if name == "52x4":
        return held
    points, work = _scaled(owner, None), slice(_WORK, _WORK + 1)
    if name == "work NS":
        return (points[:1, :, work] + points[2:3, :, work]) / np.float32(2)
    if name == "work":
        return _flat(points[:, :, work])
    if name == "points":
        return _flat(points)
    lengths = held.reshape(4, len(owner), 4, 13).sum(axis=3).astype(np.float32) / np.float32(13)
    if name == "20":
        return np.concatenate([_flat(points[:, :, work]), _flat(lengths)], axis=2)
    shape = _scaled(owner, strain)
    methods = np.concatenate([points, shape], axis=2)
    groups = {
        "shape": shape, "methods": methods, "84": np.concatenate([methods, lengths], axis=2),
        "pairs": np.concatenate([methods, (methods[:2] + methods[2:]) / 2]),
    }  # fmt: skip
    return _flat(groups[name])


def _scaled(owner: UInt8Array, strain: int | None) -> Float32Array:
    """Return the point counts of the hands of deals (N, 52), or the methods that see shape: (4, N, width), to scale."""
    scales = np.array([SCALES[name] for name in (POINT_COUNTS if strain is None else DISTRIBUTIONAL)], np.float32)
    held = (hands(owner, seat) for seat in range(4))
    return np.stack([point_counts(h) if strain is None else distributional(h, strain) for h in held]) / scales


def _flat(grouped: NDArray[Any]) -> NDArray[Any]:
    """Return groups (G, N, W) side by side: (1, N, G * W)."""
    return grouped.transpose(1, 0, 2).reshape(1, grouped.shape[1], -1)


def examples(
    owner: UInt8Array, tricks: NDArray[np.int8], strain: int, exchange: bool
) -> tuple[UInt8Array, NDArray[np.int8]]:
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
