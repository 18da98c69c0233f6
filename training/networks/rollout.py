"""Play rollouts: the learner's calls, and their result compared with its likeliest auction on the same board.

Every board is first bid with everybody's likeliest calls. Beside that auction others are drawn, in which one side of
the learner draws its calls by their chances. Drawn auctions share the likeliest one's calls up to the first other call,
so only what follows is bid, and those that never leave it cost nothing and teach nothing: their reward is 0. The reward
is the IMPs of the drawn auction against the likeliest; the luck of the deal is in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from agents.networks.book import ByBook
from agents.networks.inputs import Sparse, stacked, take_rows
from agents.networks.network import Network
from agents.networks.tables import Deals, branched, look, play_on, rewound
from bridge_env import streams
from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.cards import UInt8Array
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, draw_symmetries
from bridge_env.jit import njit
from bridge_env.scoring import imps
from training.match.artificial_calls import count_artificial
from training.networks.critic_inputs import critic_rows
from training.networks.stock import solved
from training.networks.strayed import Prices, Strayed, joined
from training.running.speed import use_fastest

_LONGEST = 48  # calls of the likeliest auction that drawn ones may leave it at
_RAREST = 0.02  # the least chance that a decision is kept
_LEAST = 0.3  # IMPs added to every advantage when decisions are thinned


@dataclass(frozen=True)
class RolloutConfig:
    """The settings of a rollout."""

    boards: int
    drawn: int  # auctions drawn for each side of the learner
    keep: float  # the share of decisions that is learned from
    doubled: float  # the share of the boards on which contracts of the learner that fail count as doubled
    images: int = NUM_SYMMETRIES  # of each solved deal that are dealt
    plain: float = 0.0  # IMPs that a call costs that does not mean what it says (``training.match.artificial_calls``)
    prices: Prices = field(default_factory=Prices)  # what a learner that bids by a book pays for straying from it


@dataclass(frozen=True, eq=False)
class Opponent:
    """Somebody in the pool: a network, or the spec of any bidder; ``share`` of the boards are against it."""

    name: str
    share: float
    player: Network | ByBook | str | None  # None passes


@dataclass(frozen=True, eq=False)
class Experience:
    """The experience of a rollout."""

    rows: Sparse  # the inputs that were on
    mask: NDArray[np.bool_]  # (N, 38), legal calls
    call: NDArray[np.int8]  # (N,), made
    log_chance: NDArray[np.float32]  # (N,), of it then
    advantage: NDArray[np.float32]  # (N,), in IMPs
    weight: NDArray[np.float32]  # (N,), decisions that each stands for
    part: NDArray[np.float32] | None  # (N, 38), what the learner's book added to its outputs; None without a book
    critic_rows: Sparse  # what the critic is to learn from: what everybody holds
    target: NDArray[np.float32]  # the reward that it is to learn
    critic_weight: NDArray[np.float32]
    figures: Mapping[str, float]


def together(parts: Sequence[Experience]) -> Experience:
    """The experience of several rollouts as that of one."""
    if len(parts) == 1:
        return parts[0]
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("mask", "call", "log_chance", "advantage", "weight", "target", "critic_weight")
    }
    own = [part.part for part in parts if part.part is not None]
    figures: dict[str, float] = {}
    for part in parts:
        for name, value in part.figures.items():
            figures[name] = figures.get(name, 0.0) + value
    return Experience(
        rows=stacked([part.rows for part in parts]), critic_rows=stacked([part.critic_rows for part in parts]),
        part=np.concatenate(own) if own else None, figures=figures, **arrays,
    )  # fmt: skip


@dataclass
class _Likeliest:
    """The learner's decisions in the likeliest auctions: where they stand, all calls' chances, and its book's part."""

    at: NDArray[np.int32]  # (R, _LONGEST): number of the decision, -1 where the learner does not call
    chances: list[NDArray[np.float32]] = field(default_factory=list)
    parts: list[NDArray[np.float32] | None] = field(default_factory=list)
    count: int = 0

    def all(self) -> NDArray[np.float32]:
        return np.concatenate(self.chances) if self.chances else np.empty((0, 38), np.float32)


