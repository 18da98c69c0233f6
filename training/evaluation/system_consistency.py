"""Measure how often the hands of a pair agree, at the end of the auction, with what a book says that its calls show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import Book
from agents.registry import system_of
from agents.systems.bidder import Hierarchy, deal_features
from agents.systems.engine.state_cache import Queries
from agents.systems.language.columns import QUANTITY
from bridge_env.bidders.protocols import Bidder
from bridge_env.hands.features import FEATURES, HCP, POINTS
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.rules.auction import DEALER, STATE_COLUMNS, VULNERABILITY
from training.evaluation.boards import Boards
from training.evaluation.duplicate import MatchResult, match

_PART = 4096  # boards read at a time
AGAINST = "policy:two-over-one"  # the opponent of pairs that are measured


@dataclass(frozen=True)
class SystemConsistency:
    """The agreement of a pair's bidding with a book.

    A hand agrees if its points (high-card points, or with points for length, whichever is nearer), the length of each
    suit and its aces lie in the ranges that the book has for its calls.
    """

    share: float  # of the pair's hands that agree
    standard_error: float
    departures: float  # calls a board, of both partners together, that differ from the book's
    calls: float  # calls a board, of both partners together

    def __str__(self) -> str:
        return (
            f"truth {100 * self.share:.1f} ± {100 * self.standard_error:.1f}%, "
            f"{self.departures:.2f} of {self.calls:.2f} calls a board are not the book's"
        )


def of_match(played: MatchResult, book: Book) -> SystemConsistency:
    """Return the agreement of A of a match with ``book``, over both tables."""
    agree, departed, made = [], 0, 0
    boards = played.boards
    for side, table in enumerate(played.tables):
        for at in range(0, len(boards), _PART):
            rows = np.arange(at, min(at + _PART, len(boards)))
            features = deal_features(boards.owner[rows])
            state = np.zeros((len(rows), STATE_COLUMNS), np.int16)
            state[:, DEALER], state[:, VULNERABILITY] = boards.dealer[rows], boards.vulnerability[rows]
            history = table.history[rows]
            length = (history >= 0).sum(axis=1)
            ended = book.look(Queries(features, np.arange(len(rows)), state, history, length))
            for seat in (side, side + 2):
                agree.append(_within(ended.shown[:, seat], features[:, seat]))
            for k in range(int(length.max(initial=0))):
                called = np.flatnonzero((length > k) & (((boards.dealer[rows] + k) & 1) == side))
                look = book.look(Queries(features, called, state[called], history[called], np.full(len(called), k)))
                departed += int((look.call != history[called, k]).sum())
                made += len(called)
    held = np.concatenate(agree)
    n = 2 * len(boards)
    return SystemConsistency(float(held.mean()), float(held.std(ddof=1) / len(held) ** 0.5), departed / n, made / n)


def _within(shown: NDArray[np.int16], features: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return whether hands lie in ranges int16 (N, QUANTITIES, 2): bool (N,)."""
    cards = features[:, HAND_LENGTH : HAND_LENGTH + 4]
    most = np.maximum(features[:, HCP], features[:, POINTS])
    points = (shown[:, 0, 0] <= most) & (features[:, HCP] <= shown[:, 0, 1])
    lengths = ((shown[:, 1:5, 0] <= cards) & (cards <= shown[:, 1:5, 1])).all(axis=1)
    aces, (fewest, most_aces) = features[:, FEATURES["aces"]], shown[:, QUANTITY["aces"]].T
    return np.asarray(points & lengths & (fewest <= aces) & (aces <= most_aces), np.bool_)


def book_behind(spec: str) -> Hierarchy:
    """Return the system that a bidder bids by.

    Raises:
        ValueError: it bids by none.
    """
    hierarchy = system_of(spec)
    if hierarchy is None:
        raise ValueError(f"{spec} bids by no book: --truth needs a system, or a network that bids by one")
    return hierarchy


def of_pair(spec: str | Bidder, book: Book, boards: int | Boards, seed: int) -> SystemConsistency:
    """Return the agreement of a bidder with ``book`` against ``AGAINST``, on judging boards or on those given."""
    return of_match(match(spec, AGAINST, boards, seed), book)
