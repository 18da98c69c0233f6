"""Files of learned weights: arrays (float32, if nothing else is said) and a JSON header in an ``.npz`` that cannot run
code.

The header is the member ``header``, JSON as uint8. It names the ``format`` and its ``version``, and holds the
SHA-256 of itself and of all arrays. Policies and trick estimators are such files.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from io import BytesIO
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.files import FileError, atomic_write, read_bounded
from bridge_env.schema import parse_json

_LARGEST_FILE = 1 << 28
_LARGEST_HEADER = 1 << 20
_HEADER = {"trained?": {...: Any}, ...: Any}
"""What trained the weights, where that is told."""

Header = dict[str, Any]
Weights = dict[str, NDArray[Any]]
_NO_KINDS: Mapping[str, str] = MappingProxyType({})


class WeightsError(FileError):
    """A file that is not what it should be, or is damaged; the message names the fault, not the file."""


def write_weights(
    path: str | os.PathLike[str],
    header: Mapping[str, Any],
    arrays: Mapping[str, ArrayLike],
    kinds: Mapping[str, str] = _NO_KINDS,
    *,
    compressed: bool = False,
) -> None:
    """Write a file; a reader sees the old file or the new one, never a part. The same input gives the same bytes.

    Args:
        header: JSON; ``format`` (str) and ``version`` must be in it.
        arrays: kept as float32, or as ``kinds`` says of their names.
        kinds: other types of arrays: ``{"hands": "uint8"}``.
        compressed: pack the arrays, for small files.
    """
    weights = {name: np.ascontiguousarray(array, kinds.get(name, "float32")) for name, array in arrays.items()}
    content = dict(header)
    content["sha256"] = _checksum(header, weights)
    text = np.frombuffer(json.dumps(content, sort_keys=True).encode(), np.uint8)
    packed = BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(packed, allow_pickle=False, header=text, **weights)
    atomic_write(path, packed.getvalue())


def read_weights(
    path: str | os.PathLike[str], kind: str, expected: Mapping[str, Any], kinds: Mapping[str, str] = _NO_KINDS
) -> tuple[Header, Weights]:
    """Read and check a file. Nothing in it is ever run.

    Args:
        kind: what it should be, for messages: "policy".
        expected: entries that the header must have, or tuples of those it may have; ``format`` is looked at first.
        kinds: the types of arrays that are not float32, by name.

    Returns:
        the header without its checksum, and the arrays.

    Raises:
        WeightsError: there is no such file, or it is damaged, foreign or too new; the message says which.
    """
    try:
        members = _members(os.fspath(path), kind)
        header = parse_json(members.pop("header").tobytes(), _HEADER, "its header", WeightsError)
        return _checked(header, members, kind, expected, kinds)
    except WeightsError:
        raise
    except FileNotFoundError:
        raise WeightsError("there is no such file") from None
    except KeyError as error:
        raise WeightsError(f"this is not a {kind} file: {error} is missing") from None
    except zipfile.BadZipFile as error:
        raise WeightsError(f"this is not a {kind} file, or it is damaged: {error}") from None
    except OSError as error:
        raise WeightsError(f"cannot be read: {error.strerror or error}") from None
    except Exception as error:  # zipfile and numpy fail in a dozen ways on what is damaged
        raise WeightsError(str(error).split("\n")[0][:200] or type(error).__name__) from None


def format_of(path: str | os.PathLike[str]) -> str | None:
    """Read the ``format`` that a file's header names; None if it is no file of weights. Nothing in it is ever run."""
    if not os.path.isfile(path):  # it may have no end
        return None
    try:
        with zipfile.ZipFile(os.fspath(path)) as archive:
            if archive.getinfo("header.npy").file_size > _LARGEST_HEADER:
                return None
        with np.load(os.fspath(path), allow_pickle=False) as file:
            header = parse_json(file["header"].tobytes(), {"format": str}, "its header")
        return str(header["format"])
    except Exception:  # zipfile and numpy fail in a dozen ways on what is no such file
        return None


def _members(name: str, kind: str) -> dict[str, NDArray[Any]]:
    content = BytesIO(read_bounded(name, _LARGEST_FILE, WeightsError))  # once: what was looked at is what is read
    with zipfile.ZipFile(content) as archive:
        if sum(info.file_size for info in archive.infolist()) > _LARGEST_FILE:
            raise WeightsError(f"too large for a {kind}; its limit is {_LARGEST_FILE >> 20} MiB")
    content.seek(0)
    with np.load(content, allow_pickle=False) as file:
        return {member: file[member] for member in file.files}


def _checked(
    header: Any, arrays: dict[str, NDArray[Any]], kind: str, expected: Mapping[str, Any], kinds: Mapping[str, str]
) -> tuple[Header, Weights]:
    if not isinstance(header, dict) or header.get("format") != expected["format"]:
        raise WeightsError(f"this is not a {kind} file: its header does not say so")
    for what, here in expected.items():
        if header.get(what) not in (here if isinstance(here, tuple) else (here,)):
            raise WeightsError(f"its {what} is {header.get(what)!r}; this program reads {here!r}; make the file again")
    digest = header.pop("sha256", None)
    for name, array in arrays.items():
        wanted = kinds.get(name, "float32")
        if not isinstance(array, np.ndarray) or array.dtype != wanted:
            raise WeightsError(f"damaged: its {'weights are' if wanted == 'float32' else name + ' is'} not {wanted}")
    if digest != _checksum(header, arrays):
        raise WeightsError("damaged: its checksum is wrong")
    return header, arrays


def _checksum(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].shape}".encode())
        digest.update(arrays[name].astype(arrays[name].dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
