"""A server of the table in this process; without starlette, what imports this is skipped."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from support import one_loop
from support.web import HOST, TOKEN, Visitor

from bridge_table.app import make_app
from bridge_table.session import Limits


def limits(**named):
    """Limits of which no test meets others than those it names."""
    return Limits(**{"rate": 1e9, "burst": 10**9, "heavy_rate": 1e9, "heavy_burst": 10**9, **named})


def client(**options):
    """Asks a server of its own."""
    return one_loop.client(make_app(TOKEN, **{"limits": limits(), **options}), HOST)


def visitor_of(**options):
    """Speaks to a server of its own as the page does."""
    return Visitor(client(**options))
