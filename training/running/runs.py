"""Run folders: ``results/<kind>/<name>/`` with a manifest, metrics and checkpoints that no kill can spoil."""

from __future__ import annotations

import contextlib
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

from bridge_env.files import FileError, atomic_write
from bridge_env.optional_dependencies import missing
from bridge_env.schema import Either, Number, check_shape, parse_json, read_json, read_json_lines
from training.running.settings import Settings

C = TypeVar("C", bound=Settings)

MANIFEST, METRICS, CHECKPOINT = "manifest.json", "metrics.jsonl", "checkpoint.json"
_PACKAGES = ("bridge-env", "numpy", "numba", "gymnasium", "ray", "endplay", "torch", "stable-baselines3", "sb3-contrib")
_WORD = Either(str, None)
_MANIFEST = {
    "config?": {...: Any}, "versions?": {...: _WORD}, "commit?": _WORD, "machine?": {...: Any}, "deals_sha256?": str,
    "kind?": str, "changes?": [Any],
}  # fmt: skip


class RunError(FileError):
    """A run folder that cannot be used, or a damaged file in it; the message names it and says what is wrong."""


def require(extra: str, *packages: str) -> None:
    """Check that packages are there, without importing them.

    Raises:
        RunError: one is missing; the message says how to install the extra that brings it.
    """
    if told := missing(extra, *packages):
        raise RunError(told)


def check_name(name: str | None) -> None:
    """Check the name of a run. A name is one word of a path, and does not begin with a point.

    Raises:
        RunError: it may not.
    """
    if name is None:
        return
    if not name.strip() or name[0] in ".-" or len(name.encode()) > 200 or any(c in "/\\\0" or c < " " for c in name):
        raise RunError(f"--name {name!r}: a run's name is a folder's, without '/' and not beginning with '.' or '-'")


