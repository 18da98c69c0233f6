"""Save results as soon as they exist, so that a command resumes where it was interrupted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from bridge_env.io.files import FileError
from bridge_env.io.json_files import decode_json
from training.runtime.runs import hold

FORMAT = 5
Row = TypeVar("Row")


class ResultLogError(FileError):
    """Report a file of results that cannot be resumed; the message names it and the reason."""


class ResultLog(Generic[Row]):
    """Append results to a file of JSON lines, whose first line is all that the results depend on.

    Args:
        path: of the file.
        header: all that the results depend on. A file with another header is refused.
        row: the type of a result, a dataclass or another type that msgspec converts.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], row: type[Row]) -> None:
        self.path, self.header, self.row = path, {**header, "format": FORMAT}, row

    def read(self) -> list[Row]:
        """Return the results so far, in order, and lock the file; a last line that was cut short is removed.

        Raises:
            ResultLogError: the file is of something else, or a line is no result.
            InUse: another process adds to it.
            OSError: it can be neither read nor made.
        """
        hold(self.path)
        content = self.path.read_bytes() if self.path.exists() else b""
        complete = content[: content.rfind(b"\n") + 1]
        if not complete:
            self.path.write_text(json.dumps(self.header) + "\n", "utf-8")
            return []
        if len(complete) < len(content):
            with self.path.open("r+b") as stream:
                stream.truncate(len(complete))
        first, *lines = complete.splitlines()
        self._check_header(first)
        return [decode_json(line, self.row, f"{self.path}:{n}", ResultLogError) for n, line in enumerate(lines, 2)]

    def add(self, rows: Iterable[Row]) -> None:
        """Append results. ``read`` comes before it."""
        with self.path.open("ab") as stream:
            stream.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))

    def _check_header(self, line: bytes) -> None:
        found = decode_json(line, dict[str, Any], f"{self.path}:1", ResultLogError)
        for name in dict.fromkeys([*self.header, *found]):
            if found.get(name) != self.header.get(name):
                raise ResultLogError(
                    f"{self.path} holds something else: its {name} is {found.get(name)!r}, not "
                    f"{self.header.get(name)!r}; name another file, or remove this one"
                )
