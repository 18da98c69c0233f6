"""The table's doors, and the server as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from starlette.routing import Route

from agents.registry import system_of
from bridge_env.auction import MAX_CALLS
from bridge_env.calls import parse_call
from bridge_env.cards import SEATS, VULNERABILITIES
from bridge_table import editor
from bridge_table.board import seating
from bridge_table.board.dealing import read_stack
from bridge_table.board.hints import hint
from bridge_table.board.review import review
from bridge_table.board.table import OVER, Setup, Table
from bridge_table.board.views import after_auction, check_looks, every_call, note, state
from bridge_table.doors import Door, Doors, Steps, Told, made_call, played_card
from bridge_table.http.apps import app_of
from bridge_table.http.asked import Asked, Refused
from bridge_table.http.guard import Guard
from bridge_table.http.listening import reachable
from bridge_table.http.thinking import Thinking
from bridge_table.learning.memory import Memory
from bridge_table.pages import static
from bridge_table.people.guests import Guests, Inviting
from bridge_table.people.rooms import Rooms
from bridge_table.practice import Practice
from bridge_table.session import TEXT, Limits, Session
from bridge_table.systems.books import entries_after
from bridge_table.workshop import Workshop

_SOURCES = ("random", "judging", "stack")
_ANY = "board"


class TableDoors:
    """What the page of the table may ask."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def routes(self, doors: Doors) -> list[Route]:
        acts = {
            "call": made_call, "step": self._step, "card": played_card, "claim": self._claim, "undo": self._undo,
            "play": self._play, "show": self._show,
        }  # fmt: skip
        return [
            *doors.routes(("GET", "start", self.start), at_once=True),
            *doors.routes(
                ("POST", "boards", self.boards),
                ("POST", "systems", self.systems),
                ("POST", "system", self.system),
                ("POST", "tables", self.tables),
                ("GET", "tables/{name}", self._telling(state)),
                ("POST", "tables/{name}/hint", self._telling(hint)),
                ("POST", "tables/{name}/calls", self._telling(every_call)),
                ("POST", "tables/{name}/note", self.note),
                ("GET", "tables/{name}/review", self.review),
                ("GET", "tables/{name}/export", self.export),
                ("POST", "tables/{name}/again", self.again),
                *(("POST", f"tables/{{name}}/{act}", self._acting(do)) for act, do in acts.items()),
            ),
        ]

    # --- the server ---------------------------------------------------------------------------------------

    def start(self, asked: Asked) -> Steps:
        session = self.session
        yield None
        yield {"specs": seating.offered(session.named, tuple(session.dropped)), "session": session.summary()}

    def boards(self, asked: Asked) -> Steps:
        text, name = asked.text("text", self.session.limits.body), asked.text("name", 200, "the pasted text")
        yield None
        stack = read_stack(text, name or "the text", self.session.limits.boards)
        yield {
            "stack": self.session.stacks.keep(stack), "name": stack.name, "boards": len(stack.deals),
            "problems": list(stack.problems),
        }  # fmt: skip

    def systems(self, asked: Asked) -> Steps:
        text, name = asked.text("text", TEXT), asked.text("name", 200, "mine.bidding")
        yield None
        if len(self.session.dropped) >= self.session.limits.systems:
            raise Refused("No more systems are taken; start the server again.", 409)
        spec = seating.drop_system(name, text)
        if spec not in self.session.dropped:
            self.session.dropped.append(spec)
        yield {"spec": spec}

    def system(self, asked: Asked) -> Steps:
        """What every legal call shows after an auction, where all four seats bid by one spec."""
        spec, said = asked.text("spec", 300), asked.text("calls", 2000, "")
        calls = [parse_call(word) for word in said.split()]
        yield None
        known = self.session.checked(spec)
        told = after_auction(known, calls)
        written = system_of(known)
        if written is not None:
            told["entries"] = entries_after(written.system, calls, [parse_call(word) for word in told["calls"]])
        yield told

    def tables(self, asked: Asked) -> Steps:
        people = asked.seats("people")
        specs = [asked.text(name, 300, default) for name, default in
                 (("ns", "policy:champion"), ("ew", "policy:champion"), ("control", ""))]  # fmt: skip
        source = asked.choice("source", _SOURCES, "random")
        stack, number = asked.text("stack", 40, ""), asked.number("number", 0, 10**6, 0)
        dealer = asked.choice("dealer", (_ANY, *SEATS), _ANY)
        vulnerability = asked.choice("vulnerability", (_ANY, *VULNERABILITIES), _ANY)
        player = asked.choice("cards", seating.PLAYERS, seating.PLAYERS[0])
        calls = [parse_call(word) for word in asked.text("calls", 2000, "").split()]
        yield None
        ns, ew = (self.session.checked(spec) for spec in specs[:2])
        side = people[0] & 1 if people else 0
        control = self.session.checked(specs[2] or (ew if side else ns))
        board = self.session.next_deal(source, stack, number)
        if dealer != _ANY:
            board = replace(board, dealer=SEATS.index(dealer))
        if vulnerability != _ANY:
            board = replace(board, vulnerability=VULNERABILITIES.index(vulnerability))
        table = self.session.open(Setup(people, ns, ew, control, player), board)
        table.begin_with(calls)
        yield state(table, people[0] if people else None)

    # --- one table ----------------------------------------------------------------------------------------

    def review(self, asked: Asked, name: str) -> Steps:
        table = self.session.tables.find(name)
        yield None
        found = review(table)
        unkept = self.session.count(table, found)
        counts = table.name in self.session.results
        yield {**found, "unkept": unkept, "counts": counts, "session": self.session.summary()}

    def again(self, asked: Asked, name: str) -> Steps:
        """The same board once more; it does not count again, because its hands are known."""
        table = self.session.tables.find(name)
        if table.phase != OVER:
            raise Refused("This board is not over.", 409)
        yield None
        fresh = self.session.open(replace(table.setup, other=None, replay=False), table.deal)
        fresh.helped = 1
        yield state(fresh, fresh.setup.people[0] if fresh.setup.people else None)

    def export(self, asked: Asked, name: str) -> Steps:
        table, form = self.session.tables.find(name), asked.choice("form", editor.FORMS, "pbn")
        yield None
        yield editor.export(table, form)

    def note(self, asked: Asked, name: str) -> Steps:
        """What one call of the auction shows."""
        table, seat, number = self.session.tables.find(name), asked.seat(), asked.number("number", 0, MAX_CALLS - 1)
        yield None
        yield note(table, seat, number)

    def _telling(self, find: Callable[[Table, int | None], Told]) -> Door:
        """A door that tells a seat at a table what ``find`` finds."""

        def door(asked: Asked, name: str) -> Steps:
            table, seat = self.session.tables.find(name), asked.seat()
            yield None
            yield find(table, seat)

        return door

    def _acting(self, do: Callable[[Table, int | None, Asked], Callable[[], None]]) -> Door:
        """A door that does something at a table, and tells its state."""

        def door(asked: Asked, name: str) -> Steps:
            table, seat = self.session.tables.find(name), asked.seat()
            work = do(table, seat, asked)
            yield None
            work()
            yield state(table, seat)

        return door

    def _step(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
        at = asked.number("at", 0, 400)
        check_looks(table, seat)  # who may not look may not go on
        return lambda: table.step(at, self.session.limits.patience)

    def _claim(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
        tricks = asked.number("tricks", 0, 13)
        return lambda: table.claim(seat, tricks)

    def _undo(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
        return lambda: table.undo(seat)

    def _play(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
        check_looks(table, seat)
        return table.play

    def _show(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], None]:
        check_looks(table, seat)
        return table.show


def make_app(
    token: str, *, seed: int = 0, named: tuple[str, ...] = (), host: str = "127.0.0.1", port: int | None = None,
    limits: Limits | None = None, memory: Memory | None = None,
) -> Guard:  # fmt: skip
    """The whole server as an ASGI app.

    Args:
        token: the first part of every path.
        seed: names the deals.
        named: specs that the page may use besides those that come with the package.
        host, port: where it will listen; Host headers must say so.
        limits: of requests and of what is kept.
        memory: of finished boards; None: they are gone when the server ends.
    """
    limits = limits or Limits()
    session = Session(seed, named, limits, memory or Memory())
    guests = Guests(Rooms(), reachable(host), limits.patience)
    # A little longer than a step has, which tells who is stuck.
    doors = Doors(Thinking(limits.waiting, limits.patience + 5), limits.body)
    pages = (TableDoors(session), editor.Editor(session), Practice(session), Workshop(session))
    theirs = Doors(guests.thinking, limits.body)
    files = [Route("/{file}", static, methods=["GET"]), Route("/", static, methods=["GET"])]
    ours = [
        *Inviting(session, guests).routes(theirs),
        *(route for each in pages for route in each.routes(doors)),
        *files,
    ]
    told = {404: "There is no such page.", 405: "This cannot be asked in this way."}
    app, guests.app = app_of(ours, told), app_of(guests.routes(), told)
    return Guard(app, token, host, port, limits, keys=guests)
