"""Reduce the 96 images of a deal, by suit permutation and table rotation, to one canonical form.

(Mirroring left and right is not exact, because play goes clockwise.) The canonical form picks one of the 96,
so that equal deals in disguise are found equal, and so that the split into boards for training and boards
for judging cannot leak: all 96 images fall on the same side.

How the form is defined: a suit is a word of 26 bits, two for the owner of each card, the ace uppermost. For
each of the four turns of the table the four words are sorted, which is the least of the 24 suit orders; the
least of the four sorted tuples is the canonical form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.rng import streams
from bridge_env.rules.cards import BoolArray, check_deals

UInt64Array = NDArray[np.uint64]

JUDGING_ONE_IN = 4
_LOW_BITS = np.uint32(0x1555555)  # the low bit of each of the 13 owners in a suit's word
_OWNER_SHIFTS = 2 * np.arange(13, dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """The canonical forms of N deals, with the permutations that lead to them."""

    # (N, 2), the canonical deal's four suit words, two in each. Equal exactly for deals that are images of each other
    words: UInt64Array
    rotation: NDArray[np.intp]  # (N,), how many steps 0..3 clockwise its hands are moved: ``deals.rotate_deals``
    order: NDArray[np.intp]  # (N, 4), which of the deal's suits is then its suit i

    def __getitem__(self, rows: ArrayLike) -> CanonicalForm:
        """Take the forms of some rows (indices or a mask)."""
        r = np.asarray(rows)
        return CanonicalForm(self.words[r], self.rotation[r], self.order[r])

    def tricks_to(self, tricks: ArrayLike, other: CanonicalForm) -> NDArray[np.int8]:
        """Convert the tables of these deals to those of their images ``other``, row by row: int8 (N, 4, 5).

        Args:
            tricks: int8 (N, 4, 5), tables of the deals that these forms are of.
            other: forms with the same ``words``.
        """
        table = np.asarray(tricks, np.int8)
        out = np.empty_like(table)
        out[other._entries()] = table[self._entries()]
        return out

    def _entries(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return where each entry (N, 4, 5) of the canonical deal's table is in the deal's own table."""
        n = len(self.rotation)
        seat = (np.arange(4) - self.rotation[:, None]) % 4
        strain = np.concatenate([self.order, np.full((n, 1), 4)], axis=1)
        return np.arange(n)[:, None, None], seat[:, :, None], strain[:, None, :]


def canonical_form(owner: ArrayLike) -> CanonicalForm:
    """Compute the canonical forms of deals uint8 (N, 52).

    Raises:
        DealError: not deals.
    """
    suits = check_deals(owner).reshape(-1, 4, 13).astype(np.uint32)
    words = (suits << _OWNER_SHIFTS).sum(axis=-1, dtype=np.uint32)
    turns = [words]
    for _ in range(3):  # add one to all 13 owners at once: two-bit fields, modulo 4
        words = words ^ ((words & _LOW_BITS) << np.uint32(1)) ^ _LOW_BITS
        turns.append(words)
    all_turns = np.stack(turns, axis=1)  # (N, turn, suit)
    ordered = np.sort(all_turns, axis=-1).astype(np.uint64)
    high = ordered[..., 0] << np.uint64(26) | ordered[..., 1]
    low = ordered[..., 2] << np.uint64(26) | ordered[..., 3]
    least_high = high.min(axis=1, keepdims=True)
    low_if_least = np.where(high == least_high, low, np.iinfo(np.uint64).max)
    rotation = low_if_least.argmin(axis=1)
    rows = np.arange(len(rotation))
    return CanonicalForm(
        words=np.stack([high[rows, rotation], low[rows, rotation]], axis=1),
        rotation=rotation,
        order=np.argsort(all_turns[rows, rotation], axis=-1, kind="stable"),
    )


def canonical_key(owner: ArrayLike) -> UInt64Array:
    """Hash the canonical form to 64 bits, uint64 (N,): the same for all 96 images of a deal.

    Raises:
        DealError: not deals.
    """
    return key_of_words(canonical_form(owner).words)


def key_of_words(words: UInt64Array) -> UInt64Array:
    """Hash canonical ``words`` uint64 (N, 2), as in :func:`canonical_key`."""
    return streams.key(words[:, 0], words[:, 1])


def is_judging(owner: ArrayLike) -> BoolArray:
    """Return the split, bool (N,): True for the quarter of all deals reserved for judging, False for training.

    Raises:
        DealError: not deals.
    """
    return key_is_judging(canonical_key(owner))


def key_is_judging(key: UInt64Array) -> BoolArray:
    """Return the split, as :func:`is_judging`, by canonical keys uint64 (N,)."""
    return key % np.uint64(JUDGING_ONE_IN) == 0
