"""Provide numba's ``njit`` with a disk cache that is renewed when any kernel of this project changes.

numba dates a cached function by its own file. That a kernel which it calls, in another file, is new, goes
unnoticed, and after an update old machine code would run. So the cache lies in a folder named after a hash of
all source files that hold kernels. A constant of any file is compiled in, so the names of a kernel's files there hold
a hash of those that it and its callees use. ``NUMBA_CACHE_DIR`` says where, as for numba itself, when this module is
imported; numba reads its own settings anew whenever the environment changes, so the place is kept here. These hashes
are also all that dates a kernel: neither where its file lies nor when it was written counts, so a second copy of this
project, a wheel beside a checkout or a fresh clone, finds what the first has compiled.

A cache only saves time. Where there is no place for one, the kernels lie in a folder for temporary files, or are
compiled anew by every process; a file in it that is damaged, or a disk that is full, costs the compiling alone. One
warning tells of it.

Processes that start together compile every kernel once: who comes second to a kernel waits, and loads what the first
has kept. Code with numba's checks of bounds (``NUMBA_BOUNDSCHECK=1``), of which numba's own index knows nothing, has
a folder of its own.

Kernels are plain Python where ``NUMBA_DISABLE_JIT=1`` asks for it, to step through one in a debugger, and where
``interpret_unless_compiled`` finds that a call is sooner made than compiled.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import sigutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.types import unliteral

from bridge_env.kernel_parts import making, set_environments

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PACKAGES = ("bridge_env", "agents")
_ROOT = Path(__file__).parent.parent
_MARK = ".bridge-env"  # a file that tells our folders from others'
_TEMPORARY = "BRIDGE_ENV_TEMPORARY_KERNELS"  # tells processes of this one where to look
_PLAIN = (int, float, str, bytes, tuple, np.generic, np.dtype, type(None))  # constants that say what they are
_KEPT = 4  # folders of other versions, for those who go back and forth between them
_PATIENCE = 3.0  # seconds of compiling before it is told
_WAIT = 300.0  # seconds that a process leaves a kernel to another; then it compiles the kernel itself


def _sources_hash(root: Path) -> str:
    """A hash of the files below ``root`` that hold kernels."""
    digest = hashlib.sha256(numba.__version__.encode())
    if numba.config.BOUNDSCHECK:  # type: ignore[attr-defined]
        digest.update(b"bounds are checked")
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            content = file.read_bytes()
            if b"njit" in content:
                digest.update(content)
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """Return where the cache should lie.

    Raises:
        RuntimeError: nothing says where, and this user has no home.
    """
    given = os.environ.get(_TEMPORARY) or os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or str(Path.home())
    else:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "bridge-env"


def _temporary_root() -> Path:
    """A folder for temporary files.

    Raises:
        OSError: there is none, or others can have written to it.
    """
    root = Path(tempfile.gettempdir()) / f"bridge-env-{_user()}"
    root.mkdir(mode=0o700, exist_ok=True)
    _check_owner(root)
    return root


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _check_owner(folder: Path) -> None:
    """Is a folder one that only this user, the system's or a group of theirs can fill? What lies in it is run.

    Raises:
        PermissionError: others can.
    """
    found = folder.lstat()
    if sys.platform == "win32":
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (_user(), 0) or found.st_mode & stat.S_IWOTH:
        raise PermissionError(f"others may have written to {folder}, and what lies there would be run")


def _keep_others_out(folder: Path) -> None:
    """Let nobody else enter where this process makes files that everybody may write to."""
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    if not mask & stat.S_IWOTH and sys.platform != "win32" and folder.stat().st_uid == _user():
        folder.chmod(0o700)


def _in_root(root: Path) -> Path:
    """The folder of this version in ``root``, to read or to fill; ours of old versions are cleared away.

    Raises:
        OSError: there is none, and none can be made.
    """
    folder = root / f"kernels-{_sources_hash(_ROOT)}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o755, exist_ok=True)
        _check_owner(folder)
        _keep_others_out(folder)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(b"x")
            trial.flush()
        (folder / _MARK).touch()
    except OSError:
        if (folder / _MARK).is_file():  # filled before, and read-only now
            _check_owner(folder)
            return folder
        raise
    ours = [mark.parent for mark in root.glob(f"kernels-*/{_MARK}")]
    for other in sorted(ours, key=lambda f: f.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(other, ignore_errors=True)
    return folder


_warned = False


def _warn(text: str) -> None:
    """Tell once what costs time; later causes follow from the first."""
    global _warned  # noqa: PLW0603
    if not _warned:
        _warned = True
        warnings.warn(f"{text}; NUMBA_CACHE_DIR can name another place for compiled code", RuntimeWarning, stacklevel=3)


def _prepare() -> Path | None:
    """This version's folder, for the life of the process; None where there is no place for one."""
    try:
        folder = _in_root(_cache_root())
    except (OSError, RuntimeError) as error:
        try:
            root = _temporary_root()
            folder = _in_root(root)
        except OSError:
            _warn(f"compiled code cannot be kept ({error}), so every process compiles anew")
            return None
        _warn(f"compiled code cannot be kept where it should ({error}); it is kept in {root}")
        os.environ[_TEMPORARY] = str(root)  # processes of this one look there at once, and need not warn
    return folder


