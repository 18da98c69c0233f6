"""What happens at one table of an env, a row of ``arrays.Room`` at a time: the rules that all kernels share.

All of it is inlined into kernels, which loop over rows. What a record holds is read by name, and at no cost there.
"""

from __future__ import annotations

import numpy as np

from bridge_env import scoring
from bridge_env.auction import (
    DONE,
    DOUBLING,
    LAST_BID,
    LENGTH,
    VULNERABILITY,
    row_declarer,
    row_legal,
    row_mask,
    row_start,
    row_step,
    row_turn,
)
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, REDOUBLE, bid_call
from bridge_env.chance import purpose, row_draw, row_key, row_key_of_three, row_uniform
from bridge_env.double_dummy.symmetries import row_draw_symmetry
from bridge_env.envs.kernels.arrays import (
    ASKS_BIDDER,
    ASKS_CALLER,
    BID,
    CALLER,
    DECLARER,
    DOUBLED,
    DOUBLES,
    GOES_ON,
    ILLEGAL,
    INJECTED,
    OUTCOME_ROWS,
    OVER,
    PASSES,
    REFERENCE,
    SCORE,
    TRICKS,
)
from bridge_env.envs.rewards import row_reward
from bridge_env.kernels import njit
from bridge_env.observation import row_observation, row_shown
from bridge_env.par import row_par

_TWO_NOTRUMP_BID = bid_call(2, 4) - FIRST_BID
EPISODE, SETTLED = "episode", "dealer and vulnerability"  # purposes of streams
_EPISODE, _SETTLED = purpose(EPISODE), purpose(SETTLED)
_points_of = njit(scoring.points_of, forceinline=True)

# --- calls ------------------------------------------------------------------------------------------------


@njit
def row_trivial_call(state, key, kind):  # type: ignore[no-untyped-def]
    """What the trivial bidder ``kind`` calls here; the same as its class in ``bridge_env.bidders``."""
    if kind == DOUBLES:
        return DOUBLE if state[LAST_BID] >= _TWO_NOTRUMP_BID and row_legal(state, DOUBLE) else PASS
    if kind == PASSES:
        return PASS
    lowest = FIRST_BID + state[LAST_BID] + 1
    extra = -1  # never both: a double is an opponent's, a redouble our own side's
    if row_legal(state, DOUBLE):
        extra = DOUBLE
    elif row_legal(state, REDOUBLE):
        extra = REDOUBLE
    others = 2 if extra >= 0 else 1
    rank = int(row_uniform(row_key(key, state[LENGTH])) * (others + NUM_CALLS - lowest))
    if rank >= others:
        return lowest + rank - others
    return PASS if rank == 0 else extra


@njit(forceinline=True)
def row_asks(state, kinds):  # type: ignore[no-untyped-def]
    """What a table does as its auction stands: ASKS_CALLER, ASKS_BIDDER, OVER, or GOES_ON."""
    if state[DONE]:
        return OVER
    kind = kinds[row_turn(state)]
    if kind == CALLER:
        return ASKS_CALLER
    return ASKS_BIDDER if kind == INJECTED else GOES_ON


@njit
def row_advance(state, history, key, kinds):  # type: ignore[no-untyped-def]
    """Let compiled bidders call; returns what the table then does: ASKS_CALLER, ASKS_BIDDER or OVER."""
    status = row_asks(state, kinds)
    while status == GOES_ON:
        row_step(state, history, row_trivial_call(state, key, kinds[row_turn(state)]))
        status = row_asks(state, kinds)
    return status


@njit(forceinline=True)
def row_go_on(room, row, status):  # type: ignore[no-untyped-def]
    """Note what a table does, once its compiled bidders have called."""
    if status == GOES_ON:
        status = row_advance(room.state[row], room.history[row], room.key[row], room.kinds)
    room.status[row] = status
    return status


@njit(forceinline=True)
def row_call(room, row, call):  # type: ignore[no-untyped-def]
    """Make the caller's call, if it is legal, and those of compiled bidders after it; returns what the table does."""
    state = room.state[row]
    if not row_legal(state, call):
        room.status[row] = ILLEGAL
        return ILLEGAL
    room.viewer[row] = row_turn(state)
    row_step(state, room.history[row], call)
    return row_go_on(room, row, row_asks(state, room.kinds))


# --- what is seen -----------------------------------------------------------------------------------------


