"""What the networks of the study of 2008 see, against deals worked by hand; and the rows of its tables."""

import numpy as np
import pytest

pytest.importorskip("torch")

from bridge_env.hands.deals import parse_deal, rotate_deals
from studies.tricks_2008 import blocks, codings
from studies.tricks_2008 import rows as study_rows
from studies.tricks_2008.evaluation import DISTRIBUTIONAL, POINT_COUNTS, distributional, point_counts

# North holds the spades, East the hearts, South the diamonds, West the clubs.
SUITS = parse_deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")[None]
DEAL = parse_deal("N:K96.J53.75.QJ765 AQ7.KQT.932.K943 T54.A9762.KJ6.T2 J832.84.AQT84.A8")[None]
SPADES, CLUB_TWO, SPADE_ACE, HEART_ACE, DIAMOND_ACE = 3, 0, 51, 38, 25


def code(part, owner=DEAL, strain=SPADES):
    return codings.code(owner, strain, [part])[0]


def test_26x4_is_each_hands_cards_as_rank_and_suit():
    one = code("26x4", SUITS)
    assert one.shape == (4, 1, 26)
    assert one.dtype == np.float32
    ranks = np.linspace(0.9, 0.1, 13)
    for seat, suit in enumerate((0.3, 0.5, 0.7, 0.9)):
        np.testing.assert_allclose(one[seat, 0, 0::2], ranks, atol=1e-6)
        np.testing.assert_allclose(one[seat, 0, 1::2], suit)
    north = code("26x4")[0, 0]  # K96.J53.75.QJ765
    np.testing.assert_allclose(north[:6:2], [0.9 - 0.8 / 12, 0.1 + 7 * 0.8 / 12, 0.1 + 4 * 0.8 / 12], atol=1e-6)
    np.testing.assert_allclose(north[1::2], [0.3] * 3 + [0.5] * 3 + [0.7] * 2 + [0.9] * 5)


@pytest.mark.parametrize(
    ("part", "nesw"), [("52a", (1, -0.8, 0.8, -1)), ("52b", (1, -1, 0.8, -1)), ("52c", (1, -1, 1, -1))]
)
def test_52_is_a_number_for_each_owner(part, nesw):
    one = code(part, SUITS)
    assert one.shape == (1, 1, 52)
    for card, value in zip((SPADE_ACE, HEART_ACE, DIAMOND_ACE, CLUB_TWO), nesw, strict=True):
        assert one[0, 0, card] == np.float32(value)


def test_104_has_the_pair_and_the_hand_of_it():
    one = code("104", SUITS)[0, 0]
    pairs, hands = one[:52], one[52:]
    aces = [SPADE_ACE, HEART_ACE, DIAMOND_ACE, CLUB_TWO]  # of N E S W
    np.testing.assert_array_equal(pairs[aces], [1, 0, 1, 0])
    np.testing.assert_array_equal(hands[aces], [1, 0, 0, 1])


def test_52x4_has_a_group_for_each_hand():
    one = code("52x4")
    assert one.shape == (4, 1, 52)
    np.testing.assert_array_equal(one.sum(axis=2), 13)
    np.testing.assert_array_equal(one.argmax(axis=0)[0], DEAL[0])


def test_methods_are_the_hands_values_to_scale():
    north = (DEAL == 0).astype(bool)
    work = code("work")[0, 0] * 20
    np.testing.assert_allclose(work, [7, 14, 8, 11], atol=1e-5)  # K J QJ; AQ KQ K; A KJ; J AQ A
    np.testing.assert_allclose(code("work NS")[0, 0] * 40, [15], atol=1e-5)
    lengths = code("20")[0, 0, 4:].reshape(4, 4) * 13  # C D H S
    np.testing.assert_allclose(lengths, [[5, 2, 3, 3], [4, 3, 3, 3], [2, 3, 5, 3], [2, 5, 2, 4]], atol=1e-5)
    points = code("points")[0, 0, :9] * [codings.SCALES[name] for name in POINT_COUNTS]
    np.testing.assert_allclose(points, point_counts(north)[0], rtol=1e-6)
    for strain in (3, 4):
        shape = code("shape", strain=strain)[0, 0, :8] * [codings.SCALES[name] for name in DISTRIBUTIONAL]
        np.testing.assert_allclose(shape, distributional(north, strain)[0], rtol=1e-6)


def test_the_exchange_turns_each_deal_by_half():
    """East's hand comes to West, who leads; the tricks are North's, who then declares in South's place."""
    tricks = np.arange(20, dtype=np.int8).reshape(1, 4, 5) % 14
    plain, wanted = codings.examples(DEAL, tricks, SPADES, exchange=False)
    np.testing.assert_array_equal(plain, DEAL)
    assert wanted.tolist() == [tricks[0, 2, SPADES]]
    both, wanted = codings.examples(DEAL, tricks, SPADES, exchange=True)
    np.testing.assert_array_equal(both, np.concatenate([DEAL, rotate_deals(DEAL, 2)]))
    assert wanted.tolist() == [tricks[0, 2, SPADES], tricks[0, 0, SPADES]]
    hands = code("52x4", both)
    np.testing.assert_array_equal(hands[3, 1], hands[1, 0])  # West, turned, is East
    np.testing.assert_array_equal(hands[2, 1], hands[0, 0])


def test_architectures_are_read():
    assert blocks.parse("(52x4+84)-(13x4+21)-26-1") == [((4, 52), (1, 84)), ((4, 13), (1, 21)), ((1, 26),), ((1, 1),)]
    for wrong in ("52x-1", "52-(13x4)-1", "(52x4)-(13x3)-1"):
        with pytest.raises(ValueError, match="52"):
            blocks.parse(wrong)


def test_the_table_of_the_study():
    wanted = study_rows.jobs()
    assert len(wanted) == 16 * 2 + 3 + 8
    assert len({job.name for job in wanted}) == len(wanted)
    best = next(job for job in wanted if job.name == "52x4-26-spades-exchanged")
    assert best.published == (99.88, 96.48, 53.11)
    assert [job.name for job in study_rows.jobs(["104+68"])] == ["104+68-spades", "104+68-spades-exchanged"]


def test_a_wrong_row_is_refused_with_a_list_of_rows():
    with pytest.raises(ValueError, match="no row '52x5'; choose among: 26x4, 52a"):
        study_rows.jobs(["52x5"])
