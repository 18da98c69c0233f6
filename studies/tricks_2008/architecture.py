"""Architectures as the study of 2008 writes them, and what they cost.

``(52x4)-(26x4)-26-13-1`` has 208 inputs in four groups of 52, four groups of 26 units, each of which sees its own group
alone and has its own weights, then 26, 13 and 1 that see all of the layer before. ``(52x4+84)`` is four groups of 52
beside one of 84.
"""

from __future__ import annotations

import re
from itertools import pairwise

Bands = tuple[tuple[int, int], ...]  # (groups, width) of each part of a layer


def parse(architecture: str) -> list[Bands]:
    """The layers of an architecture.

    Raises:
        ValueError: it cannot be read, or two layers do not fit each other.
    """
    layers = []
    for word in architecture.split("-"):
        bands = []
        for part in word.strip("()").split("+"):
            found = re.fullmatch(r"(\d+)(?:x(\d+))?", part)
            if found is None:
                raise ValueError(f"cannot read {part!r} in the architecture {architecture!r}")
            bands.append((int(found[2] or 1), int(found[1])))
        layers.append(tuple(bands))
    for before, after in pairwise(layers):
        sees_all = len(after) == 1 and after[0][0] == 1
        if not (sees_all or apart(before, after)):
            raise ValueError(f"{architecture!r}: groups {after} cannot follow {before}")
    return layers


def apart(before: Bands, after: Bands) -> bool:
    """Each group of a layer sees its own group of the layer before, not all of it."""
    return [groups for groups, _ in before] == [groups for groups, _ in after]


def width(bands: Bands) -> int:
    """Inputs or units of a layer."""
    return sum(groups * wide for groups, wide in bands)


def weights(architecture: str) -> int:
    """Weights without biases: the multiplications that an example costs."""
    total = 0
    for before, after in pairwise(parse(architecture)):
        if apart(before, after):
            total += sum(groups * seen * units for (groups, seen), (_, units) in zip(before, after, strict=True))
        else:
            total += width(before) * width(after)
    return total
