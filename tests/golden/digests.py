"""Digests of values, equal on every machine, and the differences between two sets of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).with_name("digests.json")
DECIMALS = 4  # floats are rounded to so many
_WHOLE, _ENTRY = 12, 4  # hexadecimal digits of the digest of a value, of an entry of a series
_SHOWN = 400  # characters of a value that a message shows

Case = Callable[[], Mapping[str, Any]]


class Series(list[Any]):
    """Values whose digests are kept one by one, so that a difference is found by its place."""


class Running:
    """The digest of a value that comes in parts."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, value: Any) -> None:
        """Append a part: arrays, numbers, texts, None, and lists, tuples and mappings of these."""
        if isinstance(value, np.ndarray) and value.dtype != object:
            if value.dtype.kind == "f":
                value = np.round(value.astype(np.float64), DECIMALS) + 0.0  # no negative zero
            elif value.dtype.kind == "b":
                value = value.astype(np.uint8)
            else:
                value = value.astype(np.int64)
            self._hash.update(f"array{value.shape}".encode())
            self._hash.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, Mapping):
            self._hash.update(f"map{len(value)}".encode())
            for key in sorted(value, key=str):
                self.add(str(key))
                self.add(value[key])
        elif isinstance(value, list | tuple | np.ndarray):
            self._hash.update(f"list{len(value)}".encode())
            for each in value:
                self.add(each)
        elif isinstance(value, float | np.floating):
            self._hash.update(f"{round(float(value), DECIMALS) + 0.0}|".encode())
        elif isinstance(value, bool | np.bool_ | int | np.integer):
            self._hash.update(f"{int(value)}|".encode())
        elif value is None or isinstance(value, str):
            self._hash.update(f"{value!r}|".encode())
        else:
            raise TypeError(f"no digest of {type(value).__name__}")

    def add_bits(self, bits: np.ndarray) -> None:
        """Append an array of zeros and ones, which is quick."""
        self._hash.update(np.packbits(bits).tobytes())

    def hex(self, digits: int = _WHOLE) -> str:
        """Return the digest so far, as hexadecimal digits."""
        return self._hash.hexdigest()[:digits]


def digest(value: Any, digits: int = _WHOLE) -> str:
    """Return the digest of a value; of a series, those of its entries in a row; of a Running, its own."""
    if isinstance(value, Running):
        return value.hex(digits)
    if isinstance(value, Series):
        return "".join(digest(each, _ENTRY) for each in value)
    running = Running()
    running.add(value)
    return running.hex(digits)


def differences(expected: Mapping[str, str], values: Mapping[str, Any]) -> list[str]:
    """Describe each item whose digest is not the expected one, with its present value."""
    found = [f"{name}: missing now" for name in expected if name not in values]
    for name, value in values.items():
        now, before = digest(value), expected.get(name)
        if before is None:
            found.append(f"{name}: new: {_short(value)}")
        elif now != before:
            found.append(f"{name}: {_place(before, now, value)}")
    return found


def _place(before: str, now: str, value: Any) -> str:
    if not isinstance(value, Series):
        return f"was {before}, is {now}" + ("" if isinstance(value, Running) else f": {_short(value)}")
    starts = range(0, max(len(before), len(now)), _ENTRY)
    places = [at // _ENTRY for at in starts if before[at : at + _ENTRY] != now[at : at + _ENTRY]]
    shown = "".join(f"\n  {at}: {_short(value[at])}" for at in places[:3] if at < len(value))
    return f"{len(places)} of {len(value)} entries differ, at {places[:20]}; now{shown}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def read() -> dict[str, dict[str, dict[str, str]]]:
    """Return the stored digests by kind, case and item."""
    stored: dict[str, dict[str, dict[str, str]]] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return stored


def write(stored: Mapping[str, Any]) -> None:
    """Store digests, a line each case."""
    lines = [
        f" {json.dumps(kind)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(stored[kind][name])}" for name in sorted(stored[kind]))
        + "\n }"
        for kind in sorted(stored)
    ]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
