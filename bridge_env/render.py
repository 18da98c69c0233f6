"""Deals, auctions and results as text, and as HTML fragments.

Text is plain ASCII unless ``symbols`` asks for suit symbols; lines have no trailing blanks and the text no
line break at its end. HTML fragments carry class names (all begin with ``bridge-``) and no style.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import takewhile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bridge_env.calls import FIRST_BID, STRAINS, Contract, call_text, level_of, strain_of
from bridge_env.cards import RANKS, SEATS, SUITS
from bridge_env.scoring import score

SEAT_NAMES = ("North", "East", "South", "West")
VULNERABLE_TEXT = ("None vul", "NS vul", "EW vul", "All vul")
SUIT_SYMBOLS = "♣♦♥♠"

_AUCTION_ORDER = (3, 0, 1, 2)  # West North East South, as auctions are printed everywhere
_COMPASS = ("   N", "W     E", "   S", "")


# --- deals ------------------------------------------------------------------------------------------------


def hand_lines(held: ArrayLike, symbols: bool = False) -> list[str]:
    """bool (52,) as four lines, spades first: ``"S AKQ2"``; ``"S -"`` for a void.

    A hand of which no card is known gives four empty lines.
    """
    cards: NDArray[np.bool_] = np.asarray(held, bool).reshape(4, 13)
    if not cards.any():
        return [""] * 4
    letters = SUIT_SYMBOLS if symbols else SUITS
    return [f"{letters[suit]} {_ranks(cards[suit]) or '-'}" for suit in (3, 2, 1, 0)]


def _ranks(held: NDArray[np.bool_]) -> str:
    return "".join(RANKS[rank] for rank in range(12, -1, -1) if held[rank])


def deal_diagram(
    owner: ArrayLike,
    dealer: int | None = None,
    vulnerability: int | None = None,
    number: int | None = None,
    symbols: bool = False,
) -> str:
    """A deal with North on top and West on the left; board, dealer and vulnerability, where given, beside it.

    Args:
        owner: (52,), the seat that holds each card, 255 = unknown (then the card is not shown).
        dealer: seat 0..3.
        vulnerability: code 0..3.
        number: board number.
        symbols: suit symbols in place of letters.
    """
    o = np.asarray(owner)
    north, east, south, west = (hand_lines(o == seat, symbols) for seat in range(4))
    about = _about(dealer, vulnerability, number)
    left = max(len(line) for line in [*west, *about, " " * 10]) + 2
    middle = max(len(line) for line in [*north, *south, " " * 10]) + 2
    rows = [(about + [""] * 4)[i].ljust(left) + north[i] for i in range(4)]
    rows += [west[i].ljust(left) + _COMPASS[i].ljust(middle) + east[i] for i in range(4)]
    rows += [" " * left + line for line in south]
    return "\n".join(row.rstrip() for row in rows)


def _about(dealer: int | None, vulnerability: int | None, number: int | None) -> list[str]:
    lines = [] if number is None else [f"Board {number}"]
    lines += [] if dealer is None else [f"Dealer {SEATS[dealer]}"]
    return lines + ([] if vulnerability is None else [VULNERABLE_TEXT[vulnerability]])


# --- auctions ---------------------------------------------------------------------------------------------


def _call(call: int, symbols: bool) -> str:
    if symbols and call >= FIRST_BID and strain_of(call) < len(SUIT_SYMBOLS):
        return f"{level_of(call)}{SUIT_SYMBOLS[strain_of(call)]}"
    return call_text(call)


def _auction_rows(calls: Iterable[int], dealer: int) -> list[list[int | None]]:
    """Rows of calls West to South, None before the dealer; the calls end at the first -1."""
    cells: list[int | None] = [None] * _AUCTION_ORDER.index(dealer)
    cells += [int(call) for call in takewhile(lambda call: call >= 0, calls)]
    return [cells[i : i + 4] for i in range(0, len(cells), 4)]


def _is_vulnerable(seat: int, vulnerability: int) -> bool:
    return bool(vulnerability >> (seat & 1) & 1)


def auction_table(calls: Iterable[int], dealer: int, vulnerability: int = 0, symbols: bool = False) -> str:
    """An auction in columns West, North, East, South; a star marks the vulnerable seats.

    Args:
        calls: call numbers from the dealer on; a padded row of a history will do (-1 ends it).
        dealer: seat 0..3; the cells before it in the first row stay blank.
        vulnerability: code 0..3.
        symbols: suit symbols in place of letters.
    """
    names = [SEAT_NAMES[seat] + "*" * _is_vulnerable(seat, vulnerability) for seat in _AUCTION_ORDER]
    rows = [names]
    for row in _auction_rows(calls, dealer):
        rows.append(["" if call is None else _call(call, symbols) for call in row])
    return "\n".join("".join(cell.ljust(8) for cell in row).rstrip() for row in rows if any(row))


# --- results ----------------------------------------------------------------------------------------------


def result_line(contract: Contract, tricks: int | None = None, vulnerability: int = 0) -> str:
    """``"4SX by N, 9 tricks, -1: -200"``: the tricks against the contract (``=`` when made exactly), and the
    points for NS with their sign, whoever declares. Without ``tricks`` only the contract.
    """
    if contract.passed_out:
        return "Passed out: 0"
    text = f"{str(contract).rpartition(' ')[0]} by {SEATS[contract.declarer]}"
    if tricks is None:
        return text
    surplus = tricks - (contract.level + 6)
    against = f"{surplus:+d}" if surplus else "="
    points = int(score(contract.bid, contract.doubling, contract.declarer, vulnerability, tricks))
    return f"{text}, {tricks} trick{'s' * (tricks != 1)}, {against}: {points:+d}"


def trick_table(tricks: ArrayLike) -> str:
    """Double-dummy tricks (4, 5) [declarer seat, strain], a row for each of N E S W under the strains."""
    t = np.asarray(tricks)
    head = " " + "".join(strain.rjust(3) for strain in STRAINS)
    return "\n".join([head, *(SEATS[seat] + "".join(f"{int(n):3d}" for n in t[seat]) for seat in range(4))])


# --- HTML -------------------------------------------------------------------------------------------------


def _suit_html(suit: int) -> str:
    return f'<span class="bridge-suit-{SUITS[suit].lower()}">{SUIT_SYMBOLS[suit]}</span>'


def deal_html(
    owner: ArrayLike, dealer: int | None = None, vulnerability: int | None = None, number: int | None = None
) -> str:
    """The deal as a ``<table class="bridge-deal">`` of three rows by three; arguments as ``deal_diagram``."""
    o = np.asarray(owner)
    about = "<br>".join(escape(line) for line in _about(dealer, vulnerability, number))

    def hand(seat: int) -> str:
        cards = (o == seat).reshape(4, 13)
        suits = [f"{_suit_html(suit)} {_ranks(cards[suit]) or '-'}" for suit in (3, 2, 1, 0)]
        return f'<td class="bridge-hand">{"<br>".join(suits) if cards.any() else ""}</td>'

    blank = "<td></td>"
    rows = [f"<td>{about}</td>{hand(0)}{blank}", f"{hand(3)}{blank}{hand(1)}", f"{blank}{hand(2)}{blank}"]
    return f'<table class="bridge-deal">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def auction_html(calls: Iterable[int], dealer: int, vulnerability: int = 0, notes: Sequence[str] | None = None) -> str:
    """The auction as a ``<table class="bridge-auction">``; ``th.bridge-vulnerable`` marks vulnerable seats.

    ``notes``, one for each call and empty for none, become tooltips; they are escaped.
    """
    heads = [
        '<th class="bridge-vulnerable">' if _is_vulnerable(seat, vulnerability) else "<th>" for seat in _AUCTION_ORDER
    ]
    rows = ["".join(f"{heads[i]}{SEAT_NAMES[seat]}</th>" for i, seat in enumerate(_AUCTION_ORDER))]
    blanks = _AUCTION_ORDER.index(dealer)
    for start, row in enumerate(_auction_rows(calls, dealer)):
        cells = []
        for column, call in enumerate(row):
            number = 4 * start + column - blanks
            note = notes[number] if notes is not None and 0 <= number < len(notes) else ""
            title = f' title="{escape(note)}"' if note else ""
            cells.append(f"<td{title}>{'' if call is None else _call_html(call)}</td>")
        rows.append("".join(cells))
    return f'<table class="bridge-auction">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _call_html(call: int) -> str:
    if call < FIRST_BID or strain_of(call) >= len(SUITS):
        return call_text(call)
    return f"{level_of(call)}{_suit_html(strain_of(call))}"
