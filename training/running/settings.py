"""Settings of a run: fields of a frozen dataclass, each with its default, its help, and what its number may be.

Also what all settings share that are read from text: lists of names, and guesses at a name that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
_TOO_LARGE = 1 << 63


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


@dataclass(frozen=True)
class Settings:
    """Settings, all of them made by ``setting``."""

    def check(self) -> None:
        """Raises: ValueError for a number that makes no sense."""
        for item in fields(self):
            bound, value = item.metadata["bound"], getattr(self, item.name)
            if isinstance(value, int) and abs(value) >= _TOO_LARGE:
                raise ValueError(f"--{item.name.replace('_', '-')} is {value}; that is too large a number")
            if bound is not None and not bound.holds(value):
                raise ValueError(f"--{item.name.replace('_', '-')} is {value}; it must {bound.words}")


def listed(text: str) -> list[str]:
    """The parts of ``a,b,c``; none of an empty text."""
    return [part.strip() for part in text.split(",") if part.strip()]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that asks whether something known was meant; empty where nothing is like it."""
    by_form = {name.replace("_", "-").lower(): name for name in known}
    near = difflib.get_close_matches(word.replace("_", "-").lower(), list(by_form), n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(by_form[form] for form in near)}?" if near else ""
