"""The textbook exam: reading, sitting, marking, the command end to end, its key, and that a wheel holds it."""

import json
import re
import tomllib
from fnmatch import fnmatch
from functools import cache

import numpy as np
import pytest
from support.command import refused, run
from support.places import DATA, ROOT

from bridge_env.hands.deals import hand_text, parse_hand
from bridge_env.hands.features import HCP, hand_features
from bridge_env.rules.calls import PASS, parse_call
from bridge_env.rules.cards import SEATS
from training.exam.positions import ALL, FULL, HALF, KEYS, ExamError, read_exam, textbook
from training.exam.positions import parse_exam as parse_texts
from training.exam.run import ExamConfig, key_of, plays, scores_text, sit, wrong_text
from training.exam.run import exam as sit_exam

SMALL = """\
# A comment.
area: first   First calls
none N     | -      | AKJ84.K73.Q62.95 | 1S       | 13 HCP and five spades
both E     | P P    | 84.AKJT6.Q73.852 | 1H, 2H 5 | third seat | light

area: second  Second calls
ns S 2/1   | 1S P   | J4.AQJ73.K42.852 | 1NT      | forcing
ns S sayc  | 1S P   | J4.AQJ73.K42.852 | 2H, 1NT 5 | ten points
ew W       | 1H X P | 4.KQJT86.A62.973 | Pass     | their trumps
"""


class Bookworm:
    """Knows the key of the textbook by heart: the best call where there is one, else a pass."""

    def bid(self, view, key):
        return np.array([self._call(view, row) for row in range(len(view))], np.int8)

    def _call(self, view, row):
        made = tuple(int(c) for c in view.history[row] if c >= 0)
        question = int(view.vulnerability[row]), int(view.dealer[row]), made, hand_text(view.hand[row])
        return _best_calls().get(question, PASS)


@cache
def _best_calls():
    positions = textbook().select("2/1")
    return {p.question: next(call for call, points in p.answers if points == FULL) for p in positions}


def parse_exam(text):
    return parse_texts([(text, "<text>")])


@pytest.fixture
def small():
    return parse_exam(SMALL)


def test_a_position_is_read_as_it_is_written(small):
    assert small.titles == {"first": "First calls", "second": "Second calls"}
    assert len(small.positions) == 5
    position = small.positions[1]
    assert (position.area, position.key, position.vulnerability, position.dealer) == ("first", ALL, 3, 1)
    assert position.auction == (PASS, PASS)
    assert SEATS[position.seat] == "W"
    assert position.hand == "84.AKJT6.Q73.852"
    assert position.answers == ((parse_call("1H"), 10), (parse_call("2H"), 5))
    assert position.reason == "third seat | light"
    assert position.where == "<text>:4"
    assert [position.points(parse_call(c)) for c in ("1H", "2H", "P")] == [10, 5, 0]


def test_keys_choose_positions(small):
    assert [p.key for p in small.select("sayc")] == [ALL, ALL, "sayc", ALL]
    assert [p.key for p in small.select("2/1")] == [ALL, ALL, "2/1", ALL]
    assert [p.area for p in small.select("2/1", ["second"])] == ["second", "second"]


def test_for_everybody_either_answer_counts(small):
    positions = small.select(ALL)
    assert len(positions) == 4
    assert dict(positions[2].answers) == {parse_call("1NT"): 10, parse_call("2H"): 10}
    assert "forcing (2/1)" in positions[2].reason
    assert "ten points (sayc)" in positions[2].reason


HAND = "AKJ84.K73.Q62.95"
FAULTY = [
    ("none N | - | AKJ84.K73.Q62.95 | 1S", "five parts"),
    (f"some N | - | {HAND} | 1S | why", "not a vulnerability"),
    (f"none | - | {HAND} | 1S | why", "who is vulnerable and who deals"),
    (f"none N acol | - | {HAND} | 1S | why", "who is vulnerable and who deals"),
    ("none N | - | AKJ84.K73.Q62.9 | 1S | why", "has 12 cards"),
    (f"none N | 1S 1H | {HAND} | 2S | why", "1H is not legal"),
    (f"none N | 1S P P P | {HAND} | P | why", "is over"),
    (f"none N | - | {HAND} | X | why", "X is accepted, but is not legal after no call"),
    (f"none N | - | {HAND} | 1S 11 | why", "for 1 to 10 points"),
    (f"none N | - | {HAND} | | why", "no accepted call"),
    (f"none N | - | {HAND} | 1S 5 | why", "the full 10 points"),
    (f"none N +Gruber | - | {HAND} | 1S | why", "'Gruber' is no convention"),
    (f"none N | - | {HAND} | 1S [Gruber] | why", "'Gruber' is no convention"),
]


