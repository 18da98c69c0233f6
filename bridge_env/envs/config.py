"""Check the arguments of the envs, and actions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.bidders import registry
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import DEFAULT_BIDDER
from bridge_env.envs import deals as deal_sources
from bridge_env.envs.deals import DealSource
from bridge_env.envs.rewards import CONTROL, REWARDS, Reward, RewardFunction, custom_reward
from bridge_env.rules.calls import NUM_CALLS
from bridge_env.rules.cards import SEATS, parse_seat, parse_vulnerability

ALL_SEATS = "all"
LEARNERS = ("N", "E", "S", "W", "NS", "EW", ALL_SEATS)
ILLEGAL = ("end", "raise")


@dataclass(frozen=True)
class EnvConfig:
    """The configuration of an env."""

    learner: tuple[int, ...]  # the seats that the caller bids: one, both of a partnership, or all four
    table: tuple[Bidder | None, ...]  # the bidders of N, E, S, W at the learner's table; None is the caller
    # the same at the control pair's table; None where the reward does not compare with it
    other_table: tuple[Bidder, ...] | None
    deals: DealSource
    dealer: int | None  # seat 0..3; None = the board's, else at random
    vulnerability: int | None  # code 0..3; None = the board's, else at random
    reward: Reward
    illegal: str  # ``"end"`` or ``"raise"``
    penalty: float  # the cost of an illegal call, 0 or more, in the reward's unit

    @property
    def side(self) -> int:
        """Return the learner's side: 0 NS, 1 EW; 0 where the learner bids all seats."""
        return self.learner[0] & 1

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
        learner: str = "S",
        partner: str | Bidder = DEFAULT_BIDDER,
        opponents: str | Bidder = DEFAULT_BIDDER,
        control: str | Bidder = DEFAULT_BIDDER,
        deals: object = "training",
        dealer: str | int | None = None,
        vulnerability: str | int | None = None,
        reward: str | RewardFunction | None = None,
        illegal: str = "end",
        illegal_penalty: float | None = None,
    ) -> EnvConfig:
        """Check the arguments of ``BiddingEnv``, which documents them.

        Raises:
            ValueError: one is wrong; the message names it and lists the choices. (So are ``SpecError``, for a
                bidder's spec, and ``DealError``, for an array that holds no deals.)
            FileNotFoundError: ``deals`` is a path without a file.
        """
        seats = _seats(learner)
        if reward is None:
            reward = "imps_vs_par" if learner == ALL_SEATS else "imps"
        kind = custom_reward(reward) if callable(reward) else REWARDS[_choice("reward", reward, REWARDS)]
        if learner == ALL_SEATS and kind.reference == CONTROL:
            name = reward if isinstance(reward, str) else "control_score"
            raise ValueError(f"reward={name!r} does not work with learner='all'; use imps_vs_par or points")
        _choice("illegal", illegal, ILLEGAL)
        penalty = kind.worst if illegal_penalty is None else float(illegal_penalty)
        if illegal_penalty is None and math.isnan(penalty):
            if illegal == "end":
                raise ValueError("reward is a function: say what an illegal call costs, such as illegal_penalty=24")
            penalty = 0.0
        if not (math.isfinite(penalty) and penalty >= 0):
            raise ValueError(f"illegal_penalty={illegal_penalty!r}: it is a cost and must be 0 or more")
        rival = control if kind.reference == CONTROL else None
        table, other_table = _bidders(seats, partner, opponents, rival)
        return cls(
            learner=seats,
            table=table,
            other_table=other_table,
            deals=deal_sources.resolve(deals),
            dealer=None if dealer is None else parse_seat(dealer),
            vulnerability=None if vulnerability is None else parse_vulnerability(vulnerability),
            reward=kind,
            illegal=illegal,
            penalty=penalty,
        )


def _choice(name: str, value: object, choices: Iterable[str]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name}={value!r}: use one of {', '.join(choices)}")


def _seats(learner: str) -> tuple[int, ...]:
    _choice("learner", learner, LEARNERS)
    return tuple(range(4)) if learner == ALL_SEATS else tuple(SEATS.index(seat) for seat in learner)


def _bidders(
    learner: tuple[int, ...], partner: str | Bidder, opponents: str | Bidder, control: str | Bidder | None
) -> tuple[tuple[Bidder | None, ...], tuple[Bidder, ...] | None]:
    """Make the bidders of the seats at the two tables.

    Bidders get the specs of the systems that they meet. A learner has none: its partner gets the opponents' spec
    alone, and the opponents get the partner's. The opponents are the same bidder at both tables, so that a learner
    that calls as the control pair would makes the same auction, and 0 IMPs.
    """
    if len(learner) == 4:
        return (None,) * 4, None
    side = learner[0] & 1
    alone = len(learner) == 1
    theirs = registry.make(opponents, partner=_spec(opponents), opponents=_spec(partner) if alone else None)
    ours = registry.make(partner, opponents=_spec(opponents)) if alone else None
    table = tuple(theirs if seat & 1 != side else None if seat in learner else ours for seat in range(4))
    if control is None:
        return table, None
    pair = registry.make(control, partner=_spec(control), opponents=_spec(opponents))
    return table, tuple(pair if seat & 1 == side else theirs for seat in range(4))


def _spec(bidder: str | Bidder) -> str | None:
    return bidder if isinstance(bidder, str) else None


# --- actions: whole numbers that are calls -----------------------------------------------------------------


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
    call = np.asarray(action)
    if call.shape != () or call.dtype.kind not in "iu" or not 0 <= call < NUM_CALLS:
        raise not_a_call(action)
    return int(call)


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
