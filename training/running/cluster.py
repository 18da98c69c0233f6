"""Ray, and nothing else: start or join a cluster, and map a pure function over tasks with a bounded number in flight.

On one machine it starts a private cluster (``private_ray``). ``address`` joins one that runs; then the three packages
travel to its nodes as ``py_modules`` of the runtime environment, so that the nodes need Python of the same
version with numpy, numba and gymnasium, but no installation of this project.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import logging
import os
import pickle
import signal
import socket
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from bridge_env.optional_dependencies import how_to_install
from training.running.private_ray import PrivateRay

PACKAGES = ("bridge_env", "agents", "training")
LOOK_SECONDS = 2.0  # after so long without a result, is the head still there?
STALL_SECONDS = 20.0  # and after so long, why is nothing done?
STARTS = 3  # tries to start a Ray of one's own: it gives up after 30 seconds, too few on a busy machine
STOP_SECONDS = 10.0  # how long tasks in hand may take to end when a run is stopped


class ClusterError(RuntimeError):
    """Ray is missing, or its cluster cannot be reached; the message says what to do."""


def installed() -> bool:
    """Is Ray here? Found out without importing it."""
    return find_spec("ray") is not None


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module("ray")
    except ImportError:
        raise ClusterError(f"this needs Ray, which is not installed: {how_to_install('ray')}") from None


def _tell(text: str) -> None:
    print(f"note: {text}", file=sys.stderr, flush=True)


class Cluster:
    """A Ray cluster for the length of a ``with`` block.

    Args:
        workers: tasks at a time; on a private cluster also its number of CPUs. None: all of them.
        address: of a running cluster (``auto``, ``host:port`` or ``ray://host:port``); None starts a private one.
        tell: hears why nothing goes on, if nothing has for a while.
    """

    def __init__(
        self, workers: int | None = None, address: str | None = None, tell: Callable[[str], object] = _tell
    ) -> None:
        if workers is not None and workers < 1:
            raise ClusterError(f"the number of workers is {workers}; it must be 1 or more")
        self.workers, self.address, self.tell = workers, address, tell
        self._private: PrivateRay | None = None
        self._gone = False  # the head
        self._nodes: dict[str, float] = {}  # the cores of each node that was there when last looked
        self._looked = 0.0  # when that was
        self._remote: dict[Callable[..., Any], Any] = {}
        self._held: deque[Pending] = deque()  # submitted, and not handed to Ray yet
        self._handed: set[Any] = set()  # what Ray has of these

    def __enter__(self) -> Cluster:
        self.ray = _ray()
        self._joined = self.ray.is_initialized()  # a test's or a notebook's cluster is used as it stands
        if not self._joined:
            self._start()
        if self.workers is None:
            self.workers = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        if self._private is None:
            self._nodes = self._nodes_there()
        return self

    def _start(self) -> None:
        if self.address is not None:
            if (error := _silence(self.address)) is not None:  # Ray waits for a minute, then ends the whole process
                raise ClusterError(
                    f"no Ray cluster on {self.address}: {error}; is 'ray start' running there?"
                ) from error
            packages = {"py_modules": [str(files(name)) for name in PACKAGES]}
            hint = " (a running cluster with tokens needs the same RAY_AUTH_TOKEN here)"
            self._begin(self.ray.init, self.address, hint, address=self.address, runtime_env=packages)
            return
        for again in reversed(range(STARTS)):
            self._private = PrivateRay(self.ray)
            try:
                self._begin(self._private.start, "this machine", num_cpus=self.workers, include_dashboard=False)
                return
            except ClusterError as error:
                if not again or "timed out" not in str(error):
                    raise
                self.tell("Ray did not start in time on this busy machine; it is started again")

    def _begin(self, start: Callable[..., object], where: str, hint: str = "", **options: Any) -> None:
        try:
            with _own_sigterm():
                start(log_to_driver=False, logging_level=logging.ERROR, **options)
        except Exception as error:  # Ray raises plain ones too, as where a busy machine is slow to start it
            raise ClusterError(f"no Ray cluster on {where}: {error}{hint}") from error

    def __exit__(self, *_: object) -> None:
        if self._private is not None:
            self._private.stop()
        elif not self._joined:
            with contextlib.suppress(Exception):
                self.ray.shutdown()

    def put(self, value: Any) -> Any:
        """Send a value to the cluster once; hand the reference to tasks. A worker unpacks it once, and keeps it."""
        packed = pickle.dumps(value)
        return self.ray.put(Parcel(packed, hashlib.sha256(packed).digest()))

    def map(self, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Run ``function(*task)`` for every task; yield (task number, result) as they finish, in any order.

        At most ``workers`` tasks are under way (a task takes long beside the handing out), and ``tasks`` is read no
        further ahead. A task whose worker died is run again, which is safe because tasks are pure.
        """
        assert self.workers is not None
        remote = self._sent(function)
        waiting = iter(enumerate(tasks))
        running: dict[Any, int] = {}
        try:
            while True:
                for number, task in waiting:
                    running[remote.remote(*task)] = number
                    if len(running) >= self.workers:
                        break
                if not running:
                    return
                for reference in self._next(list(running), len(running)):
                    yield running.pop(reference), self._got(reference)
        finally:
            # Tasks in hand are short and pure: they may end. Cancelled ones have made Ray itself crash at shutdown.
            if running and not self._gone:
                with contextlib.suppress(Exception):
                    self.ray.wait(list(running), num_returns=len(running), timeout=STOP_SECONDS)

    def _next(self, running: list[Any], all_of_ours: int | None = None) -> list[Any]:
        """The first of ``running`` to end. Where nothing ends for a while, why is told, if it is known.

        Args:
            all_of_ours: how many tasks of this program are under way, if that is known.

        Raises:
            ClusterError: the cluster's head has gone.
        """
        began, told = time.monotonic(), False
        while True:
            self._watch_nodes()
            done, _ = self.ray.wait(running, num_returns=1, timeout=LOOK_SECONDS)
            if done:
                found: list[Any] = done
                return found
            self._check_head()
            if not told and time.monotonic() - began >= STALL_SECONDS:
                told = True
                if why := self._why_nothing_ends(all_of_ours):
                    self.tell(f"nothing has been done for {STALL_SECONDS:.0f} seconds: {why}")

    def _nodes_there(self) -> dict[str, float]:
        there = [node for node in self.ray.nodes() if node["Alive"]]
        return {node.get("NodeID", ""): node.get("Resources", {}).get("CPU", 0.0) for node in there}

    def _watch_nodes(self) -> None:
        """Tell of nodes that came or were lost since somebody looked, every few seconds."""
        if not self._nodes or time.monotonic() - self._looked < LOOK_SECONDS:
            return
        before, self._looked = self._nodes, time.monotonic()
        with contextlib.suppress(Exception):  # the head may be gone: whoever waits will find out
            self._nodes = self._nodes_there()
        cores = f"{sum(self._nodes.values()):g} cores on {len(self._nodes)} nodes"
        if lost := before.keys() - self._nodes.keys():
            what = "a node was lost" if len(lost) == 1 else f"{len(lost)} nodes were lost"
            self.tell(f"{what}; {cores} are left, and what was under way there is done again")
        if came := self._nodes.keys() - before.keys():
            self.tell(f"{'a node' if len(came) == 1 else f'{len(came)} nodes'} joined the cluster: {cores}")

    def _check_head(self) -> None:
        """Is the head of the cluster there? Ray itself waits for a minute, and then ends the whole process."""
        address = self._head()
        if _silence(address) is None:
            return
        time.sleep(1)
        if (error := _silence(address)) is not None:
            self._gone = True
            raise ClusterError(f"the head of the Ray cluster at {address} has gone: {error}") from error

    def _head(self) -> str:
        """HOST:PORT at which the head listens, as this process sees it; empty where that is not known."""
        if self.address is not None and self.address.startswith("ray://"):
            return self.address.removeprefix("ray://")
        with contextlib.suppress(Exception):
            return str(self.ray.get_runtime_context().gcs_address)
        return ""

    def _why_nothing_ends(self, all_of_ours: int | None) -> str:
        """What keeps tasks from being run, in words; empty where they seem to be at work."""
        cores = self.ray.cluster_resources().get("CPU", 0.0)
        free = self.ray.available_resources().get("CPU", 0.0)
        nodes = sum(bool(node["Alive"]) for node in self.ray.nodes())
        if cores < 1:
            return f"none of the cluster's {nodes} nodes offers a core; 'ray start --address … --num-cpus N' adds one"
        if free >= 1:
            return f"{free:g} of {cores:g} cores are free, but no worker takes a task: is a node short of memory?"
        others = 0.0 if all_of_ours is None else cores - free - all_of_ours
        if others >= 1:
            return f"other programs hold {others:g} or more of the cluster's {cores:g} cores; the tasks wait for them"
        return ""

    def submit(self, function: Callable[..., Any], *task: Any) -> Pending:
        """Hand out ``function(*task)``, to be run when a worker is free; ``result`` waits for it."""
        pending = Pending(self._sent(function), task)
        self._held.append(pending)
        self._hand_out()
        return pending

    def _hand_out(self) -> None:
        """Give Ray what is held, as far as ``workers`` allows where the cluster has more cores."""
        bounded = self._private is None and self.workers is not None and self.workers < sum(self._nodes.values())
        if bounded and self._held and self._handed:
            done, _ = self.ray.wait(list(self._handed), num_returns=len(self._handed), timeout=0, fetch_local=False)
            self._handed.difference_update(done)
        while self._held and not (bounded and len(self._handed) >= (self.workers or 1)):
            pending = self._held.popleft()
            pending.reference = pending.remote.remote(*pending.task)
            pending.task = ()
            if bounded:
                self._handed.add(pending.reference)

    def _sent(self, function: Callable[..., Any]) -> Any:
        if function not in self._remote:  # a function is sent once
            self._remote[function] = self.ray.remote(num_cpus=1, max_retries=8)(_opening(function))
        return self._remote[function]

    def ready(self, pending: Pending) -> bool:
        """Is a task that was submitted done?"""
        self._hand_out()
        return pending.reference is not None and bool(self.ray.wait([pending.reference], timeout=0)[0])

    def result(self, pending: Pending) -> Any:
        """Return what a task that was submitted gave.

        Raises:
            ClusterError: Ray could not finish it.
        """
        self._hand_out()
        while pending.reference is None:
            self._next(list(self._handed))
            self._hand_out()
        return self._got(pending.reference)

    def _got(self, reference: Any) -> Any:
        try:
            self._next([reference])
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError:  # the task's own error
            raise
        except self.ray.exceptions.RayError as error:
            raise ClusterError(
                f"Ray could not finish a task (too little memory for so many workers?): {error}"
            ) from error


@dataclass(eq=False)
class Pending:
    """A task that was submitted; it has a reference of Ray's once it was handed out."""

    remote: Any
    task: tuple[Any, ...]
    reference: Any = None


@dataclass(frozen=True)
class Parcel:
    """A value on its way. Many tasks hold the same: who has opened it once need not again."""

    packed: bytes = field(repr=False, compare=False)
    digest: bytes

    def open(self) -> Any:
        """The value, which must not be changed."""
        return _opened(self)


@lru_cache(maxsize=64)
def _opened(parcel: Parcel) -> Any:
    return pickle.loads(parcel.packed)  # by this very run, for its own workers


def _opening(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` of what lies in parcels."""

    @wraps(function)
    def opened(*task: Any) -> Any:
        return function(*(part.open() if isinstance(part, Parcel) else part for part in task))

    return opened


@contextlib.contextmanager
def _own_sigterm() -> Iterator[None]:
    """Ray answers SIGTERM with a stack trace of its own and ends the process; whoever handled it before goes on to."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:  # also where Ray did not start: the next try would take Ray's for the one before
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _silence(address: str) -> OSError | None:
    """Why nobody answers at ``address``; None where somebody does, and where it names no place, as ``auto``."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except OSError as error:
            return error
    return None