FOLDER = _prepare()


interpreted = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
"""Are kernels left as plain Python?"""
_any_made = False  # has a kernel been made, for good or in plain Python?


def interpret_unless_compiled(kernel: str) -> None:
    """Make plain Python of all kernels in this process if the disk holds none of this name, and none is made yet."""
    global interpreted  # noqa: PLW0603
    kept = FOLDER is not None and any(FOLDER.glob(f"*/*.{kernel}-*.nbi"))
    if not (_any_made or kept):
        interpreted = True
        np.seterr(over="ignore")  # hashes run over, in compiled code without a word


_Function = Callable[..., Any]
_constants_of: dict[_Function, str] = {}  # of the kernels so far; empty while it is found


def _constants_hash(function: _Function) -> str:
    """A hash of the constants that are compiled into a kernel and into the kernels that it calls."""
    if function not in _constants_of:
        _constants_of[function] = ""
        digest = hashlib.sha256()
        for name, value in sorted(_globals_of(function).items()):
            if isinstance(value, np.ndarray):
                digest.update(f"{name} {value.dtype} {value.shape} ".encode() + value.tobytes())
            elif isinstance(value, _PLAIN):
                digest.update(f"{name} {value!r} ".encode())
            elif isinstance(value, Dispatcher):
                digest.update(_constants_hash(value.py_func).encode())
        _constants_of[function] = digest.hexdigest()[:12]
    return _constants_of[function]


def _globals_of(function: _Function) -> dict[str, Any]:
    """What the names in a function's code stand for, those of modules' members too."""
    codes = [function.__code__]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    names = {name for code in codes for name in code.co_names}
    found = {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    for module, value in list(found.items()):
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in ("numpy", "numba", "math"):
            found |= {f"{module}.{name}": vars(value)[name] for name in names & vars(value).keys()}
    return found


class _Place:
    """Where the kernels of one file lie below this version's folder (numba's "locator").

    The folder alone dates those of our packages. Kernels of other packages are dated by their own files as well.
    """

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file  # numba names it in its own warnings
        self._which = f"{py_func.__code__.co_firstlineno}-{_constants_hash(py_func)}"
        path = Path(py_file)
        if any(path.is_relative_to(_ROOT / package) for package in PACKAGES):
            self._name = self._stamp = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
        else:
            self._name = UserProvidedCacheLocator.get_suitable_cache_subpath(py_file)  # type: ignore[no-untyped-call]
            self._stamp = hashlib.sha256(path.read_bytes()).hexdigest()

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Place | None:
        """A place, or None for a function that has no file. If nothing can be written there, a save tells."""
        return cls(py_func, py_file) if os.path.exists(py_file) else None

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        assert FOLDER is not None
        return str(FOLDER / self._name)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return self._which


class _Places(CompileResultCacheImpl):
    _locator_classes = [_Place, *CompileResultCacheImpl._locator_classes]  # noqa: RUF012


class _Cache(FunctionCache):
    """numba's cache of one function, for which whatever goes wrong with its files is no more than a miss.

    A miss takes the function's turn: until ``end_turn`` no other process compiles it.
    """

    _impl_class = _Places

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._turn: int | None = None  # the open file that is locked
        self.bare = False  # is what is asked for, or was found last, without wrappers for Python?

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), self.bare)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._loaded(sig, target_context)
        if found is None and self._waited():
            found = self._loaded(sig, target_context)
        return found

    def _waited(self) -> bool:
        """Take the turn. Has another process had it meanwhile, so that there may be something to load?"""
        if fcntl is None or self._turn is not None or not self._enabled:
            return False
        place = Path(self.cache_path) / f"{self._impl.filename_base}.lock"
        try:
            self._impl.locator.ensure_cache_path()
            turn = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        _turns.add(self)
        self._turn, began, waited = turn, time.monotonic(), False
        while True:
            try:
                fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() - began > _WAIT:
                    return True
                waited = True
                time.sleep(0.05)
            except OSError:  # no locks here
                return False
            else:
                # What was kept between the first look and the lock shows now, even where nobody had to be waited for.
                return waited or os.path.exists(place.with_name(f"{self._cache_file._index_name}"))

    def end_turn(self) -> None:
        """Let other processes compile the function, or load it."""
        turn, self._turn = self._turn, None
        _turns.discard(self)
        if turn is not None:
            with contextlib.suppress(OSError):
                os.close(turn)

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is None and self.bare:  # with wrappers it will do as well
                self.bare = False
                found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
                self.bare = found is None
            return found
        except Exception as error:  # what is cut or changed fails in any way when it is unpickled
            _warn(
                f"a file of compiled code in {self.cache_path} is damaged ({type(error).__name__}), so it is made anew"
            )
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except (OSError, EOFError) as error:
            self.disable()  # type: ignore[no-untyped-call]
            _warn(f"compiled code cannot be kept in {self.cache_path} ({error})")


