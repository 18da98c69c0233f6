"""SIGTERM, as schedulers send it, and SIGHUP, of a terminal that is closed, end a command as Ctrl-C does.

What was done is kept, and the exit code is 143 or 129. A command that ``nohup`` started goes on after a SIGHUP.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes: of Ctrl-C, and of SIGTERM."""

_ended_by: list[int] = []  # the signals, but Ctrl-C, that have asked this process to stop


def endings() -> list[signal.Signals]:
    """The signals that end a command and are handled; one that somebody has told this process to ignore is none."""
    known = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    return [number for number in known if number is not None and signal.getsignal(number) is not signal.SIG_IGN]


def note(number: int) -> None:
    """Remember that a signal has asked this process to stop; for handlers that do not raise."""
    if number != signal.SIGINT:
        _ended_by.append(number)


def code(of_handler: int) -> int:
    """The exit code of a command whose handler gave ``of_handler``: where another signal stopped it, not 130."""
    return 128 + _ended_by[0] if of_handler == INTERRUPTED and _ended_by else of_handler


def stop_when_input_ends() -> None:
    """Let SIGTERM stop this process when its standard input ends: a pipe from who started it, closed or gone with it.

    Nothing may be written to the pipe, and nothing else may read from it.
    """

    def wait() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def endings_as_interrupt() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt in the block. Outside the main thread nothing changes."""
    _ended_by.clear()

    def interrupt(number: int, frame: FrameType | None) -> None:
        note(number)
        raise KeyboardInterrupt

    with handling(interrupt, endings()):
        yield


@contextlib.contextmanager
def handling(handler: Callable[[int, FrameType | None], None], numbers: Iterable[signal.Signals]) -> Iterator[None]:
    """Let ``handler`` hear these signals in the block; only the main thread gets any, in others nothing changes."""
    here = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, handler) for number in numbers if here}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
