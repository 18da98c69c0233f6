"""Draw whole boards, at one table or at several, and batches of deals and of auctions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from bridge_env.display.html.fragments import auction_html, deal_html, notes_html, result_html
from bridge_env.display.text import FEW, SEAT_NAMES, auction_end, count_text, dealer_and_vulnerability
from bridge_env.records.board import Board
from bridge_env.records.links import viewer_link

if TYPE_CHECKING:  # a page of text would load the solver
    from bridge_env.double_dummy.boards import Boards
    from bridge_env.rules.auction import Auctions


def board_html(
    tables: Sequence[Board],
    *,
    titles: Sequence[str] = (),
    notes: Sequence[Mapping[int, str]] = (),
    tricks: ArrayLike | None = None,
    links: bool = True,
) -> str:
    """Draw a board as a ``<div class="bridge-board">``: the deal, and beside it each table's auction and result.

    Args:
        tables: the board as it was played at each table; deal, dealer and vulnerability are those of the first.
        titles: a headline for each table, or none.
        notes: for each table the explanations of calls, by their index; by default the board's own, which are also its
            alerts.
        tricks: (4, 5), the double-dummy table, where it is known.
        links: link each table to Bridge Base Online's hand viewer.
    """
    first = tables[0]
    parts = [deal_html(first.owner, first.dealer, first.vulnerability, first.number, tricks)]
    rooms = [
        _table(board, titles[place] if titles else _players(board), notes[place] if notes else board.notes, links=links)
        for place, board in enumerate(tables)
    ]
    if any(rooms):
        parts.append(f'<div class="bridge-tables">{"".join(rooms)}</div>')
    return f'<div class="bridge-board">{"".join(parts)}</div>'


def _players(board: Board) -> str:
    """Return ``Ann and Bob against Cyd and Dan``, if the names are known."""
    names = [board.tags.get(person, "") for person in SEAT_NAMES]
    if not all(names):
        return ""
    return f"{names[0]} and {names[2]} against {names[1]} and {names[3]}"


def _table(board: Board, title: str, notes: Mapping[int, str], *, links: bool) -> str:
    parts = [f"<h4>{escape(title)}</h4>"] if title else []
    if board.auction is not None:
        parts.append(auction_html(board.auction, board.dealer, board.vulnerability, alerts=board.notes))
    if board.contract is not None:
        result = result_html(board.contract, board.tricks, board.vulnerability)
        parts.append(f'<p class="bridge-result">{result}</p>')
    if board.auction is not None and (explained := notes_html(board.auction, board.dealer, notes)):
        parts.append(f"<details><summary>What the calls show</summary>{explained}</details>")
    if links:
        link = f'<a href="{escape(viewer_link(board))}" rel="noreferrer">BBO hand viewer</a>'
        parts.append(f'<p class="bridge-link">{link}</p>')
    return f'<section class="bridge-table">{"".join(parts)}</section>' if parts else ""


# --- batches ----------------------------------------------------------------------------------------------


def boards_html(boards: Boards) -> str:
    """Draw the first deals of a batch, and their number."""
    drawn = []
    for row in range(min(len(boards), FEW)):
        tricks = boards.tricks[row] if (boards.tricks[row] >= 0).all() else None
        drawn.append(
            deal_html(boards.owner[row], *dealer_and_vulnerability(boards, row), int(boards.number[row]), tricks)
        )
    return _batch(drawn, count_text(len(drawn), len(boards), "board", boards.source))


def auctions_html(auctions: Auctions) -> str:
    """Draw the first auctions of a batch, each with its contract or the seat to call, and their number."""
    drawn = []
    for row in range(min(len(auctions), FEW)):
        table = auction_html(auctions.calls(row), int(auctions.dealer[row]), int(auctions.vulnerability[row]))
        now = result_html(auctions.contracts().at(row)) if auctions.done[row] else auction_end(auctions, row)
        drawn.append(f'<section class="bridge-table">{table}<p class="bridge-result">{now}</p></section>')
    return _batch(drawn, count_text(len(drawn), len(auctions), "auction"))


def _batch(drawn: Sequence[str], caption: str) -> str:
    return f'<div class="bridge-board">{"".join(drawn)}<p class="bridge-aside">{escape(caption)}</p></div>'
