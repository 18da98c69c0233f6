"""The 96 images of solved deals, as the envs draw them."""

import numpy as np
import pytest

from bridge_env import streams
from bridge_env.cards import permute_suits, rotate_deals
from bridge_env.double_dummy import (
    ExactDoubleDummy,
    canonical_key,
    embedded,
    is_judging,
    permute_tricks,
    rotate_tricks,
)
from bridge_env.envs.deals import LibraryDeals
from bridge_env.envs.kernels.chance import purpose, row_draw, row_key, row_key_of_three, row_uniform
from bridge_env.envs.kernels.images import NUM_IMAGES, SUIT_ORDERS, draw_images, row_image

NUMBERS = np.arange(20_000)
KEYS = streams.key("images", NUMBERS)


def test_compiled_streams_are_the_streams():
    key = KEYS[:5]
    np.testing.assert_array_equal([row_key(k, 7) for k in key], streams.key(key, 7))
    np.testing.assert_array_equal([row_key(k, purpose("board")) for k in key], streams.key(key, "board"))
    np.testing.assert_array_equal(
        [row_key_of_three(k, purpose("episode"), 3) for k in key], streams.key(key, "episode", 3)
    )
    np.testing.assert_array_equal([row_draw(k, 1) for k in key], streams.draws(key, 2)[:, 1])
    np.testing.assert_array_equal([row_uniform(k) for k in key], streams.uniforms(key, 1)[:, 0])


def test_every_image_is_the_permuted_and_turned_deal_with_its_table():
    library = embedded()
    base, table = library.owners([5])[0], library.tricks_at([5])[0]
    seen = set()
    for image in range(NUM_IMAGES):
        owner, tricks = np.empty(52, np.uint8), np.empty((4, 5), np.int8)
        row_image(library.records[5], image, owner, tricks)
        order, steps = SUIT_ORDERS[image % 24, :4].tolist(), image // 24
        np.testing.assert_array_equal(owner, permute_suits(rotate_deals(base, steps), order))
        np.testing.assert_array_equal(tricks, permute_tricks(rotate_tricks(table, steps), order))
        seen.add(owner.tobytes())
    assert len(seen) == 96
    assert base.tobytes() in seen


def test_all_deals_and_all_images_are_drawn_equally_often():
    records, indices = embedded().records, np.array([3, 4, 9])
    owner, _ = draw_images(KEYS, records, indices, NUM_IMAGES)
    _, counts = np.unique(owner, axis=0, return_counts=True)
    assert len(counts) == 3 * 96
    assert counts.min() > 30
    plain, tricks = draw_images(KEYS[:50], records, indices, 1)
    np.testing.assert_array_equal(embedded().tricks_at(embedded().find(plain)), tricks)


def test_images_keep_to_their_side_of_the_split():
    boards = LibraryDeals("training").draw(KEYS, NUMBERS)
    assert not is_judging(boards.owner).any()
    judging = LibraryDeals("judging", images=True).draw(KEYS, NUMBERS)
    assert is_judging(judging.owner).all()
    assert not np.isin(canonical_key(boards.owner), canonical_key(judging.owner)).any()
    assert len(np.unique(boards.owner, axis=0)) > len(np.unique(canonical_key(boards.owner)))


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_dds_agrees_about_images(count):
    boards = LibraryDeals("training").draw(KEYS[:count], NUMBERS[:count])
    np.testing.assert_array_equal(ExactDoubleDummy().tricks(boards.owner), boards.tricks)
