"""Settings of a run: fields of a frozen dataclass, each with its default, its help, and the bound of its number."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
_TOO_LARGE = 1 << 63


class Bound(NamedTuple):
    """A condition on a number, in words and as a function; a NaN never fulfils it."""

    words: str
    holds: Callable[[Any], bool]


def least(n: int) -> Bound:
    """Return the bound ``n`` or more."""
    return Bound(f"be {n} or more", lambda number: number >= n)


ABOVE_0 = Bound("be above 0", lambda number: number > 0)
SHARE = Bound("be above 0 and at most 1", lambda number: 0 < number <= 1)
RATE = Bound("lie between 0 and 1", lambda number: 0 < number < 1)


def setting(default: T, text: str, bound: Bound | None = None) -> T:
    """Return a field of settings with its help."""
    out: T = field(default=default, metadata={"help": text, "bound": bound})
    return out


@dataclass(frozen=True)
class Settings:
    """Settings, all of them made by ``setting``."""

    def check(self) -> None:
        """Raises: ValueError if a number is out of its bound."""
        for item in fields(self):
            bound, value = item.metadata["bound"], getattr(self, item.name)
            if isinstance(value, int) and abs(value) >= _TOO_LARGE:
                raise ValueError(f"--{item.name.replace('_', '-')} is {value}; that is too large a number")
            if bound is not None and not bound.holds(value):
                raise ValueError(f"--{item.name.replace('_', '-')} is {value}; it must {bound.words}")


def listed(text: str) -> list[str]:
    """Return the parts of ``a,b,c``, none of an empty text."""
    return [part.strip() for part in text.split(",") if part.strip()]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean …?`` with the known words most like ``word``, or an empty string."""
    by_form = {name.replace("_", "-").lower(): name for name in known}
    near = difflib.get_close_matches(word.replace("_", "-").lower(), list(by_form), n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(by_form[form] for form in near)}?" if near else ""
