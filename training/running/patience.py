"""Wait for somebody's own code no longer than one is ready to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
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
    found: Future[Given] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # SystemExit too: it is the caller's to judge
            found.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if not wait([found], seconds).done:
        raise TookTooLong(f"no result within {seconds:g} seconds")
    return found.result()
