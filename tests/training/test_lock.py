"""Two writers of one run, file or library: the second is refused."""

import os
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from training.cli.app import main
from training.deals import solve_random
from training.runtime import runs
from training.runtime.runs import ResultLog

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
