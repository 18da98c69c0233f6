"""Listen on a port, the one that was chosen or the first that is free, and serve an app there."""

from __future__ import annotations

import socket
from typing import Any

LOCAL = "127.0.0.1"
DEFAULT_PORT = 8737
TIMEOUT = 120.0  # seconds that a bidder or player may take for an answer
_TRIED = 20  # ports after the default one
_ANYWHERE = ("0.0.0.0", "::")
_MAX_CONNECTIONS = 1000


class NoServer(ValueError):
    """The server cannot start; the message says why."""


def listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket; raise ``NoServer`` where the port is taken, or the host is not this machine."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    error = None
    for number in range(DEFAULT_PORT, DEFAULT_PORT + _TRIED) if port is None else [port]:
        # asyncio turns Nagle's delay off, 40 ms an answer, only for sockets that name their protocol
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen()  # a client that reads the address may connect at once, and waits for an answer
            return listening
        except OSError as fault:
            listening.close()
            error = fault
    raise NoServer(f"cannot listen on {host}:{number}: {error.strerror if error else ''}")


def address_of(listening: socket.socket, host: str) -> str:
    """Return where all that may use a server that listens on ``host`` reach it, as ``http://127.0.0.1:8737``."""
    shown = host
    if host in _ANYWHERE:  # then this machine's address on its network
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # an address for examples; this sends nothing
                shown = str(probe.getsockname()[0])
            except OSError:
                shown = LOCAL
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}"


def is_local(host: str) -> bool:
    """Return whether only this machine reaches a server that listens on ``host``."""
    return host in (LOCAL, "localhost", "::1")


def make_server(app: Any) -> Any:
    """Return the uvicorn server of an ASGI app; ``run(sockets=[...])`` serves until Ctrl-C."""
    import uvicorn  # an extra brings it

    config = uvicorn.Config(
        app, http="h11", log_level="warning", access_log=False, server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
    )  # fmt: skip
    return uvicorn.Server(config)
