"""The book of a network, which has no rules to print: what the hands behind its calls have in common.

All four seats bid as the network does. A call that was made often enough after one auction has a row there. The book
counts the hands on other deals that fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import SystemGuided
from agents.networks.meaning import auction_keys
from agents.networks.network import Network
from agents.networks.sampled_meanings import NEVER_PASSED
from agents.networks.tables import all_by
from agents.systems.bidder import deal_features
from agents.systems.explain import player_terms
from agents.systems.explain.player_terms import symbols
from agents.systems.language.paths import readings, step_of
from agents.systems.language.tree import Step
from bridge_env.hands.deals import hand_text
from bridge_env.rng.streams import key as hashed
from bridge_env.rules.calls import PASS
from training.book.card import convention_card
from training.book.graph import Entry, Point
from training.book.measure import Figures, hand_columns, random_boards
from training.book.model import HOLDOUT, figures_model, points_model
from training.book.shows import FEWEST, Coverage, shown
from training.book.survey import NetworkSurvey
from training.evaluation.boards import mean_and_error
from training.evaluation.situations import artificial_calls

_BATCH = 8_192  # deals that a network bids at a time
_LONGEST = 40  # calls of an auction that are listed; longer ones hardly occur
_ARTIFICIAL = 0.5  # of the hands behind a bid
_ORDER = [*(f"{level}{strain}" for level in range(1, 8) for strain in "CDHSN"), "X", "XX", "P"]
LEGEND = (
    "Calls in brackets are theirs; their passes in between are left out. A call is forcing if partner passes it once "
    f"in {1 / NEVER_PASSED:.0f} times at most when the next player passes. A bid is artificial if half or more of its "
    "hands have no four cards in the suit (three to raise partner's). A call shows the points and cards of all but one "
    "hand in 250 on either side. Shares are of the calls there."
)


@dataclass(frozen=True)
class NetworkCalls:
    """Every call of deals that a network bids at all four seats, by board and by call; auctions count from the opening
    on.
    """

    owner: NDArray[np.uint8]
    opened: NDArray[np.int8]  # (boards, _LONGEST), the calls from the opening on, padded with -1
    board: NDArray[np.int64]
    seat: NDArray[np.int64]
    number: NDArray[np.int64]  # calls before it, from the opening on
    late: NDArray[np.bool_]  # opened in third or fourth seat, or about to be
    call: NDArray[np.int8]
    hands: NDArray[np.int8]  # of the caller, int8 (n, len(COLUMNS))
    point: NDArray[np.uint64]  # a hash of the auction before the call
    key: NDArray[np.uint64]  # the same with the call
    artificial: NDArray[np.bool_]
    answer: NDArray[np.int8]  # partner's next call, if the player between passes; else -1

    def __len__(self) -> int:
        return len(self.call)

    def hand(self, row: int) -> str:
        """Return the hand behind a call as text, spades first."""
        return hand_text(self.owner[self.board[row]] == self.seat[row])

    def path(self, row: int) -> tuple[Step, ...]:
        """Return the auction before a call as its player sees it; passes of the other side are left out."""
        before = tuple(self.opened[self.board[row], : self.number[row]].tolist())
        return readings(before, 0, len(before) & 1)[0].steps


def calls_by(
    network: Network | SystemGuided, seed: int, deals: int, tick: Callable[[int], None] = lambda deals: None
) -> NetworkCalls:
    """Return all calls of ``deals`` random deals; ``tick`` is called with their number after every batch."""
    parts = []
    for start in range(0, deals, _BATCH):
        parts.append(_bid(network, seed, start, min(_BATCH, deals - start)))
        tick(len(parts[-1].owner))
    return NetworkCalls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(NetworkCalls)))


def _bid(network: Network | SystemGuided, seed: int, start: int, count: int) -> NetworkCalls:
    owner, dealer, vulnerability = random_boards(seed, start, count)
    auctions = all_by(network, owner, dealer, vulnerability)
    history = np.full((count, _LONGEST + 4), -1, np.int8)
    width = min(_LONGEST, auctions.history.shape[1])
    history[:, :width] = auctions.history[:, :width]
    board, at = np.nonzero(history >= PASS)
    passes = np.minimum((history == PASS).cumprod(axis=1).sum(axis=1), 4)
    opened = np.take_along_axis(history, np.arange(_LONGEST) + passes[:, None], axis=1)
    number = np.maximum(at - passes[board], 0)
    late = at - number >= 2
    before = np.where(number > 0, auction_keys(opened)[board, np.maximum(number - 1, 0)], hashed("to open"))
    point, call = hashed(before, late.astype(np.int64)), history[board, at]
    answer = np.full(history.shape, -1, np.int8)
    answer[:, :-2] = np.where(history[:, 1:-1] == PASS, history[:, 2:], -1)
    seat = (dealer[board].astype(np.int64) + at) & 3
    return NetworkCalls(
        owner, opened, board + start, seat, number, late, call, hand_columns(deal_features(owner)[board, seat]), point,
        hashed(point, call.astype(np.int64)), artificial_calls(history, dealer, owner)[0][board, at], answer[board, at],
    )  # fmt: skip


@dataclass(eq=False)
class NetworkCall(Entry):
    """A call at a point."""

    figures: Figures
    key: int  # of ``NetworkCalls``
    forcing: bool
    artificial: bool

    @property
    def remark(self) -> str:
        """Return in words whether the call forces, and whether it is artificial."""
        return ", ".join(["forcing"] * self.forcing + ["artificial"] * self.artificial)


def points_of(calls: NetworkCalls, deals: int, once_in: int = 0, levels: int | None = None) -> list[Point]:
    """Return every point with calls that were made often enough, or that leads to such, in the order of the book:
    ``levels`` deep (None: all), without calls made less often than ``once_in`` so many deals (0: all).
    """
    found, visited = dict[tuple[bool, tuple[Step, ...]], Point](), np.unique(calls.point, return_counts=True)
    groups = []
    for rows in group_rows(calls.key, max(FEWEST, deals / once_in if once_in else 0)):
        path, late = calls.path(rows[0]), bool(calls.late[rows[0]])
        if levels is None or len(path) < levels:
            step = step_of(int(calls.call[rows[0]]))
            order = late, [(one.theirs, _ORDER.index(one.token)) for one in path], _ORDER.index(step.token)
            groups.append((order, path, step, rows))

    def place(late: bool, path: tuple[Step, ...]) -> Point:
        if (late, path) not in found:
            before = place(late, path[:-1]) if path else None
            point = found[late, path] = Point(len(found), path, late=late)
            if before is not None:
                before.children[path[-1]] = point
        return found[late, path]

    groups.sort(key=lambda group: group[0])
    for index, ((late, *_), path, step, rows) in enumerate(groups):
        point = place(late, path)
        chances = int(visited[1][np.searchsorted(visited[0], calls.point[rows[0]])])
        figures = Figures(
            len(rows), chances, deals, [calls.hand(row) for row in rows[:2].tolist()], [calls.hands[rows]]
        )
        answers = calls.answer[rows][calls.answer[rows] >= 0]
        forcing = step.token != "P" and len(answers) >= FEWEST and float(np.mean(answers == PASS)) <= NEVER_PASSED
        artificial = step.token[0].isdigit() and float(calls.artificial[rows].mean()) >= _ARTIFICIAL
        key = int(calls.key[rows[0]])
        point.entries[step.token] = NetworkCall(index, step, [], point, -1, figures, key, forcing, artificial)
    return list(found.values())


def group_rows(keys: NDArray[np.uint64], fewest: float = 1) -> list[NDArray[np.int64]]:
    """Return the rows of the same key together, in groups of at least ``fewest``."""
    order = np.argsort(keys, kind="stable")
    found = np.split(order, np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1)
    return [group for group in found if len(group) >= fewest]


def coverage(rows: list[NetworkCall], other: NetworkCalls) -> Coverage:
    """Return how many calls on other deals have a row, and how many of their hands fit what it shows."""
    by_key, covered, hands, fitting = {row.key: row for row in rows}, 0, 0, 0
    for found in group_rows(other.key):
        row = by_key.get(int(other.key[found[0]]))
        covered += len(found) if row is not None else 0
        if row is not None and (shows := shown(row.figures)) is not None:
            hands, fitting = hands + len(found), fitting + int(shows.fit(other.hands[found]).sum())
    return Coverage(len(other), covered, hands, fitting)


def make_network_book(
    name: str,
    network: Network | SystemGuided,
    deals: int,
    seed: int,
    *,
    levels: int | None = None,
    once_in: int = 0,
    tick: Callable[[int], None] = lambda deals: None,
) -> dict[str, Any]:
    """Measure a network on random ``deals``; return the JSON model of its book (``training.book.model``). ``levels``
    and ``once_in`` are as in ``points_of``; ``tick`` gets numbers of deals, ``deals + HOLDOUT`` in all.
    """
    calls = calls_by(network, seed, deals, tick)
    points = points_of(calls, deals, once_in, levels)
    rows = [row for point in points for row in point.entries.values() if isinstance(row, NetworkCall)]
    rows.sort(key=lambda row: row.index)
    cover = coverage(rows, calls_by(network, seed + 1, HOLDOUT, tick))
    each = np.bincount(2 * calls.board + (calls.seat & 1), calls.artificial, 2 * len(calls.owner))
    artificial = [100 * figure for figure in mean_and_error(each)]
    return {
        "name": name,
        "comments": [],
        "artificial": artificial,
        "card": convention_card(NetworkSurvey(network)),
        "legend": LEGEND,
        "entries": [_entry(row) for row in rows],
        **points_model(points, lambda entry: True),
        "general": [],
        "facts": [
            f"Figures are of {deals:,} random deals (seed {seed}), dealer and vulnerability by board number, all four "
            "seats bidding as the network does. {:.1f} ± {:.1f} artificial calls in 100 auctions of a side.".format(
                *artificial
            ),
            f"Of the {cover.calls:,} calls on {HOLDOUT:,} other deals (seed {seed + 1}), "
            f"{cover.covered / cover.calls:.1%} have a row after their auction, and {cover.share:.2%} of the hands fit "
            "what it shows.",
        ],
        "terms": [],
        "forcing": [],
    }


def _entry(row: NetworkCall) -> dict[str, Any]:
    return {
        "call": symbols(player_terms.call(row.step)),
        "what": "",
        "remark": row.remark,
        "note": "",
        "flags": row.remark.split(", ") if row.remark else [],
        "point": row.point.index if row.point is not None else None,
        "figures": figures_model(row.figures, str(shown(row.figures) or "")),
    }
