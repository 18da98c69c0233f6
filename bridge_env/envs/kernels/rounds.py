"""One round of a vector env, compiled: every table makes a call, is paid, is dealt anew and shown, row by row.

What one kernel does in a round gets its arrays by their addresses (``plan``). The other kernels take arrays one by
one: tuples of arrays read better, but numba hands them over three times slower. ``arrays`` names the groups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import (
    DONE,
    DOUBLING,
    LAST_BID,
    MAX_CALLS,
    STATE_COLUMNS,
    row_declarer,
    row_legal,
    row_start,
    row_step,
    row_turn,
)
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE
from bridge_env.chance import purpose, row_draw, row_key, row_key_of_three
from bridge_env.double_dummy.packing import RECORD_BYTES
from bridge_env.envs.episodes import EPISODE, SETTLED
from bridge_env.envs.kernels import plan as at
from bridge_env.envs.kernels.arrays import BID, DECLARER, DOUBLED, OUTCOME_ROWS, REFERENCE, SAME_STEP, SCORE, TRICKS
from bridge_env.envs.kernels.crew import PATIENCE, SHARES, call_crew, gather, next_round, report, take_share
from bridge_env.envs.kernels.images import row_draw_image
from bridge_env.envs.rewards import REWARDS
from bridge_env.envs.table import ILLEGAL, OVER, row_advance, row_look, row_score, row_took
from bridge_env.kernels import njit
from bridge_env.memory import array_at
from bridge_env.observation import OBSERVATION_SIZE, row_shown
from bridge_env.par import ACCEPTED, row_par
from bridge_env.scoring import SCORE_TABLE

_EPISODE, _SETTLED = purpose(EPISODE), purpose(SETTLED)
_ZERO = next(iter(REWARDS.values())).zero


# --- a row ------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def row_call(state, history, kinds, call):  # type: ignore[no-untyped-def]
    """Make the caller's call; returns ILLEGAL, OVER, or who is to call, which is above ILLEGAL if compiled."""
    if not row_legal(state, call):
        return ILLEGAL
    row_step(state, history, call)
    return OVER if state[DONE] else kinds[row_turn(state)]


@njit(forceinline=True)
def row_pay(  # type: ignore[no-untyped-def]
    state, viewer, took, reference, side, points, rewards, seat_rewards, outcome, row
):  # fmt: skip
    """Pay a finished auction in which declarer took ``took`` tricks, in ``outcome[:, row]`` too; returns the reward."""
    score = row_score(state, took, points)
    payee = viewer & 1 if side < 0 else side
    tens = (score - reference) // 10
    reward = rewards[_ZERO - tens if payee else _ZERO + tens]
    if side < 0:
        for seat in range(4):
            seat_rewards[seat] = reward if seat & 1 == payee else -reward
    sign = -1 if side == 1 else 1
    outcome[SCORE, row] = sign * score
    outcome[REFERENCE, row] = sign * reference
    outcome[BID, row] = state[LAST_BID]
    outcome[DOUBLED, row] = state[DOUBLING]
    outcome[DECLARER, row] = row_declarer(state)
    outcome[TRICKS, row] = took if state[LAST_BID] >= 0 else -1
    return reward


@njit(forceinline=True)
def row_new_episode(  # type: ignore[no-untyped-def]
    key, records, indices, images, dealer, vulnerability, by_par, accepted,
    state, history, owner, shown, tricks,
):  # fmt: skip
    """Deal the episode of the stream ``key``, as ``episodes.draw_episodes`` does; returns its reference."""
    row_draw_image(key, records, indices, images, owner, tricks)
    row_shown(owner, shown)
    chance = row_key(key, _SETTLED)
    if dealer < 0:
        dealer = np.int64(row_draw(chance, 0) & np.uint64(3))
    if vulnerability < 0:
        vulnerability = np.int64(row_draw(chance, 1) & np.uint64(3))
    row_start(state, history, dealer, vulnerability)
    return row_par(tricks, dealer, vulnerability, accepted) if by_par else 0


# --- kernels ----------------------------------------------------------------------------------------------


# What ``plan``, ``Plan.numbers``, points to. A tuple that is returned inline costs nothing.


