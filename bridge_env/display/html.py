"""Draw hands, deals, auctions, contracts, results, tables of tricks and boards.

A fragment carries class names (all begin with ``bridge-``) and no style; ``framed`` adds it: light and dark, no font
and no picture from elsewhere. Without any style, as on pages that remove it, deals and auctions are still tables.
All texts are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import takewhile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.display.text import (
    AUCTION_ORDER,
    SEAT_NAMES,
    SUIT_SYMBOLS,
    about_lines,
    auction_rows,
    is_vulnerable,
    result_line,
)
from bridge_env.hands.deals import suit_ranks
from bridge_env.hands.features import HCP, hand_features
from bridge_env.records.board import Board
from bridge_env.records.links import viewer_link
from bridge_env.rules.calls import FIRST_BID, NOTRUMP, STRAINS, Contract, call_text, level_of, strain_of
from bridge_env.rules.cards import SEATS, SUITS

_COMPASS = (("N", 0), ("W", 3), ("E", 1), ("S", 2))


@lru_cache(maxsize=1)
def style() -> str:
    """Return the style sheet of all drawings. Its rules reach nothing outside an element of class ``bridge``."""
    return Path(__file__).with_name("board.css").read_text(encoding="utf-8")


def framed(drawing: str, more_style: str = "") -> str:
    """Return a drawing with its style, for a notebook or any other page.

    Args:
        drawing: HTML of this package.
        more_style: further rules, for other parts of the drawing.
    """
    return f'<div class="bridge"><style>{style()}{more_style}</style>{drawing}</div>'


def _suit(suit: int) -> str:
    return f'<span class="bridge-{SUITS[suit].lower()}">{SUIT_SYMBOLS[suit]}</span>'


def _strain(strain: int) -> str:
    return "NT" if strain == NOTRUMP else _suit(strain)


def words_html(text: str) -> str:
    """Return any text, escaped, with its suit symbols coloured."""
    return re.sub(f"[{SUIT_SYMBOLS}]", lambda found: _suit(SUIT_SYMBOLS.index(found[0])), escape(text))


def _hand(held: NDArray[np.bool_], tag: str) -> str:
    """Return an element of the cards that are known, suit by suit, with the high-card points of all thirteen."""
    drawn = (" ".join(ranks).replace("T", "10") or "—" for ranks in suit_ranks(held))
    suits = "<br>".join(f"{_suit(suit)} {ranks}" for suit, ranks in zip((3, 2, 1, 0), drawn, strict=True))
    points = int(hand_features(held[None])[0, HCP])
    shown = f'<span class="bridge-points" title="high-card points">{points}</span>' * bool(held.sum() == 13)
    return f'<{tag} class="bridge-hand">{suits if held.any() else ""}{shown}</{tag}>'


def hand_html(held: ArrayLike) -> str:
    """Draw a hand, bool (52,), as a ``<div class="bridge-hand">`` with its high-card points."""
    return _hand(np.asarray(held, bool).reshape(52), "div")


def deal_html(
    owner: ArrayLike,
    dealer: int | None = None,
    vulnerability: int | None = None,
    number: int | None = None,
    tricks: ArrayLike | None = None,
) -> str:
    """Draw a deal as a ``<table class="bridge-deal">`` of three rows by three; arguments as ``deal_diagram``.

    ``tricks`` (4, 5), where they are known, stand in the lower corner as a table.
    The compass in the middle marks the dealer (``bridge-dealer``) and the vulnerable seats (``bridge-vulnerable``).
    """
    o = np.asarray(owner).reshape(52)
    about = "<br>".join(escape(line) for line in about_lines(dealer, vulnerability, number))
    blank, north, east, south, west = "<td></td>", *(_hand(o == seat, "td") for seat in range(4))
    rows = [
        f'<td class="bridge-about">{about}</td>{north}{blank}',
        f"{west}<td>{_compass(dealer, vulnerability)}</td>{east}",
        f"{blank}{south}{blank if tricks is None else f'<td>{tricks_html(tricks)}</td>'}",
    ]
    return f'<table class="bridge-deal" role="presentation">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _compass(dealer: int | None, vulnerability: int | None) -> str:
    parts = []
    for letter, seat in _COMPASS:
        marks = ["bridge-dealer"] * (seat == dealer) + ["bridge-vulnerable"] * is_vulnerable(seat, vulnerability or 0)
        parts.append(f'<span class="{" ".join(marks)}">{letter}</span>' if marks else f"<span>{letter}</span>")
    return f'<div class="bridge-compass" aria-hidden="true">{"".join(parts)}</div>'


def call_html(call: int) -> str:
    """Draw a call with its suit coloured."""
    if call < FIRST_BID or strain_of(call) == NOTRUMP:
        return call_text(call)
    return f"{level_of(call)}{_suit(strain_of(call))}"


def auction_html(
    calls: Iterable[int],
    dealer: int,
    vulnerability: int = 0,
    notes: Mapping[int, str] | None = None,
    alerts: Collection[int] = (),
) -> str:
    """Draw an auction as a ``<table class="bridge-auction">``; ``th.bridge-vulnerable`` marks vulnerable seats.

    Args:
        calls: call numbers from the dealer on; a padded row of a history will do (-1 ends it).
        notes: texts by the place of a call in the auction, which become tooltips.
        alerts: places of calls that get an A beside them.
    """
    titles = notes or {}
    marks = [' class="bridge-vulnerable"' * is_vulnerable(seat, vulnerability) for seat in range(4)]
    rows = ["".join(f'<th scope="col"{marks[seat]}>{SEAT_NAMES[seat]}</th>' for seat in AUCTION_ORDER)]
    blanks = AUCTION_ORDER.index(dealer)
    for start, row in enumerate(auction_rows(calls, dealer)):
        cells = []
        for column, call in enumerate(row):
            place = 4 * start + column - blanks
            title = f' title="{escape(titles[place])}"' if titles.get(place) else ""
            alert = '<sup class="bridge-alert">A</sup>' if place in alerts else ""
            cells.append(f"<td{title}>{'' if call is None else call_html(call) + alert}</td>")
        rows.append("".join(cells))
    return f'<table class="bridge-auction">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def notes_html(calls: Iterable[int], dealer: int, notes: Mapping[int, str]) -> str:
    """List the explanations of calls in their order; empty where there are none. Arguments as ``auction_html``."""
    made = list(takewhile(lambda call: call >= 0, calls))
    items = [
        f"<li><b>{SEATS[(dealer + place) & 3]} {call_html(int(call))}</b> <span>{words_html(notes[place])}</span></li>"
        for place, call in enumerate(made)
        if notes.get(place)
    ]
    return f'<ul class="bridge-notes">{"".join(items)}</ul>' if items else ""


def contract_html(contract: Contract) -> str:
    """Return ``4♠X N`` with the suit coloured; ``Pass`` for a passed-out board."""
    if contract.passed_out:
        return str(contract)
    return f"{contract.level}{_strain(contract.strain)}{'X' * contract.doubling} {SEATS[contract.declarer]}"


def result_html(contract: Contract, tricks: int | None = None, vulnerability: int = 0) -> str:
    """Draw ``result_line`` with the suit coloured."""
    line = result_line(contract, tricks, vulnerability)
    if contract.passed_out:
        return line
    plain, drawn = (text.rpartition(" ")[0] for text in (str(contract), contract_html(contract)))
    return drawn + escape(line.removeprefix(plain))


def tricks_html(tricks: ArrayLike) -> str:
    """Draw double-dummy tricks (4, 5) [declarer seat, strain] as a ``<table class="bridge-tricks">``."""
    table = np.asarray(tricks)
    head = "".join(f'<th scope="col">{_strain(strain)}</th>' for strain in range(len(STRAINS)))
    rows = [
        f'<tr><th scope="row">{SEATS[seat]}</th>{"".join(f"<td>{int(n)}</td>" for n in table[seat])}</tr>'
        for seat in range(4)
    ]
    return f'<table class="bridge-tricks"><tr><th></th>{head}</tr>{"".join(rows)}</table>'


def board_html(
    tables: Sequence[Board],
    *,
    titles: Sequence[str] = (),
    notes: Sequence[Mapping[int, str]] = (),
    tricks: ArrayLike | None = None,
) -> str:
    """Draw a board as a ``<div class="bridge-board">``: the deal, and beside it each table's auction and result.

    Args:
        tables: the board as it was played at each table; deal, dealer and vulnerability are those of the first.
        titles: a headline for each table; by default the players' names, if all four are known.
        notes: for each table the explanations of calls, by their index; by default the board's own. Alerts are always
            the board's own.
        tricks: (4, 5), the double-dummy table, where it is known.
    """
    first = tables[0]
    parts = [deal_html(first.owner, first.dealer, first.vulnerability, first.number, tricks)]
    rooms = [
        _table(board, titles[place] if titles else _players(board), notes[place] if notes else board.notes)
        for place, board in enumerate(tables)
    ]
    parts.append(f'<div class="bridge-tables">{"".join(rooms)}</div>')
    return f'<div class="bridge-board">{"".join(parts)}</div>'


def _players(board: Board) -> str:
    """Return ``Ann and Bob against Cyd and Dan``, if the names are known."""
    names = [board.tags.get(person, "") for person in SEAT_NAMES]
    if not all(names):
        return ""
    return f"{names[0]} and {names[2]} against {names[1]} and {names[3]}"


def _table(board: Board, title: str, notes: Mapping[int, str]) -> str:
    parts = [f"<h4>{escape(title)}</h4>"] if title else []
    if board.auction is not None:
        parts.append(auction_html(board.auction, board.dealer, board.vulnerability, alerts=board.notes))
    if board.contract is not None:
        result = result_html(board.contract, board.tricks, board.vulnerability)
        parts.append(f'<p class="bridge-result">{result}</p>')
    if board.auction is not None and (explained := notes_html(board.auction, board.dealer, notes)):
        parts.append(f"<details><summary>What the calls show</summary>{explained}</details>")
    link = f'<a href="{escape(viewer_link(board))}" rel="noreferrer">BBO hand viewer</a>'
    parts.append(f'<p class="bridge-link">{link}</p>')
    return f'<section class="bridge-table">{"".join(parts)}</section>'
