"""Write files atomically: a reader finds the old content or the new, at any moment and after any stop."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterable
from pathlib import Path

PathLike = str | os.PathLike[str]
Content = str | bytes | Iterable["bytes | bytearray | memoryview"]

PART = ".part"
"""The suffix of a file that is being written."""


class FileError(ValueError):
    """A file that is not what it should be; the message names the file, the place in it, and the fault."""


def atomic_write(path: PathLike, content: Content, mode: int = 0o666) -> None:
    """Write a file, all or nothing: beside its target first, which it then replaces.

    Args:
        path: the target; a device or a pipe, such as ``/dev/stdout``, is written to directly.
        content: text (written as UTF-8), bytes, or pieces of bytes.
        mode: of the file, less the umask.

    Raises:
        OSError: the file cannot be written; the old one, if there was one, is unchanged.
    """
    target = Path(path)
    pieces = [content.encode()] if isinstance(content, str) else [content] if isinstance(content, bytes) else content
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            stream.writelines(pieces)
        return
    part = target.with_name(f".{target.name[:50]}.{uuid.uuid4().hex}{PART}")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:  # name the file that the user knows, not the one beside it
        raise type(error)(error.errno, error.strerror, os.fspath(target)) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()  # it is still there if anything failed
