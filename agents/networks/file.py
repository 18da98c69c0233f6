"""Read and write the files of a network: integers and a JSON header in an ``.npz`` that cannot run code.

``NAME.npz`` holds the policy. ``NAME.belief.npz`` beside it, if there is one, holds the belief that belongs to it. The
header of a network that bids by a book names its system, with a digest. The system is ``NAME.book.bidding`` beside the
file, or else the one of the package that has this name.

============================  ====================================================================================
member                        what it holds
============================  ====================================================================================
``header``                    JSON as uint8: format, version, input layout, the layers' scales, its training,
                              and the SHA-256 of all the rest; a belief's also names the policy that it is of
``weight_0``, ``weight_1`` ..  int16 (inputs, outputs) of each layer, first to last
``bias_0`` ...                int32 (outputs,)
============================  ====================================================================================
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from agents.networks.book import BOOK_LAYOUT, Book, SystemGuided, Terms, shared_book
from agents.networks.inputs import LAYOUT
from agents.networks.network import Layer, Network
from agents.systems.language.text import system_text
from agents.systems.library.shipped import hierarchy_of, shipped_systems
from bridge_env.bidders.observation import LAYOUT as OBSERVATIONS
from bridge_env.io.files import FileError, atomic_write
from bridge_env.io.weights import read_weights, write_weights

FORMAT, BELIEF_FORMAT = "bridge-env network", "bridge-env belief"
_EXPECTED: dict[str, Any] = {"format": FORMAT, "version": 2, "inputs": LAYOUT}
_READ = _EXPECTED | {"inputs": (LAYOUT, BOOK_LAYOUT, OBSERVATIONS)}
_BELIEF_EXPECTED = _EXPECTED | {"format": BELIEF_FORMAT}


@dataclass(frozen=True, eq=False)
class Networks:
    """What the files of a network hold."""

    policy: Network  # from the inputs to 38 calls
    belief: Network | None = None  # from the inputs to what the others hold (``agents.networks.belief``)
    trained: Mapping[str, Any] = field(default_factory=dict)  # what trained it, as JSON can say it
    book: Book | None = None  # the system that the policy bids by
    terms: Terms = field(default_factory=Terms)  # on which it bids by the book
    inputs: str = LAYOUT  # or OBSERVATIONS: ``agents.outputs.ObservationPolicy`` bids with such a network

    @property
    def player(self) -> Network | SystemGuided:
        """Return the policy, with its book if it has one."""
        return self.policy if self.book is None else SystemGuided(self.policy, self.book, self.terms)


def belief_path(path: str | os.PathLike[str]) -> Path:
    """Return where the belief of a network's file lies."""
    return Path(path).with_name(f"{Path(path).stem}.belief.npz")


def save(networks: Networks, path: str | os.PathLike[str]) -> None:
    """Write the files of the policy and, where it has them, of its belief and its book, never a part of one."""
    header = _EXPECTED | {"inputs": networks.inputs, "trained": dict(networks.trained)}
    if networks.book is not None:
        system = networks.book.hierarchy.system
        header |= {
            "inputs": BOOK_LAYOUT,
            "book": {"system": system.name, "digest": networks.book.digest, "terms": asdict(networks.terms)},
        }
        atomic_write(book_path(path), system_text(system))
    _write(header, networks.policy, path)
    if networks.belief is not None:
        save_belief(networks, path)
    else:
        belief_path(path).unlink(missing_ok=True)  # that of another network


def save_belief(networks: Networks, path: str | os.PathLike[str]) -> None:
    """Write the belief's file alone, beside the policy's at ``path``."""
    assert networks.belief is not None
    _write(_BELIEF_EXPECTED | {"policy": digest(networks.policy)}, networks.belief, belief_path(path))


def load(path: str | os.PathLike[str]) -> Networks:
    """Read a policy's file, and the belief's beside it. Nothing in them is ever run.

    Raises:
        FileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    policy, header = _read(path, _READ)
    book, terms = (None, Terms()) if "book" not in header else _book(path, header["book"])
    belief = None
    if belief_path(path).is_file():
        belief, says = _read(belief_path(path), _BELIEF_EXPECTED)
        if says.get("policy") != digest(policy):
            raise FileError(f"{belief_path(path)}: this belief is of another network; fit it again, or remove it")
    layout = OBSERVATIONS if header["inputs"] == OBSERVATIONS else LAYOUT
    return Networks(policy, belief, dict(header.get("trained", {})), book, terms, layout)


def book_path(path: str | os.PathLike[str]) -> Path:
    """Return where the system of a network that bids by a book lies."""
    return Path(path).with_name(f"{Path(path).stem}.book.bidding")


def _book(path: str | os.PathLike[str], book_header: Any) -> tuple[Book, Terms]:
    """Return the book that a header speaks of, or raise ``FileError`` with the places where it was sought."""
    name = book_header["system"]
    beside = book_path(path)
    places = [str(beside)] if beside.is_file() else []
    places += [name] if name in shipped_systems() else []
    for argument in places:
        book = book_of(argument)
        if book.digest == book_header["digest"]:
            return book, Terms(**book_header["terms"])
    raise FileError(
        f"{path}: it bids by the system {name!r}, of which "
        + (f"{' and '.join(places)} is another version" if places else f"there is no {beside.name} beside it")
        + f"; put the version that it learned by there, as {beside.name}"
    )


def book_of(argument: str) -> Book:
    """Return the book of a system, by ``NAME`` or ``FILE.bidding``; with one cache of auctions.

    Raises:
        SpecError: there is no such system, or its text is faulty.
    """
    return shared_book(hierarchy_of(argument).system)


def digest(network: Network) -> str:
    """Return a hash that identifies a network."""
    out = hashlib.sha256()
    for layer in network.layers:
        out.update(layer.weight.astype("<i2").tobytes() + layer.bias.astype("<i4").tobytes())
    return out.hexdigest()


def _write(header: Mapping[str, Any], network: Network, path: str | os.PathLike[str]) -> None:
    arrays: dict[str, NDArray[Any]] = {}
    for number, layer in enumerate(network.layers):
        arrays[f"weight_{number}"], arrays[f"bias_{number}"] = layer.weight, layer.bias
    scales = [layer.scale for layer in network.layers]
    write_weights(path, {**header, "scales": scales}, arrays, compressed=True)


def _read(path: str | os.PathLike[str], expected: Mapping[str, Any]) -> tuple[Network, Mapping[str, Any]]:
    header, arrays = read_weights(path, expected)
    layers = [Layer(arrays[f"weight_{i}"], arrays[f"bias_{i}"], scale) for i, scale in enumerate(header["scales"])]
    return Network(tuple(layers)), header
