"""Review a board: contract, double-dummy table, par, the other table, and costly calls.

A call is costly where it lost on this deal, and another is better over deals that fit what the player knew
(``compare_call``).
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.registry import without_search
from bridge_env.bidders.bidding import ask, complete_auctions
from bridge_env.bidders.protocols import Bidder
from bridge_env.display.text import result_line
from bridge_env.double_dummy.exact import library_then_solver
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.rules.auction import Auctions, one_auction
from bridge_env.rules.calls import STRAINS, Contract, call_text, parse_call
from bridge_env.rules.cards import SEATS, card_text
from bridge_env.rules.par import par_contracts
from bridge_env.rules.play import Plays
from bridge_env.rules.scoring import imps, score
from bridge_table.board.hints import compare_call
from bridge_table.board.seating import teams
from bridge_table.board.table import OVER, Table
from bridge_table.http.requests import RequestError

_COSTLY = 3  # IMPs that a call must lose to be a mistake; a few are often the lie of the cards alone


def review(table: Table) -> dict[str, Any]:
    """Return the review of a board, computed once; raise ``RequestError`` where the board is not over."""
    if table.phase != OVER:
        raise RequestError("The review comes when the board is over.", 409)
    if table.review is None:
        table.review = _review(table)
        gc.collect()  # explanations leave cycles, which would wait long, and the server's memory would grow
    return table.review


def _review(table: Table) -> dict[str, Any]:
    deal, contract, side = table.deal, table.contract, table.setup.side
    tricks = library_then_solver().tricks(deal.owner[None])[0] if deal.table is None else deal.table
    solved = _solved(contract, tricks, deal.vulnerability)
    played = None
    if table.cards or table.claimed is not None:
        played = _result(contract, int(table.plays.won[0]), deal.vulnerability)
    par, contracts = par_contracts(tricks, deal.dealer, deal.vulnerability)
    points = solved["points"] if played is None else played["points"]
    other = _other_table(table, tricks)
    sign = -1 if side else 1
    return {
        "contract": solved,
        "played": played,
        "tricks": {SEATS[seat]: [int(n) for n in tricks[seat]] for seat in range(4)},
        "strains": list(STRAINS),
        "par": {"points": int(par), "contracts": [str(c) for c in contracts],
                "imps": int(imps(sign * (points - int(par))))},
        "other": other,
        "side": "EW" if side else "NS",
        "imps": None if other is None else int(imps(sign * (points - other["points"]))),
        "calls": _my_calls(table, tricks, solved["points"]),
        "cards": _card_costs(table, solved["took"]),
    }  # fmt: skip


def _result(contract: Contract, took: int, vulnerability: int) -> dict[str, Any]:
    points = int(score(contract.bid, contract.doubling, contract.declarer, vulnerability, took))
    return {
        "text": result_line(contract, took, vulnerability), "contract": str(contract), "took": took, "points": points,
    }  # fmt: skip


def _solved(contract: Contract, tricks: NDArray[np.int8], vulnerability: int) -> dict[str, Any]:
    """Return a contract's result at its double-dummy tricks."""
    took = 0 if contract.passed_out else int(tricks[contract.declarer, contract.strain])
    return _result(contract, took, vulnerability)


def _bid_on(specs: tuple[str, str], table: Table, auctions: Auctions, what: str) -> None:
    """Bid auctions on the table's deal to their end, in place, by bidders that do not look ahead."""
    n, key = len(auctions), table.key(0, what)
    seats, owners = np.broadcast_to(np.arange(4) & 1, (n, 4)), np.broadcast_to(table.deal.owner, (n, 52))
    complete_auctions(auctions, owners, np.repeat(key, n), seats, _plain_teams(specs))


def _plain_teams(specs: tuple[str, str]) -> tuple[Bidder, Bidder]:
    return teams(without_search(specs[0]), without_search(specs[1]))


def _other_table(table: Table, tricks: NDArray[np.int8]) -> dict[str, Any] | None:
    """Return what the control pair did in the people's seats, against the same opponents; None where nobody sits."""
    setup, deal = table.setup, table.deal
    if not setup.people:
        return None
    usual = (setup.control, setup.east_west) if setup.side == 0 else (setup.north_south, setup.control)
    pairs = setup.other or usual
    auctions = Auctions(deal.dealer, deal.vulnerability)
    _bid_on(pairs, table, auctions, "other table")
    contract = auctions.contracts().at(0)
    return {
        "control": setup.control, "calls": [call_text(call) for call in auctions.calls(0)],
        **_solved(contract, tricks, deal.vulnerability),
    }  # fmt: skip


