"""Which program is asked, and one question to it over HTTP.

Options stand behind its address: ``http://127.0.0.1:8085?parallel=8&timeout=20``. A question has a time limit, and is
asked again where the program is silent, busy or broken.
"""

from __future__ import annotations

import contextlib
import http.client
import math
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from agents.options import read_options
from bridge_env.bidder_errors import BidderError, BidderUnreachable
from bridge_env.bidders import SpecError

LARGEST = 1_000_000
"""Bytes of an answer."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 8.0
_BUSY = (429, 500, 502, 503, 504)
_CHOICES = {"form": ("ben", "bbo"), "vul": ("words", "signs"), "tournament": ("imps", "mp"), "key": ("no", "yes")}
_MOST_PARALLEL, _MOST_RETRIES, _MOST_SECONDS = 64, 10, 3600.0


@dataclass(frozen=True)
class Options:
    """How a program is asked."""

    parallel: int = 8  # questions at a time
    timeout: float = 120.0  # seconds for an answer: as long as our own server waits for a thinker
    retries: int = 2  # how often to ask again after silence, or where the program says that it is busy or broken
    form: str = "ben"  # ``ben`` (``/bid``, ``/lead``, ``/play``; also Brill's) or ``bbo`` (``robot.php``)
    # how BEN's form writes the vulnerability, ``words`` (None, NS, EW, All) or ``signs`` (``@v``, ``@V``)
    vul: str = "words"
    tournament: str = "imps"  # the scoring that BEN's form names, ``imps`` or ``mp``
    # ``yes`` sends the random stream of each call along, which ``bridge-env serve`` uses: a bidder that draws by chance
    # then bids as it would here
    key: str = "no"


@dataclass(frozen=True)
class Address:
    """A program."""

    spec: str  # as the user wrote it
    secure: bool  # by https
    host: str
    port: int | None  # None for the usual one
    path: str  # what stands before the doors, without the last slash
    options: Options

    def url(self, target: str) -> str:
        """The whole address of a question."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{'https' if self.secure else 'http'}://{name}{port}{target}"


def parse_address(argument: str) -> Address:
    """The program of ``URL?OPTIONS``.

    Raises:
        SpecError: no address, or a faulty option.
    """
    spec = f"seat:{argument}"
    url, _, told = argument.strip().partition("?")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise SpecError(f"{spec!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        raise SpecError(f"{spec!r}: write the program's address, as in seat:http://127.0.0.1:8085")
    if parts.fragment or "@" in parts.netloc:
        raise SpecError(f"{spec!r}: the address must not hold a name, a password or a #")
    return Address(spec, parts.scheme == "https", host, port, parts.path.rstrip("/"), _parse_options(told, spec))


def _parse_options(text: str, spec: str) -> Options:
    options = read_options(text, spec, Options(), _CHOICES, "a seat")
    if not 1 <= options.parallel <= _MOST_PARALLEL or not 0 <= options.retries <= _MOST_RETRIES:
        raise SpecError(f"{spec!r}: parallel must be 1 to {_MOST_PARALLEL}, and retries 0 to {_MOST_RETRIES}")
    if not (math.isfinite(options.timeout) and 0 < options.timeout <= _MOST_SECONDS):
        raise SpecError(f"{spec!r}: timeout must be more than 0 seconds and at most {_MOST_SECONDS:g}")
    return options


class SeatFault(BidderError):
    """A program at a seat gave no answer that can be used; the message says whose fault it is, and what was asked."""


class _Silent(Exception):
    """No answer; asking again may help."""


def ask(address: Address, target: str, read_error: Callable[[bytes], str]) -> bytes:
    """What the program answers.

    Args:
        target: the path and query.
        read_error: what the text of a refusal says.

    Raises:
        BidderUnreachable: it does not answer.
        SeatFault: it refuses.
    """
    tries, pause = address.options.retries + 1, _FIRST_PAUSE
    for left in range(tries - 1, -1, -1):
        try:
            return _answer(address, target, read_error)
        except _Silent as silent:
            if not left:
                times = f"after {tries} tries" if tries > 1 else "at the only try"
                raise BidderUnreachable(
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
