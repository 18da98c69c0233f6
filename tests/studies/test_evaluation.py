"""Every method of hand evaluation against hands that were counted by hand."""

import numpy as np
import pytest
from reference.symmetries import permute_suits

from bridge_env.hands.deals import hands, parse_hand, random_deals
from studies.tricks_2008.evaluation import DISTRIBUTIONAL, POINT_COUNTS, distributional, point_counts

C, D, H, S, NT = range(5)

# Hand -> Work, Bamberger, Collet, Four Aces, Polish, Reith, Robertson, Vernes, AKQ.
POINTS = {
    "AKQ2.T98.J7.A543": (14, 23, 14, 9.5, 21, 22, 25, 13.9, 13),  # 2 A, K, Q, J, T
    "AKQJT98765432...": (10, 16, 10, 6.5, 14, 16, 18, 9.9, 9),  # one of each
    "K.QJ.KJT98.KQ753": (15, 23, 14.5, 9, 18, 23, 26, 14.9, 13),  # 3 K, 2 Q, 2 J, T
    "QJ3.KJ4.AJ2.AQT9": (18, 28, 17, 11.5, 24, 29, 32, 17.6, 15),  # 2 A, K, 2 Q, 3 J, T
    ".AJT962.QJT98.Q4": (10, 15, 10, 6, 13, 18, 19, 9.6, 8),  # A, 2 Q, 2 J, 2 T
    "432.A.KQT87.9876": (9, 15, 9.5, 6, 14, 14, 16, 9, 9),  # A, K, Q, T
    "5432.432.432.432": (0,) * 9,
}

# (Hand, strain) -> honour tricks, playing tricks, losers, assets, Stayman, rule of three and four, minus, plus.
# Suits in the order S H D C.
METHODS = {
    # Honours 2 + 0 + 0 + 1. Playing 3+1, 0, 0, 1+1/2. Losers 0, 3, 2, 2. Assets 14 + spade Q + clubs. Stayman 14 +
    # doubleton. One long trump. Minus J7. No plus: no J beside an honour, no short suit.
    ("AKQ2.T98.J7.A543", S): (3, 5.5, 7, 16, 15, 1, 1, 0),
    # Assets 10 + 8 long trumps + Q + T9 + void. Stayman 10 + 3 voids of 5 + 1 for length.
    ("AKQJT98765432...", S): (2, 13, 0, 21, 26, 10, 0, 1),
    # A solid suit is 13 tricks, where honours and length are 12 1/2. Assets 10 + Q + T9 + the suit.
    ("AKQJT98765432...", NT): (2, 13, 0, 13, 10, 9, 0, 1),
    # Honours 0, 0, KJT 1, KQ 1. Playing 0, 0, 1 1/2 + 2, 1 + 1 1/2. Losers 1, 2, 2, 1. Assets 15 + J + T9 + shape +
    # club Q. Stayman 15 + 3 + 1 - bare K + fifth trump. Long cards 2 + 1. Minus K, QJ, no ace. Plus bare K, the Q of
    # QJ.
    ("K.QJ.KJT98.KQ753", D): (2, 6, 6, 19, 19, 3, 3, 2),
    # Honours 1/2, 1/2, 1, 1 1/2. Playing 1/2, 1/2, 1, 2 + 1/2. Losers 2, 2, 2, 1. Minus 4-3-3-3. Plus KJ, AJ.
    ("QJ3.KJ4.AJ2.AQT9", NT): (3.5, 4.5, 7, 18, 18, 0, 1, 2),
    # Honours 1, 1/2, 0. Playing 1 1/2 + 3, 1 + 1 1/2, 0. Losers 0, 2, 2, 2. Assets 10 + sixth trump + J + T9 + shape
    # + Q + T9. Stayman 10 + 5 + 1 + 1. Long cards 3 + 1. Minus Q4. Plus AJ, Q4, void.
    (".AJT962.QJT98.Q4", H): (1.5, 7, 6, 16, 17, 4, 1, 3),
    # Honours 1 + 1. Playing 0, 1, 1 1/2 + 1 1/2, 1/2. Losers 3, 0, 1, 3. Assets 9 + shape + Q. Stayman 9 + 2, three
    # trumps; the bare ace is no honour to take off. Long card: the fifth diamond. Plus singleton.
    ("432.A.KQT87.9876", S): (2, 4.5, 7, 11, 11, 1, 0, 1),
    # Minus no ace, 4-3-3-3. The fourth spade is half a playing trick.
    ("5432.432.432.432", NT): (0, 0.5, 12, 0, 0, 0, 2, 0),
    # Single suits: AQJ 2 1/2 + 1/2; KQJ 2; bare Q; AKJxx 2 1/2 + 1 1/2. Plus the J of each, and the singleton. Losers
    # 1, 1, 1, 1. Assets at no trump: 23 + the clubs. Minus the bare Q.
    ("AQJ2.KQJ.Q.AKJ32", NT): (4.5, 9, 4, 24, 23, 1, 1, 4),
}


def rows(texts):
    return np.array([parse_hand(text) for text in texts])


def test_point_counts_by_hand():
    out = point_counts(rows(POINTS))
    assert out.dtype == np.float32
    assert out.shape == (len(POINTS), len(POINT_COUNTS))
    assert out.tolist() == np.array(list(POINTS.values()), np.float32).tolist()


@pytest.mark.parametrize(("hand", "strain"), METHODS)
def test_methods_by_hand(hand, strain):
    out = distributional(rows([hand]), strain)
    assert out.dtype == np.float32
    counted = dict(zip(DISTRIBUTIONAL, out[0].tolist(), strict=True))
    assert counted == dict(zip(DISTRIBUTIONAL, METHODS[hand, strain], strict=True))


@pytest.mark.parametrize(
    ("holding", "honour", "playing"),
    [
        ("AKQ", 2, 3), ("AKJ", 2, 2.5), ("AQT", 1.5, 2), ("KQJ", 1, 2), ("KJT", 1, 1.5), ("QJT", 0.5, 1),
        ("AK", 2, 2), ("QJ2", 0.5, 0.5), ("QJ", 0, 0), ("K", 0, 0), ("A", 1, 1), ("", 0, 0), ("AKQJ", 2, 4),
        ("5432", 0, 0.5), ("765432", 0, 2.5),
    ],
)  # fmt: skip
def test_tricks_of_a_side_suit(holding, honour, playing):
    """The tables of honour and playing tricks, line by line: no trump, one suit held (the count takes any cards)."""
    held = np.zeros((1, 52), bool)
    held[0, [H * 13 + "23456789TJQKA".index(card) for card in holding]] = True
    assert distributional(held, NT)[0, :2].tolist() == [honour, playing]


def test_suits_are_alike():
    deals = random_deals(6, 0, 500)
    for order in ((3, 2, 1, 0), (1, 2, 3, 0), (0, 3, 1, 2)):
        held, turned = hands(deals, 0), hands(permute_suits(deals, order), 0)
        assert (point_counts(held) == point_counts(turned)).all()
        for strain in range(5):  # suit order[i] has become suit i
            new = NT if strain == NT else order.index(strain)
            assert (distributional(held, strain) == distributional(turned, new)).all()


def test_a_deal_holds_a_known_sum():
    deals = random_deals(7, 0, 50)
    total = sum(point_counts(hands(deals, seat)).astype(float) for seat in range(4))
    np.testing.assert_allclose(total, [[40, 64, 40, 26, 56, 64, 72, 39.6, 36]] * 50, rtol=1e-6)
