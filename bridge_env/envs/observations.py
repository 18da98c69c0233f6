"""Observations of the envs: the 480 bits, the hand alone, or a function of the view; with the mask on request.

===================  ===============================================================================================
``observation=``     an observation
===================  ===============================================================================================
``"bits"``           the 480 bits of ``bridge_env.bidders.observation``
``"hand"``           the cards alone, (52,), by suit as in ``BidView.hand``
``"shown:SYSTEM"``   the 480 bits, then what the seats have shown by the calls if they bid by a system: (480 + 48,),
                     me, left, partner, right; strength, cards of C D H S, aces; the least and the most of each
a function           from a ``BidView`` of N seats to an array with N rows, of a shape and dtype that stay the same
===================  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bridge_env.bidders import registry
from bridge_env.bidders.observation import OBSERVATION_SIZE, observe
from bridge_env.bidders.view import BidView, view_of
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import NUM_CALLS

BITS, HAND, SHOWN = "bits", "hand", "shown:"
_TYPES = {"int8": np.int8, "float32": np.float32}

ViewFunction = Callable[[BidView], NDArray[Any]]
_SAMPLE = np.tile(np.arange(52) % 4, (2, 1)).astype(np.uint8)  # two deals, to see what a function returns
MASKS = spaces.Box(0, 1, (NUM_CALLS,), np.int8)


@dataclass(frozen=True)
class Observations:
    """The observations of an env.

    Attributes:
        function: from views to observations; None for the 480 bits, which kernels write.
        space: of one observation, a Box; with ``masked`` a Dict of ``observation`` and ``action_mask``.
        masked: whether the legal calls are part of an observation.
        dtype: float32 to convert them; None as they are.
    """

    function: ViewFunction | None
    space: spaces.Space[Any]
    masked: bool
    dtype: type[np.float32] | None

    @property
    def plain(self) -> bool:
        """Whether they are the 480 bits as kernels write them."""
        return self.function is None and self.dtype is None and not self.masked

    def of(
        self, bits: NDArray[np.int8], mask: NDArray[np.int8], view: Callable[[], BidView]
    ) -> NDArray[Any] | dict[str, NDArray[Any]]:
        """Return observations with N rows of bits int8 (N, 480), legal calls int8 (N, 38) and what returns the view."""
        seen = bits if self.function is None else np.asarray(self.function(view()))
        if self.dtype is not None:
            seen, mask = seen.astype(self.dtype), mask.astype(self.dtype)
        return {"observation": seen, "action_mask": mask} if self.masked else seen

    def first(
        self, bits: NDArray[np.int8], mask: NDArray[np.int8], view: Callable[[], BidView]
    ) -> NDArray[Any] | dict[str, NDArray[Any]]:
        """Return the observation of the first row, as ``of``."""
        seen = self.of(bits, mask, view)
        return {name: array[0] for name, array in seen.items()} if isinstance(seen, dict) else seen[0]


def observations_of(observation: str | ViewFunction, masked: bool, dtype: str) -> Observations:
    """Return the observations that the envs' arguments name; see the top of this module.

    Raises:
        ValueError: there are none such, or a function that returns no row for each seat; the message says what to do.
    """
    if dtype not in _TYPES:
        raise ValueError(f"dtype={dtype!r}: use one of {', '.join(_TYPES)}")
    floats = np.float32 if dtype == "float32" else None
    function = observation if callable(observation) else _function(observation)
    plain: spaces.Space[Any]
    if function is None:
        plain = spaces.Box(0, 1, (OBSERVATION_SIZE,), floats or np.int8)
    else:
        plain = _space(np.asarray(function(view_of(Auctions(np.zeros(2, np.int8), 0), _SAMPLE))), floats)
    space: spaces.Space[Any] = plain
    if masked:
        legal = MASKS if floats is None else spaces.Box(0, 1, (NUM_CALLS,), floats)
        space = spaces.Dict(observation=plain, action_mask=legal)
    return Observations(function, space, masked, floats)


def _space(sample: NDArray[Any], floats: type[np.float32] | None) -> spaces.Box:
    if sample.ndim < 1 or len(sample) != 2:
        raise ValueError(f"observation returned the shape {sample.shape} for 2 seats; it must return a row for each")
    shape, kind = sample.shape[1:], sample.dtype.kind
    if kind == "b":
        raise ValueError("observation returned bool, which the spaces of Gymnasium do not hold; return int8")
    dtype = floats or sample.dtype.type
    if kind == "f":
        return spaces.Box(-np.inf, np.inf, shape, dtype)
    limits = np.iinfo(sample.dtype)
    return spaces.Box(limits.min, limits.max, shape, dtype)


def _hand(view: BidView) -> NDArray[np.int8]:
    return view.hand.astype(np.int8)


class _Shown:
    """Computes the observations ``"shown:SYSTEM"``."""

    def __init__(self, spec: str) -> None:
        self._bidder: Any = registry.make(spec)
        if not hasattr(self._bidder, "meaning"):
            raise ValueError(f"observation='{SHOWN}{spec}': only calls of a system show ranges, such as {SHOWN}sayc")

    def __call__(self, view: BidView) -> NDArray[np.int8]:
        shown = self._bidder.meaning(view)
        around = (view.seat[:, None] + np.arange(4)) & 3
        turned = np.take_along_axis(shown, around[:, :, None, None], axis=1).reshape(len(view), -1)
        return np.concatenate([observe(view), turned.astype(np.int8)], axis=1)


def _function(name: str) -> ViewFunction | None:
    """Return the function of a name; None for the bits."""
    if name == BITS:
        return None
    if name == HAND:
        return _hand
    if isinstance(name, str) and name.startswith(SHOWN):
        return _Shown(name.removeprefix(SHOWN))
    raise ValueError(f"observation={name!r}: use {BITS}, {HAND}, {SHOWN}SYSTEM or a function of the view")
