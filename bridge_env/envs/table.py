"""The table core of every env: N tables that advance together until a seat of the caller's is to call.

Each seat is bid by somebody: the caller (the learner), one of the three trivial bidders, which are compiled
in here, or any other injected bidder, asked once a round for all the rows that wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env import streams
from bridge_env.auction import (
    DEALER,
    DONE,
    DOUBLING,
    LAST_BID,
    LENGTH,
    VULNERABILITY,
    Auctions,
    IllegalCall,
    row_declarer,
    row_legal,
    row_mask,
    row_start,
    row_step,
    row_turn,
)
from bridge_env.bidders import DoublerBidder, PassBidder, RandomBidder
from bridge_env.boards import UNKNOWN_TRICKS, Boards, contract_tricks
from bridge_env.calls import DOUBLE, FIRST_BID, NUM_CALLS, PASS, REDOUBLE, bid_call
from bridge_env.chance import row_key, row_uniform
from bridge_env.kernels import njit
from bridge_env.observation import OBSERVATION_SIZE, row_observation, row_shown
from bridge_env.protocols import Bidder, DoubleDummy
from bridge_env.render import auction_table, deal_diagram, result_line
from bridge_env.scoring import SCORE_TABLE
from bridge_env.view import view_of

# Who bids a seat. What a table waits for is one of the first two, or that its auction is over, or that the
# caller's last call there was illegal and was not made.
CALLER, INJECTED, OVER, ILLEGAL, PASSES, RANDOM, DOUBLES = range(7)

_COMPILED: dict[type, int] = {PassBidder: PASSES, RandomBidder: RANDOM, DoublerBidder: DOUBLES}
_TWO_NOTRUMP_BID = bid_call(2, 4) - FIRST_BID


def call_keys(keys: NDArray[np.uint64], number: ArrayLike) -> NDArray[np.uint64]:
    """The stream of call ``number`` (0, 1, ...) of each auction; uint64 (N,).

    The table is no part of it: at both tables of a duplicate board, the same bidder in the same position
    makes the same call, whatever chance it uses.
    """
    return streams.key(keys, number)


@njit
def row_trivial_call(state, key, kind):  # type: ignore[no-untyped-def]
    """What the trivial bidder ``kind`` calls here; the same as its class in ``bridge_env.bidders``."""
    if kind == DOUBLES:
        return DOUBLE if state[LAST_BID] >= _TWO_NOTRUMP_BID and row_legal(state, DOUBLE) else PASS
    if kind == PASSES:
        return PASS
    lowest = FIRST_BID + state[LAST_BID] + 1
    extra = -1  # never both: a double is an opponent's, a redouble our own side's
    if row_legal(state, DOUBLE):
        extra = DOUBLE
    elif row_legal(state, REDOUBLE):
        extra = REDOUBLE
    others = 2 if extra >= 0 else 1
    rank = int(row_uniform(row_key(key, state[LENGTH])) * (others + NUM_CALLS - lowest))
    if rank >= others:
        return lowest + rank - others
    return PASS if rank == 0 else extra


@njit
def row_advance(state, history, key, seats):  # type: ignore[no-untyped-def]
    """Let compiled seats call; returns what the table then waits for: CALLER, INJECTED or OVER."""
    while not state[DONE]:
        kind = seats[row_turn(state)]
        if kind in (CALLER, INJECTED):
            return kind
        row_step(state, history, row_trivial_call(state, key, kind))
    return OVER


@njit
def _start_rows(  # type: ignore[no-untyped-def]
    state, history, owner, shown, tricks, key, seats, status, rows,
    at, new_owner, new_tricks, dealer, vulnerability, new_key,
):  # fmt: skip
    """Deal board ``at[i]`` at table ``rows[i]``; returns how many now wait for a bidder."""
    waiting = 0
    for i in range(len(rows)):
        row, board = rows[i], at[i]
        owner[row] = new_owner[board]
        row_shown(owner[row], shown[row])
        tricks[row] = new_tricks[board]
        key[row] = new_key[board]
        row_start(state[row], history[row], dealer[board], vulnerability[board])
        status[row] = row_advance(state[row], history[row], key[row], seats)
        waiting += status[row] == INJECTED
    return waiting


@njit
def _call_rows(state, history, key, seats, status, viewer, calls):  # type: ignore[no-untyped-def]
    """Make the caller's call at every table that waits for one; returns how many now wait for a bidder."""
    waiting = 0
    for row in range(len(status)):
        if status[row] != CALLER and status[row] != ILLEGAL:
            continue
        if not row_legal(state[row], calls[row]):
            status[row] = ILLEGAL
            continue
        viewer[row] = row_turn(state[row])
        row_step(state[row], history[row], calls[row])
        status[row] = row_advance(state[row], history[row], key[row], seats)
        waiting += status[row] == INJECTED
    return waiting


