"""Count artificial calls as a measure of how natural a pair's bidding is.

A call is artificial if it is a bid of a suit without four cards in it (three for a raise of partner's), a double of a
contract at the three level or below, a redouble, or a 2♣ that opens or answers partner's 1NT without five clubs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE
from training.evaluation.duplicate import MatchResult, match
from training.runtime.pages import table

_ONE_NOTRUMP, _TWO_CLUBS = 4, 5  # as bids


@njit
def row_artificial_calls(history, length, dealer, lengths, side):  # type: ignore[no-untyped-def]
    """Return the number of artificial calls of ``side`` in the first ``length``; ``lengths`` (4, 4) are the suits'."""
    count = 0
    last = -1  # the last bid
    named = 0  # suits that each seat has bid, as bits: 4 for each seat
    newest = -1  # the last bid of each seat's side that was no pass, to tell an answer to 1NT
    before = -1
    for i in range(length):
        call, seat = history[i], (dealer + i) & 3
        mine = seat & 1 == side
        if call >= FIRST_BID:
            bid = call - FIRST_BID
            suit = bid % 5
            if mine and suit < 4:
                held = lengths[seat, suit]
                raised = (named >> (4 * (seat ^ 2) + suit)) & 1
                short = held < (3 if raised else 4)
                opens = last < 0
                answers = newest == _ONE_NOTRUMP and before == -1
                code = bid == _TWO_CLUBS and (opens or answers) and held < 5
                count += short or code
            if suit < 4:
                named |= 1 << (4 * seat + suit)
            last = bid
            if mine:
                before, newest = newest, bid
        elif mine and call == REDOUBLE:
            count += 1
        elif mine and call == DOUBLE:
            count += last < 15  # bids of the first three levels
    return count


@njit
def _count(history, dealer, lengths, side, out):  # type: ignore[no-untyped-def]
    for i in range(len(out)):
        length = 0
        while length < history.shape[1] and history[i, length] >= PASS:
            length += 1
        out[i] = row_artificial_calls(history[i], length, dealer[i], lengths[i], side[i])


@njit
def _mark(history, dealer, lengths, out):  # type: ignore[no-untyped-def]
    for i in range(len(history)):
        before = np.zeros(2, np.int64)
        for k in range(history.shape[1]):
            if history[i, k] < PASS:
                break
            side = (dealer[i] + k) & 1
            count = row_artificial_calls(history[i], k + 1, dealer[i], lengths[i], side)
            out[i, k] = count > before[side]
            before[side] = count


def artificial_mask(
    history: NDArray[np.int8], dealer: NDArray[np.int16], owner: NDArray[np.uint8]
) -> NDArray[np.bool_]:  # fmt: skip
    """Return which calls of auctions int8 (N, L) are artificial: bool (N, L)."""
    out = np.zeros(history.shape, np.bool_)
    _mark(np.ascontiguousarray(history), dealer, _lengths(owner), out)
    return out


def _lengths(owner: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the cards of each seat in each suit, int64 (N, 4, 4), of owners (N, 52)."""
    cards: NDArray[np.int64] = (owner.reshape(-1, 1, 4, 13) == np.arange(4)[None, :, None, None]).sum(axis=3)
    return cards


def count_artificial(
    history: NDArray[np.int8], dealer: NDArray[np.int16], owner: NDArray[np.uint8], side: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the number of artificial calls of ``side`` (N,) in each auction: int64 (N,).

    Args:
        history: int8 (N, L), padded with -1.
        dealer: (N,).
        owner: uint8 (N, 52).
    """
    out = np.zeros(len(history), np.int64)
    _count(np.ascontiguousarray(history), dealer, _lengths(owner), np.asarray(side, np.int64), out)
    return out


def of_match(played: MatchResult) -> tuple[float, float]:
    """Return the artificial calls of A in 100 auctions of its side, and their standard error."""
    n = len(played.boards)
    both = [
        count_artificial(table.history, played.boards.dealer, played.boards.owner, np.full(n, side))
        for side, table in enumerate(played.tables)
    ]
    each = (both[0] + both[1]) / 2
    return 100 * float(each.mean()), 100 * float(each.std(ddof=1) / n**0.5)


def report(specs: Sequence[str], boards: int, seed: int, tick: Callable[[int], object] = lambda specs: None) -> str:
    """Return a page in Markdown: the artificial calls of each bidder, the fewest first.

    Args:
        tick: called with 1 after each.
    """
    found = []
    for spec in specs:
        found.append((*of_match(match(spec, spec, boards, seed)), spec))
        tick(1)
    rows = [(f"`{spec}`", f"{mean:.1f} ± {error:.1f}") for mean, error, spec in sorted(found)]
    return "\n".join([
        "# Artificial calls", "",
        f"Artificial calls in 100 auctions of a side, over {boards:,} judging boards (seed {seed}) that each bidder",
        "bids against itself: a bid of a suit without four cards in it (three for a raise of partner's), a double of a",
        "contract at the three level or below, a redouble, and a 2♣ that opens or answers partner's 1NT without five",
        "clubs.", "",
        *table(["bidder", "artificial calls"], rows),
    ]) + "\n"  # fmt: skip
