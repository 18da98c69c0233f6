"""What a caller may hand to ``step``: whole numbers that are calls. Both envs refuse all else, in the same words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.calls import NUM_CALLS

_INT64 = np.dtype(np.int64)


def no_call(action: object, where: str = "") -> ValueError:
    """The error that says that ``action`` is not a call; ``where`` is empty or as ``" at table 3"``."""
    told = action.item() if isinstance(action, np.generic) else action
    return ValueError(
        f"{told!r}{where} is not a call; actions go from 0 (Pass) to {NUM_CALLS - 1} (7NT), and are whole numbers"
    )


def _in_range(number: int) -> bool:
    return 0 <= number < NUM_CALLS


def one_call(action: Any) -> int:
    """The action of one table as a call 0..37, which need not be legal.

    Raises:
        ValueError: it is no call: another number, or something other than a whole number.
    """
    if type(action) is not int:
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action[()]
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise no_call(action)
    if not _in_range(action):
        raise no_call(action)
    return int(action)


def many_calls(actions: ArrayLike, count: int) -> NDArray[np.int64]:
    """The actions of ``count`` tables as int64 (count,). Numbers that are no calls are left for the kernels to find.

    Raises:
        ValueError: there is not one for each table, or they are something other than whole numbers.
    """
    if type(actions) is np.ndarray and actions.dtype is _INT64 and actions.shape == (count,):
        return actions if actions.flags.c_contiguous else actions.copy()  # nearly always
    try:
        calls = np.asarray(actions)
    except ValueError:  # lists of several lengths
        calls = np.empty(0, object)
    if calls.shape != (count,):
        raise ValueError(f"actions are one call for each table, ({count},); these are {calls.shape}")
    if calls.dtype.kind not in "iu":
        told = calls.tolist()
        for row, action in enumerate(told):
            if isinstance(action, bool) or not isinstance(action, int | np.integer) or not _in_range(int(action)):
                raise no_call(action, f" at table {row}")
        calls = np.array(told, np.int64)  # whole numbers in an array of objects
    return np.ascontiguousarray(calls, np.int64)
