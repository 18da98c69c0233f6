"""Run folders: ``results/<kind>/<name>/`` with a manifest, metrics and checkpoints, each written atomically."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from bridge_env.io.files import FileError, atomic_write
from bridge_env.io.json_files import check_type, read_json, read_json_lines
from bridge_env.io.optional_dependencies import missing
from training.runtime.settings import Settings

C = TypeVar("C", bound=Settings)

MANIFEST, METRICS, CHECKPOINT = "manifest.json", "metrics.jsonl", "checkpoint.json"
_PACKAGES = ("bridge-env", "numpy", "numba", "gymnasium", "ray", "endplay", "torch", "stable-baselines3", "sb3-contrib")


class RunError(FileError):
    """A run folder that cannot be used, or a damaged file in it; the message names it and says what is wrong."""


def require(extra: str, *packages: str) -> None:
    """Check that packages are installed, without importing them.

    Raises:
        RunError: one is missing; the message says how to install the extra that brings it.
    """
    if message := missing(extra, *packages):
        raise RunError(message)


def check_name(name: str | None) -> None:
    """Check the name of a run: one part of a path, not beginning with a dot.

    Raises:
        RunError: the name cannot be a folder's.
    """
    if name is None:
        return
    if not name.strip() or name[0] in ".-" or len(name.encode()) > 200 or any(c in "/\\\0" or c < " " for c in name):
        raise RunError(f"--name {name!r}: a run's name is a folder's, without '/' and not beginning with '.' or '-'")


def new_folder(root: Path, kind: str, name: str | None) -> Path:
    """Make and return a run folder; without a name the next free ``run-001``, ``run-002`` ...

    Raises:
        RunError: the folder exists, or the name cannot be a folder's.
    """
    check_name(name)
    parent = root / kind
    parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = parent / (name or f"run-{number:03d}")
        try:
            folder.mkdir()
        except FileExistsError:
            if name:
                raise RunError(
                    f"{folder} exists already; continue it with --resume {folder}, or choose another --name"
                ) from None
            number += 1
            continue
        return folder


def results_folder(out: Path | None, kind: str) -> Path:
    """Make and return the folder ``out``, or a fresh one below ``results``."""
    folder = out or new_folder(Path("results"), kind, None)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def manifest(config: Mapping[str, Any], deals: str) -> dict[str, Any]:
    """Return the description of a run: config, versions, commit, kind of machine, hash of the deals."""
    return {
        "config": dict(config),
        "versions": {name: version_of(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "commit": _commit(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "deals_sha256": deals,
    }


def command_line(words: str, config: Any) -> str:
    """Return the command that makes a run with a config, a dataclass, without options at their defaults."""
    parts = [words]
    for item in fields(config):
        value = getattr(config, item.name)
        if value != item.default:
            text = f"{value:g}" if isinstance(value, float) else shlex.quote(str(value))
            parts.append(f"--{item.name.replace('_', '-')} {text}")
    return " ".join(parts)


def portable(spec: str) -> str:
    """Return a spec with an absolute path cut to its last two parts, for reports that go to other machines."""
    head, colon, argument = spec.rpartition(":")
    path = Path(argument)
    return head + colon + "/".join(path.parts[-2:]) if path.is_absolute() else spec


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    atomic_write(folder / MANIFEST, json.dumps(content, indent=2, sort_keys=True) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return ``manifest.json``, or an empty dict if there is none.

    Raises:
        RunError: it is damaged.
    """
    try:
        content: dict[str, Any] = read_json(folder / MANIFEST, dict[str, Any], RunError)
    except FileNotFoundError:
        return {}
    return content


def config_of(folder: Path, kind: type[C]) -> C:
    """Return the config of a run from its manifest.

    Raises:
        RunError: the folder is not of a run of this kind, or the manifest is damaged.
    """
    manifest = read_manifest(folder)
    if "config" not in manifest:
        raise RunError(f"{folder} is not the folder of a run of this kind: its {MANIFEST} has no config")
    return as_config(manifest["config"], kind, f"{folder / MANIFEST}: config")


def as_config(content: Any, kind: type[C], source: str) -> C:
    """Return the config that a file's ``content`` describes.

    Raises:
        RunError: a field is unknown or of another type, or a value makes no sense.
    """
    unknown = content.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise RunError(f"{source}: not of a run of this kind: it has {', '.join(sorted(unknown))}")
    config: C = check_type(content, kind, source, RunError)
    try:
        config.check()
    except ValueError as error:
        raise RunError(f"{source}: not of a run of this kind: {error}") from None
    return config


def note_of_other_code(folder: Path) -> str | None:
    """Return a warning if another commit of this code began the run, else None."""
    began, now = read_manifest(folder).get("commit"), _commit()
    if began is None or now is None or began == now:
        return None
    return (
        f"note: {folder} was begun at commit {began[:10]}, this is {now[:10]}: it goes on, "
        "but a run from one version alone may come to other systems"
    )


def shipped_deals() -> str:
    """Return the SHA-256 of the package's deals, in hex."""
    from bridge_env.double_dummy.library import builtin_library

    return sha256(Path(builtin_library().path))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent, capture_output=True, text=True, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def save_checkpoint(folder: Path, state: Mapping[str, Any]) -> None:
    """Write the state of a run, which JSON can represent."""
    atomic_write(folder / CHECKPOINT, json.dumps(state, sort_keys=True))


def load_checkpoint(folder: Path) -> dict[str, Any]:
    """Return the state that ``save_checkpoint`` wrote.

    Raises:
        RunError: there is no checkpoint, or it is damaged.
    """
    return _read(folder, CHECKPOINT, dict[str, Any], read_json)  # type: ignore[no-any-return]


def has_begun(folder: Path) -> bool:
    """Return whether the folder's run has results."""
    try:
        return (folder / METRICS).stat().st_size > 0 and (folder / MANIFEST).is_file()
    except OSError:
        return False


def read_metrics(folder: Path, row: Any = dict[str, Any]) -> list[dict[str, Any]]:
    """Return the metrics so far, each of type ``row`` as ``msgspec`` has types.

    Raises:
        RunError: there are none, or they are damaged.
    """
    return _read(folder, METRICS, row, read_json_lines)  # type: ignore[no-any-return]


def read_result(folder: Path, name: str, kind: Any) -> Any:
    """Return the content of another JSON file of a run, such as its verdict, as type ``kind``.

    Raises:
        RunError: there is no such file, or it is damaged.
    """
    return _read(folder, name, kind, read_json)


def _read(folder: Path, name: str, kind: Any, read: Callable[[Path, Any, type[FileError]], Any]) -> Any:
    try:
        return read(folder / name, kind, RunError)
    except FileNotFoundError:
        raise RunError(f"{folder} holds no {name}; is it the folder of a run?") from None


def write_metrics(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the metrics so far, one JSON object a line."""
    atomic_write(folder / METRICS, "".join(json.dumps(row) + "\n" for row in rows))
