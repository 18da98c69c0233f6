"""Ray: start or join a cluster, and map pure functions over tasks.

``address`` joins a running cluster; then the three packages travel to its nodes as ``py_modules`` of the runtime
environment, so that the nodes need Python of the same version with numpy, numba and gymnasium, but no installation of
this project.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import pickle
import secrets
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from importlib.resources import files
from pathlib import Path
from typing import Any

from bridge_env.io.optional_dependencies import how_to_install

PACKAGES = ("bridge_env", "agents", "training")


class ClusterError(RuntimeError):
    """Ray is missing, or its cluster cannot be reached; the message says what to do."""


class Cluster:
    """Use a Ray cluster for the length of a ``with`` block. In a process that Ray runs in already, that Ray is used.

    Args:
        workers: tasks of ``map`` at a time, and the number of CPUs of a cluster that is started here; None: all CPUs.
        address: a running cluster (``auto``, ``host:port`` or ``ray://host:port``); None starts one on the loopback.

    Raises:
        ClusterError: the number of workers is not positive.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        if workers is not None and workers < 1:
            raise ClusterError(f"the number of workers is {workers}; it must be 1 or more")
        self.workers, self.address = workers, address
        self._started = False
        self._remote: dict[Callable[..., Any], Any] = {}

    def __enter__(self) -> Cluster:
        """Start or join the cluster; raise ``ClusterError`` where Ray is missing, does not start, or is not at
        ``address``.
        """
        self.ray = _import_ray(alone=self.address is None)
        if not self.ray.is_initialized():
            self._start()
        if self.workers is None:
            self.workers = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        return self

    def _start(self) -> None:
        options: dict[str, Any] = {"address": "local", "num_cpus": self.workers, "include_dashboard": False}
        if self.address is not None:
            _check_address(self.address)  # Ray itself waits for a minute
            packages = {"py_modules": [str(files(name)) for name in PACKAGES]}
            options = {"address": self.address, "runtime_env": packages}
        handler = signal.getsignal(signal.SIGTERM)
        try:
            self.ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
        except Exception as error:  # Ray raises many kinds, plain ones too
            raise ClusterError(f"no Ray cluster on {self.address or 'this machine'}: {error}") from error
        finally:  # Ray answers SIGTERM with a stack trace
            if callable(handler) and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, handler)
        self._started = True

    def __exit__(self, *_: object) -> None:
        if self._started:
            self.ray.shutdown()
            self._started = False

    def put(self, value: Any) -> Any:
        """Store a value on the cluster, and return the reference to hand to tasks. A worker unpickles it once."""
        pickled = pickle.dumps(value)
        return self.ray.put(CachedArgument(pickled, hashlib.sha256(pickled).digest()))

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Run ``function(*task)`` for every task; yield (task number, result) as they finish, in any order.

        At most ``workers`` tasks are under way, and ``tasks`` is read no further ahead. A task whose worker died is
        run again, which is safe because tasks are pure.

        Raises:
            ClusterError: Ray could not finish a task.
        """
        assert self.workers is not None
        waiting = iter(enumerate(tasks))
        running: dict[Any, int] = {}
        while True:
            while len(running) < self.workers and (task := next(waiting, None)) is not None:
                running[self.submit(function, *task[1])] = task[0]
            if not running:
                return
            done, _ = self.ray.wait(list(running), num_returns=1)
            for reference in done:
                yield running.pop(reference), self.result(reference)

    def submit(self, function: Callable[..., Any], *task: Any) -> Any:
        """Hand out ``function(*task)``, to be run when a worker is free; return its reference for ``result``."""
        if function not in self._remote:  # a function is sent once
            self._remote[function] = self.ray.remote(num_cpus=1, max_retries=8)(_unpack_arguments(function))
        return self._remote[function].remote(*task)

    def ready(self, reference: Any) -> bool:
        """Return whether a submitted task is done."""
        return bool(self.ray.wait([reference], timeout=0)[0])

    def result(self, reference: Any) -> Any:
        """Wait for a submitted task, and return its result or raise its error; ``ClusterError`` where Ray could not
        finish it.
        """
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError:
            raise
        except self.ray.exceptions.RayError as error:
            raise ClusterError(
                f"Ray could not finish a task (too little memory for so many workers?): {error}"
            ) from error


@dataclass(frozen=True)
class CachedArgument:
    """Hold a pickled argument that many tasks share; a process unpickles it once."""

    pickled: bytes = field(repr=False, compare=False)
    digest: bytes


@lru_cache(maxsize=64)
def _unpickle(argument: CachedArgument) -> Any:
    """Return the value of an argument, which must not be changed."""
    return pickle.loads(argument.pickled)  # of this run, for its own workers


def _unpack_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` with cached arguments replaced by their values."""

    @wraps(function)
    def unpacked(*task: Any) -> Any:
        return function(*(_unpickle(part) if isinstance(part, CachedArgument) else part for part in task))

    return unpacked


def _import_ray(alone: bool) -> Any:
    """Import Ray, which reads these settings from the environment once."""
    settings = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_task_events_report_interval_ms": "0",  # the list of tasks grows by 5 kB a rollout, and nothing reads it
    }
    if alone:
        settings["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # on any system: listen on 127.0.0.1 alone
        try:
            (Path.home() / ".ray").mkdir(exist_ok=True)  # where Ray keeps its token
        except OSError:
            settings["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module("ray")
    except ImportError:
        raise ClusterError(f"this needs Ray, which is not installed: {how_to_install('ray')}") from None


def _check_address(address: str) -> None:
    """Raise ``ClusterError`` where nothing listens at ``host:port`` or ``ray://host:port``."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            raise ClusterError(f"no Ray cluster on {address}: {error}; is 'ray start' running there?") from error
