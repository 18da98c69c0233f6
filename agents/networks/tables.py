"""Let networks bid at many tables: auctions advance together, and each player gets one batch a round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided
from agents.networks.inputs import HAND_ON, MOST_ON, Sparse, row_auction_inputs, row_hand_inputs
from agents.networks.network import Network
from agents.systems.bidder import deal_features
from agents.systems.engine.state_cache import Queries
from bridge_env.bidders.bidding import ask
from bridge_env.bidders.protocols import Bidder
from bridge_env.compiled.jit import njit
from bridge_env.hands.deals import hands
from bridge_env.rng import streams
from bridge_env.rules.auction import LENGTH, Auctions, row_mask, row_turn
from bridge_env.rules.calls import NUM_CALLS, PASS, first_calls
from bridge_env.rules.scoring import score

Player = Network | SystemGuided | Bidder


Noter = Callable[[NDArray[np.int64], NDArray[np.float32], NDArray[np.int8], NDArray[np.float32] | None], None]
"""A function that takes the learner's decisions: rows, chances of all calls, its calls, what its book added, if any."""


@dataclass(frozen=True)
class Deals:
    """N solved boards."""

    owner: NDArray[np.uint8]  # (N, 52)
    tricks: NDArray[np.int8]  # (N, 4, 5)
    dealer: NDArray[np.int16]  # (N,)
    vulnerability: NDArray[np.int16]  # (N,)
    hand: NDArray[np.uint16]  # (N, 4, HAND_ON), the inputs that each hand turns on

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def features(self) -> NDArray[np.int16]:
        """Return the features of all hands, int16 (N, 4, NUM_FEATURES), for players by a book."""
        return deal_features(self.owner)

    @classmethod
    def of(
        cls,
        owner: NDArray[np.uint8],
        tricks: NDArray[np.int8],
        dealer: NDArray[np.int16],
        vulnerability: NDArray[np.int16],
    ) -> Deals:
        four = hands(owner[:, None, :], np.arange(4)[None, :]).reshape(-1, 52)
        hand = np.empty((len(four), HAND_ON), np.uint16)
        _hand_inputs(four, hand)
        return cls(owner, tricks, dealer, vulnerability, hand.reshape(len(owner), 4, HAND_ON))

    def points(self, auctions: Auctions, board: NDArray[np.int64], doubled: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Score finished auctions, NS-positive; where ``doubled``, a contract that fails counts as doubled."""
        bid, doubling, declarer = auctions.contracts()
        took = self.tricks[board, np.maximum(declarer, 0), np.maximum(bid, 0) % 5]
        fails = doubled & (bid >= 0) & (took < bid // 5 + 7)
        doubling = np.where(fails, np.maximum(doubling, 1), doubling)
        return score(bid, doubling, declarer, self.vulnerability[board], took).astype(np.int64)


@njit
def _hand_inputs(hand, out):  # type: ignore[no-untyped-def]
    for i in range(len(hand)):
        row_hand_inputs(hand[i], out[i])


@njit
def _look(rows, board, state, history, hand, dealer, vulnerability, numbers, starts, mask):  # type: ignore[no-untyped-def]
    """Write the inputs that are on, where each row's begin, and the legal calls; return how many inputs are on."""
    used = 0
    for i in range(len(rows)):
        row, at = rows[i], board[rows[i]]
        seat = row_turn(state[row])
        starts[i] = used
        for k in range(HAND_ON):
            numbers[used + k] = hand[at, seat, k]
        used += HAND_ON
        used += row_auction_inputs(
            history[row], state[row, LENGTH], dealer[at], vulnerability[at], seat, numbers[used:]
        )
        row_mask(state[row], mask[i])
    starts[len(rows)] = used
    return used


def look(
    auctions: Auctions, deals: Deals, board: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[Sparse, NDArray[np.bool_]]:
    """Return what the seats to call at ``rows`` see: the inputs that are on, and the legal calls bool (N, 38)."""
    longest = int(auctions.length[rows].max(initial=0))
    numbers = np.empty(len(rows) * (HAND_ON + 9 + min(longest, MOST_ON)) + MOST_ON, np.uint16)
    starts, mask = np.empty(len(rows) + 1, np.int64), np.empty((len(rows), NUM_CALLS), np.bool_)
    used = _look(
        rows, board, auctions.state, auctions.history, deals.hand, deals.dealer, deals.vulnerability,
        numbers, starts, mask,
    )  # fmt: skip
    return (numbers[:used], starts), mask


def evaluate(
    player: Network | SystemGuided, auctions: Auctions, deals: Deals, board: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.float32], Sparse, NDArray[np.bool_], NDArray[np.float32] | None]:
    """Return a network's outputs for the positions at ``rows``.

    Returns:
        outputs for every call, float32 (N, 38); the inputs that are on; the legal calls bool (N, 38); and what its book
        added to the outputs, None without one.
    """
    seen, mask = look(auctions, deals, board, rows)
    if not isinstance(player, SystemGuided):
        return player.outputs(*seen), seen, mask, None
    outputs, seen, part = player.judge(
        seen, mask, Queries.of_auctions(auctions.take(rows), deals.features, board[rows])
    )
    return outputs, seen, mask, part


@njit
def _decide(outputs, mask, chance, chances, calls):  # type: ignore[no-untyped-def]
    """Turn ``outputs`` into ``chances`` and calls: the likeliest, or where ``chance`` is 0 to 1 one drawn by it."""
    for i in range(len(outputs)):
        best = -1
        for call in range(38):
            if mask[i, call] and (best < 0 or outputs[i, call] > outputs[i, best]):
                best = call
        total = np.float32(0.0)
        for call in range(38):
            power = np.exp(outputs[i, call] - outputs[i, best]) if mask[i, call] else np.float32(0.0)
            chances[i, call] = power
            total += power
        for call in range(38):
            chances[i, call] /= total
        calls[i] = best
        if chance[i] >= 0:
            left = chance[i]
            for call in range(38):
                left -= chances[i, call]
                if left < 0 and mask[i, call]:
                    calls[i] = call
                    break


def decide(
    outputs: NDArray[np.float32], mask: NDArray[np.bool_], chance: NDArray[np.float64]
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return the chances of all calls float32 (N, 38), and calls int8 (N,): the likeliest where ``chance`` (N,) is
    below 0, else drawn by it, a number from 0 to 1."""
    chances, calls = np.empty_like(outputs), np.empty(len(outputs), np.int8)
    _decide(outputs, mask, chance, chances, calls)
    return chances, calls


def play_on(
    auctions: Auctions,
    deals: Deals,
    board: NDArray[np.int64],
    players: Sequence[Player | None],
    seated: NDArray[np.int8],
    samples: NDArray[np.int8],
    key: NDArray[np.uint64],
    note: Noter | None = None,
) -> None:
    """Bid every auction to its end.

    Args:
        auctions: R of them, begun or fresh.
        board: int64 (R,), which of ``deals`` a row has.
        players: the learner first; None passes.
        seated: int8 (R, 2), which player holds North-South and East-West.
        samples: int8 (R,), the side that draws its calls by their chances; -1 where everybody makes the likeliest.
        key: uint64 (R,), each row's random stream.
        note: called with all decisions of the learner in a round, if any.
    """
    while True:
        rows = np.flatnonzero(~auctions.done)
        if not rows.size:
            return
        side = auctions.turn[rows] & 1
        player_number = seated[rows, side]
        calls = np.full(len(rows), PASS, np.int8)
        for number, player in enumerate(players):
            mine = np.flatnonzero(player_number == number)
            if not mine.size or player is None:
                continue
            turns = rows[mine]
            if not isinstance(player, (Network, SystemGuided)):
                calls[mine] = ask(player, auctions, deals.owner[board], turns, key[turns])
                continue
            outputs, _, mask, part = evaluate(player, auctions, deals, board, turns)
            drawn = np.flatnonzero((samples[turns] == side[mine]) & (number == 0))
            if not drawn.size and (number or note is None):  # nobody needs chances
                calls[mine] = np.where(mask, outputs, np.float32(-np.inf)).argmax(axis=1)
                continue
            chance = np.full(len(turns), -1.0)
            if drawn.size:
                chance[drawn] = streams.uniforms(streams.key(key[turns[drawn]], auctions.length[turns[drawn]]), 1)[:, 0]
            chances, calls[mine] = decide(outputs, mask, chance)
            if note is not None:
                note(turns, chances, calls[mine], part)
        auctions.step(calls, rows)


def rewind(auctions: Auctions, rows: NDArray[np.int64], length: NDArray[np.int64]) -> Auctions:
    """Return the auctions at ``rows`` as they were after ``length`` calls."""
    calls = first_calls(auctions.history[rows, : int(length.max(initial=0))], length)
    return Auctions.replay(calls, auctions.dealer[rows], auctions.vulnerability[rows])


def branch(auctions: Auctions, rows: NDArray[np.int64], length: NDArray[np.int64], call: NDArray[np.int8]) -> Auctions:
    """Branch auctions: copy the first ``length`` calls of ``auctions`` at ``rows``, then make another ``call``."""
    out = rewind(auctions, rows, length)
    out.step(call)
    return out


def all_by(
    network: Network | SystemGuided,
    owner: NDArray[np.uint8],
    dealer: NDArray[np.int16],
    vulnerability: NDArray[np.int16],
) -> Auctions:
    """Bid deals (N, 52) with the network's likeliest call in all four seats."""
    n = len(owner)
    deals = Deals.of(owner, np.zeros((n, 4, 5), np.int8), dealer, vulnerability)
    auctions, seated = Auctions(dealer, vulnerability), np.zeros((n, 2), np.int8)
    nobody, unused = np.full(n, -1, np.int8), np.zeros(n, np.uint64)
    play_on(auctions, deals, np.arange(n), [network], seated, nobody, unused)
    return auctions
