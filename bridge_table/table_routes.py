"""The requests of the table's page, and of the page on which a board is put together, of which nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal, get_args

from msgspec import Meta

from agents.registry import reader_of, system_of
from bridge_env.hands.deals import deal_text, parse_deal
from bridge_env.records.board import Board
from bridge_env.rules.auction import one_auction
from bridge_env.rules.calls import call_text, parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES, board_dealer, board_vulnerability
from bridge_table.board import seating, views
from bridge_table.board.dealing import PARTNER, SCENARIOS, Deal, Source, problem_texts, read_scenario, read_texts
from bridge_table.board.hints import hint
from bridge_table.board.review import review
from bridge_table.board.table import OVER, Setup, Table
from bridge_table.board.views import Format, problem_report, state
from bridge_table.http.requests import (
    Api,
    Dealer,
    Json,
    Name,
    RequestError,
    Seat,
    Spec,
    SystemText,
    Vulnerability,
    Words,
    parse_calls,
    parse_card,
)
from bridge_table.learning.history import current_session, save_review
from bridge_table.session import Session
from bridge_table.systems import entries_after

_CHAMPION = "policy:champion"
People = Annotated[str, Meta(pattern="^N?E?S?W?$")]

api = Api()


@api.get("start")
async def start(session: Session) -> Json:
    """Return the specs and scenarios that the page offers, and the results so far."""
    specs = seating.offered(session.named, tuple(session.dropped))
    scenarios = [{"title": title, "hands": hands, "calls": calls} for title, hands, calls in SCENARIOS]
    return {"specs": specs, "session": current_session(session.database), "scenarios": scenarios}


@api.post("boards")
def add_boards(session: Session, *, text: str, name: Name = "the pasted text") -> Json:
    """Store the boards of a text."""
    result, name = read_texts(text), name or "the text"
    deals = [
        Deal(
            board.owner,
            board.dealer,
            board.vulnerability,
            board.number or place,
            name,
            board.table if board.table is not None and (board.table >= 0).all() else None,
        )
        for place, board in enumerate(result.boards, 1)
    ]
    return {
        "stack": session.stacks.add(deals), "name": name, "boards": len(deals), "problems": problem_texts(result),
    }  # fmt: skip


@api.post("systems")
def add_system(session: Session, *, text: SystemText, name: Name = "mine.bidding") -> Json:
    """Store a bidding system."""
    spec = seating.drop_system(name, text)
    if spec not in session.dropped:
        session.dropped.append(spec)
    return {"spec": spec}


@api.post("system")
def after_auction(session: Session, *, spec: Spec, calls: Words = "") -> Json:
    """Return what every legal call shows after an auction from North on in which all four seats bid by one spec."""
    made, spec = parse_calls(calls), session.check_spec(spec)
    over, read, written = bool(one_auction(made, 0).done[0]), reader_of(spec, spec), system_of(spec)
    every = {} if over else read.shows_of_all(made, 0, 0)
    return {
        "over": over, "shown": dict(zip(SEATS, read.seats(made, 0, 0), strict=True)),
        "calls": {call_text(call): shows.as_json() for call, shows in every.items()},
        **({} if written is None else {"entries": entries_after(written.system, made, list(every))}),
    }  # fmt: skip


@api.post("tables")
def deal(
    session: Session, *, people: People = "", ns: Spec = PARTNER, ew: Spec = _CHAMPION, control: Spec = "",
    source: Literal["random", "judging", "stack", "scenario"] = "random", stack: str = "",
    number: Annotated[int, Meta(ge=0, le=10**6)] = 0, dealer: Literal["board"] | Dealer = "board",
    vulnerability: Literal["board"] | Vulnerability = "board", cards: seating.Player = "montecarlo", calls: Words = "",
    hands: Words = "", swap: bool = False,
) -> Json:  # fmt: skip
    """Deal a board; of a scenario one that fits ``hands`` and ``calls``, with ``swap`` partners change seats."""
    seats, ns, ew = tuple(map(SEATS.index, people)), session.check_spec(ns), session.check_spec(ew)
    control = session.check_spec(control or (ew if seats and seats[0] & 1 else ns))
    scenario = read_scenario(hands, calls, dealer, ns) if source == "scenario" else None
    pasted = tuple(session.stacks[stack]) if source == "stack" else ()
    board = session.next_deal(source, Source(session.seed, scenario, pasted, source == "judging"), number, swap)
    if dealer != "board" and scenario is None:
        board = replace(board, dealer=SEATS.index(dealer))
    if vulnerability != "board":
        board = replace(board, vulnerability=VULNERABILITIES.index(vulnerability))
    table = session.open(Setup(seats, ns, ew, control, cards), board)
    table.begin_with(parse_calls(calls))
    return state(table, seats[0] if seats else None)


def _act(session: Session, name: str, seat: Seat, act: Callable[[Table, int | None], None]) -> Json:
    """Return what the seat may know after an act at its table."""
    table, player = session.table_for(name, seat)
    act(table, player)
    return state(table, player)


@api.get("tables/{name}")
def look(session: Session, name: str, *, seat: Seat = "watch", draw: bool = False) -> Json:
    """Return what the seat may know; ``draw``: draw hands for what rare calls show."""
    return state(*session.table_for(name, seat), draw)


@api.post("tables/{name}/hint")
def show_hint(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Return an idea for the next call or card."""
    return hint(*session.table_for(name, seat))