@njit(forceinline=True)
def _room_at(plan):  # type: ignore[no-untyped-def]
    """``arrays.Room``."""
    n = plan[at.TABLES]
    return (
        array_at(plan[at.STATE], (n, STATE_COLUMNS), np.int16),
        array_at(plan[at.HISTORY], (n, MAX_CALLS), np.int8),
        array_at(plan[at.OWNER], (n, 52), np.uint8),
        array_at(plan[at.SHOWN], (n, 52), np.uint8),
        array_at(plan[at.TRICKS], (n, 4, 5), np.int8),
        array_at(plan[at.KEY], (n,), np.uint64),
        array_at(plan[at.STATUS], (n,), np.int8),
        array_at(plan[at.VIEWER], (n,), np.int8),
        array_at(plan[at.BASE], (n,), np.uint64),
        array_at(plan[at.NUMBER], (n,), np.int64),
        array_at(plan[at.REFERENCE], (n,), np.int16),
        array_at(plan[at.FINISHED], (n,), np.bool_),
    )


@njit(forceinline=True)
def _stock_at(plan):  # type: ignore[no-untyped-def]
    """``arrays.Stock``, and before its last whether that is used."""
    return (
        array_at(plan[at.RECORDS], (plan[at.LIBRARY], RECORD_BYTES), np.uint8),
        array_at(plan[at.INDICES], (plan[at.DEALS],), np.int64),
        plan[at.IMAGES],
        plan[at.DEALER],
        plan[at.VULNERABILITY],
        plan[at.BY_PAR],
        array_at(plan[at.ACCEPTED_AT], ACCEPTED.shape, np.int16),
    )


@njit(forceinline=True)
def _terms_at(plan):  # type: ignore[no-untyped-def]
    """The arrays of ``arrays.Terms``."""
    return (
        array_at(plan[at.KINDS], (4,), np.int8),
        array_at(plan[at.POINTS], SCORE_TABLE.shape, np.int16),
        array_at(plan[at.REWARDS_AT], (2 * _ZERO + 1,), np.float64),
    )


@njit(forceinline=True)
def _results_at(plan):  # type: ignore[no-untyped-def]
    """The calls, and ``arrays.Results``."""
    n = plan[at.TABLES]
    return (
        array_at(plan[at.CALLS], (n,), np.int64),
        array_at(plan[at.OBSERVATION], (n, OBSERVATION_SIZE), np.int8),
        array_at(plan[at.MASK], (n, NUM_CALLS), np.int8),
        array_at(plan[at.REWARD], (n,), np.float64),
        array_at(plan[at.TERMINATED], (n,), np.bool_),
        array_at(plan[at.ILLEGAL_AT], (n,), np.bool_),
        array_at(plan[at.SEAT_REWARDS], (n, 4), np.float32),
        array_at(plan[at.OUTCOME], (OUTCOME_ROWS, n), np.int16),
        array_at(plan[at.FINAL], (n, OBSERVATION_SIZE), np.int8),
    )


@njit
def play_rows(begin, end, plan):  # type: ignore[no-untyped-def]
    """A round of the tables ``begin`` to ``end``, for compiled bidders and solved deals; ``plan`` is ``Plan.numbers``.

    Returns how many episodes ended, and how many of them with an illegal call. A table that has ``finished`` is
    dealt its next episode instead (with next-step autoreset; with none there must be no such table).
    """
    mode, side, penalty = plan[at.MODE], plan[at.SIDE], array_at(plan[at.PENALTY], (1,), np.float64)[0]
    state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished = _room_at(plan)
    records, indices, images, dealer, vulnerability, by_par, accepted = _stock_at(plan)
    kinds, points, rewards = _terms_at(plan)
    calls, observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation = _results_at(plan)
    ended = wrong = 0
    for row in range(np.uint64(begin), np.uint64(end)):  # an unsigned index is not tested for being negative
        row_state, row_history = state[row], history[row]
        reward[row] = 0
        terminated[row] = False
        illegal[row] = False
        for seat in range(4):
            seat_rewards[row, seat] = 0
        for what in range(OUTCOME_ROWS):
            outcome[what, row] = 0
        new = finished[row]
        if not new:
            caller = row_turn(row_state)
            waits = row_call(row_state, row_history, kinds, calls[row])
            if waits > ILLEGAL:
                waits = row_advance(row_state, row_history, key[row], kinds)
            status[row] = waits
            if waits == ILLEGAL:
                reward[row] = -penalty
                terminated[row] = True
                illegal[row] = True
                wrong += 1
                if side < 0:
                    seat_rewards[row, caller] = -penalty
            else:
                viewer[row] = caller
            if waits == OVER:
                terminated[row] = True
                took = row_took(row_state, tricks[row])
                reward[row] = row_pay(
                    row_state, viewer[row], took, reference[row], side, points, rewards,
                    seat_rewards[row], outcome, row,
                )  # fmt: skip
            if terminated[row]:
                ended += 1
                finished[row] = True
                if mode == SAME_STEP:
                    row_look(row_state, row_history, shown[row], viewer[row], final_observation[row], mask[row])
                    new = True
        if new:
            key[row] = row_key_of_three(base[row], _EPISODE, number[row])
            number[row] += 1
            finished[row] = False
            reference[row] = row_new_episode(
                key[row], records, indices, images, dealer, vulnerability, by_par, accepted,
                row_state, row_history, owner[row], shown[row], tricks[row],
            )  # fmt: skip
            status[row] = kinds[row_turn(row_state)]
            if status[row] > ILLEGAL:
                status[row] = row_advance(row_state, row_history, key[row], kinds)
        row_look(row_state, row_history, shown[row], viewer[row], observation[row], mask[row])
    return ended, wrong


