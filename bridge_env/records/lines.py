"""Split PBN and LIN bytes into numbered lines of text, remove comments from PBN, and write text.

Lines come one by one, so a file of any size takes the memory of its longest line. Every step is linear in
what it reads, whatever that is. What is wrong is noted with its line and reading goes on.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zlib
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import IO, cast

from bridge_env.files import atomic_write

Source = str | os.PathLike[str] | IO[str] | IO[bytes]
Fault = tuple[int, str]
"""(line, reason)."""

TAKEN_OUT = "\0"
"""Stands where a comment was, so that its lines do not count as blank."""
LONGEST_COMMENT = 20_000
"""Lines of a comment in braces; one that is longer was never meant to be."""

LONGEST_LINE = 1 << 20
"""Bytes of a line; what is longer is no record, and may have no end."""
LARGEST_BOARD = 1 << 20
"""Characters of what a file says of one board; no record says more."""
MOST_FAULTS = 10_000
"""Faults between some hundred boards; a file with more is no record."""

_CHUNK = 1 << 16
_PACKED_CHUNK = 1 << 12  # where a gzip file is damaged, no more than this is lost before the damage
_SIGN = re.compile(r'["{;]')
_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_TAG_START = re.compile(r'\s*\[\s*[A-Za-z]\w*\s*"')


def given_up(number: int, size: int, faults: list[Fault]) -> bool:
    """Is this no record, as far as it was read? Then a fault says so, and nothing more of it is to be read.

    Args:
        number: of the present line.
        size: characters that the file says of the present board.
        faults: those since the last boards.
    """
    if size > LARGEST_BOARD:
        faults.append((number, f"a board of more than {LARGEST_BOARD >> 20} MiB, which no record is; read up to here"))
    elif len(faults) >= MOST_FAULTS:
        faults.append((number, f"{MOST_FAULTS:,} faults before this line; read up to here"))
    else:
        return False
    return True


def source_name(source: Source) -> str:
    """Return what to call it in a report."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", "<stream>"))


def write_text(target: Source, text: str) -> None:
    """Write the text of a record: to a path, gzipped if it ends in ``.gz``, or to a text or binary stream; as UTF-8."""
    if isinstance(target, str | os.PathLike):
        data = text.encode()
        atomic_write(target, gzip.compress(data, mtime=0) if os.fspath(target).endswith(".gz") else data)
    elif hasattr(target, "encoding"):  # as text streams have, also wrapped ones
        cast("IO[str]", target).write(text)
    else:
        cast("IO[bytes]", target).write(text.encode())


