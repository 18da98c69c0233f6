"""The file of solved deals: round trip, every kind of damage, look-up, upkeep."""

import pickle
import struct

import numpy as np
import pytest

from bridge_env.double_dummy import Library, LibraryError, builtin_library, maintenance, write_library
from bridge_env.double_dummy.maintenance import import_npz
from bridge_env.hands.canonical import is_judging
from bridge_env.hands.deals import random_deals
from bridge_env.hands.packing import pack_deals, pack_tables, unpack_deals, unpack_tables
from bridge_env.rules import cards
from training.cli.app import main

MADE = {"source": "a test", "seed": 3}


@pytest.fixture
def some(tmp_path):
    """A file of 40 real deals, and its content."""
    path = tmp_path / "some.bdl"
    owner, tricks = builtin_library().owners(range(40)), builtin_library().tricks_at(range(40))
    write_library(path, owner, tricks, MADE)
    return path, owner, tricks


def test_packing_is_as_documented():
    owner, tricks = (random_deals(0, 0, 50), np.random.default_rng(0).integers(0, 14, (50, 4, 5), np.int8))
    deals, tables = pack_deals(owner), pack_tables(tricks)
    assert (deals.shape, tables.shape) == ((50, 13), (50, 10))
    for c in range(52):
        assert ((deals[:, c // 4] >> 2 * (c % 4) & 3) == owner[:, c]).all()
    for e in range(20):
        assert ((tables[:, e // 2] >> 4 * (e % 2) & 15) == tricks[:, e // 5, e % 5]).all()
    np.testing.assert_array_equal(unpack_deals(deals), owner)
    np.testing.assert_array_equal(unpack_tables(tables), tricks)


def test_round_trip(some):
    path, owner, tricks = some
    library = Library.open(path)
    assert (len(library), library.provenance, library.path) == (40, MADE, path)
    np.testing.assert_array_equal(library.owners(), owner)
    np.testing.assert_array_equal(library.tricks_at(), tricks)
    assert library.owners().dtype == np.uint8
    assert library.tricks_at([3, 1]).dtype == np.int8
    np.testing.assert_array_equal(library.owners([3, 1]), owner[[3, 1]])
    np.testing.assert_array_equal(library.tricks_at([3, 1]), tricks[[3, 1]])
    np.testing.assert_array_equal(library.tricks_at(7), tricks[7:8])
    with pytest.raises(IndexError):
        library.owners([40])
    np.testing.assert_array_equal(library.tables_of(owner[[7, 0, 39]]), tricks[[7, 0, 39]])
    assert (library.tables_of(random_deals(9, 0, 2)) == -1).all()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(library)).owners(), owner)
    facts = maintenance.info(path)
    assert (facts["deals"], facts["made"], facts["bytes"]) == (40, MADE, path.stat().st_size)
    assert facts["training"] + facts["judging"] == 40


def test_bytes_are_as_documented(some):
    path, owner, tricks = some
    content = path.read_bytes()
    assert content[:8] == b"BRIDGEDD"
    version, _, count, offset, length = struct.unpack_from("<IIQQI", content, 8)
    assert (version, count, offset, offset + length) == (1, 40, 64 + 23 * 40, len(content))
    assert content[64 + 23 * 2 :][:23] == pack_deals(owner[2:3]).tobytes() + pack_tables(tricks[2:3]).tobytes()
    assert content[offset:] == b'{"seed": 3, "source": "a test"}'


def test_nothing_wrong_is_written(tmp_path):
    path, owner = tmp_path / "x", random_deals(0, 0, 2)
    with pytest.raises(cards.DealError):
        write_library(path, owner[:, ::2], np.zeros((2, 4, 5), np.int8), {})
    with pytest.raises(ValueError, match="shape"):
        write_library(path, owner, np.zeros((1, 4, 5), np.int8), {})
    with pytest.raises(ValueError, match="13"):
        write_library(path, owner, np.full((2, 4, 5), 14, np.int8), {})
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_cut_or_changed_anywhere_is_refused(some, tmp_path):
    content, bad = some[0].read_bytes(), tmp_path / "bad.bdl"
    for i in [*range(64), *range(64, len(content), 11), len(content) - 1]:
        for damaged in (content[:i], content[:i] + bytes([content[i] ^ 0x10]) + content[i + 1 :]):
            bad.write_bytes(damaged)
            with pytest.raises(LibraryError, match=r"bad\.bdl"):
                Library.open(bad)


def test_each_fault_has_its_message(some, tmp_path):
    content, path = some[0].read_bytes(), tmp_path / "bad.bdl"
    for wrong, message in (
        (b"PK\3\4 some other file", "not a library"),
        (b"x", "not a library"),
        (b"", "not a library"),
        (content[:20] + b"\1" + content[21:], "the header is cut short, or its checksum"),
        (content[:100] + bytes([content[100] ^ 1]) + content[101:], "the checksum of 40 deals"),
        (content + b"\0", "its length"),
    ):
        path.write_bytes(wrong)
        with pytest.raises(LibraryError, match=rf"bad\.bdl: .*{message}"):
            Library.open(path)
    with pytest.raises(FileNotFoundError):
        Library.open(tmp_path / "absent")


def test_deals_with_one_hash_are_distinguished(some, monkeypatch):
    one_hash = lambda *coordinates: np.zeros(len(coordinates[0]), np.uint64)  # noqa: E731
    monkeypatch.setattr("bridge_env.rng.streams.key", one_hash)
    library = Library.open(some[0])
    assert (library.tables_of(some[1])[1:] == -1).all()


def test_the_embedded_library():
    library = builtin_library()
    assert library is builtin_library()
    assert len(library) >= 39_400  # it only grows
    judging, training = library.split("judging"), library.split("training")
    assert abs(len(judging) / len(library) - 0.25) < 0.01
    assert sorted([*judging, *training]) == library.split("all").tolist()
    assert is_judging(library.owners(judging[:50])).all()
    assert not is_judging(library.owners(training[:50])).any()
    cards.check_deals(library.owners())
    assert library.tricks_at().max() <= 13
    assert library.provenance  # how the deals were made
    with pytest.raises(ValueError, match="training"):
        library.split("test")


def test_verify_finds_a_wrong_table(some):
    path, owner, tricks = some
    assert maintenance.verify(path, sample=2) == 2
    wrong = tricks.copy()
    wrong[:, 1, 4] = (wrong[:, 1, 4] + 1) % 14
    write_library(path, owner, wrong, MADE)
    with pytest.raises(LibraryError, match=r"some\.bdl: deal \d+ has E \d+ tricks in NT"):
        maintenance.verify(path, sample=2)


def test_merge_drops_duplicates_and_notices_contradictions(some, tmp_path):
    path, owner, tricks = some
    other, out = tmp_path / "other.bdl", tmp_path / "out.bdl"
    write_library(other, owner[::-1][:50], tricks[::-1][:50], MADE)
    more = builtin_library().owners([50, 51])
    write_library(other, np.concatenate([owner[30:], more]), np.concatenate([tricks[30:], tricks[:2]]), MADE)
    assert maintenance.merge([path, other], out) == 42
    np.testing.assert_array_equal(Library.open(out).owners(), np.concatenate([owner, more]))
    assert Library.open(out).provenance == {"merged": [MADE, MADE]}
    write_library(other, owner[:1], tricks[1:2], MADE)
    with pytest.raises(LibraryError, match="disagree"):
        maintenance.merge([path, other], out)


def test_import_checks_before_it_writes(some, tmp_path):
    _, owner, tricks = some
    source, out = tmp_path / "a.npz", tmp_path / "a.bdl"
    np.savez(source, owner=owner, tricks=tricks)
    assert import_npz(source, out, {"source": "a test"}, sample=2) == 40
    assert Library.open(out).provenance == {"source": "a test", "verified": 2, "verified_seed": 0}
    out.unlink()
    np.savez(source, owner=owner, tricks=13 - tricks)
    with pytest.raises(LibraryError, match=r"a\.npz"):
        import_npz(source, out, {}, sample=1)
    np.savez(source, owner=owner, tricks=tricks[:5])
    with pytest.raises(LibraryError, match="40 deals need tricks"):
        import_npz(source, out, {}, sample=1)
    source.write_bytes(b"not NumPy")
    with pytest.raises(LibraryError, match="NumPy"):
        import_npz(source, out, {}, sample=1)
    assert not out.exists()


def run(*words):
    return main([str(word) for word in words])


def test_commands(tmp_path, capsys, some):
    out = tmp_path / "two deals.bdl"
    assert run("solve", "--n", 2, "--seed", 1, "--out", out) == 0
    assert run("library", "info", out) == 0
    assert run("library", "verify", out, "--sample", 1) == 0
    assert run("library", "merge", out, some[0], "--out", tmp_path / "both.bdl") == 0
    text = capsys.readouterr().out
    assert "2 solved deals" in text
    assert "42 solved deals" in text
    assert len(Library.open(tmp_path / "both.bdl")) == 42
    assert run("solve", "--n", 0, "--out", out) == 2
