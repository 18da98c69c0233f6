"""Save finished boards and mistakes in a file of SQLite."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

NONE = "none"  # in place of a file: nothing is saved
_FILE = "table.sqlite"
_APPLICATION = 0x42455442  # PRAGMA application_id: marks these files among those of other programs
_WAIT = 10.0  # seconds for another server on the same file to end its transaction
_SCHEMA = (
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY, began TEXT NOT NULL)",
    # A deal counts once: a person who has seen its hands knows them, from any seat and on any day.
    """CREATE TABLE boards (
        id INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES sessions, at TEXT NOT NULL,
        number INTEGER NOT NULL, source TEXT NOT NULL, deal TEXT NOT NULL UNIQUE, dealer TEXT NOT NULL,
        vulnerability TEXT NOT NULL, people TEXT NOT NULL, north_south TEXT NOT NULL, east_west TEXT NOT NULL,
        control TEXT NOT NULL, player TEXT NOT NULL, calls TEXT NOT NULL, cards TEXT NOT NULL, claimed INTEGER,
        contract TEXT NOT NULL, tricks INTEGER NOT NULL, score INTEGER NOT NULL, result TEXT NOT NULL,
        other TEXT NOT NULL, imps INTEGER NOT NULL, helped INTEGER NOT NULL)""",
    "CREATE INDEX boards_of_session ON boards (session)",
    """CREATE TABLE decisions (
        board INTEGER NOT NULL REFERENCES boards, kind TEXT NOT NULL, made INTEGER NOT NULL,
        PRIMARY KEY (board, kind)) WITHOUT ROWID""",
    """CREATE TABLE mistakes (
        id INTEGER PRIMARY KEY, board INTEGER NOT NULL REFERENCES boards, part TEXT NOT NULL,
        number INTEGER NOT NULL, kind TEXT NOT NULL, seat TEXT NOT NULL, hand TEXT NOT NULL, made TEXT NOT NULL,
        better TEXT NOT NULL, accepted TEXT NOT NULL, usual TEXT NOT NULL, cost INTEGER NOT NULL,
        rights INTEGER NOT NULL DEFAULT 0, due TEXT)""",
    "CREATE INDEX mistakes_by_due ON mistakes (part, due)",
)


class DatabaseError(ValueError):
    """The file cannot be read or written; the message names it and says what to do."""


def default_file() -> Path:
    """Return the file in this user's folder for data."""
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = str(Path.home() / "Library" / "Application Support")
    else:
        home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "bridge-env" / _FILE


class Database:
    """Finished boards and the mistakes on them.

    Args:
        path: the file, made where there is none; None: nothing outlives this object.
        now: returns the time, with its zone; a day begins at midnight there.

    Attributes:
        session: the number of this session.

    Raises:
        DatabaseError: the file is damaged or another program's; it is not changed then. All methods raise it
            where the file cannot be read or written.
    """

    def __init__(
        self, path: Path | None = None, now: Callable[[], datetime] = lambda: datetime.now().astimezone()
    ) -> None:
        self.path, self.now, self._lock = path, now, threading.RLock()
        with self._errors():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(
                path or ":memory:", _WAIT, isolation_level="IMMEDIATE", check_same_thread=False
            )
            self._file.row_factory = sqlite3.Row
            with self.writing() as file:
                self._prepare(file)
                self.session = _insert(file, "sessions", {"began": self.timestamp()})

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def today(self) -> date:
        """Return the day by the clock."""
        return self.now().date()

    def timestamp(self) -> str:
        """Return the time by the clock, in UTC to the second."""
        return self.now().astimezone(UTC).isoformat(timespec="seconds")

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """Return the rows of a query, each by the names of its columns."""
        with self._lock, self._errors():
            return [dict(row) for row in self._file.execute(query, values)]

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Enter a transaction, which is committed at its end, or rolled back by an error."""
        with self._lock, self._errors(), self._file:
            self._file.execute("BEGIN IMMEDIATE")
            yield self._file

    def save(
        self, board: Mapping[str, object], decisions: Mapping[str, int], mistakes: Sequence[Mapping[str, object]]
    ) -> bool:
        """Save a board of this session with how many ``decisions`` of each kind were made and the mistakes, by column;
        return whether it counts: nothing is saved where its deal has counted before.
        """
        with self.writing() as file:
            if file.execute("SELECT 1 FROM boards WHERE deal = ?", (board["deal"],)).fetchone():
                return False
            number = _insert(file, "boards", {"session": self.session, "at": self.timestamp(), **board})
            for kind, made in decisions.items():
                _insert(file, "decisions", {"board": number, "kind": kind, "made": made})
            for mistake in mistakes:
                _insert(file, "mistakes", {"board": number, **mistake})
        return True

    def _prepare(self, file: sqlite3.Connection) -> None:
        """Check that the file is ours, or make its tables."""
        application, tables = (
            int(file.execute(query).fetchone()[0])
            for query in ("PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
        )
        if application != _APPLICATION and (application or tables):
            raise DatabaseError(f"{self.path} is another program's and is left as it is; name another --memory FILE")
        if not tables:
            for statement in _SCHEMA:
                file.execute(statement)
            file.execute(f"PRAGMA application_id = {_APPLICATION}")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn the errors of SQLite and the system into a sentence that says what to do."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DatabaseError(
                f"{self.path} cannot be used ({error}) and is left as it is; if it is damaged, put a copy in its place "
                "or move it away, or start with --memory FILE or --memory none"
            ) from error


def _insert(file: sqlite3.Connection, table: str, row: Mapping[str, object]) -> int:
    names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
    return int(file.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", dict(row)).lastrowid or 0)
