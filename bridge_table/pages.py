"""Serve the files of the pages."""

from __future__ import annotations

from importlib.resources import files

import jinja2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_STATIC = {entry.name: entry for entry in (files("bridge_table") / "static").iterdir()}
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("bridge_table"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
PAGES = frozenset(_TEMPLATES.list_templates()) - {"frame.html", "nav.html", "room.html", "scenario.html"}


def page(name: str) -> Response:
    """Return a file of the pages; there are no folders, and nothing else is served."""
    if name in PAGES:
        return Response(page_html(name), media_type="text/html")
    if name not in _STATIC:
        raise HTTPException(404)
    return Response(_STATIC[name].read_bytes(), media_type=_TYPES[name.rpartition(".")[2]])


async def _page(request: Request) -> Response:
    return page(request.path_params.get("file", "index.html"))


page_routes = [Route("/{file}", _page, methods=["GET"]), Route("/", _page, methods=["GET"])]


def page_html(name: str) -> str:
    """Return the HTML of a page."""
    return _TEMPLATES.get_template(name).render(name=name.removesuffix(".html"))
