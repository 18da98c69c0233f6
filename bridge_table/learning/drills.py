"""Make bidding drills: positions of deals that a system bids, its calls as the answers, its book's reasons.

From easy to hard, by the gap between the two best calls; a call that is hardly worse is a second answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agents.lookahead.lookahead import Lookahead
from agents.registry import reader_of, system_of
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.explain import player_terms
from agents.systems.explain.position import Position as AuctionPosition
from agents.systems.explain.position import rules_for
from agents.systems.explain.sums import Sum, sums_of
from agents.systems.language.tree import System
from bridge_env.bidders.view import public_view, view_of
from bridge_env.hands.deals import parse_hand
from bridge_env.hands.features import hand_features
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import PASS, call_text, histories_of
from bridge_env.rules.cards import SEATS, UNKNOWN, VULNERABILITIES
from bridge_table.board.hints import lookahead
from bridge_table.board.views import legal_calls
from bridge_table.http.requests import RequestError
from bridge_table.learning.topics import TOPICS, Decision, title_of, topic_of
from training.book.graph import AuctionGraph, Walker
from training.book.measure import BidDeals, Calls
from training.book.model import card_row
from training.exam.positions import ALL, FULL, Position

DEALS = 1000  # bid at a time
CHUNKS = 24  # times that so many deals are looked through
_SPARE = 5  # times as many candidates as questions, so that rare calls come up too
ANY = "any"  # in place of a topic: questions of all of them
CARDS = "cards"  # in place of a topic: calls by scorecards, which a person adds up
_CLOSE, _REASONABLE = 1.0, 5  # a call that is at most so many IMPs worse by look-ahead scores so many points
_PASSES = 4  # at most one question in so many is answered by a pass


@dataclass
class Drill:
    """Questions to a person, and the answers."""

    spec: str  # of the bidder by which calls are read
    titles: dict[str, str]  # of the areas
    questions: tuple[Position, ...]  # in order
    answers: dict[int, int] = field(default_factory=dict)  # by question, the first answer
    # by question, its number in the database; empty where the questions are no mistakes of the person's own
    mistakes: tuple[int, ...] = ()
    # by question, the bidders of both sides by which its auction is read; empty: all by ``spec``
    readers: tuple[tuple[str, str], ...] = ()
    shows_cards: bool = False  # with each question comes the scorecard that decides


class Search:
    """Finds questions of a topic, one of ``TOPICS``, ``ANY`` or ``CARDS``, in deals of ``seed`` that a system bids in
    all seats.
    """

    def __init__(self, system: System, topic: str, count: int, seed: int) -> None:
        self.topic, self.count, self.seed = topic, count, seed
        self.graph = AuctionGraph(system)
        self.hierarchy, self.walker = Hierarchy(self.graph.system), Walker(self.graph)
        self.bidder = HierarchyBidder(self.hierarchy)
        self.lines = {line.number: line for entry in self.graph.entries for line in entry.lines}
        self.found: dict[int, list[Position]] = {}  # by the line that makes the call
        self.chunks = 0

    def _search_chunk(self) -> None:
        table = BidDeals(self.hierarchy, self.walker, self.seed, self.chunks * DEALS, DEALS)
        self.chunks += 1
        calls = table.calls
        rows = zip(*(column.tolist() for column in (calls.board, calls.number, calls.seat, calls.call)), strict=True)
        areas = {
            k: self._area(Decision.of(table.history[board, :number].tolist(), table.features[board, seat], call))
            for k, (board, number, seat, call) in enumerate(rows)
        }
        fitting = {k: area for k, area in areas.items() if area is not None}
        if not fitting:
            return
        chosen = calls.take(np.array(list(fitting)))
        for k, (line, area) in enumerate(zip(table.lines(chosen).tolist(), fitting.values(), strict=True)):
            if self.topic != CARDS or (line in self.lines and self.lines[line].score is not None):
                self.found.setdefault(line, []).append(self._position(table, chosen, k, area))

    def _area(self, decision: Decision) -> str | None:
        """Return the topic of a decision; None where it is not wanted."""
        if self.topic == CARDS:
            return topic_of(decision) or "other"
        if self.topic == ANY:
            return topic_of(decision)
        return self.topic if TOPICS[self.topic](decision) else None

    def _position(self, table: BidDeals, calls: Calls, k: int, area: str) -> Position:
        board, call = int(calls.board[k]), int(calls.call[k])
        auction = tuple(int(c) for c in table.history[board, : int(calls.number[k])])
        return Position(
            area, ALL, int(table.vulnerability[board]), int(table.dealer[board]), auction,
            table.hand(calls, k), ((call, FULL),), "", f"deal {self.chunks}:{board}",
        )  # fmt: skip

    def _explained(self, position: Position, number: int) -> Position:
        """Return the position with the reason of a line for its call, suits filled in."""
        line = self.lines.get(number)
        if line is None:
            return replace(position, reason="no line of the system fits, so it passes")
        auctions = one_auction(position.auction, position.dealer, position.vulnerability)
        owner = np.full((1, 52), UNKNOWN, np.uint8)
        owner[0, parse_hand(position.hand)] = position.seat
        rules = rules_for(self.bidder, view_of(auctions, owner), position.answers[0][0])
        found = next((rule.needs for rule in rules if rule.line.number == number), line.constraint)
        promise = player_terms.promise(found) if found else "no other call fits"
        words = ": ".join([*filter(None, [", ".join(dict.fromkeys(player_terms.remark(line).split(", ")))]), promise])
        entry = self.graph.of_line[number]
        where = "a general rule" if entry.point is None else player_terms.path((*entry.point.path, entry.step))
        return replace(position, reason=player_terms.symbols(f"{words} ({where})"))

    def drill(self, spec: str) -> Drill:
        """Return a drill from easy to hard, each line in turn, and few passes; raise ``RequestError`` where nothing was
        found.
        """
        if self.topic == CARDS and not any(block.weighs for block in self.graph.system.blocks):
            raise RequestError(f"{spec} has no scorecards; choose another system, such as system:champion.")
        while self.chunks < CHUNKS and sum(map(len, self.found.values())) < _SPARE * self.count:
            self._search_chunk()
        if not self.found:
            raise RequestError(f"On {self.chunks * DEALS:,} deals nothing came up of: {title_of(self.topic)}.", 404)
        lines = sorted(self.found)
        order = np.argsort(streams.key("drill", self.seed, np.array(lines) + 1), kind="stable")
        chosen: list[Position] = []
        passes = self.count // _PASSES
        for depth in range(max(map(len, self.found.values()))):
            for line in (lines[int(k)] for k in order):
                if depth >= len(self.found[line]) or len(chosen) == self.count:
                    continue
                position = self.found[line][depth]
                passed = position.points(PASS) == FULL
                if not passed or passes > 0:
                    chosen.append(self._explained(position, line))
                    passes -= passed
        titles = {position.area: title_of(position.area) for position in chosen}
        if self.topic == CARDS:
            totals = ([*(one.total for one in _sums(spec, position)), 0] for position in chosen)
            order = np.argsort([second - first for first, second, *_ in totals], kind="stable")  # the clearest first
            return Drill(spec, titles, tuple(chosen[k] for k in order), shows_cards=True)
        return Drill(spec, titles, _from_easy_to_hard(chosen, spec, self.seed))


def _sums(spec: str, position: Position) -> list[Sum]:
    """Return the sums of the calls that a system's scorecards weigh at a question, the highest first."""
    system = system_of(spec)
    assert system is not None
    auctions = one_auction(position.auction, position.dealer, position.vulnerability)
    hand = parse_hand(position.hand)
    return sums_of(AuctionPosition(HierarchyBidder(system), public_view(auctions)), hand_features(hand[None])[0])


