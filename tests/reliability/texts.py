"""Damaged texts: records of boards, bidding systems, specs, and the positions of the exam."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import agents
from agents.hierarchy.engine.compiled import compile_system
from agents.hierarchy.language.text import SystemTextError, parse_system, system_text
from agents.wire import calls
from bridge_env.auction import Auctions
from bridge_env.bidders import SpecError, make
from bridge_env.cards import board_dealer, board_vulnerability, random_deals
from bridge_env.records.board import Board
from bridge_env.records.lin import LinError, board_of_link, iter_lin, lin_text
from bridge_env.records.pbn import board_text, iter_boards
from tests.reliability.damage import damaged_record, damaged_system
from tests.reliability.tally import Case, Wrong, refuses

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
