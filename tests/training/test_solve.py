"""Solving into a library: the same bytes for any order, number of workers, stop and kill; on Ray."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from bridge_env.display.text import trick_table
from bridge_env.double_dummy import ExactDoubleDummy, Library, builtin_library, maintenance, write_library
from bridge_env.double_dummy.library import write_records
from bridge_env.hands.deals import deal_text, random_deals
from bridge_env.hands.packing import pack_records
from training import cli, solve
from training.cli import deals as cli_deals
from training.runtime.cluster import Cluster
from training.solve import SolveError, estimate_text, solve_random


class Invented:
    """A quick stand-in for a solver: tables that depend on the deal alone. Can stop in the middle, or be wrong."""

    def __init__(self, stop_after: int = 10**9, how: object = None, wrong: int = 0) -> None:
        self.left, self.how, self.wrong = stop_after, how, wrong

    def tricks(self, owner):
        self.left -= 1
        if self.left < 0:
            self.how()
        return (np.asarray(owner)[:, :20] * 3 + self.wrong).reshape(-1, 4, 5).astype(np.int8)

    def tricks_for(self, owner, declarer, strain):
        return self.tricks(owner)[np.arange(len(owner)), declarer, strain]


class Shuffled:
    """A cluster that hands back its results in another order, and breaks after some."""

    def __init__(self, seed: int, breaks_after: int = 10**9) -> None:
        self.chance, self.left = random.Random(seed), breaks_after

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, function, tasks):
        numbered = list(enumerate(tasks))
        self.chance.shuffle(numbered)
        for number, task in numbered:
            self.left -= 1
            if self.left < 0:
                fail()
            yield number, function(*task)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """250 deals by one uninterrupted run in this process."""
    path = tmp_path_factory.mktemp("whole") / "whole.bdl"
    done = solve_random(path, 250, seed=5, start=10, solver=Invented())
    assert (done.deals, done.new) == (250, 250)
    return path


def again(path: Path, count: int = 250, **options):
    """What the fixture did, in another way."""
    return solve_random(path, count, seed=5, start=10, **({"solver": Invented()} | options))


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def fail() -> None:
    raise RuntimeError("the solver broke")


# --- any order, any stop ------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "error"), [(press_ctrl_c, KeyboardInterrupt), (fail, RuntimeError)])
def test_solving_goes_on_after_a_stop(whole, tmp_path, how, error):
    parts = tmp_path / "parts.bdl"
    with pytest.raises(error):
        again(parts, solver=Invented(2, how))
    assert len(Library.open(parts)) == 80
    again(parts, 200)  # then some, then the rest
    told: list[int] = []
    again(parts, progress=told.append)
    assert told == [200, 240, 250]
    assert parts.read_bytes() == whole.read_bytes()
    done = again(parts, 100, solver=Invented(0, fail))  # nothing left to do
    assert (done.deals, done.new) == (250, 0)
    assert parts.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("seed", range(5))
def test_ranges_may_come_in_any_order(whole, tmp_path, seed):
    path, told = tmp_path / "a.bdl", []
    with pytest.raises(RuntimeError):
        again(path, cluster=Shuffled(seed, 7), progress=told.append)
    assert told[-1] in (130, 140)  # seven ranges of 20, the last one of 10; the file has those without a gap
    assert len(Library.open(path)) < 140
    again(path, cluster=Shuffled(seed + 100))
    assert path.read_bytes() == whole.read_bytes()


def test_the_file_is_saved_on_the_way(tmp_path, monkeypatch):
    clock = iter(np.arange(0, 10_000, 4.0))  # every look at the clock is four seconds later
    monkeypatch.setattr(solve.time, "monotonic", lambda: float(next(clock)))
    sizes: list[int] = []
    write = lambda path, records, made: (sizes.append(made["count"]), write_records(path, records, made))  # noqa: E731
    monkeypatch.setattr(solve, "write_records", write)
    again(tmp_path / "a.bdl", 4000)
    assert sizes[0] == 0  # a bad place is noticed at once
    assert 0 < sizes[1] <= 400
    assert sizes[-1] == 4000


def test_a_bad_place_is_told_before_anything_is_solved(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        again(tmp_path / "file" / "a.bdl", solver=Invented(0, fail))


def test_a_kill_leaves_a_library_that_is_gone_on_with(whole, tmp_path):
    path = tmp_path / "a.bdl"
    script = f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_solve import Invented, again, solve
        solve.SAVE_EVERY, solve.BATCH = 0.0, 1
        class Slow(Invented):
            def tricks(self, owner):
                time.sleep(0.002)
                return super().tricks(owner)
        again({str(path)!r}, solver=Slow())
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])
    while process.poll() is None and not (path.exists() and len(Library.open(path)) > 20):
        time.sleep(0.001)  # and every time it opens
    process.kill()
    process.wait()
    assert 20 < len(Library.open(path)) < 250
    again(path)
    assert path.read_bytes() == whole.read_bytes()


def test_solving_does_not_mix_deals(tmp_path):
    path = tmp_path / "a.bdl"
    again(path, 40)
    with pytest.raises(SolveError, match="seed 6"):
        solve_random(path, 80, seed=6, start=10, solver=Invented())
    with pytest.raises(SolveError, match="from number 1:"):
        solve_random(path, 80, seed=5, start=1, solver=Invented())
    write_library(path, builtin_library().owners([0]), builtin_library().tricks_at([0]), {"seed": 5, "start": 10})
    with pytest.raises(SolveError, match=r"a\.bdl"):
        again(path)


def test_a_library_says_how_it_was_made_and_merges(whole, tmp_path):
    a, b, out = (tmp_path / name for name in ("a", "b", "out"))
    again(a, 90)
    solve_random(b, 160, seed=5, start=100, solver=Invented())
    assert maintenance.merge([a, b], out) == 250
    np.testing.assert_array_equal(Library.open(out).records, Library.open(whole).records)
    first, second = Library.open(out).provenance["merged"]
    assert (first["seed"], first["start"], first["count"], second["start"]) == (5, 10, 90, 100)


def test_packed_records_write_the_same_library(tmp_path):
    owner, tricks = builtin_library().owners(range(40)), builtin_library().tricks_at(range(40))
    write_library(tmp_path / "a", owner, tricks, {"x": 1})
    records = pack_records(owner, tricks)
    for form in (records, bytearray(records.tobytes()), records[:0].copy()):
        write_records(tmp_path / "b", form, {"x": 1})
        same = len(form) > 0
        assert ((tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()) is same
    np.testing.assert_array_equal(Library.open(tmp_path / "a").records, records)


@pytest.mark.slow
def test_a_million_deals_are_looked_after_in_seconds(tmp_path):
    path, began = tmp_path / "a.bdl", time.monotonic()
    done = again(path, 1_000_000)
    assert done.deals == 1_000_000
    assert again(path, 1_000_000).new == 0
    assert maintenance.info(path)["judging"] == pytest.approx(250_000, rel=0.01)
    assert maintenance.merge([path, path], tmp_path / "b.bdl") == 1_000_000
    assert time.monotonic() - began < 120


# --- on Ray -------------------------------------------------------------------------------------------


@pytest.fixture
def two_cores(one_ray):
    """A Ray to which this module's doubles travel by value."""
    import ray

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Dies(Invented):
    """Takes its worker with it, once."""

    def __init__(self, marker: Path) -> None:
        super().__init__()
        self.marker = marker

    def tricks(self, owner):
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().tricks(owner)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_same_bytes_for_any_number_of_workers(two_cores, whole, tmp_path, workers):
    path = tmp_path / "a.bdl"
    again(path, 70, cluster=Cluster(workers))
    again(path, cluster=Cluster(workers))
    assert path.read_bytes() == whole.read_bytes()


