"""One round of a vector env, compiled: every table makes a call, is paid, is dealt anew and shown, row by row.

Kernels get the records of ``arrays`` by their addresses, ``numbers`` of a ``schema.Plan``, and arrays that are somebody
else's one by one. What happens at a row stands in ``rows``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import LAST_BID, row_legal, row_start
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_BIDS, NUM_CALLS, PASS, REDOUBLE
from bridge_env.chance import row_draw
from bridge_env.envs.kernels.arrays import (
    ASKS_BIDDER,
    ASKS_CALLER,
    ILLEGAL,
    SAME_STEP,
    SCHEMA,
    Asked,
    Results,
    Room,
    Stock,
    Terms,
)
from bridge_env.envs.kernels.crew import PATIENCE, SHARES, call_crew, gather, next_round, report, take_share
from bridge_env.envs.kernels.rows import (
    row_asks,
    row_call,
    row_deal,
    row_go_on,
    row_look,
    row_nothing,
    row_score,
    row_settle,
    row_took,
)
from bridge_env.kernels import njit
from bridge_env.memory import copy
from bridge_env.observation import row_shown

_room_at, _terms_at, _stock_at = SCHEMA.reader(Room), SCHEMA.reader(Terms), SCHEMA.reader(Stock)
_asked_at, _results_at = SCHEMA.reader(Asked), SCHEMA.reader(Results)
_note_asked, _note_results = SCHEMA.writer(Asked), SCHEMA.writer(Results)


# --- a round in one kernel, for compiled bidders and solved deals -------------------------------------------


@njit
def play_rows(begin, end, numbers):  # type: ignore[no-untyped-def]
    """A round of the tables ``begin`` to ``end``.

    Returns how many episodes ended, and how many of them with an illegal call. A table that has ``finished`` is
    dealt its next episode instead (with next-step autoreset; with none there must be no such table).
    """
    room, terms, stock = _room_at(numbers), _terms_at(numbers), _stock_at(numbers)
    calls, results = _asked_at(numbers).calls, _results_at(numbers)
    ended = wrong = 0
    for row in range(np.uint64(begin), np.uint64(end)):  # an unsigned index is not tested for being negative
        row_nothing(results, row)
        new = room.finished[row]
        if not new:
            status = row_call(room, row, calls[row])
            if status != ASKS_CALLER:  # then it is OVER, its tricks known, or ILLEGAL
                row_settle(room, terms, results, row)
                ended += 1
                wrong += status == ILLEGAL
                room.finished[row] = True
                if stock.mode == SAME_STEP:
                    row_look(room, row, results.final_observation[row], results.mask[row])
                    new = True
        if new:
            row_deal(room, stock, row)
        row_look(room, row, results.observation[row], results.mask[row])
    return ended, wrong


@njit(nogil=True)
def play_round(  # type: ignore[no-untyped-def]
    strict, posts, numbers, calls,
    observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation,
):  # fmt: skip
    """A round of all tables, with the crew that ``posts`` belongs to, if there is one.

    Returns the first table with a call that ``first_bad_call`` does not allow, and then nothing has changed, or -1;
    how many episodes ended, and how many of them with an illegal call; and whether that is still to be waited for.
    """
    bad = first_bad_call(numbers, calls, strict)
    if bad >= 0:
        return bad, 0, 0, False
    _note_asked(numbers, Asked(calls))
    _note_results(
        numbers,
        Results(observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation),
    )
    if len(posts) == 0:
        ended, wrong = play_rows(np.int64(0), len(calls), numbers)
        return -1, ended, wrong, False
    call_crew(posts)
    _play_shares(posts, numbers, False)
    ended, wrong, late = gather(posts, PATIENCE)
    return -1, ended, wrong, late


@njit
def _play_shares(posts, numbers, crew):  # type: ignore[no-untyped-def]
    """Tables, as long as there are some that nobody has taken."""
    n, shares = len(_room_at(numbers).status), posts[SHARES]
    while True:
        share = take_share(posts, crew)
        if share < 0:
            return
        ended, wrong = play_rows(n * share // shares, n * (share + 1) // shares, numbers)
        report(posts, ended, wrong)


@njit(nogil=True)
def help_rounds(posts, numbers):  # type: ignore[no-untyped-def]
    """What one of the crew does: shares, round after round; returns when no round comes for a while."""
    seen = np.int64(0)
    while True:
        seen = next_round(posts, seen, PATIENCE)
        if seen <= 0:
            return
        _play_shares(posts, numbers, True)


@njit(nogil=True)
def new_episodes(rows, numbers):  # type: ignore[no-untyped-def]
    """Deal the next episodes of the tables ``rows``."""
    room, stock = _room_at(numbers), _stock_at(numbers)
    for row in rows:
        row_deal(room, stock, row)


# --- the same in steps, where bidders that are not compiled or the solver have to be asked in between -------


@njit(nogil=True)
def start_rows(numbers, rows, at, owner, tricks, dealer, vulnerability, key, reference):  # type: ignore[no-untyped-def]
    """Deal board ``at[i]`` at table ``rows[i]``; returns how many now ask a bidder."""
    room = _room_at(numbers)
    asking = 0
    for i in range(len(rows)):
        row, board = rows[i], at[i]
        copy(owner[board], room.owner[row])
        row_shown(room.owner[row], room.shown[row])
        copy(tricks[board], room.tricks[row])
        room.key[row] = key[board]
        room.reference[row] = reference[board]
        room.finished[row] = False
        row_start(room.state[row], room.history[row], dealer[board], vulnerability[board])
        asking += row_go_on(room, row, row_asks(room.state[row], room.kinds)) == ASKS_BIDDER
    return asking


@njit(nogil=True)
def call_rows(numbers, calls):  # type: ignore[no-untyped-def]
    """Make the caller's call at every table that asks for one; returns how many now ask a bidder."""
    room = _room_at(numbers)
    asking = 0
    for row in range(len(calls)):
        if room.status[row] == ASKS_CALLER:
            asking += row_call(room, row, calls[row]) == ASKS_BIDDER
    return asking


