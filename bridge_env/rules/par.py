"""Compute par: the score when both sides see all cards and bid as well as possible.

The game that is solved, by backward induction over (last bid, side that holds it):

- A side to act either accepts the last bid or makes a higher one. At the start the dealer's side may bid or
  pass; if it passes the other side may bid or pass the board out.
- An accepted contract is played by the better declarer of its side, and takes that declarer's double-dummy
  tricks. A contract that fails is doubled, one that makes is not.

This is par as DDS computes it with a dealer (``DealerPar``). Vulnerability and dealer both count: the side that
calls first decides where both sides could be the first to buy a contract.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import NUM_BIDS, Contract
from bridge_env.rules.scoring import SCORE_TABLE

Int8Array = NDArray[np.int8]
Int16Array = NDArray[np.int16]

_WORST = -32000


def _build_accepted() -> Int16Array:
    """Compute the worth of accepted contracts, int16 [vulnerable, strain, tricks, level - 1], doubled if it fails."""
    bid = np.arange(NUM_BIDS)[:, None]
    tricks = np.arange(14)[None]
    doubling = (tricks < bid // 5 + 7).astype(np.int64)
    worth = SCORE_TABLE[bid[..., None], doubling[..., None], np.arange(2), tricks[..., None]]
    return np.ascontiguousarray(worth.reshape(7, 5, 14, 2).transpose(3, 1, 2, 0))


ACCEPTED = _build_accepted()


def _held(accepted_ns: int, accepted_ew: int, best_ns: int, best_ew: int) -> tuple[int, int]:
    """Return the worth to NS and to EW of having made a bid, given the best of the higher ones."""
    return min(accepted_ns, -best_ew), min(accepted_ew, -best_ns)


_row_held = njit(_held, forceinline=True)


@njit(forceinline=True)
def row_par(tricks, dealer, vulnerability, table):  # type: ignore[no-untyped-def]
    """Return par of a table (4, 5), points for NS. ``table`` is ``ACCEPTED``."""
    ns_table, ew_table = table[vulnerability & 1], table[vulnerability >> 1]
    best_ns = best_ew = _WORST  # of the bids above the present one
    for level in range(6, -1, -1):
        for strain in range(4, -1, -1):
            ns, ew = _row_held(
                np.int64(ns_table[strain, max(tricks[0, strain], tricks[2, strain]), level]),
                np.int64(ew_table[strain, max(tricks[1, strain], tricks[3, strain]), level]),
                best_ns,
                best_ew,
            )
            best_ns = max(best_ns, ns)
            best_ew = max(best_ew, ew)
        if best_ns >= -best_ew:  # lower bids change neither
            break
    # The side that does not deal may bid or pass the board out once the dealer's side has passed.
    return min(-best_ew, max(best_ns, 0)) if dealer & 1 else max(best_ns, min(-best_ew, 0))


@njit
def _par_batch(tricks, dealer, vulnerability, table, out):  # type: ignore[no-untyped-def]
    for i in range(len(tricks)):
        out[i] = row_par(tricks[i], dealer[i], vulnerability[i], table)


def par(tricks: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike) -> Int16Array:
    """Compute par scores.

    Args:
        tricks: (N, 4, 5) double-dummy tricks [declarer seat, strain], 0..13.
        dealer: seats, scalar or (N,).
        vulnerability: codes 0..3, scalar or (N,).

    Returns:
        int16 (N,), points for NS.

    Raises:
        ValueError: a wrong shape or a number out of range.
    """
    t, d, v = _checked(tricks, dealer, vulnerability)
    out = np.empty(len(t), np.int16)
    _par_batch(t, d, v, ACCEPTED, out)
    return out


def _checked(tricks: ArrayLike, dealer: ArrayLike, vulnerability: ArrayLike) -> tuple[Int8Array, Int8Array, Int8Array]:
    t = np.asarray(tricks)
    if t.ndim != 3 or t.shape[1:] != (4, 5):
        raise ValueError(f"tricks must be (N, 4, 5): [declarer seat, strain]; this array has shape {t.shape}")
    if t.size and (t.min() < 0 or t.max() > 13):
        raise ValueError("tricks are numbers 0..13")
    codes = np.broadcast_to(np.asarray(dealer), len(t)), np.broadcast_to(np.asarray(vulnerability), len(t))
    if any(((code < 0) | (code > 3)).any() for code in codes):
        raise ValueError("dealer and vulnerability must be 0..3")
    return np.ascontiguousarray(t, np.int8), np.array(codes[0], np.int8), np.array(codes[1], np.int8)


def par_contracts(tricks: ArrayLike, dealer: int, vulnerability: int) -> tuple[int, list[Contract]]:
    """Return par of one table and every contract that reaches it.

    A contract is listed when (a) the bidding can stop there while no call of either side costs it anything
    against par, and (b) it leaves the opponents no higher bid that would score more for them if they were
    left to play it. Without (b) every indifferent line would count, such as 1S that makes three where the
    opponents could push to 3S but gain nothing in the end. So of 3NT, 4NT and 5NT that all make 660, 3NT is
    left out if the opponents have a cheaper sacrifice over it; several equally good sacrifices or
    part-scores are all listed, and so are both partners where they take the same tricks. These are the
    contracts of DDS's ``Par`` (``EW 45N``); its ``DealerPar`` merges them into the lowest, with overtricks.

    Args:
        tricks: (4, 5) [declarer seat, strain].

    Returns:
        The par score, points for NS, and the contracts in ascending order (bid, then declarer N E S W). Par 0
        is the passed-out board, ``[Contract(-1)]``, and nothing else.

    Raises:
        ValueError: a wrong shape or a number out of range.
    """
    t, d, v = _checked(np.asarray(tricks)[None], dealer, vulnerability)
    bid, side = np.arange(NUM_BIDS)[:, None], np.arange(2)
    most = np.maximum(t[0, :2], t[0, 2:])  # tricks of a side's better declarer
    accepted = ACCEPTED[v[0] >> side & 1, bid % 5, most[side, bid % 5], bid // 5]
    score = int(par(t, d, v)[0])
    if score == 0:  # no contract is worth 0 points
        return 0, [Contract(-1)]
    contracts = []
    for bought, buyer in _ends(accepted, int(d[0]) & 1, score):
        took = [int(t[0, seat, bought % 5]) for seat in (buyer, buyer + 2)]
        doubling = 1 if max(took) < bought // 5 + 7 else 0
        contracts += [Contract(bought, doubling, buyer + 2 * i) for i in range(2) if took[i] == max(took)]
    return score, contracts


def _ends(accepted: Int16Array, first: int, score: int) -> list[tuple[int, int]]:
    """Return (bid, side) of the contracts that ``par_contracts`` lists; the side ``first`` speaks first.

    Args:
        accepted: int16 (35, 2), the worth of each bid to the side that buys the contract with it.
    """
    held = np.empty_like(accepted)  # the worth to a side of having made the last bid
    best_ns = best_ew = _WORST
    for bid in range(NUM_BIDS - 1, -1, -1):
        accepted_ns, accepted_ew = accepted[bid].tolist()
        ns, ew = held[bid] = _held(accepted_ns, accepted_ew, best_ns, best_ew)
        best_ns, best_ew = max(best_ns, ns), max(best_ew, ew)
    worth = (score, -score)  # of par to each side; every state that optimal calls lead to is worth as much
    reached = [(bid, first) for bid in range(NUM_BIDS) if held[bid, first] == worth[first]]
    other = 1 - first
    if held[:, other].max() == worth[other] and worth[other] > 0:  # the first side may as well pass
        reached += [(bid, other) for bid in range(NUM_BIDS) if held[bid, other] == worth[other]]
    seen = set(reached)
    ends = []
    while reached:
        bid, side = reached.pop()
        rival = 1 - side
        if accepted[bid, side] == worth[side] and not (accepted[bid + 1 :, rival] > worth[rival]).any():
            ends.append((bid, side))
        for higher in range(bid + 1, NUM_BIDS):
            state = (higher, rival)
            if held[higher, rival] == worth[rival] and state not in seen:
                seen.add(state)
                reached.append(state)
    return sorted(ends)