def text_lines(source: Source, faults: list[Fault]) -> Iterator[str]:
    """Lines without their ends: ``\\n``, ``\\r\\n`` or ``\\r``, gunzipped where need be.

    A line is UTF-8, or else Windows-1252, or else Latin-1 (which fits any bytes); UTF-16 is told by its mark.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as stream:
            yield from _lines_of(stream, faults)
    else:
        yield from _lines_of(source, faults)


def _lines_of(stream: IO[str] | IO[bytes], faults: list[Fault]) -> Iterator[str]:
    damage: list[str] = []
    count = 0
    for count, line in enumerate(_split(_plain(_chunks(stream), damage), damage), 1):
        if count == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        yield _decoded(line).replace("\x1a", "").replace(TAKEN_OUT, " ")
    faults += [(max(count, 1), reason) for reason in damage]


def _chunks(stream: IO[str] | IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk


def _plain(chunks: Iterator[bytes], damage: list[str]) -> Iterator[bytes]:
    """The chunks as ASCII with more, whatever the whole was packed or coded as."""
    first = next(chunks, b"")
    if first[:2] == b"\x1f\x8b":
        chunks = _gunzip(chain([first], chunks), damage)
        first = next(chunks, b"")
    if first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        for chunk in chain([first], chunks):
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
    else:
        yield from chain([first], chunks)


def _gunzip(chunks: Iterator[bytes], damage: list[str]) -> Iterator[bytes]:
    """As much as can be had of all members of a gzip file."""
    stream = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        for start in range(0, len(chunk), _PACKED_CHUNK):
            data = chunk[start : start + _PACKED_CHUNK]
            while data:
                if stream.eof:
                    data = data.lstrip(b"\0")  # padding between members is allowed
                    stream = zlib.decompressobj(wbits=31) if data else stream
                    continue
                try:
                    if plain := stream.decompress(data):
                        yield plain
                except zlib.error:
                    damage.append("the gzip file is damaged; read up to here")
                    return
                data = stream.unused_data
    if not stream.eof:
        damage.append("the gzip file is cut short; read up to here")


def _split(chunks: Iterator[bytes], damage: list[str]) -> Iterator[bytes]:
    parts: list[bytes] = []  # of the line that the chunk before left open
    carriage, open_bytes = False, 0
    for chunk in chunks:
        if carriage and chunk[:1] == b"\n":
            chunk = chunk[1:]
            carriage = False
        if not chunk:
            continue
        carriage = chunk[-1:] == b"\r"
        *whole, last = chunk.splitlines()
        for line in whole:
            yield b"".join([*parts, line])
            parts.clear()
        open_bytes = (0 if whole else open_bytes) + len(last)
        if open_bytes > LONGEST_LINE:
            damage.append(f"a line is longer than {LONGEST_LINE >> 20} MiB, which no record is; read up to here")
            return
        parts.append(last)
        if chunk[-1:] in (b"\n", b"\r"):
            yield b"".join(parts)
            parts.clear()
            open_bytes = 0
    if parts:
        yield b"".join(parts)


def _decoded(line: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            pass
    return line.decode("latin-1")


class Uncommented:
    """An iterator over (number, line) with every comment and escaped line taken out.

    A brace that nobody closes would swallow the rest of the file. It is taken to end with its line when no
    closing brace follows soon enough, or when another opening brace and a tag come before one does.
    """

    def __init__(self, lines: Iterator[str], faults: list[Fault]) -> None:
        self._lines, self._faults = lines, faults
        self._ahead: deque[str] = deque()  # lines after the present one that were looked at
        self._ahead_size = 0  # their characters
        self._number = 0  # the present line
        # What lies ahead: lines looked at, the first of them that closes a comment, and before it the last
        # that opens one and the last with a tag. Kept, so that no line is looked at twice.
        self._searched = self._close = self._brace = self._tag = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while (line := self._next()) is not None:
            if line[:1] == "%":
                yield self._number, TAKEN_OUT
                continue
            yield from self._scan(line)

    def _next(self) -> str | None:
        line: str | None
        if self._ahead:
            line = self._ahead.popleft()
            self._ahead_size -= len(line)
        else:
            line = next(self._lines, None)
        self._number += line is not None
        return line

    def _scan(self, line: str) -> Iterator[tuple[int, str]]:
        """A line, and those that a comment joins to it."""
        out: list[str] = []
        done = start = 0
        open_quote = False
        while sign := _SIGN.search(line, start):
            start = sign.end()
            if sign[0] == '"':
                quoted = None if open_quote else _QUOTED.match(line, sign.start())
                if quoted:
                    start = quoted.end()
                open_quote = quoted is None  # and no other on this line is looked at
                continue
            out += [line[done : sign.start()], TAKEN_OUT]
            close = line.find("}", start) if sign[0] == "{" else -1
            if close >= 0:
                done = start = close + 1
                continue
            done = len(line)
            if sign[0] == ";" or not self._closes():
                break
            yield self._number, "".join(out)
            while self._number + 1 < self._close:
                self._next()
                yield self._number, TAKEN_OUT
            line = self._next() or ""
            out, done, open_quote = [TAKEN_OUT], line.find("}") + 1, False
            start = done
        out.append(line[done:])
        yield self._number, "".join(out)

    def _closes(self) -> bool:
        """Is the comment that the present line leaves open closed further on?"""
        if self._close <= self._number:
            self._close = 0
            self._searched = max(self._searched, self._number)
        while not self._close and self._searched < self._number + LONGEST_COMMENT and self._ahead_size <= LARGEST_BOARD:
            line = next(self._lines, None)
            if line is None:
                break
            self._ahead.append(line)
            self._ahead_size += len(line)
            self._searched += 1
            before, closing, _ = line.partition("}")
            if closing:
                self._close = self._searched
            if "{" in before:
                self._brace = self._searched
            if _TAG_START.match(before):
                self._tag = self._searched
        if self._close and not (self._brace > self._number and self._tag > self._number):
            return True
        self._faults.append((self._number, "a comment opened by '{' is never closed"))
        return False
