"""The table in a real browser: a server, and pages whose faults fail the test."""

from __future__ import annotations

import contextlib
import threading
from urllib.parse import urljoin

import pytest
from support.table import TOKEN

SEED = 3


class Served:
    """A server in a thread, which a test may end or restart; ``seed`` names its deals."""

    seed = SEED

    def __init__(self):
        self._begin(0, None)

    def _begin(self, port, memory):
        import uvicorn

        from bridge_table.app import make_app
        from bridge_table.http.server import LOCAL, listen

        self.listening, self.memory = listen(LOCAL, port), memory
        self.port = self.listening.getsockname()[1]
        self.app = make_app(TOKEN, seed=SEED, database=memory)
        self.server = uvicorn.Server(uvicorn.Config(self.app, log_level="warning", timeout_graceful_shutdown=1))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listening]}, daemon=True)
        self.thread.start()
        self.root = f"http://{LOCAL}:{self.port}/"
        self.address = f"{self.root}{TOKEN}/"

    def end(self):
        self.server.should_exit = True
        self.thread.join(20)
        self.listening.close()
        if self.memory is not None:
            self.memory.close()

    def restart(self, memory):
        """Restart the server at the same address with a database."""
        self.end()
        self._begin(self.port, memory)


@pytest.fixture
def served():
    pytest.importorskip("uvicorn")
    made = Served()
    yield made
    made.end()


@pytest.fixture
def visit(browser, served):
    """Open pages of the table; faults that they log and loads from elsewhere fail the test at its end."""
    opened = []

    def page(path="", width=1200, ready=".calls button", welcomed=True):
        made = browser.new_page(viewport={"width": width, "height": 850})
        made.set_default_timeout(300_000)  # a cold machine compiles meanwhile
        made.requests, made.responses, made.faults = [], [], []
        made.on("request", lambda request: made.requests.append(request.url))
        made.on("response", lambda response: made.responses.append(response))  # noqa: PLW0108 - playwright marks it
        made.on("pageerror", lambda error: made.faults.append(str(error)))
        made.on("console", lambda message: made.faults.append(message.text) if _is_fault(message) else None)
        made.route(lambda url: not url.startswith(served.root), lambda route: route.abort())
        if welcomed:
            made.add_init_script("""localStorage["this page"] ??= '{"welcomed": true}'""")
        made.goto(urljoin(served.address, path))
        made.wait_for_selector(ready)
        opened.append(made)
        return made

    yield page
    for made in opened:
        faults, question = made.faults, made.requests
        with contextlib.suppress(Exception):
            made.close()
        assert faults == []
        assert all(url.startswith((served.root, "blob:")) for url in question)


def _is_fault(message):
    """Return whether a console message is a fault; refused or missing answers are none."""
    found = ("status of 4", "ERR_CONNECTION", "ERR_EMPTY", "ERR_SOCKET")
    return message.type == "error" and not any(words in message.text for words in found)
