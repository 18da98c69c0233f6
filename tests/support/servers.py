"""Servers on this machine for tests: ours on a real socket, and programs that misbehave."""

from __future__ import annotations

import contextlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import EntryPoint

from agents.cardplay import registry as card_players
from bridge_env.bidders import registry as bidders


@contextlib.contextmanager
def serving(spec, opponents=None, play="rule"):
    """Run our server, and yield its address."""
    from bridge_table.http.server import listen, make_server
    from bridge_table.programs.answers import Answers, make_app

    with contextlib.closing(listen("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = make_server(make_app(Answers(spec, opponents, play)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True
        thread.join(10)


@contextlib.contextmanager
def program(answer):
    """Run another program, and yield its address; ``answer(path)`` returns status and body, or None to hang up."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = answer(self.path)
            if found is None:
                self.connection.close()
                return
            status, body = found
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args):
            pass

    with Quiet(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def publish_seat(monkeypatch):
    """Let ``seat:`` be known even where the package was installed before it had this entry point."""
    for registry, factory in ((bidders, "make_seat"), (card_players, "make_seat_player")):
        seat = EntryPoint("seat", f"bridge_table.programs.seat:{factory}", registry.ENTRY_POINT_GROUP)
        known = {**registry._published(), "seat": seat}
        monkeypatch.setattr(registry, "_published", lambda known=known: known)
