"""Where arrays lie in memory: for a kernel one table of addresses to take instead of fifty arrays.

Records of arrays (NamedTuples) declare once what they hold: a field is ``Annotated`` with its shape, in which None is
an axis as long as it need be (one at most). ``layout`` makes of records both sides of the hand-over, so that a new
field is packed and unpacked without more ado.

Arrays made of addresses are not counted. Tuples of those that Python hands over cost more than all the rest: the same
work took 30 ms with them, 17 without.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bridge_env.kernels import njit
from bridge_env.memory import array_at

ADDRESS, LENGTH = range(2)  # columns of a plan; the length is that of the axis that is None

Shape = tuple[int | None, ...]


class _Field(NamedTuple):
    name: str
    kind: type[np.generic]
    shape: Shape


@cache
def fields_of(record: Any) -> tuple[_Field, ...]:
    """The arrays of a record as its class declares them: name, dtype, shape."""
    out = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        array, shape = get_args(hint)
        kind = get_args(get_args(array)[1])[0]
        if shape.count(None) > 1:
            raise TypeError(f"{record.__name__}.{name}: one axis at most can be None, not {shape}")
        out.append(_Field(name, kind, shape))
    return tuple(out)


def layout(*records: Any) -> tuple[Callable[..., NDArray[np.int64]], Any]:
    """What packs records of these classes, in this order, and the compiled function that unpacks them.

    Returns:
        ``plan(*records)``: int64 (arrays, 2); whoever holds it keeps the arrays alive.
        ``unpacked(plan)``: the records, for kernels.
    """

    def plan(*given: Any) -> NDArray[np.int64]:
        rows = []
        for declared, record in zip(records, given, strict=True):
            fields = fields_of(declared)
            if type(record) is not declared:
                raise TypeError(f"a plan takes {declared.__name__} here, not {type(record).__name__}")
            rows += [_row(declared, field, array) for field, array in zip(fields, record, strict=True)]
        return np.array(rows, np.int64)

    first, readers = 0, []
    for record in records:
        fields = fields_of(record)
        readers.append((record, _reader(fields, first)))
        first += len(fields)
    return plan, _together(readers)


def _row(record: type[Any], field: _Field, array: NDArray[Any]) -> tuple[int, int]:
    """Address and length of an array, which must be what the kernel takes it for."""
    as_declared = len(array.shape) == len(field.shape) and all(
        wanted is None or wanted == size for wanted, size in zip(field.shape, array.shape, strict=True)
    )
    if array.dtype != field.kind or not as_declared or not array.flags.c_contiguous:
        raise TypeError(
            f"{record.__name__}.{field.name} is {np.dtype(field.kind)} {field.shape} in one piece; "
            f"this is {array.dtype} {array.shape}"
        )
    return array.ctypes.data, array.shape[field.shape.index(None)] if None in field.shape else 0


# What follows is put together of closures, one around the other: numba has no loop over arrays of different types.
# They are not cached one by one, but with the kernel that calls the outermost.


def _reader(fields: tuple[_Field, ...], row: int) -> Any:
    """A compiled function from a plan to the arrays of ``fields``, which begin at ``row``, as a tuple."""
    if not fields:

        @njit(forceinline=True, cache=False)
        def nothing(plan):  # type: ignore[no-untyped-def]
            return ()

        return nothing
    (_, kind, shape), rest = fields[0], _reader(fields[1:], row + 1)
    if None in shape:
        at = shape.index(None)
        before, after = shape[:at], shape[at + 1 :]

        @njit(forceinline=True, cache=False)
        def read(plan):  # type: ignore[no-untyped-def]
            length = plan[row, LENGTH]
            return (array_at(plan[row, ADDRESS], before + (length,) + after, kind),) + rest(plan)  # noqa: RUF005
    else:

        @njit(forceinline=True, cache=False)
        def read(plan):  # type: ignore[no-untyped-def]
            return (array_at(plan[row, ADDRESS], shape, kind),) + rest(plan)  # noqa: RUF005

    return read


def _together(readers: list[tuple[type[Any], Any]]) -> Any:
    """A compiled function from a plan to the records, as a tuple."""
    if not readers:
        return _reader((), 0)
    (record, read), rest = readers[0], _together(readers[1:])

    @njit(forceinline=True, cache=False)
    def unpacked(plan):  # type: ignore[no-untyped-def]
        return (record(*read(plan)),) + rest(plan)  # noqa: RUF005

    return unpacked
