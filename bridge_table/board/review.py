"""Review a board: contract, double-dummy table, par, the other table, and costly calls.

A call is costly where it lost on this deal, and another is better over deals that fit what the player knew
(``compare_call``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.registry import without_search
from bridge_env.bidders.bidding import ask, complete_auctions
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
from bridge_table.http.fields import RequestError

_COSTLY = 3  # IMPs that a call must lose to be a mistake; a few are often the lie of the cards alone


def review(table: Table) -> dict[str, Any]:
    """Return the review of a board that is over; it is computed once.

    Raises:
        RequestError: the board is not over.
    """
    if table.phase != OVER:
        raise RequestError("The review comes when the board is over.", 409)
    if table.review is None:
        table.review = _review(table)
    return table.review


def _review(table: Table) -> dict[str, Any]:
    deal, contract, side = table.deal, table.contract, table.setup.side
    tricks = library_then_solver().tricks(deal.owner[None])[0]
    solved = _solved(contract, tricks, deal.vulnerability)
    played = _played(table)
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


def _solved(contract: Contract, tricks: NDArray[np.int8], vulnerability: int) -> dict[str, Any]:
    """Return a contract's result at its double-dummy tricks."""
    took = 0 if contract.passed_out else int(tricks[contract.declarer, contract.strain])
    return _result_json(contract, took, vulnerability)


def _result_json(contract: Contract, took: int, vulnerability: int) -> dict[str, Any]:
    points = int(score(contract.bid, contract.doubling, contract.declarer, vulnerability, took))
    return {
        "text": result_line(contract, took, vulnerability), "contract": str(contract), "took": took, "points": points,
    }  # fmt: skip


def _played(table: Table) -> dict[str, Any] | None:
    """Return the result of the cards that were played; None where none were."""
    if not table.cards and table.claimed is None:
        return None
    return _result_json(table.contract, int(table.plays.won[0]), table.deal.vulnerability)


# --- the other table -----------------------------------------------------------------------------------------


def _bid_on(
    north_south: str, east_west: str, owner: NDArray[np.uint8], auctions: Auctions, key: NDArray[np.uint64]
) -> None:
    """Bid auctions on one deal to their end, in place, by bidders that do not look ahead."""
    n = len(auctions)
    seats, owners = np.broadcast_to(np.arange(4) & 1, (n, 4)), np.broadcast_to(owner, (n, 52))
    complete_auctions(auctions, owners, key, seats, teams(without_search(north_south), without_search(east_west)))


def _other_table(table: Table, tricks: NDArray[np.int8]) -> dict[str, Any] | None:
    """Return what the control pair did in the people's seats, against the same opponents; None where nobody sits."""
    setup, deal = table.setup, table.deal
    if not setup.people:
        return None
    usual = (setup.control, setup.east_west) if setup.side == 0 else (setup.north_south, setup.control)
    pairs = setup.other or usual
    auctions = Auctions(deal.dealer, deal.vulnerability)
    _bid_on(*pairs, deal.owner, auctions, table.key(0, "other table"))
    contract = auctions.contracts().at(0)
    return {
        "control": setup.control, "calls": [call_text(call) for call in auctions.calls(0)],
        **_solved(contract, tricks, deal.vulnerability),
    }  # fmt: skip


# --- where it went wrong -------------------------------------------------------------------------------------


def _my_calls(table: Table, tricks: NDArray[np.int8], points: int) -> list[dict[str, Any]]:
    """Return each call of a person with the result of every other, bid out by the bidders of the table.

    Args:
        points: of the auction at double-dummy tricks, NS-positive: gains are over that, whatever was played.
    """
    deal, setup = table.deal, table.setup
    mine = [k for k in range(len(table.calls)) if (deal.dealer + k) & 3 in setup.people]
    branches: list[tuple[int, int]] = []
    parts = []
    for k in mine:
        before = one_auction(table.calls[:k], deal.dealer, deal.vulnerability)
        legal = np.flatnonzero(before.legal()[0])
        branches += [(k, int(call)) for call in legal]
        after = before.take(np.zeros(len(legal), np.int64))
        after.step(legal)
        parts.append(after)
    if not parts:
        return []
    auctions = Auctions.joined(parts)
    key = np.repeat(table.key(0, "play-out"), len(auctions))
    _bid_on(setup.north_south, setup.east_west, deal.owner, auctions, key)
    contracts = auctions.contracts()
    took = tricks[np.maximum(contracts.declarer, 0), np.maximum(contracts.bid, 0) % 5]
    scores = score(contracts.bid, contracts.doubling, contracts.declarer, deal.vulnerability, took).astype(np.int64)
    sign = -1 if setup.side else 1
    gains = imps(sign * (scores - points))
    out = []
    for k in mine:
        rows = [row for row, (number, _) in enumerate(branches) if number == k]
        rows.sort(key=lambda row: (-sign * int(scores[row]), branches[row][1]))
        options: list[dict[str, Any]] = [
            {"call": call_text(branches[row][1]), "imps": int(gains[row]), "points": int(scores[row]),
             "result": result_line(contracts.at(row), int(took[row]), deal.vulnerability)}
            for row in rows
        ]  # fmt: skip
        call, usual = call_text(table.calls[k]), call_text(_usual(table, k))
        verdict = _verdict(call, usual, {option["call"]: option["imps"] for option in options})
        if verdict["costly"]:
            verdict |= _compared(table, k, [verdict["better"], usual])
        out.append({
            "number": k, "seat": SEATS[(deal.dealer + k) & 3], "call": call, "usual": usual, **verdict,
            "options": options,
        })  # fmt: skip
    return out


def _verdict(call: str, usual: str, gains: dict[str, int]) -> dict[str, Any]:
    """Return the better call on this deal, and the IMPs lost to it; where the bidder errs too, it is no mistake.

    Args:
        gains: IMPs that each legal call gains over the auction.
    """
    best = max(gains.values())
    better = usual if gains[usual] == best else next(other for other, gain in gains.items() if gain == best)
    lost = best - gains[call]
    return {"better": better, "lost": lost, "costly": lost >= _COSTLY and call != usual, "fair": None}


def _compared(table: Table, number: int, others: list[str]) -> dict[str, Any]:
    """Compare a call that lost on this deal over deals that fit what the player knew; return fields of the verdict."""
    found = compare_call(table, number, [parse_call(other) for other in others])
    if found is None:
        return {}
    fair = {"call": call_text(found.call), "gain": round(found.gain, 1), "error": round(found.error, 1),
            "deals": found.deals}  # fmt: skip
    return {"fair": fair, "costly": found.sure, **({"better": fair["call"]} if found.sure else {})}


def _usual(table: Table, number: int) -> int:
    """Return what the bidder of the person's side would have called."""
    deal = table.deal
    before = one_auction(table.calls[:number], deal.dealer, deal.vulnerability)
    bidder = teams(without_search(table.setup.north_south), without_search(table.setup.east_west))[
        int(before.turn[0]) & 1
    ]
    return int(ask(bidder, before, deal.owner[None], np.array([0]), table.key(number))[0])


def _card_costs(table: Table, took: int) -> list[dict[str, Any]]:
    """Return what every card cost its side, in double-dummy tricks and IMPs, and which would have cost nothing.

    Args:
        took: declarer's tricks double dummy.
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
