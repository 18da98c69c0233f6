"""Count and find the bits of a word, in one instruction each."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic as _intrinsic

intrinsic: Any = _intrinsic  # its own type forgets that the first argument is numba's


@intrinsic
def ones(typing: Any, x: Any) -> Any:
    """Return how many bits of a uint64 are set, int64."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


@intrinsic
def lowest(typing: Any, x: Any) -> Any:
    """Number of the lowest bit set of a uint64, int64; 64 if none is."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), code


@intrinsic
def highest(typing: Any, x: Any) -> Any:
    """Number of the highest bit set of a uint64, int64; -1 if none is."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, False))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.uint64), code
