"""Play rollouts: sample auctions of the learner, and compare each with its likeliest auction on the same board.

Every board is first bid with everybody's likeliest calls. Beside that auction others are sampled, in which one side of
the learner draws its calls by their chances. Sampled auctions share the likeliest one's calls up to the first other
call, so only what follows is bid; those that never leave it have the reward 0 and are not bid. The reward is the IMPs
of the sampled auction against the likeliest; the luck of the deal is in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from agents.networks.book import SystemGuided
from agents.networks.inputs import Sparse, stack_rows, take_rows
from agents.networks.network import Network
from agents.networks.tables import Deals, branch, look, play_on, rewind
from bridge_env.bidders.registry import make
from bridge_env.compiled.jit import njit
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, draw_symmetries
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.cards import UInt8Array
from bridge_env.rules.scoring import imps
from training.evaluation.artificial_calls import count_artificial
from training.league.critic_inputs import critic_rows
from training.league.deal_pool import solved_deals
from training.league.system_penalty import Penalties, SystemPenalty, concatenated
from training.runtime.speed import use_fast_matmul

_LONGEST = 48  # calls of the likeliest auction after which no sampled one leaves it
_RAREST = 0.02  # the least chance with which a decision is chosen
_LEAST = 0.3  # IMPs added to every advantage when decisions are thinned


@dataclass(frozen=True)
class RolloutConfig:
    """Hold the settings of a rollout; those without a comment are as in ``LeagueConfig``."""

    boards: int
    samples_per_side: int
    decision_fraction: float
    double_failing: float
    symmetries: int = NUM_SYMMETRIES  # of each solved deal that are dealt
    artificial_penalty: float = 0.0  # IMPs for an artificial call (``training.evaluation.artificial_calls``)
    penalties: Penalties = field(default_factory=Penalties)  # of a learner that bids by a book


@dataclass(frozen=True, eq=False)
class Opponent:
    """A member of the pool, which plays ``share`` of the boards against the learner."""

    name: str
    share: float
    player: Network | SystemGuided | str | None  # a network, the spec of any bidder, or None for a pair that passes


@dataclass(frozen=True, eq=False)
class Experience:
    """Hold N decisions of a rollout for the policy, and M rewards for the critic."""

    rows: Sparse  # the inputs that were on
    mask: NDArray[np.bool_]  # (N, 38), legal calls
    call: NDArray[np.int8]  # (N,)
    log_chance: NDArray[np.float32]  # (N,), of the call when it was made
    advantage: NDArray[np.float32]  # (N,), in IMPs
    weight: NDArray[np.float32]  # (N,), decisions that each stands for
    system_logits: NDArray[np.float32] | None  # (N, 38), what the learner's book added to its outputs, if it has one
    critic_rows: Sparse  # the critic's inputs that were on
    target: NDArray[np.float32]  # (M,), the rewards in IMPs
    critic_weight: NDArray[np.float32]  # (M,)
    figures: Mapping[str, float]  # sums over the rollout


def concatenate_experience(parts: Sequence[Experience]) -> Experience:
    """Return the experience of several rollouts as that of one."""
    if len(parts) == 1:
        return parts[0]
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("mask", "call", "log_chance", "advantage", "weight", "target", "critic_weight")
    }
    logits = [part.system_logits for part in parts if part.system_logits is not None]
    figures: dict[str, float] = {}
    for part in parts:
        for name, value in part.figures.items():
            figures[name] = figures.get(name, 0.0) + value
    return Experience(
        rows=stack_rows([part.rows for part in parts]), critic_rows=stack_rows([part.critic_rows for part in parts]),
        system_logits=np.concatenate(logits) if logits else None, figures=figures, **arrays,
    )  # fmt: skip


@dataclass
class _GreedyDecisions:
    """Collect the learner's decisions in the likeliest auctions: all calls' chances, and what its book added."""

    index: NDArray[np.int32]  # (R, _LONGEST): number of the decision, -1 where the learner does not call
    chances: list[NDArray[np.float32]] = field(default_factory=list)
    system_logits: list[NDArray[np.float32] | None] = field(default_factory=list)
    count: int = 0

    def all_chances(self) -> NDArray[np.float32]:
        return np.concatenate(self.chances) if self.chances else np.empty((0, 38), np.float32)


@dataclass
class _SampledDecisions:
    """Collect decisions in sampled auctions after they left the likeliest: row, calls before, call, its chance."""

    row: list[NDArray[np.int64]] = field(default_factory=list)
    length: list[NDArray[np.int64]] = field(default_factory=list)
    call: list[NDArray[np.int8]] = field(default_factory=list)
    chance: list[NDArray[np.float32]] = field(default_factory=list)
    system_logits: list[NDArray[np.float32] | None] = field(default_factory=list)
    entropy: float = 0.0

    @property
    def rows(self) -> NDArray[np.int64]:
        """Return the rows of all decisions."""
        return np.concatenate([*self.row, np.empty(0, np.int64)])


def draw_deals(key: NDArray[np.uint64], records: UInt8Array, symmetries: int = NUM_SYMMETRIES) -> Deals:
    """Deal one of the ``records`` (n, 23) for every stream, with random symmetry, dealer and vulnerability."""
    owner, tricks = draw_symmetries(key, records, np.arange(len(records)), symmetries)
    chance = streams.draws(streams.key(key, "dealer and vulnerability"), 2) & np.uint64(3)
    return Deals.of(owner, tricks, chance[:, 0].astype(np.int16), chance[:, 1].astype(np.int16))


def seating(boards: int, pool: Sequence[Opponent]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Seat the players; what no opponent has as its share, the learner plays against itself.

    Returns:
        The players of NS and EW, int8 (N, 2): 0 the learner, k the k-th opponent; and the learner's sides as bits, int8
        (N,).
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
def _branches(history, dealer, length, sides, index, chances, points, samples, out):  # type: ignore[no-untyped-def]
    """Write to ``out`` where sampled auctions leave the likeliest: (board, side, calls before, call); return how many.

    The ways to sample an auction, by where it first leaves the likeliest and with which call, lie one behind the other
    on the line from 0 to 1; ``samples`` equally spaced points on it choose some of them.
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


