"""Bidders of others: those that write to what they are handed, and published plug-ins that misbehave."""

from __future__ import annotations

import contextlib
import io
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import EntryPoint
from typing import Any
from unittest import mock

import numpy as np

from agents import call as agents_call
from agents.wire import calls
from bridge_env import bidders
from bridge_env.calls import NUM_CALLS, parse_call
from bridge_env.envs.single import BiddingEnv
from bridge_env.envs.vector import BiddingVectorEnv
from bridge_env.faults import BidderFault
from tests.reference.auction import LawAuction
from tests.reliability.tally import Case, Wrong
from training.cli.entry import main
from training.match.duplicate import match

_HAND = "AKQ2.T98.J7.A543"
_FIELDS = ("hand", "history", "length", "dealer", "vulnerability", "seat", "mask")


class Writer:
    """Writes to what it is handed, and makes one call everywhere."""

    def __init__(self, made: int, fields: list[str], value: int) -> None:
        self.made, self.fields, self.value = made, fields, value

    def bid(self, view: Any, key: Any) -> Any:
        for field in self.fields:
            with contextlib.suppress(ValueError):  # it is read-only
                array = getattr(view, field)
                array.flags.writeable = True
                array[...] = self.value
        key[...] = self.value
        return np.full(len(view), self.made)


def _by_call(writer: Any) -> list[list[int]]:
    return [[parse_call(agents_call(writer, _HAND))]]


def _by_wire(writer: Any) -> list[list[int]]:
    state = {"hand": _HAND, "dealer": "N", "vulnerability": "None", "auction": ["1C", "Pass"]}
    return [[3, 0, parse_call(str(calls(writer, [state])[0]))]]


def _by_match(writer: Any) -> list[list[int]]:
    found = match(writer, "random", 4)
    return [[int(call) for call in row if call >= 0] for table in found.tables for row in table.history]


def _by_env(kind: Callable[..., Any], writer: Any) -> list[list[int]]:
    env = kind(writer)
    env.reset(seed=1)
    for _ in range(3):
        over = env.step(0 if isinstance(env, BiddingEnv) else np.zeros(3, int))[2]
        if over is True:  # four passes; the vector env deals by itself
            break
    return [[int(call) for call in row if call >= 0] for row in env._tables.auctions.history]


_DOORS: dict[str, Callable[[Any], list[list[int]]]] = {
    "agents.call": _by_call, "agents.wire": _by_wire, "match": _by_match,
    "env": partial(_by_env, lambda writer: BiddingEnv(partner=writer, opponents=writer, learner="S")),
    "vector env": partial(_by_env, lambda writer: BiddingVectorEnv(3, partner=writer, opponents=writer, learner="S")),
}  # fmt: skip


def writers(count: int, seed: int) -> Iterator[Case]:
    """Bidders that write to any of what they are handed; every auction keeps the laws, and faults tell the real one."""
    for number in range(count):
        rng = np.random.default_rng([seed, 14, number])
        door = list(_DOORS)[number % len(_DOORS)]
        fields = [field for field in _FIELDS if rng.random() < 0.6]
        writer = Writer(int(rng.integers(NUM_CALLS)), fields, int(rng.integers(2)))
        yield f"writer {number} of seed {seed} at {door}: {writer.made} after {fields}", partial(_write, door, writer)


def _write(door: str, writer: Writer) -> bool:
    try:
        auctions = _DOORS[door](writer)
    except BidderFault as fault:
        if "X X" in str(fault) or "Pass Pass Pass Pass" in str(fault):
            raise Wrong(f"the fault tells an auction that the bidder has written: {fault}") from fault
        return False
    for auction in auctions:
        for length, made in enumerate(auction):
            if made not in LawAuction(0, auction[:length]).legal():
                raise Wrong(f"{made} is not legal after {auction[:length]}")
    return True


# --- published plug-ins -----------------------------------------------------------------------------------------


class _Odd(BaseException):
    """No ``Exception``, which most nets are made for."""


def _raising(error: BaseException) -> Callable[..., Any]:
    def fails(*_: Any, **__: Any) -> Any:
        raise error

    return fails


