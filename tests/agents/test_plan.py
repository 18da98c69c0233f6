"""Records of arrays by address: what is packed is what a kernel unpacks."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.hierarchy.engine.compiled import Compiled, compile_system
from agents.hierarchy.fast.plan import fields_of, layout
from agents.hierarchy.shipped import read_system
from bridge_env.kernels import njit


class First(NamedTuple):
    rows: Annotated[NDArray[np.int32], (None, 3)]
    between: Annotated[NDArray[np.int16], (2, None, 4)]
    flags: Annotated[NDArray[np.bool_], (None,)]


class Second(NamedTuple):
    fixed: Annotated[NDArray[np.float64], (2, 3)]


class Two(NamedTuple):
    endless: Annotated[NDArray[np.int8], (None, None)]


plan_of, unpacked = layout(First, Second)


@njit(cache=False)
def seen(plan):
    first, second = unpacked(plan)
    first.rows[0, 0] += 1
    return first.rows.copy(), first.between.copy(), first.flags.copy(), second.fixed.copy()


def records(rows=5, between=7, flags=3):
    rng = np.random.default_rng(rows)
    return (
        First(
            rng.integers(-(2**31), 2**31, (rows, 3)).astype(np.int32),
            rng.integers(0, 99, (2, between, 4)).astype(np.int16),
            rng.random(flags) < 0.5,
        ),
        Second(rng.random((2, 3))),
    )


@pytest.mark.parametrize("lengths", [(5, 7, 3), (1, 0, 200)])
def test_a_kernel_finds_the_arrays_that_were_packed(lengths):
    first, second = records(*lengths)
    before = int(first.rows[0, 0])
    found = seen(plan_of(first, second))
    assert first.rows[0, 0] == before + 1  # the arrays themselves, no copies
    for array, expected in zip(found, (*first, *second), strict=True):
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)


def test_only_what_is_declared_is_packed():
    first, second = records()
    with pytest.raises(TypeError, match=r"First.rows is int32 \(None, 3\) in one piece; this is int64 \(5, 3\)"):
        plan_of(first._replace(rows=first.rows.astype(np.int64)), second)
    with pytest.raises(TypeError, match=r"this is int16 \(2, 7, 3\)"):
        plan_of(first._replace(between=np.zeros((2, 7, 3), np.int16)), second)
    with pytest.raises(TypeError, match="in one piece"):
        plan_of(first._replace(rows=np.zeros((5, 6), np.int32)[:, ::2]), second)
    with pytest.raises(TypeError, match="takes First here, not Second"):
        plan_of(second, first)
    with pytest.raises(TypeError, match="one axis at most"):
        layout(Two)


def test_a_compiled_system_is_what_its_class_declares():
    compiled = compile_system(read_system("sayc"))
    pack, _ = layout(Compiled)
    assert pack(compiled).shape == (len(Compiled._fields), 2)
    assert [field.name for field in fields_of(Compiled)] == list(Compiled._fields)
