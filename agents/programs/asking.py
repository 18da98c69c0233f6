"""One question to a program over HTTP: a time limit, and asked again where it is silent, busy or broken."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable

from agents.programs.options import Address
from bridge_env.faults import BidderFault

LARGEST = 1_000_000
"""Bytes of an answer."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 8.0
_BUSY = (429, 500, 502, 503, 504)


class SeatFault(BidderFault):
    """A program at a seat gave no answer that can be used; the message says whose fault it is, and what was asked."""


class NoAnswer(SeatFault):
    """A program did not answer at all, however often it was asked: it is not there, or it hangs."""


class _Silent(Exception):
    """No answer; asking again may help."""


def ask(address: Address, target: str, read_error: Callable[[bytes], str]) -> bytes:
    """What the program answers.

    Args:
        target: the path and query.
        read_error: what the text of a refusal says.

    Raises:
        NoAnswer: it does not answer.
        SeatFault: it refuses.
    """
    tries, pause = address.options.retries + 1, _FIRST_PAUSE
    for left in range(tries - 1, -1, -1):
        try:
            return _answer(address, target, read_error)
        except _Silent as silent:
            if not left:
                times = f"after {tries} tries" if tries > 1 else "at the only try"
                raise NoAnswer(
                    f"{address.spec}: no answer {times}: {silent}. Is the program running? Asked: {address.url(target)}"
                ) from None
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    raise AssertionError("the last try answers or raises")


def _answer(address: Address, target: str, read_error: Callable[[bytes], str]) -> bytes:
    status, body = _exchange(address, target)
    if status == 200:
        return body
    told = read_error(body)[:300]
    why = f"it answers {status}{': ' + told if told else ''}"
    if status in _BUSY:
        raise _Silent(why)
    if 300 <= status < 400:
        why += ", which leads elsewhere; name the address where the program itself answers"
    raise SeatFault(f"{address.spec}: {why.rstrip('.')}. Asked: {address.url(target)}")


def _exchange(address: Address, target: str) -> tuple[int, bytes]:
    """Status and body of one try, all of it within the time limit, however slowly it comes."""
    seconds = address.options.timeout
    kind = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
    connection = kind(address.host, address.port, timeout=seconds)
    over = threading.Event()
    alarm: threading.Timer | None = None
    try:
        connection.connect()
        alarm = threading.Timer(seconds, _hang_up, (connection.sock, over))
        alarm.daemon = True
        alarm.start()
        connection.request("GET", target, headers={"User-Agent": "bridge-env", "Connection": "close"})
        response = connection.getresponse()
        body = response.read(LARGEST + 1)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if over.is_set() or isinstance(error, TimeoutError):
            raise _Silent(f"nothing within {seconds:g} seconds") from None
        raise _Silent(_told(error)) from None
    finally:
        if alarm is not None:
            alarm.cancel()
        connection.close()
    if over.is_set():
        raise _Silent(f"no whole answer within {seconds:g} seconds")
    if len(body) > LARGEST:
        raise SeatFault(f"{address.spec}: its answer is longer than {LARGEST:,} bytes. Asked: {address.url(target)}")
    return response.status, body


def _hang_up(connected: socket.socket, over: threading.Event) -> None:
    over.set()
    with contextlib.suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _told(error: Exception) -> str:
    if isinstance(error, http.client.RemoteDisconnected):
        return "it hung up without an answer"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return f"what came is no HTTP ({type(error).__name__})"
