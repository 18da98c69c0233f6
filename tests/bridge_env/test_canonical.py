"""The canonical form of a deal, its hash, the split by it, and the 96 images of solved deals, as the envs draw them."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from reference.symmetries import permute_suits, permute_tricks, rotate_tricks

from bridge_env.compiled.jit import njit
from bridge_env.double_dummy import builtin_library
from bridge_env.double_dummy.symmetries import NUM_SYMMETRIES, SUIT_ORDERS, draw_symmetries, row_symmetry
from bridge_env.hands.canonical import canonical_form, canonical_key, is_judging
from bridge_env.hands.deals import random_deals, rotate_deals
from bridge_env.rng import streams
from bridge_env.rng.streams_numba import purpose, row_draw, row_key, row_key_of_three
from bridge_env.rules import cards

PERMUTATIONS = list(itertools.permutations(range(4)))
turns = st.integers(0, 3)
permutations = st.permutations(range(4))


def all_images(owner):
    """The 96 images of deals (N, 52): (96, N, 52)."""
    return np.stack([permute_suits(rotate_deals(owner, t), p) for t in range(4) for p in PERMUTATIONS])


def least_image(images):
    """By the definition, slowly: the least of the images (96, 52), suits in order, ace first in each."""
    return min(image.reshape(4, 13)[:, ::-1].tobytes() for image in images)


def test_all_96_images_share_key_and_split():
    deals = random_deals(1, 0, 40)
    images = all_images(deals)
    keys = canonical_key(images.reshape(-1, 52)).reshape(96, -1)
    assert keys.dtype == np.uint64
    assert (keys == canonical_key(deals)).all()
    assert (is_judging(images.reshape(-1, 52)).reshape(96, -1) == is_judging(deals)).all()


def test_the_form_is_the_least_of_the_96():
    deals = random_deals(2, 0, 20)
    form = canonical_form(deals)
    for i, images in enumerate(all_images(deals).transpose(1, 0, 2)):
        canonical = permute_suits(rotate_deals(deals[i], form.rotation[i]), form.order[i])
        assert canonical.reshape(4, 13)[:, ::-1].tobytes() == least_image(images)
        again = canonical_form(canonical)
        np.testing.assert_array_equal(again.words, form.words[i : i + 1])
        assert again.rotation[0] == 0
        assert list(again.order[0]) == [0, 1, 2, 3]


def test_a_deal_with_equal_suits_has_a_form_too():
    every_suit_alike = np.tile(np.arange(13) % 4, (4, 1))
    thirteen_each = (every_suit_alike + np.arange(4)[:, None]) % 4
    deal = thirteen_each.reshape(1, 52).astype(np.uint8)
    cards.check_deals(deal)
    assert len(set(canonical_key(all_images(deal).reshape(-1, 52)).tolist())) == 1


def test_other_deals_have_other_keys():
    keys = canonical_key(random_deals(3, 0, 20_000))
    assert len(np.unique(keys)) == len(keys)


def test_a_quarter_is_for_judging():
    assert abs(is_judging(random_deals(4, 0, 20_000)).mean() - 0.25) < 0.01


def test_keys_stay_as_they_are():
    """Results name boards by the split: a change here would move boards from one side to the other."""
    keys = canonical_key(random_deals(0, 0, 2))
    assert keys.tolist() == [1422229797108556524, 12353059832972627520]


@given(row=st.integers(0, 1000), turn=turns, permutation=permutations)
def test_tables_move_with_their_deals(row, turn, permutation):
    """To the canonical form and on to an image is the same as straight to the image."""
    deal, table = builtin_library().owners(row), builtin_library().tricks_at(row)
    image = permute_suits(rotate_deals(deal, turn), permutation)
    moved = canonical_form(deal).tricks_to(table, canonical_form(image))
    np.testing.assert_array_equal(moved, permute_tricks(rotate_tricks(table, turn), permutation))
    np.testing.assert_array_equal(builtin_library().tables_of(image), moved)


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
