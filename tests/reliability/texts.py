"""Damaged texts: records of boards, bidding systems, specs, and the positions of the exam."""

from __future__ import annotations

import gzip
import io
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import agents
from agents.hierarchy.engine.compiled import compile_system
from agents.hierarchy.language.text import SystemTextError, load_system, parse_system, system_text
from agents.hierarchy.language.tree import Line
from agents.wire import calls
from bridge_env.auction import Auctions
from bridge_env.bidders import SpecError, make
from bridge_env.cards import board_dealer, board_vulnerability, random_deals
from bridge_env.files import FileError
from bridge_env.records.board import Board
from bridge_env.records.lin import LinError, board_of_link, iter_lin, lin_text
from bridge_env.records.pbn import board_text, iter_boards
from bridge_env.schema import read_json
from tests.reliability.damage import damaged_record, damaged_system
from tests.reliability.tally import Case, Wrong, refuses, within
from training.exam.positions import ExamError, read_exam

_SYSTEMS = Path(agents.__file__).parent / "hierarchy" / "systems"
_SPECS = (
    "system:sayc", "pair:system:sayc,pass", "reason:sayc?samples=8&look=minimax", "policy:champion", "pass",
    "cases:nothing.npz", "som:nothing.npz", "seat:http://127.0.0.1:9?form=ben&tries=1", "python:no_such_module:thing",
)  # fmt: skip
_STATES = (
    {"hand": "AKQ2.T98.J7.A543", "dealer": "N", "vulnerability": "None", "auction": ["1C", "Pass"]},
    {"hand": "A8.KQ94.72.KQ652", "dealer": "W", "vulnerability": "Both", "auction": ["1S", "X", "XX"]},
)


def _boards(count: int) -> list[Board]:
    """Some boards with auctions of four calls."""
    deals, numbers = random_deals(3, 0, count), np.arange(1, count + 1)
    dealer, vulnerability = board_dealer(numbers).tolist(), board_vulnerability(numbers).tolist()
    return [
        Board(deal, d, v, int(n), auction=(3 + int(n), 0, 0, 0))
        for deal, d, v, n in zip(deals, dealer, vulnerability, numbers, strict=True)
    ]


def pbn(count: int, seed: int) -> Iterator[Case]:
    """PBN files, plain, of another encoding and packed."""
    texts = [board_text(board) + "\n" for board in _boards(3)]
    files = ["".join(texts).encode(), texts[0].encode("utf-16"), gzip.compress(texts[1].encode())]
    yield from _records(iter_boards, files, count, seed)


def lin(count: int, seed: int) -> Iterator[Case]:
    """LIN files, plain and packed."""
    texts = [lin_text(board) for board in _boards(3)]
    files = ["\n".join(texts).encode(), texts[0].encode(), gzip.compress(texts[1].encode())]
    yield from _records(iter_lin, files, count, seed)


def links(count: int, seed: int) -> Iterator[Case]:
    """Links to a hand viewer."""
    rng = np.random.default_rng([seed, 5])
    for number in range(count):
        data = b"https://www.bridgebase.com/tools/handviewer.html?lin=" + lin_text(_boards(1)[0]).encode()
        text = damaged_record(data, rng).decode("latin-1")
        yield f"link {number} of seed {seed}", partial(refuses, partial(board_of_link, text), LinError)


def _records(
    read: Callable[[io.BytesIO], Iterator[object]], files: list[bytes], count: int, seed: int
) -> Iterator[Case]:
    rng = np.random.default_rng([seed, 2])
    for number in range(count):
        data = damaged_record(files[number % len(files)], rng)
        yield f"file {number} of seed {seed}", partial(_read, read, data)


def _read(read: Callable[[io.BytesIO], Iterator[object]], data: bytes) -> bool:
    """Are all of its boards sound? Those that are must be possible, whatever stands beside them."""
    sound = True
    for item in read(io.BytesIO(data)):
        if not isinstance(item, Board):
            sound = False
            continue
        if (np.bincount(item.owner, minlength=4) != 13).any():
            raise Wrong("a deal whose hands have not thirteen cards")
        if item.auction:
            Auctions.replay(np.array([item.auction], np.int8), [item.dealer], [item.vulnerability])
    return sound