@api.post("tables/{name}/calls")
def show_calls(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Return what each legal call would show."""
    return views.every_call(*session.table_for(name, seat))


@api.get("tables/{name}/review")
def show_review(session: Session, name: str) -> Json:
    """Return the review; save the board that a person has finished, and count it unless its deal has counted before."""
    table = session.tables[name]
    found = review(table)
    if table.counts is None and not table.setup.replay and found["imps"] is not None:
        table.counts = save_review(session.database, table, found)
    return {**found, "counts": bool(table.counts), "session": current_session(session.database)}


@api.get("tables/{name}/export")
def show_export(session: Session, name: str, *, form: Format = "pbn") -> Json:
    """Return the board in a format of other programs."""
    return views.board_file(views.record(session.tables[name]), form)


@api.get("tables/{name}/report")
def show_report(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Return a report of a problem as a file."""
    table, player = session.table_for(name, seat)
    return problem_report(table, player, session.seed)


@api.post("tables/{name}/again")
def deal_again(session: Session, name: str) -> Json:
    """Deal the same board again; it does not count, because its hands are known."""
    table = session.tables[name]
    if table.phase != OVER:
        raise RequestError("This board is not over.", 409)
    fresh = session.open(replace(table.setup, other=None, replay=False), table.deal)
    fresh.helped = 1
    return state(fresh, fresh.setup.people[0] if fresh.setup.people else None)


@api.post("tables/{name}/call")
def make_call(session: Session, name: str, *, seat: Seat = "watch", call: str, at: int) -> Json:
    """Make a person's call; ``at`` counts the calls and cards that the page has seen."""
    return _act(session, name, seat, lambda table, player: table.call(player, parse_call(call), at))


@api.post("tables/{name}/card")
def play_card(session: Session, name: str, *, seat: Seat = "watch", card: str, at: int) -> Json:
    """Play a person's card."""
    return _act(session, name, seat, lambda table, player: table.card(player, parse_card(card), at))


@api.post("tables/{name}/step")
def step(session: Session, name: str, *, seat: Seat = "watch", at: int) -> Json:
    """Make the next call or play the next card of a seat without a person."""
    return _act(session, name, seat, lambda table, player: table.step(at))


@api.post("tables/{name}/claim")
def claim(session: Session, name: str, *, seat: Seat = "watch", tricks: int) -> Json:
    """Claim some of the tricks that are left."""
    return _act(session, name, seat, lambda table, player: table.claim(player, tricks))


@api.post("tables/{name}/undo")
def undo(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Take back a person's latest call or card."""
    return _act(session, name, seat, lambda table, player: table.undo(player))


@api.post("tables/{name}/play")
def begin_play(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Begin the play."""
    return _act(session, name, seat, lambda table, player: table.play())


@api.post("tables/{name}/show")
def end_board(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """End the board, and show all hands."""
    return _act(session, name, seat, lambda table, player: table.show())


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
        for place, board in enumerate(result.boards, 1)
    ]  # fmt: skip
    return {"boards": boards, "problems": problem_texts(result)}


@api.get("editor/conditions")
async def board_conditions(session: Session, *, board: Annotated[int, Meta(ge=1, lt=10**6)]) -> Json:
    """Return the dealer and the vulnerability that belong to a board's number."""
    return {"dealer": SEATS[int(board_dealer(board))], "vulnerable": VULNERABILITIES[int(board_vulnerability(board))]}


@api.post("editor/calls")
async def after_calls(session: Session, *, dealer: Dealer, calls: Words = "") -> Json:
    """Return the legal calls after an auction."""
    auctions = one_auction(parse_calls(calls), SEATS.index(dealer))
    over = bool(auctions.done[0])
    return {"legal": [] if over else views.legal_calls(auctions), "over": over}


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
    return {form: views.board_file(made, form) for form in get_args(Format)}
