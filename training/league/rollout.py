"""Play rollouts: sample auctions of the learner, and compare each with the greedy auction on the same board.

Every board is first bid with everybody's likeliest calls: the greedy auction. Beside it others are sampled, in which
one side of the learner draws its calls by their chances. Sampled auctions share the greedy one's calls up to the first
other call, so only what follows is bid; those that never leave it have the reward 0 and are not bid. The reward is the
IMPs of the sampled auction against the greedy one; the luck of the deal is in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from agents.networks.book import SystemGuided, Terms, departs, misdescriptions, with_book
from agents.networks.inputs import Sparse, stack_rows, take_rows
from agents.networks.network import Network
from agents.networks.tables import Deals, Player, branch, look, play_on, rewind
from agents.systems.engine.state_cache import Queries
from bridge_env.bidders.registry import make
from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, draw_symmetries
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import UInt8Array
from bridge_env.rules.scoring import imps
from training.configs import LeagueConfig
from training.evaluation.situations import artificial_calls
from training.league.critic_inputs import critic_rows
from training.league.decision_log import DecisionLog, GreedyAuctions, SampledAuctions
from training.runtime.processes import use_fast_matmul

_LONGEST = 48  # calls of the greedy auction after which no sampled one leaves it
_RAREST = 0.02  # the least chance with which a decision is chosen
_LEAST = 0.3  # IMPs added to every advantage when decisions are thinned


@dataclass(frozen=True, eq=False)
class Opponent:
    """Hold a member of the pool, which plays ``share`` of the boards against the learner."""

    share: float
    player: Network | SystemGuided | str | None  # a network, the spec of any bidder, or None for a pair that passes


@dataclass(frozen=True, eq=False)
class _Examples:
    """Hold N examples to learn from: arrays with a row for each."""

    rows: Sparse  # the inputs that were on
    weight: NDArray[np.float32]  # (N,), decisions that each represents

    def __len__(self) -> int:
        return len(self.weight)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, without ``rows``."""
        return {name: array for name, array in vars(self).items() if name != "rows" and array is not None}

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return some of the examples."""
        arrays = {name: array[rows] for name, array in self.arrays().items()}
        return type(self)(rows=take_rows(self.rows, rows), **arrays)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the examples of all parts."""
        arrays = {name: np.concatenate([part.arrays()[name] for part in parts]) for name in parts[0].arrays()}
        return cls(rows=stack_rows([part.rows for part in parts]), **arrays)


@dataclass(frozen=True, eq=False)
class PolicyExamples(_Examples):
    """Hold N decisions for the policy to learn from."""

    mask: NDArray[np.bool_]  # (N, 38), legal calls
    call: NDArray[np.int8]  # (N,)
    log_chance: NDArray[np.float32]  # (N,), of the call when it was made
    advantage: NDArray[np.float32]  # (N,), in IMPs
    guidance: NDArray[np.float32] | None = None  # (N, 38), what the learner's book added to its outputs


@dataclass(frozen=True, eq=False)
class CriticExamples(_Examples):
    """Hold N rewards for the critic to learn from."""

    target: NDArray[np.float32]  # (N,), the rewards in IMPs


class Experience(NamedTuple):
    """Hold the examples and the figures of a rollout."""

    policy: PolicyExamples
    critic: CriticExamples
    figures: Mapping[str, float]  # sums over the rollout


def concatenate_experience(parts: Sequence[Experience]) -> Experience:
    """Return the experience of several rollouts as that of one."""
    figures = {name: sum(part.figures[name] for part in parts) for name in parts[0].figures}
    policy = PolicyExamples.concatenate([part.policy for part in parts])
    return Experience(policy, CriticExamples.concatenate([part.critic for part in parts]), figures)


def draw_deals(key: NDArray[np.uint64], records: UInt8Array) -> Deals:
    """Deal one of the ``records`` (n, 23) for every stream, with random symmetry, dealer and vulnerability."""
    owner, tricks = draw_symmetries(key, records, np.arange(len(records)), NUM_SYMMETRIES)
    chance = streams.draws(streams.key(key, "dealer and vulnerability"), 2) & np.uint64(3)
    return Deals.of(owner, tricks, chance[:, 0].astype(np.int16), chance[:, 1].astype(np.int16))


