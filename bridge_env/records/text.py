"""Read the lines of record files, packed or not, and write record files."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from typing import IO
from urllib.parse import unquote_to_bytes

from bridge_env.io.files import atomic_write
from bridge_env.records.board import BadBoard

Source = str | os.PathLike[str] | IO[str] | IO[bytes]
_PERCENTS = re.compile(r"(?:%(?:0[9AD]|[2-9A-F][0-9A-F]))+", re.IGNORECASE)
Target = str | os.PathLike[str] | IO[str]


def text_lines(source: Source, faults: list[BadBoard]) -> list[str]:
    """Return the lines of a file without their ends, unpacked if it is gzipped.

    Lines are UTF-8, or UTF-16 with or without its mark; those that are neither are read as Windows-1252.

    Args:
        source: a path, or a text or binary stream.
        faults: a damaged gzip file and a zip archive are added here, and have no lines.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    content = Path(source).read_bytes() if isinstance(source, str | os.PathLike) else source.read()
    data = content.encode(errors="replace") if isinstance(content, str) else content
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            faults.append(BadBoard(1, f"the gzip file is damaged or cut short: {error}"))
            return []
    if data.startswith(b"PK\3\4"):
        faults.append(BadBoard(1, "this is a zip archive: unpack it, and read the files in it"))
        return []
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        data = data.decode("utf-16", "replace").encode()
    for encoding, zeros in (("utf-16-le", data[1:200:2]), ("utf-16-be", data[:200:2])):
        if 2 * zeros.count(0) > len(zeros):
            data = data.decode(encoding, "replace").encode()
    data = data.replace(b"\x1a", b"").replace(b"\r\r\n", b"\n").rstrip(b"\0")
    return [decode_text(line).removeprefix("\ufeff") for line in data.splitlines()]  # files may have been joined


def without_percents(text: str) -> str:
    """Return a text with the signs for which ``%41`` and ``%F6`` stand."""
    return _PERCENTS.sub(lambda found: decode_text(unquote_to_bytes(found[0])), text)


def decode_text(line: bytes) -> str:
    """Return a text that is UTF-8, else Windows-1252."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def write_text(target: Target, text: str) -> None:
    """Write the text of a record: to a path as UTF-8, gzipped if it ends in ``.gz``, or to a text stream."""
    if isinstance(target, str | os.PathLike):
        data = text.encode()
        atomic_write(target, gzip.compress(data, mtime=0) if os.fspath(target).endswith(".gz") else data)
    else:
        target.write(text)