@pytest.mark.parametrize(("line", "fault"), FAULTY)
def test_faults_name_the_line(line, fault):
    with pytest.raises(ExamError, match=r"^<text>:11: ") as error:
        parse_exam(f"{SMALL}\n{line}\n")
    assert fault in str(error.value)


def test_an_exam_needs_areas_and_positions():
    with pytest.raises(ExamError, match=r"^<text>:1: no area yet"):
        parse_exam(f"none N | - | {HAND} | 1S | why")
    with pytest.raises(ExamError, match="holds no position"):
        parse_exam("area: empty  Nothing\n")


def test_files_and_folders_are_read_in_order(tmp_path):
    (tmp_path / "b.exam").write_text(f"area: b  Bee\nnone N | - | {HAND} | 1S | why\n", encoding="utf-8")
    (tmp_path / "a.exam").write_text(f"area: a  Ay\nnone E | - | {HAND} | 1S | why\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not an exam", encoding="utf-8")
    assert list(read_exam([tmp_path]).titles) == ["a", "b"]
    assert list(read_exam([tmp_path / "b.exam", tmp_path / "a.exam"]).titles) == ["b", "a"]
    with pytest.raises(ExamError, match=r"missing\.exam: cannot be read"):
        read_exam([tmp_path / "missing.exam"])


def test_the_example_of_the_documentation_is_an_exam():
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    example = re.search(r"```text\n(area:.*?)```", page, re.S)
    assert len(parse_exam(example[1]).positions) == 4


def test_the_key_scores_all_points_and_a_passer_those_of_passes():
    exam = textbook()
    book = sit("python:test_exam:Bookworm", exam, "2/1")
    assert book.marks().share == 1.0
    assert not book.wrong()
    passer = sit("pass", exam, "2/1")
    passes = [p.points(PASS) for p in exam.select("2/1")]
    assert passer.marks().points == sum(passes)
    assert passer.marks().best == sum(points == FULL for points in passes)
    assert len(passer.wrong()) == sum(points < FULL for points in passes)
    assert sum(passer.marks(area).points for area in exam.titles) == sum(passes)


def test_a_half_answer_counts_half(small):
    paper = sit("system:two-over-one", small, "sayc", ["second"])
    assert [(a.call, a.points) for a in paper.answers] == [(parse_call("1NT"), 5), (PASS, 10)]
    assert paper.marks().share == 0.75
    assert paper.marks().best == 1


def test_a_position_is_answered_alike_alone_and_among_others():
    """The stream of a position is its own, so that a part of the exam makes the same calls as all of it."""
    exam = textbook()
    all_calls = {a.position.where: a.call for a in sit("random", exam, ALL).answers}
    part = sit("random", exam, ALL, ["slam", "openings"]).answers
    assert [a.call for a in part] == [all_calls[a.position.where] for a in part]
    assert len({a.call for a in part}) > 10


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("system:sayc", "sayc"),
        ("reason:sayc", "sayc"),
        ("system:two-over-one", "2/1"),
        ("system:acol", ALL),
        ("policy:two-over-one", ALL),
        ("pass", ALL),
    ],
)
def test_the_key_is_what_the_header_says(spec, key):
    assert key_of(spec) == key


def test_a_header_of_ones_own_names_the_key(tmp_path):
    named = {
        "# What we play: 2/1, with weak jump shifts.\n": "2/1",
        "# Standard American for beginners.\n": "sayc",
        "# Between SAYC and 2/1.\n": ALL,
        "": ALL,
    }
    for number, (header, key) in enumerate(named.items()):
        path = tmp_path / f"mine{number}.bidding"
        path.write_text(f"{header}system: mine\n1S  5+ S\n", encoding="utf-8")
        assert key_of(f"system:{path}") == key


def test_an_exam_without_positions_for_the_bidder_is_an_error(small):
    with pytest.raises(ValueError, match="no area 'third'; there are first, second"):
        sit("pass", small, ALL, ["third"])
    with pytest.raises(ValueError, match="'acol' is no key"):
        sit("pass", small, "acol")
    only = parse_exam(f"area: a  A\nnone N 2/1 | - | {HAND} | 1S | why\n")
    with pytest.raises(ValueError, match="has no position there for sayc"):
        sit("system:sayc", only)


