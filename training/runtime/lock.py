"""Locks on run folders and on files that grow: one process at a time writes them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from training.runtime.runs import RunError

_locks: dict[Path, FileLock] = {}  # of this process


class InUse(RunError):
    """Another process writes there."""


def hold(path: Path) -> None:
    """Lock a folder or file until ``release`` or the end of this process; a second call does nothing.

    Raises:
        InUse: another process has locked it.
        OSError: the lock file cannot be written.
    """
    place = _lock_file(path)
    if place in _locks:
        return
    lock = FileLock(place, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise InUse(f"{path} is in use by another process; wait for it, or name another place") from None
    _locks[place] = lock


def release(path: Path) -> None:
    """Unlock a folder or file."""
    if lock := _locks.pop(_lock_file(path), None):
        lock.release()


def release_all() -> None:
    """Unlock everything that this process has locked."""
    while _locks:
        _locks.popitem()[1].release()


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock for the length of a ``with`` block; a lock from before stays."""
    before = _lock_file(path) in _locks
    hold(path)
    try:
        yield
    finally:
        if not before:
            release(path)


def _lock_file(path: Path) -> Path:
    path = path.resolve()
    return path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock")
