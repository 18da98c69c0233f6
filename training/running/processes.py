"""Run pure functions in separate processes; return their results in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")


class WorkerDied(ChildProcessError):
    """A worker process ended by itself, and took its task with it.

    Attributes:
        task: the number of the first task without a result, which need not be the one that ended it.
    """

    task: int = 0


def in_processes(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """``function`` of each of ``arguments``, in order; the first error ends the rest.

    Raises:
        WorkerDied: a process ended before it gave its result.
    """
    processes = ProcessPoolExecutor(workers, get_context("spawn"), _leave_signals_to_the_parent)
    try:
        for number, task in enumerate([processes.submit(function, *given) for given in arguments]):
            try:
                result = task.result()
            except BrokenProcessPool:
                died = WorkerDied("a worker process ended by itself, or was ended (by the system, for want of memory?)")
                died.task = number
                raise died from None
            yield result
    finally:
        processes.shutdown(cancel_futures=True)


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C and SIGTERM are the parent's to handle; who is sent them is often the whole group of processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
