"""Write files whole: a reader finds the old content or the new, at any moment and after any stop.

The one place of this project that writes files. What is written first goes to a name of its own beside the target, a
fresh file that nobody can have prepared (no link that was laid there is followed), reaches the disk, and takes the
target's place.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

PathLike = str | os.PathLike[str]
Content = str | bytes | Iterable["bytes | bytearray | memoryview"]

PART = ".part"
"""How the names end that content has until it is whole."""
_LONGEST_PREFIX = 50  # characters, of up to four bytes: a name has 255
_MOST_LINKS = 40


class FileError(ValueError):
    """A file that is not what it should be; the message names the file, the place in it, and the fault."""


def read_bounded(path: PathLike, most: int, error: type[ValueError] = FileError) -> bytes:
    """The content of a file; no more of it is read than it may hold: what is no file may have no end.

    Raises:
        FileError: of the kind ``error``: it holds more than ``most`` bytes.
        OSError: it cannot be read.
    """
    with open(path, "rb") as stream:
        found = stream.read(most + 1)
    if len(found) > most:
        raise error(f"{os.fspath(path)}: too large; such a file has up to {most >> 20} MiB")
    return found


def text_bounded(path: PathLike, most: int, error: type[ValueError] = FileError) -> str:
    """The text of a file, UTF-8 with line ends of any kind; else as :func:`read_bounded`.

    Raises:
        UnicodeDecodeError: it is no such text.
    """
    return read_bounded(path, most, error).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def atomic_write(path: PathLike, content: Content) -> None:
    """Write a file, all or nothing. The one that was there keeps its permissions.

    Args:
        path: where to. What is no regular file is written to as it stands, and so is what this process has open:
            ``/dev/stdout``, wherever that leads.
        content: text (written as UTF-8), bytes, or pieces of bytes.

    Raises:
        OSError: the file cannot be written; the old one, if there was one, is as it was.
    """
    target = Path(path)
    pieces = [content.encode()] if isinstance(content, str) else [content] if isinstance(content, bytes) else content
    if (number := _open_already(target)) is not None:
        try:
            with open(number, "wb", closefd=False) as stream:
                stream.writelines(pieces)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, os.fspath(target)) from None
        return
    mode = _mode_of(target)
    if mode is not None and not stat.S_ISREG(mode):
        with target.open("wb") as stream:
            stream.writelines(pieces)
        return
    try:
        handle, part = tempfile.mkstemp(PART, f".{target.name}."[:_LONGEST_PREFIX], target.parent)
    except OSError as error:  # the name that the user knows, not the one beside it
        raise type(error)(error.errno, error.strerror, os.fspath(target)) from None
    try:
        with open(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        Path(part).chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(part, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if isinstance(error, OSError) and error.filename in (None, part):
            raise type(error)(error.errno, error.strerror, os.fspath(target)) from error
        raise
    _flush_folder(target.parent)


def append_whole(path: PathLike, data: bytes) -> None:
    """Add to the end of a file, all or nothing.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    with open(path, "ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(before)  # no half of it stays behind; this needs no room
            raise


def _open_already(path: Path) -> int | None:
    """Return the number of this process's open file to which the links at ``path`` lead, as at ``/dev/stdout``."""
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
            return int(path.name) if path.name.isdecimal() else None
        try:
            path = Path(folder, os.readlink(path))
        except OSError:
            return None
    return None


def _mode_of(path: Path) -> int | None:
    """The type and permissions of what stands at ``path``; None where there is nothing, or a link to a file."""
    try:
        own = os.lstat(path)
        return os.stat(path).st_mode if not stat.S_ISLNK(own.st_mode) or not path.is_file() else None
    except OSError:
        return None


def _umask() -> int:
    """Return what new files of this process may not allow. It can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _flush_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every system can flush a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
