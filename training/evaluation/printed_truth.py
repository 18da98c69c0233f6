"""Measure how often hands are as the printed meaning of their calls says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agents.networks.book import shared_book
from agents.registry import reader_of
from agents.systems.bidder import HierarchyBidder
from agents.systems.explain.player_terms import SUIT_NAMES, counts_points
from bridge_env.bidders.registry import full_spec
from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import PASS
from training.evaluation.duplicate import match
from training.evaluation.system_consistency import AGAINST, book_behind, of_pair

_BOARDS = 1_000  # that calls are drawn from
CALLS = 500  # that are drawn: some have hands drawn for them, which takes a second


@dataclass(frozen=True)
class PrintedTruth:
    """How often hands are as the printed meanings of their bids and doubles say."""

    calls: int
    share: float  # of the hands that lie in the text
    standard_error: float
    usual: float  # share of the texts that were measured, of which nine in ten hands keep to each range
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
        shows = readers[side].call(*state, auction[k])
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
    """Return lines on a bidder's agreement with its book and with the printed meanings of its calls; and on the book's
    own system if that is another bidder.

    Raises:
        ValueError: it bids by no book.
    """
    hierarchy = book_behind(spec)
    book = shared_book(hierarchy.system)
    out = [f"{spec}: {of_pair(spec, book, boards, seed)}; {printed_truth(spec, min(boards, _BOARDS), seed)}"]
    if not full_spec(spec).startswith("system:"):
        itself = of_pair(HierarchyBidder(hierarchy), book, boards, seed)
        out.append(f"its book, {hierarchy.system.name}, itself: {itself}")
    return out
