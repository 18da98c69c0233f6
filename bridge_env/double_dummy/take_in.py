"""Import solved deals of other programs from NumPy files, which may be damaged or claim more than they hold."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import DealError, UInt8Array, check_deals
from bridge_env.double_dummy.library import LibraryError, write_library
from bridge_env.double_dummy.maintenance import verify_sample
from bridge_env.files import PathLike
from bridge_env.protocols import DoubleDummy

MOST_PACKED = 20
"""Times its packed size that an array may unpack to: deals and tables cannot be packed to much less than a fourth."""
_LARGEST_HEADER = 1 << 12


def import_npz(
    path: PathLike,
    out: PathLike,
    made: Mapping[str, Any],
    *,
    sample: int,
    solver: DoubleDummy | None = None,
    seed: int = 0,
) -> int:
    """Take in a NumPy file of ``owner`` uint8 (N, 52) and ``tricks`` int8 (N, 4, 5), once a sample is right.

    Args:
        path: of the file; nothing in it is ever run.
        made: how the deals were made; what was verified is added.
        sample: deals to solve again first; nothing is written if one differs.
        solver: what solves them; None = ``ExactDoubleDummy()``.
        seed: names the sample.

    Returns:
        How many deals ``out`` holds.

    Raises:
        LibraryError: not such a file, or a table that the solver does not confirm.
        OSError: no such file, or it cannot be read.
    """
    with open(path, "rb"):
        pass  # no such file is told as such
    if not Path(path).is_file():
        raise LibraryError(f"{path}: no file, but something that may have no end")
    try:
        owner, tricks = _read(path)
    except LibraryError:
        raise
    except Exception as error:  # zipfile and numpy fail in a dozen ways on what is damaged
        why = str(error).split("\n")[0][:200] or type(error).__name__
        raise LibraryError(
            f"{path}: not a NumPy file with arrays 'owner' and 'tricks', or a damaged one ({why})"
        ) from error
    verified = verify_sample(Path(path).name, owner, tricks, sample, solver=solver, seed=seed)
    write_library(out, owner, tricks, {**made, "verified": verified, "verified_seed": seed})
    return len(owner)


def _read(path: PathLike) -> tuple[UInt8Array, NDArray[Any]]:
    """Deals uint8 (N, 52) and tables (N, 4, 5), all possible ones."""
    with zipfile.ZipFile(path) as archive:
        owner, tricks = _array(archive, path, "owner", (52,)), _array(archive, path, "tricks", (4, 5))
    if len(tricks) != len(owner):
        raise LibraryError(f"{path}: {len(owner)} deals, but tricks of shape {tricks.shape}")
    try:
        deals = check_deals(owner)
    except DealError as error:
        raise LibraryError(f"{path}: owner: {error}") from None
    bad = np.flatnonzero(((tricks < 0) | (tricks > 13)).any(axis=(1, 2)))
    if bad.size:
        raise LibraryError(f"{path}: tricks: those of deal {bad[0]} do not go from 0 to 13")
    return deals, tricks


def _array(archive: zipfile.ZipFile, path: PathLike, name: str, row: tuple[int, ...]) -> NDArray[Any]:
    """An array of whole numbers (N, *row). What its header tells is held against what is there before room is made."""
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > MOST_PACKED * info.compress_size + _LARGEST_HEADER:
        raise LibraryError(
            f"{path}: {name}: {info.compress_size:,} bytes that unpack to {info.file_size:,}; deals and tables "
            f"cannot be packed to less than one in {MOST_PACKED}"
        )
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, fortran, kind = read(file, max_header_size=_LARGEST_HEADER)
        count = shape[0] if shape else 0
        if shape != (count, *row) or fortran or kind.kind not in "iu":
            raise LibraryError(
                f"{path}: {name}: {kind} of shape {shape}, not whole numbers of shape (N, {str(row)[1:]}"
            )
        size = int(np.prod(shape, dtype=object)) * kind.itemsize
        if size > info.file_size:
            raise LibraryError(f"{path}: {name}: {info.file_size:,} bytes, but its shape {shape} tells of {size:,}")
        data = file.read()
    if len(data) != size:
        raise LibraryError(f"{path}: {name}: {len(data):,} bytes, but its shape {shape} tells of {size:,}")
    return np.frombuffer(data, kind).reshape(shape)