def seating(boards: int, pool: Sequence[Opponent]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the players of NS and EW, int8 (N, 2), 0 the learner, k the k-th opponent, and the learner's sides as
    bits, int8 (N,); on boards of no opponent's share it plays against itself.
    """
    seated, sides = np.zeros((boards, 2), np.int8), np.full(boards, 3, np.int8)
    at = 0
    for number, opponent in enumerate(pool, 1):
        count = round(opponent.share * boards)
        rows = np.arange(at, min(at + count, boards))
        seated[rows, 1 - rows % 2] = number
        sides[rows] = 1 << (rows % 2)
        at += count
    return seated, sides


@njit
def branch_points(history, dealer, length, sides, index, chances, points, samples, out):  # type: ignore[no-untyped-def]
    """Write to ``out`` where sampled auctions leave the greedy one: (board, side, calls before, call); return how many.

    The ways to sample an auction, by where it first leaves the likeliest and with which call, lie one behind the other
    on the line from 0 to 1; ``samples`` equally spaced points on it choose some of them. ``points`` (N, 2) places the
    first of these for each board and side.
    """
    n = 0
    for row in range(len(dealer)):
        for side in range(2):
            if not (sides[row] >> side) & 1:
                continue
            where, reach = 0.0, 1.0
            point, step = points[row, side] / samples, 1.0 / samples
            for t in range(min(length[row], index.shape[1])):
                if (dealer[row] + t) & 1 != side or index[row, t] < 0:
                    continue
                chance = chances[index[row, t]]
                likeliest = history[row, t]
                for call in range(38):
                    if call == likeliest or chance[call] <= 0:
                        continue
                    where += reach * chance[call]
                    while point < where and point < 1.0:
                        out[n, 0], out[n, 1], out[n, 2], out[n, 3] = row, side, t, call
                        n += 1
                        point += step
                reach *= chance[likeliest]
    return n


@threadpool_limits.wrap(limits=1)
def rollout(
    learner: Network | SystemGuided, critic: Network, pool: Sequence[Opponent], config: LeagueConfig, number: int,
    records: UInt8Array,
) -> Experience:  # fmt: skip
    """Play rollout ``number`` of a run on deals ``records``, uint8 (n, 23): a pure function of its arguments."""
    use_fast_matmul()
    key = streams.key("league", config.seed, number)
    boards = np.arange(config.boards)
    keys = streams.key(key, boards)
    deals = draw_deals(keys, records)
    players = [learner, *(make(p.player) if isinstance(p.player, str) else p.player for p in pool)]
    seated, sides = seating(config.boards, pool)
    best = Auctions(deals.dealer, deals.vulnerability)
    log = DecisionLog(best)
    play_on(best, deals, boards, players, seated, np.full(config.boards, -1, np.int8), keys, log.note)
    greedy = GreedyAuctions.of(best, log.decisions(), _LONGEST)
    sampled = _sample(greedy, deals, sides, players, seated, config, keys)
    doubled = streams.uniforms(streams.key(keys, "doubled"), 1)[:, 0] < config.double_failing
    doubled &= sides != 3
    points = deals.points(best, boards, doubled)
    reward = _rewards(greedy, sampled, deals, points, doubled, config)
    if isinstance(learner, SystemGuided):
        reward -= extra_costs(greedy, sampled, learner.terms, config)
    return _experience(learner, critic, deals, greedy, sampled, points, reward, config, key)


def _sample(
    greedy: GreedyAuctions, deals: Deals, sides: NDArray[np.int8], players: Sequence[Player | None],
    seated: NDArray[np.int8], config: LeagueConfig, keys: NDArray[np.uint64],
) -> SampledAuctions:  # fmt: skip
    """Sample auctions that leave the greedy ones, and bid them to their end."""
    points = streams.uniforms(streams.key(keys, "branches"), 2)
    out = np.empty((2 * config.boards * config.samples_per_side, 4), np.int32)
    count = branch_points(
        greedy.auctions.history, deals.dealer, np.ascontiguousarray(greedy.auctions.length), sides, greedy.index,
        greedy.decisions.chances, points, config.samples_per_side, out,
    )  # fmt: skip
    board, side, left, call = (out[:count, i].astype(np.int64) for i in range(4))
    auctions = branch(greedy.auctions, board, left, call.astype(np.int8))
    log, sample_keys = DecisionLog(auctions, side), streams.key(keys[board], "drawn", np.arange(count))
    play_on(auctions, deals, board, players, seated[board], side.astype(np.int8), sample_keys, log.note)
    return SampledAuctions(auctions, board, side, left, log.decisions(), log.entropy)


def _rewards(
    greedy: GreedyAuctions, sampled: SampledAuctions, deals: Deals, points: NDArray[np.int64],
    doubled: NDArray[np.bool_], config: LeagueConfig,
) -> NDArray[np.float32]:  # fmt: skip
    """Return the IMPs of sampled auctions against the greedy ones, which score ``points``: float32 (D,)."""
    board, side, auctions = sampled.board, sampled.side, sampled.auctions
    more_points = deals.points(auctions, board, doubled[board]) - points[board]
    reward = imps((1 - 2 * side) * more_points).astype(np.float32)
    if config.artificial_penalty:
        now, before = (
            artificial_calls(history, auctions.dealer, deals.owner[board])[1]
            for history in (auctions.history, greedy.auctions.history[board])
        )
        more = (now - before)[np.arange(len(side)), side]
        reward -= np.float32(config.artificial_penalty) * more.astype(np.float32)
    return reward


def call_costs(
    guidance: NDArray[np.float32], calls: NDArray[np.int8], terms: Terms, config: LeagueConfig
) -> NDArray[np.float32]:
    """Return the penalties of ``calls`` int8 (N,) in IMPs, float32 (N,); ``guidance`` float32 (N, 38) is the book's."""
    own = guidance[np.arange(len(calls)), calls]
    departed = np.float32(config.departure) * departs(own)
    misled: NDArray[np.float32] = np.float32(config.misinformation_penalty) * misdescriptions(own, terms)
    return misled + departed


def extra_costs(
    greedy: GreedyAuctions, sampled: SampledAuctions, terms: Terms, config: LeagueConfig
) -> NDArray[np.float32]:
    """Return the penalties in IMPs of sampled auctions less those of the greedy ones from where they part, float32
    (D,).
    """
    first = greedy.decisions.guidance[greedy.index[sampled.board, sampled.left]]
    out = call_costs(first, sampled.auctions.history[np.arange(len(sampled.board)), sampled.left], terms, config)
    later = sampled.decisions
    np.add.at(out, later.row, call_costs(later.guidance, later.call, terms, config))
    own = greedy.decisions
    costs = np.zeros((len(greedy.index), 2, greedy.index.shape[1]), np.float32)
    turn = (greedy.auctions.dealer[own.row] + own.length) & 1
    costs[own.row, turn, own.length] = call_costs(own.guidance, own.call, terms, config)
    remaining = costs[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]  # of each side from every call on
    return np.asarray(out - remaining[sampled.board, sampled.side, sampled.left], np.float32)


def _experience(
    learner: Network | SystemGuided, critic: Network, deals: Deals, greedy: GreedyAuctions, sampled: SampledAuctions,
    points: NDArray[np.int64], reward: NDArray[np.float32], config: LeagueConfig, key: NDArray[np.uint64],
) -> Experience:  # fmt: skip
    """Compute the advantages of all decisions, and choose the fraction of them to learn from."""
    auctions, later = sampled.auctions, sampled.decisions
    # Decisions up to where a sampled auction left the greedy one: the greedy call is worth 0.
    before, index = np.arange(greedy.index.shape[1]), greedy.index[sampled.board]
    own = ((auctions.dealer[:, None] + before) & 1) == sampled.side[:, None]
    early, early_length = np.nonzero((before <= sampled.left[:, None]) & own & (index >= 0))
    number = index[early, early_length]
    early_call = auctions.history[early, early_length]
    # Decisions after it, against what the critic expected.
    board = sampled.board[later.row]
    critic_inputs = critic_rows(rewind(auctions, later.row, later.length), deals, board, points[board])
    expected, target = critic.outputs(*critic_inputs)[:, 0], reward[later.row]

    auction, length = np.concatenate([early, later.row]), np.concatenate([early_length, later.length])
    call = np.concatenate([early_call, later.call])
    chance = np.concatenate([greedy.decisions.chances[number, early_call], later.chance])
    advantage = np.concatenate([reward[early], target - expected])
    interest = (1 - chance) * (np.abs(advantage) + _LEAST)
    keep = np.clip(interest * thinning_factor(interest, config.decision_fraction), _RAREST, 1.0)
    chosen = np.flatnonzero(streams.uniforms(streams.key(key, "kept", np.arange(len(keep))), 1)[:, 0] < keep)
    weight = (1 / keep[chosen]).astype(np.float32)
    states, state_board = rewind(auctions, auction[chosen], length[chosen]), sampled.board[auction[chosen]]
    inputs, mask = look(states, deals, state_board, np.arange(len(chosen)))
    guidance = None
    if isinstance(learner, SystemGuided):
        known = Queries.of_auctions(states, deals.features, state_board)
        inputs = with_book(inputs, known.seat, learner.book.look(known))
        guidance = np.concatenate([greedy.decisions.guidance[number], later.guidance])[chosen]
    log_chance = np.log(np.maximum(chance[chosen], 1e-9))
    late = chosen[chosen >= len(early)] - len(early)
    error, spread = target - expected, target - (target.mean() if len(target) else 0)
    figures = {
        "boards": len(deals), "sampled": len(reward), "decisions": len(keep), "chosen": len(chosen),
        "reward": reward.sum(), "gains": (reward > 0).sum(), "entropy": sampled.entropy, "later": len(later.row),
        "unexplained": (error**2).sum(), "spread": (spread**2).sum(),
        "calls": greedy.auctions.length.sum() + (auctions.length - sampled.left - 1).sum(),
    }  # fmt: skip
    return Experience(
        PolicyExamples(inputs, weight, mask, call[chosen], log_chance, advantage[chosen], guidance),
        CriticExamples(take_rows(critic_inputs, late), weight[len(weight) - len(late) :], target[late]),
        {name: float(value) for name, value in figures.items()},
    )


def thinning_factor(interest: NDArray[np.float32], share: float) -> float:
    """Return the factor by which ``interest``, then capped at 1, keeps ``share`` of the decisions on average."""
    low, high = 1e-6, 1e6
    if not len(interest):
        return low
    for _ in range(50):  # bisect powers
        middle = (low * high) ** 0.5
        low, high = (middle, high) if np.minimum(1.0, interest * middle).mean() < share else (low, middle)
    return high
