"""What an episode pays: a difference in points, in IMPs or as it is; or what a function of the caller's makes of it.

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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.auction import Contracts
from bridge_env.kernels import njit
from bridge_env.scoring import SCORE_TABLE, imps

CONTROL, PAR, NOTHING = "control", "par", "nothing"

_WORST_SCORE = -int(SCORE_TABLE.min())
# Scores are multiples of 10, so all differences of two of them fit a small table.
_UNIT = 10
_ZERO = 2 * _WORST_SCORE // _UNIT
_DIFFERENCES = np.arange(-_ZERO, _ZERO + 1) * _UNIT
STEPS = len(_DIFFERENCES)


@njit(forceinline=True)
def row_reward(side, score, reference, table):  # type: ignore[no-untyped-def]
    """What ``side`` (0 NS, 1 EW) is paid for a score and what it is compared with, both in points for NS.

    ``table`` is that of a ``Reward``.
    """
    tens = (score - reference) // _UNIT
    return table[_ZERO - tens if side else _ZERO + tens]


@dataclass(frozen=True, eq=False)
class Reward:
    """One kind of reward."""

    name: str  # as in the env's argument ``reward``
    reference: str  # what the score is compared with: ``control``, ``par`` or ``nothing``
    worst: float  # the size of the worst result, in the reward's unit; what an illegal call costs by default
    # (STEPS,), the rewards of all differences in tens of points, worst first: see ``row_reward``
    table: NDArray[np.float64]

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name,)  # there is one of each name


_IMPS = imps(_DIFFERENCES).astype(np.float64)
_POINTS = _DIFFERENCES.astype(np.float64)
_IMPS.flags.writeable = _POINTS.flags.writeable = False

REWARDS = {
    reward.name: reward
    for reward in (
        Reward("imps", CONTROL, 24.0, _IMPS),
        Reward("imps_vs_par", PAR, 24.0, _IMPS),
        Reward("points", NOTHING, float(_WORST_SCORE), _POINTS),
    )
}


def _named(name: str) -> Reward:
    return REWARDS[name]


# --- a function of the caller's, of all auctions that end at a step together -------------------------------

RewardFunction = Callable[..., ArrayLike]
_COMPARED = {"par": PAR, "control_score": CONTROL}
TOLD = ("contract", "tricks", "score", "par", "control_score", "side")


@dataclass(frozen=True, eq=False)
class OwnReward(Reward):
    """A reward that a function works out; what it is compared with is what the function's parameters ask for."""

    function: RewardFunction  # takes the parameters ``asks`` and returns a number for each auction
    asks: tuple[str, ...]  # some of ``TOLD``

    def __reduce__(self) -> tuple[Any, ...]:
        return own_reward, (self.function,)

    def of(
        self, contract: Contracts, tricks: NDArray[np.int64], score: NDArray[np.int64], reference: NDArray[np.int64],
        side: int,
    ) -> NDArray[np.float64]:  # fmt: skip
        """The rewards, float64 (N,), of N finished auctions, in the order of the arguments' rows.

        Args:
            score, reference: points for ``side``, 0 NS or 1 EW.

        Raises:
            ValueError: the function's answer is not one finite number for each auction.
        """
        told = {
            "contract": contract, "tricks": tricks, "score": score, "par": reference, "control_score": reference,
            "side": side,
        }  # fmt: skip
        answer = self.function(**{name: told[name] for name in self.asks})
        count = len(score)
        try:
            paid = np.asarray(answer, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.name} gave no array of numbers: {error}") from error
        if paid.shape != (count,):
            raise ValueError(
                f"{self.name} gave the shape {paid.shape} for {count} finished auctions; "
                f"it must return one number for each, ({count},)"
            )
        wrong = np.flatnonzero(~np.isfinite(paid))
        if wrong.size:
            at = int(wrong[0])
            raise ValueError(
                f"{self.name} gave {paid[at]} for {contract.at(at)}, tricks {tricks[at]}, "
                f"score {score[at]}; rewards are finite numbers"
            )
        return paid


def own_reward(function: RewardFunction) -> OwnReward:
    """Read off a function's parameters what it asks for.

    Raises:
        ValueError: it asks for something that there is not, or for two scores to compare with.
    """
    name = f"the reward {getattr(function, '__qualname__', type(function).__name__)}()"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ValueError(f"{name} does not tell its parameters; wrap it: lambda score: ...") from None
    asks = tuple(p.name for p in parameters if p.name in TOLD and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    unknown = [p.name for p in parameters if p.name not in asks and p.default is p.empty]
    if unknown or not asks:
        asked = f"asks for {unknown[0]!r}" if unknown else "asks for nothing"
        raise ValueError(f"{name} {asked}; its parameters are some of {', '.join(TOLD)}")
    compared = [_COMPARED[asked] for asked in asks if asked in _COMPARED]
    if len(compared) > 1:
        raise ValueError(f"{name} asks for par and for control_score; an env works out one of them")
    return OwnReward(name, compared[0] if compared else NOTHING, np.nan, REWARDS["points"].table, function, asks)
