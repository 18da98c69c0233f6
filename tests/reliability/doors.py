"""Odd requests to both servers: they answer, or refuse in a sentence; they never break."""

from __future__ import annotations

import contextlib
import json
import random
import re
import socket
import string
import threading
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import agents
from tests.reliability.processes import kill, start
from tests.reliability.tally import Case, Wrong, refuses

_HOST = "http://127.0.0.1"
_TOKEN = "a-key-for-a-study"
_ASKED = (
    "/bid?hand=AK97543.K.T3.AK7&seat=S&dealer=N&vul=&ctx=----&tournament=imps",
    "/lead?hand=AK97543.K.T3.AK7&seat=E&dealer=N&vul=&ctx=1N--3N------",
    "/robot.php?pov=S&d=N&v=-&n=&e=&s=akq2.jt9.876.543&w=&h=1c-p", "/", "/play?hand=AK97543.K.T3.AK7",
)  # fmt: skip
_DOORS = (
    "tables", "tables/{t}/call", "tables/{t}/step", "tables/{t}/card", "tables/{t}/claim", "tables/{t}/undo",
    "tables/{t}/play", "tables/{t}/show", "tables/{t}/hint", "tables/{t}/calls", "stacks", "systems", "nothing",
)  # fmt: skip
_NAMES = ("call", "card", "at", "seat", "people", "ns", "ew", "tricks", "text", "name", "source", "number", "cards")


def _client(app: Any) -> Any:
    from starlette.testclient import TestClient

    return TestClient(app, base_url=_HOST, raise_server_exceptions=False)


def _judge(answer: Any, sent: object) -> bool:
    """Is it an answer? A refusal must be a sentence.

    Raises:
        Wrong: the server broke, or shows its inside.
    """
    if answer.status_code >= 500 and answer.status_code not in (503, 504):
        raise Wrong(f"status {answer.status_code} to {sent!r}: {answer.text[:200]}")
    if "Traceback" in answer.text:
        raise Wrong(f"a traceback to {sent!r}")
    if answer.status_code >= 400 and (len(answer.text.split()) < 3 or not answer.text.strip()):
        raise Wrong(f"status {answer.status_code} to {sent!r} without a sentence")
    return bool(answer.status_code < 400)


def serve(count: int, seed: int) -> Iterator[Case]:
    """Questions with damaged fields, as programs send them."""
    from bridge_table.http.guard import Limits
    from bridge_table.programs.answers import Answers
    from bridge_table.programs.app import make_app

    door = _client(make_app(Answers("system:sayc", None, "rule"), limits=Limits(body=0, rate=1e9, burst=10**9)))
    draw = random.Random(seed)
    for number in range(count):
        path = _damaged(draw.choice(_ASKED), draw)
        yield f"request {number} of seed {seed}: {path!r}", partial(_get, door, path)


def _get(door: Any, path: str) -> bool:
    return _judge(door.get(path), path)


def _damaged(text: str, draw: random.Random) -> str:
    path, mark, query = text.partition("?")
    letters = list(query)
    for _ in range(draw.randrange(4)):
        if letters:
            at = draw.randrange(len(letters))
            piece = draw.choice(["", "&", "=", "%00", "%", "-", "N", draw.choice(string.printable[:94]), "9" * 30])
            letters[at : at + draw.choice([0, 1, 5])] = piece
    return path + mark + "".join(letters).replace("#", "")


def table(count: int, seed: int) -> Iterator[Case]:
    """What a page never sends: odd fields of odd kinds at every door."""
    from bridge_table.app import make_app
    from bridge_table.session import Limits

    limits = Limits(rate=1e9, burst=10**9)
    door = _client(make_app(_TOKEN, seed=seed, limits=limits))
    calm = {"people": "S", "ns": "system:sayc", "ew": "system:sayc", "control": "system:sayc", "cards": "rule"}
    opened = door.post(f"/{_TOKEN}/api/tables", json=calm).json()
    draw = random.Random(seed + 1)
    for number in range(count):
        path = f"/{_TOKEN}/api/{draw.choice(_DOORS).format(t=opened['table'])}"
        fields = {draw.choice(_NAMES): _value(draw) for _ in range(draw.randrange(4))}
        yield (
            f"request {number} of seed {seed}: {path} {fields!r}"[:300],
            partial(_post, door, path, fields, draw.random()),
        )


