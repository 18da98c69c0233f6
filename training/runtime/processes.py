"""Run pure functions in separate processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

from training.runtime.stopping import termination_signals

T = TypeVar("T")


def map_in_processes(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """Yield ``function`` of each of ``arguments``, in order; with one worker, in this process.

    Raises:
        ChildProcessError: a process ended before it gave its result.
    """
    if workers == 1:
        yield from (function(*each) for each in arguments)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _ignore_signals)
    try:
        for future in [pool.submit(function, *each) for each in arguments]:
            yield future.result()
    except BrokenProcessPool:
        raise ChildProcessError(
            "a worker process ended by itself: for want of memory, or because each imports your script anew, so that "
            "the script's work must be below: if __name__ == '__main__':"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_signals() -> None:
    """Leave signals to the parent: a terminal sends them to all of its group."""
    for number in (signal.SIGINT, *termination_signals()):
        signal.signal(number, signal.SIG_IGN)
