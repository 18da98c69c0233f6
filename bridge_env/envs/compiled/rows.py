"""Rules of one table of an env, a row of ``arrays.TableState``, inlined into the kernels that loop over rows."""

from __future__ import annotations

import numpy as np

from bridge_env.bidders.observation import row_observation, row_shown
from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.symmetries import row_draw_symmetry
from bridge_env.envs.compiled.arrays import (
    BID,
    BIDDER,
    BIDDER_TURN,
    CALLER,
    CALLER_TURN,
    DECLARER,
    DOUBLED,
    ILLEGAL,
    NO_OUTCOME,
    OUTCOME_ROWS,
    OVER,
    PASS_TURN,
    REFERENCE,
    SCORE,
    TRICKS,
)
from bridge_env.envs.rewards import row_reward
from bridge_env.rng.streams_numba import purpose, row_draw, row_key, row_key_of_three
from bridge_env.rules import scoring
from bridge_env.rules.auction import (
    DONE,
    DOUBLING,
    LAST_BID,
    VULNERABILITY,
    row_declarer,
    row_legal,
    row_mask,
    row_start,
    row_step,
    row_turn,
)
from bridge_env.rules.calls import PASS
from bridge_env.rules.par import row_par

EPISODE, SETTLED = "episode", "dealer and vulnerability"  # purposes of streams
_EPISODE, _SETTLED = purpose(EPISODE), purpose(SETTLED)
_points_of = njit(scoring.points_of, forceinline=True)


@njit(forceinline=True)
def next_status(state, kinds):  # type: ignore[no-untyped-def]
    """Return the status of a table by its auction: CALLER_TURN, BIDDER_TURN, OVER or PASS_TURN."""
    if state[DONE]:
        return OVER
    kind = kinds[row_turn(state)]
    if kind == CALLER:
        return CALLER_TURN
    return BIDDER_TURN if kind == BIDDER else PASS_TURN


@njit(forceinline=True)
def pass_on(tables, row):  # type: ignore[no-untyped-def]
    """Make compiled passes until another seat is to call; set and return its status then."""
    state = tables.state[row]
    status = next_status(state, tables.kinds)
    while status == PASS_TURN:
        row_step(state, tables.history[row], PASS)
        status = next_status(state, tables.kinds)
    tables.status[row] = status
    return status


@njit(forceinline=True)
def make_call(tables, row, call):  # type: ignore[no-untyped-def]
    """Make the caller's call, if it is legal, and the compiled passes after it; return the table's status."""
    state = tables.state[row]
    tables.viewer[row] = row_turn(state)
    if not row_legal(state, call):
        tables.status[row] = ILLEGAL
        return ILLEGAL
    row_step(state, tables.history[row], call)
    return pass_on(tables, row)


@njit(forceinline=True)
def write_observation(tables, row, observation, mask):  # type: ignore[no-untyped-def]
    """Write the observation of a seat and the legal calls; return the seat.

    It is the seat to call, or the ``viewer`` of a finished auction.
    """
    state = tables.state[row]
    seat = tables.viewer[row] if state[DONE] else row_turn(state)
    row_observation(state, tables.history[row], tables.shown[row], seat, observation)
    row_mask(state, mask)
    return seat


@njit(forceinline=True)
def declarer_tricks(state, tricks):  # type: ignore[no-untyped-def]
    """Return declarer's tricks from a table (4, 5), where -1 is unknown; 0 without a bid."""
    return tricks[row_declarer(state), state[LAST_BID] % 5] if state[LAST_BID] >= 0 else 0


@njit(forceinline=True)
def contract_score(state, tricks, points):  # type: ignore[no-untyped-def]
    """Return the points for NS when declarer takes ``tricks``; ``points`` is ``SCORE_TABLE``."""
    if state[LAST_BID] < 0:
        return 0
    return _points_of(points, state[LAST_BID], state[DOUBLING], row_declarer(state), state[VULNERABILITY], tricks)


@njit(forceinline=True)
def clear_output(output, row):  # type: ignore[no-untyped-def]
    """Write that a table's episode goes on, with no reward."""
    output.reward[row] = 0
    output.terminated[row] = False
    output.illegal[row] = False
    for seat in range(4):
        output.seat_rewards[row, seat] = 0
    for number in range(OUTCOME_ROWS):
        output.outcome[number, row] = NO_OUTCOME[number]


@njit(forceinline=True)
def finish_row(tables, params, output, row):  # type: ignore[no-untyped-def]
    """Write the reward and outcome of a table if its episode has ended; return False if its tricks are unknown."""
    state, status, side = tables.state[row], tables.status[row], params.side
    if status == ILLEGAL:
        output.reward[row] = -params.penalty
        output.terminated[row] = True
        output.illegal[row] = True
        if side < 0:
            output.seat_rewards[row, row_turn(state)] = -params.penalty
    elif status == OVER:
        tricks = declarer_tricks(state, tables.tricks[row])
        if tricks < 0:
            return False
        output.terminated[row] = True
        write_outcome(state, tables.viewer[row], tricks, tables.reference[row], params, output, row)
    return True


@njit(forceinline=True)
def write_outcome(state, viewer, tricks, reference, params, output, row):  # type: ignore[no-untyped-def]
    """Write the reward and outcome of a finished auction in which declarer takes ``tricks``."""
    side = params.side
    score = contract_score(state, tricks, params.points)
    rewarded = viewer & 1 if side < 0 else side
    reward = row_reward(rewarded, score, reference, params.rewards)
    output.reward[row] = reward
    if side < 0:
        for seat in range(4):
            output.seat_rewards[row, seat] = reward if seat & 1 == rewarded else -reward
    sign = -1 if side == 1 else 1
    output.outcome[SCORE, row] = sign * score
    output.outcome[REFERENCE, row] = sign * reference
    output.outcome[BID, row] = state[LAST_BID]
    output.outcome[DOUBLED, row] = state[DOUBLING]
    output.outcome[DECLARER, row] = row_declarer(state)
    output.outcome[TRICKS, row] = tricks if state[LAST_BID] >= 0 else -1


@njit(forceinline=True)
def deal_row(tables, deals, row):  # type: ignore[no-untyped-def]
    """Deal a table its next episode from solved deals, as ``episodes.draw_episodes`` does."""
    key = row_key_of_three(tables.base[row], _EPISODE, tables.number[row])
    tables.key[row] = key
    tables.number[row] += 1
    tables.finished[row] = False
    tricks = tables.tricks[row]
    row_draw_symmetry(key, deals.records, deals.indices, deals.images, tables.owner[row], tricks)
    row_shown(tables.owner[row], tables.shown[row])
    chance = row_key(key, _SETTLED)
    dealer, vulnerability = deals.dealer, deals.vulnerability
    if dealer < 0:
        dealer = np.int64(row_draw(chance, 0) & np.uint64(3))
    if vulnerability < 0:
        vulnerability = np.int64(row_draw(chance, 1) & np.uint64(3))
    row_start(tables.state[row], tables.history[row], dealer, vulnerability)
    tables.reference[row] = row_par(tricks, dealer, vulnerability, deals.accepted) if deals.by_par else 0
    pass_on(tables, row)
