"""Maintain libraries of solved deals: inspect, verify, merge, import."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import Library, LibraryError, check_tables, write_library, write_records
from bridge_env.hands.packing import DEAL_BYTES
from bridge_env.io.files import PathLike
from bridge_env.rng import streams
from bridge_env.rules.calls import STRAINS
from bridge_env.rules.cards import SEATS, UInt8Array


def info(path: PathLike) -> dict[str, Any]:
    """Describe a library: file name, bytes, deals, those for training and for judging, how it was made.

    Raises:
        LibraryError: not an undamaged library.
    """
    library = Library.open(path)
    return {
        "file": library.path.name,
        "bytes": library.path.stat().st_size,
        "deals": len(library),
        "training": len(library.split("training")),
        "judging": len(library.split("judging")),
        "made": library.provenance,
    }


def verify(path: PathLike, sample: int = 20, *, solver: ExactDoubleDummy | None = None, seed: int = 0) -> int:
    """Check a library: its checksum, and a random sample solved again.

    Args:
        sample: deals to solve again, about 0.2 s of CPU each.
        solver: None = ``ExactDoubleDummy()``.
        seed: names the sample.

    Returns:
        How many deals were solved again: ``sample``, or all there are.

    Raises:
        LibraryError: damage, or a table that differs from the solver's.
    """
    library = Library.open(path)
    return _solve_again(library.path.name, library.owners(), library.tricks_at(), sample, solver, seed)


def _solve_again(
    name: str, owner: UInt8Array, tricks: NDArray[np.int8], sample: int, solver: ExactDoubleDummy | None, seed: int
) -> int:
    """Compare ``sample`` random deals with the solver's tables; return how many, or raise ``LibraryError``."""
    chosen = np.sort(np.argsort(streams.key("verify", seed, np.arange(len(owner))))[:sample])
    solved = (solver or ExactDoubleDummy()).tricks(owner[chosen])
    wrong = np.argwhere(solved != tricks[chosen])
    if wrong.size:
        row, seat, strain = wrong[0]
        entry = f"{SEATS[seat]} {tricks[chosen[row], seat, strain]} tricks in {STRAINS[strain]}"
        raise LibraryError(f"{name}: deal {chosen[row]} has {entry}; solved again it is {solved[row, seat, strain]}")
    return len(chosen)


def merge(paths: Sequence[PathLike], out: PathLike) -> int:
    """Merge several libraries into one, in their order, without duplicate deals.

    Returns:
        How many deals ``out`` holds.

    Raises:
        LibraryError: one is not an undamaged library, or two disagree about a deal.
    """
    libraries = [Library.open(path) for path in paths]
    records = np.concatenate([library.records for library in libraries])
    _, first, which = np.unique(records[:, :DEAL_BYTES], axis=0, return_index=True, return_inverse=True)
    differs = np.flatnonzero((records != records[first[which]]).any(axis=1))
    if differs.size:
        source = np.repeat([str(path) for path in paths], [len(library) for library in libraries])
        one, other = source[first[which[differs[0]]]], source[differs[0]]
        raise LibraryError(f"{one} and {other} disagree about a deal: verify both")
    merged = records[np.sort(first)]
    write_records(out, merged, {"merged": [library.provenance for library in libraries]})
    return len(merged)


def import_npz(
    path: PathLike,
    out: PathLike,
    provenance: Mapping[str, Any],
    *,
    sample: int,
    solver: ExactDoubleDummy | None = None,
    seed: int = 0,
) -> int:
    """Make a library of a NumPy file with ``owner`` uint8 (N, 52) and ``tricks`` int8 (N, 4, 5).

    Args:
        provenance: how the deals were made; the size of the verified sample is added.
        sample: deals to solve again first; nothing is written if one differs.
        solver: None = ``ExactDoubleDummy()``.
        seed: names the sample.

    Returns:
        How many deals ``out`` holds.

    Raises:
        LibraryError: not such a file, or a table that the solver does not confirm.
        OSError: no such file, or it cannot be read.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            owner, tricks = check_tables(file["owner"], file["tricks"])
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise LibraryError(f"{path}: not a NumPy file with solved deals, 'owner' and 'tricks': {error}") from None
    verified = _solve_again(str(path), owner, tricks, sample, solver, seed)
    write_library(out, owner, tricks, {**provenance, "verified": verified, "verified_seed": seed})
    return len(owner)
