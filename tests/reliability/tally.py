"""Count cases: what was taken, what was refused with an error that says why, and what failed."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bridge_env.faults import last_line

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

LONGEST = 20.0  # seconds of processor time for a case; more is a failure
_TOLD = 5  # failures of a row that are told

Case = tuple[str, Callable[[], bool]]
"""What a case is, so that it can be found again; and the trial: True where it was taken, False where refused."""


class Wrong(AssertionError):
    """Something came out that must not; the message says what."""


@dataclass
class Row:
    """A line of the table.

    Attributes:
        what: was tried.
        expected: of every case.
        taken, refused: cases that were well, of either kind.
        failures: of which the first are told.
        failed: their number.
        left_out: why nothing was tried; empty where something was.
    """

    what: str
    expected: str
    taken: int = 0
    refused: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    left_out: str = ""

    @property
    def tried(self) -> int:
        """The number of cases."""
        return self.taken + self.refused + self.failed

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def some(cases: Iterable[Case], count: int, seed: int) -> Iterator[Case]:
    """As many of some cases, or all of them, in an order that the seed names."""
    known = list(cases)
    random.Random(seed).shuffle(known)
    yield from known[:count]


def tally(what: str, expected: str, cases: Iterable[Case]) -> Row:
    """Try all cases; whatever one raises is a failure of its own, and the others go on."""
    row, began = Row(what, expected), time.perf_counter()
    for name, trial in cases:
        at = time.process_time()
        try:
            taken = trial()
            spent = time.process_time() - at
            if spent > LONGEST:
                raise Wrong(f"took {spent:.0f} seconds")
        except (Exception, SystemExit) as error:  # that is what is looked for
            row.failed += 1
            if len(row.failures) < _TOLD:
                row.failures.append(f"{name}: {last_line(error)}")
            continue
        if taken:
            row.taken += 1
        else:
            row.refused += 1
    row.seconds = time.perf_counter() - began
    return row


def within(seconds: float, memory: float, trial: Callable[[], bool]) -> bool:
    """Do a trial that may take so many seconds of processor time, and MiB of memory.

    Raises:
        Wrong: it takes more of either.
    """
    before, began = _peak(reset=True), time.process_time()
    with _room():
        taken = trial()
    spent, held = time.process_time() - began, _peak() - before
    if spent > seconds or held > memory:
        raise Wrong(f"took {spent:.1f} seconds and {held:.0f} MiB")
    return taken


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Let this process take two gigabytes more and nothing beyond: a reader without bounds must not end the study."""
    try:
        own = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (OSError, AttributeError):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (own + (2 << 30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _peak(reset: bool = False) -> float:
    """The most MiB that this process has held since the last reset; 0 where that cannot be told."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        told = Path("/proc/self/status").read_text("ascii")
        return int(told.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0


def left_out(what: str, expected: str, why: str) -> Row:
    """A row of which nothing could be tried here."""
    return Row(what, expected, left_out=why)


def refuses(trial: Callable[[], object], *errors: type[Exception], names: str = "") -> bool:
    """Is the trial taken? Refused where it raises one of ``errors`` with a message, which must hold ``names``.

    Raises:
        Wrong: the error says nothing, or not where.
    """
    try:
        trial()
    except errors as error:
        text = str(error)
        if not text.strip():
            raise Wrong(f"{type(error).__name__} without a word") from error
        if names not in text:
            raise Wrong(f"{type(error).__name__} does not name {names!r}: {text[:200]}") from error
        return False
    return True
