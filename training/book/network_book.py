"""The book of a network. It has no rules that could be printed, so that its book tells what its calls were made on.

All four seats bid as the network does. Auctions are counted from the opening on; openings in third and fourth seat,
and what follows them, are kept apart, because partner has passed. A call that was made often enough shows what the
hands behind it have in common, and hands on other deals are held against that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling import wording
from agents.networks.book import ByBook
from agents.networks.drawn import NEVER_PASSED
from agents.networks.meaning import auction_keys
from agents.networks.network import Network
from agents.networks.tables import all_by
from bridge_env.calls import DOUBLE, FIRST_BID, PASS, REDOUBLE
from bridge_env.cards import board_dealer, board_vulnerability, hand_text, random_deals
from bridge_env.streams import key as hashed
from training.book.book import chapter
from training.book.card import Section, convention_card
from training.book.measure import HELD, Figures
from training.book.network_asking import NetworkAsker
from training.book.shows import FEWEST, Shows, shown
from training.match.code_words import which
from training.networks.meaning_fit import held

LEGEND = (
    "Calls in brackets are theirs; their passes in between go without saying. What a call shows is left out where "
    "hands of all kinds made it. Code words are bids of a suit without four cards in it (three to raise partner's), "
    "doubles up to the three level, redoubles, and 2!c that opens or answers 1NT without five clubs. A call is called "
    f"forcing where partner passed it at most once in {1 / NEVER_PASSED:.0f} times, the next player having passed."
)
_PART = 8_192  # deals bid at a time
_RARE = 2_000  # a call is told of that came up once in so many deals
_EXAMPLES = 2
_MOST_HCP = 37


@dataclass(eq=False)
class NetworkCall:
    """A call at a point.

    Attributes:
        step: the call.
        figures: how often it is made, and on what.
        said: what it shows; None where hands of all kinds made it.
        coded: the share of its times at which it was a code word.
        passed: of the times that the next player passed, the share at which partner passed too; None of a pass, and
            where that was too seldom.
    """

    index: int
    step: Step
    figures: Figures
    said: Shows | None
    coded: float
    passed: float | None = None

    @property
    def forcing(self) -> bool:
        """Partner hardly ever passes it."""
        return self.passed is not None and self.passed <= NEVER_PASSED


@dataclass(eq=False)
class NetworkPoint:
    """A point of the auction, as its next caller sees it: the path that leads there, and the calls made there."""

    path: tuple[Step, ...]
    late: bool  # opened in third or fourth seat, or about to be
    calls: list[NetworkCall] = field(default_factory=list)

    @property
    def ours(self) -> int:
        """Return how many calls of ours lead here."""
        return sum(not step.theirs for step in self.path)


@dataclass(frozen=True)
class NetworkBook:
    """What is printed.

    Attributes:
        name: of the network.
        points: with their calls, in the order of the auction.
        deals, seed: that the figures are of.
        told: calls in all, those that the book tells of, those with ranges, and of these how many kept to them, on
            as many fresh deals.
        worst: of the calls with ranges (index, hands, fitting), the least share first.
        code_words: for each 100 auctions of a side, and the standard error of that.
        levels, left_out: what is not printed.
        card: the convention card.
    """

    name: str
    points: list[NetworkPoint]
    deals: int
    seed: int
    told: tuple[int, int, int, int]
    worst: tuple[tuple[int, int, int], ...]
    code_words: tuple[float, float]
    levels: int | None = None
    left_out: frozenset[int] = frozenset()
    examples: int = _EXAMPLES
    card: tuple[Section, ...] = ()

    @property
    def share(self) -> float:
        """Of the hands that keep to the book."""
        return self.told[3] / self.told[2] if self.told[2] else 0.0

    def calls(self, point: NetworkPoint) -> list[NetworkCall]:
        """The calls at a point that the book prints: not a pass alone."""
        if self.levels is not None and len(point.path) >= self.levels:
            return []
        out = [call for call in point.calls if call.index not in self.left_out]
        return out if any(call.step.token != "P" for call in out) else []

    def chapters(self) -> list[tuple[str, list[NetworkPoint]]]:
        """The points by chapter; those of third and fourth seat after the others."""
        out: dict[str, list[NetworkPoint]] = {}
        for late in (False, True):
            points = [point for point in self.points if point.late == late and self.calls(point)]
            by_title = defaultdict(list)
            for point in points:
                by_title[chapter(point)].append(point)
            for title in sorted(by_title, key=lambda title: min(len(p.path) for p in by_title[title])):
                out[title + (", third or fourth seat opening" if late else "")] = by_title[title]
        return list(out.items())

    def facts(self) -> list[str]:
        """How the figures were made and how far they can be trusted, in sentences."""
        calls, told, ranged, fitting = self.told
        words, error = self.code_words
        facts = [
            f"Figures are of {self.deals:,} random deals (seed {self.seed}), dealer and vulnerability by board number, "
            "all four seats bidding as the network does.",
            f"On as many other deals (seed {self.seed + 1}), {fitting / max(ranged, 1):.2%} of the {ranged:,} hands "
            f"behind a call keep to what the book says it shows. The book tells of {told / calls:.1%} of all "
            f"{calls:,} calls; the others came up less than {least(self.deals):,.0f} times.",
            f"{words:.1f} ± {error:.1f} code words for each 100 auctions of a side.",
        ]
        worst = [(self.call_name(i), n, k) for i, n, k in self.worst if n >= 30 and k < n][:3]
        if worst:
            listed = "; ".join(f"{name} {k / n:.1%} of {n:,}" for name, n, k in worst)
            facts.append(f"The calls that keep to it least, of those with 30 hands or more: {listed}.")
        if self.left_out:
            facts.append(f"Left out: the {len(self.left_out)} rarest calls.")
        return facts

    @cached_property
    def _by_index(self) -> dict[int, tuple[NetworkPoint, NetworkCall]]:
        return {call.index: (point, call) for point in self.points for call in point.calls}

    def call_name(self, index: int) -> str:
        """A call with the auction that leads to it."""
        point, call = self._by_index[index]
        return wording.path((*point.path, call.step)) + (" (third or fourth seat)" if point.late else "")

    def said(self, index: int) -> Shows | None:
        """Return what a call shows."""
        return self._by_index[index][1].said

    def by_rarity(self) -> list[int]:
        """The calls that are printed, the rarest first."""
        printed = [call for point in self.points for call in self.calls(point)]
        return [call.index for call in sorted(printed, key=lambda call: call.figures.made)]


@dataclass(frozen=True)
class _Calls:
    """Every call of some deals, one a row."""

    point: NDArray[np.uint64]  # a hash of what came before it
    key: NDArray[np.uint64]  # the same with the call
    call: NDArray[np.int8]
    late: NDArray[np.bool_]
    board: NDArray[np.int64]
    seat: NDArray[np.int64]
    number: NDArray[np.int64]  # calls before it, from the opening on
    held: NDArray[np.int8]  # (n, 5) points, and cards of C D H S
    coded: NDArray[np.bool_]
    answer: NDArray[np.int8]  # partner's next call, if the player between passes; else -1


@dataclass(frozen=True)
class _Table:
    """Deals bid to their end."""

    owner: NDArray[np.uint8]
    opened: NDArray[np.int8]  # (N, L), the calls from the opening on
    calls: _Calls


def least(deals: int) -> float:
    """Return how often a call must occur in so many deals to enter the book."""
    return max(FEWEST, deals / _RARE)


def _bid(network: Network | ByBook, seed: int, start: int, count: int) -> _Table:
    number = np.arange(start, start + count) + 1
    owner = random_deals(seed, start, count)
    dealer, vulnerability = board_dealer(number).astype(np.int16), board_vulnerability(number).astype(np.int16)
    auctions = all_by(network, owner, dealer, vulnerability)
    length = auctions.length.astype(np.int64)
    history = auctions.history[:, : int(length.max())]
    passes = np.minimum((history == PASS).cumprod(axis=1).sum(axis=1), 4)
    # From the opening on; passes before it are all made at the same point, by who may open.
    columns = np.arange(history.shape[1])
    opened = np.take_along_axis(history, np.minimum(columns + passes[:, None], history.shape[1] - 1), axis=1)
    opened[columns + passes[:, None] >= length[:, None]] = -1
    keys = auction_keys(opened)
    row, at = np.nonzero(columns < length[:, None])
    after = at - passes[row]  # calls since the opening
    late = np.minimum(at, passes[row]) >= 2
    begin = np.broadcast_to(hashed("to open"), len(row))
    point = hashed(np.where(after > 0, keys[row, np.maximum(after - 1, 0)], begin), late.astype(np.int64))
    call = history[row, at]
    seat = (dealer[row].astype(np.int64) + at) & 3
    coded = which(history, dealer, owner)[row, at]
    calls = _Calls(
        point, hashed(point, call.astype(np.int64)), call, late, row, seat, np.maximum(after, 0),
        held(owner, row, seat).astype(np.int8), coded, _answers(history)[row, at],
    )  # fmt: skip
    return _Table(owner, opened, calls)


def _answers(history: NDArray[np.int8]) -> NDArray[np.int8]:
    """Partner's next call after each call of auctions int8 (N, L), if the player between passes; else -1."""
    out = np.full(history.shape, -1, np.int8)
    out[:, :-2] = np.where(history[:, 1:-1] == PASS, history[:, 2:], -1)
    return out


