"""Run long computations in processes of their own: requests are not held up, and a job can be stopped at once."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from bridge_table.http.fields import RequestError

RUNNING, DONE, STOPPED, FAILED = "running", "done", "stopped", "failed"
_MAX_RUNNING = 2

Work = Callable[..., Any]


class BackgroundJob:
    """A computation in a process of its own.

    Args:
        work: called as ``work(*arguments, progress)``; it calls ``progress(done, total)`` now and then.
    """

    def __init__(self, work: Work, arguments: tuple[Any, ...]) -> None:
        self.name, self.what, self.state = secrets.token_hex(8), (work, arguments), RUNNING
        self.done, self.total, self.result = 0, 0, None
        context = get_context("spawn")
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(sender, work, arguments), daemon=True)
        self._process.start()
        sender.close()  # so that the end of the process is the end of the pipe

    def stop(self) -> None:
        """Stop the computation at once."""
        if self.state == RUNNING:
            self.state = STOPPED
            self._process.kill()

    def as_json(self) -> dict[str, Any]:
        """Return the state, the progress, and the result once there is one."""
        try:
            while self.state == RUNNING and self._receiver.poll():
                state, value = self._receiver.recv()
                if state == DONE:
                    self.state, self.result = DONE, value
                else:
                    self.done, self.total = value
        except (EOFError, OSError):
            self.state = FAILED
        out: dict[str, Any] = {"job": self.name, "state": self.state, "done": self.done, "of": self.total}
        if self.state == FAILED:
            out["error"] = "The work came to no end; the server's terminal has the error."
        return {**out, "result": self.result} if self.state == DONE else out


class Jobs:
    """The jobs of a server, used by one thread: few run at a time."""

    def __init__(self) -> None:
        self._jobs: dict[str, BackgroundJob] = {}

    def start(self, work: Work, *arguments: Any) -> BackgroundJob:
        """Start a job, or return the one that does the same or has done it.

        Raises:
            RequestError: too many run already.
        """
        states = [job.as_json()["state"] for job in self._jobs.values()]
        for job in self._jobs.values():
            if job.what == (work, arguments) and job.state in (RUNNING, DONE):
                return job
        if states.count(RUNNING) >= _MAX_RUNNING:
            raise RequestError("The server is measuring already; wait until it is done, or stop it.", 503)
        job = BackgroundJob(work, arguments)
        self._jobs[job.name] = job
        return job

    def get(self, name: str) -> BackgroundJob:
        """Return a job by its name.

        Raises:
            RequestError: there is none.
        """
        if name not in self._jobs:
            raise RequestError("There is no such job, or no longer; start it again.", 404)
        return self._jobs[name]


def _run(sender: Connection, work: Work, arguments: tuple[Any, ...]) -> None:
    """Do the work in the process, and send its progress and result; Ctrl-C is for the server, which ends its jobs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sender.send((DONE, work(*arguments, lambda done, total: sender.send((RUNNING, (done, total))))))
