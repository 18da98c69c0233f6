"""The 96 images of solved deals, as the envs draw them."""

import numpy as np
from reference.symmetries import permute_suits, permute_tricks, rotate_tricks

from bridge_env.compiled.jit import njit
from bridge_env.double_dummy import builtin_library
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, SUIT_ORDERS, draw_symmetries, row_symmetry
from bridge_env.hands.deals import rotate_deals
from bridge_env.rng import streams
from bridge_env.rng.streams_numba import purpose, row_draw, row_key, row_key_of_three

NUMBERS = np.arange(20_000)
KEYS = streams.key("images", NUMBERS)


_EPISODE = purpose("episode")


@njit
def each_stream(key):
    return row_key(key, 7), row_key(key, _EPISODE), row_key_of_three(key, _EPISODE, 3), row_draw(key, 1)


def test_compiled_streams_are_the_streams():
    key = KEYS[:5]
    expected = (
        streams.key(key, 7), streams.key(key, "episode"), streams.key(key, "episode", 3), streams.draws(key, 2)[:, 1],
    )  # fmt: skip
    np.testing.assert_array_equal([each_stream(k) for k in key], np.stack(expected, axis=1))


def test_every_image_is_the_permuted_and_turned_deal_with_its_table():
    library = builtin_library()
    base, table = library.owners([5])[0], library.tricks_at([5])[0]
    seen = set()
    for image in range(NUM_SYMMETRIES):
        owner, tricks = np.empty(52, np.uint8), np.empty((4, 5), np.int8)
        row_symmetry(library.records[5], image, owner, tricks)
        order, steps = SUIT_ORDERS[image % 24, :4].tolist(), image // 24
        np.testing.assert_array_equal(owner, permute_suits(rotate_deals(base, steps), order))
        np.testing.assert_array_equal(tricks, permute_tricks(rotate_tricks(table, steps), order))
        seen.add(owner.tobytes())
    assert len(seen) == 96
    assert base.tobytes() in seen


def test_all_deals_and_all_images_are_drawn_equally_often():
    records, indices = builtin_library().records, np.array([3, 4, 9])
    owner, _ = draw_symmetries(KEYS, records, indices, NUM_SYMMETRIES)
    _, counts = np.unique(owner, axis=0, return_counts=True)
    assert len(counts) == 3 * 96
    assert counts.min() > 30
    plain, tricks = draw_symmetries(KEYS[:50], records, indices, 1)
    found = (plain[:, None] == builtin_library().owners(indices)).all(axis=2)
    assert (found.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(builtin_library().tricks_at(indices)[found.argmax(axis=1)], tricks)
