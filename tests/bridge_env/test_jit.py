"""The cache of compiled kernels: a change of any kernel makes it anew."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.forks import Forks
from support.places import ROOT

from bridge_env.compiled import jit


@pytest.fixture(scope="module")
def forks():
    """Runs programs as new interpreters would."""
    found = Forks()
    yield found
    found.close()


def test_the_hash_follows_kernels_and_the_modules_that_they_import(tmp_path):
    for package in jit.PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    before = jit._sources_hash(tmp_path)
    assert before == jit._sources_hash(ROOT)
    for file, same in (
        ("bridge_env/display/text.py", True),
        ("bridge_env/rules/auction.py", False),  # kernels
        ("bridge_env/rules/calls.py", False),  # "from bridge_env.rules.calls import": constants
        ("bridge_env/rng/streams.py", False),  # "from bridge_env.rng import streams"
        ("training/networks/model.py", False),
    ):
        path = tmp_path / file
        path.write_text(path.read_text() + "\n# a change\n")
        now = jit._sources_hash(tmp_path)
        assert (now == before) == same, file
        before = now


# --- where the cache lies ----------------------------------------------------------------------------------

MODULE = "from bridge_env.compiled.jit import njit\n\n\n@njit\ndef twice(x):\n    return 2 * x\n"
USE = "import module_under_test as m; print(m.twice(21), sum(m.twice.stats.cache_hits.values()))"


def _double(forks: Forks, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a process that compiles a small kernel of its own, or loads it."""
    (tmp_path / "module_under_test.py").write_text(MODULE)
    return forks.run(USE, PYTHONPATH=f"{ROOT}:{tmp_path}", **environment)


@pytest.mark.parametrize("place", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_kernels_are_cached_where_the_user_wants(forks, tmp_path, place):
    where = {place: str(tmp_path / "here")}
    for hits in (0, 1):
        done = _double(forks, tmp_path, **where)
        assert (done.stdout, done.stderr) == (f"42 {hits}\n", "")
    (folder,) = (tmp_path / "here").rglob("bridge-env-kernels-*")
    assert folder.name == jit.FOLDER.name
    assert any(folder.rglob("*twice*.nbi"))


def test_a_folder_that_cannot_be_written_costs_one_warning(forks, tmp_path):
    (tmp_path / "file").write_text("")
    done = _double(forks, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert done.stdout == "42 0\n"
    assert done.stderr.count("RuntimeWarning") == 1
    assert "every process compiles anew" in done.stderr


def test_folders_of_old_versions_are_deleted(forks, tmp_path):
    cache = tmp_path / "cache"
    for number in range(6):
        (cache / f"bridge-env-kernels-{number}").mkdir(parents=True)
    (cache / "others").mkdir()
    _double(forks, tmp_path, NUMBA_CACHE_DIR=str(cache))
    left = {folder.name for folder in cache.iterdir()}
    assert {"others", jit.FOLDER.name} < left
    assert len(left) == 1 + jit._VERSIONS


def test_code_that_checks_bounds_has_its_own_folder(forks, tmp_path):
    (tmp_path / "module_under_test.py").write_text(MODULE.replace("twice(x)", "read(a, x)").replace("2 * x", "a[x]"))
    program = (
        "import numpy, module_under_test as m\ntry: m.read(numpy.zeros(2), 2); print('read')\n"
        "except IndexError: print('refused')"
    )
    words = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed = [forks.run(program, **words, NUMBA_BOUNDSCHECK=checks).stdout for checks in "01101"]
    assert printed == ["read\n", "refused\n", "refused\n", "read\n", "refused\n"]
    assert len(list((tmp_path / "cache").glob("bridge-env-kernels-*"))) == 2


# --- kernels that are inlined, and plain Python ------------------------------------------------------------


def test_an_inlined_kernel_works_in_kernels_and_in_python():
    @jit.njit(forceinline=True)
    def inlined(x, number):
        return x * number

    @jit.njit(cache=False)
    def outer(x):
        return inlined(x, 2) + inlined(x, 3) + inlined(x, number=4)

    assert (outer(5), inlined(5, 2), inlined.py_func(5, 3)) == (45, 10, 15)


def test_a_debugger_can_step_through_kernels():
    """numba's own switch leaves every kernel a function of Python; here one plays an auction to its end."""
    program = """
from bridge_env.rules import auction
auctions = auction.Auctions([0], [0])
for call in (3, 0, 0, 0):
    auctions.step([call])
print(auctions.done, hasattr(auction._start_all, "overloads"))
"""
    environment = {"PATH": "", "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("[ True] False\n", "")
