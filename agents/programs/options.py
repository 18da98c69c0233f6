"""Which program is asked, and how: ``http://127.0.0.1:8085?parallel=8&timeout=20``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from urllib.parse import urlsplit

from agents.options import read_options
from bridge_env.bidders import SpecError

_CHOICES = {"form": ("ben", "bbo"), "vul": ("words", "signs"), "tournament": ("imps", "mp"), "key": ("no", "yes")}
_MOST_PARALLEL, _MOST_RETRIES, _MOST_SECONDS = 64, 10, 3600.0


@dataclass(frozen=True)
class Options:
    """How a program is asked.

    Attributes:
        parallel: questions at a time.
        timeout: seconds for an answer.
        retries: how often to ask again after silence, or where the program says that it is busy or broken.
        form: ``ben`` (``/bid``, ``/lead``, ``/play``; also Brill's) or ``bbo`` (``robot.php``).
        vul: how BEN's form writes the vulnerability, ``words`` (None, NS, EW, All) or ``signs`` (``@v``, ``@V``).
        tournament: the scoring that BEN's form names, ``imps`` or ``mp``.
        key: ``yes`` sends the random stream of each call along, which ``bridge-env serve`` uses: a bidder that draws
            by chance then bids as it would here.
    """

    parallel: int = 8
    timeout: float = 120.0  # as long as our own server waits for a thinker
    retries: int = 2
    form: str = "ben"
    vul: str = "words"
    tournament: str = "imps"
    key: str = "no"


@dataclass(frozen=True)
class Address:
    """A program.

    Attributes:
        spec: as the user wrote it.
        secure: by https.
        host: its name; ``port``: None for the usual one.
        path: what stands before the doors, without the last slash.
    """

    spec: str
    secure: bool
    host: str
    port: int | None
    path: str
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