@dataclass
class _Decisions:
    """Decisions in drawn auctions after they left the likeliest: row, how many calls before, call, its chance."""

    row: list[NDArray[np.int64]] = field(default_factory=list)
    length: list[NDArray[np.int64]] = field(default_factory=list)
    call: list[NDArray[np.int8]] = field(default_factory=list)
    chance: list[NDArray[np.float32]] = field(default_factory=list)
    parts: list[NDArray[np.float32] | None] = field(default_factory=list)
    entropy: float = 0.0

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows one behind the other."""
        return np.concatenate([*self.row, np.empty(0, np.int64)])


def draw_deals(key: NDArray[np.uint64], records: UInt8Array, images: int = NUM_SYMMETRIES) -> Deals:
    """One of the ``records`` (n, 23) for every stream, as any of its images, dealer and vulnerability at random."""
    owner, tricks = draw_symmetries(key, records, np.arange(len(records)), images)
    chance = streams.draws(streams.key(key, "dealer and vulnerability"), 2) & np.uint64(3)
    return Deals.of(owner, tricks, chance[:, 0].astype(np.int16), chance[:, 1].astype(np.int16))


def seating(boards: int, pool: Sequence[Opponent]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Who sits where: players int8 (N, 2) of NS and EW (0 the learner, k the k-th opponent), and the sides of the
    learner as bits int8 (N,). Every opponent has its share; the rest the learner plays against itself."""
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
def _branches(history, dealer, length, sides, at, chances, points, drawn, out):  # type: ignore[no-untyped-def]
    """Write to ``out`` where drawn auctions leave the likeliest: (board, side, calls before, call); return how many.

    The ways to draw an auction, by where it first leaves the likeliest and with which call, lie one behind the other
    on the line from 0 to 1; ``drawn`` points on it, as far apart, choose some of them.
    """
    n = 0
    for row in range(len(dealer)):
        for side in range(2):
            if not (sides[row] >> side) & 1:
                continue
            where, reach = 0.0, 1.0
            point, step = points[row, side] / drawn, 1.0 / drawn
            for t in range(min(length[row], at.shape[1])):
                if (dealer[row] + t) & 1 != side or at[row, t] < 0:
                    continue
                chance = chances[at[row, t]]
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
    learner: Network | ByBook,
    critic: Network,
    pool: Sequence[Opponent],
    config: RolloutConfig,
    seed: int,
    number: int,
    records: UInt8Array | None = None,
) -> Experience:
    """Rollout ``number`` of a run: a pure function of its arguments.

    Args:
        records: the deals, as ``stock`` gives them; None: the solved ones.
    """
    use_fastest()
    records, key = solved() if records is None else records, streams.key("league", seed, number)
    with threadpool_limits(1):
        return _rollout(learner, critic, pool, config, key, records)


def _rollout(
    learner: Network | ByBook,
    critic: Network,
    pool: Sequence[Opponent],
    config: RolloutConfig,
    key: NDArray[np.uint64],
    records: UInt8Array,
) -> Experience:
    boards, everyone = config.boards, np.arange(config.boards)
    keys = streams.key(key, everyone)
    deals = draw_deals(keys, records, config.images)
    players = [learner, *(make(p.player) if isinstance(p.player, str) else p.player for p in pool)]
    seated, sides = seating(boards, pool)
    doubled = streams.uniforms(streams.key(keys, "doubled"), 1)[:, 0] < config.doubled

    likeliest = _Likeliest(np.full((boards, _LONGEST), -1, np.int32))
    best = Auctions(deals.dealer, deals.vulnerability)

    def note_best(rows: Any, chances: Any, calls: Any, part: Any) -> None:
        length = best.length[rows].astype(np.int64)
        early = length < _LONGEST
        likeliest.at[rows[early], length[early]] = likeliest.count + np.flatnonzero(early)
        likeliest.chances.append(chances)
        likeliest.parts.append(part)
        likeliest.count += len(rows)

    nobody = np.full(boards, -1, np.int8)
    play_on(best, deals, everyone, players, seated, nobody, keys, note_best)
    best_points = deals.points(best, everyone, doubled & (sides != 3))

    chances = likeliest.all()
    points = streams.uniforms(streams.key(keys, "branches"), 2)
    out = np.empty((2 * boards * config.drawn, 4), np.int32)
    length = np.ascontiguousarray(best.length)
    found = _branches(best.history, deals.dealer, length, sides, likeliest.at, chances, points, config.drawn, out)
    board, side, left, other = (out[:found, i].astype(np.int64) for i in range(4))
    auctions = branched(best, board, left, other.astype(np.int8))
    later = _Decisions()

    def note_drawn(rows: Any, chances: Any, calls: Any, part: Any) -> None:
        drawn = np.flatnonzero(auctions.turn[rows] & 1 == side[rows])
        chance = chances[drawn]
        later.row.append(rows[drawn])
        later.length.append(auctions.length[rows[drawn]].astype(np.int64))
        later.call.append(calls[drawn])
        later.chance.append(chance[np.arange(len(drawn)), calls[drawn]])
        later.parts.append(None if part is None else part[drawn])
        later.entropy += float(-(chance * np.log(np.maximum(chance, 1e-9))).sum())

    drawn_keys = streams.key(keys[board], "drawn", np.arange(found))
    play_on(auctions, deals, board, players, seated[board], side.astype(np.int8), drawn_keys, note_drawn)
    drawn_points = deals.points(auctions, board, (doubled & (sides != 3))[board])
    reward = imps((1 - 2 * side) * (drawn_points - best_points[board])).astype(np.float32)
    if config.plain:
        more = count_artificial(auctions.history, auctions.dealer, deals.owner[board], side)
        more -= count_artificial(best.history[board], auctions.dealer, deals.owner[board], side)
        reward -= np.float32(config.plain) * more.astype(np.float32)
    strayed = None
    if isinstance(learner, ByBook):
        strayed = Strayed(learner, config.prices, joined(likeliest.parts), likeliest.at, joined(later.parts))
        made = np.concatenate([*later.call, np.empty(0, np.int8)])
        reward -= strayed.price(best, auctions, board, side, left, later.rows, made)
    return _experience(
        critic, deals, config, key, best, likeliest.at, chances, auctions, board, side, left, reward,
        best_points, later, strayed,
    )  # fmt: skip


