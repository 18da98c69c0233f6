"""Look ahead from what a seat may know: hints, and whether a call was a mistake."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.auction import AuctionReader
from agents.cardplay.montecarlo import MonteCarlo
from agents.cardplay.options import Options as CardOptions
from agents.lookahead.game_lookahead import GameLookahead
from agents.lookahead.lookahead import Decision, Lookahead
from agents.networks.bidder import NetworkBidder
from agents.registry import make_reason, network_at, spec_at, without_search
from bridge_env.bidders.errors import explain_call, legal_calls
from bridge_env.bidders.protocols import Explains
from bridge_env.bidders.registry import implements
from bridge_env.bidders.view import BidView, view_of
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import card_text
from bridge_table.board.seating import bidder_at
from bridge_table.board.table import BIDDING, PLAYING, Table
from bridge_table.http.requests import RequestError
from training.evaluation.boards import nan_as_none

_SAMPLES = 32  # deals that a hint looks at, so that it comes within a second
_CARD_DEALS = 20
_LEAST = 0.005  # chance of a call that is named
_NAMED = 6
_SURELY = 0.5  # IMPs on average that another call must gain to be better; less is a matter of taste


def hint(table: Table, seat: int | None) -> dict[str, Any]:
    """Return what the bidder or player of the person's side would do, and why; raise ``RequestError`` where it is not
    the turn.
    """
    if seat is None or table.phase not in (BIDDING, PLAYING) or table.chooser() != seat:
        raise RequestError("A hint is for the seat that is to call or to play.", 409)
    table.helped += 1
    return _call_hint(table, seat) if table.phase == BIDDING else _card_hint(table)


def _call_hint(table: Table, seat: int) -> dict[str, Any]:
    ns, ew = table.setup.specs
    spec, view, key = spec_at(ns, ew, seat), table.view(), table.key(len(table.calls))
    bidder = bidder_at(ns, ew, seat)
    player = lookahead(spec, ew if seat & 1 == 0 else ns)
    rows: list[dict[str, Any]] = []
    why, deals = "", 0
    if player is not None:
        decision = player.think(view, key)
        rows, deals, why = _rows(decision), decision.num_deals, _why(decision, spec)
        call, usual = decision.call, decision.usual
    else:
        call = usual = int(legal_calls(bidder, view, key)[0])
        if implements(bidder, Explains):
            why = "\n".join(explain_call(bidder, view, key).splitlines()[1:])  # type: ignore[arg-type]
    rows = _with_chances(network_at(ns, ew, seat), view, rows) or [{"call": call_text(call)}]
    return {
        "call": call_text(call), "usual": call_text(usual), "rows": rows[:_NAMED], "deals": deals, "why": why,
    }  # fmt: skip


def lookahead(spec: str, opponents: str) -> Lookahead | GameLookahead | None:
    """Return a bidder that looks ahead as ``spec`` would, with few deals; None where there is none."""
    head, _, _ = spec.partition(":")
    if head not in ("system", "policy", "reason"):
        return None
    plain = without_search(spec)
    argument = plain if plain.startswith("policy:") else plain.removeprefix("system:")
    try:
        made = make_reason(argument, partner=plain, opponents=opponents)
    except ValueError:
        return None  # a network without a belief does not look ahead
    made.options = replace(made.options, samples=_SAMPLES, looks=1)
    return made


def _rows(decision: Decision) -> list[dict[str, Any]]:
    """Return the candidates, the best first."""
    rows = []
    for i, call in enumerate(decision.calls):
        row: dict[str, Any] = {"call": call_text(call)}
        if len(decision.gain):
            gain, error = (nan_as_none(round(float(of[i]), 2)) for of in (decision.gain, decision.error))
            row |= {"gain": gain, "error": error}
        if len(decision.chance):
            row["chance"] = round(float(decision.chance[i]), 4)
        rows.append(row)
    return sorted(rows, key=lambda row: -(row.get("gain") or 0.0))


def _with_chances(network: NetworkBidder | None, view: BidView, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the calls that a network finds likely to the candidates."""
    if network is None:
        return rows
    chances: NDArray[np.float64] = network.probabilities(view)[0]
    known = {row["call"]: row for row in rows}
    for call in np.argsort(-chances, kind="stable")[:_NAMED].tolist():
        if chances[call] >= _LEAST:
            known.setdefault(call_text(call), {"call": call_text(call)})["chance"] = round(float(chances[call]), 4)
    return sorted(known.values(), key=lambda row: -row.get("chance", 0.0))


def _why(decision: Decision, spec: str) -> str:
    usual, best = call_text(decision.usual), call_text(decision.call)
    if not len(decision.gain):
        return f"{spec} calls {usual}; no other call is a candidate."
    if decision.usual == decision.call:
        return f"{spec} calls {usual}; looking ahead finds no call that is surely better."
    return f"{spec} calls {usual}; looking ahead, {best} comes out better."


def _card_hint(table: Table) -> dict[str, Any]:
    reader = AuctionReader.of_sides(*table.setup.specs)
    player = MonteCarlo(reader, CardOptions(deals=_CARD_DEALS))
    decision = player.think(table.play_view(), table.key(len(table.cards), "card"))[0]
    if decision.belief is None:
        return {"card": card_text(decision.card), "rows": [], "deals": 0, "why": "No other card could be better."}
    order = np.lexsort((-decision.average, decision.cards != decision.card)).tolist()
    rows = [
        {
            "card": card_text(int(decision.cards[at])), "gain": round(float(decision.average[at]), 2),
            "tricks": round(float(decision.belief.weight @ decision.tricks[:, at]), 2),
        }
        for at in order
    ]  # fmt: skip
    count = len(decision.belief.owner)
    why = f"Best on average over {count} deals that fit the auction and the cards, each played double dummy."
    if decision.average[order[0]] < decision.average.max():
        why = f"Of the leads that are about as good over {count} deals, the one that partner can read."
    return {"card": card_text(decision.card), "rows": rows, "deals": count, "why": why}


def compare_call(table: Table, number: int, others: list[int]) -> dict[str, Any] | None:
    """Compare call ``number`` of a person with ``others`` over deals that fit what the seat knew: return the best
    ``call``, its ``gain`` in IMPs and the standard ``error``, the ``deals``, and whether it is ``sure``; None where
    nobody looks ahead.
    """
    deal, setup = table.deal, table.setup
    before = one_auction(table.calls[:number], deal.dealer, deal.vulnerability)
    seat = int(before.turn[0])
    ours, theirs = setup.specs
    player = lookahead(spec_at(ours, theirs, seat), theirs if seat & 1 == 0 else ours)
    if player is None:
        return None
    view, key = view_of(before, deal.owner[None]), table.key(number, "fair")
    calls = list(dict.fromkeys([table.calls[number], *others]))
    found = player.compare(view, key, calls)
    if not found.num_deals:
        return None
    best = int(np.nanargmax(found.gain))
    gain, error = float(found.gain[best]), float(found.error[best])
    return {
        "call": call_text(found.calls[best]), "gain": round(gain, 1), "error": round(error, 1),
        "deals": found.num_deals, "sure": gain > max(_SURELY, error),
    }  # fmt: skip
