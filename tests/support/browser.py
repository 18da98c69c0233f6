"""The table in a browser that a test drives; without playwright, what imports this is skipped."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright of the extra 'browser' is missing")
playwright.expect.set_options(timeout=120_000)  # on a busy machine the first call of a bidder takes long
expect = playwright.expect


def bid_out(page, key="p"):
    """Bid by a key until the auction is over."""
    while not page.locator("#actions .primary, #review .headline").count():
        if page.locator(".calls button").count():
            page.keyboard.press(key)
        page.wait_for_timeout(150)


def bid_seven_notrump(page):
    """Bid it, and pass from then on."""
    page.keyboard.type("7n")
    bid_out(page)
