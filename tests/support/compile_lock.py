"""Let one process at a time compile: side by side, each would compile what the others are about to cache."""

import tempfile
from pathlib import Path

from filelock import FileLock
from numba.core import event


class _Listener(event.Listener):
    def __init__(self) -> None:
        self.lock = FileLock(Path(tempfile.gettempdir()) / "bridge-env-tests-compile.lock", thread_local=False)

    def on_start(self, event: event.Event) -> None:
        self.lock.acquire()

    def on_end(self, event: event.Event) -> None:
        self.lock.release()


def register() -> None:
    """Hold a file lock while numba looks a kernel up in its cache or compiles it."""
    event.register("numba:compiler_lock", _Listener())
