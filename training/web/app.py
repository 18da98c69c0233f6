"""The server's routes. Each reads what it is asked for, has it done in a thread, and answers in JSON."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agents.registry import system_of
from bridge_env.calls import parse_call
from bridge_env.cards import SEATS, VULNERABILITIES
from training.http.asked import Asked, Refused
from training.http.body import body, query
from training.http.guard import Guard
from training.http.listening import reachable
from training.http.thinking import Thinking
from training.web import seating
from training.web.archive import Archive
from training.web.books import entries_after
from training.web.dealing import read_stack
from training.web.doors import answering, made_call, played_card, static
from training.web.editor import Editor
from training.web.exports import export
from training.web.guests import Guests
from training.web.hints import hint
from training.web.inviting import Inviting
from training.web.memory import Memory
from training.web.review import review
from training.web.rooms import Rooms
from training.web.session import Limits, Session
from training.web.table import OVER, Setup, Table
from training.web.views import after_auction, check_looks, every_call, state
from training.web.workshop import Workshop

_SOURCES = ("random", "judging", "stack")
_PLAYERS = ("montecarlo", "rule", "deceptive")
_ANY = "board"
_LOG = logging.getLogger("bridge_env.table")


class Doors:
    """What the page may ask."""

    def __init__(self, session: Session) -> None:
        self.session = session
        # A little longer than a step has, which tells who is stuck.
        self.thinking = Thinking(session.limits.waiting, session.limits.patience + 5)

    def routes(self) -> list[Route]:
        """Paths as they are behind the token."""
        api = [
            ("/api/start", "GET", self.start),
            ("/api/session", "GET", self.results),
            ("/api/boards", "POST", self.boards),
            ("/api/systems", "POST", self.systems),
            ("/api/system", "POST", self.system),
            ("/api/tables", "POST", self.tables),
            ("/api/tables/{name}", "GET", self.look),
            ("/api/tables/{name}/review", "GET", self.review),
            ("/api/tables/{name}/export", "GET", self.export),
            ("/api/tables/{name}/again", "POST", self.again),
        ]
        acts = {
            "call": made_call, "step": self._step, "card": played_card, "claim": self._claim, "undo": self._undo,
            "play": self._play, "show": self._show,
        }  # fmt: skip
        answers = {"hint": self._hint, "calls": self._calls}
        routes = [Route(path, answering(door), methods=[method]) for path, method, door in api]
        routes += [
            Route(f"/api/tables/{{name}}/{act}", answering(self._acting(do, then)), methods=["POST"])
            for then, those in ((True, acts), (False, answers))
            for act, do in those.items()
        ]
        routes += Editor(self.session, self.thinking).routes() + Archive(self.session, self.thinking).routes()
        routes += Workshop(self.session, self.thinking).routes()
        return [*routes, Route("/{file}", static, methods=["GET"]), Route("/", static, methods=["GET"])]

    # --- the server ---------------------------------------------------------------------------------------

    async def start(self, request: Request) -> dict[str, Any]:
        query(request).done()
        session = self.session
        specs = seating.offered(session.named, tuple(session.dropped))
        return {"specs": specs, "seats": list(SEATS), "vulnerabilities": list(VULNERABILITIES),
                "session": session.summary()}  # fmt: skip

    async def results(self, request: Request) -> dict[str, Any]:
        query(request).done()
        return self.session.summary()

    async def boards(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        text, name = asked.text("text", self.session.limits.body), asked.text("name", 200, "the pasted text")
        asked.done()
        stack = await self.thinking(lambda: read_stack(text, name or "the text", self.session.limits.boards))
        return {"stack": self.session.keep_stack(stack), "name": stack.name, "boards": len(stack.deals),
                "problems": list(stack.problems)}  # fmt: skip

    async def systems(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        text, name = asked.text("text", 256_000), asked.text("name", 200, "mine.bidding")
        asked.done()
        if len(self.session.dropped) >= self.session.limits.systems:
            raise Refused("No more systems are taken; start the server again.", 409)
        spec = await self.thinking(lambda: seating.drop_system(name, text))
        if spec not in self.session.dropped:
            self.session.dropped.append(spec)
        return {"spec": spec}

    async def system(self, request: Request) -> dict[str, Any]:
        """What every legal call shows after an auction, where all four seats bid by one spec."""
        asked = await self._body(request)
        spec, said = asked.text("spec", 300), asked.text("calls", 2000, "")
        calls = [parse_call(word) for word in said.split()]
        vulnerability = asked.choice("vulnerability", VULNERABILITIES, VULNERABILITIES[0])
        asked.done()

        def unfold() -> dict[str, Any]:
            known = seating.checked(spec, self.session.named)
            told = after_auction(known, calls, VULNERABILITIES.index(vulnerability))
            written = system_of(known)
            if written is not None:
                told["entries"] = entries_after(written.system, calls, [parse_call(word) for word in told["calls"]])
            return told

        return await self.thinking(unfold)

    async def tables(self, request: Request) -> dict[str, Any]:
        asked = await self._body(request)
        people = asked.seats("people")
        specs = [asked.text(name, 300, default) for name, default in
                 (("ns", "policy:champion"), ("ew", "policy:champion"), ("control", ""))]  # fmt: skip
        source = asked.choice("source", _SOURCES, "random")
        stack, number = asked.text("stack", 40, ""), asked.number("number", 0, 10**6, 0)
        dealer = asked.choice("dealer", (_ANY, *SEATS), _ANY)
        vulnerability = asked.choice("vulnerability", (_ANY, *VULNERABILITIES), _ANY)
        player = asked.choice("cards", _PLAYERS, _PLAYERS[0])
        calls = [parse_call(word) for word in asked.text("calls", 2000, "").split()]
        asked.done()

        def deal() -> dict[str, Any]:
            named = self.session.named
            ns, ew = (seating.checked(spec, named) for spec in specs[:2])
            side = people[0] & 1 if people else 0
            control = seating.checked(specs[2] or (ew if side else ns), named)
            board = self.session.next_deal(source, stack, number).turned(
                None if dealer == _ANY else SEATS.index(dealer),
                None if vulnerability == _ANY else VULNERABILITIES.index(vulnerability),
            )
            table = self.session.open(Setup(people, ns, ew, control, player), board)
            table.begin_with(calls)
            return state(table, people[0] if people else None)

        return await self.thinking(deal)

    # --- one table ----------------------------------------------------------------------------------------

    async def look(self, request: Request) -> dict[str, Any]:
        asked = query(request)
        seat = asked.seat()
        asked.done()
        table = self._table(request)
        return await self.thinking(lambda: state(table, seat))

    async def review(self, request: Request) -> dict[str, Any]:
        query(request).done()
        table = self._table(request)

        def look_back() -> dict[str, Any]:
            found = review(table)
            unkept = self.session.count(table, found)
            counts = self.session.counted(table)
            return {**found, "unkept": unkept, "counts": counts, "session": self.session.summary()}

        return await self.thinking(look_back)

    async def again(self, request: Request) -> dict[str, Any]:
        """The same board once more; it does not count again, because its hands are known."""
        asked = await self._body(request)
        asked.done()
        table = self._table(request)
        if table.phase != OVER:
            raise Refused("This board is not over.", 409)

        def deal() -> dict[str, Any]:
            fresh = self.session.open(replace(table.setup, other=None, replay=False), table.deal)
            fresh.helped = 1
            return state(fresh, fresh.setup.people[0] if fresh.setup.people else None)

        return await self.thinking(deal)

    async def export(self, request: Request) -> dict[str, Any]:
        asked = query(request)
        form = asked.choice("form", ("pbn", "lin", "link"), "pbn")
        asked.done()
        table = self._table(request)
        return await self.thinking(lambda: export(table, form))

    def _acting(self, do: Callable[..., Any], then_state: bool) -> Callable[[Request], Awaitable[dict[str, Any]]]:
        """A door that does something at a table; most then tell its state, the others what they found."""

        async def door(request: Request) -> dict[str, Any]:
            asked = await self._body(request)
            table, seat = self._table(request), asked.seat()
            work = do(table, seat, asked)
            asked.done()

            def go_on() -> dict[str, Any]:
                found: dict[str, Any] = work()
                return state(table, seat) if then_state else found

            return await self.thinking(go_on)

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

    def _hint(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], dict[str, Any]]:
        return lambda: hint(table, seat)

    def _calls(self, table: Table, seat: int | None, asked: Asked) -> Callable[[], dict[str, Any]]:
        return lambda: every_call(table, seat)

    # --- requests -----------------------------------------------------------------------------------------

    def _table(self, request: Request) -> Table:
        return self.session.table(request.path_params["name"])

    async def _body(self, request: Request) -> Asked:
        return await body(request, self.session.limits.body)


async def _lost(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    told = {404: "There is no such page.", 405: "This cannot be asked in this way."}
    return JSONResponse({"error": told.get(status, "The request cannot be met.")}, status)


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # who asked has hung up, and nobody reads it


async def _broken(request: Request, error: Exception) -> Response:
    _LOG.exception("a request failed", exc_info=error)
    return JSONResponse({"error": "Something went wrong in the server; its terminal tells what."}, 500)


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
    handlers: dict[Any, Any] = {HTTPException: _lost, ClientDisconnect: _gone, Exception: _broken}
    guests = Guests(Rooms(), reachable(host), limits.patience)
    ours, theirs = [*Inviting(session, guests).routes(), *Doors(session).routes()], guests.routes()
    app, guests.app = (Starlette(routes=routes, exception_handlers=handlers) for routes in (ours, theirs))
    app.router.redirect_slashes = guests.app.router.redirect_slashes = False
    return Guard(app, token, host, port, limits, keys=guests)
