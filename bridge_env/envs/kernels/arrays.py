"""What the kernels of the envs take, declared once, record by record (``bridge_env.kernel_records``).

Kernels (``njit``) are compiled for what stands here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import MAX_CALLS, STATE_COLUMNS, Auctions
from bridge_env.boards import UNKNOWN_TRICKS
from bridge_env.calls import NUM_BIDS, NUM_CALLS
from bridge_env.double_dummy.packing import RECORD_BYTES
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.rewards import CONTROL, PAR, STEPS
from bridge_env.envs.setup import Setup
from bridge_env.kernel_records import Schema
from bridge_env.observation import OBSERVATION_SIZE
from bridge_env.par import ACCEPTED
from bridge_env.scoring import SCORE_TABLE

# Who bids a seat: the caller, an injected bidder, which is asked, or one of the trivial ones, which are compiled.
CALLER, INJECTED, PASSES, RANDOM, DOUBLES = range(5)

# What a table does: it asks the caller or an injected bidder for a call; its auction is over; the caller's last call
# there was illegal and was not made. (Inside kernels also: a compiled bidder is to call.)
ASKS_CALLER, ASKS_BIDDER, OVER, ILLEGAL, GOES_ON = range(5)

# When a table whose episode has ended is dealt the next one.
NEXT_STEP, SAME_STEP, DISABLED = range(3)

# Rows of ``outcome``: points for the learner's side (NS, if it bids all seats) and what they are compared
# with; the contract as in ``auction.Contracts``; declarer's tricks, -1 where passed out.
SCORE, REFERENCE, BID, DOUBLED, DECLARER, TRICKS = range(6)
OUTCOME_ROWS = 6


class Room(NamedTuple):
    """The tables: a row each."""

    state: Annotated[NDArray[np.int16], "tables", STATE_COLUMNS]  # as in ``auction.Auctions``
    history: Annotated[NDArray[np.int8], "tables", MAX_CALLS]  # the same
    owner: Annotated[NDArray[np.uint8], "tables", 52]  # who holds each card
    shown: Annotated[NDArray[np.uint8], "tables", 52]  # the same in the order of the observation
    tricks: Annotated[NDArray[np.int8], "tables", 4, 5]  # -1 where not known
    # each board's stream; bidders draw from ``bidding.call_keys(key, call number)``
    key: Annotated[NDArray[np.uint64], "tables"]
    # ASKS_CALLER, ASKS_BIDDER, OVER, or ILLEGAL: the last call was, and was not made
    status: Annotated[NDArray[np.int8], "tables"]
    # the caller's seat that called last; it is shown the end of the auction
    viewer: Annotated[NDArray[np.int8], "tables"]
    base: Annotated[NDArray[np.uint64], "tables"]  # what a table's episodes are derived from
    number: Annotated[NDArray[np.int64], "tables"]  # of its next episode
    reference: Annotated[NDArray[np.int16], "tables"]  # what its score is compared with, points for NS
    finished: Annotated[NDArray[np.bool_], "tables"]  # its episode has ended, and it waits for a new one
    # who bids N, E, S, W, at all tables: CALLER, INJECTED, PASSES, RANDOM or DOUBLES
    kinds: Annotated[NDArray[np.int8], 4]


class Terms(NamedTuple):
    """How a call is paid."""

    side: int  # the learner's, 0 or 1; -1 if it bids all four seats
    points: Annotated[NDArray[np.int16], NUM_BIDS, 3, 2, 14]  # ``scoring.SCORE_TABLE``
    rewards: Annotated[NDArray[np.float64], STEPS]  # of ``rewards.Reward``
    penalty: float  # of an illegal call


class Stock(NamedTuple):
    """Where the kernel takes new episodes from: solved deals."""

    mode: int  # of autoreset
    # this, ``indices`` and ``images`` as ``images.draw_symmetries`` has them
    records: Annotated[NDArray[np.uint8], "library", RECORD_BYTES]
    indices: Annotated[NDArray[np.intp], "deals"]
    images: int
    dealer: int  # fixed, or -1: at random
    vulnerability: int  # the same
    by_par: int  # whether scores are compared with par
    accepted: Annotated[NDArray[np.int16], 2, 5, 14, 7]  # ``par.ACCEPTED``


class Asked(NamedTuple):
    """What a round begins with: the caller's calls."""

    calls: Annotated[NDArray[np.int64], "tables"]


