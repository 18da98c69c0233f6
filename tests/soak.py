"""Let an env, self-play, a league and both servers work for ``python -m tests.soak MINUTES``; does their memory grow?

At the table two people, North and South, bid and play board after board. The programs write to standard error.

Two memories have limits that boards at a table reach in hours only, which would look like a leak: the cache of auction
states (135 MB), so the table gets a small one; and the solver's for positions (42 MB a thread), so it solves deals
before it starts. As the table ships it may grow up to both limits.
"""

from __future__ import annotations

import contextlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tqdm import tqdm

from bridge_env.hands.deals import hand_text, random_deals

MOST = 0.05  # growth between the first fifth of the time and its end
_MAIN = "import sys; from training.cli.app import main; sys.exit(main())"
_ENV = """
from bridge_env.envs.compiled.steps import sample_legal
from bridge_env.envs.vector import BiddingVectorEnv
env = BiddingVectorEnv(512, learner='NS', opponents='system:sayc', control='pass')
info, n = env.reset(seed=1)[1], 0
while True:
    info, n = env.step(sample_legal(info['action_mask'], n))[-1], n + 1
"""
_EVOLVE = ["evolve", "--generations", "100000", "--boards", "60", "--study", "60", "--confirm", "60", "--partnerships",
           "1", "--operators", "evolution", "--proposals", "4", "--start", "sayc", "--control", "sayc", "--league",
           "", "--gatekeepers", "", "--workers", "1", "--out"]  # fmt: skip
_LEAGUE = ["train", "league", "--start", "nothing", "--layers", "24,16", "--iterations", "1000000", "--boards", "256",
           "--evaluate", "1000000", "--judged", "20", "--panel", "", "--estimated", "0", "--workers", "1",
           "--out"]  # fmt: skip
_TABLE = f"""
import agents.systems.engine.state_cache as cache
from bridge_env.double_dummy.exact import library_then_solver
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.hands.deals import random_deals
cache.MOST_STATES = 10_000
deals = random_deals(1, 0, 500)
library_then_solver().tricks(deals)
card_tricks(deals, strain=4, leader=0, trick=[[-1, -1, -1]])
{_MAIN}
"""
_BETWEEN_STARTS = 20  # seconds: two clusters that start at once on a busy machine may give up
_STEPS = 10  # what each person does between two looks at the memory, at most
_TO_END = 600  # seconds that a program may take to end, on a busy machine


class Person:
    """Someone at the table, who passes and plays the first card that may be played."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, path: str, **fields: object) -> dict[str, object]:
        """Post fields, or get a path without any, and return the answer."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(
            f"{self.url}api/{path}", json.dumps(fields).encode() if fields else None, headers
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    def invite(self, path: str, **fields: object) -> Person:
        """Return who gets the key that an answer brings."""
        return Person(f"{self.url.rsplit('/', 2)[0]}/{self.ask(path, **fields)['key']}/")

    def act(self) -> int:
        """Do what the table waits for, if it waits for this person; return the number of its board."""
        state = self.ask("look")
        board = state["room"]["board"]
        if state["phase"] == "over":
            self.ask("next", board=board)
        elif state.get("yours"):
            what = {"call": "Pass"} if state["phase"] == "bidding" else {"card": state["play"]["legal"][0]}
            self.ask(*what, board=board, at=state["at"], **what)
        return board


def held(pid: int) -> float:
    """Return the MiB that a process and its descendants hold; shared pages count in part."""
    total, family = 0, [pid]
    for each in family:
        with contextlib.suppress(OSError):
            total += int(re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{each}/smaps_rollup").read_text(), re.M)[1])
            for task in Path(f"/proc/{each}/task").iterdir():
                family += map(int, (task / "children").read_text().split())
    return total / 1024


def soak(minutes: float) -> tuple[dict[str, tuple[float, float]], int]:
    """Return the MiB that each program held in the second fifth of the time and in the last; and the table's boards."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        commands = {
            "vector env": ["-c", _ENV], "evolve": ["-c", _MAIN, *_EVOLVE, folder],
            "league": ["-c", _MAIN, *_LEAGUE, folder],
            "serve": ["-c", _MAIN, "serve", "system:sayc", "--port", "0"],
            "table": ["-c", _TABLE, "table", "--no-browser", "--port", "0", "--memory", "none"],
        }  # fmt: skip
        programs = {}
        for name, words in commands.items():
            programs[name] = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
            stack.callback(programs[name].wait, _TO_END)
            stack.callback(programs[name].terminate)
            time.sleep(_BETWEEN_STARTS)
        urls = [_url(programs[name]) for name in ("serve", "table")]
        room = {"ns": "system:sayc", "ew": "system:sayc", "control": "system:sayc", "cards": "rule", "name": "Anna"}
        south = Person(urls[1]).invite("rooms", **room)
        people, board = (south, south.invite("invite", seat="N")), 0
        looks: dict[str, list[float]] = {name: [] for name in programs}
        began = time.monotonic()
        bar = stack.enter_context(tqdm(total=round(60 * minutes), unit="s", file=sys.stdout))
        while bar.n < bar.total:
            hand = hand_text(random_deals(1, len(looks["serve"]), 1)[0] == 0)
            urllib.request.urlopen(f"{urls[0]}/bid?hand={hand}&seat=S&dealer=S&vul=&ctx=", timeout=600).read()
            for person in people * _STEPS:
                try:
                    board = person.act()
                except urllib.error.HTTPError as error:
                    if error.code != 409:  # the other was faster
                        raise
            for name, program in programs.items():
                assert program.poll() is None, f"{name} ended with {program.returncode}"
                looks[name].append(held(program.pid))
            time.sleep(0.5)
            bar.set_postfix_str(", ".join(f"{name} {x[-1]:.0f}" for name, x in looks.items()) + f" MiB, board {board}")
            bar.update(int(time.monotonic() - began) - bar.n)
    fifth = max(1, len(looks["serve"]) // 5)
    early = {name: statistics.median(x[fifth : 2 * fifth]) for name, x in looks.items()}
    return {name: (early[name], statistics.median(x[-fifth:])) for name, x in looks.items()}, board


def _url(program: subprocess.Popen[str]) -> str:
    return next(found[0] for line in program.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+[^\s]*", line)))


if __name__ == "__main__":
    results, boards = soak(float(sys.argv[1]))
    print(f"{boards} boards at the table")
    for name, (early, late) in results.items():
        print(f"{name:<12} {early:8.1f} to {late:8.1f} MiB {late / early - 1:+7.1%}")
    sys.exit(any(late > (1 + MOST) * early for early, late in results.values()))
