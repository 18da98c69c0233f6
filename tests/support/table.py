"""A server of the table in this process; without starlette, what imports this is skipped."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from support import one_loop
from support.web import HOST, TOKEN, Visitor

from bridge_table.app import make_app


def client(**options):
    """Return a client of a new server."""
    return one_loop.client(make_app(TOKEN, **options), HOST)


def visitor_of(**options):
    """Return a visitor of a new server."""
    return Visitor(client(**options))