def _experience(
    critic: Network, deals: Deals, config: RolloutConfig, key: NDArray[np.uint64],
    best: Auctions, at: NDArray[np.int32], chances: NDArray[np.float32], auctions: Auctions, board: NDArray[np.int64],
    side: NDArray[np.int64], left: NDArray[np.int64], reward: NDArray[np.float32], best_points: NDArray[np.int64],
    later: _Decisions, strayed: Strayed | None,
) -> Experience:  # fmt: skip
    """Advantages of all decisions, and the share of them that is learned from."""
    # Decisions up to where a drawn auction left the likeliest, that one included: there the likeliest call is worth 0.
    before = np.arange(_LONGEST)
    mine = (before <= left[:, None]) & (((deals.dealer[board][:, None] + before) & 1) == side[:, None])
    mine &= at[board] >= 0
    drawn, length = np.nonzero(mine)
    call = auctions.history[drawn, length]
    chance = chances[at[board[drawn], length], call]
    # Decisions after it: the critic says what was to be expected.
    rows = later.rows
    lengths = np.concatenate([*later.length, np.empty(0, np.int64)])
    seen = rewound(auctions, rows, lengths)
    looked = critic_rows(seen, deals, board[rows], best_points[board[rows]])
    expected = critic.outputs(*looked)[:, 0]

    everything = np.concatenate([drawn, rows])
    lengths_all = np.concatenate([length, lengths])
    calls = np.concatenate([call, *later.call]).astype(np.int8)
    chance_all = np.concatenate([chance, *later.chance]).astype(np.float32)
    advantage = np.concatenate([reward[drawn], reward[rows] - expected]).astype(np.float32)

    interest = (1 - chance_all) * (np.abs(advantage) + _LEAST)
    keep = np.clip(interest * _factor(interest, config.keep), _RAREST, 1.0)
    kept = np.flatnonzero(streams.uniforms(streams.key(key, "kept", np.arange(len(keep))), 1)[:, 0] < keep)
    states = rewound(auctions, everything[kept], lengths_all[kept])
    inputs, mask = look(states, deals, board[everything[kept]], np.arange(len(kept)))
    part = None
    if strayed is not None:
        part = np.concatenate([strayed.best[at[board[drawn], length]], strayed.later])[kept]
        inputs = strayed.inputs(states, deals, board[everything[kept]], inputs)
    weight = (1 / keep[kept]).astype(np.float32)
    taught = kept[kept >= len(drawn)] - len(drawn)
    target = reward[rows]
    spread = float(((target - target.mean()) ** 2).sum()) if len(rows) else 0.0
    figures = {
        "boards": float(len(deals)), "drawn": float(len(board)), "decisions": float(len(keep)),
        "kept": float(len(kept)), "reward": float(reward.sum()), "reward_squared": float((reward**2).sum()),
        "gains": float((reward > 0).sum()), "entropy": later.entropy, "later": float(len(rows)),
        "unexplained": float(((target - expected) ** 2).sum()), "spread": spread,
        "calls": float(best.length.sum() + (auctions.length - left[: len(auctions)] - 1).sum()),
    }  # fmt: skip
    return Experience(
        inputs, mask, calls[kept], np.log(np.maximum(chance_all[kept], 1e-9)), advantage[kept], weight, part,
        take_rows(looked, taught), target[taught], (1 / keep[taught + len(drawn)]).astype(np.float32), figures,
    )  # fmt: skip


def _factor(interest: NDArray[Any], share: float) -> float:
    """By what to multiply ``interest`` so that, capped at 1, it keeps ``share`` of the decisions on average."""
    low, high = 1e-6, 1e6
    if not len(interest):
        return low
    for _ in range(50):  # on a scale of powers
        middle = (low * high) ** 0.5
        low, high = (middle, high) if np.minimum(1.0, interest * middle).mean() < share else (low, middle)
    return high