@njit(forceinline=True)
def row_look(room, row, observation, mask):  # type: ignore[no-untyped-def]
    """Write what the seat to call sees or, of a finished auction, what the ``viewer`` sees."""
    state = room.state[row]
    seat = room.viewer[row] if state[DONE] else row_turn(state)
    row_observation(state, room.history[row], room.shown[row], seat, observation)
    row_mask(state, mask)


# --- what is paid -----------------------------------------------------------------------------------------


@njit(forceinline=True)
def row_took(state, tricks):  # type: ignore[no-untyped-def]
    """Declarer's tricks from a table (4, 5), where -1 is unknown; 0 without a bid."""
    return tricks[row_declarer(state), state[LAST_BID] % 5] if state[LAST_BID] >= 0 else 0


@njit(forceinline=True)
def row_score(state, took, table):  # type: ignore[no-untyped-def]
    """Points for NS when declarer has taken ``took`` tricks; ``table`` is ``SCORE_TABLE``."""
    if state[LAST_BID] < 0:
        return 0
    return _points_of(table, state[LAST_BID], state[DOUBLING], row_declarer(state), state[VULNERABILITY], took)


@njit(forceinline=True)
def row_nothing(results, row):  # type: ignore[no-untyped-def]
    """Say that nothing has been paid at a table."""
    results.reward[row] = 0
    results.terminated[row] = False
    results.illegal[row] = False
    for seat in range(4):
        results.seat_rewards[row, seat] = 0
    for what in range(OUTCOME_ROWS):
        results.outcome[what, row] = 0


@njit(forceinline=True)
def row_settle(room, terms, results, row):  # type: ignore[no-untyped-def]
    """Pay what has ended at a table; returns False if it cannot be, because the tricks of its contract are unknown."""
    state, status, side = room.state[row], room.status[row], terms.side
    if status == ILLEGAL:
        results.reward[row] = -terms.penalty
        results.terminated[row] = True
        results.illegal[row] = True
        if side < 0:
            results.seat_rewards[row, row_turn(state)] = -terms.penalty
    elif status == OVER:
        took = row_took(state, room.tricks[row])
        if took < 0:
            return False
        results.terminated[row] = True
        row_pay(state, room.viewer[row], took, room.reference[row], terms, results, row)
    return True


@njit(forceinline=True)
def row_pay(state, viewer, took, reference, terms, results, row):  # type: ignore[no-untyped-def]
    """Pay a finished auction in which declarer took ``took`` tricks, and tell its outcome."""
    side = terms.side
    score = row_score(state, took, terms.points)
    payee = viewer & 1 if side < 0 else side
    reward = row_reward(payee, score, reference, terms.rewards)
    results.reward[row] = reward
    if side < 0:
        for seat in range(4):
            results.seat_rewards[row, seat] = reward if seat & 1 == payee else -reward
    sign = -1 if side == 1 else 1
    results.outcome[SCORE, row] = sign * score
    results.outcome[REFERENCE, row] = sign * reference
    results.outcome[BID, row] = state[LAST_BID]
    results.outcome[DOUBLED, row] = state[DOUBLING]
    results.outcome[DECLARER, row] = row_declarer(state)
    results.outcome[TRICKS, row] = took if state[LAST_BID] >= 0 else -1


# --- new episodes -----------------------------------------------------------------------------------------


@njit(forceinline=True)
def row_deal(room, stock, row):  # type: ignore[no-untyped-def]
    """Deal a table its next episode from solved deals, as ``episodes.draw_episodes`` does."""
    key = row_key_of_three(room.base[row], _EPISODE, room.number[row])
    room.key[row] = key
    room.number[row] += 1
    room.finished[row] = False
    state, tricks = room.state[row], room.tricks[row]
    row_draw_symmetry(key, stock.records, stock.indices, stock.images, room.owner[row], tricks)
    row_shown(room.owner[row], room.shown[row])
    chance = row_key(key, _SETTLED)
    dealer, vulnerability = stock.dealer, stock.vulnerability
    if dealer < 0:
        dealer = np.int64(row_draw(chance, 0) & np.uint64(3))
    if vulnerability < 0:
        vulnerability = np.int64(row_draw(chance, 1) & np.uint64(3))
    row_start(state, room.history[row], dealer, vulnerability)
    room.reference[row] = row_par(tricks, dealer, vulnerability, stock.accepted) if stock.by_par else 0
    row_go_on(room, row, row_asks(state, room.kinds))
