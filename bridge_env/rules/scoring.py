"""Score contracts, in points, IMPs and matchpoints.

Scores are read from one table, built once from the parts of Law 77 of the Laws of Duplicate Bridge 2017;
IMPs from the scale of Law 78B. Every function takes scalars or arrays and broadcasts. Scores are points,
positive for NS; differences too.

Functions over a whole field take ``scores`` (boards, tables): one row for each board, one column for each
table that met it. ``played`` (boards, tables) bool masks the tables that did not, whose ``scores`` are not read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.rules.calls import NOTRUMP, NUM_BIDS

Int8Array = NDArray[np.int8]
Int16Array = NDArray[np.int16]
Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

IMP_STEPS: Int16Array = np.array(
    [20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
     750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000], np.int16
)  # fmt: skip
"""The least difference that is worth 1, 2, ... 24 IMPs (Law 78B)."""
IMP_STEPS.flags.writeable = False


# --- the parts of Law 77; each takes integer arrays that broadcast, doubling 0..2, vulnerable 0..1 ---------


def _trick_points(tricks: Int64Array, strain: Int64Array) -> Int64Array:
    """Return the undoubled points of ``tricks`` odd tricks: minors 20, majors 30, no trump 30 and 10 for the first."""
    return np.where(strain < 2, 20, 30) * tricks + np.where((strain == NOTRUMP) & (tricks > 0), 10, 0)


def _contract_bonus(contract_points: Int64Array, vulnerable: Int64Array) -> Int64Array:
    """Return the bonus: game when the contract's own tricks are worth 100, else part-score."""
    return np.where(contract_points >= 100, np.where(vulnerable == 1, 500, 300), 50)


def _slam_bonus(level: Int64Array, vulnerable: Int64Array) -> Int64Array:
    not_vulnerable = np.where(level == 7, 1000, np.where(level == 6, 500, 0))
    return not_vulnerable * np.where(vulnerable == 1, 3, 2) // 2


def _insult(doubling: Int64Array) -> Int64Array:
    """Return the bonus for making a doubled (50) or redoubled (100) contract."""
    return 50 * doubling


def _overtrick_points(
    overtricks: Int64Array, strain: Int64Array, doubling: Int64Array, vulnerable: Int64Array
) -> Int64Array:
    undoubled = np.where(strain < 2, 20, 30)
    doubled = 100 * doubling * (1 + vulnerable)
    return overtricks * np.where(doubling == 0, undoubled, doubled)


def _penalty(undertricks: Int64Array, doubling: Int64Array, vulnerable: Int64Array) -> Int64Array:
    """Return the cost of ``undertricks`` (1 or more)."""
    undoubled = 50 * (1 + vulnerable) * undertricks
    # Doubled: 100, 300, 500, then 300 each; vulnerable 200, then 300 each.
    cheap = np.where(vulnerable == 1, np.minimum(undertricks, 1), np.minimum(undertricks, 3))
    doubled = 300 * undertricks - 100 * cheap - np.where(vulnerable == 1, 0, 100)
    return np.where(doubling == 0, undoubled, doubled * doubling)


def _build_table() -> Int16Array:
    bid, doubling, vulnerable, tricks = np.ix_(*(np.arange(n) for n in (NUM_BIDS, 3, 2, 14)))
    level, strain = bid // 5 + 1, bid % 5
    surplus = tricks - (level + 6)
    contract_points = _trick_points(level, strain) << doubling
    made = (
        contract_points
        + _contract_bonus(contract_points, vulnerable)
        + _slam_bonus(level, vulnerable)
        + _insult(doubling)
        + _overtrick_points(surplus, strain, doubling, vulnerable)
    )
    table = np.where(surplus >= 0, made, -_penalty(-surplus, doubling, vulnerable)).astype(np.int16)
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


def imps(difference: ArrayLike) -> Int8Array:
    """Return the IMPs of a difference in points, with its sign: int8 -24..24 of the same shape.

    Differences need not be multiples of 10: the steps are lower bounds.
    """
    d = np.asarray(difference)
    if d.dtype.kind == "i":
        d = d.astype(np.int64)  # the absolute value of int16 -32768 would stay negative
    size = np.searchsorted(IMP_STEPS, np.abs(d), side="right")
    result: Int8Array = (np.sign(d) * size).astype(np.int8)
    return result


# --- a field of tables ------------------------------------------------------------------------------------


def _field(scores: ArrayLike, played: ArrayLike | None) -> tuple[Int64Array, BoolArray]:
    points = np.asarray(scores, np.int64)
    return points, np.ones(points.shape, bool) if played is None else np.asarray(played, bool)


def matchpoints(scores: ArrayLike, played: ArrayLike | None = None) -> Int32Array:
    """Return the matchpoints of NS at every table: 2 for each table with a lower NS score, 1 for each equal one.

    EW's are ``2 * (tables that played the board - 1)`` minus these.

    Args:
        scores: (boards, tables), points for NS.
        played: (boards, tables) bool; default all.

    Returns:
        int32 (boards, tables); 0 where not played.
    """
    s, mask = _field(scores, played)
    points = np.zeros(s.shape, np.int32)
    for other in range(s.shape[1]):  # a column at a time: all pairs would not fit
        theirs, met = s[:, other, None], mask[:, other, None]
        points += ((s > theirs) * np.int32(2) + (s == theirs)) * met
    # Every table that played has also been compared with itself: a tie.
    return np.where(mask, points - 1, 0).astype(np.int32)


def matchpoint_percent(scores: ArrayLike, played: ArrayLike | None = None) -> FloatArray:
    """Return ``matchpoints`` as a percentage of the board's top, for NS (EW's is 100 minus it).

    Returns:
        float64 (boards, tables), 0..100; NaN where not played; 50 where only one table played the board.
    """
    _, mask = _field(scores, played)
    points = matchpoints(scores, played)
    top = 2.0 * (mask.sum(axis=1, keepdims=True) - 1)
    share = np.where(top > 0, 100.0 * points / np.maximum(top, 1.0), 50.0)
    return np.where(mask, share, np.nan)
