"""Store answers about positions, for all positions that are alike in the relevant cards.

A bucket is a shape: how long every suit is in every hand, and the leader. Its entries each hold, of every suit, the
owners of the highest relevant cards, and bounds on North-South's tricks. An entry is four words: the owners in the
first two suits with the bounds above them, the owners in the last two, and which bits of both count. A bucket may have
hundreds, so each has a mark: the owners of the four highest cards of each suit. Sixteen marks are compared at once.
"""

from __future__ import annotations

import numpy as np

from bridge_env.compiled.intrinsics import AT_ONCE, agreeing, prefetch
from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.solver.state import (
    ALL,
    BUCKET,
    BUCKETS,
    ENTRIES,
    ERA,
    LEADER,
    NEED,
    OPEN,
    OPENS,
    SHAPE,
    STAMP,
    bottom,
    ranks,
    size,
    top,
)

_LOW, _HIGH = 52, 56  # where the bounds stand in an entry's first word
_SUIT = (1 << 26) - 1
MASK = np.array([((1 << 2 * k) - 1) << (26 - 2 * k) for k in range(14)])
"""The owners of the k highest cards of a suit, of 26 bits with the highest card first."""


@njit
def write_owners(owners, hands):  # type: ignore[no-untyped-def]
    """Write, for every suit and every part of its cards, their owners: two bits each, the highest card first.

    Args:
        owners: int32 (4, 8192), the output.
        hands: int64 (4,).
    """
    for suit in range(4):
        held = ranks(hands[0] | hands[1] | hands[2] | hands[3], suit)
        part = (0 - held) & held
        while part:
            last = part & (0 - part)
            seat = 0
            while not ranks(hands[seat], suit) & last:
                seat += 1
            owners[suit, part] = owners[suit, part ^ last] | (seat << (24 - 2 * size(part ^ last)))
            part = (part - held) & held


@njit(forceinline=True)
def new_table(state):  # type: ignore[no-untyped-def]
    """Empty the table, for another deal or other trumps."""
    state[STAMP] += 1
    state[ENTRIES], state[BUCKETS] = AT_ONCE, 0  # so many unused marks stand before the first


@njit(forceinline=True)
def mix_bits(x):  # type: ignore[no-untyped-def]
    """Mix the bits of a word."""
    return ((x ^ x >> 32) * -7046029254386353131) >> 46


@njit(forceinline=True)
def _bucket(state, buckets, key):  # type: ignore[no-untyped-def]
    """Return the number of a shape's bucket, an empty one if the shape is new."""
    at = mix_bits(key) & (len(buckets) - 1)
    stamp = state[STAMP]
    while buckets[at, 1] == stamp:
        if buckets[at, 0] == key:
            return at
        at = (at + 1) & (len(buckets) - 1)
    buckets[at, 0], buckets[at, 1], buckets[at, 2], buckets[at, 3] = key, stamp, 0, 0
    state[BUCKETS] += 1
    return at


@njit(forceinline=True)
def prefetch_bucket(state, buckets, t):  # type: ignore[no-untyped-def]
    """Fetch the memory that ``lookup`` reads first."""
    prefetch(buckets, 4 * (mix_bits(state[SHAPE + t] * 4 + (state[LEADER + t] & 3) + 1) & (len(buckets) - 1)))


@njit(forceinline=True)
def _all_owners(owners, held):  # type: ignore[no-untyped-def]
    """Return the owners of the cards held, in two words of two suits each."""
    one = np.int64(owners[0, ranks(held, 0)]) | np.int64(owners[1, ranks(held, 1)]) << 26
    other = np.int64(owners[2, ranks(held, 2)]) | np.int64(owners[3, ranks(held, 3)]) << 26
    return one, other


@njit(forceinline=True)
def _marked(one, other):  # type: ignore[no-untyped-def]
    """Return the bits of the four highest cards of each suit, of two words of two suits each."""
    low = (one >> 18) & 255 | ((one >> 44) & 255) << 8
    return low | ((other >> 18) & 255) << 16 | ((other >> 44) & 255) << 24


