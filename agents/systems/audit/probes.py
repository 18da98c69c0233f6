"""Lead hands of all kinds to every position of a system's tree, and see what it calls there.

A probe is an auction that leads to a node of the tree: the calls that the path names, and the passes between them that
go without saying. The hands that come there are those that have made their seat's own calls so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.systems.bidder import Hierarchy
from agents.systems.engine.state_cache import Queries, StateCache
from bridge_env.hands.deals import hand_text, hands, random_deals
from bridge_env.hands.features import hand_features
from bridge_env.rules.auction import STATE_COLUMNS, VULNERABILITY, Auctions
from bridge_env.rules.calls import PASS, call_text, histories_of

OURS, THEIRS = 0, 1
_ROWS = 400_000  # looked at in one go
_PROBES = 20_000
_HONOURS = (12, 11, 10, 9)  # ranks A K Q J
_BY_RANK = np.array([np.sqrt(4 - _HONOURS.index(r)) if r in _HONOURS else 0.0 for r in range(13)] * 4)

Calls = tuple[int, ...]
Key = tuple[Calls, int, int]  # the calls of an auction, 0 if the dealer is ours, and the vulnerability
#: Passes before the first bid; are we vulnerable? are they?
Variant = tuple[int, int, int]
VARIANTS: tuple[Variant, ...] = (
    (0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (2, 0, 0), (2, 1, 1), (3, 0, 0), (3, 1, 0)
)  # fmt: skip
FEW_VARIANTS: tuple[Variant, ...] = ((0, 0, 0), (2, 1, 1))

_Made = dict[Key, tuple[NDArray[np.int64], NDArray[np.int64]]]  # at a turn: hands, and their calls
_NOBODY = np.empty(0, np.int64)


def draw_hands(count: int, seed: int) -> NDArray[np.bool_]:
    """Draw hands bool (count, 52): every other one as dealt, the rest drawn to strength, weakness or long suits."""
    rng = np.random.Generator(np.random.PCG64(seed))
    wanted = rng.random((count, 52))
    tilted = np.arange(count) % 2 == 1
    strength = np.where(tilted, rng.normal(0.08, 0.2, count), 0.0)
    suits = np.where(tilted[:, None], rng.normal(0.0, 0.22, (count, 4)), 0.0)
    wanted += strength[:, None] * _BY_RANK + np.repeat(suits, 13, axis=1)
    held = np.zeros((count, 52), np.bool_)
    np.put_along_axis(held, np.argpartition(wanted, 39, axis=1)[:, 39:], True, axis=1)
    return held


def better_suit(hands: NDArray[np.bool_], suit: int) -> NDArray[np.bool_]:
    """Move honours of side suits into ``suit``, and small cards back: the same shape and points, a better suit.

    Hands that allow no such swap come back as they are.

    Args:
        hands: bool (N, 52).
    """
    out, rows = hands.copy(), np.arange(len(hands))
    cards = out.reshape(-1, 4, 13)
    for rank in _HONOURS[:3]:
        small = cards[:, suit, :8].argmax(axis=1)  # its lowest card
        givers = cards[:, :, rank] & ~cards[rows, :, small]  # suits that hold the honour and lack that card
        givers[:, suit] = False
        other = givers.argmax(axis=1)
        swap = np.flatnonzero(givers.any(axis=1) & ~cards[:, suit, rank] & cards[:, suit, :8].any(axis=1))
        for side, low, honour in ((other[swap], True, False), (suit, False, True)):
            cards[swap, side, rank], cards[swap, side, small[swap]] = honour, low
    return out


class Hands(NamedTuple):
    """Some hands bool (N, 52), their features int16 (N, 4, F), the same in every seat, and which chance might deal."""

    held: NDArray[np.bool_]
    features: NDArray[np.int16]
    likely: NDArray[np.bool_]

    @classmethod
    @cache
    def drawn(cls, count: int, seed: int) -> Hands:
        """Return hands of all kinds, cached in this process."""
        return cls.of(draw_hands(count, seed))._replace(likely=np.arange(count) % 2 == 0)

    @classmethod
    def of(cls, held: NDArray[np.bool_]) -> Hands:
        """Return hands that were dealt."""
        features = np.ascontiguousarray(np.repeat(hand_features(held)[:, None], 4, axis=1))
        return cls(held, features, np.ones(len(held), np.bool_))


@dataclass(eq=False)
class ProbeAuction:
    """A position of our side, reached by the calls of an auction from the dealer on."""

    calls: Calls  # the auction
    side: int  # 0 if the dealer is one of us, else 1
    vulnerability: int  # of ``bridge_env.rules.auction``
    # of the tree, that the auction leads to; none where it only lies on the way
    nodes: set[int] = field(default_factory=set)
    coming: NDArray[np.int64] | None = None  # the hands that come here, by number; None: all
    live: bool = True  # do some hands make partner's calls?

    def __str__(self) -> str:
        """Write the auction with the opponents' calls in brackets, our turn to call: ``1S-(2H)-?``."""
        begin = next((k for k, call in enumerate(self.calls) if call != PASS), len(self.calls))
        texts = []
        for k, call in enumerate(self.calls):
            ours = k % 2 == self.side
            if call != PASS or (ours and k > begin):
                text = "P" if call == PASS else call_text(call)
                texts.append(text if ours else f"({text})")
        return (f"{begin} passes, " if begin else "") + "-".join((*texts, "?"))

    @property
    def ours(self) -> bool:
        """Return whether it is our turn."""
        return len(self.calls) % 2 == self.side

    @property
    def key(self) -> Key:
        """Return what its auction is known by."""
        return self.calls, self.side, self.vulnerability

    def upto(self, turn: int, coming: NDArray[np.int64] | None = None) -> ProbeAuction:
        """Return the auction before a turn, with the hands that come there."""
        return ProbeAuction(self.calls[:turn], self.side, self.vulnerability, coming=coming)


