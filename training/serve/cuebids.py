"""BEN's ``/cuebid``: a call, asked for with a JSON body; the hand is that of whoever's turn it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.programs.ben import answer_word, read_call, read_hands, read_vulnerability
from agents.programs.question import CallAnswer, Question, read_seat
from bridge_env.auction import MAX_CALLS, one_auction
from training.http.asked import Asked

_LONGEST = 100  # characters of a field


def read_cuebid(asked: Asked) -> Question:
    """The question of a body; names of systems and the like are left alone, as BEN leaves them.

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
