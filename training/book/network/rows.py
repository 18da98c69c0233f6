"""The rows of a network's book: what the hands behind a call have in common, by auction and by situation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.language.paths import step_of
from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling import wording
from agents.networks.drawn import NEVER_PASSED
from bridge_env.calls import DOUBLE, FIRST_BID, PASS
from training.book.measured.auctions import alike
from training.book.measured.measure import HELD, Figures, nine_in_ten, per_hundred
from training.book.measured.shows import FEWEST, Shows, shown
from training.book.network import situations
from training.book.network.calls import NetworkCalls

_RARE, _RARE_SITUATION = 8_000, 600  # a call has a row that came up once in so many deals
LONG = 3  # cards that are worth telling
_WIDEST = 11  # points: what nine in ten hands in a situation hold says nothing if they span more
RARELY, _TO_GAME, _ARTIFICIAL = 0.1, 0.97, 0.5
EXAMPLES = 2
_MOST_HCP = 37
SLACK = 2  # points by which the tenth hand may miss what nine hold
_NEWS = 2  # points by which a situation has to tell more than a coarser one


@dataclass(eq=False)
class NetworkCall:
    """A call at a point, or in a situation."""

    index: int
    step: Step
    name: str  # of the call, in words
    figures: Figures  # how often it is made, and on what
    said: Shows  # what it shows: points within ``SLACK`` of those of nine in ten hands, and cards
    points: tuple[str, int, int]  # ``hcp`` or ``points``, in which nine in ten hands span less, from, and to
    mostly: str  # cards that nine in ten hold: of a double in theirs, of a bid in it if what it shows does not say that
    artificial: bool  # at half of its times or more it is a code word, and no raise
    # of the times that the next player passed, the share at which partner passed too; None of a pass, and where that
    # was too seldom
    passed: float | None = None
    to_game: bool = False  # where the opponents always passed after it, its side came to game

    @property
    def force(self) -> str:
        """``GF`` forcing to game, ``F`` forcing, ``R`` rarely passed; empty where partner often passes."""
        if self.passed is None or self.passed > RARELY:
            return ""
        return "R" if self.passed > NEVER_PASSED else "GF" if self.to_game else "F"

    @property
    def span(self) -> int:
        """How many points nine in ten hands span."""
        return self.points[2] - self.points[1]


@dataclass(eq=False)
class NetworkPoint:
    """A point of the auction, as its next caller sees it: the path that leads there, and the calls made there."""

    path: tuple[Step, ...]
    late: bool  # opened in third or fourth seat, or about to be
    calls: list[NetworkCall] = field(default_factory=list)


@dataclass(eq=False)
class Situation:
    """A situation and the calls made in it: the title of the chapter, what both partners have done, over which bid."""

    title: str
    mine: str
    partner: str
    last: str
    calls: list[NetworkCall] = field(default_factory=list)


@dataclass(frozen=True)
class Fresh:
    """Calls on other deals: by column the row of the auction, then those of situations from the finest (-1: none), and
    whether the hand keeps to it: int32 and bool (n, 1 + GRAINS)."""

    row: NDArray[np.int32]
    keeps: NDArray[np.bool_]


def least(deals: int, one_in: int = _RARE) -> float:
    """Return how often a call must occur in so many deals to enter the book."""
    return max(FEWEST, deals / one_in)


class Maker:
    """Makes the rows of some calls.

    Attributes:
        rows: made so far; a row's index is its place.
        tables: by grain, -1 for auctions: the keys of rows, rising, and their indices.
    """

    def __init__(self, calls: NetworkCalls, deals: int) -> None:
        self.calls, self.deals = calls, deals
        self.rows: list[NetworkCall] = []
        self.tables: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        self._told = np.zeros(len(calls), np.bool_)

    def points(self) -> list[NetworkPoint]:
        """Every point with its bids and doubles that are not too rare."""
        calls, out, keys = self.calls, dict[int, NetworkPoint](), []
        visited, visits = np.unique(calls.point, return_counts=True)
        for rows in alike(calls.key, np.flatnonzero(calls.call != PASS), least(self.deals)):
            row, at = int(rows[0]), int(calls.point[rows[0]])
            if at not in out:
                out[at] = NetworkPoint(calls.path(row), bool(calls.late[row]))
            figures = self._figures(rows, int(visits[np.searchsorted(visited, at)]))
            figures.held[:, 5:] = -1  # suits are known by name here
            out[at].calls.append(self._row(rows, figures, wording.of_call(int(calls.call[row]))))
            keys.append(int(calls.key[row]))
        self._keep(keys)
        for one in out.values():
            one.calls.sort(key=lambda call: _ORDER.index(call.step.token))
        return sorted(out.values(), key=lambda p: (p.late, [(s.theirs, _ORDER.index(s.token)) for s in p.path]))

    def situations(self) -> list[Situation]:
        """Every situation with what is called in it: each grain of what no finer row tells, and of all doubles."""
        calls, out = self.calls, dict[tuple[str, str, str, str], Situation]()
        doubles = situations.is_double(calls.seen)
        rest = ~self._told | doubles
        coarser = self._spans(np.flatnonzero(rest))
        for grain in range(situations.GRAINS):
            keys = list[int]()
            key, bare = (situations.grain_keys(calls.seen, grain, bare=bare) for bare in (False, True))
            left = np.flatnonzero(rest & (key != 0))
            visited, visits = np.unique(bare[left], return_counts=True)
            for rows in alike(key, left, least(self.deals, _RARE_SITUATION)):
                row = int(rows[0])
                figures = self._figures(rows, int(visits[np.searchsorted(visited, bare[row])]))
                figures.suits = {0, 1, 2, 3}  # they have other names here
                call = self._row(rows, figures, situations.call_words(calls.seen[row]))
                news = doubles[row] or call.span <= coarser[grain, row] - _NEWS
                if call.span > _WIDEST or not news:
                    self.rows.pop()
                    continue
                rest[rows] = False
                keys.append(int(key[row]))
                place = (situations.chapter(calls.seen[row]), *situations.situation_words(calls.seen[row], grain))
                out.setdefault(place, Situation(*place)).calls.append(call)
            self._keep(keys)
        for one in out.values():
            one.calls.sort(key=lambda call: (call.step.token != "P", _ORDER.index(call.step.token)))
        others = "Any other", "else"
        return sorted(
            out.values(),
            key=lambda one: (one.title, one.mine in others, one.mine, one.partner in others, one.partner, one.last),
        )

    def _spans(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """By grain and call: how many points nine in ten hands span in the best of all coarser grains."""
        out = np.full((situations.GRAINS, len(self.calls)), _MOST_HCP, np.int8)
        for grain in range(1, situations.GRAINS):
            key = situations.grain_keys(self.calls.seen, grain)
            for found in alike(key, rows[key[rows] != 0], least(self.deals, _RARE_SITUATION)):
                _, low, high = self._band(found)
                if high - low <= _WIDEST:
                    out[:grain, found] = np.minimum(out[:grain, found], high - low)
        return out

    def _keep(self, keys: list[int]) -> None:
        """Remember the rows made last by their keys."""
        found = np.array(keys, np.uint64)
        order = np.argsort(found)
        self.tables.append((found[order], (len(self.rows) - len(keys) + order).astype(np.int32)))

    def _figures(self, rows: NDArray[np.int64], chances: int) -> Figures:
        figures = Figures(len(rows), chances, self.deals, [self.calls.hand(row) for row in rows[:EXAMPLES].tolist()])
        figures.parts.append(self.calls.held[rows])
        self._told[rows] = True
        return figures

    def _row(self, rows: NDArray[np.int64], figures: Figures, name: str) -> NetworkCall:
        calls, step = self.calls, step_of(int(self.calls.call[rows[0]]))
        unit, low, high = self._band(rows)
        cards = shown(figures, lambda name, top: [(0, top)])
        told = [one for one in (cards.ranges if cards is not None else ()) if one[0] not in ("hcp", "points")]
        said = Shows(((unit, max(0, low - SLACK), high + SLACK), *told))
        answers, games = calls.answer[rows], calls.game[rows]
        answers, games = answers[answers >= 0], games[games >= 0]
        passed = float(np.mean(answers == PASS)) if step.token != "P" and len(answers) >= FEWEST else None
        bid = int(calls.call[rows[0]]) - FIRST_BID
        below = bid >= 0 and bid // 5 + 1 < (5, 5, 4, 4, 3)[bid % 5]
        to_game = below and len(games) >= FEWEST and float(games.mean()) >= _TO_GAME
        artificial = (
            bid >= 0 and calls.coded[rows].mean() >= _ARTIFICIAL and not situations.is_raise(calls.seen[rows[0]])
        )
        mostly = self._mostly(rows, bid, said)
        self.rows.append(
            NetworkCall(
                len(self.rows), step, name, figures, said, (unit, low, high), mostly, artificial, passed, to_game
            )
        )
        return self.rows[-1]

    def _band(self, rows: NDArray[np.int64]) -> tuple[str, int, int]:
        """What nine in ten hands hold: ``hcp`` or ``points``, whichever spans less."""
        both = [(unit, *nine_in_ten(self.calls.held[rows, HELD.index(unit)])) for unit in ("hcp", "points")]
        return min(both, key=lambda band: band[2] - band[1])

    def _mostly(self, rows: NDArray[np.int64], bid: int, said: Shows) -> str:
        """The cards of nine in ten hands: of a double in their suit, of a bid in its own if ``said`` has it not."""
        names = {name for name, low, _ in said.ranges if low >= LONG}
        if bid % 5 == 4 or (bid >= 0 and names & {"x", "CDHSN"[bid % 5]}):
            return ""
        name = "x" if bid >= 0 else "in theirs"
        cards = self.calls.held[rows, HELD.index(name)]
        if (cards < 0).any():
            return ""
        low, high = nine_in_ten(cards)
        if bid >= 0:
            return f"mostly {wording.span(low, high)} in it" if low >= LONG else ""
        return f"mostly {wording.span(low, high)} in theirs" if self.calls.call[rows[0]] == DOUBLE else ""

    def code_words(self) -> tuple[float, float]:
        """For each 100 auctions of a side, and the standard error of that."""
        calls = self.calls
        return per_hundred(np.bincount(2 * calls.board + (calls.seat & 1), calls.coded, 2 * len(calls.owner)))

    def held_against(self, fresh: NetworkCalls) -> Fresh:
        """Find the rows of other calls, and whether their hands keep to them."""
        row = np.full((len(fresh), 1 + situations.GRAINS), -1, np.int32)
        keeps = np.zeros(row.shape, np.bool_)
        for column, (keys, index) in enumerate(self.tables):
            key = fresh.key if column == 0 else situations.grain_keys(fresh.seen, column - 1)
            at = np.minimum(np.searchsorted(keys, key), max(len(keys) - 1, 0))
            known = np.flatnonzero(keys[at] == key) if len(keys) else np.empty(0, np.int64)
            row[known, column] = index[at[known]]
            for rows in alike(row[:, column], known, 1):
                keeps[rows, column] = self.rows[row[rows[0], column]].said.fit(fresh.held[rows])
        return Fresh(row, keeps)


_ORDER = [*(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"), "X", "XX", "P"]
