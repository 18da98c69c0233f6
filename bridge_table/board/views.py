"""Show the table as JSON to one seat, without what the seat may not see, a board that is over, and a problem."""

from __future__ import annotations

import json
import math
import platform
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from agents.networks.call_reader import Shows
from agents.registry import reader_of, spec_at
from bridge_env.display.text import SEAT_NAMES, result_line
from bridge_env.hands.deals import hand_text
from bridge_env.records.board import Board
from bridge_env.records.lin_writer import lin_text
from bridge_env.records.links import viewer_link
from bridge_env.records.pbn import board_text
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import call_text
from bridge_env.rules.cards import SEATS, VULNERABILITIES, card_text
from bridge_env.rules.play import Plays
from bridge_table.board.table import BIDDING, OVER, PLAYING, Table
from bridge_table.http.requests import RequestError
from training.runtime.runs import code_hash, version_of

Format = Literal["pbn", "lin", "link"]
_PACKAGES = ("bridge-env", "numpy", "numba", "starlette", "uvicorn", "msgspec")


def check_looks(table: Table, seat: int | None) -> None:
    """Raise ``RequestError`` where ``seat`` may not look; a spectator (None) may where no people sit, or the board is
    over.
    """
    people = table.setup.people
    if table.phase != OVER and (seat not in people if seat is not None else bool(people)):
        raise RequestError("This seat is not yours; what it holds is shown when the board is over.", 403)


def state(table: Table, seat: int | None, draw: bool = False) -> dict[str, Any]:
    """Return what ``seat`` may know, None a spectator; ``draw``: draw hands for unmeasured calls of networks, half a
    second each. Raise ``RequestError`` where it may not look.
    """
    check_looks(table, seat)
    people = table.setup.people
    turn, chooser = table.turn(), table.chooser()
    deal, contract = table.deal, table.contract
    shown = reader_of(*table.setup.specs).seats(table.calls, deal.dealer, deal.vulnerability, draw)
    out: dict[str, Any] = {
        "table": table.name,
        "phase": table.phase,
        "board": {
            "number": deal.number, "dealer": SEATS[deal.dealer], "source": deal.source,
            "vulnerability": VULNERABILITIES[deal.vulnerability],
        },
        "people": [SEATS[s] for s in people],
        "bidders": dict(zip(("NS", "EW"), table.setup.specs, strict=True)),
        "seat": None if seat is None else SEATS[seat],
        "sits": {
            SEATS[s]: "you" if s in people and not table.setup.replay else spec_at(*table.setup.specs, s)
            for s in range(4)
        },
        "hands": _hands(table, seat),
        "calls": [{"call": call_text(call), "seat": SEATS[(deal.dealer + k) & 3], "shows": _shows(table, k, draw)}
                  for k, call in enumerate(table.calls)],
        "shown": dict(zip(SEATS, shown, strict=True)),
        "turn": None if turn is None else SEATS[turn],
        "yours": chooser is not None and chooser == seat,
        "chooser": None if chooser is None else SEATS[chooser],
        "at": table.at,
        "helped": table.helped,
        "replay": table.setup.replay,
    }  # fmt: skip
    if table.phase == BIDDING and out["yours"]:
        out["legal"] = legal_calls(table.auctions)
    if table.phase != BIDDING:
        out["contract"] = {
            "text": "Passed out" if contract.passed_out else result_line(contract),
            "declarer": None if contract.passed_out else SEATS[contract.declarer],
        }
    if table.phase == PLAYING or (table.phase == OVER and table.cards):
        out["play"] = _play(table, seat)
    return out


def _shows(table: Table, number: int, draw: bool) -> dict[str, Any]:
    """Return what call ``number`` shows; ``pending`` where hands have to be drawn for it."""
    setup, deal = table.setup, table.deal
    calls = tuple(table.calls[: number + 1])
    found = call_shows(setup.specs, calls, deal.dealer, deal.vulnerability, draw)
    if found is None:
        return {**Shows("Working out what this shows…").as_json(), "pending": True}
    return found.as_json()


@lru_cache(maxsize=256)
def call_shows(
    specs: tuple[str, str], calls: tuple[int, ...], dealer: int, vulnerability: int, draw: bool
) -> Shows | None:
    """Return what the last of some calls shows; None where hands have to be drawn for it, and are not."""
    reader = reader_of(*specs)
    return (reader.shows if draw else reader.shows_at_once)(calls[:-1], dealer, vulnerability, calls[-1])


