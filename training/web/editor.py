"""The routes of the page on which a board is put together: texts are read, auctions and boards are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.routing import Route

from bridge_env.auction import Auctions
from bridge_env.calls import NUM_CALLS, call_text, parse_call
from bridge_env.cards import SEATS, UNKNOWN, VULNERABILITIES, card_text, deal_text, parse_holding
from bridge_env.records.board import Board
from training.http.asked import Asked, Refused
from training.http.body import body
from training.http.thinking import Thinking
from training.web.dealing import read_texts, told_problems
from training.web.doors import answering
from training.web.exports import written
from training.web.session import Session

_NAMES = ("North", "East", "South", "West")
_FORMS = ("pbn", "lin", "link")
_HAND = 13
_SHOWN = 200  # boards of a text among which one may choose


class Editor:
    """What the page may ask. Nothing is kept: a board comes to a table as a pasted one does."""

    def __init__(self, session: Session, thinking: Thinking) -> None:
        self.session, self.thinking = session, thinking

    def routes(self) -> list[Route]:
        """Paths as they are behind the token."""
        api = [("/api/editor/read", self.read), ("/api/editor/calls", self.calls), ("/api/editor/board", self.board)]
        return [Route(path, answering(door), methods=["POST"]) for path, door in api]

    async def read(self, request: Request) -> dict[str, Any]:
        """The boards of a text, with what was bid."""
        asked = await self._body(request)
        text = asked.text("text", self.session.limits.body)
        asked.done()
        result = await self.thinking(lambda: read_texts(text, self.session.limits.boards))
        boards = [
            {
                "board": board.number or place, "dealer": SEATS[board.dealer],
                "vulnerable": VULNERABILITIES[board.vulnerability], "deal": deal_text(board.owner),
                "calls": " ".join(map(call_text, board.auction or ())),
            }
            for place, board in enumerate(result.boards[:_SHOWN], 1)
        ]  # fmt: skip
        return {"boards": boards, "problems": list(told_problems(result))}

    async def calls(self, request: Request) -> dict[str, Any]:
        """What may be called after an auction."""
        asked = await self._body(request)
        dealer, said = SEATS.index(asked.choice("dealer", tuple(SEATS))), asked.text("calls", 2000, "")
        asked.done()
        auctions = legal_auction(said, dealer, 0)
        over, legal = bool(auctions.done[0]), auctions.legal()[0]
        return {"legal": [call_text(call) for call in range(NUM_CALLS) if legal[call] and not over], "over": over}

    async def board(self, request: Request) -> dict[str, Any]:
        """A whole board that was checked, in all forms."""
        asked = await self._body(request)
        deal, said = asked.text("deal", 200), asked.text("calls", 2000, "")
        dealer = SEATS.index(asked.choice("dealer", tuple(SEATS)))
        vulnerability = VULNERABILITIES.index(asked.choice("vulnerable", VULNERABILITIES))
        number = asked.number("board", 1, 10**6 - 1, 1)
        asked.done()
        owner = whole_deal(deal)
        auctions = legal_auction(said, dealer, vulnerability)
        contract = auctions.contracts().at(0) if auctions.done[0] else None
        board = Board(owner, dealer, vulnerability, number, auctions.calls(0), contract)
        return {form: written(board, form) for form in _FORMS}

    async def _body(self, request: Request) -> Asked:
        return await body(request, self.session.limits.body)


def whole_deal(text: str) -> NDArray[np.uint8]:
    """The owners of the cards of ``N:hand hand hand hand``.

    Raises:
        Refused: a card lies in two hands, or a hand does not hold thirteen; the sentence names them.
    """
    first, colon, rest = text.partition(":")
    hands = rest.split(" ")
    if first != SEATS[0] or not colon or len(hands) != len(SEATS):
        raise Refused("Write the four hands from North on, as in 'N:AKQ2.T98.J7.A543 …'.")
    owner = np.full(52, UNKNOWN, np.uint8)
    for seat, hand in enumerate(hands):
        held = parse_holding(hand)
        for card in np.flatnonzero(held & (owner != UNKNOWN)).tolist():
            raise Refused(f"{card_text(card)} lies in two hands, {_NAMES[owner[card]]}'s and {_NAMES[seat]}'s.")
        owner[held] = seat
    counts = [int((owner == seat).sum()) for seat in range(len(SEATS))]
    wrong = [f"{_NAMES[seat]} holds {count}" for seat, count in enumerate(counts) if count != _HAND]
    if wrong:
        *most, last = wrong
        told = f"{', '.join(most)} and {last}" if most else last
        raise Refused(f"Every hand holds thirteen cards; {told}.")
    return owner


def legal_auction(said: str, dealer: int, vulnerability: int) -> Auctions:
    """The auction of the calls that are ``said``.

    Raises:
        Refused: one of them is no call, or not legal; the sentence names it.
    """
    auctions = Auctions(dealer, vulnerability)
    for call in [parse_call(word) for word in said.split()]:
        if auctions.done[0] or not auctions.legal()[0, call]:
            raise Refused(f"{auctions.fault_text(0, call)}.")
        auctions.step(call)
    return auctions
