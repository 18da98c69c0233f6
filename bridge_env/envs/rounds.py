"""One round of a vector env, compiled: every table makes a call, is paid, is dealt anew and shown, row by row.

The kernels take arrays one by one: tuples of arrays read better, but numba hands them over three times slower
and half the time of a step would go there. ``arrays`` names the groups for the callers, who unpack them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import DONE, DOUBLING, LAST_BID, row_declarer, row_legal, row_start, row_step, row_turn
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, REDOUBLE
from bridge_env.envs.arrays import BID, DECLARER, DOUBLED, OUTCOME_COLUMNS, REFERENCE, SAME_STEP, SCORE, TRICKS
from bridge_env.envs.chance import purpose, row_draw, row_key, row_key_of_three
from bridge_env.envs.episodes import EPISODE, SETTLED
from bridge_env.envs.images import row_draw_image
from bridge_env.envs.rewards import REWARDS
from bridge_env.envs.table import ILLEGAL, OVER, row_advance, row_look, row_score, row_took
from bridge_env.kernels import njit
from bridge_env.observation import row_shown
from bridge_env.par import row_par

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
    state, viewer, took, reference, side, points, rewards, seat_rewards, outcome
):  # fmt: skip
    """Pay a finished auction in which declarer took ``took`` tricks; returns the reward."""
    score = row_score(state, took, points)
    payee = viewer & 1 if side < 0 else side
    tens = (score - reference) // 10
    reward = rewards[_ZERO - tens if payee else _ZERO + tens]
    if side < 0:
        for seat in range(4):
            seat_rewards[seat] = reward if seat & 1 == payee else -reward
    sign = -1 if side == 1 else 1
    outcome[SCORE] = sign * score
    outcome[REFERENCE] = sign * reference
    outcome[BID] = state[LAST_BID]
    outcome[DOUBLED] = state[DOUBLING]
    outcome[DECLARER] = row_declarer(state)
    outcome[TRICKS] = took if state[LAST_BID] >= 0 else -1
    return reward


@njit(forceinline=True)
def row_new_episode(  # type: ignore[no-untyped-def]
    key, records, indices, images, dealer, vulnerability, worth,
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
    return row_par(tricks, dealer, vulnerability, worth) if len(worth) else 0


# --- kernels ----------------------------------------------------------------------------------------------


@njit(nogil=True)
def play_round(  # type: ignore[no-untyped-def]
    begin, end, calls, mode,
    state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished,
    records, indices, images, dealer, vulnerability, worth,
    kinds, side, points, rewards, penalty,
    observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation,
):  # fmt: skip
    """A round of the tables ``begin`` to ``end``, for compiled bidders and solved deals.

    Returns how many episodes ended, and how many of them with an illegal call. A table that has ``finished`` is
    dealt its next episode instead (with next-step autoreset; with none there must be no such table).
    """
    ended = wrong = 0
    for row in range(begin, end):
        row_state, row_history = state[row], history[row]  # in rare branches they are made anew: faster
        reward[row] = 0
        terminated[row] = False
        illegal[row] = False
        for seat in range(4):
            seat_rewards[row, seat] = 0
        for column in range(OUTCOME_COLUMNS):
            outcome[row, column] = 0
        new = finished[row]
        if not new:
            seat = row_turn(row_state)
            status[row] = row_call(row_state, row_history, kinds, calls[row])
            if status[row] > ILLEGAL:
                status[row] = row_advance(state[row], history[row], key[row], kinds)
            if status[row] == ILLEGAL:
                reward[row] = -penalty
                terminated[row] = True
                illegal[row] = True
                wrong += 1
                if side < 0:
                    seat_rewards[row, seat] = -penalty
            else:
                viewer[row] = seat
            if status[row] == OVER:
                terminated[row] = True
                took = row_took(state[row], tricks[row])
                reward[row] = row_pay(
                    state[row],
                    viewer[row],
                    took,
                    reference[row],
                    side,
                    points,
                    rewards,
                    seat_rewards[row],
                    outcome[row],
                )
            if terminated[row]:
                ended += 1
                finished[row] = True
                if mode == SAME_STEP:
                    row_look(state[row], history[row], shown[row], viewer[row], final_observation[row], mask[row])
                    new = True
        if new:
            key[row] = row_key_of_three(base[row], _EPISODE, number[row])
            number[row] += 1
            finished[row] = False
            reference[row] = row_new_episode(
                key[row], records, indices, images, dealer, vulnerability, worth,
                state[row], history[row], owner[row], shown[row], tricks[row],
            )  # fmt: skip
            status[row] = kinds[row_turn(row_state)]
            if status[row] > ILLEGAL:
                status[row] = row_advance(state[row], history[row], key[row], kinds)
        row_look(row_state, row_history, shown[row], viewer[row], observation[row], mask[row])
    return ended, wrong


@njit(nogil=True)
def new_episodes(  # type: ignore[no-untyped-def]
    rows,
    state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished,
    records, indices, images, dealer, vulnerability, worth, kinds,
):  # fmt: skip
    """Deal the next episodes of the tables ``rows``, for compiled bidders and solved deals."""
    for row in rows:
        key[row] = row_key_of_three(base[row], _EPISODE, number[row])
        number[row] += 1
        finished[row] = False
        reference[row] = row_new_episode(
            key[row], records, indices, images, dealer, vulnerability, worth,
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
            state[row], viewer[row], took, reference[row], side, points, rewards, seat_rewards[row], outcome[row]
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
    for row in range(len(calls)):
        if not finished[row] and (
            calls[row] < 0 or calls[row] >= NUM_CALLS or (strict and not row_legal(state[row], calls[row]))
        ):
            return row
    return -1


@njit(nogil=True)
def _sample(mask, key, out):  # type: ignore[no-untyped-def]
    for row in range(len(mask)):
        legal = mask[row]
        bids = 0
        for call in range(FIRST_BID, NUM_CALLS):
            bids += legal[call]
        doubles = legal[DOUBLE] + legal[REDOUBLE]  # never both
        rank = np.int64((row_draw(key, row) >> np.uint64(11)) * 2.0**-53 * (1 + doubles + bids))
        if rank > doubles:
            out[row] = NUM_CALLS - bids + rank - doubles - 1  # the legal bids are the highest ones
        elif rank == 0:
            out[row] = PASS
        else:
            out[row] = DOUBLE if legal[DOUBLE] else REDOUBLE


def sample_legal(mask: NDArray[np.int8], key: np.uint64, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """A legal call for every table, each equally likely: int64 (N,), written to ``out`` if given.

    Args:
        mask: int8 (N, 38), as ``info["action_mask"]``.
        key: a stream (``bridge_env.streams``), another one for every step.
    """
    calls = np.empty(len(mask), np.int64) if out is None else out
    _sample(mask, key, calls)
    return calls
