"""Define ``cases:FILE``, which makes the call of most of the nearest cases.

Retrieve: the ``k`` nearest cases, by the base's similarity. Reuse: each votes for its call or, where that is not legal
here, for what its action comes to here (``agents.cases.actions``). Revise: votes for calls that are not legal do not
count; without any other it passes; in a tie the nearest case's call is made; and states retained from self-play may
speak clearly for another call (``agents.cases.experience``). Review is for people: ``CaseBidder.explain``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.bidder_files import cached_by_mtime
from agents.cases.actions import action_of, call_of
from agents.cases.base import CaseBase, load
from agents.cases.experience import VOICES, Revision, revise, spoken_for
from agents.cases.features import describe
from bridge_env.bidders.registry import make
from bridge_env.bidders.view import BidView, public_view
from bridge_env.hands.deals import hand_text
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import FIRST_BID, NUM_CALLS, PASS, Contract, call_text, first_calls
from bridge_env.rules.cards import SEATS, VULNERABILITIES

_ROWS = 4096  # looked up at a time, to bound memory
_SHOWN = 8  # cases


@dataclass(frozen=True)
class Retrieved:
    """The cases retrieved for N states."""

    call: NDArray[np.int8]  # (N,), the calls made
    place: NDArray[np.int16]  # (N, D), where the states lie
    case: NDArray[np.int64]  # (N, k), the nearest cases, nearest first
    similarity: NDArray[np.float64]  # (N, k), of 100
    vote: NDArray[np.int8]  # (N, k), the vote of each; -1 for none
    voice: NDArray[np.int8]  # (N, K), the votes of these and perhaps some further cases
    elected: NDArray[np.int8]  # (N,), the calls with most votes
    revision: Revision  # of these by experience


class CaseBidder:
    """Bids as the nearest cases did."""

    def __init__(self, base: CaseBase) -> None:
        self.base, self.k = base, base.k
        self._reader: Any = make(base.reader)

    def bid(self, view: BidView, key: NDArray[np.uint64]) -> NDArray[np.int8]:
        """Make the call of most of the nearest cases, for every row."""
        calls = np.empty(len(view), np.int8)
        for start in range(0, len(view), _ROWS):
            rows = np.arange(start, min(start + _ROWS, len(view)))
            calls[rows] = self.retrieve(view.take(rows)).call
        return calls

    def explain(self, view: BidView, key: NDArray[np.uint64]) -> str:
        """Explain the call for the one row of ``view``: the votes for each call, and the nearest cases."""
        found = self.retrieve(view)
        lines = [call_text(int(found.call[0])), f"  because   {_because(found)}"]
        for case, similarity, vote in zip(found.case[0, :_SHOWN], found.similarity[0], found.vote[0], strict=False):
            if case >= 0:
                lines += _precedent(self.base, int(case), float(similarity), int(vote))
        return "\n".join(lines)

    def described(self, view: BidView) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Return the coordinates of states, int16 (N, D), and what each seat has shown, int16 (N, 4, QUANTITIES, 2)."""
        suggested, _, shown = self._reader.decide(view)
        return self.base.places(describe(view, shown, suggested), opened(view)), shown

    def retrieve(self, view: BidView, wide: bool | None = None) -> Retrieved:
        """Retrieve nearest cases, votes and the call that wins; ``wide`` with more voices (None: as the base)."""
        wide = len(self.base.retained) > 0 if wide is None else wide
        place, shown = self.described(view)
        case, similarity = self.base.nearest(place, opened(view), max(self.k, VOICES) if wide else self.k)
        voice = self._votes(view, shown, case)
        vote = voice[:, : self.k]
        elected = majority(vote)
        revision = revise(self.base, place, opened(view), elected, spoken_for(voice, elected, view.mask))
        return Retrieved(
            revision.call, place, case[:, : self.k], similarity[:, : self.k], vote, voice, elected, revision
        )

    def _votes(self, view: BidView, shown: NDArray[np.int16], case: NDArray[np.int64]) -> NDArray[np.int8]:
        call = self.base.called[case]
        legal = np.take_along_axis(view.mask, call.astype(np.int64), axis=1) & (case >= 0)
        vote = np.where(legal, call, -1).astype(np.int8)
        row, column = np.nonzero(~legal & (case >= 0))
        if row.size:
            chosen = case[row, column]
            theirs = view_of_cases(self.base, chosen)
            action = action_of(theirs, self._reader.meaning(theirs), self.base.called[chosen])
            vote[row, column] = call_of(action, view.take(row), shown[row])
        return vote


