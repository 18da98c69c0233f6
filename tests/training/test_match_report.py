"""The report of a match: its figures are the match's, texts stay texts, it needs nothing else, and it is small."""

import base64
import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest
from support.page import Page

from agents.registry import reader_of
from bridge_env.display.text import result_line, shown_call
from bridge_env.hands.deals import deal_text
from bridge_env.records.board import Board
from bridge_env.records.links import VIEWER, board_of_link
from bridge_env.rules.calls import PASS, parse_call
from training.cli import main
from training.evaluation.duplicate import match as play_match
from training.evaluation.report import ALIKE, SAMPLE, SWINGS, call_notes, differences, match_html, report, select_boards
from training.evaluation.situations import KINDS

A, B, BOARDS = "system:two-over-one", "system:acol", 400
HOSTILE = "</script></style><script>alert(\"1\")</script><img src=x onerror='alert(2)'>&amp;"


@pytest.fixture(scope="module")
def match():
    return play_match(A, B, BOARDS, 1)


@pytest.fixture(scope="module")
def made(match):
    return report(match, explain=False)


@pytest.fixture(scope="module")
def page(made):
    return Page(made.page)


def rows_of(text, css):
    """The text of each row in the body of a table."""
    body = re.search(rf'class="{css}".*?<tbody>(.*?)</tbody>', text, re.S)[1]
    return [Page(row).text for row in re.findall(r"<tr>.*?</tr>", body)]


def test_the_figures_are_those_of_the_match(match, page):
    text = page.text
    assert f"{match.mean_imps:+.3f} ± {match.standard_error:.3f} IMPs a board" in text
    won, lost = (match.imps > 0).sum(), (match.imps < 0).sum()
    assert f"A won {won:,} boards and lost {lost:,}; {BOARDS - won - lost:,} were level." in text
    assert match.boards.source in text
    assert "seconds" not in text  # so that one match makes one page


def test_the_verdict_says_whether_the_teams_differ(match):
    def verdict(imps):
        return Page(match_html(replace(match, imps=np.array(imps, np.int64)))).text

    level = np.resize([5, -5], BOARDS)
    assert f"The teams are level over {BOARDS} boards." in verdict(level)
    assert "too little to tell the teams apart" in verdict(level + (np.arange(BOARDS) == 0))
    assert re.search(
        rf"B gained 3\.\d+ IMPs a board over {BOARDS} boards, \d+\.\d standard errors from level", verdict(level - 3)
    )


def test_the_classes_share_out_what_the_match_came_to(match, made):
    classes, shares = differences(match).classes, differences(match).by_kind()
    assert sum(row.mean for row in shares) == pytest.approx(match.mean_imps)
    for row in shares:
        assert row.won - row.lost == pytest.approx(row.mean)
        assert (classes == KINDS.index(row.what)).sum() == row.boards
    assert (classes == ALIKE).sum() == BOARDS - sum(row.boards for row in shares)
    rows = rows_of(made.page, "report-where")
    assert len(rows) == len(shares)
    for text, share in zip(rows, shares, strict=True):
        assert text.startswith(share.what)
        assert text.endswith(f"{share.mean:+.3f} ± {share.error:.3f}{share.boards}")


def test_the_boards_are_as_they_were_bid(match, made):
    boards = re.findall(r'<details class="report-board".*?\n(?=<details|</div>)', made.page, re.S)
    assert len(boards) == made.shown
    kinds = differences(match).classes
    place = {int(number): row for row, number in enumerate(match.boards.number)}
    before = 99
    for text in boards:
        page = Page(text)
        line = page.all("details", "report-board")[0]
        row = place[int(line["id"].removeprefix("board-"))]
        imps = int(match.imps[row])
        assert (int(line["data-imps"]), int(line["data-kind"])) == (imps, kinds[row])
        assert abs(imps) <= before  # the biggest swings first
        before = abs(imps)
        links = page.values("href")
        assert len(links) == 2
        for link, board, table in zip(links, match.records(row), match.tables, strict=True):
            shown = board_of_link(link)
            assert deal_text(shown.owner) == deal_text(match.boards.owner[row])
            assert list(shown.auction) == [c for c in table.history[row].tolist() if c >= 0]
            line = result_line(board.contract, board.tricks, board.vulnerability)
            assert line.rpartition(", ")[2] in page.text


def test_the_parting_of_the_tables_is_shown(match, made):
    found = differences(match)
    row, ours, theirs = int(found.board[0]), int(found.ours[0]), int(found.theirs[0])
    only = match.take(np.array([row]))
    text = Page(report(only, explain=False).page).text
    calls = [shown_call(call) for call in (ours, theirs)]
    before = int((found.prefix[0] >= 0).sum())
    seat = "NESW"[(int(match.boards.dealer[row]) + before) & 3]
    assert f"The tables part at call {before + 1}, by {seat}: A {calls[0]}, B {calls[1]}." in text


def test_the_biggest_swings_and_a_sample_of_every_class_are_shown(match, made, page):
    classes = differences(match).classes
    rows = select_boards(differences(match))
    assert len(set(rows.tolist())) == len(rows)
    for number in {*classes.tolist()}:
        of_class = np.flatnonzero(classes == number)
        assert len(np.intersect1d(of_class, rows)) >= min(SAMPLE, len(of_class))
    others = np.setdiff1d(np.arange(BOARDS), rows)
    rest = np.sort(np.abs(match.imps[rows]))[-SWINGS:]
    assert np.abs(match.imps[others]).max() <= rest.min()
    np.testing.assert_array_equal(rows, select_boards(differences(match)))
    assert f"{BOARDS} boards were played; {made.shown} are shown here" in page.text


