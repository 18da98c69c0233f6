"""Pay by a function of one's own, of all auctions that end at a step together."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.auction import Contracts
from bridge_env.envs.rewards import CONTROL, NOTHING, PAR, REWARDS, Reward

RewardFunction = Callable[..., ArrayLike]
_COMPARED = {"par": PAR, "control_score": CONTROL}
TOLD = ("contract", "tricks", "score", "par", "control_score", "side")


@dataclass(frozen=True, eq=False)
class OwnReward(Reward):
    """A reward that a function works out; what it is compared with is what the function's parameters ask for.

    Attributes:
        function: takes the parameters ``asks`` and returns a number for each auction.
        asks: some of ``TOLD``.
    """

    function: RewardFunction
    asks: tuple[str, ...]

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
