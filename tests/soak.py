"""``python -m tests.soak MINUTES``: let an env, self-play and both servers work; does their memory grow?"""

from __future__ import annotations

import contextlib
import itertools
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bridge_env.hands.deals import hand_text, random_deals

MOST = 0.05  # growth between the first fifth of the time and its end
_MAIN = "import sys; from training.cli.app import main; sys.exit(main())"
_ENV = """
from bridge_env.envs.compiled.rounds import sample_legal
from bridge_env.envs.vector import BiddingVectorEnv
env = BiddingVectorEnv(512, learner='NS', opponents='system:sayc', control='pass')
info, n = env.reset(seed=1)[1], 0
while True:
    info, n = env.step(sample_legal(info['action_mask'], n))[-1], n + 1
"""
_EVOLVE = ["evolve", "--generations", "100000", "--boards", "60", "--study", "60", "--confirm", "60", "--partnerships",
           "1", "--operators", "evolution", "--proposals", "4", "--start", "silent", "--control", "silent", "--league",
           "", "--gatekeepers", "", "--workers", "1", "--out"]  # fmt: skip


def held(pid: int) -> float:
    """Return the MiB that a process and its descendants hold; shared pages count in part."""
    total, family = 0, [pid]
    for each in family:
        with contextlib.suppress(OSError):
            total += int(re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{each}/smaps_rollup").read_text(), re.M)[1])
            for task in Path(f"/proc/{each}/task").iterdir():
                family += map(int, (task / "children").read_text().split())
    return total / 1024


def soak(minutes: float) -> dict[str, tuple[float, float]]:
    """Return the MiB that each program held in the second fifth of the time, and in the last."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        commands = {
            "vector env": ["-c", _ENV], "evolve": ["-c", _MAIN, *_EVOLVE, folder],
            "serve": ["-c", _MAIN, "serve", "system:sayc", "--port", "0"],
            "table": ["-c", _MAIN, "table", "--no-browser", "--port", "0", "--memory", "none"],
        }  # fmt: skip
        programs = {}
        for name, words in commands.items():
            programs[name] = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
            stack.callback(programs[name].wait)
            stack.callback(programs[name].terminate)
        urls = [_url(programs[name]) for name in ("serve", "table")]
        looks: dict[str, list[float]] = {name: [] for name in programs}
        began = time.monotonic()
        for number in itertools.count():
            if time.monotonic() - began > 60 * minutes:
                break
            hand = hand_text(random_deals(1, number, 1)[0] == 0)
            for url in (f"{urls[0]}/bid?hand={hand}&seat=S&dealer=S&vul=&ctx=", urls[1]):
                with contextlib.suppress(OSError):  # busy
                    urllib.request.urlopen(url, timeout=60).read()
            for name, program in programs.items():
                assert program.poll() is None, f"{name} ended with {program.returncode}"
                looks[name].append(held(program.pid))
            time.sleep(0.5)
    fifth = max(1, len(looks["serve"]) // 5)
    return {n: (statistics.median(x[fifth : 2 * fifth]), statistics.median(x[-fifth:])) for n, x in looks.items()}


def _url(program: subprocess.Popen[str]) -> str:
    return next(found[0] for line in program.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+[^\s]*", line)))


if __name__ == "__main__":
    results = soak(float(sys.argv[1]))
    for name, (early, late) in results.items():
        print(f"{name:<12} {early:8.1f} to {late:8.1f} MiB {late / early - 1:+7.1%}")
    sys.exit(any(late > (1 + MOST) * early for early, late in results.values()))
