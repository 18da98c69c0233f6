"""Build the rows of a network's book: what the hands behind a call have in common, by auction and by situation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.sampled_meanings import NEVER_PASSED
from agents.systems.explain import player_terms
from agents.systems.language.paths import step_of
from agents.systems.language.tree import Step
from bridge_env.rules.calls import DOUBLE, FIRST_BID, PASS
from training.book import situations
from training.book.call_table import NetworkCalls, group_rows, steps_of
from training.book.deals import COLUMNS
from training.book.graph import Entry, Point
from training.book.measure import Figures, nine_in_ten, per_hundred
from training.book.shows import EACH, FEWEST, Shows, shown

_RARE, _RARE_SITUATION = 8_000, 600  # a call has a row that came up once in so many deals
LONG = 3  # cards that are worth a word
_LONG_KNOWN = 4  # where it is a suit that was named before
_WIDEST = 11  # points: the range of nine in ten hands in a situation says nothing if it is wider
RARELY, _TO_GAME, _ARTIFICIAL = 0.1, 0.97, 0.5
EXAMPLES = 2
_MOST_HCP = 37
SLACK = 2  # points by which the tenth hand may miss the range of nine
_NEWS = 2  # points by which a situation's range has to be narrower than a coarser one's


@dataclass(eq=False)
class NetworkCall(Entry):
    """A call at a point, or in a situation, whose number is ``block``."""

    name: str  # of the call, in words
    figures: Figures  # how often it is made, and on which hands
    shows: Shows  # points within ``SLACK`` of those of nine in ten hands, and cards
    strength: tuple[str, int, int]  # ``hcp`` or ``points``, in which nine in ten hands span less, from, and to
    mostly: str  # cards of nine in ten hands: of a double in their suit, of a bid in its own if ``shows`` lacks that
    artificial: bool  # at half of its times or more it is artificial, and no raise
    # of the times that the next player passed, the share at which partner passed too; None of a pass, and where that
    # was too seldom
    passed: float | None
    to_game: bool  # where the opponents always passed after it, its side came to game

    @property
    def remark(self) -> str:
        """Return in words whether the call forces, and whether it is artificial."""
        force = ""
        if self.passed is not None and self.passed <= RARELY:
            force = "rarely passed"
            if self.passed <= NEVER_PASSED:
                force = "forcing to game" if self.to_game else "forcing"
        return ", ".join(filter(None, [force, "artificial" if self.artificial else ""]))

    @property
    def span(self) -> int:
        """Return how many points nine in ten hands span."""
        return self.strength[2] - self.strength[1]

    @property
    def usual(self) -> str:
        """Return the points of nine in ten hands: ``6-9 HCP``."""
        unit, low, high = self.strength
        return f"{player_terms.span(low, high)} {'points' if unit == 'points' else 'HCP'}"

    @property
    def cards(self) -> str:
        """Return the cards that the call shows: ``4+!h, 2-3 in partner's``."""
        parts = []
        for name, least, most in self.shows.ranges[1:]:
            if name == EACH:
                parts.append(f"{player_terms.span(least, most)} in each suit")
            elif least >= (_LONG_KNOWN if name in ("in mine", "in partner's") else LONG) or most < LONG:
                of = {"x": " in it"}.get(name, player_terms.suit(name) if len(name) == 1 else f" {name}")
                parts.append(f"{player_terms.span(least, most, 8)}{of}")
        return ", ".join([*parts, *([self.mostly] if self.mostly else [])])


@dataclass(frozen=True)
class HoldoutCalls:
    """Calls on other deals with the rows that they have.

    Attributes:
        row: int32 (n, 1 + GRAINS), the row of the auction, then those of situations from the finest; -1: none.
        fits: bool (n, 1 + GRAINS), whether the hand fits the row.
    """

    row: NDArray[np.int32]
    fits: NDArray[np.bool_]


