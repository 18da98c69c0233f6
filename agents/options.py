"""Options behind ``?`` in a spec, ``name=value&name=value``, read into a frozen dataclass with defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Any, TypeVar

import msgspec

from bridge_env.bidders.registry import SpecError

Given = TypeVar("Given")  # a frozen dataclass whose fields are integers, numbers or words

Count = Annotated[int, msgspec.Meta(ge=1)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


def read_options(text: str, spec: str, usual: Given, choices: Mapping[str, Sequence[str]], of: str) -> Given:
    """Read ``deals=80&score=points``; a number lies within the limits that the type of its field has.

    Args:
        spec: what the user wrote, for messages.
        usual: the defaults.
        choices: the words that an option may be, by its name.
        of: whose options they are: "a seat".

    Raises:
        SpecError: an option that there is not, or a value that it cannot have.
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
        try:
            given[name] = getattr(msgspec.convert({name: value}, type(usual), strict=False), name)
        except msgspec.ValidationError as error:
            expected = str(error).partition(" - at ")[0].removesuffix(", got `str`")
            limit = expected.replace("Expected `int`", "a whole number")
            raise SpecError(
                f"{spec!r}: {name} must be {limit.replace('Expected `float`', 'a number')}, not {value!r}"
            ) from None
    return replace(shape, **given)
