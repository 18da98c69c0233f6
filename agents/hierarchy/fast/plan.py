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

from bridge_env.kernel_records import generated
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

    return plan, _unpacked(records)


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


def _unpacked(records: tuple[Any, ...]) -> Any:
    """The function for kernels from a plan to the records; numba has no loop over arrays of different types."""
    scope: dict[str, Any] = {"array_at": array_at}
    made, row = [], 0
    for number, record in enumerate(records):
        arrays = []
        for field in fields_of(record):
            shape = "".join(f"plan[{row}, {LENGTH}], " if size is None else f"{size}, " for size in field.shape)
            arrays.append(f"array_at(plan[{row}, {ADDRESS}], ({shape}), kind_{row})")
            scope[f"kind_{row}"] = field.kind
            row += 1
        scope[f"record_{number}"] = record
        made.append(f"record_{number}({', '.join(arrays)}), ")
    return generated(f"def function(plan):\n    return ({''.join(made)})", scope)
