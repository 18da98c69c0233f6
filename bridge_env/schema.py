"""Read JSON and check its shape: the one reader for all JSON files of this project.

A shape is written as Python writes types::

    {"name": str, "seed": int, "note?": str}      an object with these fields; "?" may be missing, others may be there
    {...: Number()}                               an object; every field that is not named is such
    [str]                                         a list, every item such
    (int, str)                                    a list of so many items
    Number(0, 13), Whole(1), None, bool, Any      numbers in a range; null; true or false; anything
    Either(int, None)                             one or the other

A text that has the wrong shape raises ``FileError``, which names the file, the field and the fault.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge_env.files import FileError, PathLike

DEEPEST = 32
"""Levels of lists and objects within each other."""
LARGEST = 1 << 26
"""Bytes of a file."""
MOST = 1 << 22
"""Commas, lists and objects of a text. They take up to a hundred times their bytes when they are read."""


@dataclass(frozen=True)
class Number:
    """A finite number from ``low`` to ``high``; where ``unknown`` says so, also NaN."""

    low: float = -math.inf
    high: float = math.inf
    unknown: bool = False


@dataclass(frozen=True)
class Whole:
    """A whole number from ``low`` to ``high``."""

    low: float = -math.inf
    high: float = math.inf


class Either:
    """A value of one of several shapes."""

    def __init__(self, *shapes: Any) -> None:
        self.shapes = shapes


class _Wrong(Exception):
    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field, self.why = field, why


def read_json(path: PathLike, shape: Any, error: type[FileError] = FileError) -> Any:
    """Read a JSON file and check its shape.

    Args:
        shape: what it must hold, as the top of this module tells.
        error: the kind of error that damage becomes.

    Raises:
        FileNotFoundError: there is no such file.
        FileError: of the kind ``error``: it cannot be read, or does not hold what it should.
    """
    return parse_json(_text(path, error), shape, str(path), error)


def read_json_lines(path: PathLike, shape: Any, error: type[FileError] = FileError) -> list[Any]:
    """Return what a file of JSON lines holds, each of the ``shape``; else as :func:`read_json`."""
    lines = _text(path, error).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [parse_json(line, shape, f"{path}:{number}", error) for number, line in enumerate(lines, 1)]


def parse_json(text: str | bytes, shape: Any, source: str, error: type[FileError] = FileError) -> Any:
    """Return what a JSON text holds. ``source`` is what messages call it; else as :func:`read_json`."""
    if len(text) > MOST and _marks(text) > MOST:
        raise error(f"{source}: it holds more than {MOST:,} commas, lists and objects")
    try:
        value = json.loads(text)
    except RecursionError:
        raise error(f"{source}: lists and objects lie more than {DEEPEST} deep in each other") from None
    except ValueError as fault:  # no JSON, no UTF-8, a number of thousands of digits
        raise error(f"{source}: this is no JSON: {str(fault)[:200]}") from None
    check_shape(value, shape, source, error)
    return value


def check_shape(value: Any, shape: Any, source: str, error: type[FileError] = FileError) -> None:
    """Check the shape of a value that was read already.

    Raises:
        FileError: of the kind ``error``; names ``source``, the field and the fault.
    """
    try:
        _check_anything(value)
        _check(value, shape)
    except _Wrong as wrong:
        raise error(f"{source}: {wrong.field or 'the whole'}: {wrong.why}") from None


def _marks(text: str | bytes) -> int:
    return sum(text.count(mark) if isinstance(text, str) else text.count(mark.encode()) for mark in ",[{")


def _text(path: PathLike, error: type[FileError]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise error(f"{path}: cannot be read: {fault.strerror or fault}") from None
    except UnicodeDecodeError as fault:
        raise error(f"{path}: cannot be read: it is no text (byte {fault.start})") from None


def _check_anything(value: Any) -> None:
    """What no JSON of ours may be, whatever its shape: too deep, or with text that cannot be written again."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, list):
                inner += item
            elif isinstance(item, dict):
                inner += item.keys()
                inner += item.values()
            elif isinstance(item, str) and not item.isascii():
                _check_text(item)
        level = inner
        if not level:
            return
    raise _Wrong("", f"lists and objects lie more than {DEEPEST} deep in each other")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Wrong("", f"{_said(text)} holds half a character") from None


def _check(value: Any, shape: Any, field: str = "") -> None:
    if shape is Any:
        return
    if isinstance(shape, dict):
        _check_object(value, shape, field)
    elif isinstance(shape, list | tuple):
        _check_list(value, shape, field)
    elif isinstance(shape, Either):
        _check_either(value, shape, field)
    elif shape is None or shape is bool or shape is str:
        _check_plain(value, shape, field)
    else:
        _check_number(value, shape, field)


def _check_object(value: Any, shape: dict[Any, Any], field: str) -> None:
    if not isinstance(value, dict):
        raise _Wrong(field, f"{_said(value)} is no object")
    for name, item in shape.items():
        if name is ...:
            continue
        known = name.removesuffix("?")
        if known in value:
            _check(value[known], item, _within(field, known))
        elif not name.endswith("?"):
            raise _Wrong(_within(field, name), "is missing")
    if ... in shape:
        for name, item in value.items():
            if name not in shape and f"{name}?" not in shape:
                _check(item, shape[...], _within(field, name))


def _check_list(value: Any, shape: list[Any] | tuple[Any, ...], field: str) -> None:
    if not isinstance(value, list):
        raise _Wrong(field, f"{_said(value)} is no list")
    if isinstance(shape, tuple) and len(value) != len(shape):
        raise _Wrong(field, f"it has {len(value)} items, not {len(shape)}")
    shapes = shape if isinstance(shape, tuple) else [shape[0]] * len(value)
    for number, (item, own) in enumerate(zip(value, shapes, strict=True)):
        _check(item, own, f"{field}[{number}]")


def _check_either(value: Any, shape: Either, field: str) -> None:
    faults = []
    for own in shape.shapes:
        try:
            return _check(value, own, field)
        except _Wrong as wrong:
            faults.append(wrong)
    raise max(faults, key=lambda wrong: len(wrong.field))  # the shape that it comes nearest to


def _check_plain(value: Any, shape: Any, field: str) -> None:
    if shape is None:
        if value is not None:
            raise _Wrong(field, f"{_said(value)} is not null")
    elif not isinstance(value, shape):
        raise _Wrong(field, f"{_said(value)} is no {'text' if shape is str else 'true or false'}")


def _check_number(value: Any, shape: Any, field: str) -> None:
    whole = shape is int or isinstance(shape, Whole)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise _Wrong(field, f"{_said(value)} is no {'whole ' if whole else ''}number")
    if isinstance(value, float) and math.isnan(value) and isinstance(shape, Number) and shape.unknown:
        return
    if isinstance(value, float) and not math.isfinite(value):
        raise _Wrong(field, f"{_said(value)} is no finite number")
    if isinstance(shape, Number | Whole) and not shape.low <= value <= shape.high:
        raise _Wrong(field, f"{_said(value)} is not from {shape.low:g} to {shape.high:g}")
    if isinstance(value, int) and abs(value) >= 1 << 63:
        raise _Wrong(field, f"{_said(value)} is too large a number")


def _within(field: str, name: str) -> str:
    name = name if len(name) <= 40 else name[:37] + "..."
    return f"{field}.{name}" if field else name


def _said(value: Any) -> str:
    """A value as a message tells it: short, and in characters that any terminal shows."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