def systems(count: int, seed: int) -> Iterator[Case]:
    """Bidding systems; what is taken reads back the same."""
    rng = np.random.default_rng([seed, 3])
    texts = [file.read_text("utf-8")[:3000] for file in sorted(_SYSTEMS.glob("*.bidding")) if file.stem != "champion"]
    for number in range(count):
        text = damaged_system(texts[number % len(texts)], rng)
        yield f"system {number} of seed {seed}", partial(refuses, partial(_system, text), SystemTextError)


def _system(text: str) -> None:
    """Read, print, read again, compile; an error names the source, or the system by its name and the line."""
    try:
        system = parse_system(text, source="mine")
    except SystemTextError as error:
        if not str(error).startswith("mine:"):
            raise Wrong(f"the error does not name its source: {error}") from error
        raise
    try:
        again = parse_system(system_text(system))
    except SystemTextError as error:
        raise Wrong(f"what is printed of it cannot be read: {error}") from error
    if (again.lines, again.blocks) != (system.lines, system.blocks):
        raise Wrong("the system reads back as another")
    compile_system(system)


def specs(count: int, seed: int) -> Iterator[Case]:
    """Specs of bidders."""
    rng = np.random.default_rng([seed, 4])
    for number in range(count):
        text = damaged_record(_SPECS[number % len(_SPECS)].encode(), rng).decode("latin-1")
        yield f"spec {text!r}", partial(refuses, partial(make, text), SpecError, OSError)


def states(count: int, seed: int) -> Iterator[Case]:
    """Hands and auctions as other software asks for calls."""
    rng = np.random.default_rng([seed, 6])
    for number in range(count):
        state = dict(_STATES[number % len(_STATES)])
        name = list(state)[int(rng.integers(len(state)))]
        value = " ".join(state[name]) if isinstance(state[name], list) else str(state[name])
        text = damaged_record(value.encode(), rng).decode("latin-1")
        state[name] = text.split() if name == "auction" else text
        yield f"state {number} of seed {seed}", partial(refuses, partial(calls, "system:sayc", [state]), ValueError)


# --- sizes and repetition -------------------------------------------------------------------------------------

_LONG, _MOST = 15.0, 130.0  # seconds of processor time on a busy machine, and MiB, for a text of some megabytes
_PIECES = {
    "pbn": ("[", "]", '"', "{", "}\n", ";\n", "%\n", "x\n", "x\n\n", "\n", " ", '[A "', '[A "b"]',
            '[T{n} "x"]\n', "1C ",
            '[Auction "N"]\n', '[Note "1:x"]\n', "{\n", "[Deal ", "\\", "=1=", '[A "##x"]\n\n', "\r"),
    "lin": ("|", "md|", "mb|1C|", "an|x|", "x|\n", "x\n", "qx|o{n}|\n", "pc|SA|", "pn|a,b|", "\n",
            "mb|1C|an|x|", "vg|x|"),
    "system": ("1N ", "  ", "\t", "4 H or ", "4 H, ", "4 H and ", "(1x)-", "1C-", " !gf", ";", "#\n",
            "1C  {n} hcp\n", "H >= ",
               "after ", "when ours\n", "-", "(", "9", "5+ H\n", "base: sayc\n", "any-", "\n  "),
    "json": ("[", "[[],", '{"a":', '"', "9", "[1,", "{},", "\\u0000", "\n", "1e9,"),
    "exam": ("area: a b\n", "|", "None N | - | ", "x\n", " ", "#\n", "1C ", "\n"),
}  # fmt: skip


