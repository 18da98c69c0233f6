"""Find the files of bidding systems: those of the package by name, others by path, and the bases that they name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from bridge_env.bidders.registry import SpecError

SYSTEMS = Path(str(files("agents.systems") / "library"))
_GENERAL, _LAST_RESORT = "general", "last-resort"
GENERAL_FILE = SYSTEMS / f"{_GENERAL}.bidding"  # the general rules of systems that have none of their own
LAST_RESORT_FILE = SYSTEMS / f"{_LAST_RESORT}.bidding"
_BUILT_IN = ("pass", "random", "doubler")  # bidders that are no systems


def shipped_systems() -> list[str]:
    """Return the names of the systems that come with the package."""
    names = (file.stem for file in SYSTEMS.glob("*.bidding"))
    return sorted(name for name in names if name not in (_GENERAL, _LAST_RESORT))


def system_path(argument: str) -> Path:
    """Return the file of the system ``NAME`` or ``FILE.bidding``.

    Raises:
        SpecError: there is none; the message says which systems there are.
    """
    known = shipped_systems()
    if argument in known:
        return SYSTEMS / f"{argument}.bidding"
    if not Path(argument).is_file():
        near = difflib.get_close_matches(argument.lower(), [*known, *_BUILT_IN], n=1)
        raise SpecError(
            f"system:{argument}: there is no such file, and no such system is shipped ({', '.join(known)})"
            + (f"; did you mean {near[0]}?" if near else "")
        )
    return Path(argument)


def base_named(line: str) -> str | None:
    """Return the name in a line ``base: NAME``; None of any other line."""
    body = line.strip()
    return body[5:].partition(";")[0].strip() if body.startswith("base:") else None


def base_path(name: str, file: Path | None) -> Path:
    """Return the file of the base ``name`` of the system in ``file``; a text in no file may only name a shipped system.

    Raises:
        SpecError: there is none.
    """
    if file is None:
        if name not in (known := shipped_systems()):
            raise SpecError(f"a text that lies in no file may only change a shipped system ({', '.join(known)})")
        return system_path(name)
    beside = file.parent / name
    return beside if beside.is_file() else system_path(name)


def with_bases(path: Path) -> Iterator[Path]:
    """Iterate over a file and the files that it has as bases in turn, as far as they exist."""
    seen = set[Path]()
    while path.is_file() and path.resolve() not in seen:
        seen.add(path.resolve())
        yield path
        text = path.read_text(encoding="utf-8", errors="replace")
        name = next((name for raw in text.splitlines() if (name := base_named(raw)) is not None), None)
        if name is None:
            return
        try:
            path = base_path(name, path)
        except SpecError:
            return
