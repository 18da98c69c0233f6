"""Kept matches: what is damaged is told and played again, what is sound stays, whatever the disk does."""

from __future__ import annotations

import errno
import json
import os
import re
import zlib

import numpy as np
import pytest

from tests.reliability.damage import mutations
from training.cardplay.kept import KeptBoards
from training.cardplay.match import Teams, play_match
from training.match.boards import library_boards
from training.match.kept import KeptAuctions
from training.match.match import play
from training.running.kept import Kept, KeptError

BOARDS = 20
TEAMS = Teams((None, None), ("rule", "random"))


@pytest.fixture(scope="module")
def bidding():
    return play("doubler", "random", BOARDS, seed=3)


@pytest.fixture(scope="module")
def whole(bidding, tmp_path_factory):
    """The match, and its file."""
    file = tmp_path_factory.mktemp("kept") / "whole.jsonl"
    return play_match(bidding, TEAMS, keep=file), file.read_bytes()


@pytest.fixture
def again(bidding, tmp_path):
    """Plays the match with a file that holds ``data``; gives the result and what was told."""

    def run(data):
        told = []
        file = tmp_path / "kept file ♠.jsonl"
        file.write_bytes(data)
        return play_match(bidding, TEAMS, keep=file, tell=told.append), told, file

    return run


def lines(data):
    return data.decode().splitlines(keepends=True)


def row_of(data, number):
    return json.loads(lines(data)[number])


def with_row(data, number, row):
    """The file with another row in line ``number``, its checksum made right."""
    out = lines(data)
    row = {name: value for name, value in row.items() if name != "sum"}
    checksum = f"{zlib.crc32(json.dumps(row, sort_keys=True).encode()):08x}"
    out[number] = json.dumps(row | {"sum": checksum}) + "\n"
    return "".join(out).encode()


def test_a_changed_number_is_noticed_and_the_board_played_again(whole, again):
    result, data = whole
    row = row_of(data, 7)
    changed = lines(data)
    changed[7] = changed[7].replace(f'"tricks": [{row["tricks"][0]}', f'"tricks": [{(row["tricks"][0] + 1) % 14}')
    found, told, file = again("".join(changed).encode())
    assert told == [f"{file}:8: the line's checksum is wrong; left out, and done again"]
    assert found.boards == result.boards
    assert found.fresh == 1
    assert sorted(lines(file.read_bytes())) == sorted(lines(data))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tricks": [14, 0]}, "tricks\\[0\\]: 14 is not from 0 to 13"),
        ({"tricks": [-1, 0]}, "tricks\\[0\\]: -1 is not from 0 to 13"),
        ({"tricks": [7]}, "tricks: it has 1 items, not 2"),
        ({"board": 0}, "board: 0 is not from 1"),
        ({"cards": ["S1", ""]}, "'S1' is no card"),
        ({"cards": ["SA", "SA"]}, "it has 1 cards, not 52"),
        ({"fault": None}, "fault: None is no text"),
    ],
)
def test_a_row_that_cannot_be_is_told_though_its_checksum_is_right(whole, again, change, why):
    result, data = whole
    at = next(i for i in range(1, BOARDS) if row_of(data, i)["cards"][0])
    found, told, file = again(with_row(data, at, row_of(data, at) | change))
    assert len(told) == 1
    assert re.search(rf"{re.escape(str(file))}:{at + 1}: .*{why}", told[0])
    assert (found.boards, found.fresh) == (result.boards, 1)


def test_a_play_that_breaks_the_laws_or_whose_tricks_are_others(whole, again):
    result, data = whole
    at = next(i for i in range(1, BOARDS) if row_of(data, i)["cards"][0])
    row = row_of(data, at)
    cards = row["cards"][0].split()
    cards[0], cards[1] = cards[1], cards[0]
    bad = row | {"cards": [" ".join(cards), row["cards"][1]]}
    found, told, _ = again(with_row(data, at, bad))
    assert "is not legal" in told[0]
    assert found.boards == result.boards
    wrong = row | {"tricks": [(row["tricks"][0] + 1) % 14, row["tricks"][1]]}
    _, told, _ = again(with_row(data, at, wrong))
    assert f"the cards give {row['tricks'][0]} tricks, the line says" in told[0]


def test_boards_that_this_match_does_not_have_stay_in_the_file(whole, bidding, tmp_path):
    _, data = whole
    file = tmp_path / "kept.jsonl"
    file.write_bytes(data + b'{"board')
    told: list[str] = []
    few = play_match(bidding.take(np.arange(3)), TEAMS, keep=file, tell=told.append)
    assert few.fresh == 0
    assert told == [f"{file}:22: the line is cut short; left out, and done again"]
    assert file.read_bytes() == data