@njit(nogil=True)
def play_round(  # type: ignore[no-untyped-def]
    strict, posts, plan, calls,
    observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation,
):  # fmt: skip
    """A round of all tables, with the crew that ``posts`` belongs to, if there is one.

    Returns the first table with a call that ``first_bad_call`` does not allow, and then nothing has changed, or -1;
    how many episodes ended, and how many of them with an illegal call; and whether that is still to be waited for.
    """
    n = plan[at.TABLES]
    state, finished = (
        array_at(plan[at.STATE], (n, STATE_COLUMNS), np.int16),
        array_at(plan[at.FINISHED], (n,), np.bool_),
    )
    bad = first_bad_call(state, finished, calls, strict)
    if bad >= 0:
        return bad, 0, 0, False
    plan[at.CALLS] = calls.ctypes.data
    plan[at.OBSERVATION] = observation.ctypes.data
    plan[at.MASK] = mask.ctypes.data
    plan[at.REWARD] = reward.ctypes.data
    plan[at.TERMINATED] = terminated.ctypes.data
    plan[at.ILLEGAL_AT] = illegal.ctypes.data
    plan[at.SEAT_REWARDS] = seat_rewards.ctypes.data
    plan[at.OUTCOME] = outcome.ctypes.data
    plan[at.FINAL] = final_observation.ctypes.data
    if len(posts) == 0:
        ended, wrong = play_rows(np.int64(0), n, plan)
        return -1, ended, wrong, False
    call_crew(posts)
    _play_shares(posts, plan, False)
    ended, wrong, late = gather(posts, PATIENCE)
    return -1, ended, wrong, late


