"""Lock run folders and files that grow: one process at a time writes them."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from bridge_env.io.files import FileError

_locks: dict[Path, FileLock] = {}  # of this process


class InUse(FileError):
    """Report that another process writes there."""


def hold(path: Path) -> None:
    """Lock a folder or file until the end of this process; a second call does nothing.

    Raises:
        InUse: another process has locked it.
        OSError: the lock file cannot be written.
    """
    resolved = path.resolve()
    place = resolved / ".lock" if resolved.is_dir() else resolved.with_name(f".{resolved.name}.lock")
    try:
        _locks.setdefault(place, FileLock(place, timeout=0, thread_local=False)).acquire()
    except Timeout:
        raise InUse(f"{path} is in use by another process; wait for it, or name another place") from None