@njit(forceinline=True)
def lookup(state, owners, kth, buckets, entries, marks, t):  # type: ignore[no-untyped-def]
    """Look up the position at the beginning of trick ``t``.

    Returns:
        (1 North-South takes what it needs, 0 it does not, -1 unknown; the relevant cards).
    """
    if 4 * state[BUCKETS] >= 3 * len(buckets):
        new_table(state)
    key = state[SHAPE + t] * 4 + (state[LEADER + t] & 3) + 1
    bucket = _bucket(state, buckets, key)
    state[BUCKET + t], state[ERA + t], state[OPENS + t] = bucket, state[STAMP], 0
    held, need = state[ALL + t], state[NEED + t]
    one, other = _all_owners(owners, held)
    first = buckets[bucket, 2]
    # The last first: it was found nearby.
    mark, start, bits = _marked(one, other), first + (buckets[bucket, 3] >> 6), np.int64(0)
    while True:
        while bits == 0 and start > first:
            start -= AT_ONCE
            bits = agreeing(marks, start, mark)
            if start < first:
                bits = bits >> (first - start) << (first - start)
        if bits == 0:
            break
        near = top(bits)
        bits ^= np.int64(1) << near
        at = start + near
        ours, theirs = entries[at, 2], entries[at, 3]
        if ((entries[at, 0] ^ one) & ours) | ((entries[at, 1] ^ other) & theirs):
            continue
        answer = -1
        if ((entries[at, 0] >> _LOW) & 15) >= need:
            answer = 1
        elif ((entries[at, 0] >> _HIGH) & 15) < need:
            answer = 0
        if answer >= 0:
            relevant = (
                np.int64(kth[ranks(held, 0), size(ours & _SUIT) >> 1])
                | np.int64(kth[ranks(held, 1), size(ours >> 26) >> 1]) << 16
                | np.int64(kth[ranks(held, 2), size(theirs & _SUIT) >> 1]) << 32
                | np.int64(kth[ranks(held, 3), size(theirs >> 26) >> 1]) << 48
            )
            return answer, relevant
        if state[OPENS + t] < 4:
            state[OPEN + 4 * t + state[OPENS + t]] = at
            state[OPENS + t] += 1
    return -1, np.int64(0)


@njit(forceinline=True)
def _high_cards(held, relevant, suit):  # type: ignore[no-untyped-def]
    """Return the number of cards of a suit down to the lowest relevant one."""
    relevant_ranks = ranks(relevant, suit)
    return size(ranks(held, suit) >> bottom(relevant_ranks)) if relevant_ranks else 0


@njit(forceinline=True)
def store(state, owners, buckets, entries, marks, t, tricks, answer, relevant):  # type: ignore[no-untyped-def]
    """Store an answer about the position at the beginning of trick ``t``, with ``tricks`` left."""
    if state[ERA + t] != state[STAMP]:
        return  # the table was full and is begun anew
    held, need = state[ALL + t], state[NEED + t]
    ours = MASK[_high_cards(held, relevant, 0)] | MASK[_high_cards(held, relevant, 1)] << 26
    theirs = MASK[_high_cards(held, relevant, 2)] | MASK[_high_cards(held, relevant, 3)] << 26
    low, high = (need, tricks) if answer else (0, need - 1)
    for k in range(state[OPENS + t]):  # an entry of the same cards gets the better bound
        at = state[OPEN + 4 * t + k]
        if entries[at, 2] == ours and entries[at, 3] == theirs:
            low = max(low, (entries[at, 0] >> _LOW) & 15)
            high = min(high, (entries[at, 0] >> _HIGH) & 15)
            entries[at, 0] = (entries[at, 0] & ((1 << _LOW) - 1)) | low << _LOW | high << _HIGH
            return
    bucket = state[BUCKET + t]
    count = buckets[bucket, 3] >> 6
    if count == 0 or (count >= 4 and count & (count - 1) == 0):  # no room: four at first, then twice as many
        room = max(4, 2 * count)
        if state[ENTRIES] + room > len(entries):
            new_table(state)
            return
        start = state[ENTRIES]
        for k in range(count):
            marks[start + k] = marks[buckets[bucket, 2] + k]
            for word in range(4):
                entries[start + k, word] = entries[buckets[bucket, 2] + k, word]
        buckets[bucket, 2] = start
        state[ENTRIES] += room
    at = buckets[bucket, 2] + count
    buckets[bucket, 3] += 64
    one, other = _all_owners(owners, held)
    entries[at, 0] = (one & ours) | low << _LOW | high << _HIGH
    entries[at, 1] = other & theirs
    entries[at, 2], entries[at, 3] = ours, theirs
    marks[at] = _marked(one & ours, other & theirs) | _marked(ours, theirs) << 32
