"""Files are written completely or not at all; JSON and weights of another type are one kind of error."""

import errno
import math
import os
from typing import Annotated, Any, TypedDict

import msgspec
import pytest

from bridge_env.io import optional_dependencies
from bridge_env.io.files import FileError, atomic_write
from bridge_env.io.json_files import read_json, read_json_lines


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "a file ♠.txt"
    path.write_text("old")
    return path


def test_a_file_is_replaced_and_nothing_is_left_beside_it(target):
    atomic_write(target, "new ♥")
    assert target.read_text(encoding="utf-8") == "new ♥"
    atomic_write(target, [b"a", memoryview(b"b")])
    assert target.read_bytes() == b"ab"
    assert [path.name for path in target.parent.iterdir()] == [target.name]


@pytest.mark.parametrize("at", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(target, monkeypatch, at):
    def full(*_):
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


def test_devices_folders_and_long_names(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        atomic_write(tmp_path / "none" / "x", "x")
    assert caught.value.filename == str(tmp_path / "none" / "x")
    atomic_write(tmp_path / ("\U0001f0a1" * 63), "x")
    assert len(list(tmp_path.iterdir())) == 1


class Row(TypedDict):
    n: Annotated[int, msgspec.Meta(ge=0, le=13)]


class Content(msgspec.Struct):
    name: str
    rows: list[Row]
    pair: tuple[int, str]
    error: float
    note: str | None = None


GOOD = '{"name":"é","rows":[{"n":3},{"n":0}],"pair":[1,"b"],"error":NaN,"note":null,"more":[{}]}'


def test_json_of_the_right_type_is_read(tmp_path):
    (tmp_path / "x").write_text(GOOD, encoding="utf-8")
    found = read_json(tmp_path / "x", Content)
    assert (found.name, found.rows, found.pair) == ("é", [{"n": 3}, {"n": 0}], (1, "b"))
    assert math.isnan(found.error)
    (tmp_path / "y").write_text(f"{GOOD}\n{GOOD}\n", encoding="utf-8")
    assert len(read_json_lines(tmp_path / "y", dict[str, Any])) == 2
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "z", Content)
    with pytest.raises(FileError, match="cannot be read"):
        read_json(tmp_path, Content)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"é"', "3", r"x: Expected `str`, got `int` - at `\$\.name`"),
        ('"n":3', '"n":14', r"x: Expected `int` <= 13 - at `\$\.rows\[0\]\.n`"),
        ('{"n":0}', "{}", r"missing required field `n` - at `\$\.rows\[1\]`"),
        ("[{}]", "[" * 100_000, "x: this is no JSON"),
        ("[{}]", "9" * 5000, "x: this is no JSON"),
        ("{", "", "x: this is no JSON"),
    ],
)
def test_json_of_another_type_is_an_error_with_its_place(tmp_path, old, new, where):
    (tmp_path / "x").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError, match=where):
        read_json(tmp_path / "x", Content)


def test_missing_packages_are_named():
    assert optional_dependencies.missing("rl", "numpy") == ""
    assert optional_dependencies.missing("rl", "numpy", "nothing_of_the_kind").startswith(
        "nothing_of_the_kind is not installed; install with: pip"
    )


def test_an_extra_is_installed_beside_the_wheel_or_in_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(optional_dependencies, "ROOT", tmp_path)
    assert optional_dependencies.how_to_install("table") == 'pip install "bridge-env[table]"'
    (tmp_path / "pyproject.toml").touch()
    assert optional_dependencies.how_to_install("table") == 'pip install -e ".[table]" -c constraints.txt'
