"""Take the pictures of the table that the documentation shows: ``python docs/screenshots.py docs/pictures``.

Needs the extra ``browser`` and Chromium; ``CHROMIUM`` names its program.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bridge_env.io.files import atomic_write
from bridge_env.io.optional_dependencies import how_to_install

_DEAL = "N:AQJ84.K73.62.KJ5 T97.A2.KQ983.Q82 K632.QJ54.A5.A76 5.T986.JT74.T943"
_WIDTH, _HEIGHT = 1200, 820
_PATIENCE = 300_000  # milliseconds


def main(arguments: list[str] | None = None) -> int:
    """Take all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description="Take the pictures of the table for the documentation.")
    parser.add_argument("folder", type=Path, help="write the pictures to this folder")
    parser.add_argument("--only", choices=sorted(_PICTURES), nargs="+", help="take these pictures only")
    args = parser.parse_args(arguments)
    args.folder.mkdir(parents=True, exist_ok=True)
    with _served() as address, _browser() as browser:
        for name in args.only or _PICTURES:
            page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="light")
            page.set_default_timeout(_PATIENCE)
            _PICTURES[name](page, address)
            picture = page.screenshot()
            atomic_write(args.folder / f"{name}.png", picture)
            print(f"{args.folder / name}.png: {len(picture):,} bytes")
            page.close()
    return 0


# --- the pictures --------------------------------------------------------------------------------------------


def _table(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".calls button")
    page.click("#begin")
    page.click("#settings")
    page.fill('input[name="ns"]', "system:two-over-one")
    page.fill('input[name="ew"]', "system:sayc")
    page.select_option('select[name="pace"]', "0")
    page.fill("#paste", _DEAL)
    page.click("#take")
    page.wait_for_selector("#taken:has-text('taken')")
    page.select_option('select[name="dealer"]', "W")
    page.select_option('select[name="vulnerability"]', "EW")
    page.click('#setup button[value="deal"]')
    page.wait_for_selector(".felt .about:has-text('pasted')")
    page.wait_for_selector(".calls button")
    page.keyboard.press("i")
    page.wait_for_selector("#hint h3")
    page.focus('[data-call="2NT"]')


def _book(page: Any, address: str) -> None:
    page.goto(address + "systems.html#tab=book&spec=system:two-over-one")
    page.wait_for_selector(".share")
    page.locator("summary", has_text="15-17 HCP").first.click()
    page.locator("details[open] summary", has_text="Stayman").first.click()
    page.wait_for_selector("details[open] details[open] .facts")


def _edit(page: Any, address: str) -> None:
    page.goto(address + "systems.html#tab=edit&spec=system:sayc")
    page.wait_for_selector("#gutter:has-text('100')")
    page.evaluate(
        "() => { const area = document.getElementById('source');"
        " area.value = area.value.replace('15-17 hcp', '14-16 hcp'); area.dispatchEvent(new Event('input')); }"
    )
    page.wait_for_selector("section[aria-label='The textbook exam']")


def _practice(page: Any, address: str) -> None:
    page.goto(address + "practice.html#topic=takeout")
    page.wait_for_selector("#topic:has(option)")
    page.evaluate("() => { Math.random = () => 0.25; }")  # the same question each time
    page.click("#start")
    page.wait_for_selector("#box button")
    page.keyboard.press("p")
    page.wait_for_selector("#verdict .primary")


_PICTURES: dict[str, Callable[[Any, str], None]] = {
    "table": _table, "book": _book, "edit": _edit, "practice": _practice,
}  # fmt: skip


# --- server and browser --------------------------------------------------------------------------------------


@contextmanager
def _served() -> Any:
    import uvicorn

    from bridge_table.app import make_app
    from bridge_table.http.server import LOCAL, listen

    listening = listen(LOCAL, 0)
    port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(make_app("pictures", seed=5), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://{LOCAL}:{port}/pictures/"
    server.should_exit = True
    thread.join(20)


@contextmanager
def _browser() -> Any:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise SystemExit(f"playwright is missing; install it with: {how_to_install('browser')}") from None
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # as in the Makefile
    found = next(filter(None, [os.environ.get("CHROMIUM"), *map(shutil.which, names)]), None)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=["--no-sandbox", "--hide-scrollbars"])
        yield browser
        browser.close()


if __name__ == "__main__":
    raise SystemExit(main())