def _post(door: Any, path: str, fields: dict[str, Any], chance: float) -> bool:
    body = json.dumps(fields)
    if chance < 0.1:
        body = body[: int(len(body) * 10 * chance)]
    kind = "text/plain" if chance > 0.97 else "application/json"
    return _judge(door.post(path, content=body, headers={"content-type": kind}), fields)


# --- connections that say nothing ---------------------------------------------------------------------------------

_BODILESS = b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{"
_SILENCES: dict[str, bytes] = {
    "nothing": b"", "half a head": b"GET / HTTP/1.1\r\nHost: ", "a body that never comes": _BODILESS,
    "no HTTP": b"\0\xff\r\n" * 9,
}  # fmt: skip
_MANY = 140  # connections; both servers take fewer


def silent_clients() -> Iterator[Case]:
    """More silent connections than a server takes; a client that asks is answered all the same."""
    for words in (
        ("serve", "pass", "--play", "rule", "--port", "0"),
        ("table", "--no-browser", "--port", "0", "--memory", "none"),
    ):
        for name, said in _SILENCES.items():
            yield f"{words[0]}, {_MANY} connections with {name}", partial(_crowded, words, said)


def _crowded(words: tuple[str, ...], said: bytes) -> bool:
    process = start(words, Path())
    try:
        assert process.stdout is not None
        found = None
        while found is None and (line := process.stdout.readline()):
            found = re.search(r"http://127\.0\.0\.1:(\d+)\S*", line)
        if found is None:
            raise Wrong("it says no address")
        with contextlib.ExitStack() as stack:
            for _ in range(_MANY):
                with contextlib.suppress(OSError):
                    each = stack.enter_context(socket.create_connection(("127.0.0.1", int(found[1])), 10))
                    each.sendall(said)
            time.sleep(1.0)
            for attempt in range(20):
                try:
                    with urllib.request.urlopen(found[0], timeout=20) as answer:
                        return bool(answer.status == 200)
                except OSError as error:
                    if getattr(error, "code", 503) != 503 or attempt == 19:
                        raise Wrong(f"nobody else is answered: {error}") from error
                    time.sleep(0.5)
    finally:
        kill(process)
    return False


def silent_programs() -> Iterator[Case]:
    """Programs at a seat that say nothing, little, too much, or hang up: told within their time."""
    speeches: dict[str, Iterator[bytes] | Any] = {
        "nothing": lambda: iter(()), "a byte at a time": lambda: (b"x" for _ in range(600)),
        "a head at a time": lambda: iter([b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 600]),
        "no end": lambda: (b"x" * 65536 for _ in range(10**6)), "hangs up": lambda: iter([b"HTTP/1.1 200 OK\r\n\r\n"]),
    }  # fmt: skip
    for name, speech in speeches.items():
        for form in ("ben", "robot"):
            yield f"seat:, {form}, {name}", partial(_silent_seat, form, speech, name)


def _silent_seat(form: str, speech: Any, name: str) -> bool:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        over = threading.Event()

        def speak() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    for part in speech():
                        connection.sendall(part)
                        if len(part) < 100 and over.wait(0.05):
                            return
                    if name != "hangs up":
                        over.wait(30)

        threading.Thread(target=speak, daemon=True).start()
        began = time.monotonic()
        spec = f"seat:http://127.0.0.1:{listening.getsockname()[1]}?form={form}&timeout=1&retries=0"
        try:
            taken = refuses(partial(agents.call, spec, "AKQ2.T98.J7.A543"), ValueError, OSError, RuntimeError)
        finally:
            over.set()
        if time.monotonic() - began > 15:
            raise Wrong(f"{time.monotonic() - began:.0f} seconds where one was allowed")
        return taken


def _value(draw: random.Random) -> Any:
    odd: list[Any] = [
        None,
        True,
        -1,
        10**30,
        0.5,
        "",
        "N",
        "Pass",
        "7NT",
        "HQ",
        "S",
        [],
        {},
        [[]],
        "x" * 5000,
        "\ud800",
        "system:",
    ]
    return draw.choice([*odd, draw.randrange(60), draw.choice(["pass", "random", "python:os:system", "system:/etc/x"])])