def rollout(
    learner: Network | SystemGuided,
    critic: Network,
    pool: Sequence[Opponent],
    config: RolloutConfig,
    seed: int,
    number: int,
    records: UInt8Array | None = None,
) -> Experience:
    """Play rollout ``number`` of a run: a pure function of its arguments.

    Args:
        records: the deals uint8 (n, 23), as ``deal_pool`` returns them; None for the solved ones.
    """
    use_fast_matmul()
    records, key = solved_deals() if records is None else records, streams.key("league", seed, number)
    with threadpool_limits(1):
        return _rollout(learner, critic, pool, config, key, records)


def _rollout(
    learner: Network | SystemGuided,
    critic: Network,
    pool: Sequence[Opponent],
    config: RolloutConfig,
    key: NDArray[np.uint64],
    records: UInt8Array,
) -> Experience:
    everyone = np.arange(config.boards)
    keys = streams.key(key, everyone)
    deals = draw_deals(keys, records, config.symmetries)
    players = [learner, *(make(p.player) if isinstance(p.player, str) else p.player for p in pool)]
    seated, sides = seating(config.boards, pool)
    doubled = streams.uniforms(streams.key(keys, "doubled"), 1)[:, 0] < config.double_failing
    doubled &= sides != 3
    best, greedy = _greedy_auctions(deals, players, seated, keys)
    best_points = deals.points(best, everyone, doubled)

    chances = greedy.all_chances()
    points = streams.uniforms(streams.key(keys, "branches"), 2)
    out = np.empty((2 * config.boards * config.samples_per_side, 4), np.int32)
    length = np.ascontiguousarray(best.length)
    count = _branches(
        best.history, deals.dealer, length, sides, greedy.index, chances, points, config.samples_per_side, out
    )
    board, side, left, other = (out[:count, i].astype(np.int64) for i in range(4))
    auctions = branch(best, board, left, other.astype(np.int8))
    sample_keys = streams.key(keys[board], "drawn", np.arange(count))
    later = _complete_auctions(auctions, deals, board, side, players, seated, sample_keys)
    more_points = deals.points(auctions, board, doubled[board]) - best_points[board]
    reward = imps((1 - 2 * side) * more_points).astype(np.float32)
    if config.artificial_penalty:
        more = count_artificial(auctions.history, auctions.dealer, deals.owner[board], side)
        more -= count_artificial(best.history[board], auctions.dealer, deals.owner[board], side)
        reward -= np.float32(config.artificial_penalty) * more.astype(np.float32)
    penalty = None
    if isinstance(learner, SystemGuided):
        penalty = SystemPenalty(
            learner, config.penalties, concatenated(greedy.system_logits), greedy.index,
            concatenated(later.system_logits),
        )  # fmt: skip
        made = np.concatenate([*later.call, np.empty(0, np.int8)])
        reward -= penalty.cost_difference(best, auctions, board, side, left, later.rows, made)
    return _experience(
        critic, deals, config, key, best, greedy.index, chances, auctions, board, side, left, reward,
        best_points, later, penalty,
    )  # fmt: skip


def _greedy_auctions(
    deals: Deals, players: Sequence[Any], seated: NDArray[np.int8], keys: NDArray[np.uint64]
) -> tuple[Auctions, _GreedyDecisions]:
    """Bid every board with everybody's likeliest calls."""
    boards = len(deals)
    greedy = _GreedyDecisions(np.full((boards, _LONGEST), -1, np.int32))
    best = Auctions(deals.dealer, deals.vulnerability)

    def note(rows: Any, chances: Any, calls: Any, system_logits: Any) -> None:
        length = best.length[rows].astype(np.int64)
        early = length < _LONGEST
        greedy.index[rows[early], length[early]] = greedy.count + np.flatnonzero(early)
        greedy.chances.append(chances)
        greedy.system_logits.append(system_logits)
        greedy.count += len(rows)

    play_on(best, deals, np.arange(boards), players, seated, np.full(boards, -1, np.int8), keys, note)
    return best, greedy


