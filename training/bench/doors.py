"""Measure the servers as programs and people meet them: answers a second, waiting, memory, sockets that say nothing."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from bridge_env.auction import Auctions
from bridge_env.bidders import make
from bridge_env.bidding import bid_on
from bridge_env.cards import random_deals
from bridge_table.programs.ben import question_path
from bridge_table.programs.question import Question
from training.running.pages import table

BIDDER = "policy:champion"
_SEED = 20_261
_PLAYED = 20  # boards whose cards are played; the others end with the auction and the review
_SILENT = 1000  # sockets
_PATIENCE = 20.0  # seconds of being told to come back
_PACE = 1 / 38  # seconds between two requests to the table, which takes forty a second in the long run

_SAID = f"""Server and client run side by side. `serve {BIDDER}` answers `/bid` at positions of its own auctions.
At the table a person passes at South, and `{BIDDER}` has the other seats. `montecarlo` plays {_PLAYED} boards with that
person; the others end with the auction. Memory is what the server's process holds."""


@dataclass(frozen=True)
class Row:
    """What was measured, in words, and what was aimed at."""

    what: str
    found: str
    aim: str = ""


def rows(boards: int, answers: int = 4000, tick: Callable[[int], object] = lambda boards: None) -> Iterator[Row]:
    """Measure ``serve``, then the table over so many boards; ``tick`` hears of every board.

    Raises:
        ValueError: a server does not start or answers with an error.
    """
    asked = _questions(400)
    with _started("serve", BIDDER, "--port", "0") as (process, root):
        port = int(root.rpartition(":")[2])
        _ask(port, islice(cycle(asked), 100))
        alone = _ask(port, islice(cycle(asked), answers))
        yield Row("serve, one client: answers a second", f"{answers / sum(alone):.0f}", "250")
        yield Row("serve, one client: milliseconds, median / 99%", _spread(alone), "99%: 30")
        began = time.perf_counter()
        with ThreadPoolExecutor(8) as clients:
            each = clients.map(lambda _: _ask(port, islice(cycle(asked), answers // 8)), range(8))
            times = [seconds for those in each for seconds in those]
        yield Row("serve, eight clients: answers a second", f"{len(times) / (time.perf_counter() - began):.0f}")
        yield Row("serve, eight clients: milliseconds, median / 99%", _spread(times))
        with _silent(port) as kept:
            times = _ask(port, islice(cycle(asked), 400))
            yield Row(
                f"serve, beside {kept:,} silent sockets: milliseconds, median / most", _spread(times, 100), "answers"
            )
        yield Row("serve: MiB", f"{_held(process):.0f}")
    with _started("table", "--no-browser", "--port", "0", "--memory", "none", "--seed", str(_SEED)) as (process, root):
        port = int(root.split(":")[2].partition("/")[0])
        person = _Person(port, "/" + root.partition("//")[2].partition("/")[2])
        person.sit("montecarlo" if _PLAYED else None)  # what is loaded once
        acts: dict[str, list[float]] = {}
        early = float("nan")
        for board in range(boards):
            if board == _PLAYED:
                early = _held(process)
            person.sit("montecarlo" if board < _PLAYED else None, acts)
            tick(1)
        for what, times, aim in (
            ("a call, or what a call leads to", acts.get("step", []) + acts.get("call", []), "95%: 300"),
            ("a card, or what a card leads to", acts.get("step of cards", []) + acts.get("card", []), "95%: 300"),
            ("what the calls in the box would show", acts["box"], ""),
            ("what a call shows for which hands are drawn", acts.get("note", []), ""),
            ("the review of a board", acts["review"], ""),
        ):
            yield Row(f"table, {what}: milliseconds, median / 95%", _spread(times, 95), aim)
        held = f"{early:.0f}, {_held(process):.0f}"
        yield Row(f"table: MiB after {_PLAYED} boards, and after {boards:,} in one session", held, "under 400")
        with _silent(port) as kept:
            acts.clear()
            person.sit(None, acts)
            times = acts.get("step", []) + acts.get("call", [])
            yield Row(
                f"table, beside {kept:,} silent sockets: milliseconds, median / most", _spread(times, 100), "plays"
            )


# --- servers ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _started(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command that serves, and its address."""
    main = "import sys; from training.cli.entry import main; sys.exit(main())"
    process = subprocess.Popen([sys.executable, "-c", main, *words], text=True, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+(/[^/\s]+)?", line):
                threading.Thread(target=process.stdout.read, daemon=True).start()
                yield process, found[0]
                return
        raise ValueError(f"{' '.join(words)} did not start")
    finally:
        process.terminate()
        process.wait(20)


def _held(process: subprocess.Popen[str]) -> float:
    """MiB that a process holds."""
    told = Path(f"/proc/{process.pid}/status")
    if not told.exists():
        return float("nan")
    return next(int(line.split()[1]) for line in told.read_text("ascii").splitlines() if "VmRSS" in line) / 1024


@contextlib.contextmanager
def _silent(port: int) -> Iterator[int]:
    """Sockets that connect and say nothing; how many."""
    with contextlib.ExitStack() as stack:
        for _ in range(_SILENT):
            stack.enter_context(contextlib.closing(socket.create_connection(("127.0.0.1", port), 20)))
        yield _SILENT


# --- clients ----------------------------------------------------------------------------------------------


def _questions(count: int) -> list[str]:
    """Paths of requests: positions of the bidder's own auctions, each drawn at random from its auction."""
    rng, bidder = np.random.default_rng(_SEED), make(BIDDER)
    owner = random_deals(_SEED, 0, count)
    dealer, vulnerability = rng.integers(4, size=(2, count))
    auctions = Auctions(dealer, vulnerability)
    bid_on(auctions, owner, np.arange(count, dtype=np.uint64), np.zeros((count, 4), np.intp), [bidder])
    out = []
    for row in range(count):
        made = auctions.calls(row)
        before = made[: int(rng.integers(len(made)))]
        seat = int(dealer[row] + len(before)) & 3
        asked = Question(seat, owner[row] == seat, int(dealer[row]), int(vulnerability[row]), before)
        out.append(question_path(asked, play=False))
    return out


def _ask(port: int, paths: Iterator[str]) -> list[float]:
    """Ask one after the other over one connection; seconds of each."""
    connection, times = HTTPConnection("127.0.0.1", port, timeout=60), []
    for path in paths:
        began = time.perf_counter()
        _answer(connection, "GET", path)
        times.append(time.perf_counter() - began)
    connection.close()
    return times


def _answer(connection: HTTPConnection, method: str, path: str, body: str | None = None) -> bytes:
    """Ask, and ask again where all places are taken, as clients do. An answer that is an error is raised."""
    until = time.perf_counter() + _PATIENCE
    while True:
        connection.request(method, path, body, {"content-type": "application/json"})
        answer = connection.getresponse()
        told = answer.read()
        if answer.status == 200:
            return told
        if answer.status != 503 or time.perf_counter() > until:
            raise ValueError(f"{path} is answered with {answer.status}: {told[:200]!r}")
        connection.close()
        time.sleep(0.1)


class _Person:
    """Somebody at South who passes, and plays the first card that may be played."""

    def __init__(self, port: int, path: str) -> None:
        self.connection, self.path = HTTPConnection("127.0.0.1", port, timeout=60), path

    def sit(self, cards: str | None, acts: dict[str, list[float]] | None = None) -> None:
        """Bid a board, play it if ``cards`` names who plays with us, and see the review; note seconds by act."""
        acts = {} if acts is None else acts
        state = self._ask("tables", acts, "open", people="S", ns=BIDDER, ew=BIDDER, cards=cards or "rule")
        at = f"tables/{state['table']}"
        while state["phase"] == "bidding":
            if state["chooser"] is None:
                state = self._ask(f"{at}/step", acts, "step", at=state["at"], seat="S")
            else:
                self._read(at, state, acts)
                state = self._ask(f"{at}/call", acts, "call", call="Pass", at=state["at"], seat="S")
        if state["phase"] == "bid":
            state = self._ask(f"{at}/{'show' if cards is None else 'play'}", acts, "end of bidding", seat="S")
        while state["phase"] == "playing":
            if state["chooser"] is None:
                state = self._ask(f"{at}/step", acts, "step of cards", at=state["at"], seat="S")
            else:
                seat = state["chooser"]
                look = state if seat == state["seat"] else self._ask(f"{at}?seat={seat}", acts, "look")
                state = self._ask(f"{at}/card", acts, "card", card=look["play"]["legal"][0], at=state["at"], seat=seat)
        self._ask(f"{at}/review", acts, "review")

    def _read(self, at: str, state: Any, acts: dict[str, list[float]]) -> None:
        """Ask what calls show, as the page does when it is a person's turn."""
        self._ask(f"{at}/calls", acts, "box", seat="S")
        for number, made in enumerate(state["calls"]):
            if made["shows"].get("pending"):
                self._ask(f"{at}/note", acts, "note", number=number, seat="S")

    def _ask(self, path: str, acts: dict[str, list[float]], act: str, **fields: Any) -> Any:
        began = time.perf_counter()
        method, body = ("POST", json.dumps(fields)) if fields else ("GET", None)
        told = _answer(self.connection, method, f"{self.path}/api/{path}", body)
        took = time.perf_counter() - began
        acts.setdefault(act, []).append(took)
        time.sleep(max(0.0, _PACE - took))
        return json.loads(told)


def _spread(times: list[float], share: int = 99) -> str:
    """Milliseconds: the median and a percentile, 100 being the most."""
    if not times:
        return "none met"
    return " / ".join(f"{1000 * float(np.percentile(times, part)):.1f}" for part in (50, share))


def markdown(found: list[Row], machine: str, command: str) -> str:
    return "\n".join([
        "# The servers",
        "",
        f"`{command}`, one run: {machine}. {_SAID}",
        "",
        *table(("", "found", "aim"), ((row.what, row.found, row.aim) for row in found)),
        "",
    ])  # fmt: skip
