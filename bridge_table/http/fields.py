"""Read the fields of a request, from its query or its JSON body, into msgspec structs."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec
from starlette.requests import Request

from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS

Spec = Annotated[str, msgspec.Meta(max_length=300)]
Words = Annotated[str, msgspec.Meta(max_length=2000)]  # calls or cards with spaces between them
Name = Annotated[str, msgspec.Meta(max_length=200)]
SystemText = Annotated[str, msgspec.Meta(max_length=256_000)]
Seat = Literal["N", "E", "S", "W", "watch"]
Dealer = Literal["N", "E", "S", "W"]
Vulnerability = Literal["None", "NS", "EW", "Both"]


class RequestError(ValueError):
    """A request that cannot be met; the message is a sentence for its sender.

    Args:
        status: of the HTTP response.
    """

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


class RequestFields(msgspec.Struct, forbid_unknown_fields=True):
    """The fields that a request may have; a request with any other is refused."""


class NoFields(RequestFields):
    """No fields."""


_Read = TypeVar("_Read", bound=RequestFields)


async def read_fields(request: Request, kind: type[_Read]) -> _Read:
    """Return the fields of a request: of a GET those of its query, else those of the JSON object in its body.

    Raises:
        RequestError: a field is missing, unknown or faulty, or the body is no JSON object.
    """
    try:
        if request.method == "GET":
            return msgspec.convert(dict(request.query_params), kind, strict=False)
        return msgspec.json.decode(await request.body() or b"{}", type=kind, strict=False)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise RequestError(f"{error}.") from None


def parse_calls(text: str) -> list[int]:
    """Return the calls of a text with spaces between them."""
    return [parse_call(word) for word in text.split()]


def seat_number(seat: Seat) -> int | None:
    """Return the number of a seat, 0 to 3; None for ``watch``."""
    return None if seat == "watch" else SEATS.index(seat)


def seat_numbers(letters: str) -> tuple[int, ...]:
    """Return the numbers of seats that are written as ``"NS"``, in order.

    Raises:
        RequestError: another letter, or a seat twice.
    """
    if not set(letters) <= set(SEATS) or len(set(letters)) < len(letters):
        raise RequestError("Seats are written by their letters, such as 'S' or 'NS'.")
    return tuple(sorted(map(SEATS.index, letters)))