def _complete_auctions(
    auctions: Auctions, deals: Deals, board: NDArray[np.int64], side: NDArray[np.int64], players: Sequence[Any],
    seated: NDArray[np.int8], keys: NDArray[np.uint64],
) -> _SampledDecisions:  # fmt: skip
    """Bid sampled auctions to their end, with the learner of ``side`` drawing its calls; return its decisions."""
    later = _SampledDecisions()

    def note(rows: Any, chances: Any, calls: Any, system_logits: Any) -> None:
        drawn = np.flatnonzero(auctions.turn[rows] & 1 == side[rows])
        chance = chances[drawn]
        later.row.append(rows[drawn])
        later.length.append(auctions.length[rows[drawn]].astype(np.int64))
        later.call.append(calls[drawn])
        later.chance.append(chance[np.arange(len(drawn)), calls[drawn]])
        later.system_logits.append(None if system_logits is None else system_logits[drawn])
        later.entropy += float(-(chance * np.log(np.maximum(chance, 1e-9))).sum())

    play_on(auctions, deals, board, players, seated[board], side.astype(np.int8), keys, note)
    return later


def _experience(
    critic: Network, deals: Deals, config: RolloutConfig, key: NDArray[np.uint64], best: Auctions,
    index: NDArray[np.int32], greedy_chances: NDArray[np.float32], auctions: Auctions, board: NDArray[np.int64],
    side: NDArray[np.int64], left: NDArray[np.int64], reward: NDArray[np.float32], best_points: NDArray[np.int64],
    later: _SampledDecisions, penalty: SystemPenalty | None,
) -> Experience:  # fmt: skip
    """Compute the advantages of all decisions, and choose the fraction of them that is learned from."""
    # Decisions up to where a sampled auction left the likeliest, that one included: the likeliest call is worth 0.
    before = np.arange(_LONGEST)
    mine = (before <= left[:, None]) & (((deals.dealer[board][:, None] + before) & 1) == side[:, None])
    mine &= index[board] >= 0
    early, early_length = np.nonzero(mine)
    early_call = auctions.history[early, early_length]
    early_chance = greedy_chances[index[board[early], early_length], early_call]
    # Decisions after it, against what the critic expected.
    rows = later.rows
    later_length = np.concatenate([*later.length, np.empty(0, np.int64)])
    critic_inputs = critic_rows(rewind(auctions, rows, later_length), deals, board[rows], best_points[board[rows]])
    expected = critic.outputs(*critic_inputs)[:, 0]

    auction = np.concatenate([early, rows])
    length = np.concatenate([early_length, later_length])
    call = np.concatenate([early_call, *later.call]).astype(np.int8)
    chance = np.concatenate([early_chance, *later.chance]).astype(np.float32)
    advantage = np.concatenate([reward[early], reward[rows] - expected]).astype(np.float32)

    interest = (1 - chance) * (np.abs(advantage) + _LEAST)
    keep = np.clip(interest * _thinning_factor(interest, config.decision_fraction), _RAREST, 1.0)
    chosen = np.flatnonzero(streams.uniforms(streams.key(key, "kept", np.arange(len(keep))), 1)[:, 0] < keep)
    states = rewind(auctions, auction[chosen], length[chosen])
    inputs, mask = look(states, deals, board[auction[chosen]], np.arange(len(chosen)))
    logits = None
    if penalty is not None:
        early_logits = penalty.greedy_logits[index[board[early], early_length]]
        logits = np.concatenate([early_logits, penalty.later_logits])[chosen]
        inputs = penalty.inputs(states, deals, board[auction[chosen]], inputs)
    critic_chosen = chosen[chosen >= len(early)] - len(early)
    target = reward[rows]
    figures = {
        "boards": float(len(deals)), "drawn": float(len(board)), "decisions": float(len(keep)),
        "kept": float(len(chosen)), "reward": float(reward.sum()), "gains": float((reward > 0).sum()),
        "entropy": later.entropy, "later": float(len(rows)), "unexplained": float(((target - expected) ** 2).sum()),
        "spread": float(((target - target.mean()) ** 2).sum()) if len(rows) else 0.0,
        "calls": float(best.length.sum() + (auctions.length - left - 1).sum()),
    }  # fmt: skip
    return Experience(
        inputs, mask, call[chosen], np.log(np.maximum(chance[chosen], 1e-9)), advantage[chosen],
        (1 / keep[chosen]).astype(np.float32), logits, take_rows(critic_inputs, critic_chosen), target[critic_chosen],
        (1 / keep[critic_chosen + len(early)]).astype(np.float32), figures,
    )  # fmt: skip


def _thinning_factor(interest: NDArray[Any], share: float) -> float:
    """Return the factor by which ``interest``, then capped at 1, keeps ``share`` of the decisions on average."""
    low, high = 1e-6, 1e6
    if not len(interest):
        return low
    for _ in range(50):  # bisect powers
        middle = (low * high) ** 0.5
        low, high = (middle, high) if np.minimum(1.0, interest * middle).mean() < share else (low, middle)
    return high
