"""Damaged files of this program's own: weights, libraries, kept rows, run folders, and archives that mean ill."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import threading
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import agents
import bridge_env
from agents.hierarchy.language.text import load_system
from agents.networks.file import load as load_network
from agents.policy import load as load_policy
from agents.registry import make_cases, make_maps
from bridge_env.bidders import SpecError
from bridge_env.cards import random_deals
from bridge_env.double_dummy.estimator import EstimatorFileError, load_estimator
from bridge_env.double_dummy.library import Library, LibraryError, write_library
from bridge_env.double_dummy.maintenance import import_npz
from bridge_env.files import FileError, atomic_write
from bridge_env.schema import read_json
from tests.reliability.damage import ARRAY_WORDS, mutations
from tests.reliability.tally import Case, Wrong, refuses, within
from training.cli.config import read_options
from training.evolve import generations, report
from training.evolve.config import EvolveConfig
from training.exam.positions import read_exam
from training.match import panel
from training.match.verdict import VERDICT, Row
from training.running import runs
from training.running.lock import release
from training.running.result_log import Kept, KeptError

_KNOWN = (FileError, SpecError, EstimatorFileError, runs.RunError)
_NETWORK = Path(agents.__file__).parent / "networks" / "shipped" / "champion-plain.meanings.npz"
_ESTIMATOR = Path(bridge_env.__file__).parent / "data" / "estimator.npz"
_SHIPPED = _NETWORK.parent / "standard.npz"

Reader = Callable[[Path], object]
READERS: dict[str, Reader] = {
    "network": load_network,
    "policy": load_policy,
    "estimator": load_estimator,
    "cases": lambda path: make_cases(str(path)),
    "maps": lambda path: make_maps(str(path)),
    "foreign deals": lambda path: import_npz(path, path.with_suffix(".bdl"), {}, sample=1),
}


def weights(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Files of learned weights, cut, changed and with members that do not belong."""
    files: list[tuple[Path, Reader]] = [(_SHIPPED, load_network), (_ESTIMATOR, load_estimator)]
    data = [(path.read_bytes(), read) for path, read in files]
    for at, (whole, read) in enumerate(data):
        # Most of a file is weights, of which any change is noticed alike; its ends hold what tells of them.
        ends = whole[:600] + whole[-1500:]
        half = -(-count // len(data))
        for number, damaged in enumerate(mutations(ends, half, seed + at, ARRAY_WORDS)):
            middle = len(damaged) * 600 // len(ends)
            content = damaged[:middle] + whole[600:-1500] + damaged[middle:]
            path = folder / f"weights-{at}.npz"
            yield f"weights {at}.{number} of seed {seed}", partial(_stored, path, content, read)


def _stored(path: Path, content: bytes, read: Reader) -> bool:
    path.write_bytes(content)
    return refuses(partial(read, path), *_KNOWN)


def libraries(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Libraries of solved deals; what is read is what was written."""
    rng, path = np.random.default_rng([seed, 7]), folder / "library.bdl"
    tricks = np.tile(np.array([[9, 8, 7, 6, 5], [4, 5, 6, 7, 8]] * 2, np.int8), (6, 1, 1))
    write_library(path, random_deals(seed, 0, 6), tricks, {"by": "a study"})
    whole = path.read_bytes()
    sound = Library.open(path).records.tobytes()
    for number, damaged in enumerate(mutations(whole, count, int(rng.integers(2**31)), ARRAY_WORDS)):
        yield f"library {number} of seed {seed}", partial(_library, path, damaged, sound)


def _library(path: Path, content: bytes, sound: bytes) -> bool:
    path.write_bytes(content)

    def read() -> None:
        if Library.open(path).records.tobytes() != sound:
            raise Wrong("a damaged library was read as if it were whole")

    return refuses(read, LibraryError, names=path.name)


def kept_rows(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Files of kept rows; a row that is read is one that was kept."""
    path, header, rows = folder / "kept.jsonl", {"of": "a study"}, [{"n": n, "text": "♠" * n} for n in range(5)]
    kept = _kept(path, header)
    kept.read(lambda found: [None] * len(found), str)
    kept.add(rows)
    for number, damaged in enumerate(mutations(path.read_bytes(), count, seed)):
        yield f"rows {number} of seed {seed}", partial(_rows, path, header, damaged, rows)


def _kept(path: Path, header: dict[str, Any]) -> Kept:
    return Kept(path, header, {"n": int, "text": str})


def _rows(path: Path, header: dict[str, Any], content: bytes, rows: list[dict[str, Any]]) -> bool:
    path.write_bytes(content)
    told: list[str] = []

    def read() -> None:
        found = _kept(path, header).read(lambda got: [None] * len(got), told.append)
        if any(row not in rows for row in found):
            raise Wrong("a row was read that was never kept")
        if any(str(path) not in line for line in told):
            raise Wrong("a line was left out without its place")

    taken = refuses(read, KeptError, names=str(path))
    release(path)
    return taken and not told


def run_files(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Manifests, metrics, verdicts and checkpoints of a run, and the lines of a panel."""
    run = folder / "run"
    run.mkdir()
    config = EvolveConfig(start="silent", control="silent", league="", gatekeepers="")
    state = generations.begin(config)
    state.metrics.append({
        "generation": 0, "mean_imps": 0.5, "standard_error": float("nan"), "seconds": 2.0, "kept": ["a (+0.1 ± 0.0)"]
    })  # fmt: skip
    generations.save(run, config, state)
    runs.write_manifest(run, runs.manifest(asdict(config), "0" * 64) | {"kind": "evolve"})
    verdict = {"champion": 0, "rows": [Row("evolved - system:sayc, duplicate", 0.5, 0.1, 9000, "pass").as_json()]}
    atomic_write(run / VERDICT, json.dumps(verdict))
    line = panel.Line("start", "pass", 0.5, 0.1, 20, 30.5)
    atomic_write(run / "panel.json", json.dumps({'["start", "", "pass", "", 20, 1]': asdict(line)}))
    readers: dict[str, Reader] = {
        runs.MANIFEST: report.read_run, runs.METRICS: report.read_run, VERDICT: report.read_run,
        runs.CHECKPOINT: generations.load, "panel.json": lambda path: panel.read(path / "panel.json"),
    }  # fmt: skip
    for at, (name, read) in enumerate(readers.items()):
        whole = (run / name).read_bytes()
        for number, damaged in enumerate(mutations(whole, -(-count // len(readers)), seed + at)):
            yield f"{name} {number} of seed {seed}", partial(_in_run, run, name, damaged, whole, read)


def _in_run(run: Path, name: str, content: bytes, whole: bytes, read: Reader) -> bool:
    (run / name).write_bytes(content)
    try:
        return refuses(partial(read, run), runs.RunError, names=name)
    finally:
        (run / name).write_bytes(whole)


def checkpoints(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Checkpoints that somebody has edited, or another version has written, with the right checksum."""
    run = folder / "edited"
    run.mkdir()
    config = EvolveConfig(start="silent", control="silent", league="", gatekeepers="")
    generations.save(run, config, generations.begin(config))
    path = run / runs.CHECKPOINT
    whole = json.loads(path.read_bytes())["state"]
    for number, damaged in enumerate(mutations(whole.encode(), count, seed)):
        state = damaged.decode("utf-8", "replace")
        yield f"checkpoint {number} of seed {seed}", partial(_edited, run, state)


def _edited(run: Path, state: str) -> bool:
    digest = hashlib.sha256(state.encode()).hexdigest()
    (run / runs.CHECKPOINT).write_text(json.dumps({"sha256": digest, "step": 0, "state": state}), "utf-8")
    return refuses(partial(generations.load, run), runs.RunError, names=str(run))


# --- what is no file, and what changes ----------------------------------------------------------------------------

_TEXTS: dict[str, Reader] = {
    "system": load_system, "exam": lambda path: read_exam([path]), "options": read_options,
    "checkpoint": lambda path: read_json(path, {}), "kept": lambda path: _kept(path, {}).read(lambda got: [], str),
    "library": Library.open,
}  # fmt: skip


def endless(folder: Path) -> Iterator[Case]:
    """A device without an end, a sparse file of eight gigabytes, a folder, and nothing, to all that read files."""
    sparse = folder / "sparse"
    with sparse.open("wb") as stream:
        stream.truncate(8 << 30)
    (folder / "empty").touch()
    for kind, read in (READERS | _TEXTS).items():
        for path in (Path("/dev/zero"), sparse, folder, folder / "empty"):
            if path.exists() and not (kind == "kept" and path.is_dir()):
                yield f"{path.name} as {kind}", partial(within, 10.0, 400.0, partial(_odd_file, path, read))


def _odd_file(path: Path, read: Reader) -> bool:
    try:
        return refuses(partial(read, path), ValueError, OSError)
    finally:
        release(path)


def changing(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Files that somebody writes to while they are read: what is read is one of both, or refused."""
    tricks = np.tile(np.array([[9, 8, 7, 6, 5], [4, 5, 6, 7, 8]] * 2, np.int8), (600, 1, 1))
    both = []
    for n in range(2):
        write_library(folder / f"moving-{n}.bdl", random_deals(seed + n, 0, 600), tricks, {"by": "a study"})
        both.append((folder / f"moving-{n}.bdl").read_bytes())
    networks = [(_SHIPPED.parent / f"{name}.npz").read_bytes() for name in ("standard", "acol")]
    states = [json.dumps([n] * 40_000) for n in (1, 23)]
    digests = [hashlib.sha256(state.encode()).hexdigest() for state in states]
    saved = [json.dumps({"sha256": d, "state": s}).encode() for d, s in zip(digests, states, strict=True)]
    found: dict[str, tuple[list[bytes], Reader]] = {
        "library": (both, lambda path: Library.open(path).records.tobytes()),
        "network": (networks, lambda path: [layer.weight.tobytes() for layer in load_network(path).policy.layers]),
        runs.CHECKPOINT: (saved, lambda path: runs.load_checkpoint(path.parent, [int])),
    }
    for number in range(count):
        rng = np.random.default_rng([seed, 13, number])
        kind = list(found)[number % len(found)]
        yield f"{kind} that changes, {number} of seed {seed}", partial(_moving, folder / kind, *found[kind], rng)


def _moving(path: Path, contents: list[bytes], read: Reader, rng: np.random.Generator) -> bool:
    """Read while a thread writes one content over the other, and cuts it."""
    known: list[object] = []
    for content in contents:
        path.write_bytes(content)
        known.append(read(path))
    over, moments = threading.Event(), rng.random(1000).tolist()

    def write() -> None:
        for moment in moments:
            content = contents[int(moment * 1000) % 2]
            with path.open("r+b") as stream:
                stream.write(content[: int(moment * len(content))])
                stream.truncate()
                stream.write(content[int(moment * len(content)) :])
            if over.is_set():
                return

    writer = threading.Thread(target=write)
    writer.start()
    got: list[object] = []
    try:
        for _ in range(10):
            refuses(lambda: got.append(read(path)), ValueError, OSError)
    finally:
        over.set()
        writer.join()
    if any(each not in known for each in got):
        raise Wrong("something was read that nobody wrote")
    return bool(got)


# --- archives that mean ill -------------------------------------------------------------------------------------


class _Bomb:
    """Unpickled, it leaves a mark: code of the file has run."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


def archives(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """Archives with pickled objects, members that swell, paths that climb, names twice, and headers that lie."""
    mark = folder / "code-of-the-file-ran"
    makers = (_with_pickle, _that_swells, _that_climbs, _with_names_twice, _with_lies)
    for number in range(count):
        rng = np.random.default_rng([seed, 8, number])
        make = makers[number % len(makers)]
        for kind, read in READERS.items():
            name = f"archive {number} of seed {seed}, {make.__name__[1:].replace('_', ' ')}, as {kind}"
            yield name, partial(_hostile, folder / "hostile.npz", make(rng, mark), read, mark)


def _hostile(path: Path, content: bytes, read: Reader, mark: Path) -> bool:
    path.write_bytes(content)
    taken = refuses(partial(read, path), *_KNOWN)
    if mark.exists():
        mark.unlink()
        raise Wrong("code of the file was run")
    if taken:
        raise Wrong("the file was taken")
    return False


def _members(rng: np.random.Generator) -> dict[str, bytes]:
    """The members of a real file of weights, some of them at least."""
    with zipfile.ZipFile(_NETWORK) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    return {name: data for name, data in found.items() if rng.random() < 0.8 or name == "header.npy"}


def _zipped(members: list[tuple[str, bytes]], how: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may stand there twice: that is what is tried
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, how)
    return out.getvalue()


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=True)
    return out.getvalue()


def _with_pickle(rng: np.random.Generator, mark: Path) -> bytes:
    members = _members(rng)
    victim = sorted(members)[int(rng.integers(len(members)))]
    bomb = np.empty(1, object)
    bomb[0] = _Bomb(mark)
    members[victim] = _npy(bomb) if rng.random() < 0.7 else pickle.dumps(_Bomb(mark))
    return _zipped(list(members.items()))


def _that_swells(rng: np.random.Generator, mark: Path) -> bytes:
    size = int(rng.choice([100, 300])) << 20
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f4", "fortran_order": False, "shape": (size // 4,)})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in _members(rng).items():
            archive.writestr(name, data)
        with archive.open("swells.npy", "w", force_zip64=True) as member:
            member.write(head.getvalue())
            for _ in range(size >> 20):
                member.write(bytes(1 << 20))
    return out.getvalue()


def _that_climbs(rng: np.random.Generator, mark: Path) -> bytes:
    names = ["../../climbed.npy", "/tmp/climbed.npy", "a/../../climbed.npy", "header.npy/x.npy", "\0.npy", "." * 300]
    odd = [(names[int(rng.integers(len(names)))], _npy([1.0])) for _ in range(3)]
    return _zipped([*_members(rng).items(), *odd])


def _with_names_twice(rng: np.random.Generator, mark: Path) -> bytes:
    members = list(_members(rng).items())
    return _zipped([*members, members[int(rng.integers(len(members)))], ("header.npy", _npy("{}"))])


def _with_lies(rng: np.random.Generator, mark: Path) -> bytes:
    """Shapes that are larger than the data, of other types, or of no type."""
    members = _members(rng)
    victim = sorted(members)[int(rng.integers(len(members)))]
    shape = [(2**40,), (-1,), (0, 2**62), (1,) * 40, ()][int(rng.integers(5))]
    kind = ["<f8", "|O", "<U9", "|V8", "<c16", ">f4", "|b1"][int(rng.integers(7))]
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape!r}, }}".ljust(117) + "\n"
    members[victim] = b"\x93NUMPY\1\0" + len(head).to_bytes(2, "little") + head.encode() + bytes(64)
    return _zipped(list(members.items()))
