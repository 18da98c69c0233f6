"""Run pure functions in separate processes; return their results in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from training.running.stopping import endings

T = TypeVar("T")


class WorkerDied(ChildProcessError):
    """A worker process ended by itself, and took its task with it."""


class NoWorkers(ChildProcessError):
    """Worker processes end before they begin their work."""


def in_processes(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """``function`` of each of ``arguments``, in order; the first error ends the rest.

    Raises:
        WorkerDied: a process ended before it gave its result.
        NoWorkers: none began.
    """
    context = get_context("spawn")
    begun = context.Event()
    processes = ProcessPoolExecutor(workers, context, _begin, (begun,))
    try:
        for task in [processes.submit(function, *given) for given in arguments]:
            try:
                result = task.result()
            except BrokenProcessPool:
                if not begun.is_set():
                    raise NoWorkers(
                        "worker processes end as soon as they start; each imports your script anew, so what the script "
                        "does stands below: if __name__ == '__main__':"
                    ) from None
                raise WorkerDied(
                    "a worker process ended by itself, or was ended (by the system, for want of memory?)"
                ) from None
            yield result
    finally:
        processes.shutdown(cancel_futures=True)


def _begin(begun: Event) -> None:
    """Tell that a process has begun, and leave signals to the parent: they are often sent to the whole group."""
    begun.set()
    for number in (signal.SIGINT, *endings()):
        signal.signal(number, signal.SIG_IGN)
