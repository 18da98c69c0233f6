"""Classify decisions in an auction, from the opening to the late competition."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import FIRST_BID, PASS

KINDS = (
    "opening",
    "response to one of a suit, undisturbed",
    "response to another opening, undisturbed",
    "later calls of the opening side, undisturbed",
    "directly over their one-level opening",
    "over their higher opening",
    "advancing partner's overcall or double",
    "we opened, they came in: our first call after it",
    "we opened, they came in: later",
    "they opened: later",
)
(
    OPENING, RESPONSE, OTHER_RESPONSE, UNDISTURBED, OVER_ONE, OVER_HIGHER, ADVANCE, INTERFERED, CONTESTED, DEFENCE,
) = range(len(KINDS))  # fmt: skip
_ONE_NOTRUMP, _TWO_CLUBS = FIRST_BID + 4, FIRST_BID + 5


@njit
def _kind(history, length):  # type: ignore[no-untyped-def]
    """Return which of ``KINDS`` the next call is, after ``length`` calls; seats count from the dealer."""
    seat = length & 3
    opener, opening = -1, -1
    they_came_in = False  # the side that did not open has bid or doubled
    partner_came_in = False
    since = 0  # calls of the opening side since they came in
    actions = 0  # bids and doubles of the defending side before partner's
    opener_calls = 0
    for i in range(length):
        call, caller = history[i], i & 3
        if opener < 0:
            if call >= FIRST_BID:
                opener, opening = caller, call
                opener_calls = 1
            continue
        ours = ((caller ^ opener) & 1) == 0
        if ours:
            opener_calls += call != PASS
            since += they_came_in
        elif call != PASS:
            they_came_in = True
            actions += 1
            partner_came_in = caller == (seat ^ 2)
    if opener < 0:
        return OPENING
    if ((seat ^ opener) & 1) == 0:  # our side opened
        if not they_came_in:
            if opener_calls == 1 and seat == (opener ^ 2):
                return RESPONSE if opening < _ONE_NOTRUMP else OTHER_RESPONSE
            return UNDISTURBED
        return INTERFERED if since == 0 else CONTESTED
    if actions == 0:
        if opener_calls == 1 and seat == ((opener + 1) & 3):
            return OVER_ONE if opening < _TWO_CLUBS else OVER_HIGHER
        return DEFENCE
    if actions == 1 and partner_came_in and opener_calls <= 2:
        return ADVANCE
    return DEFENCE


@njit
def _kinds(history, length, out):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        out[i] = _kind(history[i], length[i])


def kinds_of(history: ArrayLike, length: ArrayLike) -> NDArray[np.int8]:
    """Return the kind of the next call, an index of ``KINDS``: int8 (N,).

    Args:
        history: int8 (N, L), calls from the dealer on.
        length: (N,), how many of them have been made.
    """
    calls = np.ascontiguousarray(history, np.int8)
    out = np.empty(len(calls), np.int8)
    _kinds(calls, np.asarray(length, np.int64), out)
    return out
