"""Golden strings."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

from bridge_env.calls import Contract, parse_call
from bridge_env.cards import UNKNOWN, hands, parse_deal
from bridge_env.render import (
    auction_html,
    auction_table,
    deal_diagram,
    deal_html,
    hand_lines,
    result_line,
    trick_table,
)

OWNER = parse_deal("E:.AKJ9762..AQ9742 K987..A9653.J853 AQT4.QT854.QJ74. J6532.3.KT82.KT6")


def calls(text: str) -> list[int]:
    return [parse_call(word) for word in text.split()]


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
    rows = deal_diagram(parse_deal(f"N:{solid}"), symbols=True).split("\n")
    assert rows[0] == " " * 17 + "♠ AKQJT98765432"
    assert rows[5] == "♥ -" + " " * 14 + "W     E          ♥ AKQJT98765432"
    assert rows[7] == "♣ AKQJT98765432  " + " " * 17 + "♣ -"
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
    assert auction_table(calls("1C P 3NT"), 3, 2, symbols=True) == (
        "West*   North   East*   South\n1♣      Pass    3NT"
    )
    assert auction_table([], 0) == "West    North   East    South"


def test_auction_table_takes_a_padded_history():
    history = np.full(319, -1, np.int8)
    history[:4] = 0
    assert auction_table(history, 0, 3) == "West*   North*  East*   South*\n        Pass    Pass    Pass\nPass"


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


class Balanced(HTMLParser):
    """Checks that every tag is closed in order, and collects the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.titles: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.titles += [value for name, value in attrs if name == "title"]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_deal_html():
    page = Balanced(deal_html(OWNER, 1, 1, 2))
    assert page.text == (
        "Board 2Dealer ENS vul♠ J6532♥ 3♦ KT82♣ KT6♠ AQT4♥ QT854♦ QJ74♣ -♠ -♥ AKJ9762♦ -♣ AQ9742♠ K987♥ -♦ A9653♣ J853"
    )
    assert Balanced(deal_html(np.full(52, UNKNOWN))).text == ""


def test_auction_html():
    html = auction_html(calls("P 1H 3NT X"), 2, 2, ["", '5+ cards "<&>"'])
    page = Balanced(html)
    assert page.text == "WestNorthEastSouthPass1♥3NTX"
    assert page.titles == ['5+ cards "<&>"']
    assert html == (
        '<table class="bridge-auction"><tr><th class="bridge-vulnerable">West</th><th>North</th>'
        '<th class="bridge-vulnerable">East</th><th>South</th></tr>'
        "<tr><td></td><td></td><td></td><td>Pass</td></tr>"
        '<tr><td title="5+ cards &quot;&lt;&amp;&gt;&quot;">1<span class="bridge-suit-h">♥</span></td>'
        "<td>3NT</td><td>X</td></tr></table>"
    )
