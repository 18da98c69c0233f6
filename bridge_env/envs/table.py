"""The table core of every env: N tables that advance together until a seat of the caller's is to call.

Each seat is bid by somebody: the caller (the learner), one of the three trivial bidders, which are compiled
into the kernels, or any other injected bidder, asked once a round for all the rows that wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import DEALER, DONE, LENGTH, Auctions, Contracts
from bridge_env.bidders import DoublerBidder, PassBidder, RandomBidder
from bridge_env.bidding import bid_round, bidder_group
from bridge_env.boards import Boards, contract_tricks
from bridge_env.calls import NUM_CALLS
from bridge_env.cards import parse_seat
from bridge_env.envs.kernels.arrays import (
    ASKS_BIDDER,
    BID,
    CALLER,
    DECLARER,
    DOUBLED,
    DOUBLES,
    INJECTED,
    OVER,
    PASSES,
    RANDOM,
    REFERENCE,
    SCHEMA,
    SCORE,
    TRICKS,
    Results,
    Room,
    Terms,
    room_of,
)
from bridge_env.envs.kernels.rounds import (
    advance_rows,
    call_row,
    call_rows,
    first_bad_call,
    score_rows,
    settle,
    show,
    start_rows,
)
from bridge_env.envs.kernels.rows import row_took
from bridge_env.envs.rewards import OwnReward
from bridge_env.envs.setup import Setup
from bridge_env.kernel_records import Plan, writeable
from bridge_env.observation import OBSERVATION_SIZE, row_observation
from bridge_env.protocols import Bidder, DoubleDummy
from bridge_env.render import auction_table, deal_diagram, result_line
from bridge_env.scoring import SCORE_TABLE

_SIGNS = np.array([1, -1, 1, -1], np.float32)  # of N, E, S, W for North-South
_COMPILED: dict[type, int] = {PassBidder: PASSES, RandomBidder: RANDOM, DoublerBidder: DOUBLES}


class Tables:
    """N tables with the same bidders in their seats.

    They can be copied and pickled at any time: the addresses that kernels take are made anew.

    Args:
        count: N.
        seats: who bids N, E, S, W; None is the caller.
        terms: how calls are paid; None = nobody is paid here, and ``settle`` is not called.

    Attributes:
        room: the arrays that say all about the tables, ``owner`` and ``tricks`` among them.
        plan: where they and the terms are, for kernels.
    """

    __slots__ = ("_asked", "_bidders", "_company", "_rows", "_seats", "auctions", "plan", "room", "terms")

    def __init__(self, count: int, seats: Sequence[Bidder | None], terms: Terms | None = None) -> None:
        kinds = [CALLER if b is None else _COMPILED.get(type(b), INJECTED) for b in seats]
        self._seats = list(seats)
        self.auctions = Auctions(np.zeros(count, np.int8), 0)
        self.terms = terms
        self._open(room_of(self.auctions, kinds))

    def _open(self, room: Room) -> None:
        self.room, self._rows = room, np.arange(len(room.status))
        injected = [bidder if room.kinds[seat] == INJECTED else None for seat, bidder in enumerate(self._seats)]
        self._company = bidder_group(injected, len(self._rows))
        # Of those outside it, each distinct bidder is asked once a round; _asked[seat] is its place among them.
        self._bidders: list[Bidder] = []
        self._asked = np.full(4, -1, np.int8)
        for seat, bidder in enumerate(injected):
            if bidder is not None and not (self._company is not None and self._company.seats[seat]):
                if not any(bidder is known for known in self._bidders):
                    self._bidders.append(bidder)
                self._asked[seat] = next(i for i, known in enumerate(self._bidders) if known is bidder)
        self.plan = Plan(SCHEMA, room)
        if self.terms is not None:
            self.plan.put(self.terms)

    def __getstate__(self) -> dict[str, Any]:
        names = ("_seats", "room", "terms")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._seats, self.terms = state["_seats"], state["terms"]
        room = writeable(state["room"])
        self.auctions = Auctions.over(room.state, room.history)
        self._open(room)

    @property
    def owner(self) -> NDArray[np.uint8]:
        return self.room.owner

    @property
    def tricks(self) -> NDArray[np.int8]:
        return self.room.tricks

    def start(
        self,
        rows: NDArray[np.intp],
        boards: Boards,
        key: NDArray[np.uint64],
        at: NDArray[np.intp],
        reference: NDArray[np.int16] | None = None,
    ) -> None:
        """At each table ``rows[i]``, deal board ``at[i]`` of ``boards`` and bid until the caller's turn.

        ``key[at[i]]`` is the board's stream, and ``reference[at[i]]`` what its score is compared with (0 without).
        Every seat gets at least one turn in an auction, so a table where the caller has a seat asks it.
        """
        compared = np.zeros(len(boards), np.int16) if reference is None else reference
        if self._company is not None:
            self._company.deal(rows)
        if start_rows(
            self.plan.numbers, rows, at, boards.owner, boards.tricks, boards.dealer, boards.vulnerability, key, compared
        ):
            self.ask_bidders()

    def first_bad(self, calls: NDArray[np.int64], strict: bool) -> int:
        """The first table whose call (N,) is no call at all or, if ``strict``, not legal; -1 if there is none."""
        return int(first_bad_call(self.plan.numbers, calls, strict))

    def call(self, calls: NDArray[np.int64]) -> None:
        """Make the caller's calls (N,) where a table asks for one, then bid until its next turn or the end.

        An illegal one is not made, and sets the table's ``status`` to ILLEGAL.
        """
        if call_rows(self.plan.numbers, calls):
            self.ask_bidders()

    def call_at(self, row: int, call: int) -> int:
        """The same at one table, which must ask for a call; returns its ``status``."""
        status = int(call_row(self.plan.numbers, row, call))
        if status == ASKS_BIDDER:
            self.ask_bidders(self._rows[row : row + 1])
            status = int(self.room.status[row])
        return status

    def ask_bidders(self, rows: NDArray[np.intp] | None = None) -> None:
        """Rounds of injected calls at tables ``rows`` (None: where one is asked for), until none asks for one.

        Raises:
            BidderError: a bidder's answer is no legal call.
        """
        a, room = self.auctions, self.room
        if rows is None:
            rows = (room.status == ASKS_BIDDER).nonzero()[0]
        while rows.size:
            if self._company is not None:
                self._company.call(a, room.owner, rows)
            if self._bidders:
                who = self._asked[(a.state[rows, DEALER] + a.state[rows, LENGTH]) & 3]
                who = np.where(a.state[rows, DONE], -1, who)  # the company may have called before
                bid_round(a, room.owner, room.key, rows, who, self._bidders)
            if not advance_rows(self.plan.numbers, rows):
                break
            rows = rows[room.status[rows] == ASKS_BIDDER]

    def settle(self, results: Results, double_dummy: DoubleDummy) -> None:
        """Pay what has ended at the tables that have not ``finished``; all of ``results`` but what is seen is written.

        Tricks that are not stored are asked of ``double_dummy``, only for the contracts reached, and stored.
        """
        assert self.terms is not None
        if settle(self.plan.numbers, *results):
            room = self.room
            self.solve(np.flatnonzero((room.status == OVER) & ~room.finished & ~results.terminated), double_dummy)
            settle(self.plan.numbers, *results)

    def pay_own(self, setup: Setup, results: Results) -> None:
        """Pay the auctions that have just ended once more, where the reward is a function of the caller's."""
        reward = setup.reward
        if not isinstance(reward, OwnReward):
            return
        rows = np.flatnonzero(results.terminated & ~results.illegal)
        if not rows.size:
            return
        outcome = results.outcome[:, rows].astype(np.int64)  # a caller's formula must not overflow
        contract = Contracts(*(outcome[row].astype(np.int8) for row in (BID, DOUBLED, DECLARER)))
        paid = reward.of(contract, outcome[TRICKS], outcome[SCORE], outcome[REFERENCE], setup.side)
        if setup.four_seats:
            results.seat_rewards[rows] = paid[:, None] * _SIGNS
            paid = np.where(self.room.viewer[rows] & 1, -paid, paid)
        results.reward[rows] = paid

    def look(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """What the caller sees at each table: observation (N, 480), legal calls (N, 38); int8, new.

        Of a finished auction: what the caller's seat that called last sees, with Pass as the only legal call.
        """
        observation = np.empty((len(self._rows), OBSERVATION_SIZE), np.int8)
        mask = np.empty((len(self._rows), NUM_CALLS), np.int8)
        show(self.plan.numbers, self._rows, observation, mask)
        return observation, mask

    def show(self, rows: NDArray[np.intp] | None, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> None:
        """The same of the tables ``rows`` (None: all), written to the rows of these arrays."""
        show(self.plan.numbers, self._rows if rows is None else rows, observation, mask)

    def seen_by(self, row: int, seat: int) -> NDArray[np.int8]:
        """The observation of any seat at one table, int8 (480,).

        Raises:
            ValueError: not a seat.
        """
        out = np.empty(OBSERVATION_SIZE, np.int8)
        room = self.room
        row_observation(room.state[row], room.history[row], room.shown[row], parse_seat(seat), out)
        return out

    def text(self, row: int, double_dummy: DoubleDummy) -> str:
        """One table: all four hands, the auction so far and, at its end, the result."""
        a = self.auctions
        dealer, vulnerability = a.dealer.item(row), a.vulnerability.item(row)
        parts = [deal_diagram(self.owner[row], dealer, vulnerability)]
        parts.append(auction_table(a.calls(row), dealer, vulnerability))
        if a.done[row]:
            parts.append(self.result(row, double_dummy))
        return "\n\n".join(parts)

    def result(self, row: int, double_dummy: DoubleDummy) -> str:
        """What a finished auction came to, on one line."""
        self.solve(np.array([row]), double_dummy)
        a = self.auctions
        took = int(row_took(a.state[row], self.tricks[row]))
        return result_line(a.contracts().at(row), took, a.vulnerability.item(row))

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
        score, took = np.empty(len(self._rows), np.int16), np.empty(len(self._rows), np.int8)
        if score_rows(self.plan.numbers, SCORE_TABLE, score, took):
            self.solve(self._rows, double_dummy)
            score_rows(self.plan.numbers, SCORE_TABLE, score, took)
        return score, took
