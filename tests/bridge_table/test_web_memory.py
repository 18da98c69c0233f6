"""The database of the table: files of others, results, figures, and mistakes that are due."""

import sqlite3
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from support.table import board, mistake, visitor_of

from bridge_env.hands.features import HCP_AND_LENGTHS, NUM_FEATURES
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS
from bridge_table.board.views import mean_error
from bridge_table.learning import history
from bridge_table.learning.database import Database, default_file
from bridge_table.learning.history import CALL, CARD
from bridge_table.learning.topics import OTHER_KINDS, TOPICS, Decision, title_of, topic_of
from training.cli import main

CALM = {"ns": "system:sayc", "ew": "system:sayc", "control": "system:sayc", "cards": "rule"}
SEED = 11


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.time = datetime(2026, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=1)))

    def __call__(self):
        return self.time

    def pass_days(self, days):
        self.time += timedelta(days=days)


def test_a_board_comes_back_after_the_end(tmp_path):
    file = tmp_path / "folder" / "table.sqlite"
    first = Database(file)
    assert first.save(board(1), {"openings": 2}, [mistake("2026-03-02")])
    first.close()
    moved = file.rename(tmp_path / "moved.sqlite")
    second = Database(moved)
    assert second.session != first.session
    [row] = history.boards(second, 0)["boards"]
    assert (row["number"], row["imps"], row["result"]) == (1, 4, "2S S =")
    assert not second.save(board(1, imps=9, people="N"), {"openings": 1}, [])  # from any seat, and in any session
    found = history.overview(second)
    assert [(k["kind"], k["made"], k["costly"], k["lost"]) for k in found["kinds"]] == [("openings", 2, 1, 5)]


def spoil(file):
    """Overwrite the pages behind the first."""
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(bytes(content))


def other_program(file):
    file.unlink()
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")


@pytest.mark.parametrize(("harm", "words"), [(spoil, "damaged"), (other_program, "another program's")])
def test_a_file_that_cannot_be_used_stays_as_it_is_and_the_command_says_what_to_do(tmp_path, capsys, harm, words):
    file = tmp_path / "table.sqlite"
    first = Database(file)
    for number in range(1, 30):
        first.save(board(number), {"openings": 1}, [])
    first.close()
    harm(file)
    before = file.read_bytes()
    assert main(["table", "--no-browser", "--port", "0", "--memory", str(file)]) == 2
    found = capsys.readouterr().err.strip()
    assert str(file) in found
    assert words in found
    assert "--memory" in found
    assert len(found.splitlines()) == 1
    assert file.read_bytes() == before


