"""Commands that are killed: the same command, or ``--resume``, comes to the same result."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from support.learners import random_networks

from agents.networks.file import save

pytestmark = pytest.mark.slow
MAIN = "import sys; from training.cli.app import main; sys.exit(main())"
LEAGUE = ("--start policy:{start} --iterations 5 --boards 32 --evaluate 1 --judged 20 --panel= --estimated 0 "
          "--judge 20 --workers 1")  # fmt: skip


def start(words, folder):
    words = words.replace("{}", str(folder)).replace("{start}", str(folder.parent / "start.npz"))
    command = [sys.executable, "-c", MAIN, *words.split()]
    return subprocess.Popen(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(words, folder):
    process = start(words, folder)
    _, error = process.communicate(timeout=540)
    assert process.returncode == 0, error


def _rows(folder):
    return json.loads((folder / "match.json").read_text())["play"]["rows"]


def _weights(folder):
    return (folder / "league" / "run" / "policy.npz").read_bytes()


COMMANDS = {
    "match": ("match doubler random --boards 600 --play rule --keep {}/log --json {}/match.json", None, _rows, "log"),
    "league": (f"train league --out {{}} --name run {LEAGUE}",
               "train league --resume {}/league/run --workers 1 --judge 20", _weights, "league/run/checkpoint.npz"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_resumes_to_the_same_result(tmp_path, name):
    words, again, result, saved = COMMANDS[name]
    if name == "league":
        pytest.importorskip("ray")
        pytest.importorskip("torch")
    complete, killed = tmp_path / "complete", tmp_path / "killed"
    complete.mkdir()
    killed.mkdir()
    save(random_networks(widths=(24, 16)), tmp_path / "start.npz")
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
