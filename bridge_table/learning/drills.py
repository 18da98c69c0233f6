"""Make bidding drills: positions of deals that a system bids, its calls as the answers, its book's reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agents.meanings import reader
from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.explain import player_terms
from agents.systems.explain.position import rules_for
from agents.systems.language.tree import System
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import parse_hand
from bridge_env.rng import streams
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import PASS, call_text
from bridge_env.rules.cards import SEATS, UNKNOWN, VULNERABILITIES
from bridge_table.board.views import legal_calls
from bridge_table.http.fields import RequestError
from bridge_table.learning.topics import TOPICS, Decision, title_of
from training.book.deals import BidDeals, Calls
from training.book.graph import AuctionGraph, Walker
from training.exam.positions import ALL, FULL, Position, exam_text

DEALS = 1000  # bid at a time
CHUNKS = 24  # times that so many deals are looked through
_SPARE = 5  # times as many candidates as questions, so that rare calls come up too
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


class Search:
    """Finds questions of a topic in deals that a system bids in all four seats.

    Args:
        seed: names the deals.
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
        calls, fits = table.calls, TOPICS[self.topic]
        rows = zip(*(column.tolist() for column in (calls.board, calls.number, calls.seat, calls.call)), strict=True)
        fitting = [
            k for k, (board, number, seat, call) in enumerate(rows)
            if fits(Decision.of(table.history[board, :number].tolist(), table.features[board, seat], call))
        ]  # fmt: skip
        if not fitting:
            return
        chosen = calls.take(np.array(fitting))
        for k, line in enumerate(table.lines(chosen).tolist()):
            self.found.setdefault(line, []).append(self._position(table, chosen, k))

    def _position(self, table: BidDeals, calls: Calls, k: int) -> Position:
        board, call = int(calls.board[k]), int(calls.call[k])
        auction = tuple(int(c) for c in table.history[board, : int(calls.number[k])])
        return Position(
            self.topic, ALL, int(table.vulnerability[board]), int(table.dealer[board]), auction,
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
        """Return a drill: each line of the system in turn, in random order, and few passes.

        Raises:
            RequestError: nothing was found.
        """
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
        mixed = np.argsort(streams.key("drill order", self.seed, np.arange(len(chosen))), kind="stable")
        return Drill(spec, {self.topic: title_of(self.topic)}, tuple(chosen[int(k)] for k in mixed))


def question(drill: Drill, number: int) -> dict[str, Any]:
    """Return a question without its answer: the hand and the auction."""
    position = drill.questions[number]
    read = reader(*(drill.readers[number] if drill.readers else (drill.spec, drill.spec)))
    auction, dealer, vulnerability = list(position.auction), position.dealer, position.vulnerability
    return {
        "title": drill.titles[position.area], "hand": position.hand, "seat": SEATS[position.seat],
        "board": {"dealer": SEATS[dealer], "vulnerability": VULNERABILITIES[vulnerability]},
        "calls": [
            {"call": call_text(call), "seat": SEATS[(dealer + k) & 3],
             "shows": read.call(auction[:k], dealer, vulnerability, call).as_json()}
            for k, call in enumerate(auction)
        ],
        "legal": legal_calls(one_auction(auction, dealer, vulnerability)),
        "shows": {call_text(c): shows.as_json() for c, shows in read.every(auction, dealer, vulnerability).items()},
    }  # fmt: skip


def answer(drill: Drill, number: int, call: int) -> dict[str, Any]:
    """Return the points of an answer, and the accepted calls with the reason. The first answer to a question counts.

    Raises:
        IllegalCall: the call is not legal there.
    """
    position = drill.questions[number]
    auctions = one_auction(position.auction, position.dealer, position.vulnerability)
    auctions.step(call)
    drill.answers.setdefault(number, call)
    return {
        "call": call_text(call), "points": position.points(call), "reason": position.reason,
        "accepted": {call_text(c): points for c, points in position.answers},
    }  # fmt: skip


def wrong_file(drill: Drill) -> dict[str, Any]:
    """Return the wrong answers as a file, which the page and ``bridge-env exam --file`` read.

    Raises:
        RequestError: there are none.
    """
    wrong = [drill.questions[k] for k, call in sorted(drill.answers.items()) if drill.questions[k].points(call) < FULL]
    if not wrong:
        raise RequestError("Nothing was answered wrong so far.", 409)
    whose = "that the review found better" if drill.mistakes else f"of {drill.spec}"
    comment = f"Wrong answers; the calls are those {whose}. Open this file on the practice page to repeat them."
    return {"name": "wrong.exam", "text": exam_text(wrong, drill.titles, comment)}
