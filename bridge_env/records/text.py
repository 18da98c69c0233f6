"""Read the lines of record files, however they are packed and encoded, and write record files."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from typing import IO, cast

from bridge_env.io.files import atomic_write
from bridge_env.records.board import Problem

Source = str | os.PathLike[str] | IO[str] | IO[bytes]

_TOLERANT = "bridge_env.windows-1252"  # the name of an error handler for decoding


def source_name(source: Source) -> str:
    """Return the name of a source for messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", "<stream>"))


def text_lines(source: Source, problems: list[Problem]) -> Iterator[str]:
    """Yield the lines of a file without their ends, unpacked if it is gzipped.

    Text is UTF-8, or UTF-16 with its mark; bytes that are no UTF-8 are read as Windows-1252.

    Args:
        source: a path, or a text or binary stream.
        problems: a damaged gzip file is added here after the lines before the damage.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    number = 0
    with _opened(source) as stream:
        try:
            if stream.peek(2)[:2] == b"\x1f\x8b":
                stream = io.BufferedReader(gzip.GzipFile(fileobj=stream))
            mark = stream.peek(2)[:2]
            encoding = "utf-16" if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
            for line in io.TextIOWrapper(stream, encoding, _TOLERANT):
                number += 1
                yield line.rstrip("\n").replace("\x1a", "")
        except (EOFError, zlib.error, gzip.BadGzipFile):
            reason = "the gzip file is damaged or cut short; read up to here"
            problems.append(Problem(source_name(source), max(number, 1), reason))


def _opened(source: Source) -> io.BufferedReader:
    if isinstance(source, str | os.PathLike):
        return open(source, "rb")
    content = source.read()
    return io.BufferedReader(io.BytesIO(content.encode(errors="replace") if isinstance(content, str) else content))


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    try:
        return bad.decode("cp1252"), error.end
    except UnicodeDecodeError:  # it leaves five bytes open
        return bad.decode("latin-1"), error.end


codecs.register_error(_TOLERANT, _as_windows_1252)


def write_text(target: Source, text: str) -> None:
    """Write the text of a record: to a path, gzipped if it ends in ``.gz``, or to a text or binary stream; as UTF-8."""
    if isinstance(target, str | os.PathLike):
        data = text.encode()
        atomic_write(target, gzip.compress(data, mtime=0) if os.fspath(target).endswith(".gz") else data)
    elif hasattr(target, "encoding"):  # as text streams have, also wrapped ones
        cast("IO[str]", target).write(text)
    else:
        cast("IO[bytes]", target).write(text.encode())
