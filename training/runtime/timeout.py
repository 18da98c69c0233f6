"""Limit the time of a call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar("T")


class CallTimeout(TimeoutError):
    """Report that a call took too long."""


def call_with_timeout(seconds: float | None, call: Callable[[], T]) -> T:
    """Return the result of ``call``, or raise its error.

    It runs in a thread of its own, which goes on after a timeout and ends with the process; with None it runs here.

    Raises:
        CallTimeout: there is no result within ``seconds``.
    """
    if seconds is None:
        return call()
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(call())
        except BaseException as error:  # else a SystemExit of the call would look like a timeout
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if not wait([result], seconds).done:
        raise CallTimeout(f"no result within {seconds:g} seconds")
    return result.result()
