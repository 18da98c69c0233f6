"""The arrays of a vector env, in the groups in which its kernels take them (``bridge_env.envs.kernels.rounds``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridge_env.calls import NUM_CALLS
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.rewards import CONTROL, PAR
from bridge_env.envs.setup import Setup
from bridge_env.envs.table import Tables
from bridge_env.observation import OBSERVATION_SIZE
from bridge_env.par import ACCEPTED
from bridge_env.scoring import SCORE_TABLE

NEXT_STEP, SAME_STEP, DISABLED = range(3)

# Rows of ``outcome``: points for the learner's side (NS, if it bids all seats) and what they are compared
# with; the contract as in ``auction.Contracts``; declarer's tricks, -1 where passed out.
SCORE, REFERENCE, BID, DOUBLED, DECLARER, TRICKS = range(6)
OUTCOME_ROWS = 6


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
        outcome: int16 (6, N), of the episodes that ended with their auctions.
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


def room_of(tables: Tables) -> Room:
    """The tables' own arrays, and what a vector env adds."""
    n = len(tables.status)
    return Room(
        state=tables.auctions.state,
        history=tables.auctions.history,
        owner=tables.owner,
        shown=tables.shown,
        tricks=tables.tricks,
        key=tables.key,
        status=tables.status,
        viewer=tables.viewer,
        base=np.zeros(n, np.uint64),
        number=np.zeros(n, np.int64),
        reference=np.zeros(n, np.int16),
        finished=np.zeros(n, np.bool_),
    )


def terms_of(setup: Setup, tables: Tables) -> Terms:
    """How calls are paid at these tables."""
    side = -1 if setup.four_seats else setup.side
    return Terms(tables.kinds, side, SCORE_TABLE, setup.reward.table, setup.penalty)


def stock_of(setup: Setup, deals: LibraryDeals) -> Stock:
    """The library's deals for the kernel; opens it."""
    accepted = ACCEPTED if setup.reward.reference == PAR else ACCEPTED[:0]
    dealer, vulnerability = (-1 if fixed is None else fixed for fixed in (setup.dealer, setup.vulnerability))
    return Stock(*deals.records(), dealer, vulnerability, accepted)


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
