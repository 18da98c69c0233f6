"""Read bidding systems by name: those of the package, files, and texts that lie in no file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.bidder_files import cached_by_mtime
from agents.options import read_options
from agents.systems.bidder import Hierarchy
from agents.systems.engine.compiler import compile_system
from agents.systems.language.files import GENERAL_FILE, shipped_systems, system_path, with_bases
from agents.systems.language.text import SystemTextError, load_system, parse_system
from agents.systems.language.tree import System
from agents.systems.library.conventions import without
from bridge_env.bidders.registry import SpecError

__all__ = ["hierarchy_of", "read_system", "register_system", "shipped_systems", "system_path", "with_general"]

_REGISTERED: dict[str, System] = {}  # systems that lie in no file, by the names that this process knows them by


@dataclass(frozen=True)
class _Usual:
    """The options of a system: conventions to leave out, and a system whose scorecards it takes."""

    without: str = ""
    cards: str = ""


def read_system(argument: str) -> System:
    """Return the system ``NAME`` or ``FILE.bidding``.

    A system without general rules of its own gets those of the package.

    ``NAME?without=splinter+support`` leaves conventions out, and ``NAME?cards=champion-strong`` takes the scorecards of
    another system.

    Raises:
        SpecError: no such system, or its text is faulty; the message says where.
    """
    if argument in _REGISTERED:
        return _REGISTERED[argument]
    name, _, options = argument.partition("?")
    path = system_path(name)
    try:
        system = with_general(load_system(path))
        given = read_options(options, f"system:{argument}", _Usual(), {}, "a system")
        if given.without:
            system = without(system, given.without.split("+"))
        if given.cards:
            system = system.with_cards(load_system(system_path(given.cards)).blocks)
        return system.renamed(argument) if given != _Usual() else system
    except SystemTextError as error:
        raise SpecError(str(error)) from error


def with_general(system: System) -> System:
    """Return the system with the general rules, unless it has rules of its own."""
    if any(not block.weighs for block in system.blocks):
        return system
    general = load_system(GENERAL_FILE)
    return System(system.name, system.lines, (*system.blocks, *general.blocks), system.comments)


def register_system(name: str, text: str) -> str:
    """Let this process know a system that lies in no file.

    A name means one text as long as the process lives: another text under the name of an earlier one gets a number
    behind it.

    Args:
        name: letters, digits, ``-`` and ``_``.
        text: the system, as a file would hold it.

    Returns:
        its spec, ``system:~NAME``.

    Raises:
        SpecError: the text is no system; the message has the line.
    """
    try:
        system = with_general(parse_system(text, source=f"{name}.bidding", name=name))
        _ = compile_system(system)
    except SystemTextError as error:
        raise SpecError(str(error)) from error
    number, known = 1, f"~{name}"
    while _REGISTERED.setdefault(known, system) != system:
        number += 1
        known = f"~{name}-{number}"
    return f"system:{known}"


def hierarchy_of(argument: str) -> Hierarchy:
    """Return the system ``NAME`` or ``FILE.bidding``, compiled once for a file and its bases as they are.

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


_known = cached_by_mtime(_compiled, 64, beside=lambda argument: tuple(with_bases(Path(argument.partition("?")[0]))))