@njit
def _play_shares(posts, plan, crew):  # type: ignore[no-untyped-def]
    """Tables, as long as there are some that nobody has taken."""
    n, shares = plan[at.TABLES], posts[SHARES]
    while True:
        share = take_share(posts, crew)
        if share < 0:
            return
        ended, wrong = play_rows(n * share // shares, n * (share + 1) // shares, plan)
        report(posts, ended, wrong)


@njit(nogil=True)
def help_rounds(posts, plan):  # type: ignore[no-untyped-def]
    """What one of the crew does: shares, round after round; returns when no round comes for a while."""
    seen = np.int64(0)
    while True:
        seen = next_round(posts, seen, PATIENCE)
        if seen <= 0:
            return
        _play_shares(posts, plan, True)


@njit(nogil=True)
def new_episodes(rows, plan):  # type: ignore[no-untyped-def]
    """Deal the next episodes of the tables ``rows``, for compiled bidders and solved deals."""
    state, history, owner, shown, tricks, key, status, _, base, number, reference, finished = _room_at(plan)
    records, indices, images, dealer, vulnerability, by_par, accepted = _stock_at(plan)
    kinds, _, _ = _terms_at(plan)
    for row in rows:
        key[row] = row_key_of_three(base[row], _EPISODE, number[row])
        number[row] += 1
        finished[row] = False
        reference[row] = row_new_episode(
            key[row], records, indices, images, dealer, vulnerability, by_par, accepted,
            state[row], history[row], owner[row], shown[row], tricks[row],
        )  # fmt: skip
        status[row] = kinds[row_turn(state[row])]
        if status[row] > ILLEGAL:
            status[row] = row_advance(state[row], history[row], key[row], kinds)


# --- the same in steps, where bidders that are not compiled or the solver have to be asked in between -------


@njit(nogil=True)
def make_calls(  # type: ignore[no-untyped-def]
    calls, state, history, key, status, viewer, finished,
    kinds, side, penalty, reward, terminated, illegal, seat_rewards,
):  # fmt: skip
    """The caller's calls at all tables that have not finished; illegal ones end their episodes."""
    for row in range(len(calls)):
        reward[row] = 0
        terminated[row] = False
        illegal[row] = False
        seat_rewards[row] = 0
        if finished[row]:
            continue
        seat = row_turn(state[row])
        status[row] = row_call(state[row], history[row], kinds, calls[row])
        if status[row] > ILLEGAL:
            status[row] = row_advance(state[row], history[row], key[row], kinds)
        if status[row] == ILLEGAL:
            reward[row] = -penalty
            terminated[row] = True
            illegal[row] = True
            if side < 0:
                seat_rewards[row, seat] = -penalty
        else:
            viewer[row] = seat


@njit(nogil=True)
def pay(  # type: ignore[no-untyped-def]
    state, tricks, status, viewer, reference, finished,
    side, points, rewards, reward, terminated, seat_rewards, outcome,
):  # fmt: skip
    """Pay the auctions that have just ended; returns how many could not be, as their tricks are unknown."""
    unknown = 0
    for row in range(len(status)):
        if status[row] != OVER or finished[row] or terminated[row]:
            continue
        took = row_took(state[row], tricks[row])
        if took < 0:
            unknown += 1
            continue
        terminated[row] = True
        reward[row] = row_pay(
            state[row], viewer[row], took, reference[row], side, points, rewards, seat_rewards[row], outcome, row
        )
    return unknown


@njit(nogil=True)
def show(rows, state, history, shown, viewer, observation, mask):  # type: ignore[no-untyped-def]
    """Write what is seen at the tables ``rows``."""
    for row in rows:
        row_look(state[row], history[row], shown[row], viewer[row], observation[row], mask[row])


@njit(nogil=True)
def first_bad_call(state, finished, calls, strict):  # type: ignore[no-untyped-def]
    """The first table whose call is no call at all or, if ``strict``, not legal; -1 if there is none."""
    bad = strict
    for row in range(np.uint64(len(calls))):  # nearly always there is none: no branch, so some rows at a time
        bad |= (np.uint64(calls[row]) >= np.uint64(NUM_CALLS)) & (not finished[row])
    if bad:
        for row in range(len(calls)):
            call = calls[row]
            if not finished[row] and (call < 0 or call >= NUM_CALLS or (strict and not row_legal(state[row], call))):
                return row
    return -1


@njit(nogil=True)
def _sample(mask, key, out):  # type: ignore[no-untyped-def]
    for row in range(np.uint64(len(mask))):
        legal = mask[row]
        bids = np.int32(0)
        for bid in range(np.uint64(NUM_BIDS)):  # from 0 and in 32 bits, it becomes a few vector instructions
            bids += np.int32(legal[FIRST_BID + bid])
        doubles = np.int64(legal[DOUBLE] + legal[REDOUBLE])  # never both
        rank = np.int64((row_draw(key, row) >> np.uint64(11)) * 2.0**-53 * (1 + doubles + bids))
        highest = NUM_CALLS - 1 - bids - doubles + rank  # the legal bids are the highest ones
        double = DOUBLE if legal[DOUBLE] else REDOUBLE
        out[row] = highest if rank > doubles else (double if rank > 0 else PASS)


def sample_legal(mask: NDArray[np.int8], key: np.uint64, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """A legal call for every table, each equally likely: int64 (N,), written to ``out`` if given.

    Args:
        mask: int8 (N, 38), as ``info["action_mask"]``.
        key: a stream (``bridge_env.streams``), another one for every step.
    """
    calls = np.empty(len(mask), np.int64) if out is None else out
    _sample(mask, key, calls)
    return calls
