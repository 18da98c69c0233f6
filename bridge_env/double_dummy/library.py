"""Read and write libraries: files of deals with their exact trick tables.

All numbers are little-endian and unsigned.

=======================  =======  ==================================================================
offset                   bytes    what
=======================  =======  ==================================================================
0                        8        magic, the ASCII text ``BRIDGEDD``
8                        4        format version, 1
12                       4        CRC-32 of everything from byte 64 to the end of the file
16                       8        number of deals, ``n``
24                       8        offset of its provenance: ``64 + 23 * n``
32                       4        length of the provenance in bytes, ``m``
36                       24       zero, reserved
60                       4        CRC-32 of bytes 0..59
64 + 23 * i              13       deal ``i``, packed: 2 bits a card (see ``packing``)
64 + 23 * i + 13         10       table ``i``, packed: 4 bits an entry (see ``packing``)
64 + 23 * n              m        provenance, how it was made: a JSON object in ASCII, keys sorted
=======================  =======  ==================================================================

A file is never changed in place (``bridge_env.io.files``): a stop at any moment leaves the old file or the new one.
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

from bridge_env.hands import canonical
from bridge_env.hands.packing import DEAL_BYTES, RECORD_BYTES, pack_records, unpack_deals, unpack_tables
from bridge_env.io.files import FileError, atomic_write
from bridge_env.rules.cards import UInt8Array, check_deals

Int8Array = NDArray[np.int8]
IndexArray = NDArray[np.intp]

MAGIC, VERSION = b"BRIDGEDD", 1
HEADER = struct.Struct("<8sIIQQI24x")  # magic, version, CRC, deals, offset and length of the provenance
HEADER_BYTES = 64
SPLITS = ("training", "judging", "all")
_AT_A_TIME = 1 << 14  # deals; the canonical forms of a million at once would take most of a gigabyte


class LibraryError(FileError):
    """A file that is not an undamaged library of solved deals; the message names the file and the fault."""


def write_library(
    path: str | os.PathLike[str], owner: ArrayLike, tricks: ArrayLike, provenance: Mapping[str, Any]
) -> None:
    """Write a library, all or nothing: the same deals, tables and provenance make the same bytes.

    Args:
        path: where to; an existing file is replaced.
        owner: uint8 (N, 52).
        tricks: int8 (N, 4, 5), entries 0..13.
        provenance: how the deals were made and solved; anything JSON can hold.

    Raises:
        DealError: not deals.
        ValueError: tables of another shape, or entries outside 0..13.
        OSError: the file cannot be written.
    """
    write_records(path, pack_records(*check_tables(owner, tricks)), provenance)


def check_tables(owner: ArrayLike, tricks: ArrayLike) -> tuple[UInt8Array, Int8Array]:
    """Return deals and their tables as arrays.

    Raises:
        DealError: not deals.
        ValueError: tables of another shape, or entries outside 0..13.
    """
    deals, tables = check_deals(owner), np.asarray(tricks)
    if tables.shape != (len(deals), 4, 5) or tables.dtype.kind not in "iu":
        wanted = f"whole numbers of shape ({len(deals)}, 4, 5)"
        raise ValueError(f"{len(deals)} deals need {wanted} as tricks; got {tables.dtype} {tables.shape}")
    if tables.size and (tables.min() < 0 or tables.max() > 13):
        raise ValueError(f"tricks go from 0 to 13; got {tables.min()}..{tables.max()}")
    return deals, tables.astype(np.int8)


def write_records(path: str | os.PathLike[str], records: UInt8Array | bytearray, provenance: Mapping[str, Any]) -> None:
    """Write a library of deals and tables that are packed already, as :func:`write_library` does.

    Args:
        records: uint8 (N, 23) as ``Library.records``, or its bytes in a row.
    """
    packed = memoryview(np.ascontiguousarray(records).data if isinstance(records, np.ndarray) else records)
    record = json.dumps(dict(provenance), sort_keys=True).encode("ascii")
    checksum = zlib.crc32(record, zlib.crc32(packed))
    offset = HEADER_BYTES + packed.nbytes
    header = HEADER.pack(MAGIC, VERSION, checksum, packed.nbytes // RECORD_BYTES, offset, len(record))
    atomic_write(path, [header, zlib.crc32(header).to_bytes(4, "little"), packed, record])


class Library:
    """Solved deals, unpacked on demand. Open one with :meth:`open`.

    It pickles as its path: workers read the file themselves.

    Attributes:
        path: the file.
        provenance: how the deals were made and solved.
        records: all deals with their tables as they are on disk, uint8 (n, 23), read-only: see the top of this module.
    """

    def __init__(self, path: Path, records: UInt8Array, provenance: dict[str, Any]) -> None:
        self.path, self.provenance, self.records = path, provenance, records

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Library:
        """Read a library and check that it is complete and undamaged.

        Raises:
            LibraryError: it is no library, ends early, was changed, or is of a later version; the message says which.
            OSError: no such file, or it cannot be read.
        """
        path = Path(path)
        content = np.fromfile(path, np.uint8)
        count, offset = _check(path, content)
        content.flags.writeable = False
        records = content[HEADER_BYTES:offset].reshape(count, RECORD_BYTES)
        return cls(path, records, json.loads(bytes(content[offset:])))

    def __len__(self) -> int:
        return len(self.records)

    def __reduce__(self) -> tuple[Any, ...]:
        return Library.open, (self.path,)

    def __repr__(self) -> str:
        return f"<Library {self.path.name}: {len(self):,} solved deals>"

    def owners(self, indices: ArrayLike | None = None) -> UInt8Array:
        """Return deals number ``indices`` (N,), or all of them: owner uint8 (N, 52).

        Raises:
            IndexError: no such deal.
        """
        return unpack_deals(self._rows(indices)[:, :DEAL_BYTES])

    def tricks_at(self, indices: ArrayLike | None = None) -> Int8Array:
        """Return tables number ``indices`` (N,), or all of them: int8 (N, 4, 5) [declarer seat, strain].

        Raises:
            IndexError: no such deal.
        """
        return unpack_tables(self._rows(indices)[:, DEAL_BYTES:])

    def _rows(self, indices: ArrayLike | None) -> UInt8Array:
        if indices is None:
            return self.records
        return self.records[np.atleast_1d(np.asarray(indices, np.intp))]

    def tables_of(self, owner: ArrayLike) -> Int8Array:
        """Look up the tables, int8 (N, 4, 5) of deals (N, 52); rows of -1 for deals not in the library.

        A deal is here if any of its 96 images under suit permutations and turns of the table is.

        Raises:
            DealError: not deals.
        """
        forms = canonical.canonical_form(owner)
        index = self._index_of(canonical.key_of_words(forms.words))
        out = np.full((len(index), 4, 5), -1, np.int8)
        row = np.flatnonzero(index >= 0)
        stored = canonical.canonical_form(self.owners(index[row]))
        same = (stored.words == forms.words[row]).all(axis=1)  # else two deals share a hash
        row, stored = row[same], stored[same]
        out[row] = stored.tricks_to(self.tricks_at(index[row]), forms[row])
        return out

    def split(self, name: str = "all") -> IndexArray:
        """Return the indices of the deals for ``"training"``, for ``"judging"`` (a quarter), or ``"all"``: intp.

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
            indices.flags.writeable = False  # callers get the cached arrays
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
        """Return the canonical keys, sorted, and the index of each one's deal."""
        order = np.argsort(self._canonical_keys, kind="stable")
        return self._canonical_keys[order], order

    def _index_of(self, keys: NDArray[np.uint64]) -> IndexArray:
        """Return the first deal with each canonical key, intp (N,); -1 if there is none."""
        if not len(self):
            return np.full(len(keys), -1, np.intp)
        known, order = self._keys_in_order
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[at] == keys, order[at], -1)


def _check(path: Path, content: UInt8Array) -> tuple[int, int]:
    """Return the number of deals and the offset of the provenance, once the file's ``content`` is found undamaged."""
    start = bytes(content[:HEADER_BYTES])
    if not start.startswith(MAGIC):
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
    if len(content) != offset + length:
        raise LibraryError(f"{path}: {len(content):,} bytes, but the header announces {offset + length:,}")
    if zlib.crc32(content[HEADER_BYTES:].data) != checksum:
        raise LibraryError(f"{path}: the checksum over {count:,} deals and their provenance is wrong")
    return count, offset


@functools.cache
def builtin_library() -> Library:
    """Return the library of random deals that ships with the package; it is opened once."""
    return Library.open(Path(__file__).parents[1] / "data" / "solved_deals.bdl")
