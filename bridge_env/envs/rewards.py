"""Define the rewards of episodes: a difference in points, in IMPs or as it is; or a function of the caller's.

===============  =====================================================================  ======  ============
reward           the learner's side's score is compared with                            unit    worst result
===============  =====================================================================  ======  ============
``imps``         its score at the other table, where ``control`` bids both its seats    IMPs    -24
``imps_vs_par``  par for this dealer and vulnerability                                  IMPs    -24
``points``       nothing                                                                points  -7600
===============  =====================================================================  ======  ============
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.compiled.jit import njit
from bridge_env.rules.auction import Contracts
from bridge_env.rules.scoring import SCORE_TABLE, imps

CONTROL, PAR, NOTHING = "control", "par", "nothing"

_WORST_SCORE = -int(SCORE_TABLE.min())
# Scores are multiples of 10, so all differences of two of them fit a small table.
_UNIT = 10
_ZERO = 2 * _WORST_SCORE // _UNIT
_DIFFERENCES = np.arange(-_ZERO, _ZERO + 1) * _UNIT
STEPS = len(_DIFFERENCES)


@njit(forceinline=True)
def row_reward(side, score, reference, table):  # type: ignore[no-untyped-def]
    """Return the reward of ``side`` (0 NS, 1 EW) for a score and its reference, both in points for NS.

    ``table`` is that of a ``Reward``.
    """
    tens = (score - reference) // _UNIT
    return table[_ZERO - tens if side else _ZERO + tens]


@dataclass(frozen=True, eq=False)
class Reward:
    """A kind of reward."""

    reference: str  # the score to compare with: ``control``, ``par`` or ``nothing``
    worst: float  # the size of the worst result, in the reward's unit; the default cost of an illegal call
    table: NDArray[np.float64]  # (STEPS,), rewards of all differences in tens of points, worst first: ``row_reward``


_IMPS = imps(_DIFFERENCES).astype(np.float64)
_POINTS = _DIFFERENCES.astype(np.float64)

REWARDS = {
    "imps": Reward(CONTROL, 24.0, _IMPS),
    "imps_vs_par": Reward(PAR, 24.0, _IMPS),
    "points": Reward(NOTHING, float(_WORST_SCORE), _POINTS),
}
"""By the env's argument ``reward``."""


# --- a function of the caller's, of all auctions that end at a step together -------------------------------

RewardFunction = Callable[..., ArrayLike]
_REFERENCES = {"par": PAR, "control_score": CONTROL}
PARAMETERS = ("contract", "tricks", "score", "par", "control_score", "side")


@dataclass(frozen=True, eq=False)
class CustomReward(Reward):
    """A reward that a function computes; the names of the function's parameters choose its arguments."""

    name: str  # for messages
    function: RewardFunction  # takes ``parameters`` and returns a number for each auction
    parameters: tuple[str, ...]  # some of ``PARAMETERS``

    def compute(
        self, contract: Contracts, tricks: NDArray[np.int64], score: NDArray[np.int64], reference: NDArray[np.int64],
        side: int,
    ) -> NDArray[np.float64]:  # fmt: skip
        """Return the rewards, float64 (N,), of N finished auctions, in the order of the arguments' rows.

        Args:
            score, reference: points for ``side``, 0 NS or 1 EW.

        Raises:
            ValueError: the function does not return one finite number for each auction.
        """
        arguments = {
            "contract": contract, "tricks": tricks, "score": score, "par": reference, "control_score": reference,
            "side": side,
        }  # fmt: skip
        returned = self.function(**{name: arguments[name] for name in self.parameters})
        rewards, count = np.asarray(returned, np.float64), len(score)
        if rewards.shape != (count,):
            raise ValueError(
                f"{self.name} returned the shape {rewards.shape} for {count} finished auctions; "
                f"it must return one number for each, ({count},)"
            )
        if not np.isfinite(rewards).all():
            raise ValueError(f"{self.name} returned {rewards}; rewards are finite numbers")
        return rewards


def custom_reward(function: RewardFunction) -> CustomReward:
    """Make the reward of a function from the names of its parameters.

    Raises:
        ValueError: a parameter has another name than ``PARAMETERS``, or two are scores to compare with.
    """
    name = f"the reward {getattr(function, '__qualname__', type(function).__name__)}()"
    parameters = tuple(inspect.signature(function).parameters)
    unknown = [parameter for parameter in parameters if parameter not in PARAMETERS]
    if unknown or not parameters:
        problem = f"has the parameter {unknown[0]!r}" if unknown else "has none of the parameters"
        raise ValueError(f"{name} {problem}; its parameters are some of {', '.join(PARAMETERS)}")
    references = [_REFERENCES[name] for name in parameters if name in _REFERENCES]
    if len(references) > 1:
        raise ValueError(f"{name} takes par and control_score; an env computes one of them")
    reference = references[0] if references else NOTHING
    return CustomReward(reference, np.nan, _POINTS, name, function, parameters)
