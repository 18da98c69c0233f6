"""The requests of the page on which a board is put together."""

from __future__ import annotations

from typing import Annotated, get_args

from msgspec import Meta
from starlette.routing import Route

from bridge_env.hands.deals import deal_text, parse_deal
from bridge_env.records.board import Board
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_table.board.dealing import problem_texts, read_texts
from bridge_table.board.export import Format, board_file
from bridge_table.board.views import legal_calls
from bridge_table.http.fields import Dealer, RequestFields, Vulnerability, Words, parse_calls
from bridge_table.http.routing import Json, Router

_MAX_LISTED = 200  # boards of a text among which one may choose


class TextFields(RequestFields):
    text: str


class AuctionFields(RequestFields):
    dealer: Dealer
    calls: Words = ""


class BoardFields(AuctionFields, kw_only=True):
    deal: str
    vulnerable: Vulnerability
    board: Annotated[int, Meta(ge=1, lt=10**6)] = 1


class EditorRoutes:
    """What the editor's page may request. Nothing is stored: a board comes to a table as a pasted one does."""

    def routes(self, router: Router) -> list[Route]:
        return [
            *router.routes(("POST", "editor/read", self.read)),
            *router.routes(("POST", "editor/calls", self.calls), ("POST", "editor/board", self.board), at_once=True),
        ]

    def read(self, fields: TextFields) -> Json:
        """Return the boards of a text, with their auctions."""
        result = read_texts(fields.text)
        boards = [
            {
                "board": board.number or place, "dealer": SEATS[board.dealer],
                "vulnerable": VULNERABILITIES[board.vulnerability], "deal": deal_text(board.owner),
                "calls": " ".join(map(call_text, board.auction or ())),
            }
            for place, board in enumerate(result.boards[:_MAX_LISTED], 1)
        ]  # fmt: skip
        return {"boards": boards, "problems": problem_texts(result)}

    def calls(self, fields: AuctionFields) -> Json:
        """Return the legal calls after an auction."""
        auctions = one_auction(parse_calls(fields.calls), SEATS.index(fields.dealer))
        over = bool(auctions.done[0])
        return {"legal": [] if over else legal_calls(auctions), "over": over}

    def board(self, fields: BoardFields) -> Json:
        """Check a board, and return it in all formats."""
        dealer, vulnerability = SEATS.index(fields.dealer), VULNERABILITIES.index(fields.vulnerable)
        owner, auctions = parse_deal(fields.deal), one_auction(parse_calls(fields.calls), dealer, vulnerability)
        contract = auctions.contracts().at(0) if auctions.done[0] else None
        board = Board(owner, dealer, vulnerability, fields.board, auctions.calls(0), contract)
        return {form: board_file(board, form) for form in get_args(Format)}
