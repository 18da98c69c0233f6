"""Keep what was bid and played in a file of SQLite: opened with care, and written a board at a time."""

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

NONE = "none"  # in place of a file: nothing is kept
_FILE = "table.sqlite"
_MARK = 0x42455442  # PRAGMA application_id: tells these files from those of other programs
_WAIT = 10.0  # seconds for another server on the same file to end its transaction
_ELSEWHERE = "or start with --memory FILE or --memory none"

# What leads from each version of the schema to the next; their number is PRAGMA user_version.
_STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE sessions (id INTEGER PRIMARY KEY, began TEXT NOT NULL)",
        # A deal counts once: whoever has seen its hands knows them, from any seat and on any day.
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
    ),
)


class MemoryFault(ValueError):
    """The memory cannot be read or written; the message names the file and says what to do."""


def usual_file() -> Path:
    """The file in this user's folder for data.

    Raises:
        MemoryFault: this user has no home.
    """
    try:
        if sys.platform == "win32":
            home = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            home = str(Path.home() / "Library" / "Application Support")
        else:
            home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    except RuntimeError:
        raise MemoryFault("this user has no home; start with --memory FILE or --memory none") from None
    return Path(home) / "bridge-env" / _FILE


class Memory:
    """Finished boards and what went wrong on them.

    A file is never replaced: one that is damaged, newer or another program's stays as it is.

    Args:
        path: the file, made where there is none; None: nothing outlives this object.
        now: tells the time, with its zone; a day begins at midnight there.

    Attributes:
        session: the number of this session.

    Raises:
        MemoryFault: the file cannot be used.
    """

    def __init__(
        self, path: Path | None = None, now: Callable[[], datetime] = lambda: datetime.now().astimezone()
    ) -> None:
        self.path, self.now = path, now
        self._lock = threading.RLock()
        with self._faults():
            self._file = self._opened()
            try:
                self._check()
                self._renew()
                self.session = self._begin()
            except BaseException:
                self._file.close()
                raise

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def today(self) -> date:
        """The day by the clock."""
        return self.now().date()

    def stamp(self) -> str:
        """The time by the clock, in UTC to the second."""
        return self.now().astimezone(UTC).isoformat(timespec="seconds")

    # --- reading and writing ------------------------------------------------------------------------------

    def rows(self, query: str, *values: object) -> list[dict[str, Any]]:
        """The rows that a query finds, each by the names of its columns.

        Raises:
            MemoryFault: the file cannot be read.
        """
        with self._lock, self._faults():
            return [dict(row) for row in self._file.execute(query, values)]

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: what is done within is kept as a whole when it ends, or not at all.

        Raises:
            MemoryFault: the file cannot be written.
        """
        with self._lock, self._faults():
            if self.path is not None and not self.path.exists():  # what is written would go with the last open handle
                raise MemoryFault(f"{self.path} has gone; put it back, or start the server again")
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield self._file
                self._file.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._file.execute("ROLLBACK")
                raise

    def keep(
        self, board: Mapping[str, object], decisions: Mapping[str, int], mistakes: Sequence[Mapping[str, object]]
    ) -> bool:
        """Keep a board of this session, if its deal is new.

        Args:
            board, mistakes: by column. decisions: how many of each kind were made.

        Returns:
            Does the board count? Where its deal has counted before, nothing is kept.

        Raises:
            MemoryFault: the file cannot be written.
        """
        with self.writing() as file:
            if file.execute("SELECT 1 FROM boards WHERE deal = ?", (board["deal"],)).fetchone():
                return False
            number = _insert(file, "boards", {"session": self.session, "at": self.stamp(), **board})
            for kind, made in decisions.items():
                _insert(file, "decisions", {"board": number, "kind": kind, "made": made})
            for mistake in mistakes:
                _insert(file, "mistakes", {"board": number, **mistake})
        return True

    # --- opening ------------------------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        if self.path is not None and not self.path.exists():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):  # boards are their owner's: nobody else is to read them
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        # A path from the root, because some names alone are no files to SQLite, such as ":memory:" and "file:x".
        name = ":memory:" if self.path is None else os.path.abspath(self.path)
        # Transactions are begun and ended here, and a lock lets one thread in at a time.
        file = sqlite3.connect(name, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        file.row_factory = sqlite3.Row
        return file

    def _check(self) -> None:
        """Read the file before anything is written to it."""
        self._file.execute("BEGIN")  # one look: another server may be making the file just now
        mark = self._number("PRAGMA application_id")
        version, tables = self._number("PRAGMA user_version"), self._number("SELECT count(*) FROM sqlite_master")
        self._file.execute("COMMIT")
        if mark != _MARK and (mark or version or tables):
            raise MemoryFault(f"{self.path} is another program's and is left as it is; name another --memory FILE")
        if version > len(_STEPS):
            raise MemoryFault(
                f"{self.path} was written by a newer bridge-env and is left as it is; upgrade bridge-env, {_ELSEWHERE}"
            )
        if self._file.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise self._damaged()
        # No write-ahead log: all boards that were kept are then in this one file, which can be moved or copied alone,
        # even after a kill, and may lie on a network's disk. Only a kill within the milliseconds of a commit leaves a
        # journal beside it, by which the next start takes that one board back. One small write a board is fast enough.
        self._file.execute("PRAGMA journal_mode = DELETE")
        self._file.execute("PRAGMA synchronous = FULL")  # a board that was answered outlives a power cut, too
        self._file.execute("PRAGMA foreign_keys = ON")

    def _renew(self) -> None:
        """Bring the schema to the newest version, in one transaction; another server may have been first."""
        with self.writing() as file:
            version = self._number("PRAGMA user_version")
            for statement in (statement for step in _STEPS[version:] for statement in step):
                file.execute(statement)
            if version < len(_STEPS):
                file.execute(f"PRAGMA application_id = {_MARK}")
                file.execute(f"PRAGMA user_version = {len(_STEPS)}")

    def _begin(self) -> int:
        """Enter this session; who cannot write learns it here, before the first board."""
        with self.writing() as file:
            return _insert(file, "sessions", {"began": self.stamp()})

    def _number(self, query: str) -> int:
        return int(self._file.execute(query).fetchone()[0])

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """Tell what SQLite and the system report in a sentence that says what to do."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
                raise self._damaged() from error
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise MemoryFault(f"{self.path} is in use by another program; try again in a moment") from error
            raise self._unwritable(error) from error
        except OSError as error:
            raise self._unwritable(error.strerror or error) from error

    def _damaged(self) -> MemoryFault:
        return MemoryFault(
            f"{self.path} is damaged and is left as it is; put a copy in its place, or move it away to begin anew, "
            f"{_ELSEWHERE}"
        )

    def _unwritable(self, why: object) -> MemoryFault:
        return MemoryFault(
            f"{self.path} cannot be written ({why}); see to its folder, its permissions and the disk, {_ELSEWHERE}"
        )


def _insert(file: sqlite3.Connection, table: str, row: Mapping[str, object]) -> int:
    names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
    return int(file.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", dict(row)).lastrowid or 0)
