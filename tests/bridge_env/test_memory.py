"""What numba lacks: copies inside kernels."""

import numpy as np
import pytest
from numba.core.errors import TypingError

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
