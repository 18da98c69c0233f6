"""The book of a system: figures against a naive count, formats, worth against complete matches, differences."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import pytest
from reference.hierarchy import Tree, hand_features
from support import command as typed
from support.page import Page

from agents.systems.bidder import Hierarchy
from agents.systems.language.text import parse_system
from agents.systems.library.shipped import read_system
from bridge_env.hands.deals import hand_text
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text
from training.book import system_book
from training.book.diff import compare_systems, find_changes
from training.book.graph import AuctionGraph, Walker, renumber_lines
from training.book.measure import COLUMNS, BidDeals, measure
from training.book.model import render_book
from training.book.shows import Shows, coverage
from training.book.survey import SystemSurvey
from training.book.system_book import Judge, add_worth, make_book, without
from training.evaluation.partnership_match import BoardRange, Partnership, duel
from training.runtime.pages import render

TOY_TEXT = """\
# A system for tests.
system: toy
1N    15-17 hcp, balanced                  ; strong
  2C    8+ hcp, 4 H or 4 S                 ; Stayman !forcing !artificial
    2H    4+ H
    2D                                     ; !artificial
1M    11+ hcp, 5+ M
  2M    6-9 hcp, 3+ M
  4M    10+ hcp, 3+ M
1m    12+ hcp, 3+ m
after 1x
  P     0-5 hcp
(1x)
  1y    8-16 hcp, 5+ y
  X     12+ hcp, 0-2 x                     ; take-out !forcing
after (1x)-X
  lowest:y 4+ y
when 0-7 last-level                        ; anything else
  P
"""
TOY = parse_system(TOY_TEXT)
SAYC = read_system("sayc")

CARDS_TEXT = TOY_TEXT.replace("when 0-7", """\
weigh when 1+ they-bid, 1+ i-bid           ; they bid on
  P       scores 0, 11 if book             ; pass
  bid:x   4+ shown:x scores -9, 4 for each x less shown:x, 30 if 12+ hcp, -22 if jump ; my suit