def test_two_servers_share_a_file(tmp_path):
    one, two = (Database(tmp_path / "table.sqlite") for _ in range(2))
    for number in range(1, 7):
        assert (one, two)[number % 2].save(board(number, imps=number), {"openings": 1}, [])
        assert not (two, one)[number % 2].save(board(number), {"openings": 1}, [])
    found = history.overview(one)
    assert [(s["id"], s["boards"], s["total"]) for s in found["sessions"]] == [
        (two.session, 3, 9),
        (one.session, 3, 12),
    ]
    assert [s["current"] for s in found["sessions"]] == [False, True]
    assert found == {**history.overview(two), "sessions": found["sessions"]}


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names the folder of Linux")
def test_the_default_file_is_the_users(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_file() == Path("/data/bridge-env/table.sqlite")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_file() == Path("/home/me/.local/share/bridge-env/table.sqlite")


def test_pages_of_boards_the_newest_first_and_means_with_their_error():
    memory = Database()
    for number in range(1, 61):
        memory.save(board(number, imps=number % 7 - 3, helped=number % 2), {}, [])
    pages = [history.boards(memory, page) for page in range(4)]
    assert [p["pages"] for p in pages] == [3] * 4
    assert [row["number"] for page in pages for row in page["boards"]] == list(range(60, 0, -1))
    values = [number % 7 - 3 for number in range(1, 61)]
    mean = sum(values) / 60
    error = (sum((v - mean) ** 2 for v in values) / 59 / 60) ** 0.5
    assert (pages[0]["figures"]["boards"], pages[0]["figures"]["mean"]) == (60, round(mean, 2))
    [session] = history.overview(memory)["sessions"]
    assert (session["mean"], session["error"]) == (round(mean, 2), round(error, 2))
    assert session["helped"] == 30
    assert mean_error(1, 5, 25) == {"mean": 5.0, "error": None}
    assert mean_error(3, 0, 0) == {"mean": 0.0, "error": 0.0}


def test_a_decision_has_the_narrowest_of_its_topics():
    def kind(words, lengths, hcp, made):
        features = np.zeros(NUM_FEATURES, np.int16)
        features[HCP_AND_LENGTHS] = hcp, *lengths
        return topic_of(Decision.of([parse_call(word) for word in words.split()], features, parse_call(made)))

    assert kind("1H P", (4, 3, 4, 2), 8, "2H") == "raises"
    assert kind("1H P", (4, 4, 2, 3), 8, "1S") == "responses"
    assert kind("1H P 2NT P", (2, 3, 5, 3), 18, "4NT") == "slam"
    assert kind("1S", (4, 4, 4, 1), 12, "X") == "takeout"
    assert kind("1S", (4, 4, 4, 1), 3, "P") is None
    assert all(title_of(name) != name for name in (*TOPICS, *OTHER_KINDS))


def test_intervals_grow_with_right_answers_in_a_row():
    clock = Clock()
    memory = Database(now=clock)
    memory.save(board(1), {"openings": 1}, [mistake("2026-03-02")])
    assert history.due(memory) == {"due": 0, "next": "2026-03-02"}
    clock.time += timedelta(hours=1)  # past midnight where the person is, and not yet in Greenwich
    days = []
    for _ in range(7):
        assert history.due(memory) == {"due": 1, "next": None}
        day = history.reschedule(memory, 1, True)
        assert history.reschedule(memory, 1, True) == history.reschedule(memory, 1, False) == day  # it is due no more
        days.append((datetime.fromisoformat(day).date() - memory.today()).days)
        clock.pass_days(days[-1])
    assert days == [1, 3, 7, 21, 60, 60, 60]
    clock.pass_days(5)  # late
    day = history.reschedule(memory, 1, False)
    assert day == (memory.today() + timedelta(days=1)).isoformat()
    clock.pass_days(1)
    assert history.reschedule(memory, 1, True) == (memory.today() + timedelta(days=1)).isoformat()


def test_the_drill_takes_what_waits_longest_and_accepts_what_is_as_good():
    clock = Clock()
    memory = Database(now=clock)
    for number, day in enumerate(("2026-03-03", "2026-02-20", "2026-03-01"), 1):
        memory.save(board(number), {"openings": 1}, [mistake(day, cost=number + 3)])
    drill = history.drill_of_due(memory, "system:sayc", 10)
    assert drill.mistakes == (2, 3)
    question = drill.questions[0]
    assert question.answers == ((parse_call("1NT"), 10), (parse_call("2NT"), 10))
    assert "your 1S lost 5 IMPs" in question.reason
    assert (question.seat, question.auction) == (SEATS.index("S"), ())
    assert history.drill_of_due(memory, "system:sayc", 1).mistakes == (2,)


def server(memory):
    return visitor_of(seed=SEED, database=memory)


def sillily(state):
    """Calls that cost IMPs."""
    return next((call for call in ("3NT", "X", "Pass") if call in state["legal"]), "Pass")


def finished(visitor, play=False, choose=sillily, **fields):
    people = fields.get("people", "S")
    state = visitor.bid_out(visitor.post("tables", **{"people": "S", **CALM, **fields}), choose)
    if state["phase"] == "bid":
        state = visitor.post(f"tables/{state['table']}/{'play' if play else 'show'}", seat=people)
    state = visitor.play_out(state, lambda look: look["play"]["legal"][-1])
    return state, visitor.get(f"tables/{state['table']}/review")


def test_a_board_counts_once_however_often_it_is_seen():
    memory = Database()
    visitor = server(memory)
    state, _ = finished(visitor)
    visitor.get(f"tables/{state['table']}/review")
    again = visitor.bid_out(visitor.post(f"tables/{state['table']}/again"), lambda look: "Pass")
    if again["phase"] == "bid":
        visitor.post(f"tables/{again['table']}/show", seat="S")
    assert visitor.get(f"tables/{again['table']}/review")["session"]["boards"] == 1
    finished(visitor, number=1, people="N")  # the same deal, from another seat
    [row] = visitor.get("history/boards")["boards"]
    opened = visitor.post(f"history/boards/{row['id']}/open")
    assert visitor.get(f"tables/{opened['table']}/review")["session"]["boards"] == 1
    assert visitor.get("history/boards")["figures"]["boards"] == visitor.get("start")["session"]["boards"] == 1
    finished(visitor, number=2)
    assert visitor.get("history/boards")["figures"]["boards"] == visitor.get("start")["session"]["boards"] == 2


def test_only_what_was_bid_to_the_end_and_reviewed_counts():
    visitor = server(Database())
    visitor.post("tables", people="S", **CALM)
    watched = visitor.bid_out(visitor.post("tables", people="", **CALM), sillily)
    visitor.post(f"tables/{watched['table']}/show")
    visitor.get(f"tables/{watched['table']}/review")
    state = visitor.bid_out(visitor.post("tables", people="S", number=1, **CALM), sillily)
    if state["phase"] == "bid":
        visitor.get(f"tables/{state['table']}/review", 409)
    assert visitor.get("history/boards")["figures"]["boards"] == 0


@pytest.mark.parametrize("cards", [9, pytest.param(52, marks=pytest.mark.slow)])
def test_a_board_opens_again_as_it_was_played(tmp_path, cards):
    """Also a board whose play was ended early."""
    file = tmp_path / "table.sqlite"
    first = Database(file)
    visitor = server(first)
    state = visitor.bid_out(visitor.post("tables", people="S", **CALM), lambda look: look["legal"][1])
    where = f"tables/{state['table']}"
    state = visitor.play_out(visitor.post(f"{where}/play", seat="S"), lambda look: look["play"]["legal"][0], cards)
    if cards < 52:
        state = visitor.post(f"{where}/show", seat="S")
    assert (state["play"]["claimed"] is None) == (cards == 52)
    found = visitor.get(f"{where}/review")
    first.close()
    later = server(Database(file))
    [row] = later.get("history/boards", page=0)["boards"]
    opened = later.post(f"history/boards/{row['id']}/open")
    assert {**opened, "table": ""} == {**visitor.get(where, seat="S"), "table": ""}
    review = later.get(f"tables/{opened['table']}/review")
    assert (found["counts"], review["counts"]) == (True, False)  # it counted in its own session
    assert {**review, "session": None, "counts": True} == {**found, "session": None}
    assert row["imps"] == found["imps"]
    later.post("history/boards/999/open", 404)
    later.get("history/boards", 400, page="x")


def test_a_bidder_that_is_not_here_any_more():
    clock = Clock()
    memory = Database(now=clock)
    memory.save(board(1, north_south="system:~mine"), {"openings": 1}, [mistake("2026-03-02")])
    clock.pass_days(1)
    visitor = server(memory)
    assert "system:~mine" in visitor.post("history/boards/1/open", 400)["error"]
    drill = visitor.post("mistakes/drill", spec="system:sayc")  # its mistake is drilled all the same
    request = visitor.get(f"drills/{drill['drill']}/question", number=0)
    assert request["shows"]["1NT"]["text"].startswith("15-17 HCP")


@pytest.mark.slow
def test_each_decision_has_a_kind_and_its_cost_is_the_reviews():
    memory = Database()
    visitor = server(memory)
    reviews = [finished(visitor, play=True, number=number)[1] for number in range(1, 4)]
    costly = [call for found in reviews for call in found["calls"] if call["costly"]]
    assert costly
    for call in costly:
        assert call["fair"]["call"] == call["better"]
        assert call["fair"]["gain"] >= 0.5
        assert call["call"] != call["usual"]
    mistakes = memory.rows("SELECT * FROM mistakes ORDER BY id")
    calls = [m for m in mistakes if m["part"] == CALL]
    assert [(m["made"], m["better"], m["cost"]) for m in calls] == [(c["call"], c["better"], c["lost"]) for c in costly]
    for one in calls:  # who makes it again is not right
        assert one["better"] in one["accepted"].split()
        assert one["made"] not in one["accepted"].split()
    cards = [m for m in mistakes if m["part"] == CARD]
    own = [card for found in reviews for card in found["cards"] if card["choices"] > 1 and card["cost"]]
    assert cards
    assert {(m["made"], m["better"], m["cost"]) for m in cards} <= {(c["card"], c["best"][0], c["imps"]) for c in own}
    assert {m["due"] for m in cards} == {None}
    kinds = visitor.get("history")["kinds"]
    assert sum(row["made"] for row in kinds) > sum(len(found["calls"]) for found in reviews)
    assert sum(row["costly"] for row in kinds) == len(mistakes)
    assert sum(row["lost"] for row in kinds) == sum(m["cost"] for m in mistakes)


def test_the_drill_of_mistakes_moves_their_day():
    clock = Clock()
    visitor = server(Database(now=clock))
    visitor.post("mistakes/drill", 404, spec="system:sayc")
    number = 0
    while visitor.get("mistakes")["next"] is None:
        number += 1
        _, found = finished(visitor, number=number)
    first = next(call for call in found["calls"] if call["costly"])
    visitor.post("mistakes/drill", 404, spec="system:sayc")  # not before tomorrow
    clock.pass_days(1)
    due = visitor.get("mistakes")["due"]
    drill = visitor.post("mistakes/drill", spec="system:sayc", count=20)
    assert drill["questions"] == due > 0
    request = [visitor.get(f"drills/{drill['drill']}/question", number=k) for k in range(due)]
    k = next(k for k, q in enumerate(request) if len(q["calls"]) == first["number"])
    assert first["better"] in request[k]["legal"]
    answer = visitor.post(f"drills/{drill['drill']}/answer", number=k, call=first["better"])
    assert answer["title"] in map(title_of, (*TOPICS, *OTHER_KINDS))
    assert answer["points"] == 10
    assert answer["due"] == "2026-03-03"
    assert "due" not in visitor.post(
        f"drills/{drill['drill']}/answer", number=k, call=first["call"]
    )  # the first counts
    assert visitor.get("mistakes")["due"] == due - 1
    clock.pass_days(1)
    assert visitor.get("mistakes")["due"] == due


def test_a_memory_that_fails_is_reported(tmp_path):
    memory = Database(tmp_path / "table.sqlite")
    visitor = server(memory)
    with memory.writing() as file:
        file.execute("ALTER TABLE boards RENAME TO lost")
    assert "table.sqlite" in visitor.get("history", 500)["error"]
