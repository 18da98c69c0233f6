"""Boards as texts: the doors of the page on which one is put together, and boards for other programs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from starlette.routing import Route

from agents.seats import spec_at
from bridge_env.auction import Auctions
from bridge_env.calls import call_text, parse_call
from bridge_env.cards import SEATS, UNKNOWN, VULNERABILITIES, card_text, deal_text, parse_holding
from bridge_env.records.board import Board
from bridge_env.records.lin import lin_text, viewer_link
from bridge_env.records.pbn import board_text
from bridge_env.render import SEAT_NAMES
from bridge_table.board.dealing import read_texts, told_problems
from bridge_table.board.table import OVER, Table
from bridge_table.board.views import draw_notes, legal_calls
from bridge_table.doors import Doors, Steps, Told
from bridge_table.http.asked import Asked, Refused
from bridge_table.session import Session

FORMS = ("pbn", "lin", "link")
_HAND = 13
_SHOWN = 200  # boards of a text among which one may choose


class Editor:
    """What the page may ask. Nothing is kept: a board comes to a table as a pasted one does."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def routes(self, doors: Doors) -> list[Route]:
        return [
            *doors.routes(("POST", "editor/read", self.read)),
            *doors.routes(("POST", "editor/calls", self.calls), ("POST", "editor/board", self.board), at_once=True),
        ]

    def read(self, asked: Asked) -> Steps:
        """The boards of a text, with what was bid."""
        text = asked.text("text", self.session.limits.body)
        yield None
        result = read_texts(text, self.session.limits.boards)
        boards = [
            {
                "board": board.number or place, "dealer": SEATS[board.dealer],
                "vulnerable": VULNERABILITIES[board.vulnerability], "deal": deal_text(board.owner),
                "calls": " ".join(map(call_text, board.auction or ())),
            }
            for place, board in enumerate(result.boards[:_SHOWN], 1)
        ]  # fmt: skip
        yield {"boards": boards, "problems": list(told_problems(result))}

    def calls(self, asked: Asked) -> Steps:
        """What may be called after an auction."""
        dealer, said = SEATS.index(asked.choice("dealer", tuple(SEATS))), asked.text("calls", 2000, "")
        yield None
        auctions = legal_auction(said, dealer, 0)
        over = bool(auctions.done[0])
        yield {"legal": [] if over else legal_calls(auctions), "over": over}

    def board(self, asked: Asked) -> Steps:
        """A whole board that was checked, in all forms."""
        deal, said = asked.text("deal", 200), asked.text("calls", 2000, "")
        dealer = SEATS.index(asked.choice("dealer", tuple(SEATS)))
        vulnerability = VULNERABILITIES.index(asked.choice("vulnerable", VULNERABILITIES))
        number = asked.number("board", 1, 10**6 - 1, 1)
        yield None
        owner = whole_deal(deal)
        auctions = legal_auction(said, dealer, vulnerability)
        contract = auctions.contracts().at(0) if auctions.done[0] else None
        board = Board(owner, dealer, vulnerability, number, auctions.calls(0), contract)
        yield {form: written(board, form) for form in FORMS}


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
            two = f"{SEAT_NAMES[owner[card]]}'s and {SEAT_NAMES[seat]}'s"
            raise Refused(f"{card_text(card)} lies in two hands, {two}.")
        owner[held] = seat
    counts = [int((owner == seat).sum()) for seat in range(len(SEATS))]
    wrong = [f"{SEAT_NAMES[seat]} holds {count}" for seat, count in enumerate(counts) if count != _HAND]
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


# --- for other programs ---------------------------------------------------------------------------------------


def export(table: Table, form: str) -> Told:
    """The board as ``pbn``, ``lin`` or ``link``, with its auction and play and what the calls showed.

    Raises:
        Refused: the board is not over: a record holds all four hands.
    """
    if table.phase != OVER:
        raise Refused("A board can be taken along when it is over: its record holds all four hands.", 409)
    return written(_board(table), form)


def written(board: Board, form: str) -> Told:
    """A board as ``pbn``, ``lin`` or ``link``."""
    if form == "link":
        return {"text": viewer_link(board)}
    text = "% PBN 2.1\n% EXPORT\n\n" + board_text(board) if form == "pbn" else lin_text(board) + "\n"
    return {"name": f"board-{board.number}.{form}", "text": text}


def _board(table: Table) -> Board:
    deal, setup, contract = table.deal, table.setup, table.contract
    play, tricks = None, None
    if table.cards:
        plays = table.plays
        play, tricks = plays.cards(0), int(plays.won[0])
    names = {
        SEAT_NAMES[s]: "a person" if s in setup.people else spec_at(setup.north_south, setup.east_west, s)
        for s in range(len(SEATS))
    }
    calls = tuple(table.calls)
    draw_notes(table)
    notes = {
        len(key) - 1: shows.text for key, shows in table.notes.items() if shows.artificial and key == calls[: len(key)]
    }
    return Board(
        deal.owner, deal.dealer, deal.vulnerability, deal.number, calls, contract, tricks, play,
        tags=names, notes=notes,
    )  # fmt: skip