def sizes(folder: Path, count: int, seed: int) -> Iterator[Case]:
    """A piece of a form again and again, up to four megabytes, plain or packed: time and memory stay bounded."""
    rng = np.random.default_rng([seed, 11])
    kinds = list(_PIECES)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        pieces = _PIECES[kind]
        piece = pieces[number // len(kinds) % len(pieces)]
        tail = pieces[int(rng.integers(len(pieces)))]
        times = (1 << (22 if kind in ("pbn", "lin") else 20)) // len(piece) + 1
        many = "".join(piece.replace("{n}", str(n)) for n in range(times)) if "{n}" in piece else piece * times
        text = many + tail.replace("{n}", "0")
        name = f"size {number} of seed {seed}: {kind}, {piece!r} {times:,} times, then {tail!r}"
        yield name, partial(within, _LONG, _MOST, partial(_sized, kind, text, folder / f"large.{kind}"))


def _sized(kind: str, text: str, path: Path) -> bool:
    if kind in ("pbn", "lin"):
        read = iter_boards if kind == "pbn" else iter_lin
        return _read(read, gzip.compress(text.encode(), 1)) and _read(read, text.encode())
    path.write_text(text, "utf-8")
    readers: dict[str, Callable[[Path], object]] = {
        "system": load_system, "json": partial(read_json, shape={"a": [int]}), "exam": lambda path: read_exam([path]),
    }  # fmt: skip
    named = "" if kind == "exam" else path.name  # an exam has any number of files
    return refuses(partial(readers[kind], path), SystemTextError, FileError, ExamError, names=named)


# --- characters -----------------------------------------------------------------------------------------------

_LINES = "system: mine\n1N    15-17 hcp, balanced\n  2C    8+ hcp, 4 H or 4 S\n    2H    4+ H\n1S    5+ S, 11+ hcp\n"
_ODD_SIGNS = [
    chr(code) for code in (*range(0xD800), *range(0xE000, 0x32000), *range(0xE0000, 0xE1000))  # beyond: none
    if (chr(code).isspace() or unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp", "Cc", "Cf"))
]  # fmt: skip
_PLACES: tuple[Callable[[str], str], ...] = (
    lambda sign: _LINES.replace("\n  2C", f"\n{sign}{sign}2C"),
    lambda sign: _LINES.replace("\n    2H", f"\n  {sign}2H"),
    lambda sign: _LINES.replace("1N    15", f"1N{sign}15"),
    lambda sign: _LINES.replace("4 H or", f"4{sign}H or"),
    lambda sign: _LINES.replace("balanced\n", f"balanced ; x{sign}1D  5+ D\n"),
    lambda sign: _LINES.replace("balanced\n", f"balanced\n# x{sign}1D  5+ D\n"),
    lambda sign: _LINES + f"{sign}",
    lambda sign: f"{sign}{_LINES}",
)


def characters(count: int, seed: int) -> Iterator[Case]:
    """Spaces, line ends and signs that nobody sees, in systems: read as one sees it, or told."""
    rng = np.random.default_rng([seed, 12])
    for number, at in enumerate(rng.permutation(len(_ODD_SIGNS) * len(_PLACES))[:count]):
        sign, place = _ODD_SIGNS[int(at) // len(_PLACES)], int(at) % len(_PLACES)
        yield f"sign {number} of seed {seed}: {sign!a} at place {place}", partial(_sign, sign, _PLACES[place])


def _sign(sign: str, place: Callable[[str], str]) -> bool:
    usual = {"\t": "\t", "\n": "\n", "\r": "\n"}.get(sign, " ")  # what one sees
    try:
        expected: object = _rules(place(usual))
    except SystemTextError:
        expected = None
    known: list[object] = []
    taken = refuses(lambda: known.append(_rules(place(sign))), SystemTextError)
    if taken and known[0] != expected:
        raise Wrong("another system is read than one sees")
    return taken


def _rules(text: str) -> object:
    """What a system bids, whatever its notes say."""

    def told(lines: tuple[Line, ...]) -> object:
        return [(line.path, line.constraint, told(line.lines)) for line in lines]

    return told(parse_system(text).lines)
