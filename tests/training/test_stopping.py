"""SIGTERM ends a command as Ctrl-C does; of two writers of one run, file or library the second is refused."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from importlib.util import find_spec

import pytest
from support.command import BRIDGE_ENV

from training.cli.app import app, main
from training.deals import solve_random
from training.runtime import runs
from training.runtime.runs import ResultLog


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


HOLDER = (
    "import sys, time\nfrom pathlib import Path\nfrom training.runtime import runs\n"
    "runs.hold(Path(sys.argv[1]))\nprint('held', flush=True)\ntime.sleep(60)\n"
)


@pytest.fixture
def other():
    """Return a function that starts a process which locks a place; it returns the process id."""
    started = []

    def start(path):
        process = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "held\n"
        return process.pid

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_lock_ends_with_its_process(other, tmp_path):
    pid = other(tmp_path)
    with pytest.raises(runs.InUse, match="is in use by another process"):
        runs.hold(tmp_path)
    os.kill(pid, signal.SIGKILL)
    for _ in range(200):
        try:
            runs.hold(tmp_path)
            break
        except runs.InUse:
            signal.sigtimedwait([], 0.05)
    runs.hold(tmp_path)  # once more by the same process


def test_every_writer_locks(other, tmp_path, capsys):
    keep, library, run = tmp_path / "boards ♠.jsonl", tmp_path / "a.bdl", tmp_path / "run"
    run.mkdir()
    for path in (keep, library, run):
        other(path)
    with pytest.raises(runs.InUse):
        ResultLog(keep, {}, int).read()
    with pytest.raises(runs.InUse):
        solve_random(library, 2, seed=1, start=0, solver=None)
    ppo = [["train", "ppo"]] if find_spec("sb3_contrib") else []
    for command in (["evolve"], ["train", "league"], *ppo):
        assert main([*command, "--resume", str(run)]) == 2
        assert "is in use by another process" in capsys.readouterr().err
    assert main(["panel", "pass", "--against", "doubler", "--boards", "2", "--out", str(run)]) == 2
    assert "is in use by another process" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../../x", "/tmp/x", "", ".hidden", "-x", "a\nb", "a\\b", "x" * 300])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, capsys, name):
    with pytest.raises(runs.RunError, match="a run's name is a folder's"):
        runs.new_folder(tmp_path / "results", "evolve", name)
    assert list(tmp_path.iterdir()) == []
    assert main(["evolve", "--out", str(tmp_path / "results"), f"--name={name}"]) == 2
    assert "a run's name is a folder's" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_names_with_blanks_and_of_any_language(tmp_path):
    assert runs.new_folder(tmp_path, "evolve", "mein Lauf ♠ 1").is_dir()
