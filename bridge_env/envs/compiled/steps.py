"""Step all tables of an env, compiled: in one kernel, or in parts between which bidders and the solver are called.

Kernels take the records of ``arrays`` as ``addresses``, those of a ``PointerTable``. The rules of a row stand in
``rows``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.observation import row_observation, row_shown
from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit
from bridge_env.envs.compiled.arrays import (
    BIDDER_TURN,
    CALLER_TURN,
    SAME_STEP,
    SCHEMA,
    RewardParams,
    SolvedDeals,
    StepOutput,
    TableState,
)
from bridge_env.envs.compiled.rows import (
    clear_output,
    contract_score,
    deal_row,
    declarer_tricks,
    finish_row,
    make_call,
    pass_on,
    write_observation,
)
from bridge_env.rng.streams_numba import row_draw
from bridge_env.rules.auction import row_legal, row_start
from bridge_env.rules.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE

_tables_at, _params_at, _deals_at = SCHEMA.reader(TableState), SCHEMA.reader(RewardParams), SCHEMA.reader(SolvedDeals)
_set_output, _output_at = SCHEMA.writer(StepOutput), SCHEMA.reader(StepOutput)


# --- a step in one kernel, for seats that pass and solved deals ---------------------------------------------


@njit(nogil=True)
def step_all(  # type: ignore[no-untyped-def]
    addresses, calls, strict,
    observation, mask, seat, reward, terminated, illegal, seat_rewards, outcome,
    final_observation, final_mask, final_seat,
):  # fmt: skip
    """Make the caller's call at every table; a table that has ``finished`` is dealt its next episode instead.

    Returns the first table with a call that ``first_bad_call`` does not allow, and then nothing has changed, or -1;
    and how many episodes ended.
    """
    bad = first_bad_call(addresses, calls, strict)
    if bad >= 0:
        return bad, 0
    # Arrays at an address are not counted at every row, as arguments are: a step takes four fifths of the time.
    _set_output(
        addresses,
        StepOutput(
            observation, mask, seat, reward, terminated, illegal, seat_rewards, outcome,
            final_observation, final_mask, final_seat,
        ),
    )  # fmt: skip
    tables, params, deals = _tables_at(addresses), _params_at(addresses), _deals_at(addresses)
    output = _output_at(addresses)
    ended = 0
    for row in range(np.uint64(len(calls))):  # an unsigned index is not tested for being negative
        clear_output(output, row)
        new = tables.finished[row]
        if not new:
            status = make_call(tables, row, calls[row])
            if status != CALLER_TURN:  # then it is OVER, its tricks known, or ILLEGAL
                finish_row(tables, params, output, row)
                ended += 1
                tables.finished[row] = True
                if deals.mode == SAME_STEP:
                    output.final_seat[row] = write_observation(
                        tables, row, output.final_observation[row], output.final_mask[row]
                    )
                    new = True
        if new:
            deal_row(tables, deals, row)
        output.seat[row] = write_observation(tables, row, output.observation[row], output.mask[row])
    return -1, ended


@njit(nogil=True)
def deal_rows(addresses, rows):  # type: ignore[no-untyped-def]
    """Deal the next episodes of the tables ``rows``."""
    tables, deals = _tables_at(addresses), _deals_at(addresses)
    for row in rows:
        deal_row(tables, deals, row)


# --- the same in parts, for injected bidders and for deals that are not solved ------------------------------


@njit(nogil=True)
def find_episodes(addresses, rows, buffer_base, buffer_end, depth, places):  # type: ignore[no-untyped-def]
    """Write where the next episodes of ``rows`` lie in an ``EpisodeBuffer``; return whether all are there."""
    tables = _tables_at(addresses)
    for i in range(len(rows)):
        row = rows[i]
        number = tables.number[row]
        if tables.base[row] != buffer_base[row] or not 0 < buffer_end[row] - number <= depth:
            return False
        places[i] = depth * row + number % depth
    return True


@njit(nogil=True)
def start_rows(addresses, rows, at, owner, tricks, dealer, vulnerability, key, reference):  # type: ignore[no-untyped-def]
    """Deal board ``at[i]`` at table ``rows[i]``; return how many tables wait for an injected bidder."""
    tables = _tables_at(addresses)
    waiting = 0
    for i in range(len(rows)):
        row, board = rows[i], at[i]
        copy(owner[board], tables.owner[row])
        row_shown(tables.owner[row], tables.shown[row])
        copy(tricks[board], tables.tricks[row])
        tables.key[row] = key[board]
        tables.reference[row] = reference[board]
        tables.finished[row] = False
        row_start(tables.state[row], tables.history[row], dealer[board], vulnerability[board])
        waiting += pass_on(tables, row) == BIDDER_TURN
    return waiting


@njit(nogil=True)
def call_rows(addresses, calls):  # type: ignore[no-untyped-def]
    """Make the caller's call where it is the caller's turn; return how many tables then wait for an injected bidder."""
    tables = _tables_at(addresses)
    waiting = 0
    for row in range(len(calls)):
        if tables.status[row] == CALLER_TURN:
            waiting += make_call(tables, row, calls[row]) == BIDDER_TURN
    return waiting


@njit(nogil=True)
def advance_rows(addresses, rows):  # type: ignore[no-untyped-def]
    """Make compiled passes at ``rows``; return how many tables then wait for an injected bidder."""
    tables = _tables_at(addresses)
    waiting = 0
    for row in rows:
        waiting += pass_on(tables, row) == BIDDER_TURN
    return waiting


@njit(nogil=True)
def finish_rows(  # type: ignore[no-untyped-def]
    addresses,
    observation, mask, seat, reward, terminated, illegal, seat_rewards, outcome,
    final_observation, final_mask, final_seat,
):  # fmt: skip
    """Write rewards and outcomes where an auction has just ended, and clear the rest; the caller sets ``finished``.

    Returns how many of them have unknown tricks.
    """
    tables, params = _tables_at(addresses), _params_at(addresses)
    output = StepOutput(
        observation, mask, seat, reward, terminated, illegal, seat_rewards, outcome,
        final_observation, final_mask, final_seat,
    )  # fmt: skip
    unknown = 0
    for row in range(len(reward)):
        clear_output(output, row)
        if not tables.finished[row]:
            unknown += not finish_row(tables, params, output, row)
    return unknown


@njit(nogil=True)
def score_rows(addresses, points, score):  # type: ignore[no-untyped-def]
    """Write the scores of contracts as they stand, points for NS; return how many have unknown tricks."""
    tables = _tables_at(addresses)
    unknown = 0
    for row in range(len(score)):
        state = tables.state[row]
        tricks = declarer_tricks(state, tables.tricks[row])
        unknown += tricks < 0
        score[row] = contract_score(state, tricks, points) if tricks >= 0 else 0
    return unknown


@njit(nogil=True)
def write_observations(addresses, rows, observation, mask, seat):  # type: ignore[no-untyped-def]
    """Write the observations, legal calls and their seats at the tables ``rows``."""
    tables = _tables_at(addresses)
    for row in rows:
        seat[row] = write_observation(tables, row, observation[row], mask[row])


@njit(nogil=True)
def observe_from(addresses, row, seat, observation):  # type: ignore[no-untyped-def]
    """Write the observation of any seat at one table to int8 (480,)."""
    tables = _tables_at(addresses)
    row_observation(tables.state[row], tables.history[row], tables.shown[row], seat, observation)


@njit(nogil=True)
def first_bad_call(addresses, calls, strict):  # type: ignore[no-untyped-def]
    """Return the first table whose call is out of range or, if ``strict``, not legal; -1 if there is none.

    Tables that have ``finished`` are skipped: their calls are not made.
    """
    tables = _tables_at(addresses)
    suspicious = strict
    for row in range(np.uint64(len(calls))):  # nearly always there is none: no branch, so some rows at a time
        suspicious |= (np.uint64(calls[row]) >= np.uint64(NUM_CALLS)) & (not tables.finished[row])
    if suspicious:
        for row in range(len(calls)):
            call = calls[row]
            in_range = 0 <= call < NUM_CALLS
            if not (tables.finished[row] or (in_range and not (strict and not row_legal(tables.state[row], call)))):
                return row
    return -1


# --- random calls -------------------------------------------------------------------------------------------


@njit(nogil=True)
def _sample(mask, key, out):  # type: ignore[no-untyped-def]
    for row in range(np.uint64(len(mask))):
        legal = mask[row]
        bids = np.int32(0)
        for number in range(np.uint64(NUM_BIDS)):  # from 0 and in 32 bits, it becomes a few vector instructions
            bids += np.int32(legal[FIRST_BID + number])
        doubles = np.int64(legal[DOUBLE] + legal[REDOUBLE])  # never both
        rank = np.int64((row_draw(key, row) >> np.uint64(11)) * 2.0**-53 * (1 + doubles + bids))
        bid = NUM_CALLS - 1 - bids - doubles + rank  # the legal bids are the highest ones
        double = DOUBLE if legal[DOUBLE] else REDOUBLE
        out[row] = bid if rank > doubles else (double if rank > 0 else PASS)


def sample_legal(mask: NDArray[np.int8], key: np.uint64, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Draw a legal call for every table, each equally likely: int64 (N,), written to ``out`` if given.

    Args:
        mask: int8 (N, 38), as ``info["action_mask"]``.
        key: a stream (``bridge_env.rng.streams``), another one for every step.
    """
    calls = np.empty(len(mask), np.int64) if out is None else out
    _sample(mask, key, calls)
    return calls
