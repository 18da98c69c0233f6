"""``python -m tests.libraries [NAME ...]``: run the examples of other libraries, each in an environment of its own.

An example says in its docstring what it needs. That is installed once, with this project and the torch of
``constraints.txt``, into a folder of ``build/libraries``: some minutes each.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = {
    path.stem.removeprefix("with_"): path for path in sorted((ROOT / "examples" / "libraries").glob("with_*.py"))
}


def interpreter(folder: Path, packages: list[str]) -> Path:
    """Return the Python of an environment with this project and some packages; make it if it is not there."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not (folder / "done").exists():
        venv.create(folder, with_pip=True)
        torch = re.search(r"^torch==\S+", (ROOT / "constraints.txt").read_text(), re.M)[0]
        words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", torch, *packages, "-e", str(ROOT)]
        subprocess.run([python, *words], check=True)
        (folder / "done").touch()
    return python


def main() -> int:
    """Run the examples that are named, or all; return how many failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(EXAMPLES)} (all)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "libraries", help="where the environments are")
    args = parser.parse_args()
    failed = 0
    for name, path in EXAMPLES.items():
        if args.names and name not in args.names:
            continue
        packages = re.search(r"^Needs (.+)\.$", path.read_text(encoding="utf-8"), re.M)[1].split()
        python = interpreter(args.folder / re.sub(r"\W+", "-", "-".join(packages)).strip("-"), packages)
        with tempfile.TemporaryDirectory() as folder:
            words = [python.absolute(), path]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        failed += done.returncode != 0
        if done.returncode:
            print(f"{name}: failed\n{done.stderr[-3000:]}", flush=True)
        else:
            print(f"{name}: {done.stdout.strip().splitlines()[-1]}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
