"""What a request asks for, behind the address or in its body, checked field by field: every fault is a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bridge_env.cards import parse_seat

if TYPE_CHECKING:  # an extra brings it
    from starlette.requests import Request


class Refused(ValueError):
    """A request that cannot be met: the status, and why in a sentence."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


class Asked:
    """The fields of a request. Each must be taken once; what is left over is refused by ``done``."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)

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
        value = self._take(name, default)
        if not isinstance(value, str) or value not in among:
            raise Refused(f"{name!r} is one of {', '.join(among)}.")
        return value

    def number(self, name: str, least: int, most: int, default: int | None = None) -> int:
        value = self._take(name, default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise Refused(f"{name!r} is a whole number from {least} to {most:,}.")
        return value

    def seat(self) -> int | None:
        """The field ``seat``; None where it is missing or says ``watch``."""
        value = self._take("seat", "watch")
        return None if value == "watch" else self._seat(value, "seat")

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


def query(request: Request) -> Asked:
    """The fields behind the address."""
    return Asked(dict(request.query_params))


async def body(request: Request, most: int) -> Asked:
    """The fields of a request's body, a JSON object, read only as far as ``most`` bytes; an empty body has none.

    Raises:
        Refused: it is no JSON object, or too large.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused("Send JSON, with the content type application/json.", 415)
    query(request).done()
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Refused(f"The request is too large; at most {most:,} bytes are taken.", 413)
        parts.append(part)
    content = b"".join(parts)
    try:
        fields = json.loads(content) if content.strip() else {}
    except (ValueError, RecursionError):
        raise Refused("The request is no JSON text.") from None
    if not isinstance(fields, dict):
        raise Refused("The request is no JSON object, with names and values.")
    return Asked(fields)
