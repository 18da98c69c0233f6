"""Describe how to install the optional dependencies of a part of this project."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAMES = {
    "stable_baselines3": "stable-baselines3",
    "sb3_contrib": "sb3-contrib",
    "sklearn": "scikit-learn",
    "ray": "Ray",
}


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, in a checkout or beside an installed wheel."""
    if (ROOT / "pyproject.toml").is_file():
        return f'pip install -e ".[{extra}]" -c constraints.txt'
    return f'pip install "bridge-env[{extra}]"'


def missing(extra: str, *packages: str) -> str:
    """Describe which packages are missing and how to install them; empty if none is. None of them is imported."""
    absent = [_NAMES.get(package, package) for package in packages if find_spec(package) is None]
    if not absent:
        return ""
    verb = "is" if len(absent) == 1 else "are"
    return f"{' and '.join(absent)} {verb} not installed; install with: {how_to_install(extra)}"