def make_network_book(
    name: str,
    network: Network | ByBook,
    deals: int,
    seed: int,
    *,
    levels: int | None = None,
    examples: int = _EXAMPLES,
    tick: Callable[[int], None] = lambda deals: None,
) -> NetworkBook:
    """Measure a network, and hold hands on as many fresh deals against what its calls showed.

    Args:
        tick: told a number of deals after every batch, ``2 * deals`` in all.
    """
    tables = []
    for start in range(0, deals, _PART):
        tables.append(_bid(network, seed, start, min(_PART, deals - start)))
        tick(len(tables[-1].owner))
    points, place, words = _points(tables, deals)
    card = tuple(convention_card(NetworkAsker(network)))
    book = NetworkBook(name, points, deals, seed, (0, 0, 0, 0), (), words, levels, examples=examples, card=card)
    return _checked(book, network, place, tick)


def _points(
    tables: list[_Table], deals: int
) -> tuple[list[NetworkPoint], dict[int, int], tuple[float, float]]:  # fmt: skip
    """The points with the calls made often enough; by key the index of each call; the code words."""
    key, point, holds, coded, answer = (
        np.concatenate([getattr(t.calls, name) for t in tables]) for name in ("key", "point", "held", "coded", "answer")
    )
    table = np.repeat(np.arange(len(tables)), [len(t.calls.key) for t in tables])
    first = np.concatenate([[0], np.cumsum([len(t.calls.key) for t in tables])])
    auctions = np.concatenate([
        np.bincount(2 * t.calls.board + (t.calls.seat & 1), t.calls.coded, 2 * len(t.owner)) for t in tables
    ])  # fmt: skip
    words = 100 * float(auctions.mean()), 100 * float(auctions.std(ddof=1) / len(auctions) ** 0.5)
    visited, visits = np.unique(point, return_counts=True)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.r_[True, key[order][1:] != key[order][:-1]])
    ends = np.r_[starts[1:], len(order)]
    points: dict[int, NetworkPoint] = {}
    place: dict[int, int] = {}
    for a, b in zip(starts.tolist(), ends.tolist(), strict=True):
        if b - a < least(deals):
            continue
        rows = order[a:b]
        home = tables[table[rows[0]]]
        row = int(rows[0] - first[table[rows[0]]])
        at = int(point[rows[0]])
        if at not in points:
            points[at] = NetworkPoint(_path(home, row), bool(home.calls.late[row]))
        figures = Figures(b - a, int(visits[np.searchsorted(visited, at)]), deals)
        figures.parts.append(np.full((b - a, len(HELD)), -1, np.int8))
        figures.held[:, :5] = holds[rows]
        for example in rows[:_EXAMPLES]:
            of = tables[table[example]]
            n = int(example - first[table[example]])
            figures.examples.append(hand_text(of.owner[of.calls.board[n]] == of.calls.seat[n]))
        said = shown(figures, lambda name, top: [(0, _MOST_HCP if name == "hcp" else top)])
        place[int(key[rows[0]])] = len(place)
        step, answers = _step(int(home.calls.call[row]), False), answer[rows][answer[rows] >= 0]
        passed = float(np.mean(answers == PASS)) if step.token != "P" and len(answers) >= FEWEST else None
        points[at].calls.append(NetworkCall(len(place) - 1, step, figures, said, coded[rows].mean(), passed))
    for one in points.values():
        one.calls.sort(key=lambda call: _ORDER.index(call.step.token))
    listed = sorted(points.values(), key=lambda p: (p.late, [(s.theirs, _ORDER.index(s.token)) for s in p.path]))
    return listed, place, words


