"""Measure how often hands are what their calls have shown: by a book's ranges, and by the printed meanings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.networks.book import Book, shared_book
from agents.registry import reader_of, system_of
from agents.systems.bidder import Hierarchy, HierarchyBidder, deal_features
from agents.systems.engine.state_cache import Queries
from agents.systems.explain.player_terms import SUIT_NAMES
from agents.systems.explain.sentences import counts_points
from agents.systems.language.columns import QUANTITY
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import full_spec
from bridge_env.hands.features import FEATURES, HCP, POINTS, hand_features
from bridge_env.hands.features import LENGTH as HAND_LENGTH
from bridge_env.rules.auction import DEALER, STATE_COLUMNS, VULNERABILITY
from bridge_env.rules.calls import PASS
from training.evaluation.boards import Boards, mean_and_error
from training.evaluation.duplicate import MatchResult, match

_PART = 4096  # boards read at a time
AGAINST = "policy:two-over-one"  # the opponent of pairs that are measured
_BOARDS = 1_000  # that calls are drawn from
CALLS = 500  # that are drawn: some have hands drawn for them, which takes a second


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
    return SystemConsistency(*mean_and_error(held), departed / n, made / n)


def _within(shown: NDArray[np.int16], features: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return whether hands lie in ranges int16 (N, QUANTITIES, 2): bool (N,)."""
    cards = features[:, HAND_LENGTH : HAND_LENGTH + 4]
    most = np.maximum(features[:, HCP], features[:, POINTS])
    points = (shown[:, 0, 0] <= most) & (features[:, HCP] <= shown[:, 0, 1])
    lengths = ((shown[:, 1:5, 0] <= cards) & (cards <= shown[:, 1:5, 1])).all(axis=1)
    aces, (fewest, most_aces) = features[:, FEATURES["aces"]], shown[:, QUANTITY["aces"]].T
    return np.asarray(points & lengths & (fewest <= aces) & (aces <= most_aces), np.bool_)


def book_behind(spec: str) -> Hierarchy:
    """Return the system that a bidder bids by; raise ``ValueError`` where it bids by none."""
    hierarchy = system_of(spec)
    if hierarchy is None:
        raise ValueError(f"{spec} bids by no book: --truth needs a system, or a network that bids by one")
    return hierarchy


def of_pair(spec: str | Bidder, book: Book, boards: int | Boards, seed: int) -> SystemConsistency:
    """Return the agreement of a bidder with ``book`` against ``AGAINST``, on judging boards or on those given."""
    return of_match(match(spec, AGAINST, boards, seed), book)


@dataclass(frozen=True)
class PrintedTruth:
    """How often hands are as the printed meanings of their bids and doubles say."""

    calls: int
    share: float  # of the hands that lie in the text
    standard_error: float
    usual: float  # share of the texts that were measured, of which 19 in 20 hands keep to each range
    silent: float  # share of the texts that say nothing of the hand
    # share of the hands outside in ``HCP``, ``points with length``, ``cards``, ``the rest``
    missed: Mapping[str, float]

    def __str__(self) -> str:
        outside = ", ".join(f"{100 * share:.1f}% in {name}" for name, share in self.missed.items())
        return (
            f"as printed {100 * self.share:.1f} ± {100 * self.standard_error:.1f}% of {self.calls} bids and doubles, "
            f"{outside or 'none'} outside; {100 * self.usual:.1f}% by usual hands, {100 * self.silent:.1f}% say nothing"
        )


def printed_truth(spec: str, boards: int, seed: int, calls: int = CALLS) -> PrintedTruth:
    """Return the agreement for some bids and doubles of a bidder, drawn from judging boards against ``AGAINST``."""
    played = match(spec, AGAINST, boards, seed)
    readers = reader_of(full_spec(spec), AGAINST), reader_of(AGAINST, full_spec(spec))
    dealer, vulnerability = played.boards.dealer, played.boards.vulnerability
    made = [
        (side, row, k)
        for side, table in enumerate(played.tables)
        for row, k in np.argwhere(table.history > PASS).tolist()
        if (dealer[row] + k) & 1 == side
    ]
    drawn = np.random.default_rng(seed).permutation(len(made))[:calls]
    outside, usual, silent, true = Counter[str](), 0, 0, 0
    for side, row, k in (made[number] for number in drawn.tolist()):
        auction = played.tables[side].history[row, : k + 1].tolist()
        state = auction[:k], int(dealer[row]), int(vulnerability[row])
        shows = readers[side].shows(*state, auction[k])
        if shows.stated is None:
            silent += 1
            continue
        position = readers[side].position(*state)
        features = hand_features(played.boards.owner[[row]] == position.seat)[0]
        missed = shows.stated.missed(position.row(features))
        usual, true = usual + shows.stated.usual, true + (not missed)
        outside.update({_kind(word) for word in missed})
    share = true / len(drawn)
    return PrintedTruth(
        len(drawn), share, float(np.sqrt(share * (1 - share) / len(drawn))), usual / len(drawn), silent / len(drawn),
        {name: count / len(drawn) for name, count in sorted(outside.items())},
    )  # fmt: skip


def _kind(word: str) -> str:
    if word == "hcp":
        return "HCP"
    if word in SUIT_NAMES:
        return "cards"
    return "points with length" if counts_points({word: (1, 1)}) else "the rest"


def truth_lines(spec: str, boards: int, seed: int) -> list[str]:
    """Return lines on a bidder's agreement with its book and with the printed meanings of its calls, and on the book's
    own system if that is another bidder; raise ``ValueError`` where it bids by no book.
    """
    hierarchy = book_behind(spec)
    book = shared_book(hierarchy.system)
    out = [f"{spec}: {of_pair(spec, book, boards, seed)}; {printed_truth(spec, min(boards, _BOARDS), seed)}"]
    if not full_spec(spec).startswith("system:"):
        itself = of_pair(HierarchyBidder(hierarchy), book, boards, seed)
        out.append(f"its book, {hierarchy.system.name}, itself: {itself}")
    return out
