"""The table core of every env: N tables that advance together until a seat of the caller's is to call.

Each seat is bid by the caller (the learner), by the bidder that passes, which is compiled into the kernels, or by any
other injected bidder, called once a round for all the rows that wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from bridge_env.bidders.bidding import bid_round, bidder_group
from bridge_env.bidders.builtin import PassBidder
from bridge_env.bidders.observation import OBSERVATION_SIZE
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.view import BidView, view_of
from bridge_env.compiled.array_structs import PointerTable, writeable
from bridge_env.display.text import auction_table, deal_diagram, result_line
from bridge_env.double_dummy.boards import Boards, contract_tricks
from bridge_env.envs.compiled import arrays, steps
from bridge_env.envs.config import EnvConfig, Seat
from bridge_env.envs.rewards import CustomReward
from bridge_env.hands.deals import hands
from bridge_env.rng import streams
from bridge_env.rules.auction import DEALER, DONE, LENGTH, Auctions, Contracts
from bridge_env.rules.scoring import SCORE_TABLE

_SIGNS = np.array([1, -1, 1, -1], np.float32)  # of N, E, S, W for North-South


def bidders_of(seats: Iterable[Seat]) -> list[Bidder]:
    """Return the bidders at some seats, those of pools one by one."""
    return [bidder for seat in seats if seat is not None for bidder in (seat if isinstance(seat, tuple) else (seat,))]


class Tables:
    """N tables with the same bidders in their seats.

    They can be copied and pickled at any time: the addresses that kernels take are made anew.

    Args:
        count: N.
        seats: the bidders of N, E, S, W: one each, a pool of which each board has one, or None, the caller.
        config: the env's, for rewards; None = there are none here, and ``finish`` is not called.

    Attributes:
        state: the arrays of the tables, ``owner`` and ``tricks`` among them.
        auctions: the same memory as ``auction.Auctions``.
        pointers: the addresses of these arrays and of the rewards, for kernels.
        opponent: int8 (N,), which bidder of a pool is at each table.
        control: the other table's contracts, if the env shows them.
    """

    def __init__(self, count: int, seats: Sequence[Seat], config: EnvConfig | None = None) -> None:
        kinds = [
            arrays.CALLER if b is None else arrays.PASSES if type(b) is PassBidder else arrays.BIDDER for b in seats
        ]
        self._seats, self._config = tuple(seats), config
        self.opponent = np.zeros(count, np.int8)
        shows = config is not None and config.text and config.other_table is not None
        self.control = Contracts(*np.zeros((3, count), np.int8)) if shows else None
        self._connect(arrays.new_tables(Auctions(np.zeros(count, np.int8), 0), kinds))

    def __getstate__(self) -> tuple[Any, ...]:
        return self._seats, self._config, self.opponent, self.control, self.state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._seats, self._config, opponent, self.control, tables = state
        self.opponent = opponent.copy()  # pickled through shared memory, it cannot be written to
        self.control = None if self.control is None else Contracts(*(array.copy() for array in self.control))
        self._connect(writeable(tables))

    def __deepcopy__(self, memo: dict[int, Any]) -> Tables:
        other = Tables.__new__(Tables)  # with the same bidders, which have no state
        other.__setstate__((self._seats, self._config, self.opponent, self.control, deepcopy(self.state)))
        return other

    def _connect(self, state: arrays.TableState) -> None:
        """Derive everything else from the arrays of the tables."""
        self.state, self._rows = state, np.arange(len(state.status))
        self.auctions = Auctions.over(state.state, state.history)
        self.pointers = PointerTable(arrays.SCHEMA, state)
        if self._config is not None:
            side = -1 if self._config.four_seats else self._config.side
            self.pointers.set(arrays.RewardParams(side, SCORE_TABLE, self._config.reward.table, self._config.penalty))
        single = [
            None if seat is None or isinstance(seat, tuple) or state.kinds[i] != arrays.BIDDER else seat
            for i, seat in enumerate(self._seats)
        ]
        self._group = bidder_group(single, len(self._rows))
        self.pool = max((len(seat) for seat in self._seats if isinstance(seat, tuple)), default=0)
        # Of those outside the group, each distinct bidder is called once a round: its place among them, by seat and by
        # the opponent's place in the pool.
        distinct: dict[int, Bidder] = {}
        self._numbers = np.full((max(self.pool, 1), 4), -1, np.int8)
        for number, seat in enumerate(self._seats):
            if state.kinds[number] == arrays.BIDDER and not (self._group is not None and self._group.seats[number]):
                these = bidders_of([seat])
                for place in range(len(self._numbers)):
                    bidder = these[place % len(these)]
                    distinct.setdefault(id(bidder), bidder)
                    self._numbers[place, number] = list(distinct).index(id(bidder))
        self._bidders = list(distinct.values())

    def start(
        self,
        rows: NDArray[np.intp],
        boards: Boards,
        key: NDArray[np.uint64],
        at: NDArray[np.intp],
        reference: NDArray[np.int16] | None = None,
    ) -> None:
        """Deal board ``at[i]`` of ``boards`` at each table ``rows[i]`` and bid until the caller's turn.

        ``key[at[i]]`` is the board's stream, and ``reference[at[i]]`` the score to compare its own with (0 without).
        Every seat gets at least one turn in an auction, so a table where the caller has a seat comes to its turn.
        """
        if reference is None:
            reference = np.zeros(len(boards), np.int16)
        if self.pool:
            chance = streams.draws(streams.key(key[at], "opponent"), 1)[:, 0]
            self.opponent[rows] = chance % np.uint64(self.pool)
        if self._group is not None:
            self._group.deal(rows)
        if steps.start_rows(
            self.pointers.addresses, rows, at,
            boards.owner, boards.tricks, boards.dealer, boards.vulnerability, key, reference,
        ):  # fmt: skip
            self._call_bidders()

    def first_bad(self, calls: NDArray[np.int64], strict: bool) -> int:
        """Return the first table whose call (N,) is out of range or, if ``strict``, not legal; -1 if there is none."""
        return int(steps.first_bad_call(self.pointers.addresses, calls, strict))

    def call(self, calls: NDArray[np.int64]) -> None:
        """Make the caller's calls (N,) at its turns, or set ILLEGAL where one is, then bid until its next turn."""
        if steps.call_rows(self.pointers.addresses, calls):
            self._call_bidders()

    def _call_bidders(self) -> None:
        """Bid rounds of injected bidders until no table waits for one, as at least one does now."""
        auctions, state = self.auctions, self.state
        rows = self._rows if len(self._rows) == 1 else (state.status == arrays.BIDDER_TURN).nonzero()[0]
        while rows.size:
            if self._group is not None:
                self._group.call(auctions, state.owner, rows)
            if self._bidders:
                turn = (auctions.state[rows, DEALER] + auctions.state[rows, LENGTH]) & 3
                numbers = self._numbers[self.opponent[rows], turn]
                numbers = np.where(auctions.state[rows, DONE], -1, numbers)  # the group may have called before
                bid_round(auctions, state.owner, state.key, rows, numbers, self._bidders)
            if not steps.advance_rows(self.pointers.addresses, rows):
                break
            rows = rows[state.status[rows] == arrays.BIDDER_TURN]

    def finish(self, output: arrays.StepOutput) -> None:
        """Write rewards and outcomes of the tables that have not ``finished``, all of ``output`` but observations.

        Tricks that are not known are looked up or solved, only for the contracts reached, and stored.

        Raises:
            ValueError: a custom reward is not one finite number for each auction.
        """
        state = self.state
        if steps.finish_rows(self.pointers.addresses, *output):
            self.solve(np.flatnonzero((state.status == arrays.OVER) & ~state.finished & ~output.terminated))
            steps.finish_rows(self.pointers.addresses, *output)
        self.write_custom_rewards(output)

    def write_custom_rewards(self, output: arrays.StepOutput) -> None:
        """Overwrite the rewards of auctions that have just ended with the custom function's, if there is one."""
        config = self._config
        if config is None or not isinstance(config.reward, CustomReward):
            return
        rows = np.flatnonzero(output.terminated & ~output.illegal)
        if not rows.size:
            return
        outcome = output.outcome[:, rows].astype(np.int64)  # so that a caller's formula does not overflow
        contract = Contracts(*(outcome[row].astype(np.int8) for row in (arrays.BID, arrays.DOUBLED, arrays.DECLARER)))
        rewards = config.reward.compute(
            contract, outcome[arrays.TRICKS], outcome[arrays.SCORE], outcome[arrays.REFERENCE], config.side
        )
        if config.four_seats:
            output.seat_rewards[rows] = rewards[:, None] * _SIGNS
            rewards = np.where(self.state.viewer[rows] & 1, -rewards, rewards)
        output.reward[rows] = rewards

    def show(
        self, rows: NDArray[np.intp] | None, observation: NDArray[np.int8], mask: NDArray[np.int8],
        seat: NDArray[np.int8],
    ) -> None:  # fmt: skip
        """Write the caller's observations, legal calls and seats at the tables ``rows`` (None: all) to rows of arrays.

        Of a finished auction: those of the caller's seat that called last, with Pass as the only legal call.
        """
        steps.write_observations(self.pointers.addresses, self._rows if rows is None else rows, observation, mask, seat)

    def view(self, seat: int | None = None) -> BidView:
        """Return the views of the seats whose observations ``show`` writes, or of one seat 0..3 at all tables."""
        view, over = view_of(self.auctions, self.state.owner), self.auctions.done
        if seat is None and not over.any():
            return view
        seats = np.where(over, self.state.viewer, view.seat) if seat is None else np.full(len(view), seat)
        return replace(view, seat=seats.astype(np.int16), hand=hands(self.state.owner, seats))

    def boards(self) -> Boards:
        """Return copies of the boards at the tables."""
        auctions, state = self.auctions, self.state
        return Boards(
            state.owner.copy(), auctions.dealer.copy(), auctions.vulnerability.copy(), tricks=state.tricks.copy()
        )

    def seen_by(self, row: int, seat: int) -> NDArray[np.int8]:
        """Return the observation of any seat 0..3 at one table, int8 (480,)."""
        out = np.empty(OBSERVATION_SIZE, np.int8)
        steps.observe_from(self.pointers.addresses, row, seat, out)
        return out

    def texts(self, rows: NDArray[np.intp]) -> dict[str, NDArray[np.object_]]:
        """Return the texts of ``info``, arrays of str (N,): filled in at ``rows``, whose auctions have ended."""
        names = ["auction", "contract", *(["control_contract"] if self.control is not None else [])]
        texts = {name: np.full(len(self._rows), "", object) for name in names}
        contracts = self.auctions.contracts()
        for row in rows:
            texts["auction"][row], texts["contract"][row] = self.auctions.text(row), str(contracts.at(row))
            if self.control is not None:
                texts["control_contract"][row] = str(self.control.at(row))
        return texts

    def text(self, row: int) -> str:
        """Return one table as text: all four hands, the auction so far and, at its end, the result."""
        auctions = self.auctions
        dealer, vulnerability = auctions.dealer.item(row), auctions.vulnerability.item(row)
        parts = [deal_diagram(self.state.owner[row], dealer, vulnerability)]
        parts.append(auction_table(auctions.calls(row), dealer, vulnerability))
        if auctions.done[row]:
            parts.append(self.result(row))
        return "\n\n".join(parts)

    def result(self, row: int) -> str:
        """Return the contract, tricks and score of a finished auction, on one line."""
        self.solve(np.array([row]))
        contract = self.auctions.contracts().at(row)
        tricks = 0 if contract.bid < 0 else int(self.state.tricks[row, contract.declarer, contract.bid % 5])
        return result_line(contract, tricks, self.auctions.vulnerability.item(row))

    def solve(self, rows: NDArray[np.intp]) -> None:
        """Solve and store the tricks of the contracts at ``rows`` that are not known."""
        bid, _, declarer = self.auctions.take(rows).contracts()
        played = np.flatnonzero(bid >= 0)
        rows, declarer, strain = rows[played], declarer[played], bid[played] % 5
        owner, tricks = self.state.owner[rows], self.state.tricks[rows]
        self.state.tricks[rows, declarer, strain] = contract_tricks(owner, tricks, declarer, strain)

    def scores(self) -> NDArray[np.int16]:
        """Return the scores of the contracts as they stand, points for NS int16 (N,); solve those not known."""
        score = np.empty(len(self._rows), np.int16)
        if steps.score_rows(self.pointers.addresses, SCORE_TABLE, score):
            self.solve(self._rows)
            steps.score_rows(self.pointers.addresses, SCORE_TABLE, score)
        return score


class OpenTables:
    """What ``BiddingEnv``, with its one table, and ``BiddingVectorEnv`` show of their N tables."""

    _config: EnvConfig
    _tables: Tables
    _started: bool

    @property
    def learner(self) -> str:
        """Return the argument ``learner``."""
        return self._config.learner_name

    def view(self) -> BidView:
        """Return what the seats to call know, a row for each table; after an auction, the seat that called last.

        A bidder calls by it (``agents.make(spec).bid(env.view(), key)``), and observations of one's own are made of it.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_started("view")
        return self._tables.view()

    def deals(self) -> Boards:
        """Return the boards: ``owner`` uint8 (N, 52), and ``tricks`` int8 (N, 4, 5) by declarer and strain, -1 unknown.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_started("deals")
        return self._tables.boards()

    def _check_started(self, name: str) -> None:
        if not self._started:
            raise ResetNeeded(f"call reset() before {name}()")
