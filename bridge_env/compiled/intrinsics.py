"""Add instructions and array functions that numba lacks.

Count and find bits in one instruction each, make arrays at an address, copy arrays with little to compile, compare many
words at once, and prefetch memory. Each intrinsic comes with the same in Python, for ``NUMBA_DISABLE_JIT``.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic as _intrinsic
from numba.np import arrayobj as _arrayobj
from numpy.typing import NDArray

from bridge_env.compiled.jit import njit

arrayobj: Any = _arrayobj
unpack: Any = cgutils.unpack_tuple

AT_ONCE = 16  # words that ``agreeing`` compares
_ALL = (1 << 64) - 1


def intrinsic(plain: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a function that writes LLVM code as numba's ``intrinsic``; use ``plain`` where numba is disabled."""
    return lambda code: plain if config.DISABLE_JIT else _intrinsic(code)  # type: ignore[attr-defined]


def _array_at(address: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    size = math.prod(map(int, shape)) * np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, (ctypes.c_char * size).from_address(int(address)))


def _agreeing(words: NDArray[np.int64], start: int, word: int) -> int:
    there = words[start : start + AT_ONCE]
    differ = (there ^ word) & (there >> 32) & 0xFFFFFFFF
    return int((differ == 0) @ (1 << np.arange(AT_ONCE)))


@intrinsic(lambda x: (int(x) & _ALL).bit_count())
def ones(typing: Any, x: Any) -> Any:
    """Count the bits of a uint64 that are set, int64."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


@intrinsic(lambda x: (int(x) & -int(x)).bit_length() - 1 if x else 64)
def lowest(typing: Any, x: Any) -> Any:
    """Return the number of the lowest bit set of a uint64, int64; 64 if none is."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), code


@intrinsic(lambda x: (int(x) & _ALL).bit_length() - 1)
def highest(typing: Any, x: Any) -> Any:
    """Return the number of the highest bit set of a uint64, int64; -1 if none is."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, False))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.uint64), code


@intrinsic(_array_at)
def array_at(typing: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """Return the C-contiguous array of this shape and type at ``address``. The caller keeps the memory alive.

    It has no reference count, and lengths that are constants in ``shape`` stay constants.
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
    """Write ``target[:] = source`` for contiguous arrays of the same shape that do not overlap.

    numba takes two to four seconds to compile that statement, for every type and again where it is inlined.

    Raises:
        ValueError: the sizes differ.
    """
    if source.size != target.size:
        raise ValueError("an array is copied into one of another size")
    one, other = source.reshape(source.size), target.reshape(target.size)
    for k in range(len(one)):
        other[k] = one[k]


@intrinsic(_agreeing)
def agreeing(typing: Any, words: Any, start: Any, word: Any) -> Any:
    """Compare AT_ONCE words from ``start`` on with ``word`` in those low 32 bits that each word's high 32 bits select.

    Returns an int64 with a bit for each word that agrees. Written with vectors, because numba makes none of a loop.
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
    """Prefetch the memory of the word at flat index ``at`` of a C-contiguous array, some time before it is read."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(words)(context, builder, arguments[0]).data
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(words, types.intp), code
