"""One round of a vector env, compiled: every table makes a call, is paid, is dealt anew and shown, row by row.

The kernels at the bottom take arrays one by one, which numba hands over three times faster than tuples of
arrays, and bundle them for the row functions above them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bridge_env.auction import DOUBLING, LAST_BID, row_declarer, row_legal, row_start, row_step, row_turn
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE
from bridge_env.envs.chance import purpose, row_draw, row_key, row_key_of_three
from bridge_env.envs.episodes import EPISODE, SETTLED
from bridge_env.envs.images import row_draw_image
from bridge_env.envs.rewards import REWARDS
from bridge_env.envs.table import ILLEGAL, INJECTED, OVER, row_advance, row_look, row_score, row_took
from bridge_env.observation import row_shown
from bridge_env.par import row_par

NEXT_STEP, SAME_STEP, DISABLED = range(3)

# Columns of ``outcome``: points for the learner's side (NS, if it bids all seats) and what they are compared
# with; the contract as in ``auction.Contracts``; declarer's tricks, -1 where passed out.
SCORE, REFERENCE, BID, DOUBLED, DECLARER, TRICKS = range(6)
OUTCOME_COLUMNS = 6

_EPISODE, _SETTLED = purpose(EPISODE), purpose(SETTLED)
_ZERO = next(iter(REWARDS.values())).zero


class Room(NamedTuple):
    """The tables: a row each. The first eight are those of ``table.Tables`` and ``auction.Auctions``.

    Attributes:
        base: uint64 (N,), what a table's episodes are derived from.
        number: int64 (N,), of its next episode.
        reference: int16 (N,), what its score is compared with, points for NS.
        finished: bool (N,): its episode has ended and it waits for a new one.
    """

    state: NDArray[np.int16]
    history: NDArray[np.int8]
    owner: NDArray[np.uint8]
    shown: NDArray[np.uint8]
    tricks: NDArray[np.int8]
    key: NDArray[np.uint64]
    status: NDArray[np.int8]
    viewer: NDArray[np.int8]
    base: NDArray[np.uint64]
    number: NDArray[np.int64]
    reference: NDArray[np.int16]
    finished: NDArray[np.bool_]


class Stock(NamedTuple):
    """Where the kernel takes new episodes from: solved deals.

    Attributes:
        records, indices, images: as ``images.draw_images`` has them.
        dealer, vulnerability: fixed ones, or -1: at random.
        accepted: ``par.ACCEPTED``; empty where nothing is compared with par.
    """

    records: NDArray[np.uint8]
    indices: NDArray[np.intp]
    images: int
    dealer: int
    vulnerability: int
    accepted: NDArray[np.int16]


class Terms(NamedTuple):
    """How a call is paid.

    Attributes:
        kinds: int8 (4,), who bids N, E, S, W.
        side: the learner's, 0 or 1; -1 if it bids all four seats.
        points: ``scoring.SCORE_TABLE``.
        rewards: float64, of ``rewards.Reward``.
        penalty: of an illegal call.
    """

    kinds: NDArray[np.int8]
    side: int
    points: NDArray[np.int16]
    rewards: NDArray[np.float64]
    penalty: float


class Results(NamedTuple):
    """What a round gives: a row for each table.

    Attributes:
        observation: int8 (N, 480).
        mask: int8 (N, 38).
        reward: float64 (N,).
        terminated, illegal: bool (N,).
        seat_rewards: float32 (N, 4).
        outcome: int16 (N, 6), of the episodes that ended with their auctions.
        final_observation: int8 (N, 480) with same-step autoreset, else (0, 480).
    """

    observation: NDArray[np.int8]
    mask: NDArray[np.int8]
    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    seat_rewards: NDArray[np.float32]
    outcome: NDArray[np.int16]
    final_observation: NDArray[np.int8]


# --- a row ------------------------------------------------------------------------------------------------


@njit(cache=True)
def row_clear(results, row):  # type: ignore[no-untyped-def]
    """Nothing has been paid yet."""
    results.reward[row] = 0
    results.terminated[row] = False
    results.illegal[row] = False
    results.seat_rewards[row] = 0
    results.outcome[row] = 0


@njit(cache=True)
def row_call(room, terms, results, row, call):  # type: ignore[no-untyped-def]
    """Make the caller's call, and those of compiled bidders after it; an illegal one ends the episode."""
    state, history = room.state[row], room.history[row]
    seat = row_turn(state)
    if row_legal(state, call):
        room.viewer[row] = seat
        row_step(state, history, call)
        room.status[row] = row_advance(state, history, room.key[row], terms.kinds)
        return
    room.status[row] = ILLEGAL
    results.reward[row] = -terms.penalty
    results.terminated[row] = True
    results.illegal[row] = True
    if terms.side < 0:
        results.seat_rewards[row, seat] = -terms.penalty


@njit(cache=True)
def row_pay(room, terms, results, row, took):  # type: ignore[no-untyped-def]
    """Pay a finished auction in which declarer took ``took`` tricks."""
    state, outcome = room.state[row], results.outcome[row]
    score, reference = row_score(state, took, terms.points), np.int64(room.reference[row])
    side = room.viewer[row] & 1 if terms.side < 0 else terms.side
    tens = (score - reference) // 10
    reward = terms.rewards[_ZERO - tens if side else _ZERO + tens]
    results.reward[row] = reward
    results.terminated[row] = True
    if terms.side < 0:
        for seat in range(4):
            results.seat_rewards[row, seat] = reward if seat & 1 == side else -reward
    sign = -1 if terms.side == 1 else 1
    outcome[SCORE] = sign * score
    outcome[REFERENCE] = sign * reference
    outcome[BID] = state[LAST_BID]
    outcome[DOUBLED] = state[DOUBLING]
    outcome[DECLARER] = row_declarer(state)
    outcome[TRICKS] = took if state[LAST_BID] >= 0 else -1


