"""Read the answers of a person at the terminal, including leaving."""

from __future__ import annotations

from collections.abc import Callable

Say = Callable[[str], object]


class Stopped(ValueError):
    """Nobody answers at the table any more."""


class Left(Stopped):
    """The person at the table has left it."""


def answer(ask: Callable[[str], str], question: str) -> str:
    """Ask the person at the table.

    Raises:
        Left: that it leaves.
        Stopped: nothing any more.
    """
    try:
        word = ask(question).strip()
    except EOFError:
        raise Stopped("the board was left before its end") from None
    if word.lower() in ("quit", "q", "exit"):
        raise Left("the board was left before its end")
    return word