class RowBuilder:
    """Builds the rows of some calls.

    Attributes:
        rows: built so far; a row's index is its place.
        tables: the auctions', then by grain: the keys of rows, rising, and their indices.
    """

    def __init__(self, calls: NetworkCalls, deals: int) -> None:
        self.calls, self.deals = calls, deals
        self.rows: list[NetworkCall] = []
        self.tables: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []
        self._covered = np.zeros(len(calls), np.bool_)

    def points(self) -> list[Point]:
        """Return every point that has bids and doubles that are not too rare, or leads to them."""
        calls, found = self.calls, dict[tuple[bool, tuple[Step, ...]], Point]()
        visited, visits = np.unique(calls.point, return_counts=True)
        groups = []
        for rows in group_rows(calls.key, np.flatnonzero(calls.call != PASS), self._fewest(_RARE)):
            path, late = steps_of(calls.calls_before(rows[0])), bool(calls.late[rows[0]])
            order = late, [(step.theirs, _ORDER.index(step.token)) for step in path]
            groups.append(((*order, _ORDER.index(step_of(int(calls.call[rows[0]])).token)), late, path, rows))

        def place(late: bool, path: tuple[Step, ...]) -> Point:
            if (late, path) not in found:
                before = place(late, path[:-1]) if path else None
                point = found[late, path] = Point(len(found), path, late=late)
                if before is not None:
                    before.children[path[-1]] = point
            return found[late, path]

        groups.sort(key=lambda group: group[0])
        for _, late, path, rows in groups:
            figures = self._figures(rows, int(visits[np.searchsorted(visited, calls.point[rows[0]])]))
            figures.hands[:, 5:] = -1  # suits are known by name here
            call = self._row(rows, figures, player_terms.of_call(int(calls.call[rows[0]])), place(late, path))
            found[late, path].entries[call.step.token] = call
        self._add_table(calls.key[np.array([rows[0] for *_, rows in groups], np.int64)])
        return list(found.values())

    def situations(self) -> dict[situations.Situation, list[NetworkCall]]:
        """Return the calls by situation: each grain of those without a finer row, and of all doubles."""
        calls, out = self.calls, dict[situations.Situation, list[NetworkCall]]()
        doubles = situations.is_double(calls.situation)
        rest = ~self._covered | doubles
        coarser = self._spans(np.flatnonzero(rest))
        for grain in range(situations.GRAINS):
            firsts = []
            key, bare = (situations.grain_keys(calls.situation, grain, bare=bare) for bare in (False, True))
            left = np.flatnonzero(rest & (key != 0))
            visited, visits = np.unique(bare[left], return_counts=True)
            for rows in group_rows(key, left, self._fewest(_RARE_SITUATION)):
                row, one = int(rows[0]), calls.situation[rows[0]]
                figures = self._figures(rows, int(visits[np.searchsorted(visited, bare[row])]))
                figures.suits = {0, 1, 2, 3}  # they have other names here
                call = self._row(rows, figures, situations.call_words(one), None)
                news = doubles[row] or call.span <= coarser[grain, row] - _NEWS
                if call.span > _WIDEST or not news:
                    self.rows.pop()
                    continue
                rest[rows] = False
                firsts.append(row)
                out.setdefault(situations.describe_situation(one, grain), []).append(call)
            self._add_table(key[np.array(firsts, np.int64)])
        for found in out.values():
            found.sort(key=lambda call: (call.step.token != "P", _ORDER.index(call.step.token)))
        return dict(sorted(out.items(), key=lambda item: item[0].order))

    def artificial(self) -> tuple[float, float]:
        """Return artificial calls in 100 auctions of a side, and the standard error."""
        calls = self.calls
        return per_hundred(np.bincount(2 * calls.board + (calls.seat & 1), calls.artificial, 2 * len(calls.owner)))

    def holdout(self, other: NetworkCalls) -> HoldoutCalls:
        """Find the rows of calls on other deals, and whether their hands fit them."""
        row = np.full((len(other), 1 + situations.GRAINS), -1, np.int32)
        fits = np.zeros(row.shape, np.bool_)
        for column, (keys, index) in enumerate(self.tables):
            key = other.key if column == 0 else situations.grain_keys(other.situation, column - 1)
            at = np.minimum(np.searchsorted(keys, key), max(len(keys) - 1, 0))
            known = np.flatnonzero(keys[at] == key) if len(keys) else np.empty(0, np.int64)
            row[known, column] = index[at[known]]
            for rows in group_rows(row[:, column], known, 1):
                fits[rows, column] = self.rows[row[rows[0], column]].shows.fit(other.hands[rows])
        return HoldoutCalls(row, fits)

    def _fewest(self, one_in: int) -> float:
        """Return how often a call must occur to have a row."""
        return max(FEWEST, self.deals / one_in)

    def _spans(self, rows: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return by grain and call how many points nine in ten hands span in the best of all coarser grains."""
        out = np.full((situations.GRAINS, len(self.calls)), _MOST_HCP, np.int8)
        for grain in range(1, situations.GRAINS):
            key = situations.grain_keys(self.calls.situation, grain)
            for found in group_rows(key, rows[key[rows] != 0], self._fewest(_RARE_SITUATION)):
                _, low, high = self._band(found)
                if high - low <= _WIDEST:
                    out[:grain, found] = np.minimum(out[:grain, found], high - low)
        return out

    def _add_table(self, keys: NDArray[np.uint64]) -> None:
        """Add the keys of the rows built last."""
        order = np.argsort(keys)
        self.tables.append((keys[order], (len(self.rows) - len(keys) + order).astype(np.int32)))

    def _figures(self, rows: NDArray[np.int64], chances: int) -> Figures:
        figures = Figures(len(rows), chances, self.deals, [self.calls.hand(row) for row in rows[:EXAMPLES].tolist()])
        figures.parts.append(self.calls.hands[rows])
        self._covered[rows] = True
        return figures

    def _row(self, rows: NDArray[np.int64], figures: Figures, name: str, point: Point | None) -> NetworkCall:
        calls, step = self.calls, step_of(int(self.calls.call[rows[0]]))
        unit, low, high = self._band(rows)
        statement = shown(figures)
        cards = [one for one in (statement.ranges if statement else ()) if one[0] not in ("hcp", "points")]
        shows = Shows(((unit, max(0, low - SLACK), high + SLACK), *cards))
        answers, games = calls.answer[rows], calls.game[rows]
        answers, games = answers[answers >= 0], games[games >= 0]
        passed = float(np.mean(answers == PASS)) if step.token != "P" and len(answers) >= FEWEST else None
        bid = int(calls.call[rows[0]]) - FIRST_BID
        below_game = bid >= 0 and bid // 5 + 1 < (5, 5, 4, 4, 3)[bid % 5]
        to_game = below_game and len(games) >= FEWEST and float(games.mean()) >= _TO_GAME
        often = calls.artificial[rows].mean() >= _ARTIFICIAL
        artificial = bid >= 0 and bool(often) and not situations.is_raise(calls.situation[rows[0]])
        row = NetworkCall(
            len(self.rows), step, [], point, -1, name, figures, shows, (unit, low, high),
            self._mostly(rows, bid, shows), artificial, passed, to_game,
        )  # fmt: skip
        self.rows.append(row)
        return row

    def _band(self, rows: NDArray[np.int64]) -> tuple[str, int, int]:
        """Return the range of nine in ten hands in ``hcp`` or ``points``, whichever spans less."""
        both = [(unit, *nine_in_ten(self.calls.hands[rows, COLUMNS.index(unit)])) for unit in ("hcp", "points")]
        return min(both, key=lambda band: band[2] - band[1])

    def _mostly(self, rows: NDArray[np.int64], bid: int, shows: Shows) -> str:
        """Describe the cards of nine in ten hands: of a double in their suit, of a bid in its own."""
        long = {name for name, low, _ in shows.ranges if low >= LONG}
        if bid % 5 == 4 or (bid >= 0 and long & {"x", "CDHSN"[bid % 5]}):
            return ""
        cards = self.calls.hands[rows, COLUMNS.index("x" if bid >= 0 else "in theirs")]
        if (cards < 0).any():
            return ""
        low, high = nine_in_ten(cards)
        if bid >= 0:
            return f"mostly {player_terms.span(low, high)} in it" if low >= LONG else ""
        return f"mostly {player_terms.span(low, high)} in theirs" if self.calls.call[rows[0]] == DOUBLE else ""


_ORDER = [*(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"), "X", "XX", "P"]
