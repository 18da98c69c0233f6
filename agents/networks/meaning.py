"""Read the measured meanings of a network's calls: the ranges that hold 19 in 20 hands, in a file beside it.

The file is one of ``bridge_env.io.weights``, with one row for each auction that came up often enough:

============  ======================  ============================================================================
member        type                    what it holds
============  ======================  ============================================================================
``key``       uint64 (K,), rising     a hash of the calls from the dealer on (``auction_keys``)
``count``     int32 (K,)              how often it was met
``ranges``    uint8 (K, 5, 2)         least and most, of which 2.5% of the hands lie below and above: high-card
                                      points, then cards of C D H S, of the seat that made the last call
============  ======================  ============================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidder_files import cached_by_mtime
from bridge_env.io.weights import read_weights, write_weights
from bridge_env.rng.streams import key as hashed

_EXPECTED = {"format": "bridge-env meanings", "version": 1}


@dataclass(frozen=True, eq=False)
class Meanings:
    """The rows of a file."""

    key: NDArray[np.uint64]
    count: NDArray[np.int32]
    ranges: NDArray[np.uint8]
    measured: Mapping[str, Any] = field(default_factory=dict)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Find the row of each auction; -1 if it occurred too rarely to measure."""
        if not len(self.key):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        return np.where(self.key[at] == keys, at, -1)


def auction_keys(history: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Return a hash of each auction up to and with each of its calls: uint64 (N, L) of histories int8 (N, L)."""
    out = np.empty(history.shape, np.uint64)
    now = np.broadcast_to(hashed("auction"), len(history)).copy()
    for column in range(history.shape[1]):
        now = hashed(now, history[:, column].astype(np.int64))
        out[:, column] = now
    return out


def path_beside(network: str | os.PathLike[str]) -> Path:
    """Return where the meanings of a network's file lie."""
    path = Path(network)
    return path.with_name(f"{path.stem}.meanings.npz")


def save(meanings: Meanings, path: str | os.PathLike[str]) -> None:
    """Write a file; a reader sees the old file or the new one."""
    arrays: dict[str, NDArray[Any]] = {"key": meanings.key, "count": meanings.count, "ranges": meanings.ranges}
    write_weights(path, _EXPECTED | {"measured": dict(meanings.measured)}, arrays, compressed=True)


def load(path: str | os.PathLike[str]) -> Meanings:
    """Read a file.

    Raises:
        FileError: it is missing, damaged or foreign.
    """
    header, arrays = read_weights(path, _EXPECTED)
    return Meanings(arrays["key"], arrays["count"], arrays["ranges"], dict(header.get("measured", {})))


_read = cached_by_mtime(load, 16)


def meanings_of(network: Path) -> Meanings | None:
    """Return the meanings beside a network's file, or None where there are none."""
    path = path_beside(network)
    return _read(path) if path.is_file() else None
