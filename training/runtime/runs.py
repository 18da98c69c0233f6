"""Run folders, ``results/<kind>/<name>/``: locks, manifests, metrics, checkpoints, logs of results, and progress."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from filelock import FileLock, Timeout

from bridge_env.io.files import FileError, atomic_write
from bridge_env.io.json_files import check_type, decode_json, read_json, read_json_lines
from bridge_env.io.optional_dependencies import missing
from training.runtime.settings import Settings

_locks: dict[Path, FileLock] = {}  # of this process
C = TypeVar("C", bound=Settings)
MANIFEST, METRICS, CHECKPOINT, RESULTS = "manifest.json", "metrics.jsonl", "checkpoint.json", "results.json"
LISTENERS: list[Callable[[Path, Sequence[Mapping[str, Any]]], None]] = []
"""Functions that take the metrics of a folder so far, whenever there are more (``training.runtime.tracking``)."""
_PACKAGES = ("bridge-env", "numpy", "numba", "gymnasium", "ray", "endplay", "torch", "stable-baselines3", "sb3-contrib")
_LOG_FORMAT = 5  # of logs of results
Row = TypeVar("Row")


class Progress:
    """Receive what a run does; this one shows nothing, and a command line shows bars."""

    def folder(self, folder: Path) -> None:
        """Report the run's folder, as soon as it is there."""

    def stage(self, what: str, total: float | None = None, unit: str = "board") -> None:
        """Begin a stage of the run, of ``total`` units where that is known; with the unit ``%`` it is 100."""

    def add(self, count: float) -> None:
        """Report units of the stage that were just done."""

    def to(self, done: float) -> None:
        """Report all units of the stage that are done."""

    def say(self, what: str) -> None:
        """Report what the stage does at the moment."""

    def note(self, text: str) -> None:
        """Report the latest figures."""


class InUse(FileError):
    """Report that another process writes there."""


def hold(path: Path) -> None:
    """Lock a folder or file until the end of this process; raise ``InUse`` where another process has locked it."""
    resolved = path.resolve()
    place = resolved / ".lock" if resolved.is_dir() else resolved.with_name(f".{resolved.name}.lock")
    try:
        _locks.setdefault(place, FileLock(place, timeout=0, thread_local=False)).acquire()
    except Timeout:
        raise InUse(f"{path} is in use by another process; wait for it, or name another place") from None


class RunError(FileError):
    """Report a run folder that cannot be used, or a damaged file in it; the message names it and the fault."""


def require(extra: str, *packages: str) -> None:
    """Raise ``RunError``, with how to install the extra, where a package of it is missing; none is imported."""
    if message := missing(extra, *packages):
        raise RunError(message)


def check_name(name: str | None) -> None:
    """Raise ``RunError`` where the name of a run cannot be a folder's, or begins with a dot."""
    if name is None:
        return
    if not name.strip() or name[0] in ".-" or len(name.encode()) > 200 or any(c in "/\\\0" or c < " " for c in name):
        raise RunError(f"--name {name!r}: a run's name is a folder's, without '/' and not beginning with '.' or '-'")


def new_folder(root: Path, kind: str, name: str | None) -> Path:
    """Make and return a run folder, without a name the next free ``run-001``; raise ``RunError`` where it exists."""
    check_name(name)
    parent = root / kind
    parent.mkdir(parents=True, exist_ok=True)
    if name is None:
        name = next(free for free in map("run-{:03d}".format, count(1)) if not (parent / free).exists())
    folder = parent / name
    if folder.exists():
        raise RunError(f"{folder} exists already; continue it with --resume {folder}, or choose another --name")
    folder.mkdir()
    return folder


def results_folder(out: Path | None, kind: str) -> Path:
    """Make and return the folder ``out``, or a fresh one below ``results``."""
    folder = out or new_folder(Path("results"), kind, None)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_run(kind: str, config: Settings, out: Path, name: str | None, resume: Path | None) -> Path:
    """Return the run folder ``out/kind/name``, without a name the next free ``run-001``, or ``resume``, locked and with
    its manifest; raise ``RunError`` where it cannot be used, ``InUse`` where another process uses it.
    """
    if resume is not None:
        hold(resume)
        write_manifest(resume, read_manifest(resume) | {"config": asdict(config)})
        return resume
    folder = new_folder(out, kind, name)
    hold(folder)
    write_manifest(folder, manifest(asdict(config)) | {"kind": kind})
    return folder


