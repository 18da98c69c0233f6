"""Solved deals on disk: a file of deals with their exact trick tables.

All numbers are little-endian and unsigned.

=======================  =======  ==================================================================
offset                   bytes    what
=======================  =======  ==================================================================
0                        8        magic, the ASCII text ``BRIDGEDD``
8                        4        format version, 1
12                       4        CRC-32 of everything from byte 64 to the end of the file
16                       8        number of deals, ``n``
24                       8        offset of the record of how it was made: ``64 + 23 * n``
32                       4        length of that record in bytes, ``m``
36                       24       zero, reserved
60                       4        CRC-32 of bytes 0..59
64 + 23 * i              13       deal ``i``, packed: 2 bits a card (see ``packing``)
64 + 23 * i + 13         10       table ``i``, packed: 4 bits an entry (see ``packing``)
64 + 23 * n              m        how it was made: a JSON object in ASCII, keys sorted; the file ends here
=======================  =======  ==================================================================

A file is never changed in place (``bridge_env.files``): a stop at any moment leaves the old file or the new one.
A reader holds the whole of it in memory: what others do to the file later, cutting it short among it, changes nothing.
"""

from __future__ import annotations

import functools
import json
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.cards import UInt8Array, check_deals
from bridge_env.double_dummy import canonical
from bridge_env.double_dummy.packing import (
    DEAL_BYTES,
    RECORD_BYTES,
    impossible_records,
    pack_records,
    unpack_deals,
    unpack_tables,
)
from bridge_env.files import FileError, atomic_write
from bridge_env.schema import parse_json

Int8Array = NDArray[np.int8]
IndexArray = NDArray[np.intp]

MAGIC, VERSION = b"BRIDGEDD", 1
HEADER = struct.Struct("<8sIIQQI24x")  # magic, version, CRC, deals, record offset, record length
HEADER_BYTES = 64
SPLITS = ("training", "judging", "all")
_AT_A_TIME = 1 << 14  # deals; the canonical forms of a million at once would take most of a gigabyte


class LibraryError(FileError):
    """A file that is not a whole, sound library of solved deals; the message names the file and the fault."""


def write_library(path: str | os.PathLike[str], owner: ArrayLike, tricks: ArrayLike, made: Mapping[str, Any]) -> None:
    """Write a library, all or nothing: the same deals, tables and record give the same bytes.

    Args:
        path: where to; an existing file is replaced.
        owner: uint8 (N, 52).
        tricks: int8 (N, 4, 5), entries 0..13.
        made: how the deals were made and solved; anything JSON can hold.

    Raises:
        DealError: not deals.
        ValueError: tables of another shape, or entries outside 0..13.
        OSError: the file cannot be written.
    """
    deals, tables = check_deals(owner), np.asarray(tricks)
    if tables.shape != (len(deals), 4, 5):
        raise ValueError(f"{len(deals)} deals need tricks of shape ({len(deals)}, 4, 5); got {tables.shape}")
    if tables.size and (tables.min() < 0 or tables.max() > 13):
        raise ValueError(f"tricks go from 0 to 13; got {tables.min()}..{tables.max()}")
    write_records(path, pack_records(deals, tables), made)


