"""Check the arguments of the envs, and actions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypedDict, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.bidders import registry
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import DEFAULT_BIDDER
from bridge_env.bidders.view import BidView
from bridge_env.envs import deals as deal_sources
from bridge_env.envs.compiled.arrays import BID, DECLARER, DOUBLED, REFERENCE, SCORE, TRICKS
from bridge_env.envs.deals import DealSource
from bridge_env.envs.observations import Observations, observations_of
from bridge_env.envs.rewards import CONTROL, PAR, REWARDS, Reward, RewardFunction, custom_reward
from bridge_env.rules.calls import NUM_CALLS
from bridge_env.rules.cards import SEATS, parse_seat, parse_vulnerability

ALL_SEATS = "all"
Learner = Literal["N", "E", "S", "W", "NS", "EW", "all"]
RewardName = Literal["imps", "imps_vs_par", "points"]
Order = Literal["next", "spread", "shuffle"]
Illegal = Literal["end", "raise"]
Spec = str | Bidder
Seat = Bidder | tuple[Bidder, ...] | None
"""Who bids at a seat: a bidder, one of a pool by the episode, or None, the caller."""


class EnvSetting(TypedDict, total=False):
    """The arguments that all envs take; ``BiddingEnv`` documents them."""

    learner: Learner
    partner: Spec
    opponents: Spec | Sequence[Spec]
    control: Spec
    deals: object
    order: Order
    dealer: str | int | None
    vulnerability: str | int | None
    reward: RewardName | RewardFunction | None
    illegal: Illegal
    illegal_penalty: float | None
    observation: str | Callable[[BidView], NDArray[Any]]
    masked: bool
    dtype: Literal["int8", "float32"]
    text: bool


@dataclass(frozen=True)
class EnvConfig:
    """The configuration of an env. Copies of an env share it, bidders and deals too."""

    learner_name: Learner
    learner: tuple[int, ...]  # the seats that the caller bids: one, both of a partnership, or all four
    table: tuple[Seat, ...]  # the bidders of N, E, S, W at the learner's table
    # the same at the control pair's table; None where the reward does not compare with it
    other_table: tuple[Seat, ...] | None
    specs: bool  # whether all bidders there came from specs; an object may be a network that learns
    deals: DealSource
    order: Order  # in which a source in order is played
    dealer: int | None  # seat 0..3; None = the board's, else at random
    vulnerability: int | None  # code 0..3; None = the board's, else at random
    reward: Reward
    illegal: Illegal  # ``"end"`` or ``"raise"``
    penalty: float  # the cost of an illegal call, 0 or more, in the reward's unit
    observations: Observations
    text: bool  # whether ``info`` holds text too

    def __deepcopy__(self, memo: dict[int, Any]) -> EnvConfig:
        return self

    @property
    def side(self) -> int:
        """Return the learner's side: 0 NS, 1 EW; 0 where the learner bids all seats."""
        return self.learner[0] & 1

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """Return the numbers of an outcome in ``info``: by name, rows of ``StepOutput.outcome``."""
        compared = {PAR: {"par": REFERENCE}, CONTROL: {"control_score": REFERENCE}}.get(self.reward.reference, {})
        return {"score": SCORE} | compared | {"bid": BID, "doubling": DOUBLED, "declarer": DECLARER, "tricks": TRICKS}

    @property
    def four_seats(self) -> bool:
        """Whether the caller bids all four seats."""
        return len(self.learner) == 4

    @property
    def estimated(self) -> bool:
        """Whether the tricks of the boards are estimates."""
        return bool(getattr(self.deals, "estimated", False))

    @classmethod
    def of(
        cls,
        *,
        learner: Learner = "S",
        partner: Spec = DEFAULT_BIDDER,
        opponents: Spec | Sequence[Spec] = DEFAULT_BIDDER,
        control: Spec = DEFAULT_BIDDER,
        deals: object = "training",
        order: Order = "next",
        dealer: str | int | None = None,
        vulnerability: str | int | None = None,
        reward: RewardName | RewardFunction | None = None,
        illegal: Illegal = "end",
        illegal_penalty: float | None = None,
        observation: str | Callable[[BidView], NDArray[Any]] = "bits",
        masked: bool = False,
        dtype: Literal["int8", "float32"] = "int8",
        text: bool = False,
    ) -> EnvConfig:
        """Check the arguments of ``BiddingEnv``, which documents them.

        Raises:
            ValueError: one is wrong; the message names it and lists the choices. (So are ``SpecError``, for a
                bidder's spec, and ``DealError``, for an array that holds no deals.)
            FileNotFoundError: ``deals`` is a path without a file.
        """
        _choice("learner", learner, get_args(Learner))
        seats = tuple(range(4)) if learner == ALL_SEATS else tuple(SEATS.index(seat) for seat in learner)
        if reward is None:
            reward = "imps_vs_par" if learner == ALL_SEATS else "imps"
        kind = custom_reward(reward) if callable(reward) else REWARDS[_choice("reward", reward, REWARDS)]
        if learner == ALL_SEATS and kind.reference == CONTROL:
            name = reward if isinstance(reward, str) else "control_score"
            raise ValueError(f"reward={name!r} does not work with learner='all'; use imps_vs_par or points")
        _choice("illegal", illegal, get_args(Illegal))
        penalty = kind.worst if illegal_penalty is None else float(illegal_penalty)
        if illegal_penalty is None and math.isnan(penalty):
            if illegal == "end":
                raise ValueError("reward is a function: say what an illegal call costs, such as illegal_penalty=24")
            penalty = 0.0
        if not (math.isfinite(penalty) and penalty >= 0):
            raise ValueError(f"illegal_penalty={illegal_penalty!r}: it is a cost and must be 0 or more")
        rival = control if kind.reference == CONTROL else None
        table, other_table, specs = _bidders(seats, partner, opponents, rival)
        source = deal_sources.resolve(deals)
        if _choice("order", order, get_args(Order)) == "shuffle" and not isinstance(source, Sized):
            raise ValueError("order='shuffle' is for deals of your own; the other deals come by chance anyway")
        return cls(
            learner_name=learner,
            learner=seats,
            table=table,
            other_table=other_table,
            specs=specs,
            deals=source,
            order=order,
            dealer=None if dealer is None else parse_seat(dealer),
            vulnerability=None if vulnerability is None else parse_vulnerability(vulnerability),
            reward=kind,
            illegal=illegal,
            penalty=penalty,
            observations=observations_of(observation, masked, dtype),
            text=text,
        )