def resume_config(folder: Path, kind: type[C]) -> C:
    """Lock a run's folder, and return its config; raise ``RunError`` where it is not of a run of this kind or is
    damaged, ``InUse`` where another process uses it.
    """
    if folder.is_dir():
        hold(folder)
    source = folder / MANIFEST
    content = read_manifest(folder).get("config")
    if not isinstance(content, dict):
        raise RunError(f"{folder} is not the folder of a run of this kind: its {MANIFEST} has no config")
    unknown = content.keys() - {item.name for item in fields(kind)}
    if unknown:
        raise RunError(f"{source}: config: not of a run of this kind: it has {', '.join(sorted(unknown))}")
    config: C = check_type(content, kind, f"{source}: config", RunError)
    try:
        config.check()
    except ValueError as error:
        raise RunError(f"{source}: config: not of a run of this kind: {error}") from None
    return config


def manifest(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a run: config, versions, commit, hash of the code, kind of machine."""
    return {
        "config": dict(config),
        "versions": {name: version_of(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "commit": _commit(),
        "code": code_hash(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
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
    """Write ``manifest.json``."""
    atomic_write(folder / MANIFEST, json.dumps(content, indent=2, sort_keys=True) + "\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return ``manifest.json``, or an empty dict if there is none; raise ``RunError`` where it is damaged."""
    try:
        content: dict[str, Any] = read_json(folder / MANIFEST, dict[str, Any], RunError)
    except FileNotFoundError:
        return {}
    return content


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
    """Return the commit of the checkout that holds this file, or None."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


@cache
def code_hash() -> str:
    """Return a hash of the Python code and the bidding systems of the packages, which an installed copy has too."""
    root, digest = Path(__file__).parents[2], hashlib.sha256()
    for package in ("bridge_env", "agents", "training"):
        files = [path for pattern in ("*.py", "*.bidding") for path in (root / package).rglob(pattern)]
        for file in sorted(files):
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def write_metrics(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the metrics so far, one JSON object a line, and hand them to ``LISTENERS``."""
    atomic_write(folder / METRICS, "".join(json.dumps(row) + "\n" for row in rows))
    for listener in LISTENERS:
        listener(folder, rows)


def write_results(folder: Path, **content: Any) -> None:
    """Write ``results.json``."""
    atomic_write(folder / RESULTS, json.dumps(content, indent=1) + "\n")


def save_checkpoint(folder: Path, state: Mapping[str, Any]) -> None:
    """Write the state of a run, which JSON can represent."""
    atomic_write(folder / CHECKPOINT, json.dumps(state, sort_keys=True))


def read_result(folder: Path, name: str, kind: Any = dict[str, Any]) -> Any:
    """Return the content of a JSON file of a run as type ``kind``, of JSON lines each line; raise ``RunError`` where it
    is missing or damaged.
    """
    read = read_json_lines if name.endswith(".jsonl") else read_json
    try:
        return read(folder / name, kind, RunError)
    except FileNotFoundError:
        raise RunError(f"{folder} holds no {name}; is it the folder of a run?") from None


def to_dataframe(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a pandas DataFrame; raise ``ImportError`` where pandas is not installed."""
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]  # optional: nothing else needs it

    return pd.DataFrame(list(rows))


class RowsResult:
    """A result with ``rows``, dataclasses."""

    rows: Sequence[Any]

    def to_dataframe(self) -> Any:
        """Return the rows as a pandas DataFrame, of matches an opponent a row: IMPs a board, standard error ..."""
        return to_dataframe([asdict(row) for row in self.rows])


class ResultLogError(FileError):
    """Report a file of results that cannot be resumed; the message names it and the reason."""


class ResultLog(Generic[Row]):
    """Append results, of the type ``row`` that msgspec converts, to a file of JSON lines, whose first line is all that
    they depend on: a file with another ``header`` is refused.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], row: type[Row]) -> None:
        self.path, self.header, self.row = path, {**header, "format": _LOG_FORMAT}, row

    def read(self) -> list[Row]:
        """Return the results so far, and lock the file; a last line that was cut short is removed. Raise
        ``ResultLogError`` where it is of something else, ``InUse`` where another process adds to it.
        """
        hold(self.path)
        content = self.path.read_bytes() if self.path.exists() else b""
        complete = content[: content.rfind(b"\n") + 1]
        if not complete:
            self.path.write_text(json.dumps(self.header) + "\n", "utf-8")
            return []
        if len(complete) < len(content):
            with self.path.open("r+b") as stream:
                stream.truncate(len(complete))
        first, *lines = complete.splitlines()
        found = decode_json(first, dict[str, Any], f"{self.path}:1", ResultLogError)
        for name in dict.fromkeys([*self.header, *found]):
            if found.get(name) != self.header.get(name):
                raise ResultLogError(
                    f"{self.path} holds something else: its {name} is {found.get(name)!r}, not "
                    f"{self.header.get(name)!r}; name another file, or remove this one"
                )
        return [decode_json(line, self.row, f"{self.path}:{n}", ResultLogError) for n, line in enumerate(lines, 2)]

    def add(self, rows: Iterable[Row]) -> None:
        """Append results. ``read`` comes before it."""
        with self.path.open("ab") as stream:
            stream.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
