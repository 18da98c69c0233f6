"""Score contracts, in points, IMPs and matchpoints.

Scores are read from one table, built once from the parts of Law 77 of the Laws of Duplicate Bridge 2017;
IMPs from the scale of Law 78B. Every function takes scalars or arrays and broadcasts. Scores are points,
positive for NS; differences too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.rules.calls import NOTRUMP, NUM_BIDS

Int16Array = NDArray[np.int16]

IMP_STEPS: Int16Array = np.array(
    [20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
     750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000], np.int16
)  # fmt: skip
"""The least difference that is worth 1, 2, ... 24 IMPs (Law 78B)."""
IMP_STEPS.flags.writeable = False


def _build_table() -> Int16Array:
    """Compute the points of all contracts with all numbers of tricks, from the parts of Law 77."""
    bid, doubling, vulnerable, tricks = np.ix_(*(np.arange(n) for n in (NUM_BIDS, 3, 2, 14)))
    level, strain = bid // 5 + 1, bid % 5
    overtricks, undertricks = tricks - (level + 6), level + 6 - tricks
    odd_trick = np.where(strain < 2, 20, 30)
    contract = (odd_trick * level + np.where(strain == NOTRUMP, 10, 0)) << doubling
    game = np.where(contract >= 100, np.where(vulnerable == 1, 500, 300), 50)
    slam = np.where(level == 7, 1000, np.where(level == 6, 500, 0)) * np.where(vulnerable == 1, 3, 2) // 2
    insult = 50 * doubling
    more = overtricks * np.where(doubling == 0, odd_trick, 100 * doubling * (1 + vulnerable))
    # Doubled, undertricks cost 100, 300, 500, then 300 each; vulnerable 200, then 300 each.
    cheap = np.minimum(undertricks, np.where(vulnerable == 1, 1, 3))
    doubled = doubling * (300 * undertricks - 100 * cheap - np.where(vulnerable == 1, 0, 100))
    penalty = np.where(doubling == 0, 50 * (1 + vulnerable) * undertricks, doubled)
    table = np.where(overtricks >= 0, contract + game + slam + insult + more, -penalty).astype(np.int16)
    table.flags.writeable = False
    return table


SCORE_TABLE: Int16Array = _build_table()
"""int16 [35 bids, 3 doublings, 2 (declarer vulnerable), 14 tricks], points for declarer's side. Read-only."""


def points_of(table: Any, bid: Any, doubling: Any, declarer: Any, vulnerability: Any, tricks: Any) -> Any:
    """Return the points of contracts with a bid, positive for NS; ``table`` is ``SCORE_TABLE``.

    Plain arithmetic on numbers or arrays that are in range: kernels compile it (``njit``).
    """
    side = declarer & 1
    return (1 - 2 * side) * table[bid, doubling, (vulnerability >> side) & 1, tricks]


def score(
    bid: ArrayLike, doubling: ArrayLike, declarer: ArrayLike, vulnerability: ArrayLike, tricks: ArrayLike
) -> Int16Array:
    """Return the points of contracts, positive for NS; 0 where passed out.

    Args:
        bid: 0..34, or -1 where passed out (then the other arguments of that row are not read).
        doubling: 0 undoubled, 1 doubled, 2 redoubled.
        declarer: seat 0..3.
        vulnerability: code 0..3, bit 0 NS, bit 1 EW.
        tricks: tricks that declarer took, 0..13.

    Returns:
        int16 of the broadcast shape; a 0-d array, which ``int`` takes, for scalars.

    Raises:
        ValueError: a number out of its range.
    """
    b, x, seat, v, t = np.broadcast_arrays(
        *(np.asarray(a, np.int64) for a in (bid, doubling, declarer, vulnerability, tricks))
    )
    out = b == -1
    for name, values, end in (
        ("bid", b, NUM_BIDS),
        ("doubling", x, 3),
        ("declarer", seat, 4),
        ("vulnerability", v, 4),
        ("tricks", t, 14),
    ):
        bad = ((values < 0) | (values >= end)) & ~out
        if bad.any():
            value = int(values[bad][0])
            raise ValueError(f"{name} {value} is out of range 0..{end - 1} (bid -1 is a passed-out board)")
    b, x, seat, v, t = (np.where(out, 0, a) for a in (b, x, seat, v, t))
    return np.where(out, 0, points_of(SCORE_TABLE, b, x, seat, v, t)).astype(np.int16)


def imps(difference: ArrayLike) -> NDArray[np.int8]:
    """Return the IMPs of a difference in points, with its sign: int8 -24..24 of the same shape.

    Differences need not be multiples of 10: the steps are lower bounds.
    """
    d = np.asarray(difference)
    if d.dtype.kind == "i":
        d = d.astype(np.int64)  # the absolute value of int16 -32768 would stay negative
    size = np.searchsorted(IMP_STEPS, np.abs(d), side="right")
    return (np.sign(d) * size).astype(np.int8)


# --- a field of tables ------------------------------------------------------------------------------------


def matchpoints(scores: ArrayLike) -> NDArray[np.int32]:
    """Return the matchpoints of NS at every table: 2 for each table with a lower NS score, 1 for each equal one.

    EW's are ``2 * (tables - 1)`` minus these.

    Args:
        scores: (boards, tables), points for NS.

    Returns:
        int32 (boards, tables).
    """
    s = np.asarray(scores, np.int64)
    ahead = np.sign(s[:, :, None] - s[:, None, :]).sum(axis=2)  # tables that it beats, less those that beat it
    return (ahead + s.shape[1] - 1).astype(np.int32)


def matchpoint_percent(scores: ArrayLike) -> NDArray[np.float64]:
    """Return ``matchpoints`` as a percentage of the board's top, for NS (EW's is 100 minus it).

    Returns:
        float64 (boards, tables), 0..100; 50 where only one table played the board.
    """
    points = matchpoints(scores)
    top = 2.0 * (points.shape[1] - 1)
    return 100.0 * points / top if top else np.full(points.shape, 50.0)
