"""Listen on a port: the one that is asked for, or the first that is free."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from bridge_env.optional_dependencies import how_to_install

LOCAL = "127.0.0.1"
USUAL_PORT = 8737
_TRIED = 20  # ports after the usual one
_ANYWHERE = ("0.0.0.0", "::")


class NoServer(ValueError):
    """The server cannot start; the message says why."""


@contextlib.contextmanager
def needing_table(what: str) -> Iterator[None]:
    """Where an import fails within, tell that ``what`` needs the extra ``table``."""
    try:
        yield
    except ImportError as error:
        how = how_to_install("table")
        raise NoServer(f"{what} needs {error.name}, which is missing; install with: {how}") from None


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket, so that the port is known before the address is told."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    asked = [port] if port is not None else [*range(USUAL_PORT, USUAL_PORT + _TRIED), 0]
    for number in asked:
        # asyncio turns Nagle's delay off, 40 ms an answer, only for sockets that name their protocol
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen()  # whoever is told the address may connect at once, and waits for an answer
        except OSError as error:
            listening.close()
            if number == asked[-1]:
                raise NoServer(f"cannot listen on {host}:{number}: {error.strerror}") from None
            continue
        return listening
    raise NoServer(f"cannot listen on {host}")


def address_of(listening: socket.socket, host: str) -> str:
    """Where this machine reaches a server that listens on ``host``, as ``http://127.0.0.1:8737``."""
    shown = LOCAL if host in _ANYWHERE else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}"


def reachable(host: str) -> str:
    """A name by which other machines reach a server that listens on ``host``; empty where they cannot."""
    if host in (LOCAL, "localhost", "::1"):
        return ""
    if host not in _ANYWHERE:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for examples; this sends nothing
        except OSError:
            return ""
        return str(probe.getsockname()[0])
