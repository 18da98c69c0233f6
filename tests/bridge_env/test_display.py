"""Drawings as texts and as HTML: balanced, escaped, the same; and ``bridge_env.show`` in a notebook and elsewhere."""

import re
import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from support.bidders import SLAM, calls
from support.page import Page

from bridge_env import show
from bridge_env.display import html
from bridge_env.display.notebook import ShowError
from bridge_env.display.text import (
    auction_table,
    board_text,
    deal_diagram,
    hand_lines,
    result_line,
    shown_call,
    trick_table,
)
from bridge_env.envs.episodes import table_seeds
from bridge_env.envs.picture import HEIGHT, WIDTH
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.hands.deals import hands, parse_deal, parse_hand
from bridge_env.records.board import Board
from bridge_env.records.links import board_of_link
from bridge_env.rules.calls import Contract
from bridge_env.rules.cards import UNKNOWN

DEAL = "E:.AKJ9762..AQ9742 K987..A9653.J853 AQT4.QT854.QJ74. J6532.3.KT82.KT6"
OWNER = parse_deal(DEAL)
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


HAND = "AKQ2.T98.J7.A543"


@pytest.mark.parametrize("hand", [HAND, parse_hand(HAND), parse_hand(HAND)[None]])
def test_a_hand_in_a_notebook(hand, capsys):
    shown = show(hand)
    assert str(shown) == "S AKQ2\nH T98\nD J7\nC A543"
    assert capsys.readouterr().out == f"{shown}\n"
    assert Page(shown._repr_html_()).text == "♠ A K Q 2♥ 10 9 8♦ J 7♣ A 5 4 314"
    four = parse_hand("AKQ2.T98.J7.A543") & (np.arange(52) >= 39)
    assert Page(show(four)._repr_html_()).text == "♠ A K Q 2♥ —♦ —♣ —"  # points are of all thirteen cards


@pytest.mark.parametrize("deal", [DEAL, OWNER, OWNER[None]])
def test_a_deal_in_a_notebook(deal):
    shown = show(deal, dealer="E", vulnerability="NS", number=2)
    assert str(shown) == deal_diagram(OWNER, 1, 1, 2)
    assert Page(shown._repr_html_()).text.startswith("Board 2Dealer ENS vul♠ J 6 5 3 2")


@pytest.mark.parametrize(
    "auction", ["1NT P 2C", "1n, Pass, 2c", ["1NT", "P", "2C"], [7, 0, 8], np.array([7, 0, 8, -1, -1], np.int8)]
)
def test_an_auction_in_a_notebook(auction):
    shown = show(auction, dealer="S", vulnerability="EW", notes={2: "Stayman"})
    assert str(shown) == auction_table([7, 0, 8], 2, 2) + "\n2C: Stayman"
    page = Page(shown._repr_html_())
    assert page.text == "WestNorthEastSouth1NTPass2♣AN 2♣ Stayman"
    assert page.values("title") == ["Stayman"]


def test_a_result_and_tricks_in_a_notebook():
    assert str(show(Contract.parse("4SX N"), tricks=9, vulnerability=1)) == "4SX by N, 9 tricks, -1: -200"
    assert str(show(TRICKS)).startswith("   C  D  H  S NT\nN  9")


def test_an_object_with_a_drawing_is_shown_as_it_is():
    class Drawing:
        def __str__(self):
            return "a table"

        def _repr_html_(self):
            return "<p>a table</p>"

    shown = show(Drawing())
    assert (str(shown), shown.drawing) == ("a table", "<p>a table</p>")


@pytest.mark.parametrize("wrong", [3.5, object(), np.zeros((2, 3)), [[1, 2], [3, 4]], {"a": 1}, None])
def test_other_objects_are_refused(wrong):
    with pytest.raises(ShowError, match="cannot be shown; show a hand"):
        show(wrong)


@pytest.mark.parametrize(
    ("wrong", "why"), [("AKQ2.T98.J7", "four suits"), ("N:AK", "four hands"), ("1NT 9C", "'9C' is not a call")]
)
def test_faulty_texts_are_refused_with_the_reason(wrong, why):
    with pytest.raises(ValueError, match=why):
        show(wrong)


@pytest.mark.parametrize(("shell", "printed"), [(SimpleNamespace(kernel=1), False), (SimpleNamespace(), True)])
def test_a_notebook_draws_and_prints_nothing(shell, printed, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    show(HAND)
    assert bool(capsys.readouterr().out) == printed


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
    assert trick_table(TRICKS) == (
        "   C  D  H  S NT\nN  9  2  8  0  2\nE  4 11  4 11  9\nS  9  2  8  0  2\nW  4 11  4 11 10"
    )


def test_a_board_is_its_deal_its_auction_and_its_result():
    text = board_text(Board(OWNER, 1, 1, 2, calls("1H P 4H P P P"), Contract.parse("4H E"), 11))
    deal, auction, result = text.split("\n\n")
    assert deal == deal_diagram(OWNER, 1, 1, 2) == board_text(Board(OWNER, 1, 1, 2))
    assert auction == auction_table(calls("1H P 4H P P P"), 1, 1)
    assert result == "4H by E, 11 tricks, +1: -450"


def started(**setting):
    env = BiddingEnv(learner="all", **setting)
    env.reset(seed=1, options={"deal": SLAM, "dealer": "E", "vulnerability": "NS"})
    return env


def test_a_frame_changes_with_every_call_and_only_there():
    env, frames = started(render_mode="rgb_array"), []
    for call in (7, 0, 8, 0, 0, 0):
        frames.append(env.render())
        env.step(call)
    frames.append(env.render())
    for frame in frames:
        assert (frame.shape, frame.dtype) == ((HEIGHT, WIDTH, 3), np.uint8)
    inside = np.s_[24:140, 170:290]  # North's hand
    for one, other in pairwise(frames):
        assert (one != other).any(axis=2)[:, 460:].any()
        assert (one != other).any(axis=2)[:, :460].any()  # whose turn it is
        np.testing.assert_array_equal(one[inside], other[inside])
    np.testing.assert_array_equal(frames[-1], env.render())
    assert (frames[-1] != frames[-2]).any(axis=2)[400:, 460:].any()  # the result


def test_long_auctions_show_their_last_rounds():
    env = started(render_mode="rgb_array")
    for bid in range(3, 38):
        env.step(bid)
        env.step(0)
        env.step(0)
    assert env.render().shape == (HEIGHT, WIDTH, 3)


def test_the_vector_env_draws_every_table():
    env = BiddingVectorEnv(3, learner="all", render_mode="rgb_array")
    env.reset(seed=1)
    frames = env.render()
    assert len(frames) == 3
    single = BiddingEnv(learner="all", render_mode="rgb_array")
    for seed, frame in zip(table_seeds(1, 3).tolist(), frames, strict=True):
        single.reset(seed=seed)
        np.testing.assert_array_equal(single.render(), frame)


def test_a_window_is_renewed_by_reset_and_step_and_closed(monkeypatch):
    import matplotlib.pyplot as plt

    shown = []
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "pause", lambda seconds: shown.append((seconds, len(plt.get_fignums()))))
    env = started(render_mode="human")
    assert env.render() is None
    for call in (7, 0, 0, 0):
        env.step(call)
    assert shown == [(1.0, 1)] * 6
    env.close()
    assert plt.get_fignums() == []


def test_pettingzoo_draws_too():
    aec = pytest.importorskip("bridge_env.envs.aec", exc_type=ImportError)
    env = aec.raw_env(render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (HEIGHT, WIDTH, 3)