@njit
def _call_keys_of(key, state, rows):  # type: ignore[no-untyped-def]
    out = np.empty(len(rows), np.uint64)
    for i in range(len(rows)):
        out[i] = row_key(key[rows[i]], state[rows[i], LENGTH])
    return out


@njit
def _advance_rows(state, history, key, seats, status, rows):  # type: ignore[no-untyped-def]
    for row in rows:
        status[row] = row_advance(state[row], history[row], key[row], seats)


@njit(forceinline=True)
def row_look(state, history, shown, viewer, observation, mask):  # type: ignore[no-untyped-def]
    """Write what the seat to call sees or, of a finished auction, what ``viewer`` sees."""
    row_observation(state, history, shown, viewer if state[DONE] else row_turn(state), observation)
    row_mask(state, mask)


@njit
def _look(state, history, shown, viewer, observation, mask):  # type: ignore[no-untyped-def]
    for row in range(len(state)):
        row_look(state[row], history[row], shown[row], viewer[row], observation[row], mask[row])


@njit(forceinline=True)
def row_took(state, tricks):  # type: ignore[no-untyped-def]
    """Declarer's tricks from a table (4, 5), where -1 is unknown; 0 without a bid."""
    return tricks[row_declarer(state), state[LAST_BID] % 5] if state[LAST_BID] >= 0 else 0


@njit(forceinline=True)
def row_score(state, took, table):  # type: ignore[no-untyped-def]
    """Points for NS when declarer has taken ``took`` tricks; ``table`` is ``SCORE_TABLE``."""
    if state[LAST_BID] < 0:
        return 0
    side = row_declarer(state) & 1
    points = np.int64(table[state[LAST_BID], state[DOUBLING], (state[VULNERABILITY] >> side) & 1, took])
    return -points if side else points


@njit
def _score_rows(state, tricks, table, score, took):  # type: ignore[no-untyped-def]
    """Returns how many contracts have unknown tricks; their score is left at 0."""
    unknown = 0
    for row in range(len(state)):
        found = row_took(state[row], tricks[row])
        unknown += found < 0
        score[row] = row_score(state[row], found, table) if found >= 0 else 0
        took[row] = found if state[row, LAST_BID] >= 0 else UNKNOWN_TRICKS
    return unknown


