"""The same bytes: with one worker and two, after Ctrl-C and kills, on a full disk, and elsewhere.

``BRIDGE_INTERRUPTIONS=10`` interrupts each command ten times in place of two; give pytest ``-o
faulthandler_timeout=3600`` with it, since a run of the coach then takes longer than the ten minutes of a test.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest
from support.command import MAIN
from support.learners import random_networks
from support.places import ROOT

from agents.networks.file import save
from bridge_env.compiled.jit import FOLDER

pytestmark = pytest.mark.slow
INTERRUPTIONS = int(os.environ.get("BRIDGE_INTERRUPTIONS", "2"))
MATCH = "match doubler random --boards 300 --play rule --keep {}/log --json {}/match.json"
LEAGUE = "--iterations 5 --boards 32 --evaluate 1 --judged 20 --panel= --estimated 0 --judge 20"
EVOLVE = (
    "--generations 3 --partnerships 2 --proposals 5 --positions 1 --study 300 --boards 200 --confirm 300 --judge 64 "
    "--champions 1 --league acol --validators= --gatekeepers policy:humans --operators evolution,tuning,swapping"
)
COACH = (
    "--iterations 2 --rollout 64 --estimated 0 --generations 1 --study 384 --confirm 256 --terms 40 --counted 100 "
    "--judge 8"
)
CARDS = "--system sayc --against policy:acol --boards 256 --judge 128 --terms 40"
TOY = "system: toy\n4S    5+ S, 8+ hcp\nP\nwhen 0-7 last-level\n  P\n"
SHORT = "system: short\n1N    15-17 hcp, balanced\n  3N    10+ hcp\n1M    12+ hcp, 5+ M\n  2M    6-9 hcp, 3+ M\nP\n"


class Run(NamedTuple):
    """A command whose work can be interrupted; ``{}`` is its folder, ``{at}`` that of its inputs."""

    first: str
    again: str
    results: tuple[str, ...]  # files that are the same in the end
    packages: tuple[str, ...] = ()


RUNS = {
    "match": Run(MATCH, MATCH, ("match.json",)),
    "evolve": Run(f"evolve --out {{}} --name run --start {{at}}/toy.bidding --control {{at}}/toy.bidding {EVOLVE}",
                  "evolve --resume {}/evolve/run", ("evolve/run/evolved.bidding", "evolve/run/verdict.json"), ("ray",)),
    "league": Run(f"train league --out {{}} --name run --start policy:{{at}}/start.npz {LEAGUE}",
                  "train league --resume {}/league/run --judge 20", ("league/run/policy.npz",), ("ray", "torch")),
    "coach": Run(f"coach {{at}}/short.bidding --out {{}} {COACH}", "coach --resume {}/coach/short",
                 ("coach/short/short.npz", "coach/short/short-amended.bidding", "coach/short/short-cards.bidding"),
                 ("ray", "torch")),
    "fit": Run(f"fit cards --out {{}} --name run {CARDS}", "fit cards --resume {}/cards/run",
               ("cards/run/cards.bidding",)),
}  # fmt: skip
LONG = ("evolve", "coach", "fit")  # tests/training/test_selfplay.py has short ones of evolve


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """A folder with what the commands begin with."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "toy.bidding").write_text(TOY)
    (folder / "short.bidding").write_text(SHORT)
    save(random_networks(widths=(24, 16)), folder / "start.npz")
    return folder


def start(words, folder, at, main=MAIN, **options):
    """Start a command in a process group of its own."""
    command = [sys.executable, "-c", main, *words.replace("{}", str(folder)).replace("{at}", str(at)).split()]
    return subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **options
    )


def finish(words, folder, at, **options):
    """Let a command do all its work, and return its output."""
    process = start(words, folder, at, **options)
    output, _ = process.communicate(timeout=540)
    assert process.returncode == 0, output
    return output


def results(run, folder):
    """Return the contents of what a run writes, without the seconds that it took."""
    return [_without_seconds(json.loads(path.read_text())) if path.suffix == ".json" else path.read_bytes()
            for path in (folder / name for name in run.results)]  # fmt: skip


