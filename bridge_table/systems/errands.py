"""Run long work in processes of its own: answers are not held up, and the work can be stopped at once."""

from __future__ import annotations

import secrets
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from bridge_table.http.asked import Refused

RUNNING, DONE, STOPPED, FAILED = "running", "done", "stopped", "failed"
_KEPT = 8
Work = Callable[..., Any]


@dataclass
class Errand:
    """A piece of long work."""

    name: str
    process: BaseProcess
    state: str = RUNNING  # running, done, stopped or failed
    done: int = 0  # how much is done
    whole: int = 0  # of how much; 0 of 0 before the first word
    result: Any = None  # once it is done
    about: Hashable = None  # what it is about, by which it is found again
    over: threading.Event = field(default_factory=threading.Event)

    def as_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"errand": self.name, "state": self.state, "done": self.done, "of": self.whole}
        if self.state == FAILED:
            out["error"] = "The work came to no end; the server's terminal tells what happened."
        return {**out, "result": self.result} if self.state == DONE else out


class Errands:
    """All long work of a server. Few run at a time; the results of the latest are kept.

    Args:
        most: that run at the same time; more are refused.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._known: OrderedDict[str, Errand] = OrderedDict()

    def latest(self, about: Hashable) -> Errand | None:
        """Return the latest errand about something that runs or is done; None where there is none."""
        known = [e for e in self._known.values() if e.about == about and e.state in (RUNNING, DONE)]
        return known[-1] if known else None

    def start(self, work: Work, *given: Any, about: Hashable = None) -> Errand:
        """Run ``work(*given, tell)`` in a process; ``tell(done, whole)`` says how far it is.

        Raises:
            Refused: too many run already.
        """
        running = [errand for errand in self._known.values() if errand.state == RUNNING]
        if len(running) >= self.most:
            raise Refused("The server is measuring already; wait until it is done, or stop it.", 503)
        context = get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(theirs, work, given), daemon=True)
        errand = Errand(secrets.token_hex(8), process, about=about)
        self._known[errand.name] = errand
        while len(self._known) > _KEPT and next(iter(self._known.values())).state != RUNNING:
            self._known.popitem(last=False)
        threading.Thread(target=_follow, args=(errand, ours, theirs), daemon=True).start()
        return errand

    def find(self, name: str) -> Errand:
        """Return an errand by its name.

        Raises:
            Refused: there is none.
        """
        if name not in self._known:
            raise Refused("There is no such work, or no longer; start it again.", 404)
        return self._known[name]

    def stop(self, name: str) -> Errand:
        """Stop an errand, if it still runs."""
        errand = self.find(name)
        if errand.state == RUNNING:
            errand.state = STOPPED
            if errand.process.pid is not None:
                errand.process.kill()
        return errand


def _follow(errand: Errand, ours: Connection, theirs: Connection) -> None:
    """Start the process, hear what it tells, and see it end."""
    errand.process.start()
    theirs.close()  # so that the end of the process is the end of the pipe
    if errand.state == STOPPED:
        errand.process.kill()
    try:
        while errand.state == RUNNING:
            kind, told = ours.recv()
            if kind == "result":
                errand.result, errand.state = told, DONE
            else:
                errand.done, errand.whole = told
    except (EOFError, OSError):
        pass
    errand.process.join()
    if errand.state == RUNNING:
        errand.state = FAILED
    ours.close()
    errand.over.set()


def _run(theirs: Connection, work: Work, given: tuple[Any, ...]) -> None:
    """In the process: do the work, and tell of it. Ctrl-C is the server's, which ends its processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    result = work(*given, lambda done, whole: theirs.send(("told", (done, whole))))
    theirs.send(("result", result))