CONVENTIONAL = """\
area: raises  Raises
none W         | 1S P       | KQ84.5.A962.QJ73 | 4H [splinter], 2NT 5 | one heart
none E +Jacoby | 1H P 2NT P | AJ4.KQJ73.QJ62.5 | 3C                   | after Jacoby
none N         | 1S P       | K84.A853.9762.73 | 2S, 3C [Bergen]      | a simple raise
none S 2/1     | 1S P       | J4.AQJ73.K42.852 | 1NT, 2H [negative] 5 | of no system
"""
PLAYS_SPLINTERS = """\
system: mine
1S  12+ hcp, 5+ S
  4H  9+ hcp, 4+ S, 0-1 H ; {note}
  2S  3+ S
"""


def test_conventions_of_positions_and_calls_are_read():
    exam = parse_exam(CONVENTIONAL)
    assert [p.needs for p in exam.positions] == [(), ("Jacoby",), (), ()]
    assert exam.positions[0].convention(parse_call("4H")) == "splinter"
    assert exam.positions[0].convention(parse_call("2NT")) is None


def test_positions_of_conventions_that_a_bidder_does_not_play_are_left_out():
    exam = parse_exam(CONVENTIONAL)
    assert len(exam.select(ALL)) == 4
    selected = exam.select("sayc", plays={"splinter"})
    assert [p.where for p in selected] == ["<text>:2", "<text>:4"]
    assert [p.where for p in exam.select("sayc", plays=())] == ["<text>:4"]


def test_a_call_counts_in_full_only_if_it_shows_what_the_key_says(tmp_path):
    exam = parse_exam(CONVENTIONAL)
    path = tmp_path / "mine.bidding"
    for note, points in (("splinter", FULL), ("to play", HALF)):
        path.write_text(PLAYS_SPLINTERS.format(note=note), encoding="utf-8")
        paper = sit(f"system:{path}", exam, "sayc", conventions={"splinter"})
        assert (paper.answers[0].call, paper.answers[0].points) == (parse_call("4H"), points), note
    path.write_text(PLAYS_SPLINTERS.format(note="to play"), encoding="utf-8")
    assert plays(f"system:{path}") == set()
    assert all(answer.meant for answer in sit("policy:two-over-one", exam).answers), "a network is marked by its calls"


def test_bidders_are_in_one_table_of_the_same_positions():
    exam = parse_exam(CONVENTIONAL)
    papers = [sit(spec, exam, "sayc") for spec in ("system:sayc", "pass", "system:sayc?without=splinter")]
    assert [table.split(",")[0] for table in scores_text(papers).split("\n\n")[::2]] == [
        "Standard American (sayc): 3 positions",
        "Standard American (sayc): 2 positions",
    ]


def test_the_function_returns_papers_rows_and_a_frame(tmp_path):
    path = tmp_path / "small.exam"
    path.write_text(SMALL, encoding="utf-8")
    result = sit_exam(ExamConfig(["pass", "system:two-over-one"], areas=["second"], files=[path]))
    papers = [sit(spec, read_exam([path]), areas=["second"]) for spec in ("pass", "system:two-over-one")]
    assert [paper.record() for paper in result.papers] == [paper.record() for paper in papers]
    assert str(result) == scores_text(papers)
    assert sum(row["points"] for row in result.rows()) == sum(paper.marks().points for paper in papers)
    pytest.importorskip("pandas")
    assert result.to_dataframe().groupby("spec")["points"].sum()["pass"] == papers[0].marks().points


TABLE = """\
Standard American (sayc): 4 positions, percent of the points

area                       positions  pass
------------------------------------------
First calls                        2   0.0
Second calls                       2  50.0
------------------------------------------
all areas                          4  25.0
best call, % of positions          4  25.0"""

WRONG = """\
pass: 3 of 4 answers without full points

First calls (2)

  AKJ84.K73.Q62.95   first to call  [N deals, none vulnerable; <text>:3]
      called Pass; accepted 1S: 13 HCP and five spades
  84.AKJT6.Q73.852   P P  [E deals, both vulnerable; <text>:4]
      called Pass; accepted 1H, 2H (5 of 10): third seat | light

Second calls (1)

  J4.AQJ73.K42.852   1S P  [S deals, ns vulnerable; <text>:8]
      called Pass; accepted 2H, 1NT (5 of 10): ten points"""


def test_scores_and_wrong_answers_in_words(small):
    paper = sit("pass", small, "sayc")
    assert scores_text([paper]) == TABLE
    assert wrong_text(paper) == WRONG


