"""Locks on run folders and files that grow: one process at a time writes them; a second is told who the first is.

A lock is held by an open file, so that it goes when its process does, however that ends; the file beside it only tells
who holds it. Where a system or a file system knows no such locks, there are none.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from training.running.runs import RunError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_held: dict[Path, int] = {}  # by resolved path: the open file


class InUse(RunError):
    """Another process writes there; the message says which."""


def hold(path: Path) -> None:
    """Keep others from writing to a folder, or to a file, until ``release`` or the end of this process.

    What this process holds already it may hold again.

    Raises:
        InUse: another process holds it.
        OSError: the place cannot be written to.
    """
    place = _place(path)
    if fcntl is None or place in _held:
        return
    while True:
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.read(handle, 1000).decode("utf-8", "replace").strip()
            os.close(handle)
            raise InUse(f"{path} is in use by {who or 'another process'}; wait for it, or name another place") from None
        except OSError:  # no locks here
            os.close(handle)
            return
        if _is_at(handle, place):
            break
        os.close(handle)  # whoever held it has just taken the file away: try again
    os.ftruncate(handle, 0)
    os.write(
        handle, f"process {os.getpid()} on {socket.gethostname()} since {time.strftime('%Y-%m-%d %H:%M:%S')}\n".encode()
    )
    _held[place] = handle


def release(path: Path) -> None:
    """Let others write there again."""
    _let_go(_place(path))


def release_all() -> None:
    """Let go of all that this process holds."""
    for place in list(_held):
        _let_go(place)


def _let_go(place: Path) -> None:
    handle = _held.pop(place, None)
    if handle is not None:
        with contextlib.suppress(OSError):
            os.unlink(place)
        os.close(handle)


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold for the length of a ``with`` block; what was held before stays so."""
    before = _place(path) in _held
    hold(path)
    try:
        yield
    finally:
        if not before:
            release(path)


def _place(path: Path) -> Path:
    whole = path.resolve()
    return whole / ".lock" if whole.is_dir() else whole.with_name(f".{whole.name}.lock")


def _is_at(handle: int, place: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(place, follow_symlinks=False))
    except FileNotFoundError:
        return False


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_held.clear)  # a child works for its parent, and does not own what it holds
