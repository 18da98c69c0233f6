"""The requests of the table's page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta

from agents.registry import system_of
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_table.board import seating, views
from bridge_table.board.dealing import read_stack
from bridge_table.board.export import Format, export
from bridge_table.board.hints import hint
from bridge_table.board.review import review
from bridge_table.board.table import OVER, Setup
from bridge_table.board.views import state
from bridge_table.http.fields import (
    Dealer,
    Name,
    RequestError,
    Seat,
    Spec,
    SystemText,
    Vulnerability,
    Words,
    parse_calls,
)
from bridge_table.http.routing import Api, Json
from bridge_table.programs.question import read_card
from bridge_table.session import Session
from bridge_table.systems.books import entries_after

_CHAMPION = "policy:champion"
People = Annotated[str, Meta(pattern="^N?E?S?W?$")]

api = Api()

# --- the server -----------------------------------------------------------------------------------------------


@api.get("start")
async def start(session: Session) -> Json:
    """Return the specs that the page offers, the results so far, and a name by which other machines reach this one."""
    specs = seating.offered(session.named, tuple(session.dropped))
    return {"specs": specs, "session": session.summary(), "reach": session.rooms.reach}


@api.post("boards")
def add_boards(session: Session, *, text: str, name: Name = "the pasted text") -> Json:
    """Store the boards of a text."""
    stack = read_stack(text, name or "the text")
    return {
        "stack": session.stacks.add(stack), "name": stack.name, "boards": len(stack.deals),
        "problems": list(stack.problems),
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
    """Return what every legal call shows after an auction in which all four seats bid by one spec."""
    made, spec = parse_calls(calls), session.check_spec(spec)
    out = views.after_auction(spec, made)
    written = system_of(spec)
    if written is not None:
        out["entries"] = entries_after(written.system, made, [parse_call(word) for word in out["calls"]])
    return out


@api.post("tables")
def deal(
    session: Session, *, people: People = "", ns: Spec = _CHAMPION, ew: Spec = _CHAMPION, control: Spec = "",
    source: Literal["random", "judging", "stack"] = "random", stack: str = "",
    number: Annotated[int, Meta(ge=0, le=10**6)] = 0, dealer: Literal["board"] | Dealer = "board",
    vulnerability: Literal["board"] | Vulnerability = "board", cards: seating.Player = "montecarlo", calls: Words = "",
) -> Json:  # fmt: skip
    """Deal a board."""
    seats, ns, ew = tuple(map(SEATS.index, people)), session.check_spec(ns), session.check_spec(ew)
    control = session.check_spec(control or (ew if seats and seats[0] & 1 else ns))
    board = session.next_deal(source, stack, number)
    if dealer != "board":
        board = replace(board, dealer=SEATS.index(dealer))
    if vulnerability != "board":
        board = replace(board, vulnerability=VULNERABILITIES.index(vulnerability))
    table = session.open(Setup(seats, ns, ew, control, cards), board)
    table.begin_with(parse_calls(calls))
    return state(table, seats[0] if seats else None)


# --- one table ------------------------------------------------------------------------------------------------


@api.get("tables/{name}")
def look(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Return what the seat may know."""
    return state(*session.table_for(name, seat))


@api.post("tables/{name}/hint")
def show_hint(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Return an idea for the next call or card."""
    return hint(*session.table_for(name, seat))


@api.post("tables/{name}/calls")
def show_calls(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Return what each legal call would show."""
    return views.every_call(*session.table_for(name, seat))


@api.post("tables/{name}/note")
def show_note(session: Session, name: str, *, seat: Seat = "watch", number: Annotated[int, Meta(ge=0)]) -> Json:
    """Return what one call of the auction shows."""
    return views.note(*session.table_for(name, seat), number)


@api.get("tables/{name}/review")
def show_review(session: Session, name: str) -> Json:
    """Return the review, and count the board."""
    table = session.tables.get(name)
    found = review(table)
    unsaved = session.count(table, found)
    return {**found, "unsaved": unsaved, "counts": name in session.results, "session": session.summary()}


@api.get("tables/{name}/export")
def show_export(session: Session, name: str, *, form: Format = "pbn") -> Json:
    """Return the board in a format of other programs."""
    return export(session.tables.get(name), form)


@api.post("tables/{name}/again")
def deal_again(session: Session, name: str) -> Json:
    """Deal the same board again; it does not count, because its hands are known."""
    table = session.tables.get(name)
    if table.phase != OVER:
        raise RequestError("This board is not over.", 409)
    fresh = session.open(replace(table.setup, other=None, replay=False), table.deal)
    fresh.helped = 1
    return state(fresh, fresh.setup.people[0] if fresh.setup.people else None)


@api.post("tables/{name}/call")
def make_call(session: Session, name: str, *, seat: Seat = "watch", call: str, at: int) -> Json:
    """Make a person's call; ``at`` counts the calls and cards that the page has seen."""
    table, player = session.table_for(name, seat)
    table.call(player, parse_call(call), at)
    return state(table, player)


@api.post("tables/{name}/card")
def play_card(session: Session, name: str, *, seat: Seat = "watch", card: str, at: int) -> Json:
    """Play a person's card."""
    table, player = session.table_for(name, seat)
    table.card(player, read_card(card), at)
    return state(table, player)


@api.post("tables/{name}/step")
def step(session: Session, name: str, *, seat: Seat = "watch", at: int) -> Json:
    """Make the next call or play the next card of a seat without a person."""
    table, player = session.table_for(name, seat)
    table.step(at)
    return state(table, player)


@api.post("tables/{name}/claim")
def claim(session: Session, name: str, *, seat: Seat = "watch", tricks: int) -> Json:
    """Claim some of the tricks that are left."""
    table, player = session.table_for(name, seat)
    table.claim(player, tricks)
    return state(table, player)


@api.post("tables/{name}/undo")
def undo(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Take back a person's latest call or card."""
    table, player = session.table_for(name, seat)
    table.undo(player)
    return state(table, player)


@api.post("tables/{name}/play")
def begin_play(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """Begin the play."""
    table, player = session.table_for(name, seat)
    table.play()
    return state(table, player)


@api.post("tables/{name}/show")
def end_board(session: Session, name: str, *, seat: Seat = "watch") -> Json:
    """End the board, and show all hands."""
    table, player = session.table_for(name, seat)
    table.show()
    return state(table, player)
