"""A Ray of this program's own: on one machine, on the loopback alone, with a token that nobody else can read.

It neither joins a Ray that runs here already nor can be joined: its files lie in a folder of its own, and its token in
a file of its own with mode 0600. Ray reads its settings from the environment; what was there before comes back.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LONGEST = 14  # letters of the path above the folder: sockets lie deep below it, and a socket's may have 107
_PREFIX = "bridge-ray-"  # then the number of the process that made it
_SETTINGS = (
    "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", "RAY_ADDRESS", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER",
    "RAY_task_events_report_interval_ms",
)  # fmt: skip
LOOPBACK = "127.0.0.1"


class PrivateRay:
    """A Ray that ``start`` starts and ``stop`` ends, once.

    Attributes:
        folder: where its files lie, the token's too; it goes when Ray does.
    """

    def __init__(self, ray: Any) -> None:
        self.ray, self.folder = ray, Path()
        self._undo = contextlib.ExitStack()

    def start(self, **options: Any) -> None:
        """Start it with ``ray.init`` and ``options``.

        Raises:
            ConnectionError, RuntimeError, ValueError: as ``ray.init``; nothing is left behind.
        """
        self.folder = _make_folder()
        self._undo.callback(shutil.rmtree, self.folder, ignore_errors=True)
        try:
            self._undo.enter_context(_settings(self.folder))
            with few_processes():
                self.ray.init(
                    address="local", _node_ip_address=LOOPBACK, dashboard_host=LOOPBACK, _temp_dir=str(self.folder),
                    **options,
                )  # fmt: skip
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End it, and put everything back."""
        with contextlib.suppress(Exception):
            self.ray.shutdown()
        self._undo.close()


def _make_folder() -> Path:
    """A new folder that only this user can look into, with a token."""
    parent = Path(tempfile.gettempdir())
    if os.name == "posix" and len(str(parent)) > _LONGEST:
        parent = Path("/tmp")
    _clear(parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent))
    handle = os.open(folder / "token", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_hex(32))
    return folder


def _clear(parent: Path) -> None:
    """Remove the folders of this user's processes that were killed."""
    if os.name != "posix":
        return
    for folder in parent.glob(f"{_PREFIX}*-*"):
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(OSError, OverflowError):
            if not number.isdecimal() or folder.lstat().st_uid != os.getuid():
                continue
            try:
                os.kill(int(number), 0)  # asks only whether there is one
            except ProcessLookupError:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _settings(folder: Path) -> Iterator[None]:
    """Ray's settings for a Ray with its own token that listens on the loopback."""
    from ray._private import ray_constants

    before = {name: os.environ.pop(name, None) for name in _SETTINGS}
    several = ray_constants.ENABLE_RAY_CLUSTER
    os.environ |= {
        "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(folder / "token"),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_task_events_report_interval_ms": "0",  # nobody looks at its list of tasks, which grows by 5 kB a rollout
    }  # fmt: skip
    ray_constants.ENABLE_RAY_CLUSTER = False  # of one machine: then Ray uses the loopback, on any system
    _read_settings()
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = several
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        _read_settings()


@contextlib.contextmanager
def few_processes() -> Iterator[None]:
    """Three processes of a head fewer: who would add nodes, who reads the workers' logs, and who counts usage.

    They are half of what starting Ray costs, and Ray's own options leave none of them out.
    """
    from ray._private.node import Node

    needless = [name for name in ("start_monitor", "start_log_monitor", "start_api_server") if hasattr(Node, name)]
    before = {name: getattr(Node, name) for name in needless}
    try:
        for name in needless:
            setattr(Node, name, _nothing)
        yield
    finally:
        for name, method in before.items():
            setattr(Node, name, method)


def _nothing(node: Any, **_: Any) -> None:
    """In place of starting a process that nobody asks anything."""
    node._webui_url = ""  # no dashboard has an address


def _read_settings() -> None:
    """Have Ray read the environment again, and forget the token that it knew."""
    from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]  # compiled: no stubs

    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
