"""Drawings: balanced, escaped, the same as the texts."""

import re

import numpy as np
import pytest
from support.bidders import calls
from support.page import Page

from bridge_env import show
from bridge_env.display import html
from bridge_env.display.text import deal_diagram, result_line
from bridge_env.hands.deals import parse_deal
from bridge_env.records.board import Board
from bridge_env.records.links import board_of_link
from bridge_env.rules.calls import Contract

OWNER = parse_deal("E:.AKJ9762..AQ9742 K987..A9653.J853 AQT4.QT854.QJ74. J6532.3.KT82.KT6")
TRICKS = [[9, 2, 8, 0, 2], [4, 11, 4, 11, 9], [9, 2, 8, 0, 2], [4, 11, 4, 11, 10]]
HOSTILE = "</style><script>alert(\"1\")</script><b title='x'>&"


def board(**more):
    made = {"auction": calls("1H P 4H P P P"), "contract": Contract.parse("4H E"), "tricks": 11, **more}
    return Board(OWNER, 1, 1, 2, **made)


def test_a_deal():
    page = Page(html.deal_html(OWNER, 1, 1, 2))
    assert page.text == (
        "Board 2Dealer ENS vul♠ J 6 5 3 2♥ 3♦ K 10 8 2♣ K 10 67♠ A Q 10 4♥ Q 10 8 5 4♦ Q J 7 4♣ —11NWES"
        "♠ —♥ A K J 9 7 6 2♦ —♣ A Q 9 7 4 214♠ K 9 8 7♥ —♦ A 9 6 5 3♣ J 8 5 38"
    )
    assert len(page.all("tr")) == 3
    assert len(page.all("td")) == 9
    assert len(page.all("span", "bridge-vulnerable")) == 2
    assert len(page.all("span", "bridge-dealer")) == 1
    assert Page(html.deal_html(OWNER, tricks=TRICKS)).text.endswith("♣♦♥♠NTN92802E4114119S92802W41141110")


def test_an_auction():
    drawn = html.auction_html(calls("P 1H 3NT X"), 2, 2, {1: '5+ cards "<&>"'}, {1})
    page = Page(drawn)
    assert page.text == "WestNorthEastSouthPass1♥A3NTX"
    assert page.values("title") == ['5+ cards "<&>"']
    assert drawn == (
        '<table class="bridge-auction"><tr><th scope="col" class="bridge-vulnerable">West</th>'
        '<th scope="col">North</th><th scope="col" class="bridge-vulnerable">East</th><th scope="col">South</th></tr>'
        "<tr><td></td><td></td><td></td><td>Pass</td></tr>"
        '<tr><td title="5+ cards &quot;&lt;&amp;&gt;&quot;">1<span class="bridge-h">♥</span>'
        '<sup class="bridge-alert">A</sup></td><td>3NT</td><td>X</td></tr></table>'
    )
    history = np.full(319, -1, np.int8)
    history[:2] = calls("1C P")
    assert Page(html.auction_html(history, 3)).text == "WestNorthEastSouth1♣Pass"
    assert Page(html.notes_html(history, 3, {0: "3+♣", 5: "never made"})).text == "W 1♣ 3+♣"


@pytest.mark.parametrize(
    ("contract", "tricks"), [("4SX N", 9), ("3NT W", 11), ("7NTXX S", 1), ("1C E", None), ("Pass", None)]
)
def test_a_result_has_the_text_of_its_line(contract, tricks):
    text = Page(html.result_html(Contract.parse(contract), tricks, 1)).text
    line = result_line(Contract.parse(contract), tricks, 1)
    assert text == re.sub(r"^(\d)([CDHS])(?![a-z])", lambda m: m[1] + "♣♦♥♠"["CDHS".index(m[2])], line)


def test_a_board_and_its_tables():
    other = board(auction=calls("P P P P"), contract=Contract.parse("Pass"), tricks=None)
    page = Page(html.board_html([board(), other], titles=["Open", "Closed"], notes=[{0: "5+♥"}, {}], tricks=TRICKS))
    assert len(page.all("table", "bridge-deal")) == 1
    assert len(page.all("table", "bridge-auction")) == 2
    assert "OpenWestNorthEastSouth1♥Pass4♥PassPassPass4♥ by E, 11 tricks, +1: -450" in page.text
    assert "E 1♥ 5+♥" in page.text
    assert "ClosedWestNorthEastSouthPassPassPassPassPassed out: 0" in page.text


def test_the_link_of_a_board_leads_back_to_it():
    (link,) = Page(html.board_html([board()])).values("href")
    found = board_of_link(link)
    assert (found.owner == OWNER).all()
    assert (found.auction, found.contract, found.tricks) == (board().auction, board().contract, 11)
    assert "bridge-auction" not in html.board_html([Board(OWNER, 1, 1, 2)])


def test_texts_are_escaped():
    names = dict.fromkeys(("North", "East", "South", "West"), HOSTILE)
    drawn = show(board(tags=names, notes={0: HOSTILE})).drawing
    page = Page(drawn)
    assert page.text.count(HOSTILE) == 5  # four names and a note
    assert page.all("script") == []
    assert len(page.all("style")) == 1


def test_a_drawing_has_its_style_and_loads_nothing():
    drawn = show("1H P", dealer="N").drawing
    assert len(Page(drawn).all("style")) == 1
    assert not re.search(r"url\(|@import|@font-face|https?:", drawn)
    assert str(show(Board(OWNER, 1, 1, 2))) == deal_diagram(OWNER, 1, 1, 2)


def test_the_style_reaches_nothing_outside_its_frame():
    sheet = re.sub(r"/\*.*?\*/", "", html.style(), flags=re.S)
    sheet = re.sub(r"@media[^{]*\{", "", sheet)
    while "(" in (selectors := re.sub(r"\{[^{}]*\}", ";", sheet)):
        sheet = re.sub(r"\([^()]*\)", "", sheet)  # the commas of :is(a, b) separate no selectors
    parts = [part.strip() for part in re.split(r"[,;}]", selectors) if part.strip()]
    assert len(parts) > 30
    for part in parts:
        assert re.search(r"(^| )\.bridge", part), part
