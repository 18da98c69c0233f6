"""Judge over deals of the hidden cards: BEN's ``/contract``, which contracts suit two hands, and ``/claim``."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.cardplay.facts import places_of_seen
from bridge_env import streams
from bridge_env.auction import one_auction
from bridge_env.calls import FIRST_BID, NUM_BIDS
from bridge_env.cards import SEATS
from bridge_env.double_dummy.estimator import builtin_estimator, expected_scores
from bridge_env.double_dummy.positions import card_tricks
from bridge_env.play import Plays
from bridge_env.sampling import KnownCards, sample_deals
from bridge_table.programs.ben import answer_word
from bridge_table.programs.question import Question

_DEALS = 200  # for a contract
_LEAST = 0.05  # share of deals, and chance of a number of tricks, that is told
_DRAWN = 100  # for a claim
_ALL = 1000  # where no more deals than these are possible, each is solved


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
    tricks_of = builtin_estimator().distribution(owner)
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


def claim_json(question: Question, tricks: int) -> dict[str, Any]:
    """Does the side of ``question.seat`` take ``tricks`` more, the present trick included?

    Returns:
        ``tricks``; ``accepted``; ``result``, the same in words; ``sure``, the tricks that it takes on every deal;
        ``deals`` that were solved, and whether these were ``all``.

    Raises:
        ValueError: nothing can be claimed here; the message says why.
    """
    seat, played = question.seat, question.played
    if not played or question.dummy is None:
        raise ValueError("nobody claims before the opening lead")
    auctions = one_auction(question.calls, question.dealer, question.vulnerability)
    places = places_of_seen(auctions, seat, question.hand, question.dummy, played)
    deals, every = _deals(places, streams.key("claim") if question.key is None else np.array([question.key], np.uint64))
    contract = auctions.contracts().at(0)
    cards = np.tile(np.array(played, np.int8), (len(deals), 1))
    plays = Plays.replay(deals, contract.declarer, contract.bid % 5, cards)
    taken = _taken(plays, seat, (seat, contract.declarer ^ 2))
    sure, fewer = int(taken.min()), int((taken < tricks).sum())
    claim = f"{SEATS[seat]}'s claim of {tricks} of {13 - len(played) // 4} tricks"
    result = f"Accepted {claim}: it holds double dummy on each deal"
    if fewer:
        result = f"{claim} rejected: {sure} are sure; fewer than claimed on {fewer} of {len(deals)} deals"
    return {
        "tricks": tricks, "result": result, "accepted": not fewer, "sure": sure, "deals": len(deals), "all": every,
    }  # fmt: skip


def _taken(plays: Plays, seat: int, seen: tuple[int, int]) -> NDArray[np.int8]:
    """The tricks that the side of ``seat`` takes from here on, on each deal.

    Where it is to play a card of a hand that the claimer sees, it is the same card on all deals.
    """
    length, turn = int(plays.length[0]), int(plays.turn[0])
    trick = np.full((len(plays), 3), -1, np.int8)
    begun = length & 3
    trick[:, :begun] = plays.history[:, length - begun : length]
    tricks: NDArray[np.int8] = card_tricks(plays.left, plays.strain, plays.leader, trick)
    best: NDArray[np.int8] = tricks.max(axis=1)
    if (turn ^ seat) & 1:
        best = np.subtract(13 - length // 4, best, dtype=np.int8)
    elif turn in seen:
        best = tricks[:, np.lexsort((tricks.sum(axis=0, dtype=np.int64), tricks.min(axis=0)))[-1]]
    return best


def _deals(places: KnownCards, key: NDArray[np.uint64]) -> tuple[NDArray[np.uint8], bool]:
    """Deals of ``places``, of which two seats are hidden, uint8 (S, 52); are they all that there are?"""
    places = places.propagated()
    free = np.flatnonzero(places.may_hold.sum(axis=0) > 1)
    if not len(free):
        return places.may_hold.argmax(axis=0).astype(np.uint8)[None], True
    one, other = np.flatnonzero(places.may_hold[:, free].any(axis=1)).tolist()
    certain = places.may_hold[one] & (places.may_hold.sum(axis=0) == 1)
    room = int(places.sizes[one] - certain.sum())
    if comb(len(free), room) > _ALL:
        return sample_deals(places, {}, _DRAWN, key).owner, False
    owner = np.tile(places.may_hold.argmax(axis=0).astype(np.uint8), (comb(len(free), room), 1))
    owner[:, free] = other
    for row, held in enumerate(combinations(free.tolist(), room)):
        owner[row, list(held)] = one
    return owner, True