_turns: set[_Cache] = set()


def _end_turns() -> None:
    """A child that was forked holds no turn of its parent's."""
    for cache in list(_turns):
        cache.end_turn()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_end_turns)


_told = False


@contextlib.contextmanager
def _at_length() -> Iterator[None]:
    """Tell whoever sits at a terminal, once, what takes so long; and collect no garbage, which takes an eighth more."""

    def tell() -> None:
        global _told  # noqa: PLW0603
        _told = True
        print("compiling what this needs, up to half a minute: once for each version", file=sys.stderr, flush=True)

    timer, collects = threading.Timer(_PATIENCE, tell), gc.isenabled()
    timer.daemon = True
    if not (_told or sys.stderr is None or not sys.stderr.isatty()):
        timer.start()
    gc.disable()
    try:
        yield
    finally:
        timer.cancel()
        if collects:
            gc.enable()


class _Compiling:
    """Compile a kernel in turn with other processes; where another kernel calls it, as a part of that.

    Wrappers, which unpack Python's arguments, and machine code of its own take half of the time to compile. Most
    kernels are only called by others. One that Python calls after all is then compiled once more, with both.
    """

    depth = 0  # of kernels that wait for those that they call; whoever counts holds numba's lock

    def __init__(self, kernel: Any, cache: _Cache) -> None:
        self._kernel, self._cache = kernel, cache
        self._compile, self._add, self._template = kernel.compile, kernel.add_overload, kernel.get_call_template
        self._bare: set[Any] = set()  # the types of arguments for which there are no wrappers

    def compile(self, sig: Any) -> Any:
        kernel, cache = self._kernel, self._cache
        with global_compiler_lock:
            types, _ = sigutils.normalize_signature(sig)  # type: ignore[no-untyped-call]
            cache.bare = _Compiling.depth > 0
            if not cache.bare and types in self._bare:
                self._bare.discard(types)
                del kernel.overloads[types]
            wanted = kernel._compiler.targetoptions
            wanted["no_cpython_wrapper"] = wanted["no_cfunc_wrapper"] = cache.bare
            around = _at_length() if _Compiling.depth == 0 else contextlib.nullcontext()
            _Compiling.depth += 1
            try:
                with around, making(kernel.targetctx.codegen(), parts=cache.bare):
                    entry = self._compile(sig)
                if not cache.bare and types in kernel.overloads:
                    set_environments(kernel.overloads[types])
                return entry
            finally:
                _Compiling.depth -= 1
                cache.end_turn()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile once for all numbers: numba would compile anew for each number that a caller writes out."""
        kws = dict(zip(kws, map(unliteral, kws.values()), strict=True))
        return self._template(tuple(map(unliteral, args)), kws)

    def add_overload(self, result: Any) -> None:
        """Note what was compiled or loaded; a call from Python must not find what has no wrapper."""
        if not self._cache.bare:
            self._add(result)
            return
        types = tuple(result.signature.args)
        self._bare.add(types)
        self._kernel.overloads[types] = result


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``numba.njit`` with the cache of this module; used bare or with numba's options."""
    global _any_made  # noqa: PLW0603
    if function is None:
        return lambda given: njit(given, **options)
    _any_made = True
    if interpreted:
        function.py_func = function  # type: ignore[attr-defined]
        return function
    cached = options.pop("cache", True) and FOLDER is not None
    options.setdefault("forceinline", False)  # numba would take it over from whoever calls the kernel first
    kernel = numba.njit(**options)(function)
    if cached:
        kernel._cache = _Cache(function)
        compiling = _Compiling(kernel, kernel._cache)
        kernel.compile, kernel.add_overload = compiling.compile, compiling.add_overload
        kernel.get_call_template = compiling.get_call_template
    return kernel
