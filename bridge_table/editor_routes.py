"""The requests of the page on which a board is put together; the server stores nothing of it."""

from __future__ import annotations

from typing import Annotated, get_args

from msgspec import Meta

from bridge_env.hands.deals import deal_text, parse_deal
from bridge_env.records.board import Board
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_table.board.dealing import problem_texts, read_texts
from bridge_table.board.export import Format, board_file
from bridge_table.board.views import legal_calls
from bridge_table.http.fields import Dealer, Vulnerability, Words, parse_calls
from bridge_table.http.routing import Api, Json
from bridge_table.session import Session

_MAX_LISTED = 200  # boards of a text among which one may choose

api = Api()


@api.post("editor/read")
def read_text(session: Session, *, text: str) -> Json:
    """Return the boards of a text, with their auctions."""
    result = read_texts(text)
    boards = [
        {
            "board": board.number or place, "dealer": SEATS[board.dealer],
            "vulnerable": VULNERABILITIES[board.vulnerability], "deal": deal_text(board.owner),
            "calls": " ".join(map(call_text, board.auction or ())),
        }
        for place, board in enumerate(result.boards[:_MAX_LISTED], 1)
    ]  # fmt: skip
    return {"boards": boards, "problems": problem_texts(result)}


@api.post("editor/calls")
async def after_calls(session: Session, *, dealer: Dealer, calls: Words = "") -> Json:
    """Return the legal calls after an auction."""
    auctions = one_auction(parse_calls(calls), SEATS.index(dealer))
    over = bool(auctions.done[0])
    return {"legal": [] if over else legal_calls(auctions), "over": over}


@api.post("editor/board")
async def check_board(
    session: Session, *, deal: str, dealer: Dealer, vulnerable: Vulnerability,
    board: Annotated[int, Meta(ge=1, lt=10**6)] = 1, calls: Words = "",
) -> Json:  # fmt: skip
    """Check a board, and return it in all formats."""
    conditions = SEATS.index(dealer), VULNERABILITIES.index(vulnerable)
    owner, auctions = parse_deal(deal), one_auction(parse_calls(calls), *conditions)
    contract = auctions.contracts().at(0) if auctions.done[0] else None
    made = Board(owner, *conditions, board, auctions.calls(0), contract)
    return {form: board_file(made, form) for form in get_args(Format)}
