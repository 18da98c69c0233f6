"""numba's ``njit``, with a cache on disk that forgets whenever any kernel of this project changes.

numba dates a cached function by its own file. That a kernel which it calls, in another file, is new, goes
unnoticed, and after an update old machine code would run. So the cache lies in a folder named after a hash of
all source files that hold kernels. ``NUMBA_CACHE_DIR`` says where, as for numba itself.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

PACKAGES = ("bridge_env", "agents")
_KEPT = 4  # folders of other versions, for those who go back and forth between them


def _sources_hash(root: Path) -> str:
    """A hash of the files below ``root`` that hold kernels."""
    digest = hashlib.sha256(numba.__version__.encode())
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            content = file.read_bytes()
            if b"njit" in content:
                digest.update(content)
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home())
    else:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "bridge-env"


def _prepare() -> None:
    """Point numba's cache at this version's folder; where none can be made, leave numba to find a place."""
    root = _cache_root()
    folder = root / f"kernels-{_sources_hash(Path(__file__).parent.parent)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        others = sorted(root.glob("kernels-*"), key=lambda f: f.stat().st_mtime)[:-_KEPT]
    except OSError:
        return
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    for other in others:
        shutil.rmtree(other, ignore_errors=True)


_prepare()


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``numba.njit(cache=True)``; used bare or with numba's options."""
    options = {"cache": True, **options}
    return numba.njit(**options) if function is None else numba.njit(**options)(function)