def _checked(
    book: NetworkBook, network: Network | ByBook, place: dict[int, int], tick: Callable[[int], None]
) -> NetworkBook:  # fmt: skip
    keys = np.array(sorted(place), np.uint64)
    index = np.array([place[int(key)] for key in keys], np.int64)
    made, fitting = np.zeros(len(index), np.int64), np.zeros(len(index), np.int64)
    calls = told = 0
    for start in range(0, book.deals, _PART):
        table = _bid(network, book.seed + 1, start, min(_PART, book.deals - start))
        at = np.minimum(np.searchsorted(keys, table.calls.key), max(len(keys) - 1, 0))
        known = np.flatnonzero(keys[at] == table.calls.key) if len(keys) else np.empty(0, np.int64)
        calls, told = calls + len(table.calls.key), told + len(known)
        by = index[at[known]]
        order = np.argsort(by, kind="stable")
        held = np.full((len(known), len(HELD)), -1, np.int8)
        held[:, :5] = table.calls.held[known]
        for rows in np.split(order, np.flatnonzero(np.diff(by[order])) + 1):
            said = book.said(int(by[rows[0]])) if len(rows) else None
            if said is not None:
                made[by[rows[0]]] += len(rows)
                fitting[by[rows[0]]] += int(said.fit(held[rows]).sum())
        tick(len(table.owner))
    ranked = sorted(np.flatnonzero(made).tolist(), key=lambda i: (fitting[i] / made[i], -made[i]))
    worst = tuple((i, int(made[i]), int(fitting[i])) for i in ranked)
    return replace(book, told=(calls, told, int(made.sum()), int(fitting.sum())), worst=worst)


def _path(table: _Table, row: int) -> tuple[Step, ...]:
    """Return what came before call ``row``, from the opening on, as its caller sees it."""
    calls = table.calls
    before = int(calls.number[row])
    steps = []
    for i, call in enumerate(table.opened[calls.board[row], :before].tolist()):
        theirs = bool((before - i) & 1)
        if not (theirs and call == PASS):
            steps.append(_step(call, theirs))
    return tuple(steps)


def _step(call: int, theirs: bool) -> Step:
    if call >= FIRST_BID:
        return Step(f"{(call - FIRST_BID) // 5 + 1}{'CDHSN'[(call - FIRST_BID) % 5]}", theirs)
    return Step({PASS: "P", DOUBLE: "X", REDOUBLE: "XX"}[call], theirs)


_ORDER = [*(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"), "X", "XX", "P"]
