"""SIGTERM, as schedulers send it, and SIGHUP, of a terminal that is closed, end a command as Ctrl-C does.

Results so far stay saved, and the exit code is 143 or 129. A command that ``nohup`` started goes on after a SIGHUP.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_received: list[int] = []  # signals, except Ctrl-C, that demand that this process stops


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
