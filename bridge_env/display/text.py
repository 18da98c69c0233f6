"""Write deals, auctions and results as text.

Text is plain ASCII except for optional suit symbols; lines have no trailing blanks and the text no
line break at its end. ``bridge_env.display.html`` draws the same for browsers and notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bridge_env.hands.deals import suit_ranks
from bridge_env.rules.calls import FIRST_BID, STRAINS, Contract, call_text, level_of, strain_of
from bridge_env.rules.cards import SEATS, SUITS
from bridge_env.rules.scoring import score

if TYPE_CHECKING:  # an env that draws one table would load the solver
    from bridge_env.records.board import Board

SEAT_NAMES = ("North", "East", "South", "West")
VULNERABLE_TEXT = ("None vul", "NS vul", "EW vul", "All vul")
SUIT_SYMBOLS = "♣♦♥♠"

AUCTION_ORDER = (3, 0, 1, 2)  # West North East South, as auctions are printed everywhere
_COMPASS = ("   N", "W     E", "   S", "")


def hand_lines(held: ArrayLike, symbols: bool = False) -> list[str]:
    """Return a hand, bool (52,), as four lines, spades first: ``"S AKQ2"``, ``"S -"``; empty without any card."""
    if not np.any(held):
        return [""] * 4
    letters = (SUIT_SYMBOLS if symbols else SUITS)[::-1]
    return [f"{letter} {ranks or '-'}" for letter, ranks in zip(letters, suit_ranks(held), strict=True)]


def deal_diagram(
    owner: ArrayLike, dealer: int | None = None, vulnerability: int | None = None, number: int | None = None
) -> str:
    """Draw a deal with North on top and West on the left; board, dealer and vulnerability, where given, beside it.

    Args:
        owner: (52,), the seat that holds each card, 255 = unknown (then the card is not shown).
    """
    o = np.asarray(owner)
    north, east, south, west = (hand_lines(o == seat) for seat in range(4))
    about = about_lines(dealer, vulnerability, number)
    left = max(len(line) for line in [*west, *about, " " * 10]) + 2
    middle = max(len(line) for line in [*north, *south, " " * 10]) + 2
    rows = [(about + [""] * 4)[i].ljust(left) + north[i] for i in range(4)]
    rows += [west[i].ljust(left) + _COMPASS[i].ljust(middle) + east[i] for i in range(4)]
    rows += [" " * left + line for line in south]
    return "\n".join(row.rstrip() for row in rows)


def about_lines(dealer: int | None, vulnerability: int | None, number: int | None) -> list[str]:
    """Return ``Board 7``, ``Dealer N``, ``NS vul``: those that are known."""
    lines = [] if number is None else [f"Board {number}"]
    lines += [] if dealer is None else [f"Dealer {SEATS[dealer]}"]
    return lines + ([] if vulnerability is None else [VULNERABLE_TEXT[vulnerability]])


def shown_call(call: int) -> str:
    """Return ``4♠``: a call with the symbol of its suit."""
    if call >= FIRST_BID and strain_of(call) < len(SUIT_SYMBOLS):
        return f"{level_of(call)}{SUIT_SYMBOLS[strain_of(call)]}"
    return call_text(call)


def auction_rows(calls: Iterable[int], dealer: int) -> list[list[int | None]]:
    """Return rows of calls West to South, None before the dealer; the calls end at the first -1."""
    cells: list[int | None] = [None] * AUCTION_ORDER.index(dealer)
    cells += [int(call) for call in takewhile(lambda call: call >= 0, calls)]
    return [cells[i : i + 4] for i in range(0, len(cells), 4)]


def is_vulnerable(seat: int, vulnerability: int) -> bool:
    """Return whether the side of ``seat`` is vulnerable."""
    return bool(vulnerability >> (seat & 1) & 1)


def auction_table(calls: Iterable[int], dealer: int, vulnerability: int = 0) -> str:
    """Draw an auction in columns West, North, East, South; a star marks the vulnerable seats.

    Args:
        calls: call numbers from the dealer on; a padded row of a history will do (-1 ends it).
        dealer: seat 0..3; the cells before it in the first row stay blank.
    """
    names = [SEAT_NAMES[seat] + "*" * is_vulnerable(seat, vulnerability) for seat in AUCTION_ORDER]
    rows = [names]
    for row in auction_rows(calls, dealer):
        rows.append(["" if call is None else call_text(call) for call in row])
    return "\n".join("".join(cell.ljust(8) for cell in row).rstrip() for row in rows if any(row))


def result_line(contract: Contract, tricks: int | None = None, vulnerability: int = 0) -> str:
    """Return ``"4SX by N, 9 tricks, -1: -200"``, points always for NS; without ``tricks`` only the contract."""
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
    """Draw double-dummy tricks (4, 5) [declarer seat, strain], a row for each of N E S W under the strains."""
    t = np.asarray(tricks)
    head = " " + "".join(strain.rjust(3) for strain in STRAINS)
    return "\n".join([head, *(SEATS[seat] + "".join(f"{int(n):3d}" for n in t[seat]) for seat in range(4))])


def board_text(board: Board) -> str:
    """Draw a board: the deal; below it the auction and the result, where they are known."""
    parts = [deal_diagram(board.owner, board.dealer, board.vulnerability, board.number)]
    parts += [] if board.auction is None else [auction_table(board.auction, board.dealer, board.vulnerability)]
    parts += [] if board.contract is None else [result_line(board.contract, board.tricks, board.vulnerability)]
    return "\n\n".join(parts)
