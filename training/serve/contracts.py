"""Tell which contracts suit two hands of a side, as BEN's ``/contract`` does: over deals of the other cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.programs.ben import answer_word
from agents.programs.question import Question
from bridge_env import streams
from bridge_env.calls import FIRST_BID, NUM_BIDS
from bridge_env.double_dummy.estimator import embedded_estimator, expected_scores

_DEALS = 200
_LEAST = 0.05  # share of deals, and chance of a number of tricks, that is told


def contracts_json(question: Question) -> dict[str, Any]:
    """The contracts that are best on some of the deals, undoubled, by how often; with the chances of tricks.

    Args:
        question: ``hand`` and ``dummy`` are the two hands, ``seat`` is who holds the first.

    Returns:
        By contract, such as ``"4S"``: ``score``, the share of deals on which no other is worth more, ``Tricks``, and
        ``Percentage``, the chance of each of these numbers of tricks.
    """
    assert question.dummy is not None
    seat, partner = question.seat, question.seat ^ 2
    others = np.flatnonzero(~(question.hand | question.dummy))
    owner = np.empty((_DEALS, 52), np.uint8)
    owner[:, question.hand], owner[:, question.dummy] = seat, partner
    order = streams.uniforms(streams.key("contract", np.arange(_DEALS)), len(others)).argsort(axis=1, kind="stable")
    owner[:, others] = np.where(order < len(others) // 2, (seat + 1) & 3, (seat + 3) & 3)
    tricks_of = embedded_estimator().distribution(owner)
    values = expected_scores(tricks_of, question.vulnerability)[:, :, :, 0]  # [deal, declarer, bid]
    chances = tricks_of.mean(axis=0)  # [declarer, strain, tricks]
    ours = values[:, [seat, partner]]
    best = ours.max(axis=1)  # of both declarers
    often = np.bincount(best.argmax(axis=1), minlength=NUM_BIDS) / _DEALS
    out: dict[str, Any] = {}
    for bid in np.argsort(-often, kind="stable").tolist():
        if often[bid] < _LEAST:
            break
        declarer = (seat, partner)[int(ours[:, :, bid].mean(axis=0).argmax())]
        tricks = np.flatnonzero(chances[declarer, bid % 5] >= _LEAST).tolist()
        out[answer_word(FIRST_BID + bid)] = {
            "score": round(float(often[bid]), 2), "Tricks": tricks,
            "Percentage": [round(float(chances[declarer, bid % 5, number]), 2) for number in tricks],
        }  # fmt: skip
    return out
