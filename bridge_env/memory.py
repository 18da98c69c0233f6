"""Add what numba lacks.

Bits counted and found in one instruction each, arrays at an address, copies that compile at once, atomic words that
threads share, many words compared at once, and memory that is asked for early. Beside each stands the same in Python.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as _intrinsic
from numba.np import arrayobj as _arrayobj
from numpy.typing import NDArray

from bridge_env import kernels
from bridge_env.kernels import njit

arrayobj: Any = _arrayobj
unpack: Any = cgutils.unpack_tuple

AT_ONCE = 16  # words that ``agreeing`` compares
_ALL = (1 << 64) - 1


def intrinsic(plain: Callable[..., Any]) -> Callable[[Any], Any]:
    """numba's ``intrinsic`` of a function that writes code; ``plain`` in its place where kernels are interpreted."""
    return lambda code: plain if kernels.interpreted else _intrinsic(code)


def _array_at(address: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    size = math.prod(map(int, shape)) * np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, (ctypes.c_char * size).from_address(int(address)))


def _add(words: NDArray[np.int64], at: int, value: int) -> int:
    before = int(words[at])
    words[at] += value
    return before


def _agreeing(words: NDArray[np.int64], start: int, word: int) -> int:
    there = words[start : start + AT_ONCE]
    differ = (there ^ word) & (there >> 32) & 0xFFFFFFFF
    return int((differ == 0) @ (1 << np.arange(AT_ONCE)))


@intrinsic(lambda x: (int(x) & _ALL).bit_count())
def ones(typing: Any, x: Any) -> Any:
    """Return how many bits of a uint64 are set, int64."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


@intrinsic(lambda x: (int(x) & -int(x)).bit_length() - 1 if x else 64)
def lowest(typing: Any, x: Any) -> Any:
    """Number of the lowest bit set of a uint64, int64; 64 if none is."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), code


@intrinsic(lambda x: (int(x) & _ALL).bit_length() - 1)
def highest(typing: Any, x: Any) -> Any:
    """Number of the highest bit set of a uint64, int64; -1 if none is."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, False))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.uint64), code


@intrinsic(_array_at)
def array_at(typing: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """Return the C-contiguous array of this shape and type at ``address``. The caller keeps the memory alive.

    It is not counted, as arrays that Python hands over are, and lengths that are constants in ``shape`` stay so.
    numba's ``carray`` does the same, but compiles two functions for every shape and type: a tenth of a second each.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = zip(unpack(builder, arguments[1]), signature.args[1], strict=True)
        lengths = [context.cast(builder, value, kind, types.intp) for value, kind in values]
        item = cgutils.intp_t(arrayobj.get_itemsize(context, signature.return_type))
        strides = [item]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        array = arrayobj.make_array(signature.return_type)(context, builder)
        data = builder.inttoptr(arguments[0], array.data.type)
        arrayobj.populate_array(array, data=data, shape=lengths, strides=strides, itemsize=item, meminfo=None)
        return array._getvalue()

    return types.Array(dtype.dtype, len(shape), "C")(address, shape, dtype), code


@njit(forceinline=True)
def copy(source, target):  # type: ignore[no-untyped-def]
    """Write ``target[:] = source``, of the same shape, neither strided nor lying over the other.

    numba takes two to four seconds to compile that statement, for every type and again where it is inlined.

    Raises:
        ValueError: they have different sizes.
    """
    if source.size != target.size:
        raise ValueError("an array is copied into one of another size")
    one, other = source.reshape(source.size), target.reshape(target.size)
    for k in range(len(one)):
        other[k] = one[k]


@intrinsic(lambda words, at: words[at])
def load(typing: Any, words: Any, at: Any) -> Any:
    """``words[at]`` of int64 (N,), as another thread left it, with all that it wrote before ``store``."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "acquire", 8)

    return types.int64(words, types.intp), code


@intrinsic(lambda words, at, value: words.__setitem__(at, value))
def store(typing: Any, words: Any, at: Any, value: Any) -> Any:
    """``words[at] = value`` of int64 (N,), for ``load``; nothing written before it comes later."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        builder.store_atomic(arguments[2], builder.gep(data, [arguments[1]]), "release", 8)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), code


@intrinsic(_add)
def add(typing: Any, words: Any, at: Any, value: Any) -> Any:
    """``words[at] += value`` of int64 (N,) in one piece; returns what it was. Ordered like ``load`` and ``store``."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", builder.gep(data, [arguments[1]]), arguments[2], "acq_rel")

    return types.int64(words, types.intp, types.int64), code


@intrinsic(_agreeing)
def agreeing(typing: Any, words: Any, start: Any, word: Any) -> Any:
    """Which of AT_ONCE words from ``start`` on agree with ``word`` in the low 32 bits, as far as their high 32 say.

    A bit each, int64. Written for the compiler's vectors, because numba makes none of a loop that does it.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        many, short = ir.VectorType(ir.IntType(64), AT_ONCE), ir.IntType(32)
        data = context.make_array(words)(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), many.as_pointer())
        found = builder.load(place, align=8)
        one = builder.insert_element(ir.Constant(many, ir.Undefined), arguments[2], short(0))
        same = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(short, AT_ONCE), [0] * AT_ONCE))
        differ = builder.and_(builder.xor(found, same), builder.lshr(found, ir.Constant(many, [32] * AT_ONCE)))
        differ = builder.and_(differ, ir.Constant(many, [(1 << 32) - 1] * AT_ONCE))
        agree = builder.icmp_unsigned("==", differ, ir.Constant(many, [0] * AT_ONCE))
        return builder.zext(builder.bitcast(agree, ir.IntType(AT_ONCE)), ir.IntType(64))

    return types.int64(words, types.intp, types.int64), code


@intrinsic(lambda words, at: None)
def prefetch(typing: Any, words: Any, at: Any) -> Any:
    """Ask for the memory of the word at flat place ``at`` of a C-contiguous array, some time before it is read."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(words, types.intp), code
