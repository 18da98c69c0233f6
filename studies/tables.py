"""Write the tables of a study."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge_env.io.files import atomic_write

TABLES, RESULTS = "tables.md", "results.json"


def command_line(module: str, argv: Sequence[str] | None) -> str:
    """Return the command that runs a study with arguments, ``None`` for those of this process."""
    return shlex.join(["python", "-m", module, *(sys.argv[1:] if argv is None else argv)])


def write_tables(out: Path, command: str, tables: Mapping[str, Sequence[str]], results: Mapping[str, Any]) -> None:
    """Write ``tables.md``, a section for each title with its lines, and ``results.json`` into the folder ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [f"    {command}", ""]
    for title, table in tables.items():
        lines += [f"## {title}", "", *table, ""]
    atomic_write(out / TABLES, "\n".join(lines))
    atomic_write(out / RESULTS, json.dumps({"command": command, **results}, indent=1) + "\n")
    print(f"written: {out / TABLES}, {out / RESULTS}")
