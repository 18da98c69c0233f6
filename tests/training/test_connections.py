"""Connections of both servers: silence keeps nobody out, and who hangs up in the middle is no fault of the server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time

import pytest

pytest.importorskip("uvicorn")

from bridge_table.http.connections import Hurried, server_of
from bridge_table.http.listening import listen
from bridge_table.session import Limits

MOST = 8
ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(scope, receive, send):
    """Answers once the whole body has come."""
    if scope["type"] == "lifespan":
        return
    while (await receive()).get("more_body"):
        pass
    with contextlib.suppress(Exception):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def address():
    with contextlib.closing(listen("127.0.0.1", 0)) as listening:
        server = server_of(app, MOST, 4096)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield listening.getsockname()
        server.should_exit = True
        thread.join(10)


def connected(address, said=b""):
    out = socket.create_connection(address, timeout=10)
    out.sendall(said)
    return out


def ended(connection):
    """Does the server hang up?"""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


HALF = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12"


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHo", HALF])
def test_a_request_that_does_not_come_is_not_waited_for(address, said, monkeypatch):
    monkeypatch.setattr(Hurried, "hurry", 0.3)
    with connected(address, said) as silent:
        assert ended(silent)


def test_a_second_request_has_its_time_too(address, monkeypatch):
    monkeypatch.setattr(Hurried, "hurry", 0.4)
    with connected(address, ASK) as client:
        while not client.recv(200).endswith(b"ok"):
            """Head and body may come apart."""
        time.sleep(0.6)  # between requests nobody hurries
        client.sendall(ASK[:9])
        assert ended(client)


def test_the_silent_give_way(address):
    silent = [connected(address, b"GET / HTTP/1.1\r\n") for _ in range(2 * MOST)]
    time.sleep(0.7)
    with connected(address, ASK) as client:
        assert b"200 OK" in client.recv(200)
    for each in silent:
        each.close()


def test_who_leaves_in_the_middle_of_a_body_prints_no_traceback(caplog):
    from bridge_table.app import make_app

    told = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/key/api/tables", "raw_path": b"", "query_string": b"",
             "headers": headers, "http_version": "1.1", "scheme": "http", "server": None, "client": None}  # fmt: skip

    async def receive():
        return next(told)

    async def send(message):
        """Nobody hears it."""

    asyncio.run(make_app("key", limits=Limits())(scope, receive, send))
    assert not caplog.records
