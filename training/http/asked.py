"""What a request asks for, checked field by field: every fault is a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bridge_env.cards import parse_seat


class Refused(ValueError):
    """A request that cannot be met: the status, and why in a sentence."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


class Asked:
    """The fields of a request. Each must be taken once; what is left over is refused by ``done``."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)

    @classmethod
    def of_body(cls, body: bytes) -> Asked:
        """The fields of a JSON object; an empty body has none.

        Raises:
            Refused: it is none.
        """
        try:
            fields = json.loads(body) if body.strip() else {}
        except (ValueError, RecursionError):
            raise Refused("The request is no JSON text.") from None
        if not isinstance(fields, dict):
            raise Refused("The request is no JSON object, with names and values.")
        return cls(fields)

    def done(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._fields:
            raise Refused(f"There is no field {str(next(iter(self._fields)))[:40]!r} here.")

    def text(self, name: str, most: int, default: str | None = None) -> str:
        """A text of at most ``most`` characters."""
        value = self._take(name, default)
        if not isinstance(value, str):
            raise Refused(f"{name!r} is a text.")
        if len(value) > most:
            raise Refused(f"{name!r} has more than {most:,} characters.", 413)
        if "\0" in value or (not value.isprintable() and name != "text"):
            raise Refused(f"{name!r} holds a character that cannot be printed.")
        return value

    def texts(self, name: str, most: int, each: int) -> list[str]:
        """At most ``most`` texts of at most ``each`` characters."""
        value = self._take(name, None)
        if not isinstance(value, list) or len(value) > most or not all(isinstance(one, str) for one in value):
            raise Refused(f"{name!r} is a list of at most {most:,} texts.")
        return [Asked({name: one}).text(name, each) for one in value]

    def choice(self, name: str, among: tuple[str, ...], default: str | None = None) -> str:
        """One of some words."""
        value = self._take(name, default)
        if not isinstance(value, str) or value not in among:
            raise Refused(f"{name!r} is one of {', '.join(among)}.")
        return value

    def number(self, name: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number."""
        value = self._take(name, default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise Refused(f"{name!r} is a whole number from {least} to {most:,}.")
        return value

    def seat(self, name: str = "seat") -> int | None:
        """A seat; None where the field is missing or says ``watch``."""
        value = self._take(name, "watch")
        if value == "watch":
            return None
        return self._seat(value, name)

    def seats(self, name: str) -> tuple[int, ...]:
        """Some seats, as ``"NS"``; none of them twice."""
        value = self._take(name, "")
        if not isinstance(value, str) or len(value) > 4 or len(set(value)) < len(value):
            raise Refused(f"{name!r} names seats by their letters, such as 'S' or 'NS'.")
        return tuple(sorted(self._seat(letter, name) for letter in value))

    def _seat(self, value: Any, name: str) -> int:
        if isinstance(value, str) and value.upper() in ("N", "E", "S", "W"):
            return parse_seat(value)
        raise Refused(f"{name!r} is one of N, E, S and W.")

    def _take(self, name: str, default: Any) -> Any:
        value = self._fields.pop(name, default)
        if value is None:
            raise Refused(f"The field {name!r} is missing.")
        return value
