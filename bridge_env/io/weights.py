"""Read and write learned weights: arrays and a JSON header in an ``.npz`` without pickles.

The header is the member ``header``, JSON as uint8. It names the ``format`` and its ``version``, and holds the
SHA-256 of itself and of all arrays. Policies and trick estimators are such files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.io.files import FileError, atomic_write
from bridge_env.io.json_files import decode_json

Header = dict[str, Any]
Weights = dict[str, NDArray[Any]]


def write_weights(
    path: str | os.PathLike[str],
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    compressed: bool = False,
) -> None:
    """Write a file, all or nothing. The same input makes the same bytes.

    Args:
        header: JSON; ``format`` (str) and ``version`` must be in it.
        compressed: pack the arrays, for small files.
    """
    weights = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content = dict(header) | {"sha256": _checksum(header, weights)}
    text = np.frombuffer(json.dumps(content, sort_keys=True).encode(), np.uint8)
    packed = BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(packed, allow_pickle=False, header=text, **weights)
    atomic_write(path, packed.getvalue())


def read_weights(path: str | os.PathLike[str], expected: Mapping[str, Any]) -> tuple[Header, Weights]:
    """Read and check a file. Nothing in it is ever run.

    Args:
        expected: entries that the header must have, or tuples of those it may have; ``format`` is looked at first.

    Returns:
        the header without its checksum, and the arrays.

    Raises:
        FileError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {member: file[member] for member in file.files}
        header = decode_json(arrays.pop("header").tobytes(), dict[str, Any], "its header")
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except Exception:  # zipfile and numpy fail in a dozen ways on files that are damaged or something else
        raise FileError(f"{path}: this is not a {expected['format']} file, or it is damaged") from None
    if header.get("format") != expected["format"]:
        raise FileError(f"{path}: this is not a {expected['format']} file: its header does not say so")
    for name, here in expected.items():
        if header.get(name) not in (here if isinstance(here, tuple) else (here,)):
            wrong = f"its {name} is {header.get(name)!r}; this program reads {here!r}"
            raise FileError(f"{path}: {wrong}; make the file again")
    if header.pop("sha256", None) != _checksum(header, arrays):
        raise FileError(f"{path}: damaged: its checksum is wrong")
    return header, arrays


def _checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].shape}".encode())
        digest.update(arrays[name].astype(arrays[name].dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
