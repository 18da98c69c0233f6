"""BEN's ``/autoplay``: bid and play a whole board. Who calls or plays is shown what that seat sees, and no more."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge_env.auction import Auctions, one_auction
from bridge_env.calls import FIRST_BID, Contract
from bridge_env.cards import SEATS, board_dealer, board_vulnerability, card_text, deal_text, parse_deal
from bridge_env.play import Plays
from bridge_env.scoring import score
from bridge_table.programs.answers import Answers, OwnFault
from bridge_table.programs.ben import answer_word, read_call, read_flag, read_number, read_vulnerability
from bridge_table.programs.explained import said
from bridge_table.programs.question import Question, read_seat

Told = dict[str, Any]

_VULNERABLE = ("None", "N-S", "E-W", "Both")


@dataclass(frozen=True, eq=False)
class Board:
    """What is to be bid and played."""

    owner: NDArray[np.uint8]  # (52,), the deal
    dealer: int
    vulnerability: int
    calls: tuple[int, ...] = ()  # with which the auction begins
    bidding: bool = False  # the auction alone is wanted

    def question(self, seat: int, calls: Sequence[int]) -> Question:
        return Question(seat, self.owner == seat, self.dealer, self.vulnerability, tuple(calls))


def read_board(fields: Mapping[str, str]) -> Board:
    """The board of a query.

    Raises:
        ValueError: a field is missing or faulty; the message says which.
    """
    if not fields.get("deal"):
        raise ValueError("'deal' is missing: four hands from north on, with a space between them")
    deal = fields["deal"].strip()
    owner = parse_deal((deal if ":" in deal else f"N:{deal}").replace("_", "."))
    board = read_number(fields, "board", 1, 9999, 1)
    dealer, vul = fields.get("dealer"), fields.get("vul")
    words = [word.strip(" \"'") for word in fields.get("auction", "").strip(" []").split(",")]
    return Board(
        owner,
        read_seat(dealer, "dealer") if dealer else int(board_dealer(board)),
        read_vulnerability(vul) if vul else int(board_vulnerability(board)),
        tuple(read_call(word, "auction") for word in words) if words != [""] else (),
        read_flag(fields, "bidding_only"),
    )


def board_steps(answers: Answers, board: Board) -> Iterator[Told]:
    """Bid the board and play it: nothing after each call and card, so that others get their turn, then BEN's answer.

    Raises:
        ValueError: the auction that was given is not legal.
        OwnFault: a call or a card is not legal, or the whole takes longer than ``answers.patience``.
    """
    began = time.monotonic()
    auction = yield from _bid(answers, board, began)
    calls, contract = auction.calls(0), auction.contracts().at(0)
    shown = answers.shows(board.question(0, calls)) if calls else []
    told: Told = {
        "deal": deal_text(board.owner).removeprefix("N:"), "dealer": SEATS[board.dealer],
        "vulnerability": _VULNERABLE[board.vulnerability], "auction": [answer_word(call) for call in calls],
        "auction_with_explanations": [
            {"bid": answer_word(call), "player": SEATS[(board.dealer + k) & 3], "explanation": said(shows),
             "alert": shows.artificial} for k, (call, shows) in enumerate(zip(calls, shown, strict=True))],
        "contract": "PASS", "declarer": None,
    }  # fmt: skip
    if not contract.passed_out:
        told["contract"] = answer_word(FIRST_BID + contract.bid) + "X" * contract.doubling
        told["declarer"] = SEATS[contract.declarer]
    if board.bidding:
        leader = None if contract.passed_out else SEATS[(contract.declarer + 1) & 3]
        told |= {"opening_leader": leader, "bidding_only": True}
    else:
        told |= yield from _played(answers, board, calls, contract, began)
    yield {**told, "elapsed": round(time.monotonic() - began, 2)}


def _bid(answers: Answers, board: Board, began: float) -> Generator[Told, None, Auctions]:
    calls = list(board.calls)
    while not (auction := one_auction(calls, board.dealer, board.vulnerability)).done[0]:
        _patient(answers, began)
        seat = int(auction.turn[0])
        calls.append(answers.at(seat).call(board.question(seat, calls)).call)
        yield {}
    return auction


def _played(
    answers: Answers, board: Board, calls: tuple[int, ...], contract: Contract, began: float
) -> Generator[Told, None, Told]:
    if contract.passed_out:
        return {"tricks": 0, "score": 0, "ns_score": 0, "play": []}
    plays = Plays(board.owner[None], contract.declarer, contract.strain)
    while not plays.done[0]:
        _patient(answers, began)
        played, seat = plays.cards(0), int(plays.decider[0])
        dummy = board.owner == contract.declarer ^ 2 if played else None
        asked = replace(board.question(seat, calls), dummy=dummy, played=played)
        plays.step([answers.at(seat).card(asked).card])
        yield {}
    tricks = int(plays.won[0])
    points = int(score(contract.bid, contract.doubling, contract.declarer, board.vulnerability, tricks))
    own, play = -points if contract.declarer & 1 else points, [card_text(card) for card in plays.cards(0)]
    return {"tricks": tricks, "score": own, "ns_score": points, "play": play}


def _patient(answers: Answers, began: float) -> None:
    if time.monotonic() - began > answers.patience:
        raise OwnFault(answers.spec, f"a whole board takes longer than {answers.patience:g} seconds")