def _without_seconds(content):
    if isinstance(content, dict):
        return {name: _without_seconds(value) for name, value in content.items() if name != "seconds"}
    return [_without_seconds(value) for value in content] if isinstance(content, list) else content


def begun(run, folder):
    """Return the command that goes on; the first one where nothing was kept yet."""
    if any(folder.rglob("manifest.json")):
        return run.again
    shutil.rmtree(folder)
    folder.mkdir()
    return run.first


def of_runs(*names, weekly=()):
    """Give a test what some of the runs make, of ``weekly`` ones once a week."""
    marked = [pytest.param(name, marks=pytest.mark.weekly if name in weekly else ()) for name in names]
    return pytest.mark.parametrize("complete", marked, indirect=True)


@pytest.fixture(scope="module")
def complete(request, at, tmp_path_factory):
    """A run, what one worker that nobody disturbs makes of it, and the seconds that this takes."""
    run = RUNS[request.param]
    for package in run.packages:
        pytest.importorskip(package)
    folder, began = tmp_path_factory.mktemp("complete"), time.monotonic()
    finish(f"{run.first} --workers 1", folder, at)
    return run, results(run, folder), time.monotonic() - began


@of_runs(*RUNS, weekly=("league", *LONG))
def test_two_workers_that_are_interrupted_make_the_same(complete, at, tmp_path):
    run, wanted, seconds = complete
    for number in range(INTERRUPTIONS):
        how = (signal.SIGINT, signal.SIGKILL)[number % 2]
        words = begun(run, tmp_path) if run.again != run.first else run.first
        process = start(f"{words} --workers 2", tmp_path, at)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds * (number + 1) / (INTERRUPTIONS + 1))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        process.communicate(timeout=60)  # Ray may crash on Ctrl-C while it starts; what counts is what is left
    finish(f"{begun(run, tmp_path) if run.again != run.first else run.first} --workers 2", tmp_path, at)
    assert results(run, tmp_path) == wanted


@of_runs("match")  # Ray itself writes more than this limit
def test_a_disk_that_is_full_loses_nothing(complete, at, tmp_path):
    run, wanted, _ = complete
    process = start(run.first, tmp_path, at, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)))
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 2, output
    assert "File too large" in output
    assert f"what was done is in {tmp_path / 'log'}; go on: bridge-env match" in output
    finish(run.again, tmp_path, at)
    assert results(run, tmp_path) == wanted


@of_runs(*RUNS, weekly=("league", *LONG))
def test_elsewhere(complete, at, tmp_path):
    """A home that cannot be written, and the plainest locale, with which Python reads and prints ASCII."""
    run, wanted, _ = complete
    plain = {"HOME": "/proc", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    env = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"} | plain
    finish(f"{run.first} --workers 1", tmp_path, at, env=env | {"NUMBA_CACHE_DIR": str(FOLDER.parent)}, cwd=tmp_path)
    assert results(run, tmp_path) == wanted


@pytest.mark.weekly  # compiles all anew
@of_runs("match")
def test_a_wheel_away_from_the_checkout(complete, at, tmp_path):
    run, wanted, _ = complete
    source = tmp_path / "source"
    source.mkdir()
    subprocess.run(["git", "-C", ROOT, "checkout-index", "--all", f"--prefix={source}/"], check=True)
    code = "from setuptools import build_meta; print(build_meta.build_wheel('wheels'))"
    (source / "wheels").mkdir()
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True, timeout=300)
    (wheel,) = (source / "wheels").glob("*.whl")
    shutil.unpack_archive(wheel, tmp_path / "installed", "zip")
    main = f"import training; assert training.__file__.startswith({str(tmp_path)!r}); {MAIN}"
    env = os.environ | {"PYTHONPATH": str(tmp_path / "installed"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    finish(run.first, tmp_path, at, main=main, env=env, cwd=tmp_path)
    assert results(run, tmp_path) == wanted