def write_records(path: str | os.PathLike[str], records: UInt8Array | bytearray, made: Mapping[str, Any]) -> None:
    """Write a library of deals and tables that are packed already, and right: as :func:`write_library` does.

    Args:
        records: uint8 (N, 23) as ``Library.records``, or its bytes in a row.
    """
    packed = memoryview(np.ascontiguousarray(records).data if isinstance(records, np.ndarray) else records)
    record = json.dumps(dict(made), sort_keys=True).encode("ascii")
    checksum = zlib.crc32(record, zlib.crc32(packed))
    offset = HEADER_BYTES + packed.nbytes
    header = HEADER.pack(MAGIC, VERSION, checksum, packed.nbytes // RECORD_BYTES, offset, len(record))
    atomic_write(path, [header, zlib.crc32(header).to_bytes(4, "little"), packed, record])


class Library:
    """Solved deals, unpacked on demand. Open one with :meth:`open`.

    It pickles as its path: workers read the file themselves.

    Attributes:
        path: the file.
        made: how the deals were made and solved.
        records: all deals with their tables as they are on disk, uint8 (n, 23), read-only: see the top of this module.
    """

    def __init__(self, path: Path, records: UInt8Array, made: dict[str, Any]) -> None:
        self.path = path
        self.made = made
        self.records = records

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Library:
        """Read a library and check that it is whole and that every deal and table is possible (1 to 2 ms a megabyte).

        Raises:
            LibraryError: it is no library, ends early, was changed, or is of a later version; the message says which.
            OSError: no such file, or it cannot be read.
        """
        path = Path(path)
        with path.open("rb") as stream:  # once: another may be put in its place meanwhile
            announced = _announced(stream.read(HEADER_BYTES))
            stream.seek(0)
            content = np.fromfile(stream, np.uint8, min(os.fstat(stream.fileno()).st_size, announced + 1))
        count, offset = _check(path, content)
        content.flags.writeable = False
        records = content[HEADER_BYTES:offset].reshape(count, RECORD_BYTES)
        if (wrong := impossible_records(records)) is not None:
            raise LibraryError(f"{path}: {wrong}")
        return cls(path, records, parse_json(bytes(content[offset:]), {...: Any}, f"{path}: its record", LibraryError))

    def __len__(self) -> int:
        return len(self.records)

    def __reduce__(self) -> tuple[Any, ...]:
        return Library.open, (self.path,)

    def __repr__(self) -> str:
        return f"<Library {self.path.name}: {len(self):,} solved deals>"

    def owners(self, indices: ArrayLike | None = None) -> UInt8Array:
        """Deals number ``indices`` (N,), or all of them: owner uint8 (N, 52).

        Raises:
            IndexError: no such deal.
        """
        return unpack_deals(self._rows(indices)[:, :DEAL_BYTES])

    def tricks_at(self, indices: ArrayLike | None = None) -> Int8Array:
        """Tables number ``indices`` (N,), or all of them: int8 (N, 4, 5) [declarer seat, strain].

        Raises:
            IndexError: no such deal.
        """
        return unpack_tables(self._rows(indices)[:, DEAL_BYTES:])

    def _rows(self, indices: ArrayLike | None) -> UInt8Array:
        if indices is None:
            return self.records
        return self.records[np.atleast_1d(np.asarray(indices, np.intp))]

    def tables_of(self, owner: ArrayLike) -> Int8Array:
        """Look up the tables int8 (N, 4, 5) of deals (N, 52); rows of -1 for deals not in the library.

        A deal is here if any of its 96 images under suit permutations and turns of the table is.

        Raises:
            DealError: not deals.
        """
        asked = canonical.canonical_form(owner)
        index = self._index_of(canonical.key_of_words(asked.words))
        out = np.full((len(index), 4, 5), -1, np.int8)
        row = np.flatnonzero(index >= 0)
        stored = canonical.canonical_form(self.owners(index[row]))
        same = (stored.words == asked.words[row]).all(axis=1)  # else two deals share a hash
        row, stored = row[same], stored[same]
        out[row] = stored.tricks_to(self.tricks_at(index[row]), asked[row])
        return out

    def split(self, name: str = "all") -> IndexArray:
        """Indices of the deals for ``"training"``, for ``"judging"`` (a quarter), or ``"all"``: intp.

        Raises:
            ValueError: another name.
        """
        if name not in SPLITS:
            raise ValueError(f"no split is called {name!r}; use one of {', '.join(SPLITS)}")
        return self._splits[name]

    @functools.cached_property
    def _splits(self) -> dict[str, IndexArray]:
        judging = canonical.key_is_judging(self._canonical_keys)
        splits = {
            "training": np.flatnonzero(~judging),
            "judging": np.flatnonzero(judging),
            "all": np.arange(len(self)),
        }
        for indices in splits.values():
            indices.flags.writeable = False  # they are handed out, and cached
        return splits

    @functools.cached_property
    def _canonical_keys(self) -> NDArray[np.uint64]:
        keys = np.empty(len(self), np.uint64)
        for first in range(0, len(self), _AT_A_TIME):
            part = slice(first, first + _AT_A_TIME)
            keys[part] = canonical.canonical_key(unpack_deals(self.records[part, :DEAL_BYTES]))
        return keys

    @functools.cached_property
    def _keys_in_order(self) -> tuple[NDArray[np.uint64], IndexArray]:
        """The canonical keys, sorted, and the index of the deal that each is of."""
        order = np.argsort(self._canonical_keys, kind="stable")
        return self._canonical_keys[order], order

    def _index_of(self, keys: NDArray[np.uint64]) -> IndexArray:
        """The first deal with each canonical key, intp (N,); -1 if there is none."""
        if not len(self):
            return np.full(len(keys), -1, np.intp)
        known, order = self._keys_in_order
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[at] == keys, order[at], -1)


def _announced(start: bytes) -> int:
    """How many bytes a sound header tells of; no more than itself where it is not sound: then the rest is not read."""
    if len(start) < HEADER_BYTES or zlib.crc32(start[:60]) != int.from_bytes(start[60:], "little"):
        return HEADER_BYTES
    _, _, _, _, offset, length = HEADER.unpack_from(start)
    return int(offset + length)


def _check(path: Path, content: UInt8Array) -> tuple[int, int]:
    """Number of deals and offset of the made-record of a file's ``content``, once all is found sound."""
    start = bytes(content[:HEADER_BYTES])
    if not start:
        raise LibraryError(f"{path}: the file is empty")
    if not MAGIC.startswith(start[: len(MAGIC)]):
        raise LibraryError(f"{path}: not a library of solved deals; it begins with {start[: len(MAGIC)]!r}")
    if len(start) < HEADER_BYTES:
        raise LibraryError(f"{path}: the file ends within its header, after {len(start)} bytes")
    _, version, checksum, count, offset, length = HEADER.unpack_from(start)
    if version > VERSION:
        raise LibraryError(
            f"{path}: written in format {version}, and this version reads up to {VERSION}; update bridge-env"
        )
    if zlib.crc32(start[:60]) != int.from_bytes(start[60:], "little"):
        raise LibraryError(f"{path}: the header's checksum is wrong")
    if len(content) < offset + length:
        raise LibraryError(f"{path}: the file ends after {len(content):,} of {offset + length:,} bytes")
    if len(content) > offset + length or offset != HEADER_BYTES + RECORD_BYTES * count:
        raise LibraryError(f"{path}: {len(content):,} bytes, but the header announces {offset + length:,}")
    if zlib.crc32(content[HEADER_BYTES:].data) != checksum:
        raise LibraryError(f"{path}: the checksum over {count:,} deals and their record is wrong")
    return count, offset


@functools.cache
def builtin_library() -> Library:
    """Return the library of random deals that ships with the package: opened at the first call, then kept."""
    return Library.open(Path(__file__).parents[1] / "data" / "solved_deals.bdl")
