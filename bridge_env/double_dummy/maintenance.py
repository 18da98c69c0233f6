"""Maintain libraries of solved deals: inspect, verify, merge, import."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import Library, LibraryError, check_tables, write_library, write_records
from bridge_env.double_dummy.protocol import DoubleDummy
from bridge_env.hands.packing import DEAL_BYTES
from bridge_env.io.files import PathLike
from bridge_env.rng import streams
from bridge_env.rules.calls import STRAINS
from bridge_env.rules.cards import SEATS


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


def verify(path: PathLike, sample: int = 20, *, solver: DoubleDummy | None = None, seed: int = 0) -> int:
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
    return verify_sample(library.path.name, library.owners(), library.tricks_at(), sample, solver=solver, seed=seed)


def verify_sample(
    name: str, owner: ArrayLike, tricks: ArrayLike, sample: int, *, solver: DoubleDummy | None = None, seed: int = 0
) -> int:
    """Solve ``sample`` random deals of ``owner`` (N, 52) again and compare with ``tricks`` (N, 4, 5).

    Returns:
        How many were solved.

    Raises:
        LibraryError: an entry differs; names the deal, the entry and both numbers, and ``name``.
    """
    deals, tables = np.asarray(owner, np.uint8), np.asarray(tricks)
    chosen = np.sort(np.argsort(streams.key("verify", seed, np.arange(len(deals))))[:sample])
    solved = (solver or ExactDoubleDummy()).tricks(deals[chosen])
    wrong = np.argwhere(solved != tables[chosen])
    if wrong.size:
        row, seat, strain = wrong[0]
        deal = chosen[row]
        raise LibraryError(
            f"{name}: deal {deal} has {SEATS[seat]} {tables[deal, seat, strain]} tricks in "
            f"{STRAINS[strain]}; solved again it is {solved[row, seat, strain]}"
        )
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
    deals = np.ascontiguousarray(records[:, :DEAL_BYTES]).view(f"S{DEAL_BYTES}").ravel()
    _, first, which = np.unique(deals, return_index=True, return_inverse=True)
    first_of = first[which]  # for every record the index of the first one with the same deal
    differs = np.flatnonzero((records != records[first_of]).any(axis=1))
    if differs.size:
        ends = np.cumsum([len(library) for library in libraries])
        a, b = (int(np.searchsorted(ends, i, "right")) for i in (first_of[differs[0]], differs[0]))
        raise LibraryError(f"{libraries[a].path} and {libraries[b].path} disagree about a deal: verify both")
    merged = records[first_of == np.arange(len(records))]
    write_records(out, merged, {"merged": [library.provenance for library in libraries]})
    return len(merged)


def import_npz(
    path: PathLike,
    out: PathLike,
    provenance: Mapping[str, Any],
    *,
    sample: int,
    solver: DoubleDummy | None = None,
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
    verified = verify_sample(str(path), owner, tricks, sample, solver=solver, seed=seed)
    write_library(out, owner, tricks, {**provenance, "verified": verified, "verified_seed": seed})
    return len(owner)
