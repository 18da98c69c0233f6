"""Classify calls: the kind of decision, from the opening to the late competition, and whether a call is artificial.

A call is artificial if it is a bid of a suit without four cards in it (three for a raise of partner's), a double of a
contract at the three level or below, a redouble, or a 2♣ that opens or answers partner's 1NT without five clubs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE
from training.evaluation.boards import mean_and_error
from training.evaluation.duplicate import MatchResult

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
    """Return the kind of the next call, an index of ``KINDS``, int8 (N,), after ``length`` (N,) calls of ``history``,
    int8 (N, L).
    """
    calls = np.ascontiguousarray(history, np.int8)
    out = np.empty(len(calls), np.int8)
    _kinds(calls, np.asarray(length, np.int64), out)
    return out


@njit
def _mark(history, dealer, lengths, out, counts):  # type: ignore[no-untyped-def]
    """Write which calls are artificial, bool (N, L), and their number by side, (N, 2); ``lengths`` (N, 4, 4) are the
    suits.
    """
    newest, before = np.empty(2, np.int64), np.empty(2, np.int64)  # the last two bids of each side
    for i in range(len(history)):
        newest[:], before[:] = -1, -1
        last = -1  # the last bid
        named = 0  # suits that each seat has bid, as bits: 4 for each seat
        for k in range(history.shape[1]):
            call, seat = history[i, k], (dealer[i] + k) & 3
            side = seat & 1
            if call < PASS:
                break
            artificial = False
            if call >= FIRST_BID:
                bid = call - FIRST_BID
                suit = bid % 5
                if suit < 4:
                    held = lengths[i, seat, suit]
                    raised = (named >> (4 * (seat ^ 2) + suit)) & 1
                    answers = newest[side] == _ONE_NOTRUMP - FIRST_BID and before[side] == -1
                    code = call == _TWO_CLUBS and (last < 0 or answers) and held < 5
                    artificial = held < (3 if raised else 4) or code
                    named |= 1 << (4 * seat + suit)
                last = bid
                before[side], newest[side] = newest[side], bid
            elif call == REDOUBLE:
                artificial = True
            elif call == DOUBLE:
                artificial = last < 15  # bids of the first three levels
            out[i, k] = artificial
            counts[i, side] += artificial


def artificial_calls(
    history: NDArray[np.int8], dealer: NDArray[np.int16], owner: NDArray[np.uint8]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which calls of auctions int8 (N, L), padded with -1, are artificial: bool (N, L); and their number by
    side: int64 (N, 2).
    """
    out, counts = np.zeros(history.shape, np.bool_), np.zeros((len(history), 2), np.int64)
    lengths = (owner.reshape(-1, 1, 4, 13) == np.arange(4)[None, :, None, None]).sum(axis=3)
    _mark(np.ascontiguousarray(history), dealer, lengths, out, counts)
    return out, counts


def of_match(played: MatchResult) -> tuple[float, float]:
    """Return the artificial calls of A in 100 auctions of its side, and their standard error."""
    boards = played.boards
    first, second = (artificial_calls(table.history, boards.dealer, boards.owner)[1] for table in played.tables)
    mean, error = mean_and_error((first[:, 0] + second[:, 1]) / 2)
    return 100 * mean, 100 * error