def test_a_full_disk_loses_nothing(whole, again, tmp_path, monkeypatch):
    """Neither mending nor adding leaves less behind than was there."""
    _, data = whole
    torn = data + b'{"board": 9, "ca'

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        again(torn)
    file = tmp_path / "kept file ♠.jsonl"
    assert file.read_bytes() == torn
    cut = "".join(lines(data)[:15]).encode()
    with pytest.raises(OSError, match="No space left"):
        again(cut)
    assert file.read_bytes() == cut


def test_another_match_and_what_is_no_file_of_a_match(again, whole):
    for data, why in (
        (b"\n", ":1: this is no JSON"),
        (b"[]\n", ":1: the whole: \\[\\] is no object"),
        (b'{"a": 1}\n', "holds something else: its a is 1, not 'doubler'"),
        (b"\xff\xfe", ":1: this is no JSON"),
        (b"[" * 5000, ":1: lists and objects lie more than"),
    ):
        with pytest.raises(KeptError, match=why):
            again(data)


def damaged(bidding, whole, tmp_path, count, seed):
    """Whatever is read from a damaged file is what was played; the rest is told, or the file refused."""
    result, data = whole
    true = dict(zip(bidding.boards.number.tolist(), result.boards, strict=True))
    header = {name: value for name, value in row_of(data, 0).items() if name != "format"}
    file = tmp_path / "damaged.jsonl"
    kept = KeptBoards(file, header, bidding)
    said: list[str] = []
    mended = 0
    for mutation in mutations("".join(lines(data)[:6]).encode(), count, seed):
        file.write_bytes(mutation)
        told: list[str] = []
        try:
            found = kept.read(told.append)
        except KeptError as error:
            said.append(str(error))
            assert file.read_bytes() == mutation
            continue
        assert all(true[number] == board for number, board in found.items())
        assert all(line.startswith(f"{file}:") for line in told)
        again: list[str] = []
        assert kept.read(again.append) == found
        assert again == []
        mended += bool(told)
    assert all(line.startswith(str(file)) for line in said)
    return len(said), mended


def test_damaged_files(bidding, whole, tmp_path):
    refused, mended = damaged(bidding, whole, tmp_path, 300, 1)
    assert refused > 20
    assert mended > 100


@pytest.mark.slow
def test_many_damaged_files(bidding, whole, tmp_path):
    refused, mended = damaged(bidding, whole, tmp_path, 1500, 2)
    assert refused > 50
    assert mended > 500


def test_rows_are_added_all_or_none(tmp_path):
    kept = Kept(tmp_path / "x.jsonl", {"of": "a test"}, {"n": int})
    assert kept.read(lambda rows: [None] * len(rows), print) == []
    kept.add([{"n": 1}, {"n": 2}])
    assert kept.read(lambda rows: [None] * len(rows), print) == [{"n": 1}, {"n": 2}]


# --- auctions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drop", [1, 7, 20])
def test_kept_auctions_give_the_same_match_in_its_order(tmp_path, drop):
    boards, told = library_boards(20, 3), []
    whole = play("random", "system:sayc", boards, 3)
    path = tmp_path / "kept"
    played = [play("random", "system:sayc", boards, 3, tell=told.append, keep=path)]
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(
        "".join([lines[0], *lines[1 : 20 - drop], lines[20 - drop].replace("auctions", "auction"), *lines[22 - drop :]])
    )
    played.append(play("random", "system:sayc", boards, 3, tell=told.append, keep=path))
    played.append(play("random", "system:sayc", boards.take(slice(0, 12)), 3, tell=told.append, keep=path))
    assert len(told) == 1
    for found in played:
        n = len(found.boards)
        assert found.imps.tolist() == whole.imps[:n].tolist()
        assert found.boards.number.tolist() == whole.boards.number[:n].tolist()
        assert [table.score.tolist() for table in found.tables] == [t.score[:n].tolist() for t in whole.tables]


def test_kept_auctions_of_another_match_are_refused(tmp_path):
    boards = library_boards(6, 3)
    play("pass", "doubler", boards, 3, keep=tmp_path / "kept")
    for a, seed in (("random", 3), ("pass", 4)):
        with pytest.raises(KeptError, match="holds something else"):
            play(a, "doubler", boards, seed, keep=tmp_path / "kept")


@pytest.mark.parametrize("auction", ["1C Pass Pass", "1C 1C Pass Pass Pass", "Pass Pass Pass Pass Pass", "1C what"])
def test_an_auction_that_cannot_be_is_bid_again(tmp_path, auction):
    boards, told = library_boards(3, 3), []
    play("pass", "doubler", boards, 3, keep=tmp_path / "kept")
    kept = KeptAuctions(tmp_path / "kept", "pass", "doubler", 3, boards)
    kept.read(told.append)
    kept._file.add([{"place": 2, "auctions": [auction, "Pass Pass Pass Pass"]}])
    found = play("pass", "doubler", boards, 3, tell=told.append, keep=tmp_path / "kept")
    assert len(told) == 1
    assert found.imps.tolist() == [0, 0, 0]
