"""Run a study from the command line, and write its tables."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cyclopts import App, Parameter

from bridge_env.io.files import atomic_write
from training.runtime.runs import RESULTS, write_results

Found = tuple[Path, Mapping[str, Sequence[str]], Mapping[str, Any]]
"""What a study returns: the folder for its results, the lines of its tables by title, and its results for JSON."""


def run_study(module: str, study: Callable[..., Found], argv: Sequence[str] | None = None) -> None:
    """Run a study, whose docstring is its help, and write ``tables.md`` and ``results.json``.

    Args:
        argv: the words of the command; None for those of this process.

    Raises:
        SystemExit: the words are wrong, or the study finds a fault; the message is printed.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    app = App(f"python -m {module}", help_format="markdown", default_parameter=Parameter(negative=()))
    app.default(study)
    try:
        found = app(words, result_action="return_value")
    except (ValueError, OSError) as error:
        print(f"{module}: error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if found is None:  # --help
        return
    out, tables, results = found
    command = shlex.join(["python", "-m", module, *words])
    lines = [f"    {command}", ""]
    for title, table in tables.items():
        lines += [f"## {title}", "", *table, ""]
    out.mkdir(parents=True, exist_ok=True)
    atomic_write(out / "tables.md", "\n".join(lines))
    write_results(out, command=command, **results)
    print(f"written: {out / 'tables.md'}, {out / RESULTS}")
