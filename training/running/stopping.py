"""SIGTERM, as schedulers send it, ends a command as Ctrl-C does: what was done is kept, and the exit code is 143."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes: of Ctrl-C, and of SIGTERM."""

_terminated = threading.Event()


def note(number: int) -> None:
    """Remember that a signal has asked this process to stop; for handlers that do not raise."""
    if number == signal.SIGTERM:
        _terminated.set()


def code(of_handler: int) -> int:
    """The exit code of a command whose handler gave ``of_handler``: where SIGTERM stopped it, 143 for 130."""
    return TERMINATED if of_handler == INTERRUPTED and _terminated.is_set() else of_handler


def stop_when_input_ends() -> None:
    """Let SIGTERM stop this process when its standard input ends: a pipe from who started it, closed or gone with it.

    Nothing may be written to the pipe, and nothing else may read from it.
    """

    def wait() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt in the block. Outside the main thread nothing changes."""
    _terminated.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        note(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