def majority(calls: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the most frequent call of each row (N, k), in a tie the nearest; -1 is no call, and none a pass."""
    votes = np.zeros((len(calls), NUM_CALLS), np.int64)
    first = np.zeros_like(votes)
    rows, most = np.arange(len(calls)), calls.shape[1]
    for column in range(most):
        counted = calls[:, column] >= 0
        r, call = rows[counted], calls[counted, column]
        votes[r, call] += 1
        first[r, call] = np.maximum(first[r, call], most - column)
    return np.where(votes.any(axis=1), (votes * (most + 1) + first).argmax(axis=1), PASS).astype(np.int8)


def opened(view: BidView) -> NDArray[np.bool_]:
    """Return whether somebody has bid."""
    return np.asarray((view.history >= FIRST_BID).any(axis=1))


def view_of_cases(base: CaseBase, cases: NDArray[np.int64]) -> BidView:
    """Return the views of the seats that called in some cases."""
    board, number = base.board[cases], base.number[cases]
    history = first_calls(base.auction[board, : int(number.max(initial=0))], number)
    auctions = Auctions.replay(history, base.dealer[board], base.vulnerability[board])
    return replace(public_view(auctions), hand=base.hands(cases))


read_bidder = cached_by_mtime(lambda path: CaseBidder(load(path)), 4)
"""The bidder of a file."""


def _because(found: Retrieved) -> str:
    """Describe the votes, and what experience made of them."""
    calls, first, count = np.unique(found.vote[0][found.case[0] >= 0], return_index=True, return_counts=True)
    if not len(calls):
        return "no case is near"
    order = np.lexsort((first, -count))
    counts = ", ".join(f"{call_text(int(calls[i])) if calls[i] >= 0 else 'no legal call'} {count[i]}" for i in order)
    call, elected, why = int(found.call[0]), int(found.elected[0]), found.revision
    revised = ""
    if call != elected:
        gained = f"{why.gain[0]:+.1f} ± {why.error[0]:.1f} IMPs against {call_text(elected)}"
        revised = f"; but in {int(why.tried[0])} near states of self-play {call_text(call)} gained {gained}"
    return f"of the {count.sum()} nearest cases: {counts}{revised}"


def _precedent(base: CaseBase, case: int, similarity: float, vote: int) -> Iterator[str]:
    """Describe a case: its hand, auction and call, its vote here, and the result of the board."""
    board, number = int(base.board[case]), int(base.number[case])
    calls = [call_text(int(call)) for call in base.auction[board, :number]]
    auction = f"{SEATS[base.dealer[board]]} dealt, {' '.join(calls)}" if calls else "first to call"
    hand, call = hand_text(base.hands(np.array([case]))[0]), int(base.called[case])
    spoke = "" if vote == call else f" (here {call_text(vote) if vote >= 0 else 'nothing'})"
    yield f"  {similarity:5.1f}  {hand:<16}  {auction}: {call_text(call)}{spoke}"
    yield f"         {_outcome(base, board)}"


def _outcome(base: CaseBase, board: int) -> str:
    bid, doubling, declarer, tricks = (int(n) for n in base.result[board])
    vulnerable = VULNERABILITIES[base.vulnerability[board]]
    if bid == -1:
        return "passed out"
    if bid < 0 or declarer < 0:
        return "what came of it is not known"
    contract = Contract(bid, doubling, declarer)
    if tricks < 0:
        return f"{contract}, vulnerable {vulnerable}"
    over = tricks - contract.level - 6
    return f"{contract} {'=' if over == 0 else f'{over:+d}'}, vulnerable {vulnerable}"
