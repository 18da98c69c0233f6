"""Types of the fields of requests, which msgspec reads from the query or the JSON body."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import msgspec
from starlette.requests import Request

from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import CARD_NUMBERS, SEATS

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


_Fields = TypeVar("_Fields", bound=msgspec.Struct)


def fields_struct(handler: Callable[..., Any]) -> type[msgspec.Struct]:
    """Return a struct of the keyword-only parameters of a handler, which takes no other fields."""
    hints = get_type_hints(handler, include_extras=True)
    fields = [
        (name, hints[name]) if parameter.default is parameter.empty else (name, hints[name], parameter.default)
        for name, parameter in inspect.signature(handler).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    return msgspec.defstruct("Fields", fields, forbid_unknown_fields=True, kw_only=True)


async def read_fields(request: Request, kind: type[_Fields]) -> _Fields:
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


def parse_card(text: str) -> int:
    """Return the number of a card, ``HQ``.

    Raises:
        ValueError: it is no card.
    """
    card = CARD_NUMBERS.get(text.upper().replace("10", "T"))
    if card is None:
        raise ValueError(f"{text!r} is no card; write the suit and the rank, as in HQ")
    return card


def seat_number(seat: Seat) -> int | None:
    """Return the number of a seat, 0 to 3; None for ``watch``."""
    return None if seat == "watch" else SEATS.index(seat)