@njit(nogil=True)
def call_row(numbers, row, call):  # type: ignore[no-untyped-def]
    """The same at one table, which must ask for a call; returns what it then does."""
    return row_call(_room_at(numbers), row, call)


@njit(nogil=True)
def advance_rows(numbers, rows):  # type: ignore[no-untyped-def]
    """Let the compiled bidders at ``rows`` call, where they are to; returns how many tables now ask a bidder."""
    room = _room_at(numbers)
    asking = 0
    for row in rows:
        asking += row_go_on(room, row, row_asks(room.state[row], room.kinds)) == ASKS_BIDDER
    return asking


@njit(nogil=True)
def settle(  # type: ignore[no-untyped-def]
    numbers, observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation,
):  # fmt: skip
    """Pay what has ended at the tables that have not finished; returns how many contracts have unknown tricks."""
    room, terms = _room_at(numbers), _terms_at(numbers)
    results = Results(observation, mask, reward, terminated, illegal, seat_rewards, outcome, final_observation)
    unknown = 0
    for row in range(len(reward)):
        row_nothing(results, row)
        if not room.finished[row]:
            unknown += not row_settle(room, terms, results, row)
    return unknown


@njit(nogil=True)
def score_rows(numbers, table, score, took):  # type: ignore[no-untyped-def]
    """Write scores, and tricks or -1 where there is no bid; returns how many contracts have unknown tricks."""
    room = _room_at(numbers)
    unknown = 0
    for row in range(len(score)):
        state = room.state[row]
        found = row_took(state, room.tricks[row])
        unknown += found < 0
        score[row] = row_score(state, found, table) if found >= 0 else 0
        took[row] = found if state[LAST_BID] >= 0 else -1
    return unknown


@njit(nogil=True)
def show(numbers, rows, observation, mask):  # type: ignore[no-untyped-def]
    """Write what is seen at the tables ``rows``."""
    room = _room_at(numbers)
    for row in rows:
        row_look(room, row, observation[row], mask[row])


@njit(nogil=True)
def first_bad_call(numbers, calls, strict):  # type: ignore[no-untyped-def]
    """The first table whose call is no call at all or, if ``strict``, not legal; -1 if there is none."""
    room = _room_at(numbers)
    bad = strict
    for row in range(np.uint64(len(calls))):  # nearly always there is none: no branch, so some rows at a time
        bad |= (np.uint64(calls[row]) >= np.uint64(NUM_CALLS)) & (not room.finished[row])
    if bad:
        for row in range(len(calls)):
            call = calls[row]
            if room.finished[row] or (0 <= call < NUM_CALLS and not (strict and not row_legal(room.state[row], call))):
                continue
            return row
    return -1


# --- calls drawn at random ----------------------------------------------------------------------------------


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
