"""Similarity as published in 2008, by hand and against a naive loop; the study's tables."""

import numpy as np
import pytest
from support.learners import record

from agents.cases.bidder import majority
from bridge_env.hands.deals import hands, parse_hand, random_deals
from bridge_env.rules.calls import parse_call
from studies.cases_2008 import adapted, leave_one_out, nearest, repeat
from studies.tables import run_study

A = "AKQ2.T98.J7.A543"  # 14 points, 4-3-2-4
B = "AKJ3.T7.QJ7.A543"  # 15 points, 4-2-3-4


def calls(text):
    return np.array([parse_call(word) for word in text.split()], np.int8)


def some_hands(count, seed=1):
    return hands(random_deals(seed, 0, count), np.zeros(count, np.int64))


def naive(a, b):
    """Return the similarity by its definition, card by card."""

    def ratio(x, y):
        return 1.0 if x == y == 0 else min(x, y) / max(x, y)

    def points(hand):
        return sum(max(0, card % 13 - 8) for card in np.flatnonzero(hand))

    def length(hand, suit):
        return int(hand[suit * 13 : suit * 13 + 13].sum())

    lengths = sum(9 * ratio(length(a, suit), length(b, suit)) for suit in range(4))
    return 51 * ratio(points(a), points(b)) + lengths + int((a & b).sum())


def test_similarity_by_hand():
    """Spades and clubs as long, hearts 2 of 3, diamonds 2 of 3; in common SA SK HT DJ D7 CA C5 C4 C3."""
    a, b = (parse_hand(text)[None] for text in (A, B))
    assert nearest(np.concatenate([a, b]), 1)[1][0, 0] == pytest.approx(51 * 14 / 15 + 9 + 6 + 6 + 9 + 9)
    assert nearest(np.concatenate([a, a]), 1)[1][0, 0] == pytest.approx(100)


def test_leave_one_out_is_the_naive_loop():
    """With every hand twice, ties abound: the earlier case comes first."""
    held = np.concatenate([some_hands(150), some_hands(150)])
    case, similarity = nearest(held, 7)
    for i in range(0, len(held), 13):
        others = [j for j in range(len(held)) if j != i]
        order = sorted(others, key=lambda j: (-round(naive(held[i], held[j]), 9), j))
        assert case[i].tolist() == order[:7]
        np.testing.assert_allclose(similarity[i], [naive(held[i], held[j]) for j in order[:7]], atol=1e-8)


@pytest.mark.parametrize(
    ("call", "case", "hand", "becomes"),
    [
        ("1S", "AKQ32.98.J7.A543", "98.AKQ32.J7.A543", "1H"),  # a longest suit: here hearts
        ("2D", "A.98.AQJ732.8543", "AQJ732.98.A.8543", "2S"),
        ("1S", "AKQ32.98.J7.A543", "A5432.AKQ32.J7.4", "1S"),  # as long as any: it stays
        ("1D", "A532.98.AQJ7.854", "A532.KQ98.A7.854", "1S"),  # of two longest the higher
        ("1C", "AKQ32.98.J7.A543", "98.AKQ32.J7.A543", "1C"),  # not a longest suit
        ("1NT", "AKQ32.98.J7.A54", "98.AKQ32.J7.A543", "1NT"),
        ("P", "AKQ32.98.J7.A543", "98.AKQ32.J7.A543", "P"),
    ],
)
def test_a_longest_suit_becomes_this_hands(call, case, hand, becomes):
    # One card too few or too many does not matter here; parse_hand wants thirteen.
    def held(text):
        out = np.zeros(52, bool)
        for suit, ranks in zip((3, 2, 1, 0), text.split("."), strict=True):
            out[[suit * 13 + "23456789TJQKA".index(rank) for rank in ranks]] = True
        return out

    found = adapted(calls(call), held(case)[None], held(hand)[None])
    assert found[0] == parse_call(becomes)


def test_rows_count_as_one_would():
    held = some_hands(80)
    called = np.where(held[:, :13].sum(axis=1) > 4, 3, 0).astype(np.int8)
    rows = leave_one_out(held, called)
    assert [row.k for row in rows] == list(range(1, 21))
    third = rows[2]
    assert (third.states, third.bids) == (80, int((called == 3).sum()))
    made = majority(called[nearest(held, 3)[0]])
    assert third.right[0] == int((made == called).sum())
    assert third.right_bids[0] == int(((made == called) & (called == 3)).sum())


def test_the_command_writes_the_tables(tmp_path, capsys):
    run_study("studies.cases_2008", repeat, [str(record(tmp_path)), "--out", str(tmp_path / "out")])
    assert "Dealer, all: 60 states" in capsys.readouterr().out
    assert "| 36.97 · 37.25 | 85.20 |" in (tmp_path / "out" / "tables.md").read_text()
    with pytest.raises(SystemExit):
        run_study("studies.cases_2008", repeat, [str(tmp_path / "none.pbn")])
    assert "none.pbn" in capsys.readouterr().err