def test_a_table_for_each_key(small):
    papers = [sit("system:sayc", small), sit("pass", small), sit("system:two-over-one", small)]
    tables = scores_text(papers).split("\n\n")
    assert [table.split(":")[0] for table in tables[::2]] == [
        "Standard American (sayc)",
        "either system's answers",
        "two over one (2/1)",
    ]
    assert ["system:sayc" in tables[1], "pass" in tables[3], "system:two-over-one" in tables[5]] == [True] * 3


def test_the_command_prints_scores_by_area_and_saves_them(capsys, tmp_path):
    file = tmp_path / "marks.json"
    code, out, err = run(capsys, "exam", "system:two-over-one", "--json", str(file))
    assert (code, err) == (0, "")
    exam = textbook()
    for title in exam.titles.values():
        assert f"\n{title} " in out
    paper = json.loads(file.read_text(encoding="utf-8"))["papers"][0]
    assert (paper["spec"], paper["key"]) == ("system:two-over-one", "2/1")
    assert paper["all"]["positions"] == len(exam.select("2/1")) == len(paper["answers"])
    assert paper["all"]["points"] == sum(answer["points"] for answer in paper["answers"])
    assert f"{paper['all']['percent']:.1f}" in out.splitlines()[-2]
    first = paper["answers"][0]
    assert set(first["accepted"]) == {"1S"}
    assert first["hand"] == HAND


def test_the_command_lists_what_was_answered_otherwise(capsys):
    code, out, _ = run(capsys, "exam", "pass", "--wrong", "--area", "slam", "openings", "--key", "sayc")
    assert code == 0
    assert "Opening bids" in out
    assert "Overcalls" not in out
    wrong = out.split("pass: ")[1]
    assert wrong.count("called Pass") == int(wrong.split()[0])
    assert "AQ4.KJ6.KT73.Q85   first to call  [E deals, none vulnerable; 01-openings.exam:4]" in wrong


def test_the_command_names_the_line_of_a_fault(capsys, tmp_path):
    path = tmp_path / "bad.exam"
    path.write_text(SMALL + f"none N | 1S P P P | {HAND} | P | why\n", encoding="utf-8")
    named = f"bridge-env: error: {path}:10: the auction N: 1S Pass Pass Pass is over"
    assert refused(capsys, "exam", "system:sayc", "--file", path).startswith(named)


EXAM = textbook()
FOLDER = ROOT / "training" / "exam" / "textbook"


def test_there_are_enough_positions_in_every_area():
    assert len(EXAM.titles) >= 18
    for key in (*KEYS, ALL):
        selected = EXAM.select(key)
        assert len(selected) >= 450
        for area in EXAM.titles:
            assert sum(p.area == area for p in selected) >= 12, (key, area)


def test_passes_are_best_calls_too():
    """A bidder that always acts must not do well, nor one that always passes."""
    passes = sum(p.points(PASS) == FULL for p in EXAM.positions)
    assert 0.08 < passes / len(EXAM.positions) < 0.2
    for area in EXAM.titles:
        selected = EXAM.select(ALL, [area])
        assert sum(p.points(PASS) for p in selected) < 0.4 * FULL * len(selected), area


def test_reasons_count_the_points_of_the_hand():
    positions = [*EXAM.positions, *read_exam([ROOT / "results" / "exam" / "unseen.exam"]).positions]
    points = hand_features(np.stack([parse_hand(p.hand) for p in positions]))[:, HCP]
    named = 0
    for p, hcp in zip(positions, points, strict=True):
        found = re.findall(r"(\d+) HCP", p.reason)
        assert all(int(text) == hcp for text in found), p.where
        named += len(found)
    assert named > 200


def test_points_are_ten_or_five_and_few_calls_get_them():
    for p in EXAM.positions:
        points = [points for _, points in p.answers]
        assert set(points) <= {5, FULL}, p.where
        assert 1 <= points.count(FULL) <= 3, p.where
        assert len(points) <= 4, p.where


def test_a_wheel_holds_the_exam():
    with open(ROOT / "pyproject.toml", "rb") as file:
        patterns = tomllib.load(file)["tool"]["setuptools"]["package-data"]["training"]
    held = sorted(path for path in FOLDER.iterdir())
    assert len(held) == len(EXAM.titles)
    for path in held:
        inside = path.relative_to(ROOT / "training").as_posix()
        assert any(fnmatch(inside, pattern) for pattern in patterns)
    assert "training/exam/textbook" in (DATA / "README.md").read_text(encoding="utf-8")
