"""Read bidding systems by name: those of the package, files, and texts that lie in no file."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from agents.bidder_files import read_once
from agents.hierarchy.bidder import Hierarchy
from agents.hierarchy.conventions import UnknownConvention, without
from agents.hierarchy.engine.compiled import compile_system
from agents.hierarchy.engine.last_resort import NAME
from agents.hierarchy.language.limits import lines_of
from agents.hierarchy.language.overrides import GENERAL, base_in, renumbered
from agents.hierarchy.language.text import SystemTextError, load_system, parse_system
from agents.hierarchy.language.tree import System
from agents.options import read_options
from bridge_env.bidders import SpecError

_SHIPPED = files("agents.hierarchy") / "systems"
_GENERAL = "general"
GENERAL_FILE = Path(str(_SHIPPED / f"{_GENERAL}.bidding"))  # the general rules of systems that have none of their own
_SPECIAL = ("pass", "random", "doubler")
_LENT: dict[str, System] = {}  # systems that lie in no file, by the names that this process knows them by


@dataclass(frozen=True)
class _Usual:
    """The options of a system: conventions to leave out."""

    without: str = ""


def shipped_systems() -> list[str]:
    """Names of the systems that come with the package."""
    names = (Path(str(f)).stem for f in _SHIPPED.iterdir() if str(f).endswith(".bidding"))
    return sorted(name for name in names if name not in (_GENERAL, NAME))


def system_path(argument: str) -> Path:
    """The file of the system that ``NAME`` or ``FILE.bidding`` stands for.

    Raises:
        SpecError: there is none; the message says which systems there are.
    """
    shipped = argument in shipped_systems()
    path = Path(str(_SHIPPED / f"{argument}.bidding")) if shipped else Path(argument)
    if not shipped and not path.is_file():
        near = difflib.get_close_matches(argument.lower(), [*shipped_systems(), *_SPECIAL], n=1)
        raise SpecError(
            f"system:{argument}: there is no such file, and no such system is shipped ({', '.join(shipped_systems())})"
            + (f"; did you mean {near[0]}?" if near else "")
        )
    return path


def read_system(argument: str) -> System:
    """The system that ``NAME`` or ``FILE.bidding`` stands for.

    A system without general rules of its own gets those of the package.

    ``NAME?without=splinter+support`` leaves conventions out.

    Raises:
        SpecError: no such system, or its text is faulty; the message says where.
    """
    if argument in _LENT:
        return _LENT[argument]
    name, _, options = argument.partition("?")
    path = system_path(name)
    try:
        system = with_general(load_system(path))
        left_out = read_options(options, f"system:{argument}", _Usual(), {}, "a system").without
        return without(system, left_out.split("+")).renamed(argument) if left_out else system
    except SystemTextError as error:
        raise SpecError(str(error)) from error
    except UnknownConvention as error:
        raise SpecError(f"system:{argument}: {error}") from error


def base_path(name: str, file: Path | None) -> Path:
    """The file of the base ``name`` of ``file``; of a text in no file, which may come from anywhere, a shipped system.

    Raises:
        SpecError: there is none.
    """
    if file is None:
        if name not in (known := shipped_systems()):
            raise SpecError(f"a text that lies in no file may only change a shipped system ({', '.join(known)})")
        return system_path(name)
    beside = file.parent / name
    return beside if beside.is_file() else system_path(name)


def bases_of(path: Path) -> Iterator[Path]:
    """A file, and those that it rests on in turn, as far as they are there."""
    seen = set[Path]()
    while path.is_file() and path.resolve() not in seen:
        seen.add(path.resolve())
        yield path
        text = path.read_bytes().decode(errors="replace")
        name = next((name for raw in lines_of(text) if (name := base_in(raw)) is not None), None)
        if name is None:
            return
        try:
            path = base_path(name, path)
        except SpecError:
            return


def read_base(name: str, file: Path | None, bases: tuple[Path, ...]) -> System:
    """The system that ``base: NAME`` stands for in ``file``: a shipped one, or a file, looked for beside that first.

    The general rules that a base without its own gets are numbered as such, above ``GENERAL``.

    Args:
        bases: the files that are being read, of which each wants the next one.

    Raises:
        SpecError: there is none; or SystemTextError: it is faulty, or rests on itself.
    """
    path = base_path(name, file)
    if path.resolve() in bases:
        raise SystemTextError(f"{path} would rest on itself")
    system = load_system(path, bases)
    return system if system.blocks else replace(system, blocks=renumbered(load_system(GENERAL_FILE), GENERAL).blocks)


def with_general(system: System) -> System:
    """The system with the general rules, unless it has rules of its own."""
    if system.blocks:
        return system
    general = load_system(GENERAL_FILE)
    return System(system.name, system.lines, general.blocks, system.comments)


def lend_system(name: str, text: str) -> str:
    """Let this process know a system that lies in no file.

    A name stands for one text as long as the process lives: another text under the name of an earlier one gets a
    number behind it.

    Args:
        name: letters, digits, ``-`` and ``_``.
        text: the system, as a file would hold it.

    Returns:
        its spec, ``system:~NAME``.

    Raises:
        SpecError: the text is no system; the message gives the line.
    """
    try:
        system = with_general(parse_system(text, source=f"{name}.bidding", name=name))
        _ = compile_system(system)
    except SystemTextError as error:
        raise SpecError(str(error)) from error
    number, known = 1, f"~{name}"
    while _LENT.setdefault(known, system) != system:
        number += 1
        known = f"~{name}-{number}"
    return f"system:{known}"


def forget_system(spec: str) -> None:
    """Forget a system that was lent, so that a process can be lent many in turn. Its name is not used again."""
    _LENT.pop(spec.removeprefix("system:"), None)


def hierarchy_of(argument: str) -> Hierarchy:
    """The system that ``NAME`` or ``FILE.bidding`` stands for, compiled once for a file and its bases as they are.

    Raises:
        SpecError: no such system, or its text is faulty.
    """
    return _known(argument.removeprefix("system:"))  # as in reason:system:sayc


def _compiled(argument: str) -> Hierarchy:
    hierarchy = Hierarchy(read_system(argument))
    try:
        _ = hierarchy.compiled
    except SystemTextError as error:
        raise SpecError(str(error)) from error
    return hierarchy


_known = read_once(_compiled, 64, lambda argument: tuple(bases_of(Path(argument.partition("?")[0]))))
