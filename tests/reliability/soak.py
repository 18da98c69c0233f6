"""Let an env, self-play, a league, a server and a table with two clients work for some time; does their memory grow?"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bridge_env.cards import hand_text, random_deals
from tests.reliability.processes import LEAGUE, start

MOST = 0.05  # growth between a tenth of the time and its end
_EVERY = 2.0  # seconds between two looks
_SHARE = 0.04  # of the time, before and after a moment: whose median counts
_STEPS = (
    "from bridge_env.envs.vector import BiddingVectorEnv as E\n"
    "from bridge_env.envs.kernels.rounds import sample_legal as s\n"
    "env = E(512, learner='NS', opponents='system:sayc', control='pass'); info = env.reset(seed=1)[1]; n = 0\n"
    "while True:\n"
    "    info = env.step(s(info['action_mask'], n))[-1]; n += 1\n"
    "    if n % 2000 == 0: info = env.reset(seed=n)[1]\n"
)
# Self-play without Ray, whose own processes come and go: its tasks are done here, one after the other. A process keeps
# positions for later, up to a bound of 128 MiB that it takes an hour to reach; here to one that is reached at once.
# Runs of 40 generations follow each other, since the curve of a run is kept, and grows.
_GENERATIONS = (
    "import sys; from pathlib import Path\n"
    "from agents.hierarchy.fast import positions; positions.MOST_KEPT = positions.LEAST_HELD\n"
    "from training.evolve import generations as g; from training.evolve.config import EvolveConfig as C\n"
    "class Here:\n"
    "    workers = 1\n"
    "    def put(self, value): return value\n"
    "    def map(self, function, tasks): return ((n, function(*task)) for n, task in enumerate(tasks))\n"
    "config = C(generations=40, boards=60, study=60, confirm=60, partnerships=1, operators='evolution',\n"
    "           proposals=4, start='silent', control='silent', league='', gatekeepers='', judge=40)\n"
    "for number in range(int(sys.argv[2])):\n"
    "    folder = Path(sys.argv[1], str(number)); folder.mkdir()\n"
    "    for _ in g.evolve(folder, config, g.begin(config), Here(), lambda boards: None): pass\n"
)


@dataclass(frozen=True)
class Growth:
    """What one program held.

    Attributes:
        what: the program.
        early, late: MiB of memory, a tenth of the time after its start and at its end; shared pages count in parts.
        seconds: how long it worked.
        done: what it did meanwhile, in words.
    """

    what: str
    early: float
    late: float
    seconds: float
    done: str

    @property
    def growth(self) -> float:
        """Of the memory, as a share of the early one."""
        return self.late / self.early - 1

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"growth": self.growth}


def soak(minutes: float, tell: Callable[[str], object]) -> list[Growth]:
    """Let all of them work side by side; what they held, in order.

    Raises:
        ValueError: memory cannot be measured here, or a program has ended early.
    """
    if not Path("/proc/self/smaps_rollup").exists():
        raise ValueError("a soak measures memory by /proc, which only Linux has")
    found: dict[str, list[tuple[float, float]]] = {}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bridge-env-soak-")))
        running = {name: stack.enter_context(make(folder)) for name, make in _programs().items()}
        began = time.monotonic()
        while (now := time.monotonic() - began) < 60 * minutes:
            for name, (process, _) in running.items():
                if process.poll() is not None:
                    raise ValueError(f"{name} ended after {now:.0f} seconds with {process.returncode}")
                found.setdefault(name, []).append((now / (60 * minutes), held(process.pid)))
            time.sleep(_EVERY)
        done = {name: said() for name, (_, said) in running.items()}
    out = []
    for name, looks in found.items():
        growth = Growth(name, _at(looks, 0.1), _at(looks, 1.0 - _SHARE), 60 * minutes, done[name])
        tell(text(growth))
        out.append(growth)
    return out


def _at(looks: list[tuple[float, float]], moment: float) -> float:
    near = [held for at, held in looks if abs(at - moment) <= _SHARE]
    return statistics.median(near or [min(looks, key=lambda look: abs(look[0] - moment))[1]])


def held(pid: int) -> float:
    """MiB that a process and all below it hold of their own; a page that several share counts for each in part.

    Pages of files are left out: the share of a library's pages grows where another program ends that used them.
    """
    total = 0
    for each in _family(pid):
        with contextlib.suppress(OSError):
            told = Path(f"/proc/{each}/smaps_rollup").read_text("ascii")
            own = re.findall(r"^Pss_(?:Anon|Shmem):\s+(\d+)", told, re.MULTILINE)
            total += sum(map(int, own or re.findall(r"^Pss:\s+(\d+)", told, re.MULTILINE)))  # Linux before 5.4
    return total / 1024


def _family(pid: int) -> list[int]:
    out = [pid]
    for each in out:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{each}/task").iterdir():
                out += [int(child) for child in (task / "children").read_text("ascii").split()]
    return out


Running = tuple[subprocess.Popen[str], Callable[[], str]]


def _programs() -> dict[str, Callable[[Path], contextlib.AbstractContextManager[Running]]]:
    found: dict[str, Callable[[Path], contextlib.AbstractContextManager[Running]]] = {
        "vector env": _env, "evolve": _evolve
    }  # fmt: skip
    if find_spec("ray") is not None and find_spec("torch") is not None:
        found["train league"] = _league
    if find_spec("uvicorn") is not None:
        found |= {"serve": _serve, "table, two clients": _table}
    return found


@contextlib.contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
                break


@contextlib.contextmanager
def _env(folder: Path) -> Iterator[Running]:
    process = subprocess.Popen([sys.executable, "-c", _STEPS], text=True, start_new_session=True)
    with _ended(process):
        yield process, lambda: "steps at 512 tables, against a system, reset every 2,000"


@contextlib.contextmanager
def _evolve(folder: Path) -> Iterator[Running]:
    run = folder / "evolve"
    for name in ("before", "run"):
        (run / name).mkdir(parents=True)
    # A kernel is compiled when it is first needed, perhaps in the tenth generation, and the compiler keeps its memory:
    # so another process compiles them all before.
    subprocess.run([sys.executable, "-c", _GENERATIONS, str(run / "before"), "1"], check=True)
    words = [str(run / "run"), str(10**9)]
    process = subprocess.Popen([sys.executable, "-c", _GENERATIONS, *words], text=True, start_new_session=True)
    with _ended(process):
        while not _generations(run / "run") and process.poll() is None:
            time.sleep(0.2)
        yield process, lambda: f"{_generations(run / 'run'):,} small generations, in runs of 40 in one process"


def _generations(runs: Path) -> int:
    return sum(len(metrics.read_bytes().splitlines()) for metrics in runs.glob("*/metrics.jsonl"))


@contextlib.contextmanager
def _serve(folder: Path) -> Iterator[Running]:
    process = start(("serve", "system:sayc", "--play", "rule", "--port", "0"), folder)
    with _ended(process):
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        if found is None:
            raise ValueError("serve did not start")
        over, asked = threading.Event(), [0]
        thread = threading.Thread(target=_ask, args=(found[0], over, asked), daemon=True)
        thread.start()
        try:
            yield process, lambda: f"{asked[0]:,} questions answered"
        finally:
            over.set()
            thread.join(20)


@contextlib.contextmanager
def _league(folder: Path) -> Iterator[Running]:
    """A league of small networks, with Ray's own processes; it counts as begun after some iterations."""
    words = list(LEAGUE.words)
    for option, value in (("--iterations", 10**6), ("--evaluate", 100)):  # a run keeps its curve: few points
        words[words.index(option) + 1] = str(value)
    process = start(tuple(words), folder, quiet=True)
    metrics = folder / "league" / "run" / "metrics.jsonl"

    def points() -> int:
        return metrics.read_bytes().count(b"\n") if metrics.exists() else 0

    with _ended(process):
        while points() < 2 and process.poll() is None:
            time.sleep(0.5)
        yield process, lambda: f"{points():,} points of the curve, every 100 iterations of small networks"


