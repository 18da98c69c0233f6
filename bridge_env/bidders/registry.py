"""Resolve spec strings to bidders.

Specs: ``pass``, ``random``, ``doubler``, ``python:my_file.py:MyBidder`` and ``python:package.module:factory`` (your
own), and whatever packages publish in the entry-point group ``bridge_env.bidders`` (``system:sayc``,
``pair:SPEC,SPEC`` ...).
"""

from __future__ import annotations

import difflib
import importlib
import sys
import traceback
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from bridge_env.bidders.builtin import DoublerBidder, PassBidder, RandomBidder
from bridge_env.bidders.protocols import Bidder, Partnership
from bridge_env.io.files import FileError

ENTRY_POINT_GROUP = "bridge_env.bidders"
DEFAULT_BIDDER = "system:two-over-one"
FOLDERS: list[str] = []
"""Folders of modules for ``python:module:factory``; the first such spec adds them to ``sys.path``, after all others."""


class SpecError(ValueError):
    """A spec string that names no bidder; the message quotes it and lists those there are."""


def player_at(bidder: Bidder, seat: int) -> Bidder:
    """Return the player at ``seat`` 0..3 if ``bidder`` bids for that side."""
    return bidder.player(seat) if isinstance(bidder, Partnership) else bidder


_TRIVIAL: dict[str, type[PassBidder] | type[RandomBidder] | type[DoublerBidder]] = {
    "pass": PassBidder, "random": RandomBidder, "doubler": DoublerBidder,
}  # fmt: skip


def full_spec(spec: str) -> str:
    """Complete a short spec: a single word such as ``sayc`` names a system, ``system:sayc``."""
    word = spec.strip()
    alone = word and ":" not in word and word not in _TRIVIAL and word not in _published()
    return f"system:{word}" if alone and "system" in _published() else word


def make(spec: str | Bidder, *, partner: str | None = None, opponents: str | None = None) -> Bidder:
    """Make the bidder that ``spec`` names.

    Args:
        spec: a spec string, or a Bidder, which is returned as it is.
        partner: spec of the bidder across the table, for one that reads its calls; default: as itself.
        opponents: spec of the opponents' bidder, disclosed as at the table; default: as itself.

    Raises:
        SpecError: the spec names nothing, or its file or module cannot be used; the message says why.
    """
    if not isinstance(spec, str):
        if implements(spec, Bidder):
            return spec
        raise SpecError(f"{spec!r} is neither a spec string nor a Bidder (an object with bid(view, key))")
    head, _, argument = full_spec(spec).partition(":")
    if argument == spec.strip() == "champion":
        raise SpecError("'champion' names two bidders: system:champion, a system, and policy:champion, a network")
    if head in _TRIVIAL:
        if argument:
            raise SpecError(f"{spec!r}: {head!r} takes no argument")
        return _TRIVIAL[head]()
    if head == "python":
        return from_python(spec.strip(), Bidder, "bid(view, key)")
    published = _published().get(head)
    if published is None:
        known = [*_TRIVIAL, *(f"{name}:..." for name in sorted(_published())), "python:module:factory"]
        near = difflib.get_close_matches(head, [*_TRIVIAL, *_published(), "python"], n=1)
        meant = f"; did you mean {near[0]}:{argument}?" if near else ""
        raise SpecError(f"{spec!r} names no bidder; there are {', '.join(known)}{meant}")
    return _from_published(spec, published, argument, partner, opponents)


def _from_published(
    spec: str, published: EntryPoint, argument: str, partner: str | None, opponents: str | None
) -> Bidder:
    """Make a bidder by the factory of some package."""
    package = published.value.partition(":")[0].partition(".")[0]
    try:
        factory = published.load()
    except (ImportError, AttributeError) as error:
        hint = f"; does another package named {package!r} hide it?"
        raise SpecError(f"{spec!r}: cannot load {published.value}: {_last_line(error)}{hint}") from error
    try:
        bidder: Bidder = factory(argument, partner=partner, opponents=opponents)
    except FileError as error:
        raise SpecError(f"{spec!r}: {error}") from error
    if not implements(bidder, Bidder):
        raise SpecError(f"{spec!r}: {published.value} gave {type(bidder).__name__}, which has no method bid(view, key)")
    return bidder


def implements(player: object, protocol: type[Any]) -> bool:
    """Return whether an object, which is no class, has the methods of a protocol."""
    return isinstance(player, protocol) and not isinstance(player, type)


def _last_line(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()


@lru_cache(maxsize=1)
def _published() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def from_python(spec: str, protocol: type[Any], method: str) -> Any:
    """Load ``python:package.module:factory`` or ``python:FILE.py:factory``.

    The factory, such as a class, is called without arguments; a ready player is taken as it is.

    Args:
        protocol: ``Bidder`` or ``CardPlayer``.
        method: its method for messages, such as ``bid(view, key)``.

    Raises:
        SpecError: the module or the object cannot be loaded, or has not the methods; the message says why.
    """
    module_name, _, attribute = spec.partition(":")[2].rpartition(":")
    if not module_name or not attribute or attribute.endswith(".py"):
        raise SpecError(f"{spec!r}: write python:package.module:factory or python:my_file.py:MyBidder")
    path = Path(module_name)
    if path.suffix == ".py" and not path.is_file():
        raise SpecError(f"{spec!r}: there is no file {module_name}")
    try:
        target: Any = _module_of_file(path.resolve()) if path.suffix == ".py" else _module(module_name)
        for name in attribute.split("."):
            target = getattr(target, name)
        if not implements(target, protocol):
            target = target()
    except SpecError:
        raise
    except Exception as error:
        raise SpecError(f"{spec!r}: {_last_line(error)}") from error
    if not implements(target, protocol):
        raise SpecError(f"{spec!r} gave {type(target).__name__}, which has no method {method}")
    return target


def _module(name: str) -> Any:
    sys.path += [folder for folder in FOLDERS if folder not in sys.path]
    return importlib.import_module(name)


def _module_of_file(path: Path) -> Any:
    """Import a Python file, which may import its neighbours, as a script may; other processes find it by its name."""
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # after all installed packages
    module = importlib.import_module(path.stem)
    if Path(module.__file__ or "").resolve() != path:
        raise SpecError(f"python:{path}: another module is named {path.stem!r}; rename the file")
    return module