@njit(cache=True)
def row_new_episode(room, stock, terms, row, accepted, held):  # type: ignore[no-untyped-def]
    """The table's next episode; as ``episodes.draw_episodes``. The last two are room for ``row_par`` to work."""
    key = row_key_of_three(room.base[row], _EPISODE, room.number[row])
    room.number[row] += 1
    room.key[row] = key
    owner, tricks = room.owner[row], room.tricks[row]
    row_draw_image(key, stock.records, stock.indices, stock.images, owner, tricks)
    row_shown(owner, room.shown[row])
    chance = row_key(key, _SETTLED)
    dealer, vulnerability = stock.dealer, stock.vulnerability
    if dealer < 0:
        dealer = np.int64(row_draw(chance, 0) & np.uint64(3))
    if vulnerability < 0:
        vulnerability = np.int64(row_draw(chance, 1) & np.uint64(3))
    room.reference[row] = 0
    if len(stock.accepted):
        room.reference[row] = row_par(tricks, dealer, vulnerability, stock.accepted, accepted, held)
    row_start(room.state[row], room.history[row], dealer, vulnerability)
    room.status[row] = row_advance(room.state[row], room.history[row], key, terms.kinds)
    room.finished[row] = False


@njit(cache=True)
def row_show(room, row, observation, mask):  # type: ignore[no-untyped-def]
    """Write what the seat to call sees, or the caller's seat that called last if the auction is over."""
    row_look(room.state[row], room.history[row], room.shown[row], room.viewer[row], observation[row], mask[row])


# --- kernels ----------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def play_round(  # type: ignore[no-untyped-def]
    begin, end, calls, mode,
    state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished,
    records, indices, images, dealer, vulnerability, worth,
    kinds, side, points, rewards, penalty,
    observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation,
):  # fmt: skip
    """A round of the tables ``begin`` to ``end``, for compiled bidders and solved deals; returns how many ended.

    A table that has ``finished`` is dealt its next episode instead (with next-step autoreset; with none there
    must be no such table).
    """
    room = Room(state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished)
    stock = Stock(records, indices, images, dealer, vulnerability, worth)
    terms = Terms(kinds, side, points, rewards, penalty)
    results = Results(observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation)
    accepted, held = np.empty((NUM_BIDS, 2), np.int16), np.empty((NUM_BIDS, 2), np.int16)
    ended = 0
    for row in range(begin, end):
        row_clear(results, row)
        if finished[row]:
            row_new_episode(room, stock, terms, row, accepted, held)
        else:
            row_call(room, terms, results, row, calls[row])
            if status[row] == OVER:
                row_pay(room, terms, results, row, row_took(state[row], tricks[row]))
            if terminated[row]:
                ended += 1
                finished[row] = True
                if mode == SAME_STEP:
                    row_show(room, row, final_observation, mask)
                    row_new_episode(room, stock, terms, row, accepted, held)
        row_show(room, row, observation, mask)
    return ended


@njit(cache=True, nogil=True)
def new_episodes(  # type: ignore[no-untyped-def]
    rows,
    state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished,
    records, indices, images, dealer, vulnerability, worth,
    kinds, side, points, rewards, penalty,
):  # fmt: skip
    """Deal the next episodes of the tables ``rows``, for compiled bidders and solved deals."""
    room = Room(state, history, owner, shown, tricks, key, status, viewer, base, number, reference, finished)
    stock = Stock(records, indices, images, dealer, vulnerability, worth)
    terms = Terms(kinds, side, points, rewards, penalty)
    accepted, held = np.empty((NUM_BIDS, 2), np.int16), np.empty((NUM_BIDS, 2), np.int16)
    for row in rows:
        row_new_episode(room, stock, terms, row, accepted, held)


@njit(cache=True, nogil=True)
def make_calls(room, terms, results, calls):  # type: ignore[no-untyped-def]
    """The caller's calls at all tables that have not finished; returns how many then wait for a bidder."""
    waiting = 0
    for row in range(len(calls)):
        row_clear(results, row)
        if not room.finished[row]:
            row_call(room, terms, results, row, calls[row])
            waiting += room.status[row] == INJECTED
    return waiting


@njit(cache=True, nogil=True)
def settle(room, terms, results):  # type: ignore[no-untyped-def]
    """Pay the auctions that have just ended; returns how many could not be, as their tricks are unknown."""
    unknown = 0
    for row in range(len(room.status)):
        if room.status[row] != OVER or room.finished[row] or results.terminated[row]:
            continue
        took = row_took(room.state[row], room.tricks[row])
        if took < 0:
            unknown += 1
        else:
            row_pay(room, terms, results, row, took)
    return unknown


@njit(cache=True, nogil=True)
def show(room, rows, observation, mask):  # type: ignore[no-untyped-def]
    """Write what is seen at the tables ``rows``."""
    for row in rows:
        row_show(room, row, observation, mask)


@njit(cache=True, nogil=True)
def first_bad_call(state, finished, calls, strict):  # type: ignore[no-untyped-def]
    """The first table whose call is no call at all or, if ``strict``, not legal; -1 if there is none."""
    for row in range(len(calls)):
        if not finished[row] and (
            calls[row] < 0 or calls[row] >= NUM_CALLS or (strict and not row_legal(state[row], calls[row]))
        ):
            return row
    return -1


@njit(cache=True, nogil=True)
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
