"""Say how to install what a part of this project needs besides its own requirements."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_NAMES = {
    "stable_baselines3": "stable-baselines3",
    "sb3_contrib": "sb3-contrib",
    "sklearn": "scikit-learn",
    "ray": "Ray",
}


def how_to_install(extra: str) -> str:
    """The command that installs an extra: from the checkout that is in use, or from the package index."""
    root = Path(__file__).parent.parent
    if not (root / "constraints.txt").is_file() or not (root / "pyproject.toml").is_file():
        return f'pip install "bridge-env[{extra}]"'
    if root == Path.cwd():
        return f'pip install -e ".[{extra}]" -c constraints.txt'
    return f'pip install -e "{root}[{extra}]" -c "{root / "constraints.txt"}"'


def missing(extra: str, *packages: str) -> str:
    """What is missing of some packages, and how to install it; empty where all are there. None of them is imported."""
    gone = [_NAMES.get(package, package) for package in packages if find_spec(package) is None]
    if not gone:
        return ""
    verb = "is" if len(gone) == 1 else "are"
    return f"{' and '.join(gone)} {verb} not installed; install with: {how_to_install(extra)}"
