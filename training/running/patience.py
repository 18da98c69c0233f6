"""Wait for somebody's own code no longer than one is ready to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Given = TypeVar("Given")


class TookTooLong(TimeoutError):
    """There was no result in time."""


def within(seconds: float | None, work: Callable[[], Given]) -> Given:
    """The result of ``work``, which runs in a thread of its own; what it raises is raised here.

    Work that takes longer goes on in its thread, which ends with the process. None waits as long as it takes, here.

    Raises:
        TookTooLong: there was none within ``seconds``.
    """
    if seconds is None:
        return work()
    given: list[Given] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            given.append(work())
        except BaseException as error:  # SystemExit too: it is the caller's to judge
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not given:
        raise TookTooLong(f"no result within {seconds:g} seconds")
    return given[0]
