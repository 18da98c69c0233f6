"""SIGTERM ends a command as Ctrl-C does."""

import json
import os
import signal
import subprocess
import threading
import time
from functools import partial

import pytest
from support.command import BRIDGE_ENV

from training.cli.app import app, main


@pytest.mark.slow
def test_a_stopped_match_saves_its_boards_and_prints_how_to_resume(tmp_path):
    keep = tmp_path / "boards.jsonl"
    words = ["match", "doubler", "random", "--boards", "20000", "--play", "rule", "--keep", str(keep)]
    process = subprocess.Popen([*BRIDGE_ENV, *words], stderr=subprocess.PIPE, text=True)
    for _ in range(1200):
        if keep.exists() and keep.read_bytes().count(b"\n") > 2:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 143
    assert f"stopped; what was done is in {keep}; go on: " in error
    assert "Traceback" not in error
    assert "***" not in error
    rows = [json.loads(line) for line in keep.read_text().splitlines()]
    assert 2 < len(rows) <= 20_000
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["boards.jsonl"]


def run_command(function):
    """Return the exit code of a command that calls ``function``."""
    app.command(function, name="wait")
    try:
        return main(["wait"])
    finally:
        del app["wait"]


def test_a_signal_is_forgotten_by_the_next_command():
    def receive(number):
        os.kill(os.getpid(), number)
        time.sleep(5)

    def interrupted():
        raise KeyboardInterrupt

    commands = partial(receive, signal.SIGTERM), partial(receive, signal.SIGHUP), interrupted
    assert [run_command(lambda one=one: one()) for one in commands] == [143, 129, 130]


def test_a_thread_may_run_a_command():
    found = []
    thread = threading.Thread(target=lambda: found.append(run_command(lambda: 0)))
    thread.start()
    thread.join()
    assert found == [0]
