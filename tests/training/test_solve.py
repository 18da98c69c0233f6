"""Solving into a library: the same bytes for any order, number of workers, stop and kill; on Ray."""

import os
import random
import signal
import sys

import numpy as np
import pytest
from support.learners import Here

from bridge_env.display.text import trick_table
from bridge_env.double_dummy import Library, builtin_library, write_library
from bridge_env.double_dummy.library import write_records
from bridge_env.hands.deals import deal_text
from training import cli
from training import deals as solving
from training.deals import SolveError, estimate_text, solve_random
from training.runtime.cluster import Cluster


class Invented:
    """A quick stand-in for a solver: tables that depend on the deal alone. Can stop in the middle, or be wrong."""

    def __init__(self, stop_after=10**9, how=None, wrong=0):
        self.left, self.how, self.wrong = stop_after, how, wrong

    def tricks(self, owner):
        self.left -= 1
        if self.left < 0:
            self.how()
        return (np.asarray(owner)[:, :20] * 3 + self.wrong).reshape(-1, 4, 5).astype(np.int8)

    def tricks_for(self, owner, declarer, strain):
        return self.tricks(owner)[np.arange(len(owner)), declarer, strain]


class Shuffled(Here):
    """A cluster that hands back its results in another order, and breaks after some."""

    def __init__(self, seed, breaks_after=10**9):
        super().__init__()
        self.chance, self.left = random.Random(seed), breaks_after

    def map(self, function, tasks):
        numbered = list(enumerate(tasks))
        self.chance.shuffle(numbered)
        for number, task in numbered:
            self.left -= 1
            if self.left < 0:
                fail()
            yield number, function(*task)


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """250 deals by one uninterrupted run in this process."""
    path = tmp_path_factory.mktemp("complete") / "complete.bdl"
    done = solve_random(path, 250, seed=5, start=10, solver=Invented())
    assert (done.deals, done.new) == (250, 250)
    return path


def again(path, count=250, **options):
    """Do what the fixture did, in another way."""
    return solve_random(path, count, seed=5, start=10, **({"solver": Invented()} | options))


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def fail():
    raise RuntimeError("the solver broke")


@pytest.mark.parametrize(("how", "error"), [(press_ctrl_c, KeyboardInterrupt), (fail, RuntimeError)])
def test_solving_resumes_after_a_stop(complete, tmp_path, how, error):
    parts = tmp_path / "parts.bdl"
    with pytest.raises(error):
        again(parts, solver=Invented(2, how))
    assert len(Library.open(parts)) == 80
    again(parts, 200)  # then some, then the rest
    reported: list[int] = []
    again(parts, progress=reported.append)
    assert reported == [200, 240, 250]
    done = again(parts, 100, solver=Invented(0, fail))  # nothing left to do
    assert (done.deals, done.new) == (250, 0)
    assert parts.read_bytes() == complete.read_bytes()


def test_ranges_may_come_in_any_order(complete, tmp_path):
    path, reported = tmp_path / "a.bdl", []
    with pytest.raises(RuntimeError):
        again(path, cluster=Shuffled(1, 7), progress=reported.append)
    assert reported[-1] in (130, 140)  # seven ranges of 20, the last one of 10; the file has those without a gap
    assert len(Library.open(path)) < 140
    again(path, cluster=Shuffled(2))
    assert path.read_bytes() == complete.read_bytes()


def test_the_file_is_saved_on_the_way(tmp_path, monkeypatch):
    clock = iter(np.arange(0, 10_000, 4.0))  # every look at the clock is four seconds later
    monkeypatch.setattr(solving.time, "monotonic", lambda: float(next(clock)))
    sizes: list[int] = []
    write = lambda path, records, made: (sizes.append(made["count"]), write_records(path, records, made))  # noqa: E731
    monkeypatch.setattr(solving, "write_records", write)
    again(tmp_path / "a.bdl", 4000)
    assert sizes[0] == 0  # a bad place is noticed at once
    assert 0 < sizes[1] <= 400
    assert sizes[-1] == 4000


def test_a_bad_place_is_an_error_before_anything_is_solved(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        again(tmp_path / "file" / "a.bdl", solver=Invented(0, fail))


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


@pytest.fixture
def two_cores(one_ray):
    """A Ray to which this module's doubles travel by value."""
    import ray

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Dies(Invented):
    """Takes its worker with it, once."""

    def __init__(self, marker):
        super().__init__()
        self.marker = marker

    def tricks(self, owner):
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().tricks(owner)


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(two_cores, complete, tmp_path):
    path = tmp_path / "a.bdl"
    again(path, 70, cluster=Cluster(1))
    again(path, solver=Dies(tmp_path / "died"), cluster=Cluster(2))
    assert (tmp_path / "died").exists()
    assert path.read_bytes() == complete.read_bytes()


def run(*words):
    return cli.main(["solve", *(str(word) for word in words)])


def test_it_solves_in_this_process(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bridge_env.double_dummy.ExactDoubleDummy", lambda n: Invented())
    assert run("--n", 300, "--out", tmp_path / "a.bdl") == 0
    printed = capsys.readouterr()
    assert "300 solved deals" in printed.out
    assert "for training" in printed.out
    assert "deals/s" in printed.out


def test_a_stopped_command_prints_how_to_resume(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bridge_env.double_dummy.ExactDoubleDummy", lambda n: Invented(1, press_ctrl_c))
    out = tmp_path / "two deals.bdl"
    assert run("--n", 300, "--seed", 4, "--workers", 1, "--out", out) == 130
    assert f"bridge-env solve --n 300 --seed 4 --workers 1 --out '{out}'" in capsys.readouterr().err


def test_tables_of_a_pbn_file(tmp_path, capsys):
    deals = tmp_path / "deals.pbn"
    text = '[Board "{}"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{}"]\n'
    known = deal_text(builtin_library().owners(4)[0])
    deals.write_text(text.format(8, known) + "\n" + text.format(9, "N:no deal"))
    assert run("--deals", deals) == 0
    printed = capsys.readouterr()
    assert printed.out == f"8. {known}\n{trick_table(builtin_library().tricks_at(4)[0])}\n"
    assert "deals.pbn:9" in printed.err
    assert run("--deals", deals, "--tricks", "estimate") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("estimates of a network")
    assert lines[3].split()[0] == "N"
    assert len(lines) == 7
    assert run("--out", tmp_path / "a.bdl", "--tricks", "estimate") == 2
    assert "exact tricks only" in capsys.readouterr().err


def test_estimate_text():
    chances = np.zeros((4, 5, 14))
    chances[:, :, [7, 9]] = 0.5
    assert estimate_text(chances).splitlines()[1].split()[:4] == ["N", "8.0", "±", "1.0"]
