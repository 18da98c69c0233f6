"""The cache of compiled kernels: a change to any kernel makes it anew."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.forks import Forks
from support.places import ROOT

from bridge_env import kernels


@pytest.fixture(scope="module")
def forks():
    """Runs programs as new interpreters would."""
    found = Forks()
    yield found
    found.close()


def _copy(tmp_path: Path) -> Path:
    for package in kernels.PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_hash_follows_the_kernels_and_nothing_else(tmp_path):
    root = _copy(tmp_path)
    before = kernels._sources_hash(root)
    assert before == kernels._sources_hash(ROOT)
    (root / "bridge_env" / "calls.py").write_text("# no kernel here\n")
    assert kernels._sources_hash(root) == before
    auction = root / "bridge_env" / "auction.py"
    auction.write_text(auction.read_text() + "\n# a change\n")
    assert kernels._sources_hash(root) != before


def test_kernels_are_kept_where_one_says(tmp_path):
    program = "from bridge_env import kernels; print(kernels.FOLDER)"
    environment = {"PATH": "", "HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "here")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path / "here"
    assert folder.is_dir()


# --- where a cache cannot be -----------------------------------------------------------------------------

MODULE = "from bridge_env.kernels import njit\n\n\n@njit\ndef twice(x):\n    return 2 * x\n"


def _double(forks: Forks, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process that compiles a small kernel of its own."""
    (tmp_path / "module_under_test.py").write_text(MODULE)
    program = "import module_under_test as m; print(m.twice(21), dict(m.twice.stats.cache_hits))"
    return forks.run(program, PYTHONPATH=f"{ROOT}:{tmp_path}", **environment)


CONSTANTS = """
import constants
from bridge_env.kernels import njit
from constants import FACTOR

@njit
def inner(x):
    return x * FACTOR + constants.TABLE[0]

@njit
def outer(x):
    return inner(x)

print(outer(21), sum(outer.stats.cache_hits.values()))
"""


def test_a_constant_of_another_file_is_what_it_is_now(forks, tmp_path):
    (tmp_path / "uses.py").write_text(CONSTANTS)
    words = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    words["PYTHONDONTWRITEBYTECODE"] = "1"
    found = []
    for factor, first in ((2, 0), (2, 0), (3, 0), (2, 5), (2, 0)):
        (tmp_path / "constants.py").write_text(f"import numpy as np\nFACTOR = {factor}\nTABLE = np.array([{first}])\n")
        found.append(forks.run("import uses", **words).stdout.strip())
    assert found == ["42 0", "42 1", "63 0", "47 0", "42 1"]


def _warnings(done: subprocess.CompletedProcess[str]) -> int:
    return done.stderr.count("RuntimeWarning")


def test_a_home_that_cannot_be_written_to_costs_one_warning(forks, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "tmp").mkdir()
    for home in ("/proc/nowhere", str(tmp_path / "file")):
        done = _double(forks, tmp_path, HOME=home, TMPDIR=str(tmp_path / "tmp"))
        assert done.stdout.startswith("42"), done.stderr
        assert _warnings(done) == 1
        assert "cannot be kept where it should" in done.stderr
    assert "{" in done.stdout
    assert done.stdout.strip() != "42 {}"  # the second process finds what the first kept


def test_no_place_at_all_costs_one_warning_and_the_compiling(forks, tmp_path):
    (tmp_path / "file").write_text("")
    done = _double(forks, tmp_path, HOME="/proc/nowhere", TMPDIR=str(tmp_path), NUMBA_CACHE_DIR=str(tmp_path / "file"))
    planted = tmp_path / f"bridge-env-{os.getuid()}"
    shutil.rmtree(planted)
    planted.symlink_to(tmp_path)  # somebody else's folder, for all one knows: what lies there is not run
    done = _double(forks, tmp_path, HOME="/proc/nowhere", TMPDIR=str(tmp_path), NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert done.stdout == "42 {}\n", done.stderr
    assert _warnings(done) == 1
    assert "every process compiles anew" in done.stderr


def test_a_user_without_a_home(forks, tmp_path):
    program = "import pathlib, runpy\n\ndef home(): raise RuntimeError('Could not determine home directory.')\n"
    program += "pathlib.Path.home = home\nimport module_under_test as m; print(m.twice(21))"
    (tmp_path / "module_under_test.py").write_text(MODULE)
    done = forks.run(program, PYTHONPATH=f"{ROOT}:{tmp_path}", TMPDIR=str(tmp_path))
    assert done.stdout == "42\n", done.stderr
    assert _warnings(done) == 1


@pytest.mark.slow
def test_files_of_the_cache_that_are_cut_are_made_anew(forks, tmp_path):
    cache = tmp_path / "cache ♠"
    first = _double(forks, tmp_path, NUMBA_CACHE_DIR=str(cache))
    assert first.stdout == "42 {}\n", first.stderr
    assert _warnings(first) == 0
    files = [path for path in cache.rglob("*.nb?") if "module_under_test" in str(path) or "twice" in path.name]
    assert len(files) == 2
    for path in files:
        whole = path.read_bytes()
        for length in (0, 1, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:length])
            done = _double(forks, tmp_path, NUMBA_CACHE_DIR=str(cache))
            assert done.stdout == "42 {}\n", done.stderr
            assert _warnings(done) == 1
            assert "is damaged" in done.stderr
        again = _double(forks, tmp_path, NUMBA_CACHE_DIR=str(cache))
        assert again.stdout.startswith("42 {(")
        assert again.stderr == ""


