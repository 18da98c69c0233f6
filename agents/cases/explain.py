"""Explain a call by the cases retrieved: their similarity, their calls and the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from agents.cases.base import CaseBase
from bridge_env.bidders.view import BidView
from bridge_env.hands.deals import hand_text
from bridge_env.rules.calls import Contract, call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES

if TYPE_CHECKING:  # it imports this module to explain itself
    from agents.cases.bidder import CaseBidder, Retrieved

_SHOWN = 8  # cases


def explain(bidder: CaseBidder, view: BidView) -> str:
    """Explain the call of ``bidder`` for the one row of ``view``: the votes for each call, and the nearest cases."""
    found = bidder.retrieve(view)
    lines = [call_text(int(found.call[0])), f"  because   {_because(found)}"]
    for case, similarity, vote in zip(found.case[0, :_SHOWN], found.similarity[0], found.vote[0], strict=False):
        if case >= 0:
            lines += _precedent(bidder.base, int(case), float(similarity), int(vote))
    return "\n".join(lines)


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
