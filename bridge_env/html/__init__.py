"""Draw hands, deals, auctions and boards as HTML; ``framed`` gives a drawing its style."""

from bridge_env.html.boards import auctions_html, board_html, boards_html
from bridge_env.html.fragments import (
    auction_html,
    call_html,
    contract_html,
    deal_html,
    framed,
    hand_html,
    notes_html,
    result_html,
    style,
    tricks_html,
    words_html,
)

__all__ = [
    "auction_html",
    "auctions_html",
    "board_html",
    "boards_html",
    "call_html",
    "contract_html",
    "deal_html",
    "framed",
    "hand_html",
    "notes_html",
    "result_html",
    "style",
    "tricks_html",
    "words_html",
]
