"""Begin a run in a new folder, or go on in the folder of an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from training.runtime import lock, runs
from training.runtime.settings import Settings

C = TypeVar("C", bound=Settings)


def open_run(
    kind: str, config: Settings, out: Path, name: str | None, resume: Path | None, deals: str | None = None
) -> Path:
    """Return a new run folder below ``out/kind``, or ``resume``, locked and with the run's manifest.

    Args:
        name: of the new folder; None for the next free ``run-001``, ``run-002`` ...
        deals: the hash of the deals that the run plays; None for that of the shipped ones.

    Raises:
        RunError: the folder cannot be used, or another process uses it.
    """
    if resume is not None:
        lock.hold(resume)
        runs.write_manifest(resume, runs.read_manifest(resume) | {"config": asdict(config)})
        return resume
    folder = runs.new_folder(out, kind, name)
    lock.hold(folder)
    content = runs.manifest(asdict(config), runs.shipped_deals() if deals is None else deals)
    runs.write_manifest(folder, content | {"kind": kind})
    return folder


def resume_config(folder: Path, kind: type[C]) -> C:
    """Lock a run's folder, so that no other process goes on with it, and return its config.

    Raises:
        RunError: another process uses the folder, it is not of a run of this kind, or its manifest is damaged.
    """
    if folder.is_dir():
        lock.hold(folder)
    return runs.config_of(folder, kind)


def to_dataframe(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a pandas DataFrame.

    Raises:
        ImportError: pandas is not installed.
    """
    import pandas as pd  # type: ignore[import-untyped, unused-ignore]  # optional: nothing else needs it

    return pd.DataFrame(list(rows))
