"""Looking after libraries of solved deals: what is in one, is it right, make one of several, take one in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike

from bridge_env import streams
from bridge_env.calls import STRAINS
from bridge_env.cards import SEATS, DealError, check_deals
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import CorruptLibrary, ForeignFile, Library, write_library

PathLike = str | os.PathLike[str]


def info(path: PathLike) -> dict[str, Any]:
    """What a library holds: file name, bytes, deals, those for training and for judging, how it was made.

    Raises:
        LibraryError: not a whole, sound library.
    """
    library = Library.open(path)
    return {
        "file": library.path.name,
        "bytes": library.path.stat().st_size,
        "deals": len(library),
        "training": len(library.split("training")),
        "judging": len(library.split("judging")),
        "made": library.made,
    }


def verify(path: PathLike, sample: int = 20, threads: int | None = None, seed: int = 0) -> int:
    """Check a library: its checksum, every deal and entry, and a random sample solved again with DDS.

    Args:
        sample: deals to solve again, about 0.2 s of CPU each.
        threads: threads of DDS; None = all there are.
        seed: names the sample.

    Returns:
        How many deals were solved again: ``sample``, or all there are.

    Raises:
        LibraryError: what is wrong, and where.
    """
    library = Library.open(path)
    owner, tricks = library.owners(), library.tricks_at()
    try:
        check_deals(owner)
    except DealError as error:
        raise CorruptLibrary(f"{library.path}: {error}") from error
    impossible = np.flatnonzero((tricks > 13).any(axis=(1, 2)))
    if impossible.size:
        raise CorruptLibrary(f"{library.path}: the table of deal {impossible[0]} has more than 13 tricks")
    return verify_sample(library.path.name, owner, tricks, sample, threads=threads, seed=seed)


def verify_sample(
    name: str, owner: ArrayLike, tricks: ArrayLike, sample: int, *, threads: int | None = None, seed: int = 0
) -> int:
    """Solve ``sample`` random deals of ``owner`` (N, 52) again and compare with ``tricks`` (N, 4, 5).

    Returns:
        How many were solved.

    Raises:
        CorruptLibrary: an entry differs; names the deal, the entry and both numbers, and ``name``.
    """
    deals, tables = np.asarray(owner, np.uint8), np.asarray(tricks)
    chosen = np.sort(np.argsort(streams.key("verify", seed, np.arange(len(deals))))[:sample])
    solved = ExactDoubleDummy(threads).tricks(deals[chosen])
    wrong = np.argwhere(solved != tables[chosen])
    if wrong.size:
        row, seat, strain = wrong[0]
        deal = chosen[row]
        raise CorruptLibrary(
            f"{name}: deal {deal} gives {SEATS[seat]} {tables[deal, seat, strain]} tricks in "
            f"{STRAINS[strain]}, and DDS {solved[row, seat, strain]}"
        )
    return len(chosen)


def merge(paths: Sequence[PathLike], out: PathLike) -> int:
    """One library of several, in their order, each deal once.

    Returns:
        How many deals ``out`` holds.

    Raises:
        LibraryError: one is not a whole, sound library, or two disagree about a deal.
    """
    libraries = [Library.open(path) for path in paths]
    owner = np.concatenate([library.owners() for library in libraries])
    tricks = np.concatenate([library.tricks_at() for library in libraries])
    _, first, same_as = np.unique(owner, axis=0, return_index=True, return_inverse=True)
    first_of = first[same_as.reshape(-1)]
    differs = np.flatnonzero((tricks != tricks[first_of]).any(axis=(1, 2)))
    if differs.size:
        ends = np.cumsum([len(library) for library in libraries])
        a, b = (int(np.searchsorted(ends, i, "right")) for i in (first_of[differs[0]], differs[0]))
        raise CorruptLibrary(f"{libraries[a].path} and {libraries[b].path} disagree about a deal: verify both")
    keep = np.sort(first)
    write_library(out, owner[keep], tricks[keep], {"merged": [library.made for library in libraries]})
    return len(keep)


def import_npz(
    path: PathLike,
    out: PathLike,
    made: Mapping[str, Any],
    *,
    sample: int,
    threads: int | None = None,
    seed: int = 0,
) -> int:
    """Take in a NumPy file of ``owner`` uint8 (N, 52) and ``tricks`` int8 (N, 4, 5), once a sample is right.

    Args:
        made: how the deals were made; what was verified is added.
        sample: deals to solve again first; nothing is written if one differs.
        threads: threads of DDS.
        seed: names the sample.

    Returns:
        How many deals ``out`` holds.

    Raises:
        LibraryError: not such a file, or a table that DDS does not confirm.
        DealError: a row that is not a deal.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            owner, tricks = arrays["owner"], arrays["tricks"]
    except (KeyError, TypeError, ValueError, EOFError, BadZipFile) as error:
        raise ForeignFile(f"{path}: not a NumPy file with arrays 'owner' and 'tricks' ({error})") from error
    owner = check_deals(owner)
    if tricks.shape != (len(owner), 4, 5):
        raise ForeignFile(f"{path}: {len(owner)} deals, but tricks of shape {tricks.shape}")
    verified = verify_sample(Path(path).name, owner, tricks, sample, threads=threads, seed=seed)
    write_library(out, owner, tricks, {**made, "verified": verified, "verified_seed": seed})
    return len(owner)
