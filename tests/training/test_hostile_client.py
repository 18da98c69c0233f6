"""One hostile client for each server: every request gets an answer or a refusal, and the server goes on."""

from __future__ import annotations

import json
import random
import re
import socket
import string
import subprocess
import sys
from http.client import HTTPConnection, HTTPException

import pytest

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.slow
MAIN = "import sys; from training.cli.app import main; sys.exit(main())"
REQUESTS = 150
QUERIES = (
    "/bid?hand=AK97543.K.T3.AK7&seat=S&dealer=N&vul=&ctx=----&tournament=imps",
    "/lead?hand=AK97543.K.T3.AK7&seat=E&dealer=N&vul=&ctx=1N--3N------", "/play?hand=AK97543.K.T3.AK7", "/",
)  # fmt: skip
ENDPOINTS = ("tables", "tables/1/call", "tables/1/step", "tables/1/card", "tables/1/undo", "systems", "nothing")
FIELDS = ("call", "card", "at", "seat", "people", "ns", "ew", "text", "name", "source", "number", "cards")
VALUES = (
    None, True, -1, 10**30, 0.5, "", "N", "Pass", "7NT", "HQ", [], {}, [[]], "x" * 5000, "\ud800", "system:", "pass",
    "python:os:system", "system:/etc/x",
)  # fmt: skip
GARBAGE = (b"", b"GET / HTTP/1.1\r\nHost: ", b"POST /x HTTP/1.1\r\nContent-Length: 9000\r\n\r\n{", b"\0\xff\r\n" * 9)


def damaged(query, draw):
    path, mark, fields = query.partition("?")
    letters = list(fields)
    for _ in range(draw.randrange(4)):
        if letters:
            at = draw.randrange(len(letters))
            piece = draw.choice(["", "&", "=", "%00", "%", "-", "N", draw.choice(string.ascii_letters), "9" * 30])
            letters[at : at + draw.choice([0, 1, 5])] = piece
    return path + mark + "".join(letters)


def serve_request(draw, root):
    return "GET", damaged(draw.choice(QUERIES), draw), None


def table_request(draw, root):
    fields = {draw.choice(FIELDS): draw.choice(VALUES) for _ in range(draw.randrange(4))}
    body = json.dumps(fields)
    return "POST", f"{root}/api/{draw.choice(ENDPOINTS)}", body[: draw.choice([len(body), len(body) // 2])]


@pytest.mark.parametrize(
    ("command", "request_of"),
    [("serve system:sayc --port 0", serve_request), ("table --no-browser --port 0 --memory none", table_request)],
    ids=["serve", "table"],
)
def test_a_server_outlives_a_hostile_client(command, request_of):
    process = subprocess.Popen([sys.executable, "-c", MAIN, *command.split()], stdout=subprocess.PIPE, text=True)
    try:
        lines = iter(process.stdout.readline, "")
        found = next(m for line in lines if (m := re.search(r"http://127\.0\.0\.1:(\d+)(/[^/\s]*)?", line)))
        port, root = int(found[1]), (found[2] or "").rstrip("/")
        draw = random.Random(1)
        for number in range(REQUESTS):
            if number % 10 == 0:
                with socket.create_connection(("127.0.0.1", port), 10) as garbage:
                    garbage.sendall(draw.choice(GARBAGE))
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            method, path, body = request_of(draw, root)
            try:
                connection.request(method, path, body, {"content-type": "application/json"})
                answer = connection.getresponse()
            except HTTPException as error:  # the client may not send such a path
                assert "URL can't contain" in str(error)  # noqa: PT017
                continue
            text = answer.read().decode("utf-8", "replace")
            assert answer.status < 500 or answer.status in (503, 504), (method, path, body, text)
            assert "Traceback" not in text
            if answer.status >= 400:
                assert len(text.split()) > 2, (method, path, body, text)
            connection.close()
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", f"{root}/")
        assert connection.getresponse().status == 200
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()
