"""Bring hands of all kinds to every position of a system's tree, and find what it calls there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.systems.audit.probes import Calls, Hands, Key, ProbeAuction
from agents.systems.audit.responses import Responses
from agents.systems.bidder import Hierarchy
from agents.systems.engine.state_cache import Queries, StateCache
from bridge_env.hands import deals
from bridge_env.rules.auction import STATE_COLUMNS, VULNERABILITY, Auctions
from bridge_env.rules.calls import PASS, histories_of

OURS, THEIRS = 0, 1
_ROWS, _PROBES = 400_000, 20_000  # hands, and probes, at a time
#: Passes before the first bid; are we vulnerable? are they?
Variant = tuple[int, int, int]
VARIANTS: tuple[Variant, ...] = (
    (0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (2, 0, 0), (2, 1, 1), (3, 0, 0), (3, 1, 0)
)  # fmt: skip
FEW_VARIANTS: tuple[Variant, ...] = ((0, 0, 0), (2, 1, 1))

_Callers = dict[Key, tuple[NDArray[np.int64], NDArray[np.int64]]]  # at a turn: hands, and their calls
_NOBODY = np.empty(0, np.int64)


def paths(children: NDArray[np.int32]) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Yield the nodes of a tree with their paths: whose calls (OURS, THEIRS), and which."""
    waiting: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        yield node, path
        for whose, call in np.argwhere(children[node] >= 0).tolist():
            waiting.append((int(children[node, whose, call]), (*path, (whose, call))))


def auction_of(path: Sequence[tuple[int, int]], before: int) -> tuple[Calls, int] | None:
    """Return the auction of a path up to our next turn, after some passes: calls, and 0 if the dealer is ours, else 1.

    None where our side would have to pass between calls of theirs: the path must name that pass, or the tree is left.
    """
    first = path[0][0] if path else OURS
    side = (before + first) % 2
    calls = [PASS] * before
    for whose, call in (*path, (OURS, -1)):
        while (len(calls) % 2 == side) != (whose == OURS):
            if whose == THEIRS and len(calls) > before:
                return None
            calls.append(PASS)
        if call >= 0:
            calls.append(call)
    return tuple(calls), side


class Simulator:
    """The probes of a system, and the hands that call there."""

    def __init__(self, system: Hierarchy, hands: Hands) -> None:
        self.system, self.hands = system, hands
        self.states = StateCache([system])

    def probes(self, variants: Iterable[Variant] = VARIANTS, wanted: set[int] | None = None) -> list[ProbeAuction]:
        """Return all probes that lead to nodes (all, or those ``wanted``), and those on the way, the shortest first."""
        known: dict[Key, ProbeAuction] = {}
        for node, path in paths(self.system.compiled.children):
            for before, us, them in variants if wanted is None or node in wanted else ():
                auction = auction_of(path, before)
                if auction is None:
                    continue
                calls, side = auction
                vulnerability = us << side | them << (1 - side)
                for length in range(len(calls) + 1):
                    key = calls[:length], side, vulnerability
                    if key not in known:
                        known[key] = ProbeAuction(*key)
                known[key].nodes.add(node)
        return sorted(known.values(), key=lambda probe: len(probe.calls))

    def respond(self, probes: Sequence[ProbeAuction]) -> Iterator[Responses]:
        """Yield what hands call at the probes (sorted by length); write which come there, ``coming``, and ``live``."""
        by_length: dict[int, list[ProbeAuction]] = {}
        for probe in probes:
            by_length.setdefault(len(probe.calls), []).append(probe)
        callers: _Callers = {}
        for length in sorted(by_length):
            here = [probe for probe in by_length[length] if probe.ours]
            for probe in here:
                probe.coming = _callers_at(probe, len(probe.calls) - 4, callers)
                partner = _callers_at(probe, len(probe.calls) - 2, callers)
                probe.live = partner is None or len(partner) > 0
            for part in _parts(here, len(self.hands.held)):
                responses = self.see(part)
                ends = np.cumsum(np.bincount(responses.probe, minlength=len(part)))
                for probe, begin, end in zip(part, [0, *ends[:-1]], ends, strict=True):
                    callers[probe.key] = responses.hand[begin:end], responses.call[begin:end]
                yield responses

    def self_play(self, boards: int, seed: int) -> Iterator[Responses]:
        """Yield what the system calls against itself: the only way to positions that no line of the tree names."""
        owner = deals.random_deals(seed, 0, boards)
        held = np.stack([deals.hands(owner, seat) for seat in range(4)], axis=1)
        dealt = Hands.of(held.reshape(-1, 52))
        auctions = Auctions(np.zeros(boards, np.int16), np.arange(boards) % 4)
        features = np.ascontiguousarray(dealt.features[:, 0]).reshape(boards, 4, -1)
        self.states.bid(np.zeros((boards, 4), np.int32), features, auctions)
        probes = []
        for board in range(boards):
            calls = auctions.calls(board)
            probes += [
                ProbeAuction(calls[:turn], turn % 2, board % 4, coming=np.array([4 * board + turn % 4]))
                for turn in range(len(calls))
            ]
        for part in _parts(probes, 1):
            yield self.see(part, dealt)

    def shown(self, probe: ProbeAuction) -> NDArray[np.int16]:
        """Return what the seats have shown in a probe: (4, QUANTITIES, 2)."""
        return self.see([probe.upto(len(probe.calls), _NOBODY)]).shown[0]

    def see(self, probes: Sequence[ProbeAuction], hands: Hands | None = None) -> Responses:
        """Return what the hands that come to probes call there."""
        hands = hands or self.hands
        coming = [np.arange(len(hands.held)) if probe.coming is None else probe.coming for probe in probes]
        which = np.repeat(np.arange(len(probes)), [len(c) for c in coming])
        hand = np.concatenate(coming) if coming else np.empty(0, np.int64)
        state, calls, length = probe_arrays(probes)
        begins = np.searchsorted(which, np.arange(len(probes) + 1))
        queries = Queries(hands.features, hand, state, calls, length, begins)
        chosen, rules, shown = self.states.look(queries)
        call, rule = chosen.astype(np.int64), rules.astype(np.int64)
        return Responses(probes, calls, length, shown, self.states.forced(queries), hands, which, hand, call, rule)


def _callers_at(probe: ProbeAuction, at: int, callers: _Callers) -> NDArray[np.int64] | None:
    """Return the hands that made the call at an earlier turn of our side; None where there was no such turn."""
    if at < 0:
        return None
    hand, call = callers.get(probe.upto(at).key, (_NOBODY, _NOBODY))
    return hand[call == probe.calls[at]]


def probe_arrays(probes: Sequence[ProbeAuction]) -> tuple[NDArray[np.int16], NDArray[np.int8], NDArray[np.int64]]:
    """Return probes as ``StateCache.look`` takes them: state, calls, length."""
    length = np.array([len(probe.calls) for probe in probes], np.int64)
    state = np.zeros((len(probes), STATE_COLUMNS), np.int16)  # the dealer is number 0
    state[:, VULNERABILITY] = [probe.vulnerability for probe in probes]
    return state, histories_of([probe.calls for probe in probes]), length


def _parts(probes: Sequence[ProbeAuction], hands: int) -> Iterator[list[ProbeAuction]]:
    """Cut the probes into parts of limited size; ``hands`` come where no probe names them."""
    part: list[ProbeAuction] = []
    rows = 0
    for probe in probes:
        count = hands if probe.coming is None else len(probe.coming)
        if part and (rows + count > _ROWS or len(part) >= _PROBES):
            yield part
            part, rows = [], 0
        part.append(probe)
        rows += count
    if part:
        yield part
