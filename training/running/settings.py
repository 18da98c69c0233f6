"""Settings of a run: fields of a frozen dataclass, each with its default, its help, and what its number may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Bound(NamedTuple):
    """What a number may be, in words, and whether it is so; a NaN never is."""

    words: str
    holds: Callable[[Any], bool]


def least(n: int) -> Bound:
    """``n`` or more."""
    return Bound(f"be {n} or more", lambda number: number >= n)


ABOVE_0 = Bound("be above 0", lambda number: number > 0)
SHARE = Bound("be above 0 and at most 1", lambda number: 0 < number <= 1)
RATE = Bound("lie between 0 and 1", lambda number: 0 < number < 1)


def setting(default: T, text: str, bound: Bound | None = None) -> T:
    """A field of settings with its help."""
    out: T = field(default=default, metadata={"help": text, "bound": bound})
    return out


def check_bounds(config: Any) -> None:
    """Raises: ValueError for a number that may not be."""
    for item in fields(config):
        bound, value = item.metadata["bound"], getattr(config, item.name)
        if bound is not None and not bound.holds(value):
            raise ValueError(f"--{item.name.replace('_', '-')} is {value}; it must {bound.words}")
