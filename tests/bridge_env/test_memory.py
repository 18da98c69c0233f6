"""What numba lacks: in kernels and in plain Python."""

import numpy as np
import pytest
from numba.core.errors import TypingError
from support.forks import Forks
from support.places import ROOT

from bridge_env.memory import copy


@pytest.mark.parametrize("shape", [(5,), (4, 3), (4, 3, 2), (0,), (3, 0)])
def test_a_copy_is_the_source_and_its_own_memory(shape):
    source = np.arange(int(np.prod(shape)), dtype=np.int16).reshape(shape)
    target = np.full((3, *shape), -1, np.int16)
    copy(source, target[1])
    assert (target[1] == source).all()
    assert (target[[0, 2]] == -1).all()
    source += 7
    assert (target[1] == source - 7).all()


def test_another_size_is_refused():
    for size in (4, 6):
        with pytest.raises(ValueError, match="another size"):
            copy(np.zeros(size, np.int16), np.zeros(5, np.int16))


def test_a_strided_array_is_refused_rather_than_lost():
    with pytest.raises(TypingError):
        copy(np.zeros(3, np.int16), np.zeros((3, 2), np.int16)[:, 0])


ALL = """
import numpy as np
from bridge_env import kernels
kernels.interpret_unless_compiled("no_kernel")
from bridge_env import memory

@kernels.njit(cache=False)
def each(number, words, address):
    seen = memory.array_at(address, (2, 3), np.int16)
    before = memory.add(words, 1, 5)
    memory.store(words, 2, memory.load(words, 1) + 1)
    memory.prefetch(words, 2)
    bits = memory.ones(number), memory.lowest(number), memory.highest(number)
    return bits, before, memory.agreeing(words, 3, np.int64(number & np.uint64(0xFFFFFFFF))), seen[1, 2], seen.sum()

words = (np.arange(40) << 32) + np.arange(40) % 7
held = np.array([[1, -2, 3], [4, 5, -600]], np.int16)
for number in (0, 1, 6, 40, 1 << 31, (1 << 63) + 12, (1 << 64) - 1):
    told = each(np.uint64(number), words, held.ctypes.data)
    print([[int(x) for x in np.ravel(part)] for part in told], [int(word) for word in words[:4]])
"""


def test_all_is_the_same_in_plain_python(tmp_path):
    forks = Forks()
    try:
        plain = forks.run(ALL, PYTHONPATH=str(ROOT), NUMBA_CACHE_DIR=str(tmp_path))
        compiled = forks.run(
            ALL.replace("kernels.interpret", "len # "), PYTHONPATH=str(ROOT), NUMBA_CACHE_DIR=str(tmp_path)
        )
    finally:
        forks.close()
    assert plain.stdout.count("\n") == 7
    assert plain.stdout == compiled.stdout
