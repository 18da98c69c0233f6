"""Tell what calls show, in BEN's form; and its ``/cuebid``, a call with what it shows, asked for with a JSON body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from agents.meanings import Shows
from bridge_env.auction import MAX_CALLS, one_auction
from bridge_env.calls import PASS
from bridge_table.http.asked import Asked
from bridge_table.programs.ben import answer_word, read_call, read_hands, read_vulnerability
from bridge_table.programs.question import CallAnswer, Question, read_seat

_LONGEST = 100  # characters of a field


def explained_json(shows: Shows) -> dict[str, Any]:
    """What a call shows, as BEN tells it."""
    return {"explanation": said(shows), "Alert": shows.artificial}


def explained_all_json(calls: Sequence[int], shown: Sequence[Shows]) -> dict[str, Any]:
    """What each call of an auction shows, as BEN tells it: a list in HTML."""
    rows = [f"  <li>{escape(answer_word(c))} {escape(said(s))}</li>\n" for c, s in zip(calls, shown, strict=True)]
    return {"explanation": f"<ul>\n{''.join(rows)}</ul>", "bba_controlled": False}


def bids_json(shown: Mapping[int, Shows], sides: Sequence[str]) -> list[dict[str, Any]]:
    """What each legal call would show; the last one also tells the specs of both sides, as BEN has it."""
    rows: list[dict[str, Any]] = [
        {"bid": "P" if call == PASS else answer_word(call), "m": said(shows), "Alert": shows.artificial}
        for call, shows in shown.items()
    ]
    rows[-1] |= {"NS": sides[0], "EW": sides[1]}
    return rows


def said(shows: Shows) -> str:
    """What a call shows, in a line."""
    return f"{shows.text} ({shows.note})" if shows.note else shows.text


def read_cuebid(asked: Asked) -> Question:
    """The question of a body, for whoever's turn it is; names of systems and the like are left alone, as in BEN.

    Raises:
        ValueError: a field is missing or faulty; the message says which.
    """
    (hand,) = read_hands([asked.text("hand", _LONGEST)])
    dealer = read_seat(asked.text("dealer", _LONGEST), "dealer")
    vulnerability = read_vulnerability(asked.text("vuln", _LONGEST, ""))
    calls = tuple(read_call(word, "auction") for word in asked.texts("auction", MAX_CALLS, _LONGEST))
    one_auction(calls, dealer, vulnerability)
    return Question(int((dealer + len(calls)) & 3), np.asarray(hand), dealer, vulnerability, calls)


def cuebid_json(answer: CallAnswer) -> dict[str, Any]:
    """A call as ``/cuebid`` tells it: ``alert`` is what it shows."""
    bid = answer_word(answer.call)
    return {"bid": "Pass" if bid == "PASS" else bid, "alert": answer.explanation, "artificial": answer.alert}