class Responses(NamedTuple):
    """What hands have called in some probes; a row is a hand in a probe."""

    probes: Sequence[ProbeAuction]  # of these calls
    calls: NDArray[np.int8]  # (probes, L), their calls, -1 beyond them
    length: NDArray[np.int64]  # (probes,), how many
    probe: NDArray[np.int64]  # (N,), which of them
    hands: Hands  # that came
    hand: NDArray[np.int64]  # (N,), which of them
    features: NDArray[np.int16]  # (N, F)
    call: NDArray[np.int64]  # (N,), what it called
    rule: NDArray[np.int64]  # (N,), by which rule; -1 none
    shown: NDArray[np.int16]  # (probes, 4, 5, 2), what the seats have shown there
    forced: NDArray[np.bool_]  # (probes,), does partner's call force?

    def example(self, row: int) -> str:
        """Write the hand of a row with its auction."""
        return f"{hand_text(self.hands.held[self.hand[row]])} after {self.probes[self.probe[row]]}"


def paths(system: Hierarchy, wanted: set[int] | None = None) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
    """Yield the nodes of a tree (all, or those ``wanted``) with their paths: whose calls (OURS, THEIRS), and which."""
    children = system.compiled.children
    waiting: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        if wanted is None or node in wanted:
            yield node, path
        for whose, call in np.argwhere(children[node] >= 0).tolist():
            waiting.append((int(children[node, whose, call]), (*path, (whose, call))))


