"""Send requests to another bridge program over HTTP.

Options follow its address in the spec: ``http://127.0.0.1:8085?parallel=8&timeout=20``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import HTTPError, MaxRetryError

from agents.options import read_options
from bridge_env.bidders.errors import BidderError, BidderUnreachable
from bridge_env.bidders.registry import SpecError

_BUSY = (429, 500, 502, 503, 504)
_CHOICES = {"vul": ("words", "signs"), "tournament": ("imps", "mp"), "key": ("no", "yes")}
_MAX_PARALLEL, _MAX_RETRIES, _MAX_SECONDS = 64, 10, 3600.0
_BACKOFF = 0.25  # seconds before the second retry; the pause doubles with each


@dataclass(frozen=True)
class SeatOptions:
    """How requests are sent to a program."""

    parallel: int = 8  # requests at a time
    timeout: float = 120.0  # seconds for an answer: as long as our own server waits for a bidder that looks ahead
    retries: int = 2  # how often to repeat a request after silence, or where the program says that it is busy or broken
    vul: str = "words"  # how the vulnerability is written, ``words`` (None, NS, EW, All) or ``signs`` (``@v``, ``@V``)
    tournament: str = "imps"  # the scoring that requests name, ``imps`` or ``mp``
    # ``yes`` sends the random stream of each call along, which ``bridge-env serve`` uses: a bidder that uses random
    # numbers then bids as it would here
    key: str = "no"


@dataclass(frozen=True)
class Address:
    """A program's address."""

    spec: str  # as the user wrote it
    root: str  # the URL before the endpoints, without a slash at its end
    options: SeatOptions


class SeatFault(BidderError):
    """A program at a seat gave no answer that can be used; the message says whose fault, and quotes the request."""


def parse_address(argument: str) -> Address:
    """Parse ``URL?OPTIONS``.

    Raises:
        SpecError: no address, or a faulty option.
    """
    spec = f"seat:{argument}"
    url, _, options = argument.strip().partition("?")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise SpecError(f"{spec!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        raise SpecError(f"{spec!r}: write the program's address, as in seat:http://127.0.0.1:8085")
    if parts.fragment or "@" in parts.netloc:
        raise SpecError(f"{spec!r}: the address must not hold a name, a password or a #")
    return Address(spec, url.rstrip("/"), _parse_options(options, spec))


def _parse_options(text: str, spec: str) -> SeatOptions:
    options = read_options(text, spec, SeatOptions(), _CHOICES, "a seat")
    if not 1 <= options.parallel <= _MAX_PARALLEL or not 0 <= options.retries <= _MAX_RETRIES:
        raise SpecError(f"{spec!r}: parallel must be 1 to {_MAX_PARALLEL}, and retries 0 to {_MAX_RETRIES}")
    if not (math.isfinite(options.timeout) and 0 < options.timeout <= _MAX_SECONDS):
        raise SpecError(f"{spec!r}: timeout must be more than 0 seconds and at most {_MAX_SECONDS:g}")
    return options


def get(address: Address, path: str, read_error: Callable[[bytes], str]) -> bytes:
    """Return the body of the program's answer to a GET request.

    Args:
        path: what follows the root of the address, with the query.
        read_error: returns the error text of the body of a refusal.

    Raises:
        BidderUnreachable: it does not answer.
        SeatFault: it refuses.
    """
    options, url = address.options, address.root + path
    retries = urllib3.Retry(
        options.retries, status_forcelist=_BUSY, backoff_factor=_BACKOFF, backoff_max=8, raise_on_status=False
    )
    try:
        response = _pool(os.getpid()).request(
            "GET", url, timeout=urllib3.Timeout(total=options.timeout), retries=retries, redirect=False
        )
    except HTTPError as error:
        raise _unreachable(address, url, error.reason if isinstance(error, MaxRetryError) else error) from None
    if response.status == 200:
        return response.data
    text = read_error(response.data)[:300]
    problem = f"it answers {response.status}{': ' + text if text else ''}"
    if response.status in _BUSY:
        raise _unreachable(address, url, problem)
    if 300 <= response.status < 400:
        problem += ", which leads elsewhere; name the address where the program itself answers"
    raise SeatFault(f"{address.spec}: {problem.rstrip('.')}. Asked: {url}")


@cache
def _pool(process: int) -> urllib3.PoolManager:
    """Return the connections of this process: a forked one must not use those of its parent."""
    return urllib3.PoolManager(maxsize=_MAX_PARALLEL, headers={"User-Agent": "bridge-env"})


def _unreachable(address: Address, url: str, problem: object) -> BidderUnreachable:
    tries = address.options.retries + 1
    times = f"after {tries} tries" if tries > 1 else "at the only try"
    return BidderUnreachable(f"{address.spec}: no answer {times}: {problem}. Is the program running? Asked: {url}")
