"""The streams of a command, whatever they are: closed, full, or of a terminal that shows few characters."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bridge_env.files import atomic_write

_PLAIN = {
    "\u00b1": "+-", "\u2660": "S", "\u2665": "H", "\u2666": "D", "\u2663": "C", "\u2013": "-", "\u2014": "-",
    "\u2026": "...",
}  # fmt: skip
"""How plus-minus, the suits, dashes and dots are written where they cannot be shown."""
_HANDLER = "bridge-env"


def prepare() -> None:
    """Let closed streams lead nowhere, and write otherwise what cannot be shown."""
    for number in range(3):  # else the next file that is opened takes the place of a closed stream
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    codecs.register_error(_HANDLER, _plain)
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-")
        if encoding != "utf-8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_HANDLER)


@contextlib.contextmanager
def words_aside(args: argparse.Namespace) -> Iterator[None]:
    """With ``--json -`` standard output is for JSON alone: let words go to standard error."""
    if str(getattr(args, "json", None)) != "-":
        yield
        return
    args.stdout = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        yield


def write_json(args: argparse.Namespace, content: Any) -> None:
    """Write what ``--json`` asks for, into its file or, for ``-``, to standard output."""
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    if str(args.json) == "-":
        args.stdout.write(text)
        args.stdout.flush()
    else:
        atomic_write(args.json, text)


def left_out(problems: Iterable[object]) -> None:
    """Tell on standard error what was left out, and why."""
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)


def tell(what: Mapping[str, object]) -> None:
    """Print names with what they are, such as the files that a command has written, one a line."""
    for name, value in what.items():
        print(f"{name + ':':<16}{value}")


def abandon_output() -> None:
    """Print nothing more, because nobody reads it or there is no room for it; Python would complain at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end