def auction_of(path: Sequence[tuple[int, int]], before: int) -> tuple[Calls, int] | None:
    """Return the auction of a path up to our next turn, behind passes: calls, and 0 if the dealer is ours.

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
        """Return all probes that lead to nodes, and those on the way, the shortest first."""
        known: dict[Key, ProbeAuction] = {}
        for node, path in paths(self.system, wanted):
            for before, us, them in variants:
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

    def play(self, probes: Sequence[ProbeAuction]) -> Iterator[Responses]:
        """Let the hands come to the probes (sorted by length) and call there."""
        by_length: dict[int, list[ProbeAuction]] = {}
        for probe in probes:
            by_length.setdefault(len(probe.calls), []).append(probe)
        made: _Made = {}
        for length in sorted(by_length):
            here = [probe for probe in by_length[length] if probe.ours]
            for probe in here:
                probe.coming = _of_those(probe, len(probe.calls) - 4, made)
                partner = _of_those(probe, len(probe.calls) - 2, made)
                probe.live = partner is None or len(partner) > 0
            for part in _parts(here, len(self.hands.held)):
                responses = self.see(part)
                ends = np.cumsum(np.bincount(responses.probe, minlength=len(part)))
                for probe, begin, end in zip(part, [0, *ends[:-1]], ends, strict=True):
                    made[probe.key] = responses.hand[begin:end], responses.call[begin:end]
                yield responses

    def played(self, boards: int, seed: int) -> Iterator[Responses]:
        """Yield what the system calls against itself: the only way to positions that no line of the tree names."""
        owner = random_deals(seed, 0, boards)
        held = np.stack([hands(owner, seat) for seat in range(4)], axis=1)
        everyone = Hands.of(held.reshape(-1, 52))
        auctions = Auctions(np.zeros(boards, np.int16), np.arange(boards) % 4)
        features = np.ascontiguousarray(everyone.features[:, 0]).reshape(boards, 4, -1)
        self.states.bid(np.zeros((boards, 4), np.int32), features, auctions)
        probes = []
        for board in range(boards):
            calls = auctions.calls(board)
            probes += [
                ProbeAuction(calls[:turn], turn % 2, board % 4, coming=np.array([4 * board + turn % 4]))
                for turn in range(len(calls))
            ]
        for part in _parts(probes, 1):
            yield self.see(part, everyone)

    def shown(self, probe: ProbeAuction) -> NDArray[np.int16]:
        """Return what the seats have shown in a probe: (4, 5, 2)."""
        found: NDArray[np.int16] = self.see([probe.upto(len(probe.calls), _NOBODY)]).shown[0]
        return found

    def see(self, probes: Sequence[ProbeAuction], hands: Hands | None = None) -> Responses:
        """Return what the hands that come to probes call there."""
        of = hands or self.hands
        coming = [np.arange(len(of.held)) if probe.coming is None else probe.coming for probe in probes]
        which = np.repeat(np.arange(len(probes)), [len(c) for c in coming])
        hand = np.concatenate(coming) if coming else np.empty(0, np.int64)
        state, calls, length = arrays(probes)
        begins = np.searchsorted(which, np.arange(len(probes) + 1))
        queries = Queries(of.features, hand, state, calls, length, begins)
        chosen, rules, shown = self.states.look(queries)
        forced, row = self.states.forced(queries), of.features[hand, 0]
        made, by = chosen.astype(np.int64), rules.astype(np.int64)
        return Responses(probes, calls, length, which, of, hand, row, made, by, shown, forced)


def _of_those(probe: ProbeAuction, at: int, made: _Made) -> NDArray[np.int64] | None:
    """Return the hands that made the call at an earlier turn of our side; None where there was no such turn."""
    if at < 0:
        return None
    hand, call = made.get(probe.upto(at).key, (_NOBODY, _NOBODY))
    found: NDArray[np.int64] = hand[call == probe.calls[at]]
    return found


def arrays(probes: Sequence[ProbeAuction]) -> tuple[NDArray[np.int16], NDArray[np.int8], NDArray[np.int64]]:
    """Return probes as ``StateCache.look`` takes them: state, calls, length."""
    length = np.array([len(probe.calls) for probe in probes], np.int64)
    state = np.zeros((len(probes), STATE_COLUMNS), np.int16)  # the dealer is number 0
    state[:, VULNERABILITY] = [probe.vulnerability for probe in probes]
    return state, histories_of([probe.calls for probe in probes]), length


def _parts(probes: Sequence[ProbeAuction], everyone: int) -> Iterator[list[ProbeAuction]]:
    part: list[ProbeAuction] = []
    rows = 0
    for probe in probes:
        count = everyone if probe.coming is None else len(probe.coming)
        if part and (rows + count > _ROWS or len(part) >= _PROBES):
            yield part
            part, rows = [], 0
        part.append(probe)
        rows += count
    if part:
        yield part
