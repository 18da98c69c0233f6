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
    """Return deals and their tables as arrays, or raise the errors of :func:`write_library`."""
    deals, tables = check_deals(owner), np.asarray(tricks)
    if tables.shape != (len(deals), 4, 5) or ((tables < 0) | (tables > 13)).any():
        raise ValueError(f"{len(deals)} deals need tricks 0..13 of shape ({len(deals)}, 4, 5); got {tables.shape}")
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
        records: all deals with their tables as they are on disk, uint8 (n, 23): see the top of this module.
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
        path, content = Path(path), np.fromfile(path, np.uint8)
        start = bytes(content[:HEADER_BYTES])
        if not start.startswith(MAGIC):
            raise LibraryError(f"{path}: not a library of solved deals; it begins with {start[: len(MAGIC)]!r}")
        if len(start) < HEADER_BYTES or zlib.crc32(start[:60]) != int.from_bytes(start[60:], "little"):
            raise LibraryError(f"{path}: the header is cut short, or its checksum is wrong")
        _, version, checksum, count, offset, length = HEADER.unpack_from(start)
        if version > VERSION:
            raise LibraryError(f"{path}: written in format {version}; this version reads {VERSION}; update bridge-env")
        if len(content) != offset + length or zlib.crc32(content[HEADER_BYTES:].data) != checksum:
            raise LibraryError(f"{path}: cut short or damaged: its length or the checksum of {count:,} deals is wrong")
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
        known, order = self._keys_in_order
        out = np.full((len(forms.words), 4, 5), -1, np.int8)
        if not len(self):
            return out
        keys = canonical.key_of_words(forms.words)
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        row = np.flatnonzero(known[at] == keys)
        index = order[at[row]]
        stored = canonical.canonical_form(self.owners(index))
        same = (stored.words == forms.words[row]).all(axis=1)  # else two deals share a hash
        row, index, stored = row[same], index[same], stored[same]
        out[row] = stored.tricks_to(self.tricks_at(index), forms[row])
        return out

    def split(self, name: str = "all") -> IndexArray:
        """Return the indices of the deals for ``"training"``, for ``"judging"`` (a quarter), or ``"all"``: intp.

        Raises:
            ValueError: another name.
        """
        if name not in self._splits:
            raise ValueError(f"no split is called {name!r}; use one of {', '.join(self._splits)}")
        return self._splits[name]

    @functools.cached_property
    def _splits(self) -> dict[str, IndexArray]:
        judging = canonical.key_is_judging(self._canonical_keys)
        return {
            "training": np.flatnonzero(~judging), "judging": np.flatnonzero(judging), "all": np.arange(len(self)),
        }  # fmt: skip

    @functools.cached_property
    def _canonical_keys(self) -> NDArray[np.uint64]:
        parts = np.array_split(self.records[:, :DEAL_BYTES], len(self) // _AT_A_TIME + 1)
        return np.concatenate([canonical.canonical_key(unpack_deals(part)) for part in parts])

    @functools.cached_property
    def _keys_in_order(self) -> tuple[NDArray[np.uint64], IndexArray]:
        """Return the canonical keys, sorted, and the index of each one's deal."""
        order = np.argsort(self._canonical_keys, kind="stable")
        return self._canonical_keys[order], order


@functools.cache
def builtin_library() -> Library:
    """Return the library of random deals that ships with the package; it is opened once."""
    return Library.open(Path(__file__).parents[1] / "data" / "solved_deals.bdl")