@contextlib.contextmanager
def _table(folder: Path) -> Iterator[Running]:
    """Two clients that each bid one board after the other."""
    process = start(("table", "--no-browser", "--port", "0", "--memory", "none"), folder)
    with _ended(process):
        assert process.stdout is not None
        found = None
        while found is None and (line := process.stdout.readline()):
            found = re.search(r"http://127\.0\.0\.1:\d+/[^/\s]+", line)
        if found is None:
            raise ValueError("table did not start")
        over, bid = threading.Event(), [0]
        threads = [threading.Thread(target=_sit, args=(found[0], over, bid), daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            yield process, lambda: f"{bid[0]:,} calls and boards by two clients"
        finally:
            over.set()
            for thread in threads:
                thread.join(20)


def _sit(address: str, over: threading.Event, bid: list[int]) -> None:
    """Open a table, pass until the bidding is over, and open another."""
    bidders = {name: "system:sayc" for name in ("ns", "ew", "control")}

    def post(path: str, **fields: Any) -> Any:
        kind = {"content-type": "application/json"}
        request = urllib.request.Request(f"{address}/api/{path}", json.dumps(fields).encode(), kind)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    while not over.is_set():
        with contextlib.suppress(OSError):
            state = post("tables", people="S", cards="rule", **bidders)
            while state["phase"] == "bidding" and not over.is_set():
                act = {"seat": "S", "call": "Pass"} if state["turn"] == "S" else {}
                where = f"tables/{state['table']}/{'call' if act else 'step'}"
                state = post(where, at=state["at"], **act)
                bid[0] += 1
                time.sleep(0.05)
        time.sleep(0.2)


def _ask(address: str, over: threading.Event, asked: list[int]) -> None:
    """Ask for the opening call of one hand after the other."""
    number = 0
    while not over.is_set():
        hand = hand_text(np.asarray(random_deals(1, number, 1)[0]) == 0)
        with contextlib.suppress(OSError):
            query = f"hand={hand}&seat=S&dealer=S&vul=&ctx="
            with urllib.request.urlopen(f"{address}/bid?{query}", timeout=60) as answer:
                asked[0] += json.load(answer)["bid"] != ""
        number += 1
        time.sleep(0.03)  # the server takes forty a second in the long run


def text(growth: Growth) -> str:
    """A line for the terminal."""
    return f"{growth.what:<18} {growth.early:8.1f} to {growth.late:8.1f} MiB {growth.growth:+7.1%}  {growth.done}"


def markdown(found: list[Growth], command: str) -> str:
    """The page."""
    most = max(found, key=lambda growth: growth.growth)
    within = "At most" if most.growth <= MOST else "**Too much**:"
    return "\n".join([
        "# Memory over time",
        "",
        f"{within} {most.growth:+.1%} of memory between a tenth of {found[0].seconds / 60:g} minutes and their end.",
        f"At most {MOST:.0%} is well.",
        "",
        f"Made by `{command}`. The programs work side by side. The figures are those of a process and all below it:",
        f"the median over {2 * _SHARE:.0%} of the time around each moment. Pages of files are left out.",
        "",
        "| program | MiB after a tenth | MiB at the end | growth | it did |",
        "| --- | ---: | ---: | ---: | --- |",
        *(f"| {g.what} | {g.early:,.1f} | {g.late:,.1f} | {g.growth:+.1%} | {g.done} |" for g in found),
        "",
    ])  # fmt: skip
