"""Show the progress of commands on standard error."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from training.cli.output import can_resume
from training.runtime.progress import Progress

_LINE_EVERY = 30.0  # seconds, where there is no terminal
_NOTE_EVERY = 0.5  # seconds, on a terminal


class Bar(Progress):
    """Show how far a command has come: on a terminal a bar with the time left, elsewhere a line now and then.

    Args:
        total: units to do; None where the number is not known. With the unit ``%`` it is 100.
        unit: name of a unit.
        what: the text before the bar.
        brief: show nothing without a terminal, and wipe the bar away at the end.
        resume: the command that resumes a run, before the run's folder, such as ``bridge-env evolve --resume``; without
            it the same command does.
    """

    def __init__(
        self, total: float | None = None, unit: str = "%", what: str = "", *, brief: bool = False,
        resume: str | None = None,
    ) -> None:  # fmt: skip
        self._stage = (what, total, unit)
        self._brief, self._resume = brief, resume
        self._bar: Any = None
        self._noted = 0.0

    def folder(self, folder: Path) -> None:
        can_resume(folder, f"{self._resume} {folder}" if self._resume else None)
        print(folder)

    def stage(self, what: str, total: float | None = None, unit: str = "board") -> None:
        self.close()
        self._stage = (what, total, unit)
        self._shown()

    def add(self, count: float = 1) -> None:
        self._shown().update(count)

    def to(self, done: float) -> None:
        bar = self._shown(done)  # results of an earlier run do not count as speed
        bar.update(done - bar.n)

    def share(self, share: float) -> None:
        """Report the share that is done, 0..1."""
        self.to(100 * min(share, 1.0))

    def say(self, what: str) -> None:
        bar = self._shown()
        if not bar.disable and what != bar.desc:  # each change is shown at once
            bar.set_description_str(what)

    def note(self, text: str) -> None:
        bar, now = self._shown(), time.monotonic()
        bar.set_postfix_str(text, refresh=False)
        if now - self._noted > (_NOTE_EVERY if sys.stderr.isatty() else _LINE_EVERY):
            self._noted = now
            bar.refresh()

    def close(self) -> None:
        """End the bar; later reports begin a new one."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _shown(self, initial: float = 0) -> Any:
        """Return the bar, begun at ``initial`` units if there is none yet."""
        if self._bar is None:
            from tqdm import tqdm

            (what, total, unit), terminal = self._stage, sys.stderr.isatty()
            percent = (
                {"bar_format": "{l_bar}{bar}| {elapsed}<{remaining}{postfix}", "total": 100} if unit == "%" else {}
            )
            self._bar = tqdm(**{
                "total": total, "unit": unit, "desc": what or None, "dynamic_ncols": True, "initial": initial,
                "mininterval": 0.2 if terminal else _LINE_EVERY, "leave": not self._brief, "smoothing": 0.02,
                "disable": self._brief and not terminal, "file": sys.stderr, **percent,
            })  # fmt: skip
        return self._bar
