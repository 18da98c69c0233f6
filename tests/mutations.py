"""``python -m tests.mutations``: break places drawn by chance, and tell which breaks the tests find.

A place is a comparison, a number, an ``and`` or ``or``, a ``not`` or a sum in the rules, the scores, the engine or the
learners. Each is broken alone, in a temporary copy of the tree, and the tests that relate to its module run there:
those called as it is and those that import it, or, where none imports it, those that import what imports it. Each copy
compiles its kernels anew, so a place takes from half a minute to some minutes.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GROUPS = {
    "rules": ("bridge_env/rules/*.py",),
    "scores": ("bridge_env/rules/scoring.py", "bridge_env/rules/par.py"),
    "engine": ("agents/systems/engine/*.py",),
    "learners": (
        "training/evolution/**/*.py", "training/networks/*.py", "training/league/*.py", "training/coaching/*.py",
    ),
}  # fmt: skip
_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_PACKAGES = ("bridge_env", "agents", "training", "bridge_table", "studies")
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", "build", "*_cache", "runs", "node_modules")


@dataclass(frozen=True)
class Place:
    """A piece of a module's source, and what it is broken into."""

    path: Path  # below the root
    node: ast.expr
    broken: ast.expr

    def __str__(self) -> str:
        return f"{self.path}:{self.node.lineno}: {ast.unparse(self.node)}  ->  {ast.unparse(self.broken)}"

    def apply(self, source: str) -> str:
        """Return the source with the piece broken."""
        lines = source.encode().splitlines(keepends=True)  # columns count bytes
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        node, data = self.node, b"".join(lines)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        return (data[:begin] + f"({ast.unparse(self.broken)})".encode() + data[end:]).decode()


def places(path: Path) -> list[Place]:
    """Return all places of a module."""
    tree = ast.parse((ROOT / path).read_text())
    return [Place(path, node, broken) for node in _expressions(tree) if (broken := _broken(node)) is not None]


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that are run: no annotations, no texts, no errors, no checks of types."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.Raise | ast.Assert):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.expr):
                yield child
            yield from _expressions(child)


def _broken(node: ast.expr) -> ast.expr | None:
    out = copy.deepcopy(node)
    match out:
        case ast.Compare(ops=[op]):
            out.ops = [_COMPARISONS[type(op)]()]
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            out.value = value + 1
        case ast.BoolOp(op=op):
            out.op = ast.And() if isinstance(op, ast.Or) else ast.Or()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BinOp(op=ast.Add()):
            out.op = ast.Sub()
        case _:
            return None
    return out


def _imports(path: Path) -> set[str]:
    """Return the dotted names of modules of ours that a file imports (and of names in them)."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.partition(".")[0] in _PACKAGES}


def related_tests(path: Path, most: int) -> list[str]:
    """Return the test files that relate to a module, those called as it is first."""
    tests = {file: _imports(file) for file in sorted((ROOT / "tests").rglob("test_*.py"))}
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    named = [file for file in tests if path.stem in file.stem.removeprefix("test_")]
    direct = [file for file, names in tests.items() if module in names]
    if not direct:
        sources = (file for package in _PACKAGES for file in (ROOT / package).rglob("*.py"))
        users = {
            ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for file in sources
            if module in _imports(file)
        }
        direct = sorted((file for file in tests if users & tests[file]), key=lambda file: -len(users & tests[file]))
        named = []  # a file of another package may be called so
    return [str(file.relative_to(ROOT)) for file in dict.fromkeys([*named, *direct])][:most]


def outcome_of(place: Place, tests: list[str], seconds: float) -> str:
    """Break a place in a copy of the tree and run tests there.

    Returns:
        ``missed``, ``found by`` the first test that failed, or ``found: too long``.
    """
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=_LEFT_OUT)
        file = tree / place.path
        file.write_text(place.apply(file.read_text()))
        settings = os.environ | {"PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
        try:
            done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return "found: too long"
    if done.returncode == 0:
        return "missed"
    lines = done.stdout.decode(errors="replace").splitlines() or [""]
    return "found by " + next((line for line in lines if line.startswith(("FAILED", "ERROR"))), lines[-1])[:150]


def draw(seed: int, count: int) -> list[Place]:
    """Draw places, of each group as many, each module of a group as likely as its places are many."""
    chance, drawn = random.Random(seed), list[Place]()
    for number, patterns in enumerate(GROUPS.values()):
        files = sorted({file.relative_to(ROOT) for pattern in patterns for file in ROOT.glob(pattern)})
        known = [place for file in files for place in places(file)]
        share = count // len(GROUPS) + (number < count % len(GROUPS))
        drawn += chance.sample(known, min(share, len(known)))
    return drawn


def main() -> int:
    """Break places and print which breaks were found."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the places (1)")
    parser.add_argument("--places", type=int, default=40, help="how many, a quarter in each group (40)")
    parser.add_argument("--files", type=int, default=6, help="test files to run for a place, at most (6)")
    parser.add_argument(
        "--seconds", type=float, default=900, help="for the tests of a place; longer counts as found (900)"
    )
    parser.add_argument("--list", action="store_true", help="only print the places and their tests")
    args = parser.parse_args()
    outcomes = []
    for number, place in enumerate(draw(args.seed, args.places)):
        tests = related_tests(place.path, args.files)
        if args.list:
            outcome = f"{len(tests)} test files"
        else:
            outcome = outcome_of(place, tests, args.seconds) if tests else "no tests"
        outcomes.append(outcome)
        print(f"{number}: {outcome}: {place}\n   {' '.join(tests)}", flush=True)
    if not args.list:
        print(f"{sum(text.startswith('found') for text in outcomes)} of {len(outcomes)} breaks were found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
