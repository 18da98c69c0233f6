"""The browser's table as an ASGI app."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.routing import Mount

from bridge_table import multiplayer_routes, practice_routes, system_routes, table_routes
from bridge_table.http.requests import SerialWorker, make_starlette, server_error
from bridge_table.http.server import TIMEOUT
from bridge_table.learning.database import Database, DatabaseError
from bridge_table.multiplayer_routes import GuestServer
from bridge_table.pages import page_routes
from bridge_table.session import Session


def make_app(
    key: str, *, seed: int = 0, named: tuple[str, ...] = (), timeout: float = TIMEOUT,
    database: Database | None = None,
) -> Starlette:  # fmt: skip
    """Return the server as an ASGI app; its ``state`` has the ``guests`` and the ``worker``. ``key`` begins every path
    of the host, ``seed`` is of the deals, ``named`` are more specs for the page, ``timeout`` is in seconds for an
    answer.
    """
    session = Session(seed, named, database or Database())
    worker = SerialWorker(timeout)
    guests = GuestServer(session.rooms, worker)
    apis = (table_routes.api, practice_routes.api, system_routes.api, multiplayer_routes.host_api)
    handlers = [route for api in apis for route in api.routes(lambda _: session, lambda _, work: worker(work))]
    app = make_starlette([Mount(f"/{key}", routes=[*handlers, *page_routes]), Mount("/{key}", routes=guests.routes())])
    app.add_exception_handler(DatabaseError, server_error)
    app.state.guests, app.state.worker = guests, worker
    return app
