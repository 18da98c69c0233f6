"""Run pure functions in separate processes, choose how networks multiply in one, and end a command by a signal.

SIGTERM, as schedulers send it, and SIGHUP, of a terminal that is closed, end a command as Ctrl-C does: results so far
stay saved, and the exit code is 143 or 129. A command that ``nohup`` started goes on after a SIGHUP.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from types import FrameType
from typing import Any, TypeVar

_received: list[int] = []  # signals, except Ctrl-C, that demand that this process stops
T = TypeVar("T")


@cache
def use_fast_matmul() -> None:
    """Multiply matrices of networks by torch in this process, where it is installed: a little faster than numpy."""
    if find_spec("torch") is None:
        return
    import torch  # optional, and slow to import

    from agents.networks.network import set_matmul  # loads numba, which --help can do without

    torch.set_num_threads(1)  # products side by side are faster than threads within them
    set_matmul(lambda a, b: torch.mm(torch.from_numpy(a), torch.from_numpy(b)).numpy())


def termination_signals() -> list[signal.Signals]:
    """Return the signals that end a command; one that this process was started to ignore is left out."""
    known = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    return [number for number in known if number is not None and signal.getsignal(number) is not signal.SIG_IGN]


def interrupted_code() -> int:
    """Return the exit code of a command that a signal interrupted: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
    return 128 + (_received[0] if _received else signal.SIGINT)


@contextlib.contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt in the block. Outside the main thread nothing changes."""
    _received.clear()

    def interrupt(number: int, frame: FrameType | None) -> None:
        _received.append(number)
        raise KeyboardInterrupt

    handled = termination_signals() if threading.current_thread() is threading.main_thread() else []
    before = {number: signal.signal(number, interrupt) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def map_in_processes(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """Yield ``function`` of each of ``arguments``, in order; with one worker, in this process. Raise
    ``ChildProcessError`` where a process ended before it gave its result.
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