def every_call(table: Table, seat: int | None) -> dict[str, Any]:
    """Return what each legal call of the person to call would show."""
    if table.phase != BIDDING or seat is None or table.chooser() != seat:
        raise RequestError("It is not for you to call now.", 409)
    every = reader_of(*table.setup.specs).shows_of_all(table.calls, table.deal.dealer, table.deal.vulnerability)
    return {call_text(call): shows.as_json() for call, shows in every.items()}


def _hands(table: Table, seat: int | None) -> dict[str, str | None]:
    """Return the cards that each visible hand still holds; all thirteen once the board is over."""
    owner = table.deal.owner
    if table.phase == PLAYING:
        owner = np.where(np.isin(np.arange(52), table.cards), 255, owner)
    visible = table.visible(seat)
    return {SEATS[s]: hand_text(owner == s) if visible[s] else None for s in range(4)}


def _play(table: Table, seat: int | None) -> dict[str, Any]:
    plays: Plays = table.plays
    contract = table.contract
    cards = plays.cards(0)
    seats = [int(s) for s in plays.players[0, : len(cards)]]
    start = len(cards) & ~3
    played = [{"seat": SEATS[s], "card": card_text(c)} for s, c in zip(seats, cards, strict=True)]
    won = int(plays.won[0])
    last = start - 4 if len(cards) == start else start
    out: dict[str, Any] = {
        "cards": played,
        "trick": played[last:] if last >= 0 else [],
        "complete": len(cards) == start and last >= 0,
        "declarer": SEATS[contract.declarer],
        "dummy": SEATS[contract.declarer ^ 2],
        "won": won,
        "lost": int(plays.tricks[0]) - won,
        "left": 13 - int(plays.tricks[0]),
        "claimed": table.claimed,
    }
    if table.phase == PLAYING and seat is not None and table.chooser() == seat:  # they are cards of that hand
        out["legal"] = [card_text(c) for c in np.flatnonzero(plays.legal()[0]).tolist()]
    return out


def legal_calls(auctions: Auctions) -> list[str]:
    return [call_text(call) for call in np.flatnonzero(auctions.legal()[0]).tolist()]


def mean_error(boards: int, total: int, squares: int) -> dict[str, float | None]:
    """Return IMPs a board and their standard error, none of fewer than two boards, by sums of IMPs and squares."""
    mean = total / boards if boards else 0.0
    spread = max(squares - boards * mean * mean, 0.0)
    error = math.sqrt(spread / (boards - 1) / boards) if boards > 1 else None
    return {"mean": round(mean, 2), "error": None if error is None else round(error, 2)}


def board_file(board: Board, form: Format) -> dict[str, Any]:
    """Return the text of a board, and the name of its file if it is one."""
    if form == "link":
        return {"text": viewer_link(board)}
    text = "% PBN 2.1\n% EXPORT\n\n" + board_text(board) if form == "pbn" else lin_text(board) + "\n"
    return {"name": f"board-{board.number}.{form}", "text": text}


def record(table: Table) -> Board:
    """Return a table's board with its auction and play and what the calls showed; raise ``RequestError`` before it is
    over.
    """
    if table.phase != OVER:
        raise RequestError("A board can be taken along when it is over: its record holds all four hands.", 409)
    deal, setup = table.deal, table.setup
    play, tricks, solved = None, None, deal.table
    if solved is None and table.review is not None:
        solved = np.array([table.review["tricks"][seat] for seat in SEATS], np.int8)
    if table.cards:
        plays = table.plays
        play, tricks = plays.cards(0), int(plays.won[0])
    names = {name: "a person" if s in setup.people else spec_at(*setup.specs, s) for s, name in enumerate(SEAT_NAMES)}
    calls = tuple(table.calls)
    notes = {}
    for number in range(len(calls)):
        shows = call_shows(setup.specs, calls[: number + 1], deal.dealer, deal.vulnerability, True)
        if shows is not None and shows.artificial:
            notes[number] = shows.text
    return Board(
        deal.owner, deal.dealer, deal.vulnerability, deal.number, calls, table.contract, tricks, play,
        tags=names, notes=notes, table=solved,
    )  # fmt: skip


def problem_report(table: Table, seat: int | None, seed: int | None = None) -> dict[str, Any]:
    """Return a file with what ``seat`` may see of the board, the versions, and the seed of the deals, None for guests;
    raise ``RequestError`` where the seat may not look.
    """
    setup = table.setup
    found = {
        "versions": {name: version_of(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "code": code_hash(),
        "system": platform.platform(),
        "bidders": {"NS": setup.north_south, "EW": setup.east_west, "control": setup.control, "cards": setup.player},
        "seed": seed,
        "state": state(table, seat),
        "review": table.review,
    }
    return {"name": f"problem-board-{table.deal.number}.json", "text": json.dumps(found, indent=1, ensure_ascii=False)}
