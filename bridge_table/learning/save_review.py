"""Save a reviewed board: its result, how many decisions of each kind, and the costly ones."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import numpy as np

from bridge_env.hands.deals import deal_text, hand_text
from bridge_env.hands.features import hand_features
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES, card_text
from bridge_table.board.table import Table
from bridge_table.learning.database import Database
from bridge_table.learning.topics import Decision, topic_of

CALL, CARD = "call", "card"
_SAME = 1  # IMPs that a call may gain less than the better one, and be as right


def save_review(database: Database, table: Table, review: dict[str, Any]) -> bool:
    """Save a reviewed board; a costly call comes up for practice from the next day on.

    Returns:
        Whether the board counts: its deal may have counted before.
    """
    decisions = [*_calls(table, review), *_cards(table, review)]
    tomorrow = (database.today() + timedelta(days=1)).isoformat()
    mistakes = [
        {**mistake, "due": tomorrow if mistake["part"] == CALL else None}
        for _, mistake in decisions
        if mistake is not None
    ]
    return database.save(_board(table, review), Counter(kind for kind, _ in decisions), mistakes)


def _board(table: Table, review: dict[str, Any]) -> dict[str, object]:
    deal, setup = table.deal, table.setup
    result = review["played"] or review["contract"]
    return {
        "number": deal.number, "source": deal.source, "deal": deal_text(deal.owner), "dealer": SEATS[deal.dealer],
        "vulnerability": VULNERABILITIES[deal.vulnerability], "people": "".join(SEATS[s] for s in setup.people),
        "north_south": setup.north_south, "east_west": setup.east_west, "control": setup.control,
        "player": setup.player, "calls": " ".join(map(call_text, table.calls)),
        "cards": " ".join(map(card_text, table.cards)), "claimed": table.claimed, "contract": result["contract"],
        "tricks": result["took"], "score": result["points"], "result": result["text"], "other": review["other"]["text"],
        "imps": review["imps"], "helped": table.helped,
    }  # fmt: skip


def _calls(table: Table, review: dict[str, Any]) -> list[tuple[str, dict[str, object] | None]]:
    """Return the kind of each call of a person, and the row of its mistake if it was one."""
    out: list[tuple[str, dict[str, object] | None]] = []
    for mine in review["calls"]:
        held = table.deal.owner == SEATS.index(mine["seat"])
        features = hand_features(held[None])[0]
        decision = Decision.of(table.calls[: mine["number"]], features, parse_call(mine["call"]))
        kind = topic_of(decision) or "other"
        gains = {option["call"]: option["imps"] for option in mine["options"]}
        accepted = [
            call for call, gain in gains.items() if call != mine["call"] and gains[mine["better"]] - gain <= _SAME
        ]
        out.append((kind, None if not mine["costly"] else {
            "part": CALL, "number": mine["number"], "kind": kind, "seat": mine["seat"], "hand": hand_text(held),
            "made": mine["call"], "better": mine["better"], "accepted": " ".join(accepted), "usual": mine["usual"],
            "cost": mine["lost"],
        }))  # fmt: skip
    return out


def _cards(table: Table, review: dict[str, Any]) -> list[tuple[str, dict[str, object] | None]]:
    """Return the kind of each card that a person chose among several, and the row of its mistake if it was one."""
    out: list[tuple[str, dict[str, object] | None]] = []
    declarer, people = table.contract.declarer, table.setup.people
    for number, card in enumerate(review["cards"]):
        seat = SEATS.index(card["seat"])
        declares = (seat ^ declarer) & 1 == 0
        chosen = bool({declarer, declarer ^ 2} & set(people)) if declares else seat in people
        if not chosen or card["choices"] < 2:
            continue
        kind = "declarer" if declares else "defence" if number else "lead"
        held = (table.deal.owner == seat) & ~np.isin(np.arange(52), table.cards[:number])
        out.append((kind, None if not card["cost"] else {
            "part": CARD, "number": number, "kind": kind, "seat": card["seat"], "hand": hand_text(held),
            "made": card["card"], "better": card["best"][0], "accepted": " ".join(card["best"]), "usual": "",
            "cost": card["imps"],
        }))  # fmt: skip
    return out
