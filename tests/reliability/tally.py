"""Count cases: what was taken, what was refused with an error that says why, and what failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from bridge_env.faults import last_line

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