def test_a_killed_worker_changes_nothing(two_cores, whole, tmp_path):
    again(tmp_path / "a.bdl", solver=Dies(tmp_path / "died"), cluster=Cluster(2))
    assert (tmp_path / "died").exists()
    assert (tmp_path / "a.bdl").read_bytes() == whole.read_bytes()


def test_ctrl_c_on_ray_saves_what_is_under_way(two_cores, whole, tmp_path):
    path = tmp_path / "a.bdl"
    stop = lambda deals: press_ctrl_c() if deals == 60 else None  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        again(path, cluster=Cluster(2), progress=stop)
    assert 40 <= len(Library.open(path)) <= 100
    again(path, cluster=Cluster(2))
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_command_is_stopped_and_gone_on_with(one_ray, monkeypatch, tmp_path, capsys, how):
    """Real deals; Ctrl-C on Ray goes to the whole process group, as at a terminal. Without Ray it is killed."""
    few = 0 if how == signal.SIGINT else 200
    path = tmp_path / "a.bdl"
    main = f"solve.SAVE_EVERY, solve.BATCH, solve.TASK, cli.deals._FEW = 0.0, 2, 2, {few}; sys.exit(cli.main())"
    command = ["solve", "--n", "24", "--seed", "5", "--out", str(path), "--workers", "2"]
    words = [sys.executable, "-c", f"import sys; from training import cli, solve; import training.cli.deals; {main}"]
    process = subprocess.Popen([*words, *command], stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (path.exists() and len(Library.open(path))):
        time.sleep(0.02)
        assert process.poll() is None
    os.killpg(process.pid, how) if how == signal.SIGINT else process.kill()
    said = process.communicate(timeout=90)[1]
    assert 0 < len(Library.open(path)) < 24
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "of 24 deals" in said
        assert "go on: bridge-env solve --n 24 --seed 5 --start 0 --out" in said
    monkeypatch.setattr(cli_deals, "_FEW", few)
    monkeypatch.setattr(solve, "TASK", 2)
    assert cli.main(command) == 0
    assert "24 solved deals" in capsys.readouterr().out
    deals = random_deals(5, 0, 24)
    np.testing.assert_array_equal(Library.open(path).owners(), deals)
    np.testing.assert_array_equal(Library.open(path).tricks_at([0, 23]), ExactDoubleDummy().tricks(deals[[0, 23]]))


# --- the command line ---------------------------------------------------------------------------------


def run(*words: object) -> int:
    return cli.main(["solve", *(str(word) for word in words)])


def test_the_command_says_what_it_did(tmp_path, capsys):
    assert run("--n", 1, "--out", tmp_path / "a.bdl") == 0
    said = capsys.readouterr().out
    assert "1 solved deals" in said
    assert "for training" in said
    assert "deals/s" in said


def test_without_ray_it_solves_in_this_process(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("training.runtime.cluster.installed", lambda: False)
    monkeypatch.setattr("bridge_env.double_dummy.ExactDoubleDummy", lambda n: Invented())
    assert run("--n", 300, "--out", tmp_path / "a.bdl") == 0
    assert capsys.readouterr().err.count("Ray is not installed (pip install") == 1
    assert run("--n", 300, "--workers", 1, "--out", tmp_path / "a.bdl") == 0
    assert "Ray" not in capsys.readouterr().err


def test_a_stopped_command_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bridge_env.double_dummy.ExactDoubleDummy", lambda n: Invented(1, press_ctrl_c))
    out = tmp_path / "two deals.bdl"
    assert run("--n", 300, "--seed", 4, "--workers", 1, "--out", out) == 130
    said = capsys.readouterr().err
    assert "40 of 300" in said
    assert f"bridge-env solve --n 300 --seed 4 --start 0 --out '{out}' --workers 1" in said


def test_tables_of_a_pbn_file(tmp_path, capsys):
    deals = tmp_path / "deals.pbn"
    text = '[Board "{}"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{}"]\n'
    known = deal_text(builtin_library().owners(4)[0])
    deals.write_text(text.format(8, known) + "\n" + text.format(9, "N:no deal"))
    assert run("--deals", deals) == 0
    said = capsys.readouterr()
    assert said.out == f"8. {known}\n{trick_table(builtin_library().tricks_at(4)[0])}\n"
    assert "deals.pbn:9" in said.err


def test_estimates_of_a_pbn_file(tmp_path, capsys):
    deals = tmp_path / "deals.pbn"
    spades = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    deals.write_text(f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{spades}"]\n')
    assert run("--deals", deals, "--tricks", "estimate") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("estimates of a network")
    assert said[3].split()[0] == "N"
    assert len(said) == 7
    assert run("--out", tmp_path / "a.bdl", "--tricks", "estimate") == 2
    assert "exact tricks only" in capsys.readouterr().err


def test_estimate_text():
    chances = np.zeros((4, 5, 14))
    chances[:, :, 7] = 0.5
    chances[:, :, 9] = 0.5
    lines = estimate_text(chances).splitlines()
    assert lines[1].split()[:4] == ["N", "8.0", "±", "1.0"]
