"""Run the trials of a sweep as processes, some at a time; each is a ``bridge-env`` command with a folder of its own.

Ray Tune is not used here. A grid is fixed, and every trial is a program that keeps its own checkpoints and may start a
Ray of its own. So all that Tune would do is to start the next process when one ends, for pandas and pyarrow (250 MB),
one more Ray beside those of the trials, and pickled files of its own beside our run folders. Tune is the tool where
trials are chosen or ended early by how others do: ``examples/sweep_with_ray_tune.py``.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from bridge_env.files import append_whole
from training.running import lock
from training.sweep.plan import Trial

_PAUSE = 0.2  # seconds between looks at the processes
_SAVING = 120.0  # seconds that a trial of a sweep that was killed may take to save
_ERROR = "bridge-env: error: "  # how the line of an error begins
_CHILD = """\
import sys
from training.running.stopping import stop_when_input_ends
stop_when_input_ends()
from training.cli import main
sys.exit(main())
"""


def run(
    trials: Sequence[Trial],
    at_once: int,
    more: Sequence[str],
    began: Callable[[Trial], object],
    ended: Callable[[Trial, int, float], object],
    stopping: Callable[[int], object],
) -> None:
    """Run trials to their ends, ``at_once`` of them at a time. Each is told to stop and save if this is interrupted.

    Args:
        more: words that every trial's command gets besides its own.
        began: hears of each trial as it begins.
        ended: hears of each trial that ends, of its exit code and of the seconds that it took.
        stopping: hears, when this is interrupted, of how many trials are waited for.
    """
    waiting = list(trials)
    running = dict[str, tuple[Trial, subprocess.Popen[bytes], float]]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                trial = waiting.pop(0)
                began(trial)
                running[trial.name] = trial, _start(trial, more), time.monotonic()
            for trial, process, since in list(running.values()):
                code = process.poll()
                if code is not None:
                    del running[trial.name]
                    _let_go(process)
                    ended(trial, code, time.monotonic() - since)
            time.sleep(_PAUSE)
    except KeyboardInterrupt:
        stopping(len(running))
        raise
    finally:
        for _, process, _ in running.values():
            _let_go(process)
        for _, process, _ in running.values():
            process.wait()


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe for whose end a trial waits: it stops and saves. If a sweep is killed, its pipes end, too."""
    assert process.stdin is not None
    process.stdin.close()


def _start(trial: Trial, more: Sequence[str]) -> subprocess.Popen[bytes]:
    _wait_until_free(trial)
    if trial.folder.is_dir() and not trial.begun:
        shutil.rmtree(trial.folder)  # it was killed before it could be resumed, and has done nothing
    words = [*trial.words(), *more]
    append_whole(trial.log, f"$ {shlex.join(['bridge-env', *words])}\n".encode())
    with trial.log.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _CHILD, *words],
            stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"PYTHONUNBUFFERED": "1"},
            start_new_session=True,  # so that Ctrl-C reaches it once, through the pipe
        )  # fmt: skip


def _wait_until_free(trial: Trial) -> None:
    """Wait while a trial that an earlier sweep left behind saves. If that takes too long, the run says who holds it."""
    until = time.monotonic() + _SAVING
    while trial.folder.is_dir() and time.monotonic() < until:
        try:
            with lock.held(trial.folder):
                return
        except lock.InUse:
            time.sleep(_PAUSE)


def last_words(trial: Trial) -> str:
    """What a trial said last when it was run last: its error, or the end of its log, in a line."""
    with trial.log.open("rb") as log:
        log.seek(max(0, trial.log.stat().st_size - 20_000))
        text = log.read().decode("utf-8", "replace").replace("\r", "\n")
    lines = [line.strip() for line in text.rpartition("$ bridge-env ")[2].split("\n")[1:] if line.strip()]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return (errors or lines or ["it said nothing"])[-1]