def _my_calls(table: Table, tricks: NDArray[np.int8], points: int) -> list[dict[str, Any]]:
    """Return each call of a person with every other's result, bid out, and gain over ``points``, NS-positive."""
    deal, setup = table.deal, table.setup
    sign = -1 if setup.side else 1
    out = []
    for number, made in enumerate(table.calls):
        seat = (deal.dealer + number) & 3
        if seat not in setup.people:
            continue
        before = one_auction(table.calls[:number], deal.dealer, deal.vulnerability)
        legal = np.flatnonzero(before.legal()[0])
        auctions = before.take(np.zeros(len(legal), np.int64))
        auctions.step(legal)
        _bid_on(setup.specs, table, auctions, "play-out")
        contracts = auctions.contracts()
        took = tricks[np.maximum(contracts.declarer, 0), np.maximum(contracts.bid, 0) % 5]
        scores = score(contracts.bid, contracts.doubling, contracts.declarer, deal.vulnerability, took).astype(np.int64)
        gains = imps(sign * (scores - points))
        options: list[dict[str, Any]] = [
            {"call": call_text(int(legal[row])), "imps": int(gains[row]), "points": int(scores[row]),
             "result": result_line(contracts.at(row), int(took[row]), deal.vulnerability)}
            for row in np.argsort(-sign * scores, kind="stable").tolist()
        ]  # fmt: skip
        bidder = _plain_teams(setup.specs)[seat & 1]
        usual = int(ask(bidder, before, deal.owner[None], np.array([0]), table.key(number))[0])
        call = call_text(made)
        verdict = _verdict(call, call_text(usual), {option["call"]: option["imps"] for option in options})
        fair = verdict["costly"] and compare_call(table, number, [parse_call(verdict["better"]), usual])
        if fair:
            verdict |= {"fair": fair, "costly": fair["sure"], **({"better": fair["call"]} if fair["sure"] else {})}
        out.append({
            "number": number, "seat": SEATS[seat], "call": call, "usual": call_text(usual), **verdict,
            "options": options,
        })  # fmt: skip
    return out


def _verdict(call: str, usual: str, gains: dict[str, int]) -> dict[str, Any]:
    """Return the better call by the IMPs that each gains, and those lost to it; where the bidder errs too, it is no
    mistake.
    """
    best = max(gains.values())
    better = usual if gains[usual] == best else next(other for other, gain in gains.items() if gain == best)
    lost = best - gains[call]
    return {"better": better, "lost": lost, "costly": lost >= _COSTLY and call != usual, "fair": None}


def _card_costs(table: Table, took: int) -> list[dict[str, Any]]:
    """Return what every card cost its side in tricks, of which declarer ``took`` so many, and IMPs, and which cost
    nothing.
    """
    cards, contract = table.cards, table.contract
    if not cards:
        return []
    history = np.full((len(cards), 52), -1, np.int8)
    trick = np.full((len(cards), 3), -1, np.int8)
    for k in range(len(cards)):
        history[k, :k] = cards[:k]
        now = cards[k & ~3 : k]
        trick[k, : len(now)] = now
    owners = np.broadcast_to(table.deal.owner, (len(cards), 52))
    plays = Plays.replay(owners, contract.declarer, contract.strain, history)
    worth = card_tricks(plays.left, plays.strain, plays.leader, trick)
    choices = plays.legal().sum(axis=1)
    costs = worth.max(axis=1) - worth[np.arange(len(cards)), cards]
    change = np.where((plays.turn ^ contract.declarer) & 1 == 0, -costs, costs).astype(np.int64)
    after = took + np.cumsum(change)  # declarer's tricks double dummy, after each card
    terms = contract.bid, contract.doubling, contract.declarer, table.deal.vulnerability
    before, then = (score(*terms, tricks).astype(np.int64) for tricks in (after - change, after))
    lost = imps(np.abs(then - before))
    out = []
    for k, card in enumerate(cards):
        best = int(worth[k].max())
        out.append({
            "card": card_text(card), "seat": SEATS[int(plays.turn[k])], "cost": int(costs[k]), "imps": int(lost[k]),
            "choices": int(choices[k]),
            "best": [card_text(c) for c in np.flatnonzero(worth[k] == best).tolist()],
        })  # fmt: skip
    return out