class Tables:
    """N tables with the same bidders in their seats.

    Args:
        count: N.
        seats: who bids N, E, S, W; None is the caller.

    Attributes:
        auctions: the N auctions.
        kinds: int8 (4,), who bids N, E, S, W: CALLER, INJECTED, PASSES, RANDOM or DOUBLES.
        owner: uint8 (N, 52).
        shown: uint8 (N, 52), the same in the order of the observation.
        tricks: int8 (N, 4, 5), -1 where not known.
        key: uint64 (N,), each board's stream; bidders draw from ``call_keys(key, call number)``.
        status: int8 (N,), what each table waits for: CALLER, OVER, or ILLEGAL after an illegal call, which
            was not made: the caller may call again.
        viewer: int8 (N,), the caller's seat that called last; it is shown the end of the auction.
    """

    __slots__ = ("_asked", "_bidders", "auctions", "key", "kinds", "owner", "shown", "status", "tricks", "viewer")

    def __init__(self, count: int, seats: Sequence[Bidder | None]) -> None:
        kinds = [CALLER if b is None else _COMPILED.get(type(b), INJECTED) for b in seats]
        self.kinds = np.array(kinds, np.int8)
        # Each distinct bidder is asked once a round; _asked[seat] is its place among them.
        self._bidders: list[Bidder] = []
        self._asked = np.full(4, -1, np.int8)
        for seat, bidder in enumerate(seats):
            if bidder is not None and kinds[seat] == INJECTED:
                if not any(bidder is known for known in self._bidders):
                    self._bidders.append(bidder)
                self._asked[seat] = next(i for i, known in enumerate(self._bidders) if known is bidder)
        self.auctions = Auctions(np.zeros(count, np.int8), 0)
        self.owner = np.zeros((count, 52), np.uint8)
        self.shown = np.zeros((count, 52), np.uint8)
        self.tricks = np.full((count, 4, 5), UNKNOWN_TRICKS, np.int8)
        self.key = np.zeros(count, np.uint64)
        self.status = np.full(count, OVER, np.int8)
        own = [seat for seat in range(4) if kinds[seat] == CALLER]
        self.viewer = np.full(count, own[0] if own else 0, np.int8)

    def start(self, rows: NDArray[np.intp], boards: Boards, key: NDArray[np.uint64], at: NDArray[np.intp]) -> None:
        """At each table ``rows[i]``, deal board ``at[i]`` of ``boards`` and bid until the caller's turn.

        ``key[at[i]]`` is the board's stream. Every seat gets at least one turn in an auction, so a table where
        the caller has a seat waits for it.
        """
        a = self.auctions
        if _start_rows(
            a.state, a.history, self.owner, self.shown, self.tricks, self.key, self.kinds, self.status, rows,
            at, boards.owner, boards.tricks, boards.dealer, boards.vulnerability, key,
        ):  # fmt: skip
            self.ask_bidders()

    def call(self, calls: NDArray[np.int64]) -> None:
        """Make the caller's calls (N,) where a table waits for one, then bid until its next turn or the end.

        An illegal one is not made, and sets the table's ``status`` to ILLEGAL.
        """
        a = self.auctions
        if _call_rows(a.state, a.history, self.key, self.kinds, self.status, self.viewer, calls):
            self.ask_bidders()

    def ask_bidders(self) -> None:
        """Rounds of injected calls, until no table waits for one."""
        a = self.auctions
        while (rows := np.flatnonzero(self.status == INJECTED)).size:
            asked = self._asked[(a.state[rows, DEALER] + a.state[rows, LENGTH]) & 3]
            for number, bidder in enumerate(self._bidders):
                mine = rows[asked == number]
                if mine.size:
                    self._ask(bidder, mine)
            _advance_rows(a.state, a.history, self.key, self.kinds, self.status, rows)

    def _ask(self, bidder: Bidder, rows: NDArray[np.intp]) -> None:
        """The calls of an injected bidder at ``rows``.

        Raises:
            IllegalCall: one of them is not legal.
            TypeError: it did not give one whole number for each row.
        """
        a = self.auctions
        calls = np.asarray(bidder.bid(view_of(a, self.owner, rows), _call_keys_of(self.key, a.state, rows)))
        if calls.shape != rows.shape or calls.dtype.kind not in "iu":
            raise TypeError(
                f"the bidder {bidder!r} was asked for {len(rows)} calls and gave {calls.dtype} {calls.shape}; "
                f"bid(view, key) returns one whole number for every row"
            )
        try:
            a.step(calls, rows)
        except IllegalCall as error:
            raise IllegalCall(f"the bidder {bidder!r} made an illegal call: {error}") from error

    def look(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """What the caller sees at each table: observation (N, 480), legal calls (N, 38); int8, new.

        Of a finished auction: what the caller's seat that called last sees, with Pass as the only legal call.
        """
        observation = np.empty((len(self.status), OBSERVATION_SIZE), np.int8)
        mask = np.empty((len(self.status), NUM_CALLS), np.int8)
        a = self.auctions
        _look(a.state, a.history, self.shown, self.viewer, observation, mask)
        return observation, mask

    def seen_by(self, row: int, seat: int) -> NDArray[np.int8]:
        """The observation of any seat at one table, int8 (480,)."""
        out = np.empty(OBSERVATION_SIZE, np.int8)
        row_observation(self.auctions.state[row], self.auctions.history[row], self.shown[row], seat, out)
        return out

    def text(self, row: int, double_dummy: DoubleDummy) -> str:
        """One table: all four hands, the auction so far and, at its end, the result."""
        a = self.auctions
        dealer, vulnerability = a.dealer.item(row), a.vulnerability.item(row)
        parts = [deal_diagram(self.owner[row], dealer, vulnerability)]
        parts.append(auction_table(a.calls(row), dealer, vulnerability))
        if a.done[row]:
            self.solve(np.array([row]), double_dummy)
            parts.append(
                result_line(a.contracts().at(row), int(row_took(a.state[row], self.tricks[row])), vulnerability)
            )
        return "\n\n".join(parts)

    def solve(self, rows: NDArray[np.intp], double_dummy: DoubleDummy) -> None:
        """Ask ``double_dummy`` for the tricks of the contracts at ``rows`` that are not stored, and store them."""
        bid, _, declarer = self.auctions.take(rows).contracts()
        played = np.flatnonzero(bid >= 0)
        rows, declarer, strain = rows[played], declarer[played], bid[played] % 5
        self.tricks[rows, declarer, strain] = contract_tricks(
            self.owner[rows], self.tricks[rows], declarer, strain, double_dummy
        )

    def scores(self, double_dummy: DoubleDummy) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
        """Scores of the contracts as they stand, points for NS int16 (N,), and declarer's tricks int8 (N,).

        Tricks are -1 where there is no bid. Those that are not stored are asked of ``double_dummy``, only for
        the contracts reached, and stored.
        """
        score = np.empty(len(self.status), np.int16)
        took = np.empty(len(self.status), np.int8)
        state = self.auctions.state
        if _score_rows(state, self.tricks, SCORE_TABLE, score, took):
            self.solve(np.arange(len(state)), double_dummy)
            _score_rows(state, self.tricks, SCORE_TABLE, score, took)
        return score, took
