"""``bridge_env.show`` in a notebook and elsewhere."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from support.page import Page

import bridge_env
from bridge_env.display.notebook import ShowError
from bridge_env.display.text import auction_table, deal_diagram
from bridge_env.hands.deals import parse_deal, parse_hand
from bridge_env.rules.calls import Contract

HAND = "AKQ2.T98.J7.A543"
DEAL = "E:.AKJ9762..AQ9742 K987..A9653.J853 AQT4.QT854.QJ74. J6532.3.KT82.KT6"
TRICKS = [[9, 2, 8, 0, 2], [4, 11, 4, 11, 9], [9, 2, 8, 0, 2], [4, 11, 4, 11, 10]]


@pytest.mark.parametrize("hand", [HAND, parse_hand(HAND), parse_hand(HAND)[None]])
def test_a_hand(hand, capsys):
    shown = bridge_env.show(hand)
    assert str(shown) == "S AKQ2\nH T98\nD J7\nC A543"
    assert capsys.readouterr().out == f"{shown}\n"
    assert Page(shown._repr_html_()).text == "♠ A K Q 2♥ 10 9 8♦ J 7♣ A 5 4 314"


@pytest.mark.parametrize("deal", [DEAL, parse_deal(DEAL), parse_deal(DEAL)[None]])
def test_a_deal(deal):
    shown = bridge_env.show(deal, dealer="E", vulnerability="NS", number=2)
    assert str(shown) == deal_diagram(parse_deal(DEAL), 1, 1, 2)
    assert Page(shown._repr_html_()).text.startswith("Board 2Dealer ENS vul♠ J 6 5 3 2")


@pytest.mark.parametrize(
    "auction", ["1NT P 2C", "1n, Pass, 2c", ["1NT", "P", "2C"], [7, 0, 8], np.array([7, 0, 8, -1, -1], np.int8)]
)
def test_an_auction(auction):
    shown = bridge_env.show(auction, dealer="S", vulnerability="EW", notes={2: "Stayman"})
    assert str(shown) == auction_table([7, 0, 8], 2, 2) + "\n2C: Stayman"
    page = Page(shown._repr_html_())
    assert page.text == "WestNorthEastSouth1NTPass2♣AN 2♣ Stayman"
    assert page.values("title") == ["Stayman"]


def test_a_result_and_tricks():
    assert str(bridge_env.show(Contract.parse("4SX N"), tricks=9, vulnerability=1)) == "4SX by N, 9 tricks, -1: -200"
    assert str(bridge_env.show(TRICKS)).startswith("   C  D  H  S NT\nN  9")


def test_an_object_with_a_drawing_is_shown_as_it_is():
    class Drawing:
        def __str__(self):
            return "a table"

        def _repr_html_(self):
            return "<p>a table</p>"

    shown = bridge_env.show(Drawing())
    assert (str(shown), shown.drawing) == ("a table", "<p>a table</p>")


@pytest.mark.parametrize("wrong", [3.5, object(), np.zeros((2, 3)), [[1, 2], [3, 4]], {"a": 1}, None])
def test_other_objects_are_refused(wrong):
    with pytest.raises(ShowError, match="cannot be shown; show a hand"):
        bridge_env.show(wrong)


@pytest.mark.parametrize(
    ("wrong", "why"), [("AKQ2.T98.J7", "four suits"), ("N:AK", "four hands"), ("1NT 9C", "'9C' is not a call")]
)
def test_faulty_texts_are_refused_with_the_reason(wrong, why):
    with pytest.raises(ValueError, match=why):
        bridge_env.show(wrong)


@pytest.mark.parametrize(("shell", "printed"), [(SimpleNamespace(kernel=1), False), (SimpleNamespace(), True)])
def test_a_notebook_draws_and_prints_nothing(shell, printed, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    bridge_env.show(HAND)
    assert bool(capsys.readouterr().out) == printed
