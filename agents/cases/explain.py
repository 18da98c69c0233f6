"""Explain a call by the cases retrieved: their similarity, their calls and the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from agents.cases.base import CaseBase
from bridge_env.calls import Contract, call_text
from bridge_env.cards import SEATS, VULNERABILITIES, hand_text
from bridge_env.view import BidView

if TYPE_CHECKING:  # it imports this module to explain itself
    from agents.cases.bidder import CaseBidder, Retrieved

_NOTHING = "no legal call"
SHOWN = 8  # cases, if no other number is asked for


@dataclass(frozen=True)
class Precedent:
    """A retrieved case in words.

    Attributes:
        number: of the case in its base.
        similarity: of 100.
        hand, auction, call: what was held, what had been said before (empty for nothing), what was called.
        vote: the call that the case speaks for here; empty for none.
        outcome: what the board came to.
    """

    number: int
    similarity: float
    hand: str
    auction: str
    call: str
    vote: str
    outcome: str


@dataclass(frozen=True)
class Explanation:
    """One call of a case base: the call, the votes for each call, and the nearest of the cases.

    ``revised`` says why it is not the call of most votes; empty where it is.
    """

    call: str
    votes: tuple[tuple[str, int], ...]
    cases: tuple[Precedent, ...]
    revised: str = ""

    @property
    def because(self) -> str:
        """Describe the votes."""
        total = sum(count for _, count in self.votes)
        if not total:
            return "no case is near"
        told = ", ".join(f"{call} {count}" for call, count in self.votes)
        return f"of the {total} nearest cases: {told}" + (f"; {self.revised}" if self.revised else "")

    def __str__(self) -> str:
        lines = [self.call, f"  because   {self.because}"]
        for case in self.cases:
            spoke = "" if case.vote == case.call else f" (here {case.vote or 'nothing'})"
            lines.append(
                f"  {case.similarity:5.1f}  {case.hand:<16}  {case.auction or 'first to call'}: {case.call}{spoke}"
            )
            lines.append(f"         {case.outcome}")
        return "\n".join(lines)


def explain(bidder: CaseBidder, view: BidView, shown: int = SHOWN) -> Explanation:
    """Explain the call of ``bidder`` for the one row of ``view``, with the nearest cases."""
    found = bidder.retrieve(view)
    calls, first, count = np.unique(found.vote[0][found.case[0] >= 0], return_index=True, return_counts=True)
    order = np.lexsort((first, -count))
    votes = tuple((call_text(int(calls[i])) if calls[i] >= 0 else _NOTHING, int(count[i])) for i in order)
    there = [i for i in range(min(shown, found.case.shape[1])) if found.case[0, i] >= 0]
    cases = tuple(
        _precedent(bidder.base, int(found.case[0, i]), float(found.similarity[0, i]), int(found.vote[0, i]))
        for i in there
    )
    return Explanation(call_text(int(found.call[0])), votes, cases, _revised(found))


def _revised(found: Retrieved) -> str:
    call, elected, why = int(found.call[0]), int(found.elected[0]), found.revision
    if call == elected:
        return ""
    gained = f"{why.gain[0]:+.1f} ± {why.error[0]:.1f} IMPs against {call_text(elected)}"
    return f"but in {int(why.tried[0])} near states of self-play {call_text(call)} gained {gained}"


def _precedent(base: CaseBase, case: int, similarity: float, vote: int) -> Precedent:
    board, number = int(base.board[case]), int(base.number[case])
    said = [call_text(int(call)) for call in base.auction[board, :number]]
    auction = f"{SEATS[base.dealer[board]]} dealt, {' '.join(said)}" if said else ""
    hand = hand_text(base.hands(np.array([case]))[0])
    call = call_text(int(base.called[case]))
    return Precedent(case, similarity, hand, auction, call, "" if vote < 0 else call_text(vote), _outcome(base, board))


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