def _plug_ins() -> dict[str, Any]:
    """Factories by name, as a package might publish them."""
    errors = [
        KeyError("x"), SystemExit(0), _Odd("\033[2J\a"), GeneratorExit(), MemoryError(), RecursionError("deep"),
        RuntimeError("\033[31m" + "x" * 100_000), StopIteration(), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    ]  # fmt: skip
    found: dict[str, Any] = {f"factory-{n}": _raising(error) for n, error in enumerate(errors)}

    def player(name: str, **members: Any) -> None:
        whole = {"bid": lambda self, view, key: np.zeros(len(view), np.int8)} | members
        found[name] = lambda argument, partner=None, opponents=None: type("Plug", (), whole)()

    for n, error in enumerate(errors):
        player(f"bid-{n}", bid=_raising(error))
        player(f"explain-{n}", explain=_raising(error))
        player(f"player-{n}", player=_raising(error))
        player(f"property-{n}", bid=property(_raising(error)))
        player(f"repr-{n}", __repr__=_raising(error))
        player(f"getattr-{n}", __getattr__=_raising(error))
    for name in ("systems", "player", "group", "explain", "slow", "networks", "bid"):
        player(f"{name}-is-data", **{name: 5})
    answers: dict[str, Any] = {
        "none": None, "float": np.zeros(1), "text": "Pass", "38": np.array([38]), "-1": np.array([-1]), "2**63": 2**63,
        "bool": np.array([True]), "two": np.zeros((2, 2), int), "nan": np.array([np.nan]), "object": object(),
        "itself": [[[]]], "generator": (n for n in range(3)), "iterator": iter([0]), "dict": {},
    }  # fmt: skip
    for name, answer in answers.items():
        player(f"gives-{name}", bid=lambda self, view, key, answer=answer: answer)
    player("explains-escapes", explain=lambda self, view, key: "Pass\n \033[2J")
    player("explains-nothing", explain=lambda self, view, key: None)
    player("endless", bid=lambda self, view, key: self.bid(view, key))
    return found | {
        "nothing": lambda *_, **__: None,
        "a-class": lambda *_, **__: int,
        "no-arguments": lambda: None,
        "a-number": 5,
    }


def published() -> Iterator[Case]:
    """Plug-ins that fail as they are loaded, made, looked at or asked; a sentence and exit code 2, or a result."""
    module = types.ModuleType("a_plug_in_of_others")
    sys.modules[module.__name__] = module  # for good: what is imported meanwhile has to stay
    plug_ins = _plug_ins()
    group, entries = bidders.ENTRY_POINT_GROUP, dict[str, EntryPoint]()
    for number, (name, factory) in enumerate(plug_ins.items()):
        setattr(module, f"plug_{number}", factory)
        entries[name] = EntryPoint(name, f"{module.__name__}:plug_{number}", group)
    for name, value in (
        ("lost", "no_such_module:x"),
        ("missing", f"{module.__name__}:gone"),
        ("odd", "a b c"),
        ("void", ""),
    ):
        entries[name] = EntryPoint(name, value, group)
    for name in entries:
        for words in (["bid", f"{name}:x", "--hand", _HAND], ["match", f"{name}:x", "pass", "--boards", "4"]):
            yield f"{name}, {words[0]}", partial(_published, entries, words)


def _published(entries: dict[str, EntryPoint], words: list[str]) -> bool:
    known = bidders._published() | entries
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(bidders, "_published", return_value=known),
        contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
    ):  # fmt: skip
        try:
            code = main(words)
        except BaseException as error:
            raise Wrong(f"{type(error).__name__} came through: {str(error)[:100]}") from error
    said = out.getvalue() + err.getvalue()
    if code not in (0, 2) or not said.strip():
        raise Wrong(f"exit code {code}: {said[-200:]}")
    if any(not letter.isprintable() and letter != "\n" for letter in said) or len(said) > 10_000:
        raise Wrong(f"control codes or {len(said):,} characters reach the terminal")
    return code == 0