def new_folder(root: Path, kind: str, name: str | None) -> Path:
    """A fresh run folder; without a name the next free ``run-001``, ``run-002`` ...

    Raises:
        RunError: the folder is there already, or the name is none of a folder.
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
    """The folder ``out``, or a fresh one below ``results``."""
    folder = out or new_folder(Path("results"), kind, None)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def manifest(config: Mapping[str, Any], deals: str) -> dict[str, Any]:
    """Return what a run was: config, versions, commit, the machine's kind, the hash of its deals."""
    return {
        "config": dict(config),
        "versions": {name: version_of(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "commit": _commit(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "deals_sha256": deals,
    }


def command_line(words: str, config: Any) -> str:
    """The command that makes a run with a config, a dataclass; options that are as by default are left out."""
    said = [words]
    for item in fields(config):
        value = getattr(config, item.name)
        if value != item.default:
            text = f"{value:g}" if isinstance(value, float) else shlex.quote(str(value))
            said.append(f"--{item.name.replace('_', '-')} {text}")
    return " ".join(said)


def portable(spec: str) -> str:
    """A spec without the folders above the one its file lies in: what a report may say on any machine."""
    head, colon, argument = spec.rpartition(":")
    path = Path(argument)
    return head + colon + "/".join(path.parts[-2:]) if path.is_absolute() else spec


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    atomic_write(folder / MANIFEST, json.dumps(content, indent=2, sort_keys=True) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read ``manifest.json``; empty where there is none.

    Raises:
        RunError: it is damaged.
    """
    try:
        content: dict[str, Any] = read_json(folder / MANIFEST, _MANIFEST, RunError)
    except FileNotFoundError:
        return {}
    return content


def config_of(folder: Path, kind: type[C]) -> C:
    """The config of a run as its manifest has it.

    Raises:
        RunError: the folder is not of a run of this kind, or the manifest is damaged.
    """
    manifest = read_manifest(folder)
    if "config" not in manifest:
        raise RunError(f"{folder} is not the folder of a run of this kind: its {MANIFEST} has no config")
    return as_config(manifest["config"], kind, f"{folder / MANIFEST}: config")


def as_config(content: Any, kind: type[C], source: str) -> C:
    """A config of what a file holds of it.

    Raises:
        RunError: fields that it does not have, or of other types, or values that make no sense.
    """
    check_shape(content, {f"{item.name}?": type(item.default) for item in fields(kind)}, source, RunError)
    try:
        config = kind(**content)
        config.check()
    except (TypeError, ValueError) as error:
        raise RunError(f"{source}: not of a run of this kind: {error}") from None
    return config


def note_of_other_code(folder: Path) -> str | None:
    """What to tell about going on with a run that another version of this code began; None where it is the same."""
    began, now = read_manifest(folder).get("commit"), _commit()
    if began is None or now is None or began == now:
        return None
    return (
        f"note: {folder} was begun at commit {began[:10]}, this is {now[:10]}: it goes on, "
        "but a run from one version alone may come to other systems"
    )


def shipped_deals() -> str:
    """The SHA-256 of the deals of the package."""
    from bridge_env.double_dummy.library import builtin_library

    return sha256(Path(builtin_library().path))


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version_of(package: str) -> str | None:
    """The version of an installed package; None where there is none."""
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


def save_checkpoint(folder: Path, state: Mapping[str, Any], step: str) -> None:
    """Write the state with its own checksum; never over one that is further.

    Args:
        state: what JSON can say.
        step: the field of the state that tells how far the run is.

    Raises:
        RunError: the checkpoint in the folder is further.
    """
    path = folder / CHECKPOINT
    there = state[step]
    with contextlib.suppress(FileNotFoundError, RunError):  # one that is damaged holds nobody up
        there = read_json(path, {"step?": Number()}, RunError).get("step", there)
    if there > state[step]:
        raise RunError(f"{path} is at {step} {there}, further than {state[step]}; does another process go on with it?")
    body = json.dumps(state, sort_keys=True)
    digest = hashlib.sha256(body.encode()).hexdigest()
    atomic_write(path, json.dumps({"sha256": digest, "step": state[step], "state": body}))


def load_checkpoint(folder: Path, shape: Any) -> dict[str, Any]:
    """The state that ``save_checkpoint`` wrote, of a ``shape`` (see ``bridge_env.schema``).

    Raises:
        RunError: no checkpoint, or a damaged one.
    """
    path = folder / CHECKPOINT
    outer = _read(folder, CHECKPOINT, {"sha256": str, "state": str}, read_json)
    if hashlib.sha256(outer["state"].encode()).hexdigest() != outer["sha256"]:
        raise RunError(f"{path} is damaged: its checksum is wrong")
    state: dict[str, Any] = parse_json(outer["state"], shape, f"{path}: state", RunError)
    return state


def has_begun(folder: Path) -> bool:
    """Return whether the folder's run has results."""
    try:
        return (folder / METRICS).stat().st_size > 0 and (folder / MANIFEST).is_file()
    except OSError:
        return False


def read_metrics(folder: Path, row: Any) -> list[dict[str, Any]]:
    """The metrics so far, each of the shape ``row``.

    Raises:
        RunError: there are none, or they are damaged.
    """
    return _read(folder, METRICS, row, read_json_lines)  # type: ignore[no-any-return]


def read_result(folder: Path, name: str, shape: Any) -> Any:
    """Return what another JSON file of a run holds, such as its verdict.

    Raises:
        RunError: there is no such file, or it is damaged.
    """
    return _read(folder, name, shape, read_json)


def _read(folder: Path, name: str, shape: Any, read: Callable[[Path, Any, type[FileError]], Any]) -> Any:
    try:
        return read(folder / name, shape, RunError)
    except FileNotFoundError:
        raise RunError(f"{folder} holds no {name}; is it the folder of a run?") from None


def write_metrics(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The metrics so far, one JSON object a line."""
    atomic_write(folder / METRICS, "".join(json.dumps(row) + "\n" for row in rows))
