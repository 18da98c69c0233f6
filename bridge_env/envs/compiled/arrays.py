"""Declare the arrays that the kernels of the envs take by address (``bridge_env.compiled.array_structs``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.compiled.array_structs import Schema
from bridge_env.double_dummy.boards import UNKNOWN_TRICKS
from bridge_env.envs.rewards import STEPS
from bridge_env.hands.packing import RECORD_BYTES
from bridge_env.rules.auction import MAX_CALLS, STATE_COLUMNS, Auctions
from bridge_env.rules.calls import NUM_BIDS, NUM_CALLS

# The bidder of a seat: the caller, an injected bidder, or the bidder that passes, which is compiled.
CALLER, BIDDER, PASSES = range(3)

# What a table waits for: a call of the caller or of an injected bidder; nothing, because its auction is over; or
# nothing, because the caller's last call was illegal and was not made. (Inside kernels also: a compiled pass.)
CALLER_TURN, BIDDER_TURN, OVER, ILLEGAL, PASS_TURN = range(5)

# When a table whose episode has ended is dealt the next one.
NEXT_STEP, SAME_STEP, DISABLED = range(3)

# Rows of ``StepOutput.outcome``: points for the learner's side (NS, if it bids all seats) and what they are compared
# with; the contract as in ``auction.Contracts``; declarer's tricks, -1 where passed out. While the auction goes on,
# and after an illegal call, they are those of a board that is passed out.
SCORE, REFERENCE, BID, DOUBLED, DECLARER, TRICKS = range(6)
OUTCOME_ROWS = 6
NO_OUTCOME = 0, 0, -1, 0, -1, -1


class TableState(NamedTuple):
    """The tables: a row each."""

    state: Annotated[NDArray[np.int16], "tables", STATE_COLUMNS]  # as in ``auction.Auctions``
    history: Annotated[NDArray[np.int8], "tables", MAX_CALLS]  # the same
    owner: Annotated[NDArray[np.uint8], "tables", 52]  # the seat that holds each card
    shown: Annotated[NDArray[np.uint8], "tables", 52]  # the same in the order of the observation
    tricks: Annotated[NDArray[np.int8], "tables", 4, 5]  # -1 where not known
    # each board's stream; bidders draw from ``streams.key(key, call number)``
    key: Annotated[NDArray[np.uint64], "tables"]
    status: Annotated[NDArray[np.int8], "tables"]  # CALLER_TURN, BIDDER_TURN, OVER or ILLEGAL
    # the caller's seat that called last; the observation of a finished auction is this seat's
    viewer: Annotated[NDArray[np.int8], "tables"]
    base: Annotated[NDArray[np.uint64], "tables"]  # the stream of a table's episodes
    number: Annotated[NDArray[np.int64], "tables"]  # of its next episode
    reference: Annotated[NDArray[np.int16], "tables"]  # the score that its own is compared with, points for NS
    finished: Annotated[NDArray[np.bool_], "tables"]  # its episode has ended, and it waits for a new one
    kinds: Annotated[NDArray[np.int8], 4]  # the bidders of N, E, S, W, at all tables: CALLER, BIDDER or PASSES


class RewardParams(NamedTuple):
    """How finished episodes are rewarded."""

    side: int  # the learner's, 0 or 1; -1 if it bids all four seats
    points: Annotated[NDArray[np.int16], NUM_BIDS, 3, 2, 14]  # ``scoring.SCORE_TABLE``
    rewards: Annotated[NDArray[np.float64], STEPS]  # of ``rewards.Reward``
    penalty: float  # of an illegal call


class SolvedDeals(NamedTuple):
    """Solved deals of a library, from which kernels draw new episodes."""

    mode: int  # of autoreset
    # this, ``indices`` and ``images`` as ``draw_symmetries`` has them
    records: Annotated[NDArray[np.uint8], "library", RECORD_BYTES]
    indices: Annotated[NDArray[np.intp], "deals"]
    images: int
    dealer: int  # fixed, or -1: at random
    vulnerability: int  # the same
    by_par: int  # whether scores are compared with par
    accepted: Annotated[NDArray[np.int16], 2, 5, 14, 7]  # ``par.ACCEPTED``


class StepOutput(NamedTuple):
    """What a step of N tables returns. ``outcome`` is of the episodes that ended with their auctions."""

    observation: Annotated[NDArray[np.int8], "tables", OBSERVATION_SIZE]
    mask: Annotated[NDArray[np.int8], "tables", NUM_CALLS]
    seat: Annotated[NDArray[np.int8], "tables"]  # whose observation and mask these are
    reward: Annotated[NDArray[np.float64], "tables"]
    terminated: Annotated[NDArray[np.bool_], "tables"]
    illegal: Annotated[NDArray[np.bool_], "tables"]
    seat_rewards: Annotated[NDArray[np.float32], "tables", 4]
    outcome: Annotated[NDArray[np.int16], OUTCOME_ROWS, "tables"]
    # Of the episodes that ended, with same-step autoreset; without it these have no row.
    final_observation: Annotated[NDArray[np.int8], "tables", OBSERVATION_SIZE]
    final_mask: Annotated[NDArray[np.int8], "tables", NUM_CALLS]
    final_seat: Annotated[NDArray[np.int8], "tables"]


SCHEMA = Schema(TableState, RewardParams, SolvedDeals, StepOutput)


def new_tables(auctions: Auctions, kinds: Sequence[int]) -> TableState:
    """Make tables for these auctions, at which nothing has been dealt yet."""
    n = len(auctions)
    return TableState(
        state=auctions.state,
        history=auctions.history,
        owner=np.zeros((n, 52), np.uint8),
        shown=np.zeros((n, 52), np.uint8),
        tricks=np.full((n, 4, 5), UNKNOWN_TRICKS, np.int8),
        key=np.zeros(n, np.uint64),
        status=np.full(n, OVER, np.int8),
        viewer=np.full(n, kinds.index(CALLER) if CALLER in kinds else 0, np.int8),
        base=np.zeros(n, np.uint64),
        number=np.zeros(n, np.int64),
        reference=np.zeros(n, np.int16),
        finished=np.zeros(n, np.bool_),
        kinds=np.array(kinds, np.int8),
    )


_INT8, _INT16, _FLOAT32, _FLOAT64, _BOOL = (np.dtype(t) for t in (np.int8, np.int16, np.float32, np.float64, np.bool_))


def new_output(count: int, mode: int) -> StepOutput:
    """Make uninitialized arrays for ``count`` tables with the autoreset ``mode``."""
    empty = np.empty  # positions, dtypes and no keywords: at 128 tables that is a tenth of a step
    return StepOutput(
        empty((count, OBSERVATION_SIZE), _INT8),
        empty((count, NUM_CALLS), _INT8),
        empty(count, _INT8),
        empty(count, _FLOAT64),
        empty(count, _BOOL),
        empty(count, _BOOL),
        empty((count, 4), _FLOAT32),
        empty((OUTCOME_ROWS, count), _INT16),
        *([np.zeros(shape, _INT8) for shape in _final_shapes(count)] if mode == SAME_STEP else _NONE),
    )


def _final_shapes(count: int) -> tuple[tuple[int, ...], ...]:
    return (count, OBSERVATION_SIZE), (count, NUM_CALLS), (count,)


_NONE = [np.zeros(shape, np.int8) for shape in _final_shapes(0)]
