"""Save results as soon as they exist, so that a command resumes where it was interrupted.

A line of JSON tells of what the results are; then every result is a line with its own checksum, ``"sum"``. Lines are
only ever added. What a kill, a full disk or somebody's hand has spoiled costs its own line: it is told, the file is
written anew without it (a new file in the old one's place, so that a stop on the way costs nothing), and the work is
done again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bridge_env.files import FileError, append_whole, atomic_write
from bridge_env.schema import check_shape, parse_json
from training.running.lock import hold

FORMAT = 2
LARGEST = 1 << 30
"""Bytes of a file of kept results."""
_LONGEST_HEADER = 1 << 20

Row = dict[str, Any]
Check = Callable[[list[Row]], list[str | None]]
"""What is wrong with each of some rows that are whole and of the right shape; None where nothing is."""


class KeptError(FileError):
    """A file of kept results that cannot be gone on with; the message names it and says why."""


class Kept:
    """A file of kept results. ``read`` must come before ``add``.

    Args:
        path: of the file; it is made by ``read`` where there is none.
        header: what the results depend on. A file that says something else is refused.
        shape: of a row, without its checksum (see ``bridge_env.schema``).
    """

    def __init__(self, path: Path, header: Mapping[str, Any], shape: Any) -> None:
        self.path, self.header, self.shape = path, {**header, "format": FORMAT}, shape

    def read(self, check: Check, tell: Callable[[str], object]) -> list[Row]:
        """The rows that are sound, in order.

        Args:
            check: looks at what the rows say, all together.
            tell: hears of every line that is left out, and why.

        Raises:
            KeptError: the file is of something else, or its first line is damaged.
            InUse: another process adds to it.
            OSError: it can be neither read nor made.
        """
        hold(self.path)
        if not self.path.exists() or not self.path.stat().st_size:
            self._write([])
            return []
        with self.path.open("rb") as stream:
            first = stream.readline(_LONGEST_HEADER)
            self._check_header(first.rstrip(b"\n"))
            lines = stream.read(LARGEST + 1).split(b"\n") if first.endswith(b"\n") else []
            if stream.tell() > LARGEST:
                raise KeptError(f"{self.path}: too large; such a file has up to {LARGEST >> 20} MiB")
        first = first.rstrip(b"\n")
        faults: dict[int, str] = {}
        found: dict[int, Row] = {}
        for number, line in enumerate(lines, 2):
            if not line and number == len(lines) + 1:
                break  # the end of the last line
            try:
                found[number] = self._row(line, number)
            except KeptError as error:
                cut = number == len(lines) + 1 and not line.endswith(b"}")
                faults[number] = f"{self.path}:{number}: the line is cut short" if cut else str(error)
        for (number, _), why in zip(found.items(), check(list(found.values())), strict=True):
            if why is not None:
                faults[number] = f"{self.path}:{number}: {why}"
        sound = [number for number in found if number not in faults]
        for number in sorted(faults):
            tell(f"{faults[number]}; left out, and done again")
        if faults or lines[-1:] != [b""]:
            self._write([lines[number - 2] for number in sound], first)
        return [found[number] for number in sound]

    def add(self, rows: Iterable[Row]) -> None:
        """Add some rows, all or none of them.

        Raises:
            OSError: they cannot be written; the file is as it was.
        """
        append_whole(self.path, b"".join(json.dumps(row | {"sum": _sum(row)}).encode() + b"\n" for row in rows))

    def _check_header(self, line: bytes) -> None:
        """Refuse a file of other results."""
        found = parse_json(line, {...: Any}, f"{self.path}:1", KeptError)
        for name in dict.fromkeys([*self.header, *found]):
            if found.get(name) != self.header.get(name):
                raise KeptError(
                    f"{self.path} holds something else: its {name} is {found.get(name)!r}, not "
                    f"{self.header.get(name)!r}; name another file, or remove this one"
                )

    def _row(self, line: bytes, number: int) -> Row:
        """What a line holds; one that is damaged is refused."""
        row: Any = parse_json(line, Any, f"{self.path}:{number}", KeptError)
        if not isinstance(row, dict):
            raise KeptError(f"{self.path}:{number}: the line is no row")
        if row.pop("sum", None) != _sum(row):
            raise KeptError(f"{self.path}:{number}: the line's checksum is wrong")
        check_shape(row, self.shape, f"{self.path}:{number}", KeptError)
        out: Row = row
        return out

    def _write(self, lines: list[bytes], header: bytes | None = None) -> None:
        first = json.dumps(self.header).encode() if header is None else header
        atomic_write(self.path, [first + b"\n", *(line + b"\n" for line in lines)])


def _sum(row: Row) -> str:
    return f"{zlib.crc32(json.dumps(row, sort_keys=True).encode()):08x}"
