"""Options behind ``?`` in a spec, ``name=value&name=value``, read into a frozen dataclass with defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from bridge_env.bidders.registry import SpecError

Given = TypeVar("Given")  # a frozen dataclass whose fields are integers, numbers or words


def read_options(text: str, spec: str, usual: Given, choices: Mapping[str, Sequence[str]], of: str) -> Given:
    """Read ``deals=80&score=points``. What numbers may be is for the caller to check.

    Args:
        spec: what the user wrote, for messages.
        usual: the defaults; a value takes the type of its default.
        choices: the words that an option may be, by its name.
        of: whose options they are: "a seat".

    Raises:
        SpecError: an option that there is not, or a value of the wrong kind.
    """
    shape: Any = usual
    names = [field.name for field in fields(shape)]
    given: dict[str, Any] = {}
    for part in filter(None, text.split("&")):
        name, _, value = part.partition("=")
        if name not in names:
            raise SpecError(f"{spec!r}: {name!r} is not an option of {of}; its options are {', '.join(names)}")
        if name in choices and value not in choices[name]:
            raise SpecError(f"{spec!r}: {name} must be {' or '.join(choices[name])}, not {value!r}")
        kind = type(getattr(usual, name))
        try:
            given[name] = kind(value)
        except ValueError:
            what = "a whole number" if kind is int else "a number"
            raise SpecError(f"{spec!r}: {name} must be {what}, not {value!r}") from None
    out: Given = replace(shape, **given)
    return out