def test_a_full_disk_costs_one_warning(tmp_path, monkeypatch):
    cache = kernels._Cache.__mro__[1]

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "save_overload", full)
    monkeypatch.setattr(kernels, "_warned", False)

    @kernels.njit
    def twice(x):
        return 2 * x

    with pytest.warns(RuntimeWarning, match="No space left") as told:
        assert (twice(21), twice(1.5)) == (42, 3.0)
    assert len(told) == 1


def test_a_second_copy_of_the_project_finds_what_the_first_has_compiled(forks, tmp_path):
    program = (
        "from bridge_env import auction as a; a.one_auction([3], 0); print(sum(a._start_all.stats.cache_hits.values()))"
    )
    copy, cache = _copy(tmp_path / "copy"), str(tmp_path / "cache")
    found = [forks.run(program, cwd=root, NUMBA_CACHE_DIR=cache).stdout.strip() for root in (ROOT, copy)]
    assert found == ["0", "1"]


# --- several processes at once -----------------------------------------------------------------------------

TOGETHER = """
import os, pathlib, time
import module_under_test as m
pathlib.Path(f"ready-{os.getpid()}").touch()
while len(list(pathlib.Path().glob("ready-*"))) < 3:
    time.sleep(0.001)
m.twice(21)
print(sum(m.twice.stats.cache_misses.values()))
"""


def test_processes_that_start_together_compile_a_kernel_once(forks, tmp_path):
    (tmp_path / "module_under_test.py").write_text(MODULE)
    words = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = forks.run_together([TOGETHER] * 3, cwd=tmp_path, **words)
    assert sorted(one.stdout for one in done) == ["0\n", "0\n", "1\n"], done


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """A kernel's cache, and the file that says whose turn it is."""
    monkeypatch.setattr(kernels, "FOLDER", tmp_path)

    def wrong(x):
        return x.nothing

    kernel = kernels.njit(wrong)
    folder = Path(kernel._cache.cache_path)
    folder.mkdir()  # as the first who compiles does
    return kernel, folder / f"{kernel._cache._impl.filename_base}.lock"


def test_a_kernel_that_does_not_compile_is_left_to_others(lock):
    fcntl = pytest.importorskip("fcntl")
    kernel, place = lock
    with pytest.raises(kernels.numba.TypingError):
        kernel(1)
    with place.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert not kernels._turns


