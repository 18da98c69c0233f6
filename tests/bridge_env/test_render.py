"""Golden strings."""

import numpy as np
import pytest
from support.bidders import calls

from bridge_env.display.text import (
    auction_table,
    board_text,
    deal_diagram,
    hand_lines,
    result_line,
    shown_call,
    trick_table,
)
from bridge_env.hands.deals import hands, parse_deal
from bridge_env.records.board import Board
from bridge_env.rules.calls import Contract
from bridge_env.rules.cards import UNKNOWN

OWNER = parse_deal("E:.AKJ9762..AQ9742 K987..A9653.J853 AQT4.QT854.QJ74. J6532.3.KT82.KT6")


def test_deal_diagram():
    assert deal_diagram(OWNER, 1, 1, 2) == (
        "Board 2     S J6532\n"
        "Dealer E    H 3\n"
        "NS vul      D KT82\n"
        "            C KT6\n"
        "S AQT4         N        S -\n"
        "H QT854     W     E     H AKJ9762\n"
        "D QJ74         S        D -\n"
        "C -                     C AQ9742\n"
        "            S K987\n"
        "            H -\n"
        "            D A9653\n"
        "            C J853"
    )


def test_deal_diagram_makes_room_for_long_suits():
    solid = " ".join(".".join("AKQJT98765432" if i == j else "" for j in range(4)) for i in range(4))
    rows = deal_diagram(parse_deal(f"N:{solid}")).split("\n")
    assert rows[0] == " " * 17 + "S AKQJT98765432"
    assert rows[5] == "H -" + " " * 14 + "W     E          H AKQJT98765432"
    assert rows[7] == "C AKQJT98765432  " + " " * 17 + "C -"
    assert all(row == row.rstrip() for row in rows)


def test_hands_that_are_not_known_stay_blank():
    seen = np.where(OWNER == 2, OWNER, UNKNOWN)
    rows = deal_diagram(seen).split("\n")
    assert rows[:4] == [""] * 4
    assert rows[8:] == ["            S K987", "            H -", "            D A9653", "            C J853"]
    assert hand_lines(hands(seen, 0)) == [""] * 4


def test_auction_table():
    assert auction_table(calls("P P 1S 1NT X P P P"), 1, 1) == (
        "West    North*  East    South*\n                Pass    Pass\n1S      1NT     X       Pass\nPass    Pass"
    )
    assert auction_table(calls("1C P 3NT"), 3, 2) == "West*   North   East*   South\n1C      Pass    3NT"
    assert [shown_call(call) for call in calls("1C 4S P 3NT X")] == ["1♣", "4♠", "Pass", "3NT", "X"]
    assert hand_lines(hands(OWNER, 3), symbols=True) == ["♠ AQT4", "♥ QT854", "♦ QJ74", "♣ -"]
    history = np.full(319, -1, np.int8)
    history[:4] = 0
    assert auction_table(history, 0, 3) == "West*   North*  East*   South*\n        Pass    Pass    Pass\nPass"
    assert auction_table([], 0) == "West    North   East    South"


@pytest.mark.parametrize(
    ("contract", "tricks", "vulnerability", "line"),
    [
        ("4SX N", 9, 1, "4SX by N, 9 tricks, -1: -200"),
        ("4S E", 10, 1, "4S by E, 10 tricks, =: -420"),
        ("3NT W", 11, 3, "3NT by W, 11 tricks, +2: -660"),
        ("7NTXX S", 1, 0, "7NTXX by S, 1 trick, -12: -6400"),
        ("1C E", 6, 2, "1C by E, 6 tricks, -1: +100"),
        ("4S E", None, 0, "4S by E"),
        ("Pass", None, 3, "Passed out: 0"),
    ],
)
def test_result_line(contract, tricks, vulnerability, line):
    assert result_line(Contract.parse(contract), tricks, vulnerability) == line


def test_trick_table():
    tricks = [[9, 2, 8, 0, 2], [4, 11, 4, 11, 9], [9, 2, 8, 0, 2], [4, 11, 4, 11, 10]]
    assert trick_table(tricks) == (
        "   C  D  H  S NT\nN  9  2  8  0  2\nE  4 11  4 11  9\nS  9  2  8  0  2\nW  4 11  4 11 10"
    )


def test_a_board_is_its_deal_its_auction_and_its_result():
    text = board_text(Board(OWNER, 1, 1, 2, calls("1H P 4H P P P"), Contract.parse("4H E"), 11))
    deal, auction, result = text.split("\n\n")
    assert deal == deal_diagram(OWNER, 1, 1, 2) == board_text(Board(OWNER, 1, 1, 2))
    assert auction == auction_table(calls("1H P 4H P P P"), 1, 1)
    assert result == "4H by E, 11 tricks, +1: -450"
