"""Compile kernels with numba and cache their machine code on disk.

numba's cache dates a function by its own source file alone: after a change of a kernel or a constant that the function
uses from another file, old machine code would run. So all code lies in a folder named after a hash of the files that
hold kernels and of the modules that these import. The folder lies in ``NUMBA_CACHE_DIR`` or, without it, in the user's
cache folder.

``NUMBA_DISABLE_JIT=1`` leaves every kernel a plain Python function, to step through one in a debugger.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.extending import register_jitable

PACKAGES = ("bridge_env", "agents", "training")
_ROOT = Path(__file__).parents[2]
_IMPORT = re.compile(r"^from ([\w.]+) import ([^(\n]*)", re.MULTILINE)
_VERSIONS = 4  # folders that stay in the cache, for going back and forth between versions


def _sources_hash(root: Path) -> str:
    """Hash numba's version, the files below ``root`` that hold kernels and the modules that these import."""
    files: dict[Path, bytes] = {}
    for package in PACKAGES:
        for file in (root / package).rglob("*.py"):
            content = file.read_bytes()
            if b"njit" not in content:
                continue
            files[file] = content
            for module, names in _IMPORT.findall(content.decode()):
                for name in (module, *(f"{module}.{name.strip()}" for name in names.split(","))):
                    imported = root / (name.replace(".", "/") + ".py")
                    if imported.is_file():
                        files[imported] = imported.read_bytes()
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())  # type: ignore[attr-defined]
    for file in sorted(files):
        digest.update(files[file])
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """Return the folder of all versions: ``NUMBA_CACHE_DIR``, or ``bridge-env`` in the user's cache folder."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"]) / "bridge-env"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bridge-env"


FOLDER = _cache_root() / f"bridge-env-kernels-{_sources_hash(_ROOT)}"
"""Where the machine code of this version lies, once there is any."""


@cache
def _make_folder() -> bool:
    """Make ``FOLDER`` and delete those of old versions; return whether code can be written there."""
    try:
        if not FOLDER.is_dir():
            FOLDER.mkdir(parents=True)
            versions = sorted(FOLDER.parent.glob("bridge-env-kernels-*"), key=lambda folder: folder.stat().st_mtime)
            for old in versions[:-_VERSIONS]:
                shutil.rmtree(old, ignore_errors=True)
            if sys.stderr is not None and sys.stderr.isatty():
                print("compiling as needed, up to half a minute: once for each version", file=sys.stderr, flush=True)
    except OSError:
        pass  # the next line finds the folder missing or closed, and the warning says what to do
    writable = os.access(FOLDER, os.W_OK)
    if not writable:
        text = f"compiled code cannot be written to {FOLDER}, so every process compiles; set NUMBA_CACHE_DIR"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return writable


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function with ``numba.njit`` and cache it; used bare or with numba's options.

    With ``forceinline=True`` it is inlined into each kernel that calls it, and not cached. It has no compiled form of
    its own then: Python calls it as it is written. This takes half of the time to compile, because numba compiles
    wrappers for calls from Python, and another version for each number that a kernel passes as an argument. With
    ``forceinline=False`` it is the same, but the compiler decides where to inline it.
    """
    if function is None:
        return lambda given: njit(given, **options)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        np.seterr(over="ignore")  # hashes overflow on purpose, of which compiled code says nothing
        function.py_func = function  # type: ignore[attr-defined] # as a compiled kernel has it
        return function
    if "forceinline" in options:
        function.py_func = function  # type: ignore[attr-defined]
        return register_jitable(no_cfunc_wrapper=True, **options)(function)
    cached = _make_folder()
    # Set for each kernel, because numba reads its settings anew whenever the environment changes.
    numba.config.CACHE_DIR = str(FOLDER)  # type: ignore[attr-defined]
    # A kernel would inherit this option from the first kernel that calls it.
    return numba.njit(**{"forceinline": False, "cache": cached, **options})(function)
