"""Print what surrounds a command's result: JSON, paths, problems, and how to resume after a stop."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge_env.io.files import atomic_write

_command: list[str] = []
_resume: list[tuple[Path, str]] = []


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
