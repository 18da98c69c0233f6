"""Read JSON and check its type with msgspec: errors name the file, the field and the fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from bridge_env.io.files import FileError, PathLike


def read_json(path: PathLike, kind: Any, error: type[FileError] = FileError) -> Any:
    """Read a JSON file.

    Args:
        kind: the type of its content, as ``msgspec`` has them: a struct, ``dict[str, int]``, a ``TypedDict``.
        error: the kind of error that damage becomes.

    Raises:
        FileNotFoundError: there is no such file.
        FileError: of the kind ``error``: it cannot be read, or does not hold what it should.
    """
    return decode_json(_content(path, error), kind, str(path), error)


def read_json_lines(path: PathLike, kind: Any, error: type[FileError] = FileError) -> list[Any]:
    """Read a file with a JSON value of type ``kind`` a line; otherwise as :func:`read_json`."""
    lines = _content(path, error).splitlines()
    return [decode_json(line, kind, f"{path}:{number}", error) for number, line in enumerate(lines, 1)]


def decode_json(text: str | bytes, kind: Any, source: str, error: type[FileError] = FileError) -> Any:
    """Decode a JSON text, which may hold NaN; ``source`` is its name in messages. Otherwise as :func:`read_json`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise error(f"{source}: this is no JSON: {fault}") from None
    return check_type(value, kind, source, error)


def check_type(value: Any, kind: Any, source: str, error: type[FileError] = FileError) -> Any:
    """Convert a decoded value to type ``kind``; otherwise as :func:`decode_json`."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as fault:
        raise error(f"{source}: {fault}") from None


def _content(path: PathLike, error: type[FileError]) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise error(f"{path}: cannot be read: {fault.strerror or fault}") from None
