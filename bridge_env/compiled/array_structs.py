"""Declare records of arrays that kernels take by name, passed as one array of addresses.

Passing an array to a kernel costs some 60 ns, and a tuple of arrays three times that. So a record is declared once::

    class TableState(NamedTuple):
        state: Annotated[NDArray[np.int16], "tables", STATE_COLUMNS]
        status: Annotated[NDArray[np.int8], "tables"]
        mode: int

    SCHEMA = Schema(TableState)
    tables_at = SCHEMA.reader(TableState)

An array is annotated with its shape; a word in it is a length, and all arrays with that word have the same. ``int`` and
``float`` fields are passed as numbers. Python writes a ``TableState`` to a ``PointerTable`` of the schema, and in a
kernel ``tables_at(addresses)`` is that ``TableState`` again, at no cost: places, types and lengths all come from the
declaration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bridge_env.compiled.intrinsics import array_at
from bridge_env.compiled.jit import njit

Shape = tuple[int | str, ...]
Record = TypeVar("Record", bound=Any)  # a NamedTuple


@dataclass(frozen=True)
class Field:
    """A field of a record: an array of ``kind`` and ``shape``, or a number of ``kind`` (no shape)."""

    name: str
    place: int
    kind: Any
    shape: Shape | None


class Schema:
    """The places of records in the array of addresses.

    Args:
        records: NamedTuple classes, declared as the top of this module shows.

    Attributes:
        lengths: the place of each word that is a length.
        fields: those of each record, in its order.
        places: the length of the array of addresses.
    """

    def __init__(self, *records: type[Any]) -> None:
        declared = {record: _declared(record) for record in records}
        words = [word for fields in declared.values() for _, _, shape in fields for word in shape or ()]
        self.lengths = {word: place for place, word in enumerate(dict.fromkeys(w for w in words if isinstance(w, str)))}
        self.fields: dict[type[Any], tuple[Field, ...]] = {}
        self.places = len(self.lengths)
        for record, fields in declared.items():
            self.fields[record] = tuple(Field(f[0], self.places + i, f[1], f[2]) for i, f in enumerate(fields))
            self.places += len(fields)

    def reader(self, record: type[Any]) -> Any:
        """Generate the kernel that makes the record again from ``PointerTable.addresses``."""
        scope: dict[str, Any] = {"record": record, "array_at": array_at, "float64": np.float64}
        values = []
        for field in self.fields[record]:
            scope[f"{field.name}_kind"] = field.kind
            if field.shape is not None:
                shape = "".join(f"{self._length(word)}, " for word in field.shape)
                values.append(f"array_at(addresses[{field.place}], ({shape}), {field.name}_kind)")
            elif field.kind is float:  # its bits stand there
                values.append(f"array_at(addresses.ctypes.data + {8 * field.place}, (1,), float64)[0]")
            else:
                values.append(f"addresses[{field.place}]")
        return generated(f"def function(addresses):\n    return record({', '.join(values)})", scope)

    def writer(self, record: type[Any]) -> Any:
        """Generate the kernel ``write(addresses, record)`` that sets a record of arrays, which it does not check."""
        lines = [f"    addresses[{f.place}] = record.{f.name}.ctypes.data" for f in self.fields[record]]
        return generated("\n".join(["def function(addresses, record):", *lines]), {})

    def _length(self, word: int | str) -> str:
        return str(word) if isinstance(word, int) else f"addresses[{self.lengths[word]}]"


class PointerTable:
    """The array of addresses that kernels take, of the records set in it. It holds references to their arrays.

    Args:
        records: to set now.

    Attributes:
        addresses: int64 (places,).
    """

    def __init__(self, schema: Schema, *records: Any) -> None:
        self._schema = schema
        self._records: dict[type[Any], Any] = {}
        self._lengths: dict[str, int] = {}
        self.addresses: NDArray[np.int64] = np.zeros(schema.places, np.int64)
        for record in records:
            self.set(record)

    def set(self, record: Any) -> None:
        """Write a record: its numbers, and the addresses of its arrays.

        Raises:
            TypeError: an array differs from the record's declaration, so that kernels would misread it.
        """
        for field, value in zip(self._schema.fields[type(record)], record, strict=True):
            if field.shape is not None:
                self._check(field, field.shape, value)
                self.addresses[field.place] = value.__array_interface__["data"][0]
            elif field.kind is float:
                self.addresses.view(np.float64)[field.place] = value
            else:
                self.addresses[field.place] = value
        for word, place in self._schema.lengths.items():
            self.addresses[place] = self._lengths.get(word, 0)
        self._records[type(record)] = record

    def _check(self, field: Field, declared: Shape, array: NDArray[Any]) -> None:
        """Check an array against its declaration; a length that no record has set yet is taken from the array."""
        if array.ndim == len(declared):
            for word, length in zip(declared, array.shape, strict=True):
                if isinstance(word, str):
                    self._lengths.setdefault(word, length)
        shape = tuple(self._lengths.get(word, word) if isinstance(word, str) else word for word in declared)
        if array.dtype != field.kind or array.shape != shape or not (array.flags.c_contiguous and array.flags.aligned):
            raise TypeError(
                f"{field.name}: a kernel takes {np.dtype(field.kind)} {shape} in one piece; "
                f"this is {array.dtype} {array.shape}"
            )


def writeable(record: Record) -> Record:
    """Copy those arrays of a record that are read-only, such as those that Ray unpickles from shared memory."""
    return type(record)._make(np.require(array, requirements=("C", "A", "W")) for array in record)


def _declared(record: type[Any]) -> list[tuple[str, Any, Shape | None]]:
    """Return name, type and shape of a record's fields, as they are annotated; the shape is None for a number."""
    hints = get_type_hints(record, include_extras=True)
    out: list[tuple[str, Any, Shape | None]] = []
    for name in record._fields:
        if hints[name] in (int, float):
            out.append((name, hints[name], None))
        else:
            array, *shape = get_args(hints[name])
            *_, last = get_args(array)  # the kind itself (NumPy 2.5), or dtype[kind] of ndarray[Any, dtype[kind]]
            (kind,) = get_args(last) or (last,)
            out.append((name, kind, tuple(shape)))
    return out


def generated(source: str, scope: dict[str, Any]) -> Any:
    """Make a function of generated source that is inlined into kernels."""
    exec(source, scope)  # made of the names and places of a declaration, nothing else
    return njit(scope["function"], forceinline=True)
