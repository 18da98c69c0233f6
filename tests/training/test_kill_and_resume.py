"""Commands that are killed: the same command, or ``--resume``, comes to the same result."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from bridge_env.double_dummy.library import Library

pytestmark = pytest.mark.slow
MAIN = "import sys; from training.cli.app import main; sys.exit(main())"
EVOLVE = ("--generations 2 --boards 60 --study 60 --confirm 60 --partnerships 1 --operators evolution --proposals 4 "
          "--start silent --control silent --judge 40 --workers 1 --league= --gatekeepers=")  # fmt: skip
LEAGUE = ("--start nothing --iterations 12 --boards 64 --evaluate 3 --judged 50 --panel= --layers 24,16 "
          "--estimated 0 --judge 20 --workers 1")  # fmt: skip


def start(words, folder):
    return subprocess.Popen([sys.executable, "-c", MAIN, *words.replace("{}", str(folder)).split()], text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip


def finish(words, folder):
    process = start(words, folder)
    _, error = process.communicate(timeout=540)
    assert process.returncode == 0, error


def _rows(folder):
    return json.loads((folder / "match.json").read_text())["play"]["rows"]


def _population(folder):
    return json.loads((folder / "evolve" / "run" / "checkpoint.json").read_text())["population"]


def _weights(folder):
    return (folder / "league" / "run" / "policy.npz").read_bytes()


COMMANDS = {
    "match": ("match doubler random --boards 600 --play rule --keep {}/log --json {}/match.json", None, _rows, "log"),
    "solve": ("solve --n 40 --seed 1 --out {}/a.bdl --workers 1", None,
              lambda folder: Library.open(folder / "a.bdl").records.tobytes(), "*.bdl*"),
    "evolve": (f"evolve --out {{}} --name run {EVOLVE}", "evolve --resume {}/evolve/run --workers 1", _population,
               "evolve/run/checkpoint.json"),
    "league": (f"train league --out {{}} --name run {LEAGUE}",
               "train league --resume {}/league/run --workers 1 --judge 20", _weights, "league/run/checkpoint.npz"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_resumes_to_the_same_result(tmp_path, name):
    words, again, result, saved = COMMANDS[name]
    if name in ("evolve", "league"):
        pytest.importorskip("ray")
    if name == "league":
        pytest.importorskip("torch")
    complete, killed = tmp_path / "complete", tmp_path / "killed"
    complete.mkdir()
    killed.mkdir()
    finish(words, complete)
    process = start(words, killed)
    while process.poll() is None and not any(path.stat().st_size for path in killed.glob(saved)):
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05)
    process.kill()
    process.communicate()
    finish(again or words, killed)
    assert result(killed) == result(complete)
    shutil.rmtree(killed)
