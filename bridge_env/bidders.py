"""Define the three trivial bidders, and resolve spec strings to bidders.

Specs: ``pass``, ``random``, ``doubler``, ``python:my_file.py:MyBidder`` and ``python:package.module:factory`` (your
own), and whatever packages publish in the entry-point group ``bridge_env.bidders`` (``system:sayc``,
``pair:SPEC,SPEC`` ...).
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import sys
import traceback
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import getattr_static
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.calls import DOUBLE, PASS, bid_call
from bridge_env.protocols import Bidder, Partnership
from bridge_env.streams import uniforms
from bridge_env.view import BidView

ENTRY_POINT_GROUP = "bridge_env.bidders"
DEFAULT_BIDDER = "system:two-over-one"  # where nobody says otherwise
FOLDERS: list[str] = []
"""Where ``python:module:factory`` looks besides, after all installed packages. Nothing else is imported from there,
before such a spec is: a library that only tries whether another is there would run what lies in the folder."""
_TWO_NOTRUMP = bid_call(2, 4)
_NOT_THERE = (ImportError, AttributeError)
_LONGEST_WORDS = 2000  # characters of another's error


class SpecError(ValueError):
    """A spec string that names no bidder; the message quotes it and lists what there is."""


@dataclass(frozen=True)
class PassBidder:
    """Always passes."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        return np.full(len(view), PASS, np.int8)


