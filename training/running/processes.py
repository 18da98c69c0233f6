"""Run pure functions in separate processes; return their results in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")


def in_processes(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """``function`` of each of ``arguments``, in order; the first error ends the rest."""
    processes = ProcessPoolExecutor(workers, get_context("spawn"), _leave_signals_to_the_parent)
    try:
        for task in [processes.submit(function, *given) for given in arguments]:
            yield task.result()
    finally:
        processes.shutdown(cancel_futures=True)


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C and SIGTERM are the parent's to handle; who is sent them is often the whole group of processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
