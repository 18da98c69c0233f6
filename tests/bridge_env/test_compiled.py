"""The cache of compiled kernels, kernels in plain Python, and intrinsics."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from numba.core.errors import TypingError
from support.places import ROOT

from bridge_env.compiled import jit
from bridge_env.compiled.intrinsics import copy


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


MODULE = "from bridge_env.compiled.jit import njit\n\n\n@njit\ndef twice(x):\n    return 2 * x\n"
USE = "import module_under_test as m; print(m.twice(21), sum(m.twice.stats.cache_hits.values()))"


def run(program, **environment):
    """Run a program in this environment alone, with bounds checked as here."""
    command = [sys.executable, "-c", program]
    checks = {name: value for name, value in os.environ.items() if name == "NUMBA_BOUNDSCHECK"}
    environment = {"PATH": "", **checks, **environment}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment)


def double(tmp_path, **environment):
    """Run a process that compiles a small kernel of its own, or loads it."""
    (tmp_path / "module_under_test.py").write_text(MODULE)
    return run(USE, PYTHONPATH=f"{ROOT}:{tmp_path}", **environment)


def test_kernels_are_cached_where_the_user_wants_and_old_versions_are_deleted(tmp_path):
    cache = tmp_path / "cache"
    for number in range(6):
        (cache / f"bridge-env-kernels-{number}").mkdir(parents=True)
    (cache / "others").mkdir()
    for hits in (0, 1):
        done = double(tmp_path, NUMBA_CACHE_DIR=str(cache))
        assert (done.stdout, done.stderr) == (f"42 {hits}\n", "")
    left = {folder.name for folder in cache.iterdir()}
    assert {"others", jit.FOLDER.name} < left
    assert len(left) == 1 + jit._VERSIONS
    assert any((cache / jit.FOLDER.name).rglob("*twice*.nbi"))


@pytest.mark.slow
def test_kernels_are_cached_in_the_users_folder(tmp_path):
    double(tmp_path, HOME=str(tmp_path / "home"))
    (folder,) = (tmp_path / "home" / ".cache" / "bridge-env").iterdir()
    assert folder.name == jit.FOLDER.name


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_one_warning(tmp_path):
    (tmp_path / "file").write_text("")
    done = double(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert done.stdout == "42 0\n"
    assert done.stderr.count("RuntimeWarning") == 1
    assert "every process compiles" in done.stderr


@pytest.mark.slow
def test_code_that_checks_bounds_has_its_own_folder(tmp_path):
    (tmp_path / "module_under_test.py").write_text(MODULE.replace("twice(x)", "read(a, x)").replace("2 * x", "a[x]"))
    program = (
        "import numpy, module_under_test as m\ntry: m.read(numpy.zeros(2), 2); print('read')\n"
        "except IndexError: print('refused')"
    )
    words = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed = [run(program, **words, NUMBA_BOUNDSCHECK=checks).stdout for checks in "01"]
    assert printed == ["read\n", "refused\n"]
    assert len(list((tmp_path / "cache").glob("bridge-env-kernels-*"))) == 2


def test_an_inlined_kernel_works_in_kernels_and_in_python():
    @jit.njit(forceinline=True)
    def inlined(x, number):
        return x * number

    @jit.njit(cache=False)
    def outer(x):
        return inlined(x, 2) + inlined(x, 3) + inlined(x, number=4)

    assert (outer(5), inlined(5, 2), inlined.py_func(5, 3)) == (45, 10, 15)


@jit.njit
def copied(source, target):
    copy(source, target)


@pytest.mark.parametrize("shape", [(5,), (4, 3), (0,), (3, 0)])
def test_a_copy_is_the_source_and_its_own_memory(shape):
    source = np.arange(int(np.prod(shape)), dtype=np.int16).reshape(shape)
    target = np.full((3, *shape), -1, np.int16)
    copied(source, target[1])
    assert (target[1] == source).all()
    assert (target[[0, 2]] == -1).all()
    source += 7
    assert (target[1] == source - 7).all()


def test_arrays_of_another_size_or_strided_are_refused():
    for size in (4, 6):
        with pytest.raises(ValueError, match="another size"):
            copied(np.zeros(size, np.int16), np.zeros(5, np.int16))
    with pytest.raises(TypingError):
        copied(np.zeros(3, np.int16), np.zeros((3, 2), np.int16)[:, 0])


ALL = """
import numpy as np
from bridge_env.compiled import intrinsics, jit

@jit.njit(cache=False)
def each(number, words, address):
    seen = intrinsics.array_at(address, (2, 3), np.int16)
    intrinsics.prefetch(words, 2)
    bits = intrinsics.ones(number), intrinsics.lowest(number), intrinsics.highest(number)
    word = np.int64(number & np.uint64(0xFFFFFFFF))
    return bits, intrinsics.agreeing(words, 3, word), seen[1, 2], seen.sum()

words = (np.arange(40) << 32) + np.arange(40) % 7
held = np.array([[1, -2, 3], [4, 5, -600]], np.int16)
for number in (0, 1, 6, 40, 1 << 31, (1 << 63) + 12, (1 << 64) - 1):
    print([[int(x) for x in np.ravel(part)] for part in each(np.uint64(number), words, held.ctypes.data)])
"""


@pytest.mark.weekly
@pytest.mark.slow
def test_all_is_the_same_in_plain_python(tmp_path):
    where = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    plain, compiled = run(ALL, NUMBA_DISABLE_JIT="1", **where), run(ALL, **where)
    assert plain.stdout.count("\n") == 7
    assert plain.stdout == compiled.stdout
