"""List the folders and modules of the packages, each with the sentence that begins its docstring.

python docs/modules.py                     prints what each folder is for
python docs/modules.py agents/cases        prints the modules of one
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("bridge_env", "agents", "training", "bridge_table", "studies")


@cache
def purpose(module: Path) -> str:
    """Return the first sentence of a module's docstring, on one line of Markdown."""
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    first = " ".join(text.split("\n\n")[0].split())
    return re.sub(r"``(.+?)``", r"`\1`", first).replace("|", "\\|")


def modules(folder: Path) -> dict[str, str]:
    """Return the purposes of the modules in a folder, by their names."""
    return {file.stem: purpose(file) for file in sorted(folder.glob("*.py")) if not file.stem.startswith("__")}


def folders() -> list[Path]:
    """Return the folders that contain modules, in order."""
    found = [path for name in PACKAGES for path in (ROOT / name, *sorted((ROOT / name).rglob("*/")))]
    return [path for path in found if path.name != "__pycache__" and modules(path)]


def page() -> str:
    """Return the page of the site that lists all modules."""
    about = "Made from the docstrings. [Architecture](architecture.md) says how the folders depend on each other."
    lines = ["# Modules", "", about]
    for folder in folders():
        lines += ["", f"## {folder.relative_to(ROOT).as_posix()}", "", purpose(folder / "__init__.py"), ""]
        lines += ["| module | purpose |", "| --- | --- |"]
        lines += [f"| `{name}` | {text} |" for name, text in modules(folder).items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for folder in () if sys.argv[1:] else folders():
        print(f"{folder.relative_to(ROOT).as_posix():<32} {purpose(folder / '__init__.py')}")
    for name in sys.argv[1:]:
        for module, text in modules(ROOT / name).items():
            print(f"{module:<20} {text}")
