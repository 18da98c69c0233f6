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


class Bar:
    """Shows on standard error how far a command has come.

    On a terminal it is a bar with the time left; elsewhere a line now and then. What an earlier run left does not count
    as speed.

    Args:
        total: how much there is to do; None where nobody knows. With the unit ``%`` it is 100.
        unit: what is counted.
        what: the text before the bar.
        brief: show nothing without a terminal, and wipe the bar away at the end.
    """

    def __init__(self, total: float | None = None, unit: str = "%", what: str = "", *, brief: bool = False) -> None:
        self.total, self.unit, self.what, self.brief = 100 if unit == "%" else total, unit, what, brief
        self._bar: Any = None
        self._noted = 0.0

    def add(self, count: float = 1) -> None:
        """So much more is done."""
        self._shown().update(count)

    def to(self, done: float) -> None:
        """So much is done in all."""
        bar = self._shown()
        if bar.disable:
            return
        if bar.n == bar.initial == 0:  # what an earlier run left
            bar.n = bar.initial = bar.last_print_n = done
            bar.start_t = bar.last_print_t = time.time()
            bar.refresh()
        bar.update(done - bar.n)

    def share(self, share: float) -> None:
        """This share, 0..1, is done."""
        self.to(100 * min(share, 1.0))

    def say(self, what: str) -> None:
        """Change the text before the bar."""
        if what != self.what:
            self.what = what
            self._shown().set_description_str(what)

    def note(self, text: str) -> None:
        """Change the text after the bar; elsewhere than on a terminal it is printed now and then."""
        bar, now = self._shown(), time.monotonic()
        bar.set_postfix_str(text, refresh=False)
        if now - self._noted > (_NOTE_EVERY if sys.stderr.isatty() else _LINE_EVERY):
            self._noted = now
            bar.refresh()

    def add_to(self, what: str, count: float) -> None:
        """Report units that were just done of ``what``."""
        self.say(what)
        self.add(count)

    def close(self) -> None:
        """End the bar; what comes then begins a new one."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _shown(self) -> Any:
        if self._bar is None:
            from tqdm import tqdm

            terminal = sys.stderr.isatty()
            percent = {"bar_format": "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"} if self.unit == "%" else {}
            self._bar = tqdm(
                total=self.total, unit=self.unit, desc=self.what or None, dynamic_ncols=True,
                mininterval=0.2 if terminal else _LINE_EVERY, leave=not self.brief, smoothing=0.02,
                disable=self.brief and not terminal, file=sys.stderr, **percent,
            )  # fmt: skip
        return self._bar


class BarProgress(Progress):
    """Show each stage of a run as a bar, and note how the command goes on if it is stopped.

    Args:
        resume: the command that goes on, before the run's folder, such as ``bridge-env evolve --resume``; without it
            the same command goes on.
    """

    def __init__(self, resume: str | None = None) -> None:
        self._resume, self._bar = resume, Bar()

    def folder(self, folder: Path) -> None:
        can_resume(folder, f"{self._resume} {folder}" if self._resume else None)
        print(folder)

    def stage(self, what: str, total: float | None = None, unit: str = "board") -> None:
        self._bar.close()
        self._bar = Bar(total, unit, what)
        self._bar.add(0)

    def add(self, count: float) -> None:
        self._bar.add(count)

    def to(self, done: float) -> None:
        self._bar.to(done)

    def say(self, what: str) -> None:
        self._bar.say(what)

    def note(self, text: str) -> None:
        self._bar.note(text)

    def __enter__(self) -> BarProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
