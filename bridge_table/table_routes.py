"""The requests of the table's page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta
from starlette.routing import Route

from agents.registry import system_of
from bridge_env.rules.calls import parse_call
from bridge_env.rules.cards import SEATS, VULNERABILITIES
from bridge_table.board import seating
from bridge_table.board.dealing import read_stack
from bridge_table.board.export import Format, export
from bridge_table.board.hints import hint
from bridge_table.board.review import review
from bridge_table.board.table import OVER, Setup, Table
from bridge_table.board.views import after_auction, check_looks, every_call, note, state
from bridge_table.http.fields import (
    Dealer,
    Name,
    NoFields,
    RequestError,
    RequestFields,
    Seat,
    Spec,
    SystemText,
    Vulnerability,
    Words,
    parse_calls,
    seat_number,
    seat_numbers,
)
from bridge_table.http.routing import Handler, Json, Router
from bridge_table.programs.question import read_card
from bridge_table.session import Session
from bridge_table.systems.books import entries_after

_CHAMPION = "policy:champion"


class AtSeat(RequestFields):
    """A request of a seat at a table."""

    seat: Seat = "watch"


class Act(AtSeat, kw_only=True):
    """A step, a call or a card; ``at`` counts the calls and cards that the page has seen."""

    at: int


class CallFields(Act, kw_only=True):
    call: str


class CardFields(Act, kw_only=True):
    card: str


class ClaimFields(AtSeat, kw_only=True):
    tricks: int


class NoteFields(AtSeat, kw_only=True):
    number: Annotated[int, Meta(ge=0)]


class ExportFields(RequestFields):
    form: Format = "pbn"


class BoardsFields(RequestFields):
    text: str
    name: Name = "the pasted text"


class SystemFields(RequestFields):
    text: SystemText
    name: Name = "mine.bidding"


class AuctionFields(RequestFields):
    spec: Spec
    calls: Words = ""


class TableFields(RequestFields):
    """How a board is set up."""

    people: str = ""
    ns: Spec = _CHAMPION
    ew: Spec = _CHAMPION
    control: Spec = ""
    source: Literal["random", "judging", "stack"] = "random"
    stack: str = ""
    number: Annotated[int, Meta(ge=0, le=10**6)] = 0
    dealer: Literal["board"] | Dealer = "board"
    vulnerability: Literal["board"] | Vulnerability = "board"
    cards: seating.Player = "montecarlo"
    calls: Words = ""


class TableRoutes:
    """What the table's page may request."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def routes(self, router: Router) -> list[Route]:
        return [
            *router.routes(("GET", "start", self.start), at_once=True),
            *router.routes(
                ("POST", "boards", self.boards),
                ("POST", "systems", self.systems),
                ("POST", "system", self.system),
                ("POST", "tables", self.tables),
                ("GET", "tables/{name}", self._viewing(state)),
                ("POST", "tables/{name}/hint", self._viewing(hint)),
                ("POST", "tables/{name}/calls", self._viewing(every_call)),
                ("POST", "tables/{name}/note", self.note),
                ("GET", "tables/{name}/review", self.review),
                ("GET", "tables/{name}/export", self.export),
                ("POST", "tables/{name}/again", self.again),
                ("POST", "tables/{name}/call", self.call),
                ("POST", "tables/{name}/step", self.step),
                ("POST", "tables/{name}/card", self.card),
                ("POST", "tables/{name}/claim", self.claim),
                ("POST", "tables/{name}/undo", self._changing(Table.undo)),
                ("POST", "tables/{name}/play", self._changing(_play)),
                ("POST", "tables/{name}/show", self._changing(_show)),
            ),
        ]

    # --- the server ---------------------------------------------------------------------------------------

    def start(self, fields: NoFields) -> Json:
        session = self.session
        return {"specs": seating.offered(session.named, tuple(session.dropped)), "session": session.summary()}

    def boards(self, fields: BoardsFields) -> Json:
        stack = read_stack(fields.text, fields.name or "the text")
        return {
            "stack": self.session.stacks.add(stack), "name": stack.name, "boards": len(stack.deals),
            "problems": list(stack.problems),
        }  # fmt: skip

    def systems(self, fields: SystemFields) -> Json:
        spec = seating.drop_system(fields.name, fields.text)
        if spec not in self.session.dropped:
            self.session.dropped.append(spec)
        return {"spec": spec}

    def system(self, fields: AuctionFields) -> Json:
        """Return what every legal call shows after an auction in which all four seats bid by one spec."""
        calls, spec = parse_calls(fields.calls), self.session.check_spec(fields.spec)
        out = after_auction(spec, calls)
        written = system_of(spec)
        if written is not None:
            out["entries"] = entries_after(written.system, calls, [parse_call(word) for word in out["calls"]])
        return out

    def tables(self, fields: TableFields) -> Json:
        people, calls = seat_numbers(fields.people), parse_calls(fields.calls)
        ns, ew = self.session.check_spec(fields.ns), self.session.check_spec(fields.ew)
        side = people[0] & 1 if people else 0
        control = self.session.check_spec(fields.control or (ew if side else ns))
        deal = self.session.next_deal(fields.source, fields.stack, fields.number)
        if fields.dealer != "board":
            deal = replace(deal, dealer=SEATS.index(fields.dealer))
        if fields.vulnerability != "board":
            deal = replace(deal, vulnerability=VULNERABILITIES.index(fields.vulnerability))
        table = self.session.open(Setup(people, ns, ew, control, fields.cards), deal)
        table.begin_with(calls)
        return state(table, people[0] if people else None)

    # --- one table ----------------------------------------------------------------------------------------

    def review(self, fields: AtSeat, name: str) -> Json:
        table = self.session.tables.get(name)
        found = review(table)
        unsaved = self.session.count(table, found)
        counts = table.name in self.session.results
        return {**found, "unkept": unsaved, "counts": counts, "session": self.session.summary()}

    def again(self, fields: AtSeat, name: str) -> Json:
        """Deal the same board again; it does not count, because its hands are known."""
        table = self.session.tables.get(name)
        if table.phase != OVER:
            raise RequestError("This board is not over.", 409)
        fresh = self.session.open(replace(table.setup, other=None, replay=False), table.deal)
        fresh.helped = 1
        return state(fresh, fresh.setup.people[0] if fresh.setup.people else None)

    def export(self, fields: ExportFields, name: str) -> Json:
        return export(self.session.tables.get(name), fields.form)

    def note(self, fields: NoteFields, name: str) -> Json:
        """Return what one call of the auction shows."""
        return note(self.session.tables.get(name), seat_number(fields.seat), fields.number)

    def call(self, fields: CallFields, name: str) -> Json:
        table, seat = self.session.tables.get(name), seat_number(fields.seat)
        table.call(seat, parse_call(fields.call), fields.at)
        return state(table, seat)

    def card(self, fields: CardFields, name: str) -> Json:
        table, seat = self.session.tables.get(name), seat_number(fields.seat)
        table.card(seat, read_card(fields.card), fields.at)
        return state(table, seat)

    def step(self, fields: Act, name: str) -> Json:
        table, seat = self.session.tables.get(name), seat_number(fields.seat)
        check_looks(table, seat)
        table.step(fields.at)
        return state(table, seat)

    def claim(self, fields: ClaimFields, name: str) -> Json:
        table, seat = self.session.tables.get(name), seat_number(fields.seat)
        table.claim(seat, fields.tricks)
        return state(table, seat)

    def _viewing(self, view: Callable[[Table, int | None], Json]) -> Handler:
        """Return a handler that sends what ``view`` returns for a seat."""

        def handler(fields: AtSeat, name: str) -> Json:
            return view(self.session.tables.get(name), seat_number(fields.seat))

        return handler

    def _changing(self, change: Callable[[Table, int | None], None]) -> Handler:
        """Return a handler that changes a table for a seat, and sends its state."""

        def handler(fields: AtSeat, name: str) -> Json:
            table, seat = self.session.tables.get(name), seat_number(fields.seat)
            change(table, seat)
            return state(table, seat)

        return handler


def _play(table: Table, seat: int | None) -> None:
    check_looks(table, seat)
    table.play()


def _show(table: Table, seat: int | None) -> None:
    check_looks(table, seat)
    table.show()