class Results(NamedTuple):
    """What a round gives: a row for each table. ``outcome`` is of the episodes that ended with their auctions.

    ``final_observation`` has no row without same-step autoreset.
    """

    observation: Annotated[NDArray[np.int8], "tables", OBSERVATION_SIZE]
    mask: Annotated[NDArray[np.int8], "tables", NUM_CALLS]
    reward: Annotated[NDArray[np.float64], "tables"]
    terminated: Annotated[NDArray[np.bool_], "tables"]
    illegal: Annotated[NDArray[np.bool_], "tables"]
    seat_rewards: Annotated[NDArray[np.float32], "tables", 4]
    outcome: Annotated[NDArray[np.int16], OUTCOME_ROWS, "tables"]
    final_observation: Annotated[NDArray[np.int8], "tables", OBSERVATION_SIZE]


SCHEMA = Schema(Room, Terms, Stock, Asked, Results)


def room_of(auctions: Auctions, kinds: Sequence[int]) -> Room:
    """New tables for these auctions, at which nothing has been dealt yet."""
    n = len(auctions)
    own = [seat for seat in range(4) if kinds[seat] == CALLER]
    return Room(
        state=auctions.state,
        history=auctions.history,
        owner=np.zeros((n, 52), np.uint8),
        shown=np.zeros((n, 52), np.uint8),
        tricks=np.full((n, 4, 5), UNKNOWN_TRICKS, np.int8),
        key=np.zeros(n, np.uint64),
        status=np.full(n, OVER, np.int8),
        viewer=np.full(n, own[0] if own else 0, np.int8),
        base=np.zeros(n, np.uint64),
        number=np.zeros(n, np.int64),
        reference=np.zeros(n, np.int16),
        finished=np.zeros(n, np.bool_),
        kinds=np.array(kinds, np.int8),
    )


def terms_of(setup: Setup) -> Terms:
    """How calls are paid in an env."""
    return Terms(-1 if setup.four_seats else setup.side, SCORE_TABLE, setup.reward.table, setup.penalty)


def stock_of(setup: Setup, deals: LibraryDeals, mode: int) -> Stock:
    """The library's deals for the kernel; opens it."""
    dealer, vulnerability = (-1 if fixed is None else fixed for fixed in (setup.dealer, setup.vulnerability))
    by_par = int(setup.reward.reference == PAR)
    return Stock(mode, *deals.records(), dealer, vulnerability, by_par, ACCEPTED)


def outcomes_of(setup: Setup) -> list[tuple[str, str, int]]:
    """What ``info`` tells of a finished auction: name, name of the mask, row of ``Results.outcome``."""
    rows = {"score": SCORE, "bid": BID, "doubling": DOUBLED, "declarer": DECLARER, "tricks": TRICKS}
    names = {PAR: "par", CONTROL: "control_score"}
    if setup.reward.reference in names:
        rows[names[setup.reward.reference]] = REFERENCE
    return [(name, "_" + name, row) for name, row in rows.items()]


_INT8, _INT16, _FLOAT32, _FLOAT64, _BOOL = (np.dtype(t) for t in (np.int8, np.int16, np.float32, np.float64, np.bool_))


def results_of(count: int, mode: int, illegal: NDArray[np.bool_] | None = None) -> Results:
    """New arrays for ``count`` tables, with the autoreset ``mode``; what is in them is undefined.

    ``illegal`` is taken instead of a new one, if given.
    """
    empty = np.empty  # positions, dtypes and no keywords: at 128 tables that is a tenth of a step
    return Results(
        empty((count, OBSERVATION_SIZE), _INT8),
        empty((count, NUM_CALLS), _INT8),
        empty(count, _FLOAT64),
        empty(count, _BOOL),
        empty(count, _BOOL) if illegal is None else illegal,
        empty((count, 4), _FLOAT32),
        empty((OUTCOME_ROWS, count), _INT16),
        np.zeros((count, OBSERVATION_SIZE), _INT8) if mode == SAME_STEP else _NONE,
    )


_NONE = np.zeros((0, OBSERVATION_SIZE), np.int8)