@dataclass(frozen=True)
class RandomBidder:
    """Makes each legal call with equal probability."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        rank = (uniforms(key, 1)[:, 0] * view.mask.sum(axis=1)).astype(np.int64)
        chosen: NDArray[np.intp] = (np.cumsum(view.mask, axis=1) == rank[:, None] + 1).argmax(axis=1)
        return chosen.astype(np.int8)


@dataclass(frozen=True)
class DoublerBidder:
    """Passes, but doubles any opposing bid from 2NT up."""

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        highest = view.history.max(axis=1, initial=PASS)  # bids stand above all other calls, and rise
        double = view.mask[:, DOUBLE] & (highest >= _TWO_NOTRUMP)
        return np.where(double, DOUBLE, PASS).astype(np.int8)


def player_at(bidder: Bidder, seat: int) -> Bidder:
    """Return the player at ``seat`` 0..3 if ``bidder`` bids for that side.

    Raises:
        SpecError: somebody's own partnership has none there.
    """
    if not implements(bidder, Partnership):
        return bidder
    with _told(f"{type(bidder).__name__}.player({seat}) failed"):
        player: Bidder = bidder.player(seat)  # type: ignore[attr-defined]
    if not implements(player, Bidder):
        raise SpecError(f"{type(bidder).__name__}.player({seat}) gave {type(player).__name__}, which cannot bid")
    return player


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
        raise SpecError(f"{_shown(spec)} is neither a spec string nor a Bidder (an object with bid(view, key))")
    head, _, argument = full_spec(spec).partition(":")
    if argument == spec.strip() and _is_champion(argument):
        raise SpecError(
            f"{argument!r} names two bidders: system:{argument}, a system, and policy:{argument}, a network"
        )
    if head in _TRIVIAL:
        if argument:
            raise SpecError(f"{spec!r}: {head!r} takes no argument")
        return _TRIVIAL[head]()
    if head == "python":
        own: Bidder = from_python(spec.strip(), Bidder, "bid(view, key)")
        return own
    published = _published().get(head)
    if published is None:
        known = [*_TRIVIAL, *(f"{name}:..." for name in sorted(_published())), "python:module:factory"]
        near = difflib.get_close_matches(head, [*_TRIVIAL, *_published(), "python"], n=1)
        meant = f"; did you mean {near[0]}:{argument}?" if near else ""
        raise SpecError(f"{spec!r} names no bidder; there are {', '.join(known)}{meant}")
    return _from_published(spec, published, argument, partner, opponents)


def _is_champion(word: str) -> bool:
    """Is a network of this name a player too, and not one that stands in for players of the system?"""
    published = _published().get("policy")
    try:
        found = published.load()(word) if published is not None else None
    except (ValueError, OSError):  # or a file of that name that is no network
        return False
    return getattr(getattr(found, "networks", None), "trained", {}).get("role") == "champion"


def _from_published(
    spec: str, published: EntryPoint, argument: str, partner: str | None, opponents: str | None
) -> Bidder:
    """Make a bidder by the factory of some package, which may fail in any way."""
    package = published.value.partition(":")[0].partition(".")[0]
    try:
        factory = published.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # code of others may do anything
        hint = f"; does another package named {package!r} hide it?" if isinstance(error, _NOT_THERE) else ""
        raise SpecError(f"{spec!r}: cannot load {published.value}: {_short(error)}{hint}") from error
    failed = _told(f"{spec!r}: {published.value} failed", "; it is called as factory(argument, partner=, opponents=)")
    with contextlib.nullcontext() if package == "agents" else failed:  # ours have said what is wrong
        bidder: Bidder = factory(argument, partner=partner, opponents=opponents)
    if not implements(bidder, Bidder):
        raise SpecError(f"{spec!r}: {published.value} gave {type(bidder).__name__}, which has no method bid(view, key)")
    return bidder


def implements(player: object, kind: type[Any]) -> bool:
    """Has this object, no class, the methods of a protocol? One that cannot be looked at has none."""
    try:
        return isinstance(player, kind) and not isinstance(player, type) and not _has_data(player, kind)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return False


def _has_data(player: object, kind: type[Any]) -> bool:
    """Does something that cannot be called have the name of a method of the protocol?"""
    names = [name for name, value in vars(kind).items() if callable(value) and not name.startswith("_")]
    found = [getattr_static(player, name, print) for name in names]
    return any(not callable(each) and not hasattr(type(each), "__get__") for each in found)


def _shown(thing: object) -> str:
    try:
        return repr(thing)
    except KeyboardInterrupt:
        raise
    except BaseException:  # somebody's own may fail in any way
        return f"this {type(thing).__name__}"


@contextlib.contextmanager
def _told(what: str, more: str = "") -> Iterator[None]:
    """Run code of others, which may do anything: a fault of it becomes a SpecError, ``what`` it is, and ``more``."""
    try:
        yield
    except (SpecError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise SpecError(f"{what}: {_short(error)}{more}") from error


def _short(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip()[:_LONGEST_WORDS]


@lru_cache(maxsize=1)
def _published() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def from_python(spec: str, kind: type[Any], method: str) -> Any:
    """Load ``python:package.module:factory`` or ``python:FILE.py:factory``.

    The factory, such as a class, is called without arguments; a ready player is taken as it is.

    Args:
        kind: the protocol that it has to meet, ``Bidder`` or ``CardPlayer``.
        method: how that is told to the user, such as ``bid(view, key)``.

    Raises:
        SpecError: the module or the object cannot be had, or is no ``kind``; the message says why.
    """
    module_name, _, attribute = spec.partition(":")[2].rpartition(":")
    if not module_name or not attribute or attribute.endswith(".py"):
        raise SpecError(f"{spec!r}: write python:package.module:factory or python:my_file.py:MyBidder")
    path = Path(module_name)
    if path.suffix == ".py" and not path.is_file():
        raise SpecError(f"{spec!r}: there is no file {module_name}")
    if path.suffix != ".py":
        sys.path += [folder for folder in FOLDERS if folder not in sys.path]
    with _told(f"{spec!r}: cannot import {module_name!r}"):
        target: Any = _from_file(path.resolve()) if path.suffix == ".py" else importlib.import_module(module_name)
    try:
        for name in attribute.split("."):
            target = getattr(target, name)
    except AttributeError as error:
        raise SpecError(f"{spec!r}: {error}") from error
    if implements(target, kind):
        return target
    with _told(f"{spec!r}: calling {attribute!r} without arguments failed"):
        made = target() if callable(target) else target
    if not implements(made, kind):
        raise SpecError(f"{spec!r} gave {type(made).__name__}, which has no method {method}")
    return made


def _from_file(path: Path) -> Any:
    """Import a Python file, which may import what lies beside it, as a script may."""
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # after all installed packages
    name = path.stem
    known = find_spec(name) if name.isidentifier() and name not in sys.modules else None
    if known is not None and known.origin == str(path):
        return importlib.import_module(name)  # so processes that are sent its objects find it
    if getattr(sys.modules.get(name), "__file__", None) == str(path):
        return sys.modules[name]
    name = f"{name}_{zlib.crc32(str(path).encode()):08x}"  # another module has its name
    if name not in sys.modules:
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[name])
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]
