"""Pure functions in processes of their own, their results in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")


def in_processes(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """``function`` of each of ``arguments``, in order; the first error ends the rest."""
    ignore_interrupts = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    processes = ProcessPoolExecutor(workers, get_context("spawn"), signal.signal, ignore_interrupts)
    try:
        for task in [processes.submit(function, *given) for given in arguments]:
            yield task.result()
    finally:
        processes.shutdown(cancel_futures=True)
