"""Systems through the server: the book and its figures, two side by side, the pen's check, exam and match."""

import pytest
from support.table import visitor_of

from agents.systems.language.text import parse_system
from agents.systems.library.shipped import read_system
from bridge_env.rules.calls import call_text
from bridge_table.systems import figures_of
from training.book.graph import AuctionGraph
from training.evaluation.duplicate import match
from training.exam.positions import textbook
from training.exam.run import plays, sit


@pytest.fixture
def visitor():
    return visitor_of(seed=5)


def test_the_book_holds_every_call_of_the_system_once(visitor):
    found = visitor.post("book", spec="system:sayc")
    points = AuctionGraph(read_system("sayc"))
    assert len(found["entries"]) == len(points.entries)
    listed = [index for point in found["points"] for index, _ in point["entries"]]
    listed += [index for block in found["general"] for index in block["entries"]]
    assert sorted(listed) == list(range(len(points.entries)))
    # Every point is reached from the first, on one way.
    ways = [
        child for point in found["points"] for _, child in [*point["entries"], *point["steps"]] if child is not None
    ]
    assert sorted(ways) == list(range(1, len(found["points"])))
    stayman = [e for e in found["entries"] if e["note"].startswith("Stayman") and e["call"] == "2♣"]
    assert "1NT" in [found["points"][e["point"]]["path"] for e in stayman]


def test_figures_tell_how_often_and_on_what_hands(visitor):
    found = visitor.post("figures", spec="system:silent")
    assert len(found["figures"]) == len(visitor.post("book", spec="system:silent")["entries"])
    assert "2,000 random deals" in found["facts"][0]
    system = parse_system("system: tiny\n1N 15-17 hcp, balanced\n1x 5+ x, 12+ hcp\nP\n(1x)\n  P\n(any)\n  P\n")
    notrump = figures_of(system)["figures"][0]
    assert notrump["share"].endswith("%")
    assert notrump["usual"].startswith("15-17 HCP")
    assert len(notrump["examples"]) == 2


def test_after_an_auction_the_entries_of_the_book_are_named(visitor):
    found = visitor.post("system", spec="system:sayc", calls="Pass 1NT Pass")
    book = visitor.post("book", spec="system:sayc")
    (stayman,) = [e for e in found["entries"]["2C"] if book["entries"][e]["note"].startswith("Stayman")]
    assert book["points"][book["entries"][stayman]["point"]]["path"] == "1NT"
    theirs = visitor.post("system", spec="system:sayc", calls="1H")
    assert all(
        book["points"][book["entries"][e]["point"]]["path"].startswith("(")
        for call, entries in theirs["entries"].items() for e in entries
    )  # fmt: skip


def test_two_systems_stand_side_by_side(visitor):
    text = visitor.post("text", spec="system:sayc")["text"]
    spec = visitor.post("drafts", text=text.replace("1N    15-17 hcp", "1N    14-16 hcp", 1))["spec"]
    found = visitor.post("compare", a="system:sayc", b=spec)
    (row,) = [row for row in found["rows"] if row["kind"] != "same"]
    assert (row["kind"], row["at"]) == ("changed", "")
    assert row["a"]["what"].startswith("15-17 HCP")
    assert row["b"]["what"].startswith("14-16 HCP")
    same = visitor.post("compare", a="system:sayc", b="system:sayc")
    assert set(same["counts"]) == {"same"}


def test_a_network_has_no_book(visitor):
    for path in ("book", "text", "figures"):
        assert "system:" in visitor.post(path, 400, spec="policy:champion")["error"]


def test_the_check_lists_all_faults_with_their_lines(visitor):
    found = visitor.post("check", text="system: odd\n1C 12+ hcp\n1Z 5 q\n1C 13+ hcp\n2D 5+ Y\n")
    assert not found["sound"]
    assert [f["line"] for f in found["findings"] if f["fault"]] == [3, 5]
    assert visitor.post("check", text=visitor.post("text", spec="system:sayc")["text"])["sound"]
    assert "draft-" in visitor.post("drafts", 400, text="1Z\n")["error"]


def test_a_posted_text_opens_no_file_of_the_server(visitor, tmp_path):
    (tmp_path / "secret").write_text("a word that nobody should read\n")
    text = f"system: t\nbase: {tmp_path / 'secret'}\n"
    found = [
        visitor.post("drafts", 400, text=text)["error"],
        *(f["text"] for f in visitor.post("check", text=text)["findings"]),
    ]
    assert len(found) == 2
    assert all("shipped system" in t and "nobody" not in t for t in found)
    assert visitor.post("drafts", text="system: t\nbase: sayc\n1N  12-14 hcp, balanced\n")["spec"]


def test_the_exam_is_marked_as_the_command_marks_it(visitor):
    found = visitor.post("exam", spec="system:sayc", against="system:silent")
    paper = sit("system:sayc", textbook())
    assert found["all"]["points"] == paper.marks().points
    assert [area["area"] for area in found["areas"]] == paper.areas()
    other = sit("system:silent", textbook(), paper.key, conventions=plays("system:sayc"))
    assert found["all"]["before"] == pytest.approx(100 * other.marks().share, abs=0.06)
    assert all(row["points"] != row["were"] for row in found["changed"])
    assert found["changed"]


def test_a_match_is_the_commands_match_and_its_boards_open_in_the_review(visitor):
    found = visitor.post("matches", a="system:sayc", b="system:acol", boards=300, seed=2)
    result = match("system:sayc", "system:acol", 300, 2)
    assert found["mean"] == pytest.approx(result.mean_imps, abs=0.001)
    assert found["differ"] >= len(found["rows"]) > 0
    worst = [abs(row["imps"]) for row in found["rows"]]
    assert worst == sorted(worst, reverse=True)
    for row in found["rows"][:3]:
        state = visitor.post(f"matches/{found['match']}/open", board=row["board"])
        assert [c["call"] for c in state["calls"]] == row["a"]["auction"]
        assert state["sits"] == {"N": "system:sayc", "E": "system:acol", "S": "system:sayc", "W": "system:acol"}
        review = visitor.get(f"tables/{state['table']}/review")
        assert review["imps"] == row["imps"]
        assert review["other"]["calls"] == row["b"]["auction"]
    at = int(found["rows"][0]["board"]) - 1
    assert [call_text(int(c)) for c in result.tables[0].history[at] if c >= 0] == found["rows"][0]["a"]["auction"]
    assert visitor.get("start")["session"]["boards"] == 0  # no result of a person
    visitor.post(f"matches/{found['match']}/open", 404, board=301)
    visitor.post("matches/nothing/open", 404, board=1)


def test_a_board_of_a_match_can_be_bid_by_a_person_again(visitor):
    found = visitor.post("matches", a="system:sayc", b="system:acol", boards=50)
    state = visitor.post(f"matches/{found['match']}/open", board=found["rows"][0]["board"])
    fresh = visitor.post(f"tables/{state['table']}/again")
    assert fresh["sits"]["N"] == "you"
    assert not fresh["replay"]


def test_long_requests_are_limited_in_size(visitor):
    visitor.post("matches", 400, a="system:silent", b="system:silent", boards=2001)
    visitor.post("figures", 400, spec="system:silent", deals=10**6)
    visitor.post("drills", 400, spec="system:silent", topic="openings", count=51)
