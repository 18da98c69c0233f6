"""Deals, seats, the board-number rule, streams."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge_env.hands.deals import deal_text, hand_text, hands, parse_deal, parse_hand, random_deals
from bridge_env.rng import streams
from bridge_env.rules.cards import (
    RANKS,
    SEATS,
    UNKNOWN,
    VULNERABILITIES,
    DealError,
    board_dealer,
    board_vulnerability,
    card_text,
    check_deals,
    parse_seat,
    parse_vulnerability,
)

SAMPLE = "N:T97.AQJT.J.T7532 AK854.53.Q98.AJ8 3.K762.6432.KQ94 QJ62.984.AKT75.6"
seeds = st.integers(0, 2**63 - 1)


@given(seeds, st.integers(0, 10**12), st.integers(0, 20))
def test_every_seat_holds_thirteen_cards(seed, start, count):
    owner = random_deals(seed, start, count)
    assert owner.dtype == np.uint8
    assert owner.shape == (count, 52)
    for seat in range(4):
        assert (hands(owner, seat).sum(axis=1) == 13).all()
    np.testing.assert_array_equal(check_deals(owner), owner)


@given(seeds, st.integers(0, 10**9), st.lists(st.integers(0, 30), min_size=1, max_size=5))
def test_deals_do_not_depend_on_how_the_sequence_is_cut(seed, start, pieces):
    together = random_deals(seed, start, sum(pieces))
    starts = start + np.cumsum([0, *pieces[:-1]])
    cut = [random_deals(seed, int(s), n) for s, n in zip(starts, pieces, strict=True)]
    np.testing.assert_array_equal(np.concatenate(cut), together)


def test_dealing_is_fair():
    owner = random_deals(7, 0, 40_000)
    held = np.stack([(owner == seat).mean(axis=0) for seat in range(4)])
    assert np.abs(held - 0.25).max() < 0.25 * 0.05  # a standard error is 0.9% of it
    assert len(np.unique(owner, axis=0)) == len(owner)
    spades = (owner[:, 39:] == 0).sum(axis=1)
    # The chance of 4 cards in a given suit is 0.2386, of 0 cards 0.0128.
    assert abs((spades == 4).mean() - 0.2386) < 0.01
    assert abs((spades == 0).mean() - 0.0128) < 0.003


ONE_OFF = random_deals(1, 0, 5)
ONE_OFF[3, np.flatnonzero(ONE_OFF[3] == 0)[0]] = 1


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        (np.zeros((2, 51)), r"shape \(2, 51\)"),
        (np.zeros((1, 1, 52)), r"shape \(1, 1, 52\)"),
        (np.zeros(52), r"deal 0 is not a deal.*N 52, E 0, S 0, W 0"),
        (np.full(52, UNKNOWN), r"deal 0 .* N 0, E 0, S 0, W 0"),
        (ONE_OFF, r"deal 3 .* N 12, E 14"),
    ],
)
def test_arrays_that_are_no_deals_are_refused(owner, message):
    with pytest.raises(DealError, match=message):
        check_deals(owner)


@given(seeds, st.integers(0, 3))
def test_deals_round_trip_through_text(seed, first):
    owner = random_deals(seed, 0, 1)[0]
    text = deal_text(owner, first)
    assert text[0] == SEATS[first]
    np.testing.assert_array_equal(parse_deal(text), owner)
    np.testing.assert_array_equal(parse_deal(f"  {text.lower()} "), owner)
    hand = text[2:].split()[0]
    assert hand_text(parse_hand(hand)) == hand


def test_a_deal_by_hand():
    owner = parse_deal(SAMPLE)
    assert deal_text(owner) == SAMPLE
    assert owner[51] == 1  # the ace of spades is East's
    assert owner[0] == 0  # the two of clubs is North's
    assert hand_text(parse_hand("AKQ2.10 98.J7.A543".replace(" ", ""))) == "AKQ2.T98.J7.A543"
    assert hand_text(parse_hand("AKQJT98765432.-.-.-")) == "AKQJT98765432..."


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_hand, "AKQ2.T98.J7", "must have four suits"),
        (parse_hand, "AKQ2.T98.J7.A543.", "must have four suits"),
        (parse_hand, "AKQ2.T98.J7.A54", "has 12 cards, not 13"),
        (parse_hand, "AKQ2.T98.J7.A5432", "has 14 cards, not 13"),
        (parse_hand, "AKQ1.T98.J7.A543", "'1' is not a rank"),
        (parse_hand, "AKQA.T98.J7.A543", "holds SA twice"),
        (parse_hand, "", "must have four suits"),
        (parse_deal, SAMPLE[2:], "must begin with the first seat"),
        (parse_deal, "X:" + SAMPLE[2:], "must begin with the first seat"),
        (parse_deal, "N:" + SAMPLE[2:].rsplit(" ", 1)[0], "must have four hands; it has 3"),
        (parse_deal, "N:" + " ".join([SAMPLE[2:].split(maxsplit=1)[0]] * 4), "C2 in two hands"),
        (parse_deal, SAMPLE.replace("QJ62", "QJ6"), "has 12 cards"),
        (parse_deal, "", "must begin with the first seat"),
    ],
)
def test_bad_hands_and_deals_are_refused_with_the_reason(parse, text, message):
    with pytest.raises(DealError, match=message):
        parse(text)


def test_cards_have_names():
    assert [card_text(c) for c in (0, 12, 13, 51)] == ["C2", "CA", "D2", "SA"]
    assert len({card_text(c) for c in range(52)}) == 52
    assert {card_text(c)[1] for c in range(13)} == set(RANKS)


SEAT_WORDS = [("N", 0), ("e", 1), (" South ", 2), ("WEST", 3), (2, 2), (np.int8(3), 3)]
VULNERABLE_WORDS = [
    ("None", 0), ("-", 0), ("love", 0), ("NS", 1), ("n-s", 1), ("EW", 2), ("Both", 3), ("all", 3), (3, 3), (None, 0),
]  # fmt: skip


def test_words_of_seats_and_vulnerabilities():
    assert [parse_seat(text) for text, _ in SEAT_WORDS] == [seat for _, seat in SEAT_WORDS]
    assert [parse_vulnerability(text) for text, _ in VULNERABLE_WORDS] == [code for _, code in VULNERABLE_WORDS]


@pytest.mark.parametrize("text", ["", "N or S", "Nord", 4, -1, 1.5, "yes"])
def test_other_words_are_refused(text):
    with pytest.raises(ValueError, match="not a seat; use one of N, E, S, W"):
        parse_seat(text)
    with pytest.raises(ValueError, match="not a vulnerability; use one of None, NS, EW, Both"):
        parse_vulnerability(text)


def test_dealer_and_vulnerability_follow_the_board_number():
    # As printed on the boards: board, dealer, vulnerable.
    printed = [
        "1 N None", "2 E NS", "3 S EW", "4 W Both",
        "5 N NS", "6 E EW", "7 S Both", "8 W None",
        "9 N EW", "10 E Both", "11 S None", "12 W NS",
        "13 N Both", "14 E None", "15 S NS", "16 W EW",
    ]  # fmt: skip
    for line in printed:
        board, dealer, vulnerability = line.split()
        for cycle in (0, 16, 16 * 1000):
            number = int(board) + cycle
            assert SEATS[int(board_dealer(number))] == dealer
            assert VULNERABILITIES[int(board_vulnerability(number))] == vulnerability


@given(seeds, st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=30))
def test_a_stream_is_a_function_of_its_coordinates(seed, numbers):
    keys = streams.key("purpose", seed, np.array(numbers))
    assert keys.dtype == np.uint64
    for number, key in zip(numbers, keys, strict=True):
        assert streams.key("purpose", seed, number)[0] == key
    np.testing.assert_array_equal(streams.draws(keys, 7)[:, :3], streams.draws(keys, 3))
    np.testing.assert_array_equal(streams.draws(keys, 7)[-1], streams.draws(keys[-1], 7))
    numbers01 = streams.uniforms(keys, 5)
    assert ((numbers01 >= 0) & (numbers01 < 1)).all()


def test_streams_differ_by_every_coordinate_and_their_order():
    keys = [streams.key(*c)[0] for c in [("a", 1, 2), ("b", 1, 2), ("a", 2, 1), ("a", 1), ("a", 1, 2, 0), (1, 2)]]
    assert len({int(k) for k in keys}) == len(keys)
    grid = streams.key("a", np.arange(300)[:, None], np.arange(300)[None, :])
    assert grid.shape == (300, 300)
    assert len(np.unique(grid)) == grid.size
    sample = streams.uniforms(grid.ravel(), 2)
    assert abs(sample.mean() - 0.5) < 0.005
    assert abs(np.corrcoef(sample.T)[0, 1]) < 0.02


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 0.5, np.arange(2**63, 2**63 + 1), None], ids=repr)
def test_numbers_that_no_64_bits_hold_have_no_stream(number):
    with pytest.raises(ValueError, match="whole numbers of 64 bits"):
        streams.key("a", number)


def test_keys_of_all_64_bits_are_taken_as_they_are():
    big = np.array([2**64 - 1, 2**63, 1], np.uint64)
    assert len(np.unique(streams.key("a", big))) == 3
    assert streams.key("a", -1)[0] == streams.key("a", big[:1])[0]
