"""An event loop that the clients of one process share, as all who ask a server do.

Without it, starlette's client starts a thread and a loop for each question, which takes longer than most answers.
"""

from __future__ import annotations

from contextlib import ExitStack

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.testclient import TestClient

_stack = ExitStack()
_portals: list[BlockingPortal] = []


def client(app, base_url):
    """Asks an app."""
    if not _portals:
        _portals.append(_stack.enter_context(start_blocking_portal()))
    found = TestClient(app, base_url=base_url)
    found.portal = _portals[0]
    return found


def end() -> None:
    """End the loop; the next client begins another."""
    _portals.clear()
    _stack.close()
