"""Result logs: a match resumes from them, a torn last line is dropped, damage is an error."""

import contextlib
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from training.evaluation import match
from training.evaluation.boards import library_boards
from training.evaluation.cardplay import Teams, play_hands
from training.runtime.runs import ResultLog, ResultLogError

TEAMS = Teams((None, None), ("rule", "random"))


@dataclass(frozen=True)
class Row:
    n: int
    words: tuple[str, str]


ROWS = [Row(1, ("a", "♠")), Row(2, ("", "b")), Row(3, ("c", "d"))]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    log = ResultLog(path, {"of": "a test"}, Row)
    assert log.read() == []
    log.add(ROWS[:2])
    log.add(ROWS[2:])
    return path.read_bytes()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged") / "log.jsonl"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_that_was_cut_short_gives_the_complete_lines(content, place, data):
    cut = data.draw(st.integers(0, len(content)))
    place.write_bytes(content[:cut])
    log = ResultLog(place, {"of": "a test"}, Row)
    complete = max(0, content[:cut].count(b"\n") - 1)
    assert log.read() == ROWS[:complete]
    log.add(ROWS[complete:])
    assert log.read() == ROWS
    assert place.read_bytes() == content


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_changed_byte_is_an_error_or_a_row_of_the_right_type(content, place, data):
    at, byte = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 255))
    place.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
    with contextlib.suppress(ResultLogError):
        rows = ResultLog(place, {"of": "a test"}, Row).read()
        assert all(isinstance(row.n, int) and len(row.words) == 2 for row in rows)


def test_a_file_of_other_results_is_refused(content, place):
    place.write_bytes(content)
    with pytest.raises(ResultLogError, match="holds something else: its of is 'a test', not 'another'"):
        ResultLog(place, {"of": "another"}, Row).read()


@pytest.mark.parametrize("lines", [7, 20])
def test_a_match_resumes_from_its_log(tmp_path, lines):
    boards = library_boards(20, 3)
    complete = match("random", "system:sayc", boards, 3)
    path = tmp_path / "log"
    match("random", "system:sayc", boards, 3, log=path)
    saved = path.read_text().splitlines(keepends=True)
    path.write_text("".join(saved[:1] + saved[21 - lines :]) + '{"place": 1, "cal')
    progress: list[int] = []
    played = [match("random", "system:sayc", boards, 3, log=path, progress=progress.append)]
    assert progress == ([lines, 20 - lines] if lines < 20 else [lines])
    played.append(match("random", "system:sayc", boards.take(slice(0, 12)), 3, log=path))
    for found in played:
        n = len(found.boards)
        assert found.imps.tolist() == complete.imps[:n].tolist()
        assert [table.score.tolist() for table in found.tables] == [t.score[:n].tolist() for t in complete.tables]
        assert [str(row) for row in found.rows()] == [str(row) for row in complete.rows()[:n]]


def test_the_log_of_another_match_is_refused(tmp_path):
    boards = library_boards(6, 3)
    match("pass", "doubler", boards, 3, log=tmp_path / "log")
    for a, seed in (("random", 3), ("pass", 4)):
        with pytest.raises(ResultLogError, match="holds something else"):
            match(a, "doubler", boards, seed, log=tmp_path / "log")


def test_the_play_of_a_match_resumes_from_its_log(tmp_path):
    bidding = match("doubler", "random", 12, seed=3)
    path = tmp_path / "log ♠.jsonl"
    complete = play_hands(bidding, TEAMS, log=path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:8]) + b'{"board": 9, "ca')
    progress: list[int] = []
    assert play_hands(bidding, TEAMS, log=path, progress=progress.append).boards == complete.boards
    assert progress == [7, 5]
    assert play_hands(bidding.take(np.arange(3)), TEAMS, log=path).boards == complete.boards[:3]
    with pytest.raises(ResultLogError, match="its play_b is 'random', not 'rule'"):
        play_hands(bidding, Teams((None, None), ("rule", "rule")), log=path)