def _cards(spec: str, position: Position) -> dict[str, Any]:
    """Return the scorecard that decides a question: its situation, and a row for each call that is weighed."""
    sums, system = sorted(_sums(spec, position), key=lambda one: one.call), system_of(spec)
    assert system is not None
    block = next(block for block in system.system.blocks if sums[0].line in block.lines)
    rows = [{**card_row(one.line), "call": call_text(one.call)} for one in sums]
    return {"when": player_terms.symbols(player_terms.promise(block.when)), "rows": rows}


def _from_easy_to_hard(positions: list[Position], spec: str, seed: int) -> tuple[Position, ...]:
    """Return positions in the order of the gap between their two best calls by look-ahead, the widest first.

    Calls that are hardly worse than the system's become second answers.
    """
    player = lookahead(spec, spec)
    if not isinstance(player, Lookahead):
        return tuple(positions)
    owners = np.full((len(positions), 52), UNKNOWN, np.uint8)
    for row, position in enumerate(positions):
        owners[row, parse_hand(position.hand)] = position.seat
    auctions = Auctions.replay(
        histories_of([position.auction for position in positions]),
        np.array([position.dealer for position in positions]),
        np.array([position.vulnerability for position in positions]),
    )
    keys = streams.key("drill gap", seed, np.arange(len(positions)))
    graded = []
    for position, found in zip(positions, player.think_all(view_of(auctions, owners), keys), strict=True):
        right = position.answers[0][0]
        worth = dict(zip(found.calls, found.gain.tolist(), strict=False))
        behind = {call: worth[right] - gain for call, gain in worth.items() if call != right} if right in worth else {}
        seconds = tuple((call, _REASONABLE) for call, less in behind.items() if less <= _CLOSE)
        graded.append((min(behind.values(), default=np.inf), replace(position, answers=position.answers + seconds)))
    return tuple(position for _, position in sorted(graded, key=lambda one: -one[0]))


def question(drill: Drill, number: int) -> dict[str, Any]:
    """Return a question without its topic and its answer: the hand and the auction."""
    position = drill.questions[number]
    read = reader_of(*(drill.readers[number] if drill.readers else (drill.spec, drill.spec)))
    auction, dealer, vulnerability = list(position.auction), position.dealer, position.vulnerability
    every = read.shows_of_all(auction, dealer, vulnerability)
    cards = {"cards": _cards(drill.spec, position)} if drill.shows_cards else {}
    return {
        "hand": position.hand, "seat": SEATS[position.seat], **cards,
        "board": {"dealer": SEATS[dealer], "vulnerability": VULNERABILITIES[vulnerability]},
        "calls": [
            {"call": call_text(call), "seat": SEATS[(dealer + k) & 3],
             "shows": read.shows(auction[:k], dealer, vulnerability, call).as_json()}
            for k, call in enumerate(auction)
        ],
        "legal": legal_calls(one_auction(auction, dealer, vulnerability)),
        "shows": {call_text(c): shows.as_json() for c, shows in every.items()},
    }  # fmt: skip


def answer(drill: Drill, number: int, call: int) -> dict[str, Any]:
    """Return the points of an answer, of which the first counts, and the accepted calls with the reason; raise
    ``IllegalCall`` where it is not legal.
    """
    position = drill.questions[number]
    auctions = one_auction(position.auction, position.dealer, position.vulnerability)
    auctions.step(call)
    drill.answers.setdefault(number, call)
    return {
        "title": drill.titles[position.area], "call": call_text(call), "points": position.points(call),
        "reason": position.reason,
        "accepted": {call_text(c): points for c, points in position.answers},
        "sums": list(map(str, _sums(drill.spec, position))) if drill.shows_cards else [],
    }  # fmt: skip