def _choice(name: str, value: object, choices: Iterable[str]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name}={value!r}: use one of {', '.join(choices)}")


def _bidders(
    learner: tuple[int, ...], partner: Spec, opponents: Spec | Sequence[Spec], control: Spec | None
) -> tuple[tuple[Seat, ...], tuple[Seat, ...] | None, bool]:
    """Make the bidders of the seats at the two tables; return also whether all of them came from specs.

    Bidders get the specs of the systems that they meet. A learner has none: its partner gets the opponents' spec
    alone, and the opponents get the partner's. The opponents are the same bidder at both tables, so that a learner
    that calls as the control pair would makes the same auction, and 0 IMPs.
    """
    if len(learner) == 4:
        return (None,) * 4, None, True
    side = learner[0] & 1
    alone = len(learner) == 1
    one = isinstance(opponents, str) or not isinstance(opponents, Sequence)
    pool = [cast(Spec, opponents)] if one else list(cast(Sequence[Spec], opponents))
    if not pool:
        raise ValueError("opponents=[] is empty; it names one bidder, or some of which each episode has one")
    met = _spec(pool[0]) if len(pool) == 1 else None
    made = tuple(registry.make(o, partner=_spec(o), opponents=_spec(partner) if alone else None) for o in pool)
    theirs: Seat = made[0] if one else made
    ours = registry.make(partner, opponents=met) if alone else None
    table: tuple[Seat, ...] = tuple(
        theirs if seat & 1 != side else None if seat in learner else ours for seat in range(4)
    )
    if control is None:
        return table, None, True
    pair = registry.make(control, partner=_spec(control), opponents=met)
    specs = all(isinstance(bidder, str) for bidder in (*pool, control))
    return table, tuple(pair if seat & 1 == side else theirs for seat in range(4)), specs


def _spec(bidder: Spec) -> str | None:
    return bidder if isinstance(bidder, str) else None


def not_a_call(action: object, where: str = "") -> ValueError:
    """Return the error for an ``action`` that is no call; ``where`` is empty or as ``" at table 3"``."""
    value = action.item() if isinstance(action, np.generic) else action
    return ValueError(
        f"{value!r}{where} is not a call; actions go from 0 (Pass) to {NUM_CALLS - 1} (7NT), and are whole numbers"
    )


def one_call(action: Any) -> int:
    """Return the action of one table as a call 0..37, which need not be legal.

    Raises:
        ValueError: it is no call: another number, or something other than a whole number.
    """
    try:
        call = -1 if isinstance(action, bool) else operator.index(action)
    except TypeError:
        call = -1
    if not 0 <= call < NUM_CALLS:
        raise not_a_call(action)
    return call


def many_calls(actions: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return the actions of ``count`` tables as int64 (count,). The kernels check the range.

    Raises:
        ValueError: there is not one for each table, or they are something other than whole numbers.
    """
    calls = np.asarray(actions)
    if calls.shape != (count,):
        raise ValueError(f"actions are one call for each table, ({count},); these are {calls.shape}")
    if calls.dtype.kind not in "iu":
        raise ValueError(f"actions are whole numbers, 0 (Pass) to {NUM_CALLS - 1} (7NT); these are {calls.dtype}")
    return np.ascontiguousarray(calls, np.int64)