when 0-7""")  # fmt: skip


def test_scorecards_are_a_table_with_a_hand_that_adds_up(monkeypatch):
    monkeypatch.setattr(system_book, "SystemSurvey", partial(SystemSurvey, count=800))
    model = make_book(parse_system(CARDS_TEXT), 400, 3).model()
    cards, rules = model["general"]
    assert [(card["call"], card["start"]) for card in cards["cards"]] == [("Pass", 0), ("bid of x", -9)]
    assert cards["cards"][1]["adds"] == "+4 for each x more than x that I have shown, +30 if 12+ HCP"
    assert cards["cards"][1]["takes"] == "-22 if a jump"
    *_, sums = cards["example"].split(": ")
    totals = [int(one.split()[1]) for one in sums.split("; ")]
    assert totals == sorted(totals, reverse=True)
    assert len(totals) > 1
    assert rules["cards"] == []
    for form in ("markdown", "html"):
        assert "more than x that I have shown" in render_book(model, form)


@lru_cache(maxsize=1)
def toy_book():
    return make_book(TOY, 300, 5)


def entry(graph, name, call):
    point = next(p for p in graph.points if p.name == name)
    return point.entries[call]


def naive_count(system, deals, seed):
    """Calls made and chances to make them by line number, and the hands: by the slow reading of the tree."""
    tree, walker = Tree(system), Walker(AuctionGraph(system))
    table = BidDeals(Hierarchy(system), walker, seed, 0, deals)
    considered = []
    rules = tree.rules
    tree.rules = lambda events: considered.append(rules(events)) or considered[-1]
    made, chances, hands = Counter(), Counter(), {}
    for board in range(deals):
        calls = [call_text(int(c)).replace("NT", "N").replace("Pass", "P") for c in table.history[board] if c >= 0]
        for k, call in enumerate(calls):
            seat = (int(table.dealer[board]) + k) % 4
            state = Auctions.replay(
                table.history[[board], :k], table.dealer[[board]], table.vulnerability[[board]]
            )  # fmt: skip
            legal = {call_text(c).replace("NT", "N").replace("Pass", "P") for c in np.flatnonzero(state.legal()[0])}
            hand = hand_text(table.owner[board] == seat)
            answer = tree.call(calls[:k], legal, hand)
            chances.update({(line.number, line.path[-1].token) for _, line, _ in considered[-1]})
            if answer is not None:
                assert answer[0] == call
                made[answer[1].number] += 1
                hands.setdefault(answer[1].number, []).append(hand)
    return made, chances, hands


def test_figures_are_those_of_a_naive_count():
    graph = AuctionGraph(TOY)
    measured = measure(graph, Hierarchy(graph.system), 300, 5)
    made, chances, hands = naive_count(graph.system, 300, 5)
    assert sum(made.values()) > 400
    for e in graph.entries:
        if e.point is None:
            continue
        figures, number = measured.figures[e.index], e.lines[0].number
        assert figures.made == made[number]
        assert figures.chances == chances[(number, e.step.token)]
        assert len(set(figures.examples)) == min(2, made[number])
        assert set(figures.examples) <= set(hands.get(number, []))
        for name in ("hcp", "S"):
            values = sorted(hand_features(hand)[name] for hand in hands.get(number, []))
            if values:
                n = len(values)
                expected = values[-(-n * 5 // 100) - 1], values[-(-n * 95 // 100) - 1]
                assert figures.usual(name) == expected
    assert measured.passes == 0
    assert measured.calls == sum(f.made for f in measured.figures)


def test_variables_are_the_suits_they_stand_for():
    figures = toy_book().measured.figures[entry(toy_book().graph, "1M", "2M").index]
    assert figures.made > 10
    major, other = figures.hands[:, COLUMNS.index("M")], figures.hands[:, COLUMNS.index("oM")]
    assert (np.minimum(major, other) == figures.hands[:, 3:5].min(axis=1)).all()
    assert (major >= 3).all()
    assert figures.names() == ["M", "oM", "D", "C"]


def test_the_walk_knows_every_call_that_the_bidder_makes():
    graph = AuctionGraph(SAYC)
    walker = Walker(graph)
    table = BidDeals(Hierarchy(graph.system), walker, 3, 0, 500)
    lines = table.lines(table.calls)
    tree = 0
    for line, state, call in zip(lines, table.calls.state, table.calls.call, strict=True):
        if line < 0:
            continue  # a rule of last resort, which no system writes down
        e = graph.of_line[int(line)]
        if e.point is not None:
            tree += 1
            assert any(found is e for found, _ in walker.calls_at(int(state), int(call)))
    assert tree > 1500


def test_line_numbers_never_collide():
    graph = AuctionGraph(SAYC)  # its general rules come from another file
    every = [line.number for e in graph.entries for line in e.lines]
    assert len(every) == len(set(every))
    assert renumber_lines(SAYC) == SAYC


def test_hands_on_fresh_deals_keep_to_the_book():
    book = make_book(SAYC, 2000, 1)
    assert book.coverage.share >= 0.98
    assert book.coverage.hands > 0.65 * book.coverage.calls  # the rest are calls made too seldom to speak of
    assert str(book.shows[entry(book.graph, "", "1N").index]) == "15-17 HCP, 2-6 in each suit"
    assert str(book.shows[entry(book.graph, "", "1S").index]).endswith("5+!s")


def test_the_check_catches_a_wrong_book():
    book = toy_book()
    statements = list(book.shows)
    opening = entry(book.graph, "", "1M").index
    statements[opening] = Shows((("hcp", 11, 20), ("M", 6, 13)))  # five will do
    found = coverage(book.measured, statements, np.ones(len(statements), np.bool_), 300, 6)
    assert (found.calls, found.covered) == (book.coverage.calls, book.coverage.covered)
    assert found.share < 0.96 < book.coverage.share


def test_a_statement_is_about_all_that_it_names():
    held = np.full((3, len(COLUMNS)), -1, np.int8)
    held[:, :5] = [[15, 3, 3, 3, 4], [15, 1, 4, 4, 4], [18, 3, 3, 3, 4]]
    assert Shows((("hcp", 15, 17), ("each suit", 2, 5), ("M", 5, 13))).fit(held).tolist() == [True, False, False]
    assert str(Shows((("hcp", 0, 37),))) == "nothing"


OPENINGS = """\
|Call|What it promises|Shows|Made|Nine in ten hold|Examples|
|---|---|---|---|---|---|
|**1NT**|15-17 HCP, balanced; *strong*|15-17 HCP, 2-5 in each suit|6.8%|15-17 HCP ♠2-4 ♥2-5 ♦2-4 ♣2-4|\
`AK2.Q84.QT.A6543` `KQ2.KT985.A86.A9`|
|**1M**|11+ HCP, 5+ M|11-21 HCP, 5+ M|15.9%|11-18 HCP M5-7 oM1-4 ♦1-4 ♣0-4|\
`AQJ32.QJT7.963.J` `KQ4.AKJ762.82.83`|
|**1m**|12+ HCP, 3+ m|12-24 HCP, 3+ m|24.0%|12-20 HCP m3-6 ♠1-4 ♥1-4|\
`K6.QJ52.A.AQJ652` `K9..AKJ3.AQT9532`|
|*others*|by the general rules||53.4%|||
"""


@lru_cache(maxsize=1)
def toy_model():
    return toy_book().model()


def test_markdown_of_a_small_system():
    text = render_book(toy_model(), "markdown")
    table = text.split("## Opening bids\n\n")[1].split("\n\n")[0]
    assert table == OPENINGS.strip()
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Convention card", "## How to read the tables", "## Opening bids",
        "## Responses", "## Opener's second bid", "## They open", "## General rules", "## How hands are counted",
        "## Who must speak", "## How far to trust this",
    ]  # fmt: skip
    assert text.startswith("# toy\n\nA system for tests.\n\n")
    assert "Figures are of 300 random deals (seed 5)" in text
    assert "|1NT|15-17 HCP, balanced, may hold a five-card major|" in text
    assert "|1NT - **2♣**|8+ HCP; 4♥ or 4♠; *Stayman, forcing, artificial*||" in text
    assert "|(1x) - X - **cheapest y**|4+ y|" in text
    assert "When the last bid is at level 0-7 (anything else):" in text
    for rows in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({line.count("|") for line in rows.splitlines()}) == 1


def test_levels_follow_the_options():
    text = render_book(make_book(TOY, 300, 5, levels=1).model(), "markdown")
    assert "## Responses" not in text


def test_rare_calls_are_left_out_and_not_covered():
    book = replace(toy_book(), once_in=20)
    printed = [e for e in book.graph.entries if book.is_printed(e)]
    left_out = [e for e in book.graph.entries if not book.is_printed(e)]
    assert 0 < len(left_out) < 8
    figures = book.measured.figures
    assert max(figures[e.index].made for e in left_out) < 300 / 20 <= min(figures[e.index].made for e in printed)
    assert book.coverage.covered < toy_book().coverage.covered == book.coverage.calls
    text, full = (render_book(model, "html") for model in (book.model(), toy_model()))
    assert f"Left out: {len(left_out)} calls made less often than once in 20 deals." in text
    assert text.count('class="share"') < full.count('class="share"')


def test_html_is_one_page_that_loads_nothing():
    text = render_book(toy_model(), "html")
    assert text.count('class="share"') >= len(toy_book().graph.entries)
    assert '<span class="bridge-h">♥</span>' in text
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open
    assert not page.loads
    assert not re.search(r"url\(|@import|https?:|<script", text)
    assert 'name="viewport"' in text


def test_text_in_a_system_cannot_leave_the_page():
    book = make_book(parse_system(TOY_TEXT.replace("; strong", "; <b>strong</b> & | more")), 100, 5).model()
    assert "&lt;b&gt;strong&lt;/b&gt; &amp; | more" in render_book(book, "html")
    assert "*<b>strong</b> & / more*|" in render_book(book, "markdown")


def match_sum(system, control, boards, seed):
    pair, other = Partnership(system, system), Partnership(control, control)
    return int(duel(pair, other, BoardRange(seed, "judging", 0, boards)).imps.astype(np.int64).sum())


@pytest.mark.slow
def test_the_worth_of_a_line_is_the_difference_of_complete_matches():
    boards, seed = 300, 4
    graph = AuctionGraph(SAYC)
    judge = Judge(graph.system, TOY, boards, seed)
    total = match_sum(graph.system, TOY, boards, seed)
    assert judge.mean == pytest.approx(total / boards)
    figures = 0
    chosen = [entry(graph, "", "1N"), entry(graph, "", "1S"), entry(graph, "(1x)", "1y"), *graph.entries[5::100]]
    for e in chosen:
        expected = total - match_sum(without(graph.system, e.numbers), TOY, boards, seed)
        if worth := judge.worth_of(e.numbers):
            figures += 1
            assert worth.boards >= 30
            assert worth.per_thousand == pytest.approx(1000 * expected / boards)
            assert worth.mean * worth.boards == pytest.approx(expected)
    assert figures >= 3


def test_a_book_with_worth_says_against_whom():
    book = replace(toy_book(), worth={}, judged="")
    done = []
    add_worth(book, SAYC, 300, 1, done.append)
    text = render_book(book.model(), "markdown")
    assert len(done) == len(book.graph.entries)
    assert "against sayc" in text
    assert "300 boards of the judging split" in text
    assert "|Worth|per 1,000|" in text
    row = next(line for line in text.splitlines() if line.startswith("|**1m**"))
    assert re.search(r"\|[+-]\d\.\d\d ± \d\.\d\d\|[+-]\d+\|$", row)


CHANGES = {
    "changed": ("2M    6-9 hcp, 3+ M", "2M    7-9 hcp, 3+ M"),
    "flagged": ("2M    6-9 hcp, 3+ M", "2M    6-9 hcp, 3+ M ; !forcing"),
    "removed": ("  4M    10+ hcp, 3+ M\n", ""),
    "with what follows": (
        "  2C    8+ hcp, 4 H or 4 S                 ; Stayman !forcing !artificial\n    2H    4+ H\n"
        "    2D                                     ; !artificial\n",
        "",
    ),
    "only line": ("after 1x\n  P     0-5 hcp\n", ""),
    "opening": ("1m    12+ hcp, 3+ m\n", ""),
    "moved": (
        "  1y    8-16 hcp, 5+ y\n  X     12+ hcp, 0-2 x                     ; take-out !forcing\n",
        "  X     12+ hcp, 0-2 x                     ; take-out !forcing\n  1y    8-16 hcp, 5+ y\n",
    ),
    "general": ("when 0-7 last-level", "when ours\n  P\nwhen 0-7 last-level"),
    "rule": ("anything else\n  P\n", "anything else\n  X   20+ hcp\n  P\n"),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("back", [False, True])
def test_a_change_is_found_once(name, back):
    """Both ways, so that what is dropped one way is new the other way."""
    a, b = TOY, parse_system(TOY_TEXT.replace(*CHANGES[name]))
    a, b = (b, a) if back else (a, b)
    (change,) = find_changes(AuctionGraph(a), AuctionGraph(b))
    assert (change.old is not None, change.new is not None) == {
        "added": (False, True), "removed": (True, False), "changed": (True, True), "moved": (True, True),
    }[change.kind]  # fmt: skip


def test_a_moved_threshold_is_named_with_what_the_system_gains():
    changed = parse_system(TOY_TEXT.replace("15-17 hcp", "14-17 hcp"), name="wide")
    text = render("difference.md", **compare_systems(TOY, changed, SAYC, 600, 1))
    gain = match_sum(changed, SAYC, 600, 1) - match_sum(TOY, SAYC, 600, 1)
    assert f"the difference {gain / 600:+.3f} ±" in text
    assert "|**1NT**|15-17 HCP, balanced (strong) → 14-17 HCP, balanced (strong)|" in text
    assert "## Lines changed" in text


def test_new_conventions_come_first_with_their_answers():
    without_stayman = parse_system(
        TOY_TEXT.replace(*CHANGES["with what follows"]).replace("12+ hcp, 3+ m", "13+ hcp, 3+ m")
    )
    difference = compare_systems(without_stayman, TOY, SAYC, 100, 1)
    first, second = difference["sections"]
    assert (first["title"], len(first["rows"][0]["followers"])) == ("New conventions and sequences", 2)
    assert second["title"] == "Lines changed"
    assert "1NT - 2♣ - 2♥: 4+♥" in render("difference.md", **difference)


def run(capsys, *words):
    return typed.run(capsys, "book", *words)


@pytest.fixture
def toy_file(tmp_path):
    file = tmp_path / "toy.bidding"
    file.write_text(TOY_TEXT)
    return file


QUICK = ("--deals", "300")


def test_the_command_prints_markdown_and_writes_what_the_ending_says(capsys, tmp_path, toy_file):
    words = (f"system:{toy_file}", *QUICK, "--seed", "5", "--once-in", "0")
    assert run(capsys, *words)[:2] == (0, render_book(toy_model(), "markdown"))
    assert run(capsys, *words, "--out", str(tmp_path / "out.json"))[0] == 0
    assert json.loads((tmp_path / "out.json").read_text()) == toy_model()


def test_errors_say_what_to_do(capsys, tmp_path, toy_file):
    def refused(*words):
        return typed.refused(capsys, "book", *words)

    assert "no such system is shipped" in refused("nope")
    assert "name a system" in refused()
    assert "name a system" in refused("sayc", "--diff", "sayc", "sayc")
    assert "give a name that ends in .md, .html, .json" in refused("sayc", "--out", str(tmp_path / "book.pdf"))
    assert "give a name that ends in .md" in refused("--diff", "sayc", "acol", "--out", str(tmp_path / "a.html"))
    broken = tmp_path / "broken.bidding"
    broken.write_text("system: b\n1Q  15+ hcp\n")
    assert f"{broken}:2:" in refused(str(broken))


def test_the_difference_at_the_command(capsys, tmp_path, toy_file):
    code, out, _ = run(capsys, "--diff", str(toy_file), str(toy_file), "--boards", "50")
    assert (code, "No line differs" in out) == (0, True)
