"""Run folders: ``results/<kind>/<name>/`` with a manifest, metrics and checkpoints that no kill can spoil."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

MANIFEST, METRICS, CHECKPOINT = "manifest.json", "metrics.jsonl", "checkpoint.json"
_PACKAGES = ("bridge-env", "numpy", "numba", "gymnasium", "ray", "endplay", "torch", "stable-baselines3", "sb3-contrib")


class RunError(ValueError):
    """A run folder that cannot be used; the message says what to do."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part."""
    temporary = path.with_name(path.name + ".part")
    with temporary.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def new_folder(root: Path, kind: str, name: str | None) -> Path:
    """A fresh run folder; without a name the next free ``run-001``, ``run-002`` ...

    Raises:
        RunError: the folder is there already.
    """
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
                    f"{folder} is there already; go on with --resume {folder}, or choose another --name"
                ) from None
            number += 1
            continue
        return folder


def manifest(config: Mapping[str, Any], deals: str) -> dict[str, Any]:
    """What a run was: config, versions, commit, the machine's kind, the hash of its deals."""
    return {
        "config": dict(config),
        "versions": {name: _version(name) for name in _PACKAGES} | {"python": platform.python_version()},
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
            said.append(f"--{item.name} {text}")
    return " ".join(said)


def portable(spec: str) -> str:
    """A spec without the folders above the one its file lies in: what a report may say on any machine."""
    head, colon, argument = spec.rpartition(":")
    path = Path(argument)
    return head + colon + "/".join(path.parts[-2:]) if path.is_absolute() else spec


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    """Write ``manifest.json``."""
    write_atomically(folder / MANIFEST, json.dumps(content, indent=2, sort_keys=True) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read ``manifest.json``; empty where there is none."""
    path = folder / MANIFEST
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return content


def note_of_other_code(folder: Path) -> str | None:
    """What to tell about going on with a run that another version of this code began; None where it is the same."""
    began, now = read_manifest(folder).get("commit"), _commit()
    if began is None or now is None or began == now:
        return None
    return (
        f"note: {folder} was begun at commit {began[:10]}, this is {now[:10]}: it goes on, "
        "but a run from one version alone may come to other systems"
    )


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _version(package: str) -> str | None:
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
    """Write the state with its own checksum."""
    body = json.dumps(state, sort_keys=True)
    digest = hashlib.sha256(body.encode()).hexdigest()
    write_atomically(folder / CHECKPOINT, json.dumps({"sha256": digest, "state": body}))


def load_checkpoint(folder: Path) -> dict[str, Any]:
    """The state that ``save_checkpoint`` wrote.

    Raises:
        RunError: no checkpoint, or a damaged one.
    """
    path = folder / CHECKPOINT
    try:
        outer = json.loads(path.read_text(encoding="utf-8"))
        body, digest = outer["state"], outer["sha256"]
    except FileNotFoundError:
        raise RunError(f"{folder} holds no {CHECKPOINT}; is it the run folder?") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} cannot be read: {error}") from None
    if hashlib.sha256(body.encode()).hexdigest() != digest:
        raise RunError(f"{path} is damaged: its checksum is wrong")
    state: dict[str, Any] = json.loads(body)
    return state


def write_metrics(folder: Path, rows: list[Mapping[str, Any]]) -> None:
    """The metrics so far, one JSON object a line."""
    write_atomically(folder / METRICS, "".join(json.dumps(row) + "\n" for row in rows))
