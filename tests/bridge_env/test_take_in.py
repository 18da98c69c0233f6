"""NumPy files of solved deals that are damaged, or that tell of more than they hold."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from bridge_env.double_dummy import Library, LibraryError, builtin_library
from bridge_env.double_dummy.take_in import import_npz
from tests.reliability.damage import mutations


class Trusting:
    """A solver that says what the library says."""

    def tricks(self, owner):
        return builtin_library().tables_of(owner)


@pytest.fixture(scope="module")
def arrays():
    return {"owner": builtin_library().owners(range(30)), "tricks": builtin_library().tricks_at(range(30))}


def written(save, **arrays):
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


def take_in(tmp_path, data):
    source = tmp_path / "in.npz"
    source.write_bytes(data)
    return import_npz(source, tmp_path / "out.bdl", {}, sample=1, solver=Trusting())


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_whole_numbers_of_any_size_are_taken_in(tmp_path, arrays, save, kind):
    assert take_in(tmp_path, written(save, owner=arrays["owner"], tricks=arrays["tricks"].astype(kind))) == 30
    np.testing.assert_array_equal(Library.open(tmp_path / "out.bdl").tricks_at(), arrays["tricks"])


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused_before_it_is_unpacked(tmp_path):
    data = written(
        np.savez_compressed, owner=np.zeros((1_000_000, 52), np.uint8), tricks=np.zeros((1_000_000, 4, 5), np.int8)
    )
    assert len(data) < 1_000_000
    tracemalloc.start()
    with pytest.raises(LibraryError, match=r"in\.npz: owner: [\d,]+ bytes that unpack to 52,000,128"):
        take_in(tmp_path, data)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def npy(shape, data=b"", descr="|u1"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue() + data


@pytest.mark.parametrize(
    ("owner", "why"),
    [
        (npy((10**9, 52)), "owner: 128 bytes, but its shape"),
        (npy((10**30, 52)), "owner: 128 bytes, but its shape"),
        (npy((-1, 52)), "owner"),
        (npy((1, 52), b"\0" * 51), "owner: 51 bytes, but its shape"),
        (npy((1, 52), b"\0" * 60), "owner: 60 bytes, but its shape"),
        (npy((1, 52), b"\0" * 52), "owner: deal"),
        (npy((52,), b"\0" * 52), "owner: uint8 of shape"),
        (npy((1, 52), b"\0" * 416, "<f8"), "owner: float64 of shape"),
        (npy((1, 52), b"\0" * 416, "|O"), "owner: object of shape"),
        (b"", "NumPy file"),
        (b"\x93NUMPY\x01\x00\xff\xff{", "NumPy file"),
        (b"\x93NUMPY\x01\x00\x10\x00{'descr': '|u1', ", "NumPy file"),
    ],
)
def test_headers_that_lie(tmp_path, arrays, owner, why):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("owner.npy", owner)
        tricks = io.BytesIO()
        np.save(tricks, arrays["tricks"][:1])
        archive.writestr("tricks.npy", tricks.getvalue())
    with pytest.raises(LibraryError, match=why):
        take_in(tmp_path, stream.getvalue())
    assert not (tmp_path / "out.bdl").exists()


@pytest.mark.parametrize("bad", [-1, 14, 127])
def test_tricks_out_of_range_are_told_before_anything_is_solved(tmp_path, arrays, bad):
    tricks = arrays["tricks"].copy()
    tricks[21, 3, 2] = bad
    with pytest.raises(LibraryError, match=r"in\.npz: tricks: those of deal 21 do not go from 0 to 13"):
        take_in(tmp_path, written(np.savez, owner=arrays["owner"], tricks=tricks))


def fuzz(tmp_path, arrays, count, seed):
    refused = 0
    for save in (np.savez, np.savez_compressed):
        words = (
            b"PK\3\4",
            b"PK\1\2",
            b"PK\5\6",
            b"\x93NUMPY",
            b"\xff" * 8,
            b"\0" * 8,
            b"(",
            b"'",
            b"owner",
            b"f8",
            b"O",
        )
        for data in mutations(written(save, **arrays), count, seed, words):
            try:
                take_in(tmp_path, data)
            except LibraryError as error:
                refused += 1
                said = str(error)
                assert "in.npz" in said
    return refused


def test_damaged_files(tmp_path, arrays):
    assert fuzz(tmp_path, arrays, 150, 1) > 200


@pytest.mark.slow
def test_many_damaged_files(tmp_path, arrays):
    assert fuzz(tmp_path, arrays, 2500, 2) > 3500


def test_no_such_file_is_told_as_such(tmp_path):
    with pytest.raises(FileNotFoundError):
        import_npz(tmp_path / "none.npz", tmp_path / "out.bdl", {}, sample=1)