def test_a_small_match_is_shown_in_full(match):
    made = report(match.take(np.arange(30)), explain=False)
    assert made.shown == made.boards == 30
    assert "All 30 boards stand here." in Page(made.page).text


def test_boards_that_a_table_names_are_there_to_be_opened(page):
    there = {f"#{attrs['id']}" for attrs in page.all("details", "report-board")}
    named = [link for link in page.values("href") if link.startswith("#")]
    assert named
    assert set(named) <= there


def test_names_and_sources_stay_texts(match):
    boards = replace_boards(match.boards.take(np.arange(20)), HOSTILE)
    hostile = replace(match.take(np.arange(20)), a=HOSTILE, b=HOSTILE, boards=boards)
    text = report(hostile).page
    page = Page(text)
    assert len(page.all("script")) == 1
    assert page.all("img") == []
    assert not [attrs for _, attrs in page.tags if any(name.startswith("on") for name in attrs)]
    assert page.text.count(HOSTILE) >= 2 + 2 + 2 * 20 + 2
    assert HOSTILE not in text
    assert len(Page(hostile._repr_html_()).all("script")) == 0


def replace_boards(boards, text):
    return type(boards)(
        boards.owner, boards.dealer, boards.vulnerability, boards.number, boards.base, boards.tricks, text, (text,)
    )


def test_a_page_needs_nothing_else(made, page):
    assert all(link.startswith((f"{VIEWER}?lin=", "#board-")) for link in page.loads)
    assert {"link", "img", "iframe", "object", "video", "audio"} & set(page.seen) == set()
    assert not re.search(r"url\(|@import|@font-face", made.page)
    (policy,) = (attrs["content"] for attrs in page.all("meta") if "http-equiv" in attrs)
    (script,) = re.findall(r"<script>(.*?)</script>", made.page, re.S)
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{own}'"
    assert all(attrs["aria-label"] for attrs in page.all("svg"))
    ids = page.values("id")
    assert len(set(ids)) == len(ids)


def test_what_a_file_suffers_from_is_listed_in_part(match):
    few = match.take(np.arange(5))
    boards = type(few.boards)(
        few.boards.owner, few.boards.dealer, few.boards.vulnerability, problems=("x" * 9_000,) * 1_000
    )
    text = Page(report(replace(few, boards=boards), explain=False).page).text
    assert "and 950 more" in text
    assert len(text) < 60_000


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("system:sayc", "system:acol"),
        ("pair:system:sayc,system:acol", "system:precision"),
        ("system:sayc", "policy:champion"),
    ],
)
def test_calls_show_what_they_show_at_their_own_seats(a, b):
    calls = tuple(parse_call(word) for word in ("1NT", "P", "2C", "X", "2H", "P", "4H", "P", "P", "P"))
    reader = reader_of(a, b, draws=False)
    for dealer in range(4):
        for vulnerability in (1, 2):
            notes, alerts = call_notes(Board(np.zeros(52, np.uint8), dealer, vulnerability, auction=calls), reader)
            for place, call in enumerate(calls):
                shows = reader.shows(calls[:place], dealer, vulnerability, call)
                expected = f"{shows.note}: {shows.text}" if shows.note else shows.text
                if call == PASS or not shows.known:
                    assert place not in notes
                else:
                    assert notes[place].removesuffix("…") == expected[: len(notes[place].removesuffix("…"))]
                    assert (place in alerts) == shows.artificial
            assert notes


def test_artificial_calls_are_alerted_and_explained(match):
    made = report(match.take(np.arange(25)))
    page = Page(made.page)
    assert page.all("sup", "bridge-alert")
    assert "What the calls show" in page.text
    assert "15-17" in page.text


def test_of_bidders_without_a_spec_nothing_is_explained(match):
    assert "What the calls show" not in report(replace(match.take(np.arange(5)), a="Script")).page


def test_bars_are_as_long_as_what_was_gained_and_lost(match, made):
    shares = differences(match).by_kind()
    most = max(max(row.won, row.lost) for row in shares)
    widths = {
        css: [float(w) for w in re.findall(rf'"report-{css}".*?width="([\d.]+)"', made.page)] for css in ("won", "lost")
    }
    assert widths["won"] == pytest.approx([100 * row.won / most for row in shares], abs=0.1)
    assert widths["lost"] == pytest.approx([100 * row.lost / most for row in shares], abs=0.1)


def test_a_result_draws_itself_in_a_notebook(match):
    page = Page(match._repr_html_())
    assert f"{match.mean_imps:+.3f} ± {match.standard_error:.3f} IMPs a board" in page.text
    assert len(page.all("svg")) == len(differences(match).by_kind())
    assert str(match).startswith(f"{A} against {B}\n  IMPs per board")


def test_the_command_writes_the_page(tmp_path, capsys):
    words = ["match", "system:sayc", "doubler", "--boards", "24", "--report", str(tmp_path / "a.html")]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.endswith("a.html: a page with 24 of 24 boards\n")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    mean = re.search(r"IMPs per board\s+(\S+ ± \S+)", out)[1]
    assert f"{mean} IMPs a board" in Page(text).text
    assert main([*words[:-1], str(tmp_path / "b.html")]) == 0
    assert (tmp_path / "b.html").read_text(encoding="utf-8") == text


def test_the_figures_of_the_play_stand_beside(tmp_path, capsys):
    path = tmp_path / "a.html"
    words = ["match", "system:sayc", "pass", "--boards", "3", "--play", "rule", "--report", str(path)]
    assert main(words) == 0
    played = re.search(r"IMPs per board, cards played\s+(\S+ ± \S+)", capsys.readouterr().out)[1]
    assert f"IMPs per board, cards played{played}" in Page(path.read_text(encoding="utf-8")).text
