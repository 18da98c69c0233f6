"""Print what surrounds a command's result: progress, JSON, paths, problems, and how to resume after a stop."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge_env.io.files import atomic_write
from training.runtime.runs import Progress

_command: list[str] = []
_resume: list[tuple[Path, str]] = []
_LINE_EVERY = 30.0  # seconds, where there is no terminal
_NOTE_EVERY = 0.5  # seconds, on a terminal


def begin(words: Sequence[str]) -> None:
    """Remember the words of the command that begins; nothing of it can be resumed yet."""
    _command[:] = ["bridge-env", *words]
    _resume.clear()


def can_resume(path: Path, command: str | None = None) -> None:
    """Remember that the command saves its work in ``path``; ``command`` resumes it, by default the same again."""
    _resume[:] = [(path, command or shlex.join(_command))]


def how_to_resume(before: str) -> str:
    """Return where the stopped command's work lies and what resumes it, behind ``before``; empty if nowhere."""
    return "".join(f"{before}what was done is in {path}; go on: {go}" for path, go in _resume if path.exists())


def write_json(path: Path, content: Any) -> None:
    """Write ``content`` to a file, or for ``-`` to standard output."""
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        atomic_write(path, text)


def print_text(text: str, json_path: Path | None = None) -> None:
    """Print on standard output, or on standard error where ``--json -`` has taken that."""
    print(text, file=sys.stderr if str(json_path) == "-" else sys.stdout)


def print_problems(problems: Iterable[object]) -> None:
    """Print on standard error what was left out or mended, and why."""
    for problem in problems:
        print(f"note: {problem}", file=sys.stderr)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names with their values, such as the files that a command has written, one a line."""
    for name, value in facts.items():
        print(f"{name + ':':<16}{value}")


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
