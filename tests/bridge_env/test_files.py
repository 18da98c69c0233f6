"""Files are written whole or not at all; JSON has the shape that it should, or one error says what is wrong where."""

from __future__ import annotations

import errno
import math
import os
import stat
from typing import Any

import pytest

from bridge_env import schema
from bridge_env.files import FileError, atomic_write
from bridge_env.schema import Either, Number, Whole, parse_json, read_json, read_json_lines
from bridge_env.weights import WeightsError, read_weights, write_weights
from tests.reliability.damage import mutations


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "a file ♠.txt"
    path.write_text("old")
    return path


def test_a_file_is_replaced_and_nothing_stays_beside_it(target):
    target.chmod(0o640)
    atomic_write(target, "new ♥")
    assert target.read_text(encoding="utf-8") == "new ♥"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    atomic_write(target, [b"a", memoryview(b"b")])
    assert target.read_bytes() == b"ab"
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    before = os.umask(0o027)
    atomic_write(tmp_path / "new", b"")
    os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.parametrize("at", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(target, monkeypatch, at):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def pieces():
        yield b"ne"
        full()

    if at != "write":
        monkeypatch.setattr(os, at, full)
    with pytest.raises(OSError, match="No space left") as caught:
        atomic_write(target, pieces() if at == "write" else b"new")
    assert caught.value.filename == str(target)
    assert target.read_text() == "old"
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def test_no_link_that_somebody_laid_is_followed(target):
    """The name beside the target was known before: a link there sent the content elsewhere."""
    victim = target.with_name("victim")
    victim.write_text("mine")
    for name in (target.name + ".part", f".{target.name}.part"):
        target.with_name(name).symlink_to(victim)
    atomic_write(target, "new")
    assert victim.read_text() == "mine"
    assert target.read_text() == "new"
    target.unlink()
    target.symlink_to(victim)
    atomic_write(target, "newer")
    assert (victim.read_text(), target.read_text(), target.is_symlink()) == ("mine", "newer", False)


def test_what_is_no_file_is_written_to(tmp_path):
    atomic_write("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(FileNotFoundError) as caught:
        atomic_write(tmp_path / "none" / "x", "x")
    assert caught.value.filename == str(tmp_path / "none" / "x")


@pytest.mark.parametrize("name", ["x" * 255, "\u00e9" * 127, "\u724c" * 85, "\U0001f0a1" * 63], ids=len)
def test_the_longest_names_are_written_to(tmp_path, name):
    atomic_write(tmp_path / name, "x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="open files have no names here")
def test_what_is_open_already_is_written_to(target):
    """``--out /dev/stdout > FILE`` put a file in the place of the system's link."""
    link = target.with_name("stdout")
    with target.open("ab") as stream:
        link.symlink_to(f"/dev/fd/{stream.fileno()}")
        atomic_write(link, " and new")
        atomic_write(f"/dev/fd/{stream.fileno()}", [b", and ", b"more"])
    assert link.is_symlink()
    assert target.read_text() == "old and new, and more"
    with target.open("rb") as stream:
        name = f"/dev/fd/{stream.fileno()}"
        with pytest.raises(OSError, match="Bad file descriptor") as caught:
            atomic_write(name, "x")
    assert caught.value.filename == name


SHAPE = {
    "name": str, "rows": [{"n": Whole(0, 13), "x?": Number()}], "pair": (int, str), "error": Number(unknown=True),
    "by": {...: bool}, "note": Either(str, None), "more?": Any,
}  # fmt: skip
GOOD = (
    '{"name":"é","rows":[{"n":3,"x":0.5},{"n":0}],"pair":[1,"b"],"error":NaN,"by":{"a":true},"note":null,"more":[{}]}'
)


def test_what_is_right_is_read(tmp_path):
    (tmp_path / "x").write_text(GOOD, encoding="utf-8")
    found = read_json(tmp_path / "x", SHAPE)
    assert found["rows"][0] == {"n": 3, "x": 0.5}
    assert math.isnan(found["error"])
    (tmp_path / "y").write_text(f"{GOOD}\n{GOOD}\n", encoding="utf-8")
    assert len(read_json_lines(tmp_path / "y", SHAPE)) == 2
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "z", SHAPE)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"é"', "3", "x: name: 3 is no text"),
        ('"n":3', '"n":14', r"x: rows\[0\]\.n: 14 is not from 0 to 13"),
        ('"n":3', '"n":true', r"rows\[0\]\.n: True is no whole number"),
        ('"n":3', '"n":1e999', r"rows\[0\]\.n: inf is no whole number"),
        ("0.5", "1e999", r"rows\[0\]\.x: inf is no finite number"),
        ("0.5", "9" * 400, r"rows\[0\]\.x: 9+\.\.\. is too large a number"),
        ('{"n":0}', "{}", r"rows\[1\]\.n: is missing"),
        ('[1,"b"]', "[1]", "pair: it has 1 items, not 2"),
        ('[1,"b"]', "7", "pair: 7 is no list"),
        ('"a":true', '"a":0', r"by\.a: 0 is no true or false"),
        ("null", "5", "note: 5 is no"),
        ("[{}]", "[" * 100_000, "x: lists and objects lie more than 32 deep"),
        ("[{}]", "[" * 40 + "]" * 40, "the whole: lists and objects lie more than 32 deep"),
        ("[{}]", "9" * 5000, "this is no JSON"),
        ("[{}]", '"\\ud800"', "holds half a character"),
        ("{", "", "this is no JSON"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, old, new, where):
    (tmp_path / "x").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError, match=where):
        read_json(tmp_path / "x", SHAPE)


def test_damaged_json_is_one_kind_of_error():
    sound = 0
    for data in mutations(GOOD.encode(), 2000, 1):
        try:
            parse_json(data, SHAPE, "x")
            sound += 1
        except FileError as error:
            said = str(error)
            assert said.startswith("x: ")
    assert 20 < sound < 1000


@pytest.mark.parametrize("text", ["[" + "[]," * (schema.MOST // 2) + "1]", b"[" + b"0," * schema.MOST + b"0]"])
def test_a_text_of_more_items_than_memory_should_hold_is_refused_unread(text, monkeypatch):
    monkeypatch.setattr(schema.json, "loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(FileError, match="x: it holds more than 4,194,304 commas, lists and objects"):
        parse_json(text, Any, "x")


@pytest.mark.parametrize("trained", [None, 3, "by hand", [1]])
def test_what_trained_the_weights_is_an_object(tmp_path, trained):
    path, expected = tmp_path / "w.npz", {"format": "test", "version": 1}
    write_weights(path, expected | {"trained": trained}, {"a": [1.0]})
    with pytest.raises(WeightsError, match=r"its header: trained: .* is no object"):
        read_weights(path, "test", expected)


def test_damaged_weights_are_one_kind_of_error(tmp_path):
    path, expected = tmp_path / "w.npz", {"format": "test", "version": 1}
    write_weights(path, expected | {"of": [1, 2]}, {"a": [1.0, 2.0], "b": [[3.0]]})
    whole = read_weights(path, "test", expected)
    sound = 0
    for data in mutations(
        path.read_bytes(), 1500, 2, (b"PK\3\4", b"PK\1\2", b"\x93NUMPY", b"\xff" * 8, b"(", b"'", b"f8")
    ):
        path.write_bytes(data)
        try:
            header, arrays = read_weights(path, "test", expected)
        except WeightsError:
            continue
        sound += 1
        assert header == whole[0]
        assert all((arrays[name] == whole[1][name]).all() for name in whole[1])
    assert sound < 800
