"""Records of arrays that kernels take by name, handed over as one array of addresses.

To hand an array over to a kernel costs some 60 ns, and a tuple of arrays three times that; threads that wait inside a
kernel have to learn from somewhere where the arrays of the next round are. So a record is declared once::

    class Room(NamedTuple):
        state: Annotated[NDArray[np.int16], "tables", STATE_COLUMNS]
        status: Annotated[NDArray[np.int8], "tables"]
        mode: int

    SCHEMA = Schema(Room)
    room_at = SCHEMA.reader(Room)

An array is annotated with its shape; a word in it is a length, and all arrays with that word have the same. ``int`` and
``float`` fields are handed over as they are. Python writes a ``Room`` to a ``Plan`` of the schema, and in a kernel
``room_at(plan.numbers)`` is that ``Room`` again, at no cost: places, types and lengths all come from the declaration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bridge_env.kernels import njit
from bridge_env.memory import array_at

Shape = tuple[int | str, ...]
Record = TypeVar("Record", bound=Any)  # a NamedTuple


@dataclass(frozen=True)
class Field:
    """What a record holds under ``name``: an array of ``kind`` and ``shape``, or a number of ``kind`` (no shape)."""

    name: str
    place: int
    kind: Any
    shape: Shape | None


class Schema:
    """Where everything stands in the numbers that kernels take.

    Args:
        records: NamedTuple classes, declared as the top of this module shows.

    Attributes:
        lengths: the place of each word that is a length.
        fields: those of each record, in its order.
        places: how many numbers there are.
    """

    def __init__(self, *records: type[Any]) -> None:
        declared = {record: _declared(record) for record in records}
        self.lengths: dict[str, int] = {}
        for fields in declared.values():
            for _, _, shape in fields:
                for word in shape or ():
                    if isinstance(word, str):
                        self.lengths.setdefault(word, len(self.lengths))
        self.fields: dict[type[Any], tuple[Field, ...]] = {}
        self.places = len(self.lengths)
        for record, fields in declared.items():
            self.fields[record] = tuple(Field(f[0], self.places + i, f[1], f[2]) for i, f in enumerate(fields))
            self.places += len(fields)

    def reader(self, record: type[Any]) -> Any:
        """For kernels: the function that makes the record again of ``Plan.numbers``."""
        scope: dict[str, Any] = {"record": record, "array_at": array_at, "float64": np.float64}
        values = []
        for field in self.fields[record]:
            scope[f"{field.name}_kind"] = field.kind
            if field.shape is not None:
                shape = "".join(f"{self._length(word)}, " for word in field.shape)
                values.append(f"array_at(numbers[{field.place}], ({shape}), {field.name}_kind)")
            elif field.kind is float:  # its bits stand there
                values.append(f"array_at(numbers.ctypes.data + {8 * field.place}, (1,), float64)[0]")
            else:
                values.append(f"numbers[{field.place}]")
        return generated(f"def function(numbers):\n    return record({', '.join(values)})", scope)

    def writer(self, record: type[Any]) -> Any:
        """For kernels: ``write(numbers, record)`` notes where the arrays of a record are, and does not check them."""
        lines = [f"    numbers[{f.place}] = record.{f.name}.ctypes.data" for f in self.fields[record]]
        return generated("\n".join(["def function(numbers, record):", *lines]), {})

    def _length(self, word: int | str) -> str:
        return str(word) if isinstance(word, int) else f"numbers[{self.lengths[word]}]"


class Plan:
    """The numbers that kernels take, of the records put into it. It keeps the arrays that these point to.

    Args:
        records: to put into it now.

    Attributes:
        numbers: int64 (places,).
    """

    def __init__(self, schema: Schema, *records: Any) -> None:
        self._schema = schema
        self._kept: dict[type[Any], Any] = {}
        self._lengths: dict[str, int] = {}
        self.numbers: NDArray[np.int64] = np.zeros(schema.places, np.int64)
        for record in records:
            self.put(record)

    def __contains__(self, record: type[Any]) -> bool:
        """Has such a record been put into it?"""
        return record in self._kept

    def put(self, record: Any) -> None:
        """Write a record: its numbers, and where its arrays are.

        Raises:
            TypeError: an array is not as the record declares it, so that a kernel would take it for something else.
        """
        for field, value in zip(self._schema.fields[type(record)], record, strict=True):
            if field.shape is not None:
                self._check(field, field.shape, value)
                self.numbers[field.place] = value.__array_interface__["data"][0]
            elif field.kind is float:
                self.numbers.view(np.float64)[field.place] = value
            else:
                self.numbers[field.place] = value
        for word, place in self._schema.lengths.items():
            self.numbers[place] = self._lengths.get(word, 0)
        self._kept[type(record)] = record

    def _check(self, field: Field, declared: Shape, array: NDArray[Any]) -> None:
        """Is the array what kernels will take it for? A length that is not known yet is the array's."""
        if array.ndim == len(declared):
            for word, length in zip(declared, array.shape, strict=True):
                if isinstance(word, str):
                    self._lengths.setdefault(word, length)
        shape = tuple(self._lengths.get(word, word) if isinstance(word, str) else word for word in declared)
        right = array.dtype == field.kind and array.shape == shape
        if not (right and array.flags.c_contiguous and array.flags.aligned):
            raise TypeError(
                f"{field.name}: a kernel takes {np.dtype(field.kind)} {shape} in one piece; "
                f"this is {array.dtype} {array.shape}"
            )


def writeable(record: Record) -> Record:
    """The record with arrays that kernels may write to: those that were unpickled out of shared memory are copied."""
    made: Record = type(record)._make(np.require(array, requirements=("C", "A", "W")) for array in record)
    return made


def _declared(record: type[Any]) -> list[tuple[str, Any, Shape | None]]:
    """Name, type and shape of a record's fields, as they are annotated; the shape is None for a number."""
    hints = get_type_hints(record, include_extras=True)
    out: list[tuple[str, Any, Shape | None]] = []
    for name in record._fields:
        if hints[name] in (int, float):
            out.append((name, hints[name], None))
        else:
            array, *shape = get_args(hints[name])
            (kind,) = get_args(get_args(array)[1])  # of ndarray[Any, dtype[kind]]
            out.append((name, kind, tuple(shape)))
    return out


def generated(source: str, scope: dict[str, Any]) -> Any:
    """A row function of generated source. Kernels inline it, and they are cached, so it is not."""
    exec(source, scope)  # made of the names and places of a declaration, nothing else
    return njit(scope["function"], forceinline=True, cache=False)