def test_nobody_waits_for_ever(lock, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    kernel, place = lock
    monkeypatch.setattr(kernels, "_WAIT", 0.2)
    with place.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        began = time.monotonic()
        with pytest.raises(kernels.numba.TypingError):
            kernel(1)
        assert time.monotonic() - began > 0.2


# --- whose folder it is ----------------------------------------------------------------------------------

READ_ONLY = """
import tempfile

def no(*a, **k): raise PermissionError(13, 'read-only')

tempfile.TemporaryFile = no
"""
OWN = """
import os, sys
import numpy as np
from bridge_env import kernels
os.chdir(sys.argv[1])
os.environ["NUMBA_DEVELOPER_MODE"] = "0"
kernels.numba.njit(lambda x: x)(1)  # as it first compiles, numba reads all its settings anew
from bridge_env.sampling.bits import points
points(np.uint64(7))
print(dict(points.stats.cache_hits) != {}, kernels.FOLDER)
"""


def _own(forks: Forks, here: Path, **environment: str) -> tuple[bool, Path, str]:
    """A process that uses a kernel of the package: whether that was kept, where, and what was told."""
    done = forks.run(OWN, str(here), PYTHONPATH=str(ROOT), **environment)
    found, folder = done.stdout.split(maxsplit=1)
    return found == "True", Path(folder.strip()), done.stderr


@pytest.mark.parametrize("place", ["given", "home", "temporary"])
def test_nothing_moves_the_folder_once_it_is_chosen(forks, tmp_path, place):
    here, cache = tmp_path / "here", tmp_path / "cache"
    for folder in (here, tmp_path / "tmp"):
        folder.mkdir()
    told = {
        "given": {"NUMBA_CACHE_DIR": str(cache)},
        "home": {"HOME": str(cache)},
        "temporary": {"HOME": "/proc/nowhere"},
    }
    words = {"TMPDIR": str(tmp_path / "tmp"), **told[place]}
    assert not _own(forks, here, **words)[0]
    found, folder, _ = _own(forks, here, **words)
    assert found
    assert folder.name.startswith("kernels-")  # dated by a hash of all kernels
    assert "bridge_env.sampling.bits" in {kept.name for kept in folder.iterdir()}
    assert not list(here.iterdir())


def test_a_cache_that_is_read_only_is_read(forks, tmp_path):
    folder = _own(forks, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))[1]
    done = forks.run(READ_ONLY + OWN, str(tmp_path), PYTHONPATH=str(ROOT), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert done.stdout == f"True {folder}\n"
    assert "RuntimeWarning" not in done.stderr


def test_kernels_of_other_packages_are_read_from_a_cache_that_is_read_only(forks, tmp_path):
    (tmp_path / "elsewhere.py").write_text(MODULE)
    use = "import elsewhere; print(elsewhere.twice(21), sum(elsewhere.twice.stats.cache_hits.values()))"
    words = {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    said = [forks.run(program, **words).stdout for program in (use, READ_ONLY + use)]
    assert said == ["42 0\n", "42 1\n"]


def test_only_folders_of_our_own_are_cleared(tmp_path):
    for number in range(6):
        (tmp_path / f"kernels-{number}").mkdir()
        (tmp_path / f"kernels-{number}" / "weights").touch()
    for number in range(10, 16):
        (tmp_path / f"kernels-{number}").mkdir()
        (tmp_path / f"kernels-{number}" / kernels._MARK).touch()
    kernels._in_root(tmp_path)
    left = {folder.name for folder in tmp_path.iterdir()}
    assert {f"kernels-{number}" for number in range(6)} < left
    assert len(left) == 6 + kernels._KEPT


def test_what_others_can_have_written_is_not_run(forks, tmp_path):
    folder = _own(forks, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))[1]
    folder.chmod(0o777)
    found, other, told = _own(forks, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"), TMPDIR=str(tmp_path))
    assert (found, other == folder) == (False, False)
    assert "others may have written" in told


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions here")
@pytest.mark.parametrize(("mask", "mode"), [(0, 0o700), (0o022, 0o755)])
def test_nobody_else_enters_where_files_are_open_to_all(tmp_path, mask, mode):
    """As for the first user of some systems, where the umask is 0: anybody could change the code that is run."""
    before = os.umask(mask)
    try:
        folder = kernels._in_root(tmp_path / "cache")
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == mode


# --- with checks of bounds ---------------------------------------------------------------------------------


def test_code_that_checks_bounds_is_kept_apart(forks, tmp_path):
    (tmp_path / "module_under_test.py").write_text(
        "from bridge_env.kernels import njit\n\n\n@njit\ndef read(array, at):\n    return array[at]\n"
    )
    program = (
        "import numpy, module_under_test as m\ntry: m.read(numpy.zeros(2), 2); print('read')\n"
        "except IndexError: print('refused')"
    )
    words = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    said = [forks.run(program, **words, NUMBA_BOUNDSCHECK=checks).stdout for checks in "01101"]
    assert said == ["read\n", "refused\n", "refused\n", "read\n", "refused\n"]
    assert len(list((tmp_path / "cache").glob("kernels-*"))) == 2


CALLED = """
import sys
from bridge_env.kernels import njit

@njit
def inner(x):
    return x + 1

@njit
def outer(x):
    return 2 * inner(x)

@njit
def late(x):
    return 3 * inner(x)

print([getattr(sys.modules[__name__], name)(int(x)) for name, x in (word.split("=") for word in sys.argv[1:])])
print({name: sum(globals()[name].stats.cache_hits.values()) for name in ("inner", "outer")})
"""


@pytest.mark.parametrize("first", ["inner=1", "outer=1"])
def test_a_kernel_that_another_called_first_answers_python_too(forks, tmp_path, first):
    (tmp_path / "called.py").write_text(CALLED)
    words = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(*arguments: str) -> list[str]:
        return forks.run(tmp_path / "called.py", *arguments, **words).stdout.splitlines()

    order = [first, "inner=1", "outer=1", "inner=5"]
    expected = [{"inner": 2, "outer": 4}[word[:5]] for word in order[:3]] + [6]
    run(first)
    assert run("late=3", "inner=3")[0] == "[12, 4]"  # it was kept before, with wrappers or without
    assert run(*order)[0] == str(expected)
    again = run(*order)  # by another process: nothing is compiled, and the answers are the same
    assert again[0] == str(expected)
    assert "'inner': 0" not in again[1]
    assert "'outer': 0" not in again[1]


FOREIGN = """
import sys
import numba
from bridge_env.kernels import njit

@numba.njit
def theirs(x):
    if x < 0:
        raise ValueError("less than nothing")
    return x + 1

@numba.njit
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@njit
def inner(x):
    return theirs(x) + fibonacci(x)

@njit
def outer(x):
    return inner(x)

print(outer(10), theirs(10), fibonacci(10), inner(10))
for kernel in (outer, inner, theirs):
    try:
        kernel(-1)
    except ValueError as error:
        print(error)
"""


def test_functions_of_others_that_kernels_call_answer_python_too(forks, tmp_path):
    """They are compiled as a part of the kernel first. The second process loads the kernels from the cache."""
    (tmp_path / "foreign.py").write_text(FOREIGN)
    words = {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        done = forks.run(tmp_path / "foreign.py", **words)
        assert (done.stdout.split("\n"), done.stderr) == (["66 11 55 66", *["less than nothing"] * 3, ""], "")


@pytest.mark.parametrize(("patience", "told"), [(0.0, 1), (60.0, 0)])
def test_compiling_that_takes_long_is_told_once_at_a_terminal(monkeypatch, capfd, patience, told):
    monkeypatch.setattr(kernels, "_PATIENCE", patience)
    monkeypatch.setattr(kernels, "_told", False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    for _ in range(2):
        with kernels._at_length():
            time.sleep(0.2)
    assert capfd.readouterr().err.count("once for each version") == told


def test_a_part_is_compiled_once_for_all_numbers_and_inlined_only_where_it_says_so():
    @kernels.njit
    def part(x, number):
        return x * number

    @kernels.njit(forceinline=True)
    def between(x):
        return part(x, 2) + part(x, 3) + part(x, number=4)

    @kernels.njit
    def whole(x):
        return between(x)

    assert whole(5) == 45
    assert [made.fndesc.inline for made in part.overloads.values()] == [False]
    assert [made.fndesc.inline for made in between.overloads.values()] == [True]


# --- kernels in plain Python -------------------------------------------------------------------------------

FIRST = """
from bridge_env import kernels
kernels.interpret_unless_compiled("long_one")
import module_under_test as m
print(kernels.interpreted, m.twice(21), m.twice.py_func(4), hasattr(m.twice, "overloads"))
"""
TOO_LATE = f"import module_under_test{FIRST}"


def test_kernels_are_plain_python_if_the_long_one_is_not_compiled(forks, tmp_path):
    (tmp_path / "module_under_test.py").write_text(MODULE)
    where = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    assert forks.run(FIRST, **where).stdout == "True 42 8 False\n"
    assert forks.run(TOO_LATE, **where).stdout == "False 42 8 True\n"  # not one this way and one that
    (folder,) = (tmp_path / "cache").glob("kernels-*")
    (folder / "some.module").mkdir()
    (folder / "some.module" / "module.long_one-7-abc.py311.nbi").touch()
    assert forks.run(FIRST, **where).stdout == "False 42 8 True\n"


def test_a_debugger_can_step_through_kernels():
    """numba's own switch leaves every kernel a function of Python; here one plays an auction to its end."""
    program = """
from bridge_env import kernels
from bridge_env.auction import Auctions
auctions = Auctions([0], [0])
for call in (3, 0, 0, 0):
    auctions.step([call])
print(kernels.interpreted, auctions.done)
"""
    environment = {"PATH": "", "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("True [ True]\n", "")
