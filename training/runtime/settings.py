"""Define settings of a run: fields of a frozen dataclass, each explained by the text below it, bounded by its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, get_type_hints

import msgspec

_MOST = (1 << 63) - 1
Integer = Annotated[int, msgspec.Meta(ge=-_MOST, le=_MOST)]
Seed = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]  # as numpy and Stable-Baselines3 take it
Count = Annotated[int, msgspec.Meta(ge=1, le=_MOST)]
CountOrZero = Annotated[int, msgspec.Meta(ge=0, le=_MOST)]
AtLeast2 = Annotated[int, msgspec.Meta(ge=2, le=_MOST)]
AtLeast16 = Annotated[int, msgspec.Meta(ge=16, le=_MOST)]
AtLeast64 = Annotated[int, msgspec.Meta(ge=64, le=_MOST)]
NonNegative = Annotated[float, msgspec.Meta(ge=0)]
# msgspec checks gt=0 as ">= the smallest denormal", which 0 passes once a learner has called torch.set_flush_denormal.
Positive = Annotated[float, msgspec.Meta(ge=1e-9)]
Share = Annotated[float, msgspec.Meta(ge=1e-9, le=1)]
Rate = Annotated[float, msgspec.Meta(ge=1e-9, lt=1)]


@dataclass(frozen=True)
class Settings:
    """Hold settings with types that msgspec can check."""

    def check(self) -> None:
        """Check every field against its type; raise ``ValueError`` where a field is out of its bounds."""
        for name, kind in get_type_hints(type(self), include_extras=True).items():
            value = getattr(self, name)
            try:
                msgspec.convert(value, kind)
            except msgspec.ValidationError as error:
                words = str(error).replace("`", "")
                raise ValueError(f"--{name.replace('_', '-')} is {value}: {words[0].lower()}{words[1:]}") from None


def listed(text: str) -> list[str]:
    """Return the parts of ``a,b,c``, none of an empty text."""
    return [part.strip() for part in text.split(",") if part.strip()]
