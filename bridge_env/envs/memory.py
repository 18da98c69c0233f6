"""What numba lacks: arrays at an address, and words that threads pass to one another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic

from bridge_env.envs.chance import row_mix
from bridge_env.kernels import njit


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(typing: Any, address: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), code


@njit(forceinline=True)
def array_at(address, shape, dtype):  # type: ignore[no-untyped-def]
    """The array of that shape and type, C-contiguous, at ``address``. Whoever gives it keeps the memory alive.

    It is not counted, as arrays that Python hands over are, and lengths that are constants in ``shape`` stay so.
    """
    return carray(_pointer(address), shape, dtype)


@intrinsic  # type: ignore[untyped-decorator]
def load(typing: Any, words: Any, at: Any) -> Any:
    """``words[at]`` of int64 (N,), as another thread left it, with all that it wrote before ``store``."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "acquire", 8)

    return types.int64(words, types.intp), code


@intrinsic  # type: ignore[untyped-decorator]
def store(typing: Any, words: Any, at: Any, value: Any) -> Any:
    """``words[at] = value`` of int64 (N,), for ``load``; nothing written before it comes later."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        builder.store_atomic(arguments[2], builder.gep(data, [arguments[1]]), "release", 8)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), code


@njit(forceinline=True)
def load_changed(words, at, value, patience):  # type: ignore[no-untyped-def]
    """``load`` until it is not ``value``, ``patience`` times at most; returns what it was last.

    Between two loads it calculates in a chain, for some 20 ns: a core that two threads share is left to the other.
    """
    chain = np.uint64(at + 1)
    word = load(words, at)
    while word == value and patience > 0 and chain != 0:  # it never is, as row_mix is a bijection with 0 -> 0
        for _ in range(4):
            chain = row_mix(chain)
        patience -= 1
        word = load(words, at)
    return word
