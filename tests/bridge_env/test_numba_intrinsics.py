"""What numba lacks: in kernels and in plain Python."""

import numpy as np
import pytest
from numba.core.errors import TypingError
from support.forks import Forks
from support.places import ROOT

from bridge_env.compiled.intrinsics import copy
from bridge_env.compiled.jit import njit


@njit
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


def test_all_is_the_same_in_plain_python(tmp_path):
    forks, where = Forks(), {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    try:
        plain, compiled = forks.run(ALL, NUMBA_DISABLE_JIT="1", **where), forks.run(ALL, **where)
    finally:
        forks.close()
    assert plain.stdout.count("\n") == 7
    assert plain.stdout == compiled.stdout
